//! Which service of systemd a process is of, as systemd itself says it.
//!
//! The path of a control group is no proof: a user who may make groups below his own, as in a container or a
//! delegated group, can name one `system.slice/kafka.service` as well. A service is one only where systemd
//! says that exactly this group is its own.
use crate::change::{is_systemd_here, run};
use recorder::Roots;
use std::{cell::RefCell, collections::BTreeMap, fs, path::Path};

/// What systemd was asked of its services.
#[derive(Debug)]
pub struct Units {
    /// Whether systemd runs this host.
    is_systemd: bool,
    /// The control group of each service that was asked for.
    groups: RefCell<BTreeMap<String, Option<String>>>,
}

impl Default for Units {
    fn default() -> Units {
        Units { is_systemd: is_systemd_here(), groups: RefCell::default() }
    }
}

impl Units {
    /// The unit whose own this control group is: a service, a slice or a scope.
    pub(crate) fn any_of_group(&self, path: &str) -> Option<String> {
        let unit = candidate(path)?;
        (self.is_systemd && self.group(&unit).as_deref() == Some(path)).then_some(unit)
    }

    /// The service whose own this control group is: `kafka.service` of `/system.slice/kafka.service`.
    pub(crate) fn of_group(&self, path: &str) -> Option<String> {
        self.any_of_group(path).filter(|it| is_service(it))
    }

    /// The service that a process is of. None of one with namespaces of its own: its systemd is another
    /// one.
    pub(crate) fn of_process(&self, roots: &Roots, pid: u32) -> Option<String> {
        let text = fs::read_to_string(roots.proc.join(format!("{pid}/cgroup"))).ok()?;
        let unit = self.of_group(group_of_systemd(&text)?)?;
        shares_namespaces(&roots.proc, pid).then_some(unit)
    }

    /// Whether a process is of this service. systemd is asked only where the process's group has its name.
    /// A service of ours that may open no connection cannot ask: then it is the group that systemd gives a
    /// service without a slice of its own, which only root can make.
    #[must_use]
    pub fn is_of(&self, roots: &Roots, pid: u32, unit: &str) -> bool {
        let text = fs::read_to_string(roots.proc.join(format!("{pid}/cgroup"))).unwrap_or_default();
        let Some(path) = group_of_systemd(&text) else { return false };
        if candidate(path).as_deref() != Some(unit) || !self.is_systemd {
            return false;
        }
        let is_own = match self.group(unit) {
            Some(own) => own == path,
            None => usual_groups(unit).iter().any(|it| it == path),
        };
        is_own && shares_namespaces(&roots.proc, pid)
    }

    fn group(&self, unit: &str) -> Option<String> {
        let mut groups = self.groups.borrow_mut();
        let ask = || {
            let said = run(&["systemctl", "show", "-p", "ControlGroup", "--value", "--", unit]);
            said.ok().map(|it| it.trim().to_owned())
        };
        groups.entry(unit.to_owned()).or_insert_with(ask).clone()
    }
}

/// The control group in systemd's own hierarchy, from `/proc/PID/cgroup`.
fn group_of_systemd(cgroups: &str) -> Option<&str> {
    let of_systemd = |it: &&str| it.starts_with("0::") || it.contains(":name=systemd:");
    cgroups.lines().filter(of_systemd).find_map(|line| {
        let path = line.splitn(3, ':').nth(2)?;
        (path != "/").then_some(path)
    })
}

/// The groups that systemd gives a service without a slice of its own; one of a template is in the slice of
/// that (`unit_set_default_slice` of `src/core/unit.c`).
fn usual_groups(unit: &str) -> Vec<String> {
    let mut groups = vec![format!("/system.slice/{unit}")];
    if let Some((template, _)) = unit.split_once('@') {
        let template = template.replace('-', "\\x2d");
        groups.push(format!("/system.slice/system-{template}.slice/{unit}"));
    }
    groups
}

fn is_service(unit: &str) -> bool {
    unit.ends_with(".service")
}

/// The unit that a path would be of.
fn candidate(path: &str) -> Option<String> {
    // Of a user's own services it is that user's systemd which starts them.
    if path.contains("/user@") {
        return None;
    }
    let name = path.rsplit('/').next()?;
    let is_unit = is_service(name) || name.ends_with(".slice") || name.ends_with(".scope");
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.@:\\".contains(it);
    (is_unit && name.chars().all(plain) && !name.starts_with('-')).then(|| name.to_owned())
}

/// Whether a process is in none of the namespaces that make a system of its own. A unit may well give its
/// processes mounts of their own (`PrivateTmp=`).
fn shares_namespaces(proc: &Path, pid: u32) -> bool {
    ["cgroup", "pid", "user"].iter().all(|kind| {
        let of = |whose: &str| fs::read_link(proc.join(format!("{whose}/ns/{kind}"))).ok();
        let ours = of("self");
        ours.is_some() && ours == of(&pid.to_string())
    })
}

