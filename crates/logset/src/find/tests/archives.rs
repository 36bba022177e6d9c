//! Zip archives, whole and damaged.
use super::*;
use flate2::write::DeflateEncoder;

/// How an entry is written.
#[derive(Clone, Copy, Default)]
struct Form {
    flags: u16,
    method: u16,
}

const DEFLATE: Form = Form { flags: 0, method: 8 };

/// An archive of compressed entries.
pub(super) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let entries: Vec<_> = entries.iter().map(|(name, text)| (*name, *text, DEFLATE)).collect();
    archive(&entries)
}

fn archive(entries: &[(&str, &[u8], Form)]) -> Vec<u8> {
    let (mut bytes, mut table) = (Vec::new(), Vec::new());
    for (name, text, form) in entries {
        let packed = if form.method == 8 { deflate(text) } else { text.to_vec() };
        let mut crc = flate2::Crc::new();
        crc.update(text);
        let mut common = Vec::new();
        common.extend([20, 0]);
        common.extend(form.flags.to_le_bytes());
        common.extend(form.method.to_le_bytes());
        common.extend([0; 4]);
        common.extend(crc.sum().to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((text.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        table.extend(b"PK\x01\x02\x14\0");
        table.extend(&common);
        table.extend([0; 10]);
        table.extend((bytes.len() as u32).to_le_bytes());
        table.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
    }
    let offset = bytes.len() as u32;
    bytes.extend(&table);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(
        [(entries.len() as u16).to_le_bytes(), (entries.len() as u16).to_le_bytes()].concat(),
    );
    bytes.extend((table.len() as u32).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn an_archive_of_a_ring() {
    check(
        &[(
            "logs.zip",
            &zip(&[
                ("app/", b""),
                ("app/gc.log.1", &log(10)),
                ("app/gc.log.0", &gzip(&log(20))),
                ("app/gc.log", &log(30)),
                ("app/readme.txt", b"hello"),
                ("other/gc.log", &log(5)),
                ("__MACOSX/app/gc.log", &log(6)),
            ]),
        )],
        &["logs.zip"],
        expect![[r#"
            logs.zip:app/gc.log: logs.zip:app/gc.log.1 logs.zip:app/gc.log.0 logs.zip:app/gc.log
              collections 10 20 30
            logs.zip:other/gc.log: logs.zip:other/gc.log
              collections 5
        "#]],
    );
}

#[test]
fn archives_of_one_log_each_are_a_set() {
    let one = |uptime| zip(&[("any-name", &log(uptime)[..])]);
    check(
        &[("gc.log.1.zip", &one(20)), ("gc.log.2.zip", &one(10))],
        &["."],
        expect![[r#"
        gc.log: gc.log.2.zip:any-name gc.log.1.zip:any-name
          collections 10 20
    "#]],
    );
}

#[test]
fn archives_that_cannot_be_read() {
    check(
        &[("x.zip", &zip(&[("a.txt", b"hello")]))],
        &["x.zip"],
        expect![[r#"
        error: there is no GC log in the archive `x.zip`
        hint: give an archive with a log that was written with `-Xlog:gc*,safepoint:file=PATH`
    "#]],
    );
    let encrypted = archive(&[("gc.log", &log(1), Form { flags: 1, method: 8 })]);
    check(
        &[("x.zip", &encrypted)],
        &["x.zip"],
        expect![[r#"
        error: the archive `x.zip` is encrypted
        hint: unpack it with its password, and give the log
    "#]],
    );
    let lzma = archive(&[("gc.log", &log(1), Form { flags: 0, method: 14 })]);
    check(
        &[("x.zip", &lzma)],
        &["x.zip"],
        expect![[r#"
        error: there is no GC log in the archive `x.zip`
        hint: some of its files are packed in a way not known here: unpack it, and give the log
    "#]],
    );
    let whole = zip(&[("gc.log", &log(1))]);
    check(
        &[("x.zip", &whole[..whole.len() - 30])],
        &["x.zip"],
        expect![[r#"
        error: `x.zip` is a zip archive that is damaged or cut short
        hint: copy it again from where it was written
    "#]],
    );
}

#[test]
fn files_made_of_the_same_bytes_are_a_trap() {
    let text = log(1).repeat(2_000);
    let mut bomb = zip(&[("a.log", &text), ("b.log", b""), ("c.log", b"")]);
    // The table says that the others are as large as the first, whose bytes they are.
    let table = memchr::memmem::find(&bomb, b"PK\x01\x02").expect("a table");
    let sizes: Vec<u8> = bomb[table + 16..table + 28].to_vec();
    let entries: Vec<usize> = memchr::memmem::find_iter(&bomb, b"PK\x01\x02").collect();
    for at in &entries[1..] {
        bomb[at + 16..at + 28].copy_from_slice(&sizes);
        bomb[at + 42..at + 46].fill(0);
    }
    check(
        &[("x.zip", &bomb)],
        &["x.zip"],
        expect![[r#"
        error: `x.zip` is a zip archive that is damaged or cut short
        hint: copy it again from where it was written
    "#]],
    );
}

#[test]
fn a_wrong_checksum_is_noted() {
    let mut stored = archive(&[("gc.log", &log(1), Form::default())]);
    let at = memchr::memmem::find(&stored, b"1.250ms").expect("stored as it is");
    stored[at] = b'7';
    check(
        &[("x.zip", &stored)],
        &["x.zip"],
        expect![[r#"
        x.zip:gc.log: x.zip:gc.log
          collections 1
          note: `x.zip:gc.log` is damaged; what comes before the damage was read
    "#]],
    );
}

#[test]
fn cut_at_every_byte_or_with_any_byte_changed_it_is_no_panic() {
    let nothing = directory(&[]);
    let whole = zip(&[("gc.log", &log(1)), ("gc.log.0", &gzip(&log(2)))]);
    for at in 0..whole.len() {
        found(&nothing, &["-"], &whole[..at]);
        for change in [1, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= change;
            found(&nothing, &["-"], &damaged);
        }
    }
}
