//! A keeper that begins again goes on where the last whole entry ends.
use super::*;
use std::os::unix::fs::MetadataExt;

const BOTH: [Compression; 2] = [Compression::Zstd, Compression::Gzip];

/// A log that was copied in three rounds.
fn three_rounds(compression: Compression) -> (Bench, String) {
    let bench = Bench { compression, ..Bench::new() };
    let mut keeper = bench.keeper();
    let mut log = String::new();
    for n in 0..3 {
        let more = lines(n * 10, 10);
        append(&bench.log(), &more);
        log += &more;
        keeper.round().unwrap();
    }
    (bench, log)
}

#[test]
fn what_was_appended_is_copied_once() {
    for compression in BOTH {
        let bench = Bench { compression, ..Bench::new() };
        let mut keeper = bench.keeper();
        assert_eq!(round(&mut keeper), (Round::default(), vec![]), "there is no log yet");
        append(&bench.log(), "one\n");
        let name = format!("gc.log.{}", compression.suffix());
        let (done, reported) = round(&mut keeper);
        assert_eq!((done.copied_bytes, done.written_bytes), (4, size(&bench.copy(1))));
        assert_eq!(reported, [format!("copying to `{name}`")]);
        assert_eq!(round(&mut keeper), (Round::default(), vec![]));
        append(&bench.log(), "two\n");
        assert_eq!(round(&mut keeper).1, [""; 0]);
        assert_eq!(bench.text(), "one\ntwo\n");
        drop(keeper);
        let mut keeper = bench.keeper();
        assert_eq!(round(&mut keeper), (Round::default(), vec![]));
        append(&bench.log(), "three\n");
        round(&mut keeper);
        assert_eq!(bench.text(), "one\ntwo\nthree\n");
        assert_eq!(bench.copies().len(), 1);
    }
}

#[test]
fn the_usual_tools_read_the_copies() {
    for (compression, tool) in [(Compression::Zstd, "zstdcat"), (Compression::Gzip, "zcat")] {
        let (bench, log) = three_rounds(compression);
        let mut command = spawn::command(tool);
        command.arg(bench.copy(1));
        match spawn::run(command, PATIENCE) {
            Ok(ran) => assert!(ran.stdout == log.as_bytes(), "{ran:?}"),
            Err(error) => println!("SKIPPED: {error}"),
        }
    }
}

#[test]
fn a_copy_that_is_torn_anywhere_is_repaired() {
    for compression in BOTH {
        let (bench, log) = three_rounds(compression);
        let whole = fs::read(bench.copy(1)).unwrap();
        for length in 0..whole.len() {
            fs::write(bench.copy(1), &whole[..length]).unwrap();
            let mut keeper = bench.keeper();
            keeper.round().unwrap();
            assert_eq!(bench.text(), log, "{compression:?} cut to {length} bytes");
            assert_eq!(bench.copies().len(), 1);
        }
    }
}

#[test]
fn what_a_crash_of_the_host_leaves_behind_the_last_entry_is_cut() {
    for compression in BOTH {
        let (bench, log) = three_rounds(compression);
        let whole = fs::read(bench.copy(1)).unwrap();
        for rest in [vec![0; 4096], whole[whole.len() / 2..].to_vec(), vec![0xff; 3]] {
            fs::write(bench.copy(1), [&whole[..], &rest].concat()).unwrap();
            let mut keeper = bench.keeper();
            let (_, reported) = round(&mut keeper);
            let name = format!("gc.log.{}", compression.suffix());
            let bytes = rest.len();
            assert_eq!(
                reported,
                [format!("cut {bytes} bytes of an incomplete entry off `{name}`")]
            );
            assert_eq!(bench.text(), log);
        }
    }
}

#[test]
fn damage_that_no_kill_makes_is_left_as_it_is() {
    let (bench, _) = three_rounds(Compression::Zstd);
    let mut damaged = fs::read(bench.copy(1)).unwrap();
    damaged.extend(vec![7; 4 << 20]);
    fs::write(bench.copy(1), &damaged).unwrap();
    append(&bench.log(), "more\n");
    let mut keeper = bench.keeper();
    assert_eq!(round(&mut keeper).1, ["copying to `gc.log.2.zst`"]);
    assert_eq!(fs::read(bench.copy(1)).unwrap(), damaged);
    let second = fs::read(bench.copy(2)).unwrap();
    assert_eq!(zstd::decode_all(&*second).unwrap(), b"more\n");
}

