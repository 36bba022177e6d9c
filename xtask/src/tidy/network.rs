//! Nothing leaves the host unless it is asked to: one crate alone opens network sockets.
use super::{ask_of_all, blank, complain_of_lines, files::is_of_tests};
use crate::tree::{SourceFile, files, rust_files};

/// The crate that may.
const MAY: &str = "serve";

/// What opens a socket to a network, in the standard library and in crates that are known for it.
const SOCKETS: [&str; 10] = [
    "TcpListener",
    "TcpStream",
    "UdpSocket",
    "ToSocketAddrs",
    "AddressFamily::INET",
    "AF_INET",
    "socket2::",
    "tokio::",
    "hyper::",
    "ureq::",
];

/// Crates that do so: only one of ours may depend on them.
const CRATES: [&str; 15] = [
    "async-std",
    "axum",
    "curl",
    "hyper",
    "hyper-util",
    "isahc",
    "mio",
    "native-tls",
    "reqwest",
    "rustls",
    "socket2",
    "tiny_http",
    "tokio",
    "tokio-rustls",
    "ureq",
];

/// Complains of code that opens a network socket.
fn sockets(path: &str, crate_name: &str, text: &str) -> Vec<String> {
    let complaint = format!("only the crate `{MAY}` opens network sockets");
    complain_of_lines(path, &blank::product_code(text), &complaint, |line| {
        crate_name != MAY && SOCKETS.iter().any(|it| line.contains(it))
    })
}

/// Complains of a dependency that opens network sockets, in a crate that may not. For tests alone it
/// may be there.
fn dependencies(path: &str, crate_name: &str, manifest: &str) -> Vec<String> {
    let mut section = String::new();
    let mut complaints = Vec::new();
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if crate_name != MAY && section.ends_with("dependencies") && CRATES.contains(&name) {
            let is_for_tests = section.ends_with("dev-dependencies");
            complaints.extend(
                (!is_for_tests).then(|| format!("{path}: only `{MAY}` may depend on `{name}`")),
            );
        }
    }
    complaints
}

mod tests {
    use super::*;

    #[test]
    fn one_crate_alone_opens_network_sockets() {
        let all = rust_files();
        let is_of_tests = is_of_tests(&all);
        let product: Vec<SourceFile> =
            all.into_iter().filter(|it| !is_of_tests(&it.path)).collect();
        ask_of_all(&product, |file| sockets(&file.path, file.crate_name(), &file.text));
    }

    #[test]
    fn one_crate_alone_depends_on_what_opens_them() {
        let all = files().into_iter().filter(|it| it.path.ends_with("/Cargo.toml"));
        let ours: Vec<SourceFile> = all.filter(|it| it.path.starts_with("crates/")).collect();
        ask_of_all(&ours, |file| dependencies(&file.path, file.crate_name(), &file.text));
    }

    #[test]
    fn a_socket_is_found_and_an_address_is_none() {
        let check = |of: &str, text: &str| sockets("a.rs", of, text).len();
        assert_eq!(check("recorder", "use std::net::{IpAddr, TcpStream};"), 1);
        assert_eq!(check("recorder", "let s = std::net::UdpSocket::bind(a);"), 1);
        assert_eq!(check("serve", "use std::net::TcpListener;"), 0);
        assert_eq!(check("recorder", "use std::net::IpAddr;\n// a TcpStream"), 0);
        assert_eq!(check("whypause", "#[cfg(test)]\nmod tests { use std::net::TcpStream; }"), 0);
    }

    #[test]
    fn a_dependency_is_found_in_every_form() {
        let check = |of: &str, text: &str| dependencies("Cargo.toml", of, text).len();
        assert_eq!(check("report", "[dependencies]\nhyper.workspace = true"), 1);
        assert_eq!(check("report", "[target.'cfg(unix)'.dependencies]\ntokio = \"1\""), 1);
        assert_eq!(check("serve", "[dependencies]\nhyper.workspace = true"), 0);
        assert_eq!(check("report", "[dev-dependencies]\nureq = \"3\""), 0);
        assert_eq!(check("report", "[features]\nhyper = []"), 0);
    }
}
