//! What a `java` command line starts: its options and its main class.
//!
//! Source: `src/java.base/share/native/libjli/java.c` (options with a value of their own) and
//! `args.c` (argument files, `JDK_JAVA_OPTIONS`) of the JDK.

/// A command line, read as the launcher reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Everything before the main class, argument files replaced by what they hold.
    pub(crate) options: Vec<String>,
    /// Main class, jar or source file without its directories; empty where none was given.
    pub(crate) main: String,
    /// The first argument file whose text was not given.
    unread: Option<String>,
}

/// Options whose value is the next argument (`IsWhiteSpaceOption` in `java.c`).
const WITH_VALUE: [&str; 16] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "-d",
    "--describe-module",
    "--source",
];

/// No launch is known with more; a bound all the same, because the files are not ours.
const MAX_ARGUMENT_FILES: usize = 64;

/// Longer names than the class file format has for people.
const MAX_CLASS_BYTES: usize = 512;

/// Reads the arguments after the launcher's own name. `read_file` gives the text of an argument
/// file (`@path`); pass one that gives `None` for launchers before JDK 9, which know none.
pub(crate) fn parse(
    arguments: &[String],
    read_file: &mut dyn FnMut(&str) -> Option<String>,
) -> Launch {
    let mut launch = Launch::default();
    // A stack of what is still to be read, last first: an argument file's words come before
    // what follows it.
    let mut rest: Vec<(String, bool)> =
        arguments.iter().rev().map(|it| (it.clone(), true)).collect();
    let mut files = 0;
    while let Some((argument, may_be_file)) = rest.pop() {
        if may_be_file && let Some(path) = argument.strip_prefix('@').filter(|it| !it.is_empty()) {
            if path.starts_with('@') {
                rest.push((path.to_owned(), false));
            } else if files < MAX_ARGUMENT_FILES {
                files += 1;
                let text = read_file(path);
                if text.is_none() && launch.unread.is_none() {
                    launch.unread = Some(path.to_owned());
                }
                let words = text.map(|text| file_words(&text)).unwrap_or_default();
                rest.extend(words.into_iter().rev().map(|word| (word, false)));
            }
            continue;
        }
        let mut value = || rest.pop().map(|(value, _)| value).unwrap_or_default();
        match argument.as_str() {
            "-jar" => launch.main = base_name(&value()).into(),
            "-m" | "--module" => launch.main = module_class(&value()).into(),
            option if WITH_VALUE.contains(&option) => {
                let value = value();
                launch.options.push(argument);
                launch.options.push(value);
                continue;
            }
            option if option.starts_with("--module=") => {
                launch.main = module_class(&option["--module=".len()..]).into();
            }
            option if option.starts_with('-') => {
                launch.options.push(argument);
                continue;
            }
            main => launch.main = base_name(main).into(),
        }
        break;
    }
    launch
}

/// The main class. Where an argument file before it was not given, that file's name stands first:
/// what follows may be its class, or an argument of a class that the file tells. So it is reported only
/// if it looks like a class.
pub(crate) fn main(
    arguments: &[String],
    read_file: &mut dyn FnMut(&str) -> Option<String>,
) -> String {
    let Launch { main, unread, .. } = parse(arguments, read_file);
    match unread.as_deref().map(base_name) {
        None => main,
        Some(file) if looks_like_a_class(&main) => format!("@{file} {main}"),
        Some(file) => format!("@{file}"),
    }
}

/// `org.example.Main`, `app.jar` or `Main.java`.
fn looks_like_a_class(text: &str) -> bool {
    let is_name = |it: &str| {
        let word = it.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '$');
        word && it.starts_with(|it: char| it.is_alphabetic() || it == '_')
    };
    let class = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or_default();
        text.split('.').all(is_name) && last.starts_with(char::is_uppercase)
    };
    let file = [".jar", ".java"].iter().any(|it| text.ends_with(it));
    text.len() <= MAX_CLASS_BYTES && (file || class(text))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

/// The class of `module/class`, or the module where no class is given.
fn module_class(text: &str) -> &str {
    text.split_once('/').map_or(text, |(_, class)| class)
}

