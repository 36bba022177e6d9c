//! What looks like a secret is not kept, and not shown of recordings that kept it. Another kind of secret is
//! masked here.
//!
//! Command lines hold passwords: `-Ddb.password=…`, `--token …`, `https://user:password@host/`.
//! The recorder leaves out what is not needed; of the rest, and of whatever an older recorder wrote,
//! values are masked here. Rather too much is masked than too little.

/// What stands for a value.
pub const MASK: &str = "***";

/// Anywhere in a name.
const IN_NAME: [&str; 9] = [
    "passw",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "privatekey",
    "bearer",
    "cookie",
];
/// As a word of a name, where words are parted by dots, dashes, underscores or capitals.
const WORDS: [&str; 9] =
    ["pass", "pwd", "key", "keys", "pw", "auth", "authorization", "cred", "creds"];

/// `text`, a command line or a part of one, with the values masked that belong to such names as
/// `password`, `secret`, `token` and `key`, and users and passwords in addresses.
///
/// A value goes as far as the next word that begins with a dash: where arguments were joined by
/// blanks it is unknown which of them were in the value.
#[must_use]
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut state = State::Plain;
    for (n, word) in text.split(' ').enumerate() {
        let is_option = word.starts_with('-');
        match state {
            State::Hidden if !is_option => continue,
            State::Awaited if !word.is_empty() => {
                out.push(' ');
                out.push_str(MASK);
                state = State::Hidden;
                continue;
            }
            State::Plain | State::Hidden | State::Awaited => {}
        }
        if n > 0 {
            out.push(' ');
        }
        state = push_masked(&mut out, word, state == State::Awaited);
    }
    out
}

/// What is known of the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing.
    Plain,
    /// It is the value of an option with a telling name.
    Awaited,
    /// It belongs to such a value, unless it begins with a dash.
    Hidden,
}

fn push_masked(out: &mut String, word: &str, awaited: bool) -> State {
    if let Some(name) = COMMANDS.iter().find(|it| word.starts_with(**it)) {
        out.push_str(name);
        out.push_str(MASK);
        return State::Hidden;
    }
    let mut from = 0;
    while let Some((start, end)) = name_in(word, from) {
        from = end;
        if !names_secret(&word[start..end]) {
            continue;
        }
        // `{"token":"x"}`, `[password]=x`
        let rest = word[end..].trim_start_matches(['"', '\'', ']', '}', '\\']);
        if rest.starts_with([':', '=']) && !rest.starts_with("://") {
            let value = word.len() - rest.len() + 1;
            push_without_users(out, &word[..value]);
            out.push_str(MASK);
            return State::Hidden;
        }
        if rest.is_empty() && word.starts_with('-') {
            push_without_users(out, word);
            return State::Awaited;
        }
    }
    push_without_users(out, word);
    if awaited { State::Awaited } else { State::Plain }
}

/// The next run of characters that names are made of.
fn name_in(word: &str, from: usize) -> Option<(usize, usize)> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let start = from + word[from..].find(is_of_name)?;
    let end = word[start..].find(|c| !is_of_name(c)).map_or(word.len(), |it| start + it);
    Some((start, end))
}