/// What a service gives its processes for a variable, as its unit has it; never as one of its processes
/// has it, which may have given itself another.
pub(crate) fn variable(unit: &str, name: &str) -> Result<Option<String>, String> {
    let show = |property| run(&["systemctl", "show", "-p", property, "--value", "--", unit]);
    let files = show("EnvironmentFiles").map_err(|error| error.to_string())?;
    if let Some(file) = files.split_whitespace().next() {
        return Err(format!("{unit} reads variables from `{file}`"));
    }
    let all = show("Environment").map_err(|error| error.to_string())?;
    let words = words(all.trim()).ok_or_else(|| format!("Environment of {unit} cannot be read"))?;
    let mut values = words.iter().filter_map(|it| it.split_once('='));
    Ok(values.rfind(|it| it.0 == name).map(|it| it.1.to_owned()))
}

/// The words of a list as systemd writes it: in double quotes with backslashes where there are blanks in
/// one (`strv_join_full` and `shell_maybe_quote` of `src/basic`).
fn words(list: &str) -> Option<Vec<String>> {
    let (mut all, mut word) = (Vec::new(), None::<String>);
    let (mut signs, mut quoted) = (list.chars(), false);
    while let Some(sign) = signs.next() {
        match sign {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().push(signs.next()?),
            ' ' if !quoted => all.extend(word.take()),
            '\'' | '$' if !quoted => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    all.extend(word);
    (!quoted).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_the_last_name_of_a_path() {
        let check = |text: &str, expected: Option<&str>| {
            let unit = group_of_systemd(text).and_then(candidate);
            assert_eq!(unit.as_deref(), expected, "{text}");
        };
        check("0::/system.slice/kafka.service\n", Some("kafka.service"));
        check("1:name=systemd:/system.slice/a@1.service\n0::/\n", Some("a@1.service"));
        check("0::/system.slice/docker.service/payload\n", None);
        check("4:cpu:/system.slice/x.service\n0::/\n", None);
        check("0::/user.slice/user-1000.slice/user@1000.service/app.slice/b.service\n", None);
        check("0::/user.slice/user-1000.slice/session-1.scope\n", Some("session-1.scope"));
        check("0::/system.slice/a b.service\n", None);
        check("0::/system.slice/-x.service\n", None);
    }

    #[test]
    fn what_only_looks_like_the_group_of_a_service_is_none() {
        let units = systemd_says(&[("kafka.service", "/system.slice/kafka.service")]);
        let its = Some("kafka.service".to_owned());
        assert_eq!(units.of_group("/system.slice/kafka.service"), its);
        assert_eq!(units.of_group("/lxc/guest/system.slice/kafka.service"), None);
        assert_eq!(units.of_group("/system.slice/docker-1.scope/kafka.service"), None);
        // Where systemd does not run nothing is one.
        assert_eq!(
            Units { is_systemd: false, ..units }.of_group("/system.slice/kafka.service"),
            None
        );
    }

    /// What systemd would say of units, and of no other.
    fn systemd_says(groups: &[(&str, &str)]) -> Units {
        let groups = groups.iter().map(|(unit, path)| ((*unit).into(), Some((*path).into())));
        Units { is_systemd: true, groups: RefCell::new(groups.collect()) }
    }

    #[test]
    fn a_slice_is_a_unit_and_no_service() {
        let units = systemd_says(&[("system.slice", "/system.slice")]);
        assert_eq!(units.any_of_group("/system.slice").as_deref(), Some("system.slice"));
        assert_eq!(units.of_group("/system.slice"), None);
        assert_eq!(units.any_of_group("/lxc/guest/system.slice"), None);
    }

    /// Of a process in a group of this name; `own` shares our namespaces.
    fn is_of(group: &str, shares: bool, unit: &str) -> bool {
        let proc = tempfile::tempdir().unwrap();
        for (whose, id) in [("self", 1), ("7", if shares { 1 } else { 2 })] {
            let ns = proc.path().join(whose).join("ns");
            fs::create_dir_all(&ns).unwrap();
            for kind in ["cgroup", "pid", "user"] {
                std::os::unix::fs::symlink(format!("{kind}:[{id}]"), ns.join(kind)).unwrap();
            }
        }
        fs::write(proc.path().join("7/cgroup"), format!("0::{group}\n")).unwrap();
        let roots = Roots { proc: proc.path().into(), sys: "/sys".into() };
        // It cannot be asked.
        let units = Units { is_systemd: true, groups: RefCell::default() };
        units.groups.borrow_mut().insert(unit.to_owned(), None);
        units.is_of(&roots, 7, unit)
    }

    #[test]
    fn where_systemd_cannot_be_asked_a_service_is_where_it_puts_services() {
        assert!(is_of("/system.slice/kafka.service", true, "kafka.service"));
        assert!(!is_of("/system.slice/kafka.service", false, "kafka.service"));
        assert!(!is_of("/lxc/guest/system.slice/kafka.service", true, "kafka.service"));
        let instance = "/system.slice/system-a\\x2db.slice/a-b@1.service";
        assert!(is_of(instance, true, "a-b@1.service"));
        assert!(!is_of(instance, true, "a-b@2.service"));
    }

    #[test]
    fn a_list_of_variables_is_read_as_systemd_writes_it() {
        let check = |list: &str, expected: Option<&[&str]>| {
            let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(words(list), expected, "{list}");
        };
        check("", Some(&[]));
        check("A=b C=", Some(&["A=b", "C="]));
        check("\"A=b c\" D=e", Some(&["A=b c", "D=e"]));
        check("\"A=\\\"b\\\\\"", Some(&["A=\"b\\"]));
        check("\"A=b", None);
        check("A=\\", None);
        check("$'A=b\\nc'", None);
    }
}
