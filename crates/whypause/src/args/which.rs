//! Which running JVM is meant, and whose.
use crate::users::Users;
use clap::Args;

/// Which running JVM.
#[derive(Debug, Args)]
#[group(id = "which-jvm", multiple = false)]
pub struct WhichJvm {
    /// Process id, or a part of the main class if only one JVM has it
    #[arg(short, long, value_name = "PID|NAME", group = "jvm")]
    pub pid: Option<String>,
    /// The same by name only: a part of the main class or jar
    #[arg(long = "match", value_name = "NAME", group = "jvm")]
    pub matching: Option<String>,
    /// Whose: any process can have any name.
    #[command(flatten)]
    pub whose: WhoseJvm,
}

/// Whose JVM.
#[derive(Clone, Debug, Default, Args)]
pub struct WhoseJvm {
    /// Only a JVM that this user runs, by name or number (in a container by number alone); a main class
    /// can be imitated by any user, the user cannot
    #[arg(long, value_name = "USER", value_parser = parse_user)]
    pub user: Option<User>,
    /// Only a JVM of this service of systemd: `kafka.service`
    #[arg(long, value_name = "SERVICE", value_parser = parse_service)]
    pub service: Option<String>,
}

/// A user of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// As it was given: a name, or a number.
    pub given: String,
    /// Its number.
    pub uid: u32,
    /// Whether a name was given: that of a user of this host, and of no container's.
    pub by_name: bool,
}

fn parse_user(text: &str) -> Result<User, String> {
    let given = text.to_owned();
    if let Ok(uid) = text.parse() {
        return Ok(User { given, uid, by_name: false });
    }
    let uid = Users::of_this_host().uid(text);
    let uid = uid.ok_or_else(|| format!("no user `{text}` in /etc/passwd; a number will do"))?;
    Ok(User { given, uid, by_name: true })
}

fn parse_service(text: &str) -> Result<String, String> {
    let unit = if text.contains('.') { text.to_owned() } else { format!("{text}.service") };
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.@:\\".contains(it);
    match unit.ends_with(".service") && !unit.starts_with('-') && unit.chars().all(plain) {
        true => Ok(unit),
        false => Err("it is no service; `systemctl list-units --type=service` lists them".into()),
    }
}

impl WhichJvm {
    /// The pid or name that was given.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        self.pid.as_deref().or(self.matching.as_deref())
    }

    /// Whether anything says which one.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.pattern().is_some() || self.whose.user.is_some() || self.whose.service.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_known_by_name_or_number() {
        let check = |text: &str, wanted: Result<(u32, bool), String>| {
            assert_eq!(parse_user(text).map(|it| (it.uid, it.by_name)), wanted, "{text}");
        };
        check("990", Ok((990, false)));
        check("root", Ok((0, true)));
        let unknown = "no user `no-such-user` in /etc/passwd; a number will do";
        check("no-such-user", Err(unknown.into()));
    }
}