/// Whether the value behind this name is likely a secret.
fn names_secret(name: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut last_is_lower = false;
    for c in name.chars() {
        let parts = matches!(c, '.' | '-' | '_');
        if parts || words.is_empty() || (last_is_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let (false, Some(word)) = (parts, words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        last_is_lower = c.is_lowercase();
    }
    let joined: String = words.concat();
    IN_NAME.iter().any(|it| joined.contains(it))
        || words.iter().any(|it| WORDS.contains(&it.as_str()) || it.ends_with("pass"))
        || joined.ends_with("key")
}

/// Without `user:password@` behind `://`. A password may hold a slash, a host has no colon but that
/// before its port.
fn push_without_users(out: &mut String, word: &str) {
    let mut rest = word;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let authority = after.split(['/', '?', '#', '"', '\'', ',']).next().unwrap_or_default();
        let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
        let is_host = !authority.contains('@') && port.chars().all(|c| c.is_ascii_digit());
        let users = if is_host { None } else { after.rfind('@') };
        rest = match users {
            Some(at) => {
                out.push_str(MASK);
                &after[at..]
            }
            None => after,
        };
    }
    out.push_str(rest);
}

/// A line of the GC log. `-Xlog:arguments` and the like print the whole command line: of that only
/// the JVM's own flags and the main class stay.
#[must_use]
pub fn masked_log_line(line: String) -> String {
    for (marker, keep) in [
        ("jvm_args: ", own_flags as fn(&str) -> String),
        ("java_command: ", first_word),
        ("Command line: ", own_flags),
        ("Command Line: ", own_flags),
        ("Picked up ", own_flags),
    ] {
        if let Some(at) = line.find(marker) {
            let (head, rest) = line.split_at(at + marker.len());
            return format!("{head}{}", keep(rest));
        }
    }
    // No line of a collector's has any of these.
    let lower = line.to_ascii_lowercase();
    let telling = ["passw", "secret", "token", "credential", "apikey", "://"];
    if telling.iter().any(|it| lower.contains(it)) { masked(&line) } else { line }
}

fn own_flags(text: &str) -> String {
    let is_own = |it: &&str| it.starts_with("-X") || it.starts_with("-verbose:");
    let flags: Vec<String> = text.split(' ').filter(is_own).map(masked_flag).collect();
    flags.join(" ")
}

fn first_word(text: &str) -> String {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let more = if rest.is_empty() { "" } else { " …" };
    format!("{}{more}", masked(first))
}

/// Flags of HotSpot whose value is a command.
const COMMANDS: [&str; 2] = ["-XX:OnError=", "-XX:OnOutOfMemoryError="];

/// A flag of the JVM, `-X…` or `-verbose:…`, of which a command is not kept.
#[must_use]
pub fn masked_flag(flag: &str) -> String {
    match COMMANDS.iter().find(|it| flag.starts_with(**it)) {
        Some(name) => format!("{name}{MASK}"),
        None => masked(flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(masked(text), expected);
    }

    #[test]
    fn values_of_telling_names_are_masked_in_every_spelling() {
        check("java -Ddb.password=hunter2 -jar a.jar", "java -Ddb.password=*** -jar a.jar");
        check("x --token hunter2 -v", "x --token *** -v");
        check("x --token=hunter2", "x --token=***");
        check("x -pass hunter2", "x -pass ***");
        check(
            "x --api-key hunter2 --awsSecretKey=a --dbPasswd b",
            "x --api-key *** --awsSecretKey=*** --dbPasswd ***",
        );
        check("DB_PASSWORD=hunter2 x", "DB_PASSWORD=***");
        check("curl -H Authorization: Bearer hunter2 -v", "curl -H Authorization:*** -v");
        check("curl -d {\"token\":\"hunter2\"}", "curl -d {\"token\":***");
        check("x --key -hunter2", "x --key ***");
        check("java -XX:OnError=hunter2 %p -Xmx1g", "java -XX:OnError=*** -Xmx1g");
        check("x accessKey=hunter2", "x accessKey=***");
        check("http://h/?a=b&token=hunter2&c=d", "http://h/?a=b&token=***");
    }

    #[test]
    fn a_value_with_blanks_is_masked_to_its_end() {
        check("x --password my own hunter2 -v", "x --password *** -v");
        check("x -Dsecret=my own hunter2 -v", "x -Dsecret=*** -v");
    }

    #[test]
    fn users_and_passwords_in_addresses_are_masked() {
        check("x https://joe:hunter2@example.com/a?b", "x https://***@example.com/a?b");
        check("x jdbc:pg://joe:hun/ter2@db:5432/x", "x jdbc:pg://***@db:5432/x");
        check("x https://ghp_hunter2@example.com", "x https://***@example.com");
        check("x http://example.com:80/a@b", "x http://example.com:80/a@b");
        check("x a://j:p@b,c://j:p@d", "x a://***@d");
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "dd if=/dev/zero of=/data/big bs=1M",
            "java -Xmx1g -Xlog:gc*:file=/var/log/gc.log:tags kafka.Kafka größe",
            "-XX:+UseG1GC -XX:MaxGCPauseMillis=200 -XX:PassiveX",
            "tar czf /backup/monkeys.tgz /home",
            "",
            " a  b ",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn lines_that_print_the_command_line_keep_the_jvms_own_flags() {
        let check = |line: &str, expected: &str| {
            assert_eq!(masked_log_line(line.to_owned()), expected);
        };
        check(
            "[0.004s][info][arguments] jvm_args: -Xmx1g -Ddb.password=hunter2 -XX:OnError=hunter2 -XX:+UseG1GC ",
            "[0.004s][info][arguments] jvm_args: -Xmx1g -XX:OnError=*** -XX:+UseG1GC",
        );
        check(
            "[0.004s][info][arguments] java_command: Main --token hunter2",
            "[0.004s][info][arguments] java_command: Main …",
        );
        let plain =
            "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 1M->1M(4M) 1.0ms";
        check(plain, plain);
        check("a.B: password=hunter2", "a.B: password=***");
    }
}
