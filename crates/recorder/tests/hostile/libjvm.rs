//! The JVM's library belongs to the JVM's user: something else is put at its path, and it is made
//! expensive to read.
use crate::own_jdk::{OwnJvm, recorded, windows};
use recorder::Roots;
use rustix::{
    fs::{CWD, FileType, mknodat},
    process::Signal,
};
use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::{FileExt, symlink},
    path::Path,
};
use testing::signal;

/// Most memory of a recorder, whatever it records (`crowd.rs`), and as much again for its test.
const MOST_BYTES: u64 = 64 << 20;
/// The kernel's names and types are most of what it reads.
const MOST_READ_BYTES: u64 = 128 << 20;

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, 0o666.into(), 0).unwrap();
}

#[test]
fn swapped_library_neither_blocks_nor_misleads_the_recorder() {
    let Some(nobody) = OwnJvm::start() else { return };
    let (jvm, libjvm) = (nobody.jvm(), nobody.libjvm());
    assert_eq!(windows(&recorded(&jvm, false)), Ok(()));
    assert_eq!(windows(&recorded(&jvm, true)), Ok(()));
    let beside = libjvm.with_file_name("beside");
    fifo(&beside);
    fs::rename(&libjvm, libjvm.with_file_name("moved")).unwrap();
    let swaps: [(&dyn Fn(), &str); 5] = [
        (&|| fifo(&libjvm), "not a regular file"),
        (&|| symlink(&beside, &libjvm).unwrap(), "not a regular file"),
        (&|| symlink("/dev/zero", &libjvm).unwrap(), "not a regular file"),
        (&|| assert!(fs::copy("/bin/true", &libjvm).is_ok()), "another file is at its path by now"),
        (&|| symlink(&libjvm, &libjvm).unwrap(), "Too many levels of symbolic links"),
    ];
    for (swap, why) in swaps {
        swap();
        // Through the mapping it is still the JVM's own.
        assert_eq!(windows(&recorded(&jvm, false)), Ok(()), "{why}");
        let coverage = recorded(&jvm, true);
        let said = windows(&coverage).unwrap_err();
        assert!(said.starts_with("cannot open libjvm: ") && said.contains(why), "{said}");
        fs::remove_file(&libjvm).unwrap();
    }
}

/// What is done to a library of these bytes.
type Spoil<'a> = &'a dyn Fn(&File, &[u8]);

/// Where set, this test process is the recorder of the JVM with this id.
const RECORD: &str = "RECORD_AND_TELL_THE_COST";

#[test]
fn a_library_of_huge_tables_costs_the_recorder_no_memory_and_no_reading() {
    if let Ok(pid) = std::env::var(RECORD) {
        let jvm = recorder::jvm(&Roots::default(), pid.parse().unwrap()).unwrap();
        let coverage = recorded(&jvm, false);
        println!("\nstops: {:?}", windows(&coverage));
        println!("{}", fs::read_to_string("/proc/self/status").unwrap());
        println!("{}", fs::read_to_string("/proc/self/io").unwrap());
        return;
    }
    let Some(nobody) = OwnJvm::start() else { return };
    let path = nobody.libjvm();
    let whole = fs::read(&path).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    assert_eq!(cost(nobody.child.id()).0, "Ok(())");
    let shapes: [(&str, Spoil<'_>, &str); 4] = [
        (
            "a count of sections in the first of them",
            &uncounted_sections,
            "more headers than any JVM",
        ),
        ("as many sections as can be told", &many_sections, "more headers than any JVM"),
        ("tables of 60 GiB", &|file, whole| tables(file, whole, 60 << 30), "larger than any"),
        ("tables in a hole", &|file, whole| tables(file, whole, 60 << 20), "a hole of the file"),
    ];
    for (what, spoil, why) in shapes {
        spoil(&file, &whole);
        let (said, memory, read) = cost(nobody.child.id());
        println!("{what}: {} KiB of memory, {} KiB read: {said}", memory >> 10, read >> 10);
        assert!(said.starts_with("Err") && said.contains(why), "{what}: {said}");
        assert!(memory < MOST_BYTES, "{what}: {memory}");
        assert!(read < MOST_READ_BYTES, "{what}: {read}");
        file.set_len(whole.len() as u64).unwrap();
        file.write_all_at(&whole[..64], 0).unwrap();
        let headers = usize::try_from(word(&whole, 40)).unwrap();
        file.write_all_at(&whole[headers..], headers as u64).unwrap();
    }
}

/// What a recorder of its own says, the most memory it had, and how much it has read.
fn cost(pid: u32) -> (String, u64, u64) {
    let name = "libjvm::a_library_of_huge_tables_costs_the_recorder_no_memory_and_no_reading";
    let mut command = spawn::command(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]).env(RECORD, pid.to_string());
    let reported = spawn::run(command, testing::PATIENCE).unwrap();
    let reported = String::from_utf8(reported.stdout).unwrap();
    let after = |start: &str| {
        let line = reported.lines().find_map(|it| it.strip_prefix(start));
        line.unwrap_or_else(|| panic!("{reported}")).trim()
    };
    let number =
        |start: &str| after(start).split_ascii_whitespace().next().unwrap().parse::<u64>().unwrap();
    (after("stops: ").to_owned(), number("VmHWM:") << 10, number("rchar:"))
}

