//! How a JVM is asked, and the flags it is advised.
use crate::{Action, Advice, Command};
use diagnose::Situation;
use recording::JvmFact;

/// To set a flag at the next start, unless the switch stands so already, or an option of that name
/// has a value, whatever it is, as the user chose it. `flag` is as typed.
pub(crate) fn flag(situation: &Situation, flag: &str, note: &str) -> Option<Advice> {
    let chosen = flag.trim_start_matches("-XX:").split_once('=');
    let is_set = chosen.map_or_else(|| situation.holds(flag), |(name, _)| situation.given(name));
    (!is_set).then(|| Advice::at_next_start(Action::flag(flag), note))
}

/// `jcmd` and the JVM's pid. Of a JVM in a container its own `jcmd`, run inside: the attach
/// mechanism asks for one user on both ends, and a user namespace makes even root another.
pub(crate) fn jcmd(jvm: &JvmFact) -> Command {
    let JvmFact { pid, pid_in_namespace: inside, .. } = jvm;
    if !is_contained(jvm) {
        return Command::new("jcmd").arg(pid.to_string());
    }
    // nsenter has the host's PATH.
    let home = jvm.libjvm.strip_suffix("/lib/server/libjvm.so");
    let program = home.map_or("jcmd".into(), |home| format!("{home}/bin/jcmd"));
    Command::new("nsenter")
        .arg("-t")
        .arg(pid.to_string())
        .arg("-a")
        .path(&program)
        .arg(inside.to_string())
}

/// What to know before [`jcmd`] is run: in a container it is a program of the image, with the rights
/// of the host's root.
pub(crate) fn whose_jcmd(jvm: &JvmFact) -> &'static str {
    if is_contained(jvm) {
        "this runs a program of the container as root: where you do not trust its image, use docker exec or kubectl exec"
    } else {
        ""
    }
}

fn is_contained(jvm: &JvmFact) -> bool {
    jvm.pid_in_namespace != 0 && jvm.pid_in_namespace != jvm.pid
}

/// The path under which the host finds a file of a JVM in a container.
pub(crate) fn path_here(jvm: Option<&JvmFact>, path: &str) -> String {
    match jvm.filter(|it| is_contained(it)) {
        Some(jvm) => format!("/proc/{}/root{path}", jvm.pid),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_in_a_container_is_asked_from_inside() {
        let jvm = |libjvm: &str, inside| JvmFact {
            pid: 42,
            libjvm: libjvm.into(),
            pid_in_namespace: inside,
            ..JvmFact::default()
        };
        let check =
            |it: JvmFact, expected: &str| assert_eq!(jcmd(&it).typed().as_deref(), Some(expected));
        let library = "/opt/java/lib/server/libjvm.so";
        check(jvm(library, 42), "jcmd 42");
        check(jvm(library, 1), "nsenter -t 42 -a /opt/java/bin/jcmd 1");
        check(jvm("/a'b; c/lib/server/libjvm.so", 1), "nsenter -t 42 -a '/a'\\''b; c/bin/jcmd' 1");
        check(jvm("/opt/jre/lib/amd64/server/libjvm.so", 1), "nsenter -t 42 -a jcmd 1");
        check(jvm("-r/lib/server/libjvm.so", 1), "nsenter -t 42 -a ./-r/bin/jcmd 1");
        assert!(whose_jcmd(&jvm(library, 1)).contains("a program of the container as root"));
        assert_eq!(whose_jcmd(&jvm(library, 42)), "");
        assert_eq!(path_here(Some(&jvm(library, 1)), "/data/x"), "/proc/42/root/data/x");
        assert_eq!(path_here(Some(&jvm(library, 42)), "/data/x"), "/data/x");
        assert_eq!(path_here(None, "/data/x"), "/data/x");
    }
}
