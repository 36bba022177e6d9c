//! Phrases that several causes share.
use crate::Place;
use std::time::Duration;

/// A duration for people, with three digits and a unit: `3.36 s`, `128 ms`, `4.2 ms`, `412 µs`.
#[must_use]
pub fn duration(time: Duration) -> String {
    let ns = time.as_nanos();
    let (unit_ns, unit) = match ns {
        0..=999 => return format!("{ns} ns"),
        1_000..=999_999 => (1_000, "µs"),
        1_000_000..=999_999_999 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let (whole, hundredths) = (ns / unit_ns, ns % unit_ns * 100 / unit_ns);
    match whole {
        100.. => format!("{whole} {unit}"),
        10.. => format!("{whole}.{} {unit}", hundredths / 10),
        _ => format!("{whole}.{hundredths:02} {unit}"),
    }
}

/// Bytes for people: `412 MB`, `3.2 GB`, in powers of ten as disks are sold.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B"),
        1_000..=999_999 => format!("{} kB", bytes / 1_000),
        1_000_000..=999_999_999 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 100_000_000),
    }
}

/// `1 stop`, `7 stops`.
pub(crate) fn stops(count: u64) -> String {
    if count == 1 { "1 stop".into() } else { format!("{count} stops") }
}

/// `The VM thread`, `Thread "http-1"`.
pub(crate) fn the_thread(name: &str) -> String {
    match name {
        "VM Thread" => "The VM thread".into(),
        "" => "A thread".into(),
        _ => format!("Thread `{name}`"),
    }
}

/// `/var/log/gc.log (ext4 on sdb1)`, or `a file that could not be named`.
pub(crate) fn file(place: &Place) -> String {
    match (place.path.as_str(), place.file_system.as_str(), place.device.as_str()) {
        ("", _, _) => "a file that could not be named".into(),
        (path, "", _) => path.into(),
        (path, fs, "") => format!("{path} ({fs})"),
        (path, fs, device) => format!("{path} ({fs} on {device})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_change_unit_at_the_thousand() {
        let text = |ns| duration(Duration::from_nanos(ns));
        assert_eq!(text(999), "999 ns");
        assert_eq!(text(1_000), "1.00 µs");
        assert_eq!(text(999_999), "999 µs");
        assert_eq!(text(1_000_000), "1.00 ms");
        assert_eq!(text(12_345_678), "12.3 ms");
        assert_eq!(text(999_999_999), "999 ms");
        assert_eq!(text(3_360_000_000), "3.36 s");
    }

    #[test]
    fn bytes_change_unit_at_the_thousand() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_000), "1 kB");
        assert_eq!(bytes(999_999_999), "999 MB");
        assert_eq!(bytes(3_250_000_000), "3.2 GB");
    }
}
