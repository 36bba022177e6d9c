//! Units of systemd: their files, whether they run, and what they may use.
use super::{ChangeError, Host, Kind, Value, run};
use crate::{Action, Command, held::Named};
use rustix::fs::Mode;
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// Where an administrator's units are.
pub(crate) const DIRECTORY: &str = "/etc/systemd/system";

/// Whether systemd runs this host (`sd_booted(3)`).
pub(crate) fn is_systemd_here() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// A file of a unit: all of it, or a part that is added to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitFile {
    /// Below `/etc/systemd/system`: `tmp-x.mount`, or `kafka.service.d/whypause.conf`.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl UnitFile {
    fn path(&self) -> Result<String, ChangeError> {
        let parts: Vec<&str> = self.name.split('/').collect();
        let plain = |it: &&str| !it.is_empty() && !it.starts_with('.') && !it.contains('\0');
        match parts.len() <= 2 && parts.iter().all(plain) {
            true => Ok(format!("{DIRECTORY}/{}", self.name)),
            false => Err(ChangeError::Refused(format!("`{}` is no name of a unit", self.name))),
        }
    }
}

impl Kind for UnitFile {
    fn subject(&self) -> String {
        format!("{DIRECTORY}/{}", self.name)
    }

    fn wanted(&self) -> Value {
        Some(self.text.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let path = self.path()?;
        match Named::open(Path::new(&path)).and_then(|it| it.held()?.text()) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ChangeError::File { path, source }),
        }
    }

    /// Written aside and renamed, so that systemd never reads half of it.
    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let path = self.path()?;
        let directory = Path::new(&path).parent().filter(|it| *it != Path::new(DIRECTORY));
        let done = match value {
            Some(text) => directory
                .map_or(Ok(()), made)
                .and_then(|()| Named::open(Path::new(&path))?.replace(text)),
            None => Named::open(Path::new(&path)).and_then(|it| it.remove()).inspect(|()| {
                // Not where others have a part of that unit, too.
                let _ = directory.map(|it| Named::open(it)?.remove_directory());
            }),
        };
        done.map_err(ChangeError::file(&path))?;
        if is_systemd_here() {
            run(&["systemctl", "daemon-reload"])?;
        }
        Ok(())
    }

    fn by_hand(&self, value: &Value) -> Action {
        let path = format!("{DIRECTORY}/{}", self.name);
        match value {
            Some(text) => Action::file(text, path),
            None => Action::run([
                Command::new("rm").path(&path),
                Command::new("systemctl").arg("daemon-reload"),
            ]),
        }
    }

    fn survives_a_boot(&self) -> bool {
        true
    }
}

/// Makes the directory of a unit's parts, if it is not there.
fn made(directory: &Path) -> io::Result<()> {
    let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
    match Named::open(directory)?.make_directory(mode) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// It runs, and does not start at boot.
const ACTIVE: &str = "active";

/// That a unit is enabled, and runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitState {
    /// Its name.
    pub unit: String,
    /// Whether it is also started at once.
    pub start: bool,
}

impl Kind for UnitState {
    fn subject(&self) -> String {
        format!("whether {} starts at boot", self.unit)
    }

    fn wanted(&self) -> Value {
        Some("enabled".into())
    }

    /// What systemd says of it; nothing where it is neither enabled nor runs.
    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        for verb in ["is-enabled", "is-active"] {
            // Its exit code says whether it is.
            match run(&["systemctl", verb, "--", &self.unit]) {
                Ok(said) => return Ok(Some(said.trim().to_owned())),
                Err(ChangeError::Said { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// A boot may have started it since, so it is also stopped where it did not run before.
    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        if value.as_deref().is_some_and(|it| it != ACTIVE) {
            let mut argv = vec!["systemctl", "enable"];
            argv.extend(self.start.then_some("--now"));
            argv.extend(["--", &self.unit]);
            return run(&argv).map(|_| ());
        }
        run(&["systemctl", "disable", "--", &self.unit])?;
        if value.is_none() {
            let stopped = run(&["systemctl", "stop", "--", &self.unit]);
            stopped.map_err(|_| {
                let why = "it is disabled, but could not be stopped: it may be in use; \
                           undo again when nothing uses it, or after a reboot";
                ChangeError::Refused(why.into())
            })?;
        }
        Ok(())
    }

    /// It was disabled, and could not be stopped.
    fn also_ours(&self) -> Vec<Value> {
        vec![Some(ACTIVE.into())]
    }

    fn by_hand(&self, value: &Value) -> Action {
        let enabled = value.as_deref().is_some_and(|it| it != ACTIVE);
        let verb = if enabled { "enable" } else { "disable" };
        let now = (self.start && enabled || value.is_none()).then_some("--now");
        Action::run([Command::new("systemctl").arg(verb).args(now).arg("--").arg(&self.unit)])
    }

    fn survives_a_boot(&self) -> bool {
        true
    }
}

/// A property of a unit that systemd can change while it runs (`systemd.resource-control(5)`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitProperty {
    /// The unit.
    pub unit: String,
    /// The property: `IOWriteBandwidthMax`.
    pub property: String,
    /// Its value: `/dev/sdb 10485760`.
    pub to: String,
}

impl UnitProperty {
    fn assignment(&self, value: &Value) -> String {
        format!("{}={}", self.property, value.as_deref().unwrap_or_default())
    }
}

impl Kind for UnitProperty {
    fn subject(&self) -> String {
        format!("{} of {}", self.property, self.unit)
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let said = run(&["systemctl", "show", "-p", &self.property, "--value", "--", &self.unit])?;
        Ok(Some(said.trim().to_owned()).filter(|it| !it.is_empty()))
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let assignment = self.assignment(value);
        run(&["systemctl", "set-property", "--runtime", "--", &self.unit, &assignment]).map(|_| ())
    }

    fn by_hand(&self, value: &Value) -> Action {
        let command = Command::new("systemctl").args(["set-property", "--runtime", "--"]);
        Action::run([command.arg(&self.unit).arg(self.assignment(value))])
    }

    /// systemd writes a path as it likes it.
    fn reads_as_set(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_units_file_is_in_systemds_directory() {
        let path = |name: &str| UnitFile { name: name.into(), text: String::new() }.path().ok();
        assert_eq!(path("a.mount").as_deref(), Some("/etc/systemd/system/a.mount"));
        assert!(path("kafka.service.d/whypause.conf").is_some());
        for name in ["../x", "a/../x", "", "a//b", "a/b/c", ".hidden"] {
            assert_eq!(path(name), None, "{name}");
        }
    }

    #[test]
    fn a_property_is_taken_back_with_the_value_that_it_had() {
        let property = UnitProperty {
            unit: "backup.service".into(),
            property: "IOWriteBandwidthMax".into(),
            to: "/dev/sdb 10485760".into(),
        };
        assert_eq!(
            property.by_hand(&None).to_string(),
            "systemctl set-property --runtime -- backup.service IOWriteBandwidthMax="
        );
    }
}
