//! Pod, container and unit of a control group, as container runtimes and systemd name them.

/// Characters of a container's id that are shown, as `docker ps` and `crictl ps` do.
const SHORT_ID: usize = 12;

/// `pod 0f3c…, container 3f2a91bc04d1`, `unit backup.service`, or `in /batch`: where a process runs, as the
/// path of its control group tells. `None` for the root of the hierarchy.
///
/// Names by kubelet (`pkg/kubelet/cm/cgroup_manager_linux.go`), containerd, CRI-O, Docker and Podman
/// (`<runtime>-<id>.scope`), and systemd (`systemd.unit(5)`).
pub(crate) fn place(cgroup: &str) -> Option<String> {
    let path = cgroup.trim_end_matches('/');
    container_or_unit(path).or_else(|| (!path.is_empty()).then(|| format!("in {path}")))
}

/// The same, but for a group that is neither a container's nor a unit's.
#[must_use]
pub fn container_or_unit(cgroup: &str) -> Option<String> {
    let parts = || cgroup.trim_end_matches('/').rsplit('/');
    let pod = parts().find_map(pod);
    let container = parts().find_map(container).map(|id| {
        let end = id.len().min(SHORT_ID);
        format!("container {}", &id[..end])
    });
    match (pod, container) {
        (Some(pod), Some(container)) => Some(format!("pod {pod}, {container}")),
        (Some(pod), None) => Some(format!("pod {pod}")),
        (None, Some(container)) => Some(container),
        (None, None) => parts().find(|it| it.ends_with(".service")).map(|it| format!("unit {it}")),
    }
}

/// Id of the container, as `docker ps` and `crictl ps` show it, and uid of the pod that a control group belongs to.
#[must_use]
pub fn container_and_pod(cgroup: &str) -> (Option<String>, Option<String>) {
    let mut parts = cgroup.trim_end_matches('/').rsplit('/');
    let found = parts.clone().find_map(container);
    (found.map(|it| it[..it.len().min(SHORT_ID)].to_owned()), parts.find_map(pod))
}

/// The uid of a pod: `pod<uid>`, or with systemd `kubepods-burstable-pod<uid with underscores>.slice`.
fn pod(part: &str) -> Option<String> {
    let name = part.strip_suffix(".slice").unwrap_or(part);
    let uid = name.rsplit('-').find_map(|it| it.strip_prefix("pod")).filter(|_| name != part);
    let uid = uid.or_else(|| name.strip_prefix("pod"))?;
    let is_uid =
        uid.len() >= 32 && uid.chars().all(|it| it.is_ascii_hexdigit() || "-_".contains(it));
    is_uid.then(|| uid.replace('_', "-"))
}

/// The id of a container: 64 digits in hexadecimal, with or without the runtime's name around it.
fn container(part: &str) -> Option<&str> {
    let name = part.strip_suffix(".scope").unwrap_or(part);
    let id = name.rsplit('-').next().unwrap_or_default();
    (id.len() == 64 && id.chars().all(|it| it.is_ascii_hexdigit())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::place;

    const ID: &str = "3f2a91bc04d1e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e";
    const UID: &str = "0f3c5d6e-1b2a-4c3d-8e9f-a0b1c2d3e4f5";

    #[track_caller]
    fn check(cgroup: &str, expected: &str) {
        assert_eq!(place(cgroup).unwrap_or_default(), expected, "{cgroup}");
    }

    #[test]
    fn pod_is_shown_by_uid_and_container() {
        let expected = format!("pod {UID}, container 3f2a91bc04d1");
        let slice = UID.replace('-', "_");
        check(
            &format!(
                "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{slice}.slice/cri-containerd-{ID}.scope"
            ),
            &expected,
        );
        check(&format!("/kubepods/besteffort/pod{UID}/{ID}"), &expected);
        check(&format!("/kubepods.slice/kubepods-pod{slice}.slice/crio-{ID}.scope"), &expected);
        check(&format!("/kubepods/pod{UID}"), &format!("pod {UID}"));
    }

    #[test]
    fn container_is_shown_by_its_short_id() {
        check(&format!("/docker/{ID}"), "container 3f2a91bc04d1");
        check(&format!("/system.slice/docker-{ID}.scope"), "container 3f2a91bc04d1");
        check(&format!("/machine.slice/libpod-{ID}.scope/container"), "container 3f2a91bc04d1");
    }

    #[test]
    fn service_is_shown_by_its_unit() {
        check("/system.slice/backup.service", "unit backup.service");
        check("/system.slice/app.service/worker", "unit app.service");
        let user = "/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.service";
        check(user, "unit app-x.service");
    }

    #[test]
    fn any_other_group_is_shown_by_its_path_and_the_root_is_not() {
        check("/batch", "in /batch");
        check(
            "/user.slice/user-0.slice/session-3.scope",
            "in /user.slice/user-0.slice/session-3.scope",
        );
        check("/podcasts/x", "in /podcasts/x");
        check("/", "");
        check("", "");
    }
}
