//! The other end of a socket: of one on this host the kernel tells its number (`sock_diag`), of a
//! TCP connection its address; where that is on this host, too, so is the number.
//!
//! Both only speak of sockets of one network namespace. A JVM in another one than this process has
//! a socket whose other end stays unknown.
use super::End;
use crate::host::{outputs::search::Target, process::ProcessDir};
use recording::OutputKind;
use rustix::{
    io::Errno,
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink},
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes read of a table of connections.
const TABLE_BYTES: u64 = 4 * 1024 * 1024;

/// The socket with this inode.
pub(super) fn end_of(dir: &ProcessDir, inode: u64) -> Option<End> {
    tcp(dir, inode).or_else(|| Some(unix(dir, inode)))
}

fn unix(dir: &ProcessDir, inode: u64) -> End {
    let own = std::fs::read_link("/proc/self/ns/net").unwrap_or_default();
    let peer = match dir.link("ns/net") {
        Ok(theirs) if own.to_string_lossy() == theirs => unix_peer(inode),
        _ => Err("the JVM is in a network namespace of its own".to_owned()),
    };
    let (target, hidden) = match peer {
        Ok(peer) => {
            (Target::Link { link: format!("socket:[{peer}]"), reads: false }, String::new())
        }
        Err(why) => (Target::None, why),
    };
    let name = format!("socket:[{inode}]");
    End { kind: OutputKind::UnixSocket, name, number: inode, target, hidden }
}

/// `SOCK_DIAG_BY_FAMILY` of `include/uapi/linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST` of `include/uapi/linux/netlink.h`.
const REQUEST: u16 = 1;
/// `UDIAG_SHOW_PEER` and `UNIX_DIAG_PEER` of `include/uapi/linux/unix_diag.h`.
const SHOW_PEER: u32 = 4;
const PEER: u16 = 2;
const AF_UNIX: u8 = 1;
/// Bytes of `nlmsghdr` and of `unix_diag_msg`.
const HEADER: usize = 16;
const MESSAGE: usize = 16;

/// Asks the kernel for the inode of the socket that the one with this inode is connected to.
fn unix_peer(inode: u64) -> Result<u32, String> {
    let inode = u32::try_from(inode).map_err(|_| "its number is too large".to_owned())?;
    let answer = query(&request(inode)).map_err(|error| {
        let error = std::io::Error::from(error);
        format!("the kernel does not report the other end of a socket: {error}")
    })?;
    peer(&answer).ok_or_else(|| "the socket is not connected".to_owned())
}

/// `nlmsghdr` and `unix_diag_req`.
fn request(inode: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40);
    bytes.extend(40_u32.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([AF_UNIX, 0, 0, 0]);
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(inode.to_ne_bytes());
    bytes.extend(SHOW_PEER.to_ne_bytes());
    // Any cookie.
    bytes.extend([0xff; 8]);
    bytes
}

fn query(request: &[u8]) -> Result<Vec<u8>, Errno> {
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        flags,
        Some(netlink::SOCK_DIAG),
    )?;
    rustix::net::send(&socket, request, SendFlags::empty())?;
    let mut answer = vec![0; 4096];
    // The answer is there when the request returns: the kernel works on it in the sender's call.
    let (read, _) = rustix::net::recv(&socket, &mut answer[..], RecvFlags::DONTWAIT)?;
    answer.truncate(read);
    Ok(answer)
}

/// The attribute with the peer in an answer; `None` in an error and where there is no peer.
fn peer(answer: &[u8]) -> Option<u32> {
    let half = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    if half(4)? != BY_FAMILY {
        return None;
    }
    let mut at = HEADER + MESSAGE;
    loop {
        let (length, kind) = (usize::from(half(at)?), half(at + 2)?);
        if kind == PEER {
            return Some(u32::from_ne_bytes(answer.get(at + 4..at + 8)?.try_into().ok()?));
        }
        // An attribute has at least its head; all begin at multiples of four.
        at += length.max(4).next_multiple_of(4);
    }
}