fn word(file: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(file[at..at + 8].try_into().unwrap())
}

/// The number of sections is in the first one where the header has none: 20 million, 1.2 GB.
fn uncounted_sections(file: &File, whole: &[u8]) {
    let end = whole.len() as u64;
    file.set_len(64 << 30).unwrap();
    file.write_all_at(&end.to_ne_bytes(), 40).unwrap();
    file.write_all_at(&0_u16.to_ne_bytes(), 60).unwrap();
    file.write_all_at(&20_000_000_u64.to_ne_bytes(), end + 32).unwrap();
}

fn many_sections(file: &File, whole: &[u8]) {
    file.set_len(64 << 30).unwrap();
    file.write_all_at(&(whole.len() as u64).to_ne_bytes(), 40).unwrap();
    file.write_all_at(&u16::MAX.to_ne_bytes(), 60).unwrap();
}

/// Notes, symbols and their names are of this size, behind the end of what was the file.
fn tables(file: &File, whole: &[u8], size: u64) {
    file.set_len(64 << 30).unwrap();
    let headers = usize::try_from(word(whole, 40)).unwrap();
    for header in (headers..whole.len()).step_by(64) {
        let kind = u32::from_ne_bytes(whole[header + 4..header + 8].try_into().unwrap());
        let has_address = word(whole, header + 16) != 0;
        // SHT_SYMTAB, SHT_STRTAB but that of the sections' names, SHT_NOTE
        if matches!(kind, 2 | 3 | 7) && !has_address && word(whole, header + 32) > 1024 {
            file.write_all_at(&(whole.len() as u64).to_ne_bytes(), header as u64 + 24).unwrap();
            // Notes have a bound of their own.
            let size = if kind == 7 { size / 128 } else { size };
            file.write_all_at(&size.to_ne_bytes(), header as u64 + 32).unwrap();
        }
    }
}

#[test]
fn a_library_cut_short_is_reported_and_ends_nobody() {
    let Some(nobody) = OwnJvm::start() else { return };
    let jvm = nobody.jvm();
    // Nor the JVM, which would not get over it.
    signal(nobody.child.id(), Signal::STOP);
    let file = OpenOptions::new().write(true).open(nobody.libjvm()).unwrap();
    for len in [8 << 20, 4096, 64, 10, 0] {
        file.set_len(len).unwrap();
        let coverage = recorded(&jvm, false);
        let said = windows(&coverage).unwrap_err();
        assert!(said.starts_with("cannot read libjvm: "), "{len}: {said}");
    }
}
