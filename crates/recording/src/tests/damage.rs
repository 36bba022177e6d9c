//! What is left of a recording after its files were cut, damaged or planted.
use super::*;
use std::fs;

/// Bytes of each file of a recording, live or sealed.
fn parts(sealed: bool) -> Vec<(String, Vec<u8>)> {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    if sealed {
        writer.seal().expect("sealing");
    } else {
        drop(writer);
    }
    let read = |name: String| {
        let bytes = fs::read(path.join(&name)).expect("a part");
        (name, bytes)
    };
    files(&path).into_iter().map(read).collect()
}

/// Sealed parts of three tables: with lists, with nulls, and plain.
fn sealed_parts() -> Vec<(String, Vec<u8>)> {
    let chosen = ["coverage-", "slices-", "threads-"];
    let is_chosen = |name: &str| chosen.iter().any(|it| name.starts_with(it));
    parts(true).into_iter().filter(|(name, _)| is_chosen(name)).collect()
}

/// A recording whose host table is whole and whose other part is given byte by byte.
struct Pair {
    _parent: TempDir,
    path: PathBuf,
    name: String,
}

impl Pair {
    fn new(name: &str) -> Pair {
        let (parent, path) = place();
        live(&path, &Facts { host: Some(host()), ..Facts::default() });
        Pair { _parent: parent, path, name: name.into() }
    }

    /// What is read where the part holds `bytes`; the host must be there whatever they are.
    fn read(&self, bytes: &[u8]) -> Facts {
        fs::write(self.path.join(&self.name), bytes).expect("writing");
        let facts = open(&self.path);
        if !self.name.starts_with("host") {
            assert_eq!(facts.host, Some(host()), "{}", self.name);
        }
        facts
    }
}

/// The rows of `facts`, without what reading had to say about them.
fn rows(facts: &Facts) -> usize {
    facts.rows() - usize::from(facts.coverage.is_some())
}

fn notes(facts: &Facts) -> Vec<Note> {
    facts.coverage.clone().unwrap_or_default().notes
}

#[test]
fn a_live_segment_cut_at_any_byte_is_a_shorter_recording() {
    for (name, bytes) in parts(false).into_iter().filter(|(name, _)| !name.starts_with("host")) {
        let pair = Pair::new(&name);
        let whole = rows(&pair.read(&bytes));
        for cut in 0..bytes.len() {
            let facts = pair.read(&bytes[..cut]);
            assert!(rows(&facts) <= whole, "{name} cut at {cut}");
            let said = notes(&facts).iter().any(|note| note.item == name && note.count == 1);
            let between_batches = said || rows(&facts) == 1;
            assert!(between_batches, "{name} cut at {cut}");
        }
    }
}

#[test]
fn only_the_torn_batch_is_lost() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let line = |offset| LogLine { read: MonoTime(offset), offset, text: format!("{offset}") };
    let one = |offset| Facts { log_lines: vec![line(offset)], ..Facts::default() };
    let segment = path.join("log_lines-0000.arrows");
    let mut ends = Vec::new();
    for offset in 0..4 {
        writer.write(&one(offset)).expect("writing");
        ends.push(fs::metadata(&segment).expect("a segment").len());
    }
    let bytes = fs::read(&segment).expect("a segment");
    drop(writer);
    for cut in ends[0]..=ends[3] {
        fs::write(&segment, &bytes[..usize::try_from(cut).expect("small")]).expect("writing");
        let facts = open(&path);
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(facts.log_lines.len(), whole, "cut at {cut}");
        assert_eq!(notes(&facts).len(), usize::from(!ends.contains(&cut)), "cut at {cut}");
    }
}

#[test]
fn a_sealed_part_cut_at_any_byte_is_noted_and_the_others_are_read() {
    for (name, bytes) in sealed_parts() {
        let pair = Pair::new(&name);
        for cut in 0..bytes.len() {
            let facts = pair.read(&bytes[..cut]);
            assert_eq!(rows(&facts), 1, "{name} cut at {cut}");
            assert!(notes(&facts).iter().any(|note| note.item == name), "{name} cut at {cut}");
        }
    }
}

#[test]
fn any_wrong_byte_in_a_sealed_part_is_found() {
    let mut random = Random(1);
    for (name, mut bytes) in sealed_parts() {
        let pair = Pair::new(&name);
        for at in 0..bytes.len() {
            let right = bytes[at];
            bytes[at] ^= random.non_zero_byte();
            let facts = pair.read(&bytes);
            assert!(notes(&facts).iter().any(|note| note.item == name), "{name} at {at}");
            bytes[at] = right;
        }
    }
}

#[test]
fn a_digit_of_the_checksum_that_became_a_capital_letter_is_a_wrong_byte() {
    let mark = b"whypause-crc32:";
    for (name, mut bytes) in sealed_parts() {
        let pair = Pair::new(&name);
        let at = bytes.windows(mark.len()).rposition(|it| it == mark).expect("a checksum");
        for digit in at + mark.len()..at + mark.len() + 8 {
            if bytes[digit].is_ascii_lowercase() {
                bytes[digit] = bytes[digit].to_ascii_uppercase();
                let facts = pair.read(&bytes);
                assert!(notes(&facts).iter().any(|note| note.item == name), "{name} at {digit}");
                bytes[digit] = bytes[digit].to_ascii_lowercase();
            }
        }
    }
}