fn tcp(dir: &ProcessDir, inode: u64) -> Option<End> {
    ["net/tcp", "net/tcp6"].into_iter().find_map(|table| {
        let table = dir.text(table, TABLE_BYTES).ok()?;
        let own = table.lines().filter_map(Connection::parse).find(|it| it.inode == inode)?;
        let mut all = table.lines().filter_map(Connection::parse);
        let peer = all.find(|it| it.local == own.remote && it.remote == own.local);
        let name = address(own.remote).unwrap_or_else(|| own.remote.into());
        let (target, hidden) = match peer {
            Some(peer) => {
                let link = format!("socket:[{}]", peer.inode);
                (Target::Link { link, reads: false }, String::new())
            }
            None => (Target::None, "the other end is not on this host".into()),
        };
        Some(End { kind: OutputKind::TcpSocket, name, number: inode, target, hidden })
    })
}

/// A line of `/proc/net/tcp` (`get_tcp4_sock` of `net/ipv4/tcp_ipv4.c`).
struct Connection<'a> {
    local: &'a str,
    remote: &'a str,
    inode: u64,
}

impl Connection<'_> {
    fn parse(line: &str) -> Option<Connection<'_>> {
        let mut fields = line.split_ascii_whitespace();
        let (local, remote) = (fields.nth(1)?, fields.next()?);
        let inode = fields.nth(6)?.parse().ok()?;
        Some(Connection { local, remote, inode })
    }
}

/// `0100007F:0202` as `127.0.0.1:514`: words in the host's byte order, the port as a number.
fn address(text: &str) -> Option<String> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |nth: usize| u32::from_str_radix(ip.get(8 * nth..8 * nth + 8)?, 16).ok();
    let ip = match ip.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?.to_ne_bytes())),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let mut bytes = [0; 16];
            for (part, word) in bytes.chunks_exact_mut(4).zip(words) {
                part.copy_from_slice(&word.to_ne_bytes());
            }
            IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(std::net::SocketAddr::new(ip, port).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::{fs::MetadataExt, net::UnixStream};

    /// The inode behind a descriptor of this process.
    fn inode(socket: &UnixStream) -> u64 {
        use std::os::fd::AsRawFd;
        std::fs::metadata(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap().ino()
    }

    #[test]
    fn the_kernel_tells_the_other_end_of_a_socket_of_this_host() {
        let (a, b) = UnixStream::pair().unwrap();
        match unix_peer(inode(&a)) {
            Ok(peer) => assert_eq!(u64::from(peer), inode(&b)),
            // A kernel without `unix_diag`, or a sandbox.
            Err(why) => println!("SKIPPED: {why}"),
        }
    }

    #[test]
    fn an_answer_cut_anywhere_has_no_peer_and_is_read_to_its_end_only() {
        let mut answer = vec![0; HEADER + MESSAGE];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        for (kind, value) in [(7_u16, 1_u32), (PEER, 4711)] {
            answer.extend(8_u16.to_ne_bytes());
            answer.extend(kind.to_ne_bytes());
            answer.extend(value.to_ne_bytes());
        }
        assert_eq!(peer(&answer), Some(4711));
        for cut in 0..answer.len() {
            assert_eq!(peer(&answer[..cut]), None, "{cut}");
        }
        // Attributes of length 0 do not hold it up.
        assert_eq!(peer(&[&answer[..HEADER + MESSAGE], &[0; 64]].concat()), None);
    }

    #[test]
    fn connections_are_read_as_the_kernel_writes_them() {
        let line = "   0: 0100007F:9C40 0700000A:0202 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0";
        let it = Connection::parse(line).unwrap();
        assert_eq!((it.local, it.inode), ("0100007F:9C40", 4711));
        assert!(Connection::parse("  sl  local_address rem_address   st").is_none());
        if cfg!(target_endian = "little") {
            assert_eq!(address(it.remote).as_deref(), Some("10.0.0.7:514"));
            let six = "0000000000000000FFFF00000100007F:0050";
            assert_eq!(address(six).as_deref(), Some("127.0.0.1:80"));
        }
        assert_eq!(address("zz:1"), None);
    }
}
