//! A JDK as vendors strip it. Tests of other crates use this file, too.
use std::{fs, path::Path, time::Duration};

/// Makes `bare` a JDK that is `home` but for its libjvm, which has lost its probes and symbols;
/// false where there is no `objcopy`.
pub(crate) fn bare_jdk(home: &Path, bare: &Path) -> bool {
    let link = |part: &str| {
        fs::create_dir_all(bare.join(part)).unwrap();
        for entry in fs::read_dir(home.join(part)).unwrap().flatten() {
            let to = bare.join(part).join(entry.file_name());
            let _ = std::os::unix::fs::symlink(fs::canonicalize(entry.path()).unwrap(), to);
        }
    };
    link("lib/server");
    link("lib");
    link("conf");
    fs::create_dir(bare.join("bin")).unwrap();
    fs::copy(home.join("bin/java"), bare.join("bin/java")).unwrap();
    for part in ["lib/libjli.so", "lib/libjava.so"] {
        fs::remove_file(bare.join(part)).unwrap();
        fs::copy(home.join(part), bare.join(part)).unwrap();
    }
    let _ = std::os::unix::fs::symlink(home.join("release"), bare.join("release"));
    let libjvm = "lib/server/libjvm.so";
    fs::remove_file(bare.join(libjvm)).unwrap();
    let mut command = spawn::command("objcopy");
    command.args(["--strip-all", "--remove-section=.note.stapsdt"]);
    command.args([home.join(libjvm), bare.join(libjvm)]);
    spawn::run(command, Duration::from_secs(120)).is_ok_and(|it| it.status.success())
}