#[test]
fn a_new_copy_begins_at_the_bound_and_the_oldest_is_removed() {
    let bench = Bench::new();
    let options = Options { max_file_bytes: 1 << 20, max_bytes: 4 << 20, ..bench.options() };
    let mut log = String::new();
    let mut reported = Vec::new();
    fs::write(bench.to().join("gc.log.1.zst"), "somebody's").unwrap();
    fs::write(bench.to().join("gc.log.3.zst"), "somebody's").unwrap();
    for n in 0..20 {
        // As after a kill: which copies there are is found out anew.
        let mut keeper = bench.keeper_with(&options);
        let more = noise(n, 500_000);
        append(&bench.log(), &more);
        log += &more;
        reported.extend(round(&mut keeper).1);
        let all: u64 = bench.copies().iter().map(|it| it.1).sum();
        assert!(all <= 4 << 20, "{all}");
    }
    assert_eq!(reported[..2], ["copying to `gc.log.zst`", "copying to `gc.log.2.zst`"]);
    assert_eq!(reported[2], "copying to `gc.log.4.zst`");
    assert!(reported.iter().any(|it| it.starts_with("removed the oldest copy `gc.log.zst` of ")));
    for name in ["gc.log.1.zst", "gc.log.3.zst"] {
        assert_eq!(fs::read(bench.to().join(name)).unwrap(), b"somebody's");
        fs::remove_file(bench.to().join(name)).unwrap();
    }
    let text = bench.text();
    assert!(text.len() > 3 << 20 && log.ends_with(&text), "{}", text.len());
}

#[test]
fn every_copy_begins_with_a_line() {
    let bench = Bench::new();
    let options = Options { max_file_bytes: 100_000, ..bench.options() };
    let log = lines(0, 60_000);
    assert!(log.len() > 2 << 20);
    append(&bench.log(), &log);
    bench.keeper_with(&options).round().unwrap();
    assert!(bench.copies().len() > 2, "{:?}", bench.copies());
    for path in copies(&bench.to(), "zst") {
        let text = zstd::decode_all(&*fs::read(path).unwrap()).unwrap();
        assert!(text.starts_with(b"[") && text.ends_with(b"\n"));
    }
    assert_eq!(bench.text(), log);
}

#[test]
fn a_copy_that_is_moved_away_is_not_made_again() {
    let bench = Bench::new();
    let mut keeper = bench.keeper();
    append(&bench.log(), "one\n");
    round(&mut keeper);
    fs::remove_file(bench.copy(1)).unwrap();
    append(&bench.log(), "two\n");
    assert_eq!(round(&mut keeper).1, ["copying to `gc.log.zst`"]);
    assert_eq!(bench.text(), "two\n");
}

#[test]
fn an_older_state_of_the_copies_does_not_turn_a_keeper_back() {
    let bench = Bench::new();
    let mut keeper = bench.keeper();
    append(&bench.log(), "one\n");
    round(&mut keeper);
    let older = fs::read(bench.copy(1)).unwrap();
    append(&bench.log(), "two\n");
    round(&mut keeper);
    fs::remove_dir_all(bench.to()).unwrap();
    fs::create_dir(bench.to()).unwrap();
    fs::write(bench.copy(1), older).unwrap();
    append(&bench.log(), "three\n");
    round(&mut keeper);
    assert_eq!(bench.text(), "one\nthree\n");
}

#[test]
fn what_another_keeper_has_copied_meanwhile_is_not_copied_again() {
    let bench = Bench::new();
    let mut keeper = bench.keeper();
    append(&bench.log(), "one\n");
    round(&mut keeper);
    let away = bench.directory.path().join("away");
    fs::rename(bench.to(), &away).unwrap();
    keeper.round().unwrap_err();
    fs::rename(&away, bench.to()).unwrap();
    append(&bench.log(), "two\n");
    bench.keeper().round().unwrap();
    append(&bench.log(), "three\n");
    round(&mut keeper);
    assert_eq!(bench.text(), "one\ntwo\nthree\n");
}

#[test]
fn somebody_elses_file_in_place_of_an_old_copy_is_not_removed() {
    let bench = Bench::new();
    let options = Options { max_file_bytes: 1 << 20, max_bytes: 4 << 20, ..bench.options() };
    let mut keeper = bench.keeper_with(&options);
    for n in 0..14 {
        append(&bench.log(), &noise(n, 500_000));
        keeper.round().unwrap();
        if n == 3 {
            fs::write(bench.copy(1), "somebody's").unwrap();
        }
    }
    assert!(!bench.copy(2).exists());
    assert_eq!(fs::read(bench.copy(1)).unwrap(), b"somebody's");
}

#[test]
fn reused_inode_number_is_another_file() {
    // File systems in memory do not use numbers again.
    let bench = Bench::in_directory(Path::new(env!("CARGO_TARGET_TMPDIR")));
    append(&bench.log(), &lines(0, 30));
    bench.keeper().round().unwrap();
    let inode = fs::metadata(bench.log()).unwrap().ino();
    fs::remove_file(bench.log()).unwrap();
    append(&bench.log(), &lines(100, 60));
    if fs::metadata(bench.log()).unwrap().ino() != inode {
        println!("SKIPPED: this file system did not use the number again");
    }
    let mut keeper = bench.keeper();
    assert_eq!(
        round(&mut keeper).1,
        ["`gc.log` was truncated or replaced, it is read from its begin"]
    );
    assert_eq!(bench.text(), lines(0, 30) + &lines(100, 60));
}
