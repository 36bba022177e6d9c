//! What a control group may do to a device: one line of `io.max`, `io.latency` or
//! `blkio.throttle.write_bps_device`, which have one for each device.
use super::{ChangeError, Host, Kind, Value};
use crate::{Action, held::Held};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A limit of a control group on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimit {
    /// The file of the control group.
    pub file: String,
    /// The device, as `MAJOR:MINOR`.
    pub device: String,
    /// What to write behind the device: `wbps=1048576`, or `1048576` in version 1.
    pub to: String,
}

impl DeviceLimit {
    /// What lifts the limit (`Documentation/admin-guide/cgroup-v2.rst`,
    /// `cgroup-v1/blkio-controller.rst`).
    fn none(&self) -> &'static str {
        match self.file.rsplit('/').next() {
            Some("io.max") => "rbps=max wbps=max riops=max wiops=max",
            Some("io.latency") => "target=0",
            _ => "0",
        }
    }
}

impl Kind for DeviceLimit {
    fn subject(&self) -> String {
        format!("{} for {}", self.file, self.device)
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        match Held::open(Path::new(&self.file)).and_then(|it| it.text()) {
            Ok(text) => Ok(line_of(&text, &self.device)),
            // The group is gone, and its limits with it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(ChangeError::Gone("the control group".into()))
            }
            Err(source) => Err(ChangeError::File { path: self.file.clone(), source }),
        }
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let line = format!("{} {}", self.device, value.as_deref().unwrap_or(self.none()));
        let done = Held::open(Path::new(&self.file)).and_then(|it| it.write(&line));
        done.map_err(ChangeError::file(&self.file))
    }

    fn by_hand(&self, value: &Value) -> Action {
        let line = format!("{} {}", self.device, value.as_deref().unwrap_or(self.none()));
        Action::write(line, &self.file)
    }

    /// `wbps=1048576` reads as `rbps=max wbps=1048576 riops=max wiops=max`.
    fn reads_as_set(&self) -> bool {
        false
    }
}

/// What a file says of a device.
fn line_of(text: &str, device: &str) -> Value {
    let mut lines = text.lines();
    lines.find_map(|line| Some(line.strip_prefix(device)?.strip_prefix(' ')?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_a_line() {
        let text = "8:0 rbps=max wbps=1048576 riops=max wiops=max\n8:16 wbps=1\n";
        assert_eq!(line_of(text, "8:16").as_deref(), Some("wbps=1"));
        assert_eq!(line_of(text, "8:1"), None);
        assert_eq!(line_of("", "8:0"), None);
    }

    #[test]
    fn no_limit_is_written_as_the_file_wants_it() {
        let limit = |file: &str| {
            let file = format!("/sys/fs/cgroup/x/{file}");
            DeviceLimit { file, device: "7:1".into(), to: "5".into() }.by_hand(&None).to_string()
        };
        assert!(limit("io.max").contains("7:1 rbps=max wbps=max riops=max wiops=max"));
        assert!(limit("io.latency").contains("7:1 target=0"));
        assert!(limit("blkio.throttle.write_bps_device").contains("7:1 0"));
    }
}