/// Makes the checksum of a sealed part right, which is taken with its own digits as zeros.
fn reseal(bytes: &mut [u8]) {
    let mark = b"whypause-crc32:";
    let Some(at) = bytes.windows(mark.len()).rposition(|it| it == mark) else { return };
    let digits = at + mark.len()..at + mark.len() + 8;
    bytes[digits.clone()].fill(b'0');
    let sum = format!("{:08x}", crc32fast::hash(bytes));
    bytes[digits].copy_from_slice(sum.as_bytes());
}

/// An attacker who changes a byte also fixes the checksum, so the Parquet library gets to see it.
#[test]
fn a_wrong_byte_under_a_right_checksum_costs_at_most_that_part() {
    let mut random = Random(5);
    for (name, bytes) in sealed_parts() {
        let pair = Pair::new(&name);
        // Each one takes a while, and which byte it is says little.
        for at in (0..bytes.len() - 8).step_by(5) {
            let mut damaged = bytes.clone();
            damaged[at] ^= random.non_zero_byte();
            reseal(&mut damaged);
            pair.read(&damaged);
        }
    }
}

#[test]
fn a_wrong_byte_in_a_live_segment_costs_at_most_that_segment() {
    let mut random = Random(2);
    for (name, mut bytes) in parts(false).into_iter().filter(|(name, _)| !name.starts_with("host"))
    {
        let pair = Pair::new(&name);
        for at in 0..bytes.len() {
            let right = bytes[at];
            bytes[at] = if at % 2 == 0 { right ^ random.non_zero_byte() } else { 0xff };
            pair.read(&bytes);
            bytes[at] = right;
        }
    }
}

#[test]
fn many_wrong_bytes_are_survived() {
    let mut random = Random(3);
    for (name, bytes) in parts(false) {
        for _ in 0..40 {
            let pair = Pair::new("jvm-0001.arrows");
            let mut damaged = bytes.clone();
            for _ in 0..=random.next() % 16 {
                let at = usize::try_from(random.next()).expect("64 bits") % damaged.len();
                damaged[at] ^= random.non_zero_byte();
            }
            fs::write(pair.path.join(name.replace("0000", "0002")), &damaged).expect("writing");
            assert!(Recording::open(&pair.path).is_ok());
        }
    }
}

#[test]
fn garbage_is_noted() {
    let mut random = Random(4);
    for name in ["slices-0000.arrows", "slices-0000.parquet", "coverage-0000.parquet"] {
        let pair = Pair::new(name);
        for length in [1, 3, 7, 8, 11, 12, 64, 4096] {
            let garbage: Vec<u8> = (0..length).map(|_| random.non_zero_byte()).collect();
            let said = notes(&pair.read(&garbage));
            assert_eq!((said.len(), said[0].item.as_str()), (1, name));
        }
    }
}

#[test]
fn a_segment_that_stayed_beside_its_sealed_form_is_not_read_twice() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    let segment = path.join("slices-0000.arrows");
    let bytes = fs::read(&segment).expect("a segment");
    writer.seal().expect("sealing");
    fs::write(&segment, &bytes).expect("writing");
    assert_eq!(open(&path), sample());
    // Where the sealed form is damaged, the segment stands in for it.
    fs::write(path.join("slices-0000.parquet"), b"PAR1").expect("writing");
    assert_eq!(open(&path).slices, sample().slices);
}

#[test]
fn a_segment_that_was_damaged_before_it_was_sealed_is_left_where_it_is() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    let segment = path.join("slices-0000.arrows");
    let bytes = fs::read(&segment).expect("a segment");
    fs::write(&segment, &bytes[..bytes.len() - 1]).expect("writing");
    let unsealed = writer.seal().expect("sealing").unsealed;
    assert_eq!((unsealed.len(), unsealed[0].0.as_str()), (1, "slices-0000.arrows"));
    let live: Vec<_> = files(&path).into_iter().filter(|it| !it.ends_with(".parquet")).collect();
    assert_eq!(live, ["slices-0000.arrows"]);
    assert_eq!(notes(&open(&path)).last().map(|it| it.item.as_str()), Some("slices-0000.arrows"));
}

#[test]
fn links_and_pipes_in_a_recording_are_not_followed() {
    let pair = Pair::new("jvm-0000.arrows");
    let secret = pair.path.with_file_name("secret");
    fs::write(&secret, b"secret").expect("writing");
    std::os::unix::fs::symlink(&secret, pair.path.join("slices-0000.arrows")).expect("a link");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        pair.path.join("stacks-0000.arrows"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    let items: Vec<String> = notes(&open(&pair.path)).into_iter().map(|note| note.item).collect();
    assert_eq!(items, ["slices-0000.arrows", "stacks-0000.arrows"]);
}

#[test]
fn nothing_readable_is_an_error() {
    let (_parent, path) = place();
    fs::create_dir(&path).expect("mkdir");
    fs::write(path.join("slices-0000.parquet"), b"garbage").expect("writing");
    let error = Recording::open(&path).expect_err("nothing readable");
    assert_eq!(
        error.to_string(),
        format!(
            "nothing readable in the recording `{}`: `slices-0000.parquet` is cut off or damaged: \
             no Parquet footer",
            path.display()
        )
    );
}

/// Numbers that look random and are the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn non_zero_byte(&mut self) -> u8 {
        u8::try_from(self.next() % 255 + 1).expect("1 to 255")
    }
}
