//! The users of this host, as `/etc/passwd` has them. Those of another source are known by number.
use std::fs;

/// Names and numbers, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Users(Vec<(String, u32)>);

impl Users {
    /// Those of this host; none where the file cannot be read.
    pub(crate) fn of_this_host() -> Users {
        Users::parse(&fs::read("/etc/passwd").unwrap_or_default())
    }

    /// A name need not be UTF-8, and one that is not takes no other user's name away.
    fn parse(passwd: &[u8]) -> Users {
        let user = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next().filter(|it| !it.is_empty())?;
            Some((name.to_owned(), fields.nth(1)?.parse().ok()?))
        };
        Users(String::from_utf8_lossy(passwd).lines().filter_map(user).collect())
    }

    /// The name of a user: of several the first one, as all other programs show it; the number where there
    /// is none.
    pub(crate) fn name(&self, uid: u32) -> String {
        let found = self.0.iter().find(|it| it.1 == uid);
        found.map_or_else(|| uid.to_string(), |it| it.0.clone())
    }

    /// The number of the user with this name.
    pub(crate) fn uid(&self, name: &str) -> Option<u32> {
        self.0.iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_users_come_from_passwd() {
        let text = b"root:x:0:0:root:/root:/bin/sh\nbroken\n:x:7:7::/:\nkafka:x:990:990::/:\n";
        let users = Users::parse(text);
        assert_eq!((users.name(0), users.name(990)), ("root".into(), "kafka".into()));
        assert_eq!((users.name(7), users.name(8)), ("7".into(), "8".into()));
        assert_eq!(["kafka", "nginx", ""].map(|it| users.uid(it)), [Some(990), None, None]);
    }

    /// The last one counted for both: root was shown as `toor`, and `--user root` knew no such user.
    #[test]
    fn of_two_names_of_one_number_the_first_is_shown_and_either_is_known() {
        let users = Users::parse(b"root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/root:/bin/csh\n");
        assert_eq!(users.name(0), "root");
        assert_eq!((users.uid("root"), users.uid("toor")), (Some(0), Some(0)));
    }

    /// All users had numbers in place of names.
    #[test]
    fn a_name_that_is_no_utf_8_takes_no_other_name_away() {
        let users = Users::parse(b"app:x:5:5:J\xfcrgen:/:\nk\xfc:x:6:6::/:\norders:x:7:7::/:\n");
        assert_eq!((users.name(5), users.name(7)), ("app".into(), "orders".into()));
    }
}
