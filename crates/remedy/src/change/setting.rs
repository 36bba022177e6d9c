//! A setting of the kernel: one value in one file below `/sys` or `/proc/sys`.
use super::{ChangeError, Host, Kind, Value};
use crate::{Action, held::Held};
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// A value in a file of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The file, below `/sys` or `/proc/sys`.
    pub file: String,
    /// What to write.
    pub to: String,
}

impl Setting {
    /// The file, if it is one of the kernel's settings.
    fn checked(&self) -> Result<&str, ChangeError> {
        let inside = self.file.starts_with("/sys/") || self.file.starts_with("/proc/sys/");
        if inside && !self.file.split('/').any(|it| it == "..") {
            return Ok(&self.file);
        }
        Err(ChangeError::Refused(format!("`{}` is no setting of the kernel", self.file)))
    }
}

impl Kind for Setting {
    fn subject(&self) -> String {
        self.file.clone()
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let file = self.checked()?;
        let text = Held::open(Path::new(file)).and_then(|it| it.text());
        let text = text.map_err(|error| match error.kind() {
            // A control group ends with what ran in it.
            io::ErrorKind::NotFound if file.starts_with("/sys/fs/cgroup/") => {
                ChangeError::Gone(file.to_owned())
            }
            _ => ChangeError::file(file)(error),
        })?;
        Ok(Some(recorder::chosen(&text).unwrap_or(text.trim()).to_owned()))
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let file = self.checked()?;
        let value = value.as_deref().unwrap_or_default();
        let done = Held::open(Path::new(file)).and_then(|it| it.write(value));
        done.map_err(ChangeError::file(file))
    }

    fn by_hand(&self, value: &Value) -> Action {
        Action::write(value.clone().unwrap_or_default(), &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_kernel_are_written() {
        let check = |file: &str, fine: bool| {
            let setting = Setting { file: file.into(), to: "1".into() };
            assert_eq!(setting.checked().is_ok(), fine, "{file}");
        };
        check("/proc/sys/vm/swappiness", true);
        check("/sys/kernel/mm/transparent_hugepage/defrag", true);
        check("/sys/../etc/passwd", false);
        check("/proc/self/mem", false);
        check("/etc/passwd", false);
        check("sys/x", false);
    }
}
