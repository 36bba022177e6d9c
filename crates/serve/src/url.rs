//! Where something is sent to, as it is typed, and how much of that is shown.
use hyper::Uri;
use std::{fmt, str::FromStr};

/// `http://HOST[:PORT][/PATH]` or `https://…`.
///
/// Who knows the path of an incoming webhook may send to it, so the path and what follows it are secrets: they
/// are in no message, and neither is what was typed where it is no URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    secure: bool,
    /// With brackets where it is an address of IPv6.
    host: String,
    port: u16,
    path: String,
}

/// Why a text is no URL to send to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It is none.
    #[error("this is no URL to send to: give one such as https://hooks.example.com/PATH")]
    NoUrl,
    /// Another scheme than HTTP.
    #[error("only http:// and https:// can be sent to")]
    NotHttp,
    /// There is a user or a password before the host.
    #[error("a URL with a user or a password before the host is not sent to")]
    WithUser,
}

impl Url {
    /// One without TLS.
    pub(crate) fn plain(host: &str, port: u16, path: &str) -> Url {
        Url { secure: false, host: host.to_owned(), port, path: path.to_owned() }
    }

    /// Whether it is `https://`.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The name of the host, or its address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The host with its port, where that is not the one that goes without saying.
    pub(crate) fn authority(&self) -> String {
        if self.port == usual_port(self.secure) {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

fn usual_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Url, UrlError> {
        let uri: Uri = text.parse().map_err(|_| UrlError::NoUrl)?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(UrlError::NotHttp),
            None => return Err(UrlError::NoUrl),
        };
        let authority = uri.authority().ok_or(UrlError::NoUrl)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::WithUser);
        }
        if authority.host().is_empty() {
            return Err(UrlError::NoUrl);
        }
        Ok(Url {
            secure,
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(usual_port(secure)),
            path: uri.path_and_query().map_or("/", |it| it.as_str()).to_owned(),
        })
    }
}

/// Without what may be a secret.
impl fmt::Display for Url {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(out, "{scheme}://{}", self.authority())
    }
}

/// Likewise.
impl fmt::Debug for Url {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_without_its_path() {
        let check = |text: &str, shown: &str, path: &str| {
            let url: Url = text.parse().unwrap();
            assert_eq!((&*url.to_string(), url.path()), (shown, path));
            assert_eq!(format!("{url:?}"), shown);
        };
        check(
            "https://hooks.slack.com/services/T0/B0/x",
            "https://hooks.slack.com",
            "/services/T0/B0/x",
        );
        check("http://10.0.0.7:8080/a?key=x", "http://10.0.0.7:8080", "/a?key=x");
        check("http://[::1]:9", "http://[::1]:9", "/");
        check("https://h:443/", "https://h", "/");
    }

    #[test]
    fn what_is_none_is_refused_without_showing_it() {
        let check = |text: &str, wanted: UrlError| assert_eq!(text.parse::<Url>(), Err(wanted));
        check("hooks.slack.com/services/x", UrlError::NoUrl);
        check("", UrlError::NoUrl);
        check("https://", UrlError::NoUrl);
        check("ftp://host/x", UrlError::NotHttp);
        check("file:///etc/passwd", UrlError::NoUrl);
        check("https://user:word@host/x", UrlError::WithUser);
        check("http://a b/", UrlError::NoUrl);
        check("http://a/\r\nX: y", UrlError::NoUrl);
    }
}
