//! # Keep the JVM's counters on a file system in memory
//!
//! ## What it changes
//! A tmpfs is mounted over the directory before any JVM of this user starts: at boot, by a mount unit.
//!
//! ## What it costs
//! It hides the files of JVMs that run already, until they are started again.
//! A JVM that runs keeps its old file on the disk until it is started again.
//! Where a mount was made by hand it goes at a reboot; for good it takes the unit or a line in `/etc/fstab`.
//!
//! ## How to see that it helped
//! `findmnt -T /tmp/hsperfdata_USER` says tmpfs, and `whypause ps` lists the JVM.
//!
//! ## How to undo it
//! `whypause fix --undo hsperfdata-to-tmpfs`, or `umount /tmp/hsperfdata_USER`, once its JVMs have ended.
//!
//! ## References
//! HotSpot `os/posix/perfMemory_posix.cpp`.
use crate::{
    Action, Advice, Change, Command, Mount, Plan, Refusal, Remedy, Target, UnitFile, UnitState,
    change::{is_systemd_here, run},
    held::Named,
};
use diagnose::{Finding, Situation};
use rustix::fs::FileType;
use std::{fs, path::Path};

pub(super) static REMEDY: Remedy = Remedy {
    id: "hsperfdata-to-tmpfs",
    title: "Keep the JVM's counters on a file system in memory",
    summary: "A memory file system on `/tmp/hsperfdata_USER`, where tools need the file.",
    page: diagnose::page!("hsperfdata_to_tmpfs.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Some(place)) = (&situation.jvm, &finding.place) else { return Vec::new() };
    let Some((directory, _)) = place.path.rsplit_once('/') else { return Vec::new() };
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o"])
        .arg(format!("size=4m,mode=0755,uid={}", jvm.uid))
        .arg("tmpfs")
        .path(directory);
    vec![Advice::at_next_start(
        Action::run([mount]),
        "before the JVM starts: it hides the files of JVMs that run already, and goes at a reboot",
    )]
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let sees = recorder::sees_our_mounts(target.roots, jvm);
    if !sees.as_ref().is_ok_and(|it| *it) {
        return Err(Refusal::new(
            format!(
                "{} (pid {}) has mounts of its own: one made here it does not see",
                jvm.main, jvm.pid
            ),
            "give the container a tmpfs at /tmp, or use -XX:+PerfDisableSharedMem",
        ));
    }
    let uid = jvm.uid.to_string();
    let user = run(&["id", "-nu", &uid]);
    let user = user.map_err(|_| Refusal::new(format!("user {uid} has no name here"), ""))?;
    let (user, directory) = (user.trim(), format!("/tmp/hsperfdata_{}", user.trim()));
    if user.is_empty() || user.contains(['/', '\n', ' ', '%']) {
        return Err(Refusal::new(format!("the name of user {uid} cannot be in a path"), ""));
    }
    let group = run(&["id", "-g", &uid]).unwrap_or_default();
    let options = format!("size=4m,mode=0755,uid={uid},gid={}", group.trim());
    let held = Named::open(Path::new(&directory)).and_then(|it| it.held());
    if held.as_ref().is_ok_and(|it| it.is_in_memory().unwrap_or(false)) {
        return Err(Refusal::new(format!("`{directory}` is in memory already"), ""));
    }
    let running = with_files(target, &directory);
    let mut plan = Plan::new(REMEDY.id);
    plan.at_next_start = true;
    if !running.is_empty() {
        plan = plan.note(format!(
            "these JVMs keep their old file on the disk until they are started again: pid {}",
            running.join(", ")
        ));
    }
    let is_there = held.is_ok_and(|it| it.kind() == FileType::Directory && it.uid() == jvm.uid);
    let mount = Mount { target: directory.clone(), owner: jvm.uid, options: options.clone() };
    let mount = Change::Mount(mount);
    if is_systemd_here() {
        let unit = format!("tmp-hsperfdata_{}.mount", escaped(user));
        let text = unit_text(user, &directory, &options);
        // systemd mounts by the path, which the user can move. At boot no user is there yet.
        plan = plan
            .change(Change::UnitFile(UnitFile { name: unit.clone(), text }))
            .change(Change::UnitState(UnitState { unit, start: false }));
        return Ok(match running.is_empty() && is_there {
            true => plan.change(mount),
            false => plan.note("the mount is made at the next boot"),
        });
    }
    if !is_there {
        let hint = format!("make it: install -d -m 0755 -o {user} {directory}");
        return Err(Refusal::new(format!("`{directory}` is not there to mount on"), hint));
    }
    Ok(plan
        .note("no systemd runs here: the mount goes at the next boot, so put it into /etc/fstab as well")
        .change(mount))
}

/// Process ids of running JVMs that have a file in the directory.
fn with_files(target: &Target<'_>, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|it| it.file_name().into_string().ok());
    let is_running = |it: &String| it.parse::<u32>().is_ok() && target.roots.proc.join(it).exists();
    names.filter(is_running).collect()
}

/// A part of a unit's name that stands for a part of a path (`systemd-escape(1)`).
fn escaped(name: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || b":_.".contains(&it);
    let byte = |it: u8| if plain(it) { char::from(it).to_string() } else { format!("\\x{it:02x}") };
    name.bytes().map(byte).collect()
}

fn unit_text(user: &str, directory: &str, options: &str) -> String {
    format!(
        "[Unit]\n\
         Description=Counters of the JVMs of {user}, in memory\n\
         Documentation=man:whypause-fix(1)\n\
         Before=multi-user.target\n\
         \n\
         [Mount]\n\
         What=whypause\n\
         Where={directory}\n\
         Type=tmpfs\n\
         Options={options},nosuid,nodev,noexec\n\
         \n\
         [Install]\n\
         WantedBy=multi-user.target\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_unit_is_that_of_its_path() {
        assert_eq!(escaped("kafka"), "kafka");
        assert_eq!(escaped("www-data"), "www\\x2ddata");
        assert_eq!(escaped("a_b.c"), "a_b.c");
    }
}
