//! Flags for the next start of a JVM that systemd starts.
use crate::{Change, Plan, Refusal, Target, UnitFile, change::is_systemd_here};
use std::fs;

/// The environment variable with flags that every JVM since JDK 5 reads, whatever starts it. It says
/// so on standard error.
pub const FLAGS_VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// The plan that has the JVM's unit give it these flags: a drop-in with an environment variable.
///
/// Refused where systemd does not start the JVM, or gives it that variable from a file.
pub(crate) fn plan(plan: Plan, target: &Target<'_>, flags: &[&str]) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let flags = flags.join(" ");
    let by_hand = format!("add {flags} to its command line, and start it again");
    let given = target.situation.flags();
    if flags.split(' ').all(|it| given.iter().any(|given| given == it)) {
        return Err(Refusal::new(format!("the JVM was started with {flags} already"), ""));
    }
    let Some(unit) = unit_of(target).filter(|_| is_systemd_here()) else {
        let message =
            format!("{flags} is read when a JVM starts, and no unit of systemd starts this one");
        return Err(Refusal::new(message, by_hand));
    };
    let before = recorder::variable_of(target.roots, jvm, FLAGS_VARIABLE)
        .map_err(|error| {
            let message = format!("the environment of {} (pid {}): {error}", jvm.main, jvm.pid);
            Refusal::new(message, "run it as the JVM's user or as root")
        })?
        .unwrap_or_default();
    let value = format!("{before} {flags}");
    let text = drop_in(value.trim()).ok_or_else(|| {
        Refusal::new(
            format!("{FLAGS_VARIABLE} of the JVM has characters that no unit can have"),
            by_hand,
        )
    })?;
    let name = format!("{unit}.d/50-whypause-{}.conf", plan.remedy);
    let mut plan = plan.change(Change::UnitFile(UnitFile { name, text }));
    plan.at_next_start = true;
    Ok(plan.note(format!("it takes effect with: systemctl restart {unit}")))
}

/// The service that systemd started the JVM in, by its control group: `kafka.service` of
/// `/system.slice/kafka.service`.
pub(crate) fn unit_of(target: &Target<'_>) -> Option<String> {
    let jvm = target.jvm?;
    unit_of_process(&target.roots.proc, jvm.pid)
}

/// The same of any process.
pub(crate) fn unit_of_process(proc: &std::path::Path, pid: u32) -> Option<String> {
    let text = fs::read_to_string(proc.join(format!("{pid}/cgroup"))).ok()?;
    unit_in(&text)
}

fn unit_in(cgroups: &str) -> Option<String> {
    let of_systemd = |line: &&str| line.starts_with("0::") || line.contains(":name=systemd:");
    cgroups.lines().filter(of_systemd).find_map(|line| service_in(line.splitn(3, ':').nth(2)?))
}

/// The service that a control group is of, by its path.
pub(crate) fn service_in(path: &str) -> Option<String> {
    // Of a user's own services it is that user's systemd which starts them.
    if path.contains("/user@") {
        return None;
    }
    let name = path.split('/').find(|it| it.ends_with(".service"))?;
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.@:\\".contains(it);
    name.chars().all(plain).then(|| name.to_owned())
}

/// The text of the drop-in (`systemd.exec(5)`, `Environment=`; `systemd.unit(5)` for `%`).
fn drop_in(value: &str) -> Option<String> {
    if value.chars().any(char::is_control) {
        return None;
    }
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    Some(format!("[Service]\nEnvironment=\"{FLAGS_VARIABLE}={value}\"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_outermost_service() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(unit_in(text).as_deref(), expected, "{text}");
        };
        check("0::/system.slice/kafka.service\n", Some("kafka.service"));
        check("1:name=systemd:/system.slice/a@1.service/sub\n", Some("a@1.service"));
        check("4:cpu:/system.slice/x.service\n0::/\n", None);
        check("0::/user.slice/user-1000.slice/user@1000.service/app.slice/b.service\n", None);
        check("0::/user.slice/user-1000.slice/session-1.scope\n", None);
        check("0::/system.slice/a b.service\n", None);
    }

    #[test]
    fn nothing_in_the_value_means_something_to_systemd() {
        assert_eq!(
            drop_in("-Da=\"x y\" -Db=%h\\n").unwrap(),
            "[Service]\nEnvironment=\"JAVA_TOOL_OPTIONS=-Da=\\\"x y\\\" -Db=%%h\\\\n\"\n"
        );
        assert_eq!(drop_in("a\nExecStart=/bin/x"), None);
    }
}
