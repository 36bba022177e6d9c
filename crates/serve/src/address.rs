//! Where to listen, as people type it.
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
};

/// An address and a port to listen on.
///
/// A port alone is one of the loopback interface: to be reached from other hosts takes an address that
/// was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(SocketAddr);

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no address to listen on: give a port such as 9464, or address:port such as 0.0.0.0:9464"
)]
pub struct AddressError(String);

impl Address {
    /// The socket's address.
    #[must_use]
    pub fn socket(self) -> SocketAddr {
        self.0
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// Reads `9464`, `localhost:9464`, `10.0.0.7:9464` and `[::1]:9464`; no other name, which could
    /// mean another address tomorrow.
    fn from_str(text: &str) -> Result<Address, AddressError> {
        let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let port = |text: &str| {
            let digits = text.bytes().all(|it| it.is_ascii_digit());
            text.parse::<u16>().ok().filter(|_| digits)
        };
        let of_localhost = text.strip_prefix("localhost:").unwrap_or(text);
        let address = port(of_localhost).map(loopback).or_else(|| text.parse().ok());
        address.map(Address).ok_or_else(|| AddressError(text.chars().take(80).collect()))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let read = text.parse::<Address>().map_or_else(|_| "none".into(), |it| it.to_string());
        assert_eq!(read, wanted, "{text}");
    }

    #[test]
    fn a_port_alone_is_on_loopback() {
        check("9464", "127.0.0.1:9464");
        check("localhost:9464", "127.0.0.1:9464");
        check("0", "127.0.0.1:0");
    }

    #[test]
    fn an_address_is_as_it_was_typed() {
        check("0.0.0.0:9464", "0.0.0.0:9464");
        check("[::1]:9464", "[::1]:9464");
    }

    #[test]
    fn nothing_else_is_guessed() {
        for text in ["", ":9464", "host:9464", "65536", "-1", "+1", "127.0.0.1", "1.2.3.4:", "::1"]
        {
            check(text, "none");
        }
    }
}
