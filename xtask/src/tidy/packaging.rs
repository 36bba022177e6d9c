//! The service and the DaemonSet ask for the same rights, and no page names others.
use crate::tree::read;
use std::collections::BTreeSet;

const UNIT: &str = "packaging/systemd/whypause-watch@.service";
const DAEMON_SET: &str = "packaging/kubernetes/daemonset.yaml";

/// The capabilities of a setting of the unit, without `CAP_`.
fn of_unit(unit: &str, setting: &str) -> BTreeSet<String> {
    let value = unit.lines().find_map(|it| it.strip_prefix(setting)?.strip_prefix('='));
    let words = value.unwrap_or_default().split_ascii_whitespace();
    words.filter_map(|it| it.strip_prefix("CAP_")).map(str::to_owned).collect()
}

/// The list after `add:` or `drop:`, in brackets and quotes.
fn of_daemon_set(text: &str, key: &str) -> BTreeSet<String> {
    let list = text.lines().find_map(|it| it.trim().strip_prefix(key)?.strip_prefix(": ["));
    let words = list.unwrap_or_default().trim_end_matches(']').split(", ");
    words.map(|it| it.trim_matches('"').to_owned()).collect()
}

mod tests {
    use super::*;

    #[test]
    fn service_and_daemon_set_have_the_same_rights() {
        let unit = read(UNIT);
        let rights = of_unit(&unit, "CapabilityBoundingSet");
        assert!(rights.contains("BPF"), "{rights:?}");
        assert_eq!(of_unit(&unit, "AmbientCapabilities"), rights);
        let daemon_set = read(DAEMON_SET);
        assert_eq!(of_daemon_set(&daemon_set, "add"), rights);
        assert_eq!(of_daemon_set(&daemon_set, "drop"), BTreeSet::from(["ALL".to_owned()]));
    }

    #[test]
    fn the_pages_name_each_right() {
        let rights = of_unit(&read(UNIT), "CapabilityBoundingSet");
        for (page, prefix) in [("docs/start/debian.md", "CAP_"), ("docs/start/kubernetes.md", "")] {
            let text = read(page);
            for right in &rights {
                assert!(text.contains(&format!("`{prefix}{right}`")), "{page}: `{prefix}{right}`");
            }
        }
    }

    #[test]
    fn no_comment_passes_for_a_setting() {
        assert_eq!(of_unit("# A=CAP_X\nA=CAP_Y CAP_Z\n", "A"), ["Y", "Z"].map(Into::into).into());
        assert_eq!(of_unit("", "A"), BTreeSet::new());
        assert_eq!(
            of_daemon_set("  add: [\"A\", \"B\"]\n", "add"),
            ["A", "B"].map(Into::into).into()
        );
    }
}
