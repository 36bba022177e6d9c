//! The environment variables that the program reads, for man pages.

/// Names, what they are for, and the commands that read them; none for all commands.
const VARIABLES: [(&str, &str, &[&str]); 15] = [
    ("TZ", "The zone in which times of day are shown, unless an option names one.", &[]),
    ("NO_COLOR", "Where it is set and not empty, nothing is coloured.", &[]),
    ("CLICOLOR_FORCE", "Where it is set and not 0, colour is used though it is no terminal.", &[]),
    ("CLICOLOR", "Where it is 0, nothing is coloured.", &[]),
    ("TERM", "Where it is dumb, nothing is coloured.", &[]),
    ("COLUMNS", "The width of the text where no terminal has one.", &[]),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "The first that is set names the locale; where it is not UTF-8 the text is ASCII.",
        &[],
    ),
    (
        "XDG_RUNTIME_DIR",
        "Where recordings may go that have no directory of their own.",
        &["record", "fix", "lab"],
    ),
    (
        "SUDO_UID",
        "Of root: the user whose directories are trusted, and whose the page of --html is, if this user has logged in here.",
        &["record", "fix", "lab"],
    ),
    (
        "JAVA_TOOL_OPTIONS",
        "Of a command that is started: flags are added to those that are there.",
        &["fix"],
    ),
    ("JAVA_HOME", "A JDK that the lab may use, besides those below /usr/lib/jvm.", &["lab"]),
    (
        "WHYPAUSE_WEBHOOK",
        "The URL that alerts are sent to, where --webhook does not name one.",
        &["watch"],
    ),
    ("WHYPAUSE_PAGERDUTY_KEY", "The routing key for a webhook of PagerDuty.", &["watch"]),
    (
        "SSL_CERT_FILE, SSL_CERT_DIR",
        "Certificates of the authorities that are trusted, in place of those of the host.",
        &["watch"],
    ),
    ("PATH", "Where java is looked for, as one more JDK that the lab may use.", &["lab"]),
];

/// The section of the man page of this name: `whypause`, `whypause-lab-run`.
pub(super) fn section(page: &str) -> String {
    let mut section = String::from(".SH \"ENVIRONMENT\"\n");
    let command = page.strip_prefix("whypause-");
    let command = command.map(|it| it.split('-').next().unwrap_or(it));
    for (names, what, commands) in VARIABLES {
        let is_read = commands.is_empty() || command.is_none_or(|it| commands.contains(&it));
        if is_read {
            let what = what.replace('-', "\\-");
            section.push_str(&format!(".TP\n\\fB{names}\\fR\n{what}\n"));
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_what_its_command_reads() {
        let check = |page: &str, name: &str, expected: bool| {
            assert_eq!(section(page).contains(&format!("\\fB{name}")), expected, "{page} {name}");
        };
        check("whypause", "JAVA_HOME", true);
        check("whypause-lab-run", "JAVA_HOME", true);
        check("whypause-explain", "JAVA_HOME", false);
        check("whypause-explain", "TZ", true);
        check("whypause-fix", "JAVA_TOOL_OPTIONS", true);
    }
}
