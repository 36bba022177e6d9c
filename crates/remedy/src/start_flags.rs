//! Flags for the next start of a JVM that systemd starts.
use crate::{
    Change, Plan, Refusal, Target, UnitFile,
    units::{self, Units},
};

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
    let Some(unit) = Units::default().of_process(target.roots, jvm.pid) else {
        let message =
            format!("{flags} is read when a JVM starts, and no unit of systemd starts this one");
        return Err(Refusal::new(message, by_hand));
    };
    let before = units::variable(&unit, FLAGS_VARIABLE)
        .map_err(|why| {
            Refusal::new(format!("{FLAGS_VARIABLE} cannot be added to: {why}"), by_hand.clone())
        })?
        .unwrap_or_default();
    let of_jvm = recorder::variable_of(target.roots, jvm, FLAGS_VARIABLE);
    let of_jvm = of_jvm.map_err(|error| {
        let message = format!("the environment of {} (pid {}): {error}", jvm.main, jvm.pid);
        Refusal::new(message, "run it as the JVM's user or as root")
    })?;
    if of_jvm.unwrap_or_default() != before {
        let message = format!("the JVM has another {FLAGS_VARIABLE} than {unit} gives it");
        return Err(Refusal::new(message, by_hand));
    }
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
    fn nothing_in_the_value_means_something_to_systemd() {
        assert_eq!(
            drop_in("-Da=\"x y\" -Db=%h\\n").unwrap(),
            "[Service]\nEnvironment=\"JAVA_TOOL_OPTIONS=-Da=\\\"x y\\\" -Db=%%h\\\\n\"\n"
        );
        assert_eq!(drop_in("a\nExecStart=/bin/x"), None);
    }
}