/// Words of an argument file: quotes of both kinds with backslash escapes inside, `#` comments.
pub(crate) fn file_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(it) = chars.next() {
        match (quote, it) {
            (None, '#') if word.is_none() => {
                // The rest of the line is a comment.
                for _ in chars.by_ref().take_while(|&it| it != '\n' && it != '\r') {}
            }
            (None, '"' | '\'') => {
                quote = Some(it);
                word.get_or_insert_default();
            }
            (None, it) if it.is_ascii_whitespace() => words.extend(word.take()),
            (Some(open), it) if it == open => quote = None,
            (Some(_), '\\') => match chars.next() {
                // A backslash at the end of a line joins it with the next one's text.
                Some('\n') => {
                    while chars.as_str().starts_with([' ', '\t']) {
                        chars.next();
                    }
                }
                Some('n') => word.get_or_insert_default().push('\n'),
                Some('r') => word.get_or_insert_default().push('\r'),
                Some('t') => word.get_or_insert_default().push('\t'),
                Some(other) => word.get_or_insert_default().push(other),
                None => {}
            },
            (_, it) => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

/// Words of `JAVA_TOOL_OPTIONS` and the like: quotes of both kinds, no escapes
/// (`Arguments::parse_options_buffer` in `arguments.cpp`).
pub(crate) fn environment_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for it in text.chars() {
        match (quote, it) {
            (None, '"' | '\'') => {
                quote = Some(it);
                word.get_or_insert_default();
            }
            (None, it) if it.is_ascii_whitespace() => words.extend(word.take()),
            (Some(open), it) if it == open => quote = None,
            (_, it) => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, main: &str, options: &str) {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let launch = parse(&arguments, &mut |path| match path {
            "opts" => Some("-Xmx1g # heap\n'-Dx=a b'".into()),
            "all" => Some("-Xss1m\n-cp /x\norg.Main arg".into()),
            "nested" => Some("@opts @@x".into()),
            _ => None,
        });
        assert_eq!(
            (launch.main.as_str(), launch.options.join("|").as_str()),
            (main, options),
            "{line}"
        );
    }

    #[test]
    fn the_main_class_is_the_first_word_that_is_no_option() {
        check("-Xmx1g -cp a:b kafka.Kafka -Xms9g", "kafka.Kafka", "-Xmx1g|-cp|a:b");
        check("-jar /opt/orders/orders.jar --port 1", "orders.jar", "");
        check("-Xlog:gc /tmp/x/Load.java", "Load.java", "-Xlog:gc");
        check("-p /mods -m app/org.app.Main", "org.app.Main", "-p|/mods");
        check("--module=app", "app", "");
        check("-version", "", "-version");
    }

    #[test]
    fn argument_files_stand_where_they_are_named() {
        check("-Xms1g @opts Main", "Main", "-Xms1g|-Xmx1g|-Dx=a b");
        check("@all", "org.Main", "-Xss1m|-cp|/x");
        check("@gone Main", "Main", "");
        check("Main @opts", "Main", "");
    }

    #[test]
    fn argument_files_do_not_nest_and_two_ats_are_one() {
        check("@nested", "@opts", "");
        check("@@Main", "@Main", "");
    }

    #[test]
    fn unread_argument_file_stands_for_its_contents() {
        let check = |line: &str, expected: &str| {
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(main(&arguments, &mut |_| None), expected, "{line}");
        };
        check("@/etc/kafka/opts kafka.Kafka server.properties", "@opts kafka.Kafka");
        check("@opts -jar /x/orders.jar", "@opts orders.jar");
        check("@all", "@all");
        // Arguments of a class that the file tells, some of them secret.
        for argument in ["s3cr3t", "hunter2", "--password=x", "orders", "9.A", "Aa-Bb"] {
            check(&format!("@all {argument}"), "@all");
        }
        check("org.Main @opts", "org.Main");
    }

    #[test]
    fn a_value_that_is_missing_is_empty() {
        check("-cp", "", "-cp|");
        check("-jar", "", "");
    }

    #[test]
    fn words_of_a_file() {
        let words = file_words("a \"b c\" 'd\\'e' # no\n#no\n\"f\\\n   g\" h#i");
        assert_eq!(words, ["a", "b c", "d'e", "fg", "h#i"]);
        assert_eq!(environment_words("-Da='x y'  \"-Xmx1g\"\n-Xss"), ["-Da=x y", "-Xmx1g", "-Xss"]);
    }
}
