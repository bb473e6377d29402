//! The host names that this server accepts.
//!
//! With DNS rebinding, a site that points its own name at this server would count as the same origin for the browser.
//! So the host name in a request must be one that foreign DNS cannot point here.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri, header};

use super::rejection::GuardRejection;

/// A host name as in a `Host` header, without the port, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostName(String);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HostNameError {
    /// Empty, or only a dot.
    #[error("write a name, such as dice.example")]
    Empty,
    /// `https://…`
    #[error("write the name alone, such as dice.example, without the https:// before it")]
    Scheme,
    /// `dice.example/play`
    #[error("write the name alone, such as dice.example, without a path behind it")]
    Path,
    /// `dice.example:8080`
    #[error("write the name alone, such as dice.example; it is answered at every port")]
    Port,
    /// Characters that a host name cannot contain.
    #[error(
        "a name has the letters a to z, digits, hyphens and dots, such as dice.example; \
         write others as browsers send them (xn--…), and every name by itself (no *)"
    )]
    Letters,
    /// Longer than DNS allows.
    #[error("a name has at most 253 letters, and at most 63 between two dots")]
    Long,
}

impl FromStr for HostName {
    type Err = HostNameError;

    fn from_str(text: &str) -> Result<Self, HostNameError> {
        let name = normalize(text);
        let is_address = |text: &str| IpAddr::from_str(text).is_ok();
        let inner = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        if is_address(&name) || inner.is_some_and(is_address) {
            return Ok(HostName(name));
        }
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let port = name.rsplit_once(':').map(|(_, port)| port);
        if name.is_empty() {
            Err(HostNameError::Empty)
        } else if name.contains("://") {
            Err(HostNameError::Scheme)
        } else if name.contains('/') {
            Err(HostNameError::Path)
        } else if port.is_some_and(|port| port.chars().all(|digit| digit.is_ascii_digit())) {
            Err(HostNameError::Port)
        } else if !name.chars().all(fits) || name.split('.').any(str::is_empty) {
            Err(HostNameError::Letters)
        } else if name.len() > 253 || name.split('.').any(|label| label.len() > 63) {
            Err(HostNameError::Long)
        } else {
            Ok(HostName(name))
        }
    }
}

/// The host names that this server accepts, on any port.
///
/// `localhost` and IP address literals are always accepted, because they cannot be rebound by foreign DNS.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct AllowedHosts(Vec<HostName>);

impl AllowedHosts {
    /// Accepts these names in addition to `localhost` and address literals.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = HostName>) -> Self {
        AllowedHosts(names.into_iter().collect())
    }

    /// Whether this server accepts requests for `host` (without the port).
    #[must_use]
    pub fn allow(&self, host: &str) -> bool {
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        let host = normalize(host);
        host == "localhost"
            || IpAddr::from_str(literal).is_ok()
            || self.0.iter().any(|HostName(name)| *name == host)
    }

    /// The authority that a request names.
    ///
    /// # Errors
    /// [`GuardRejection::HostMissing`] and [`GuardRejection::Host`].
    pub(crate) fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Authority, GuardRejection> {
        let named = single_header(headers, &header::HOST)
            .flatten()
            .and_then(|host| Authority::from_str(host).ok())
            .filter(has_valid_port)
            .ok_or(GuardRejection::HostMissing)?;
        let requested = uri.authority().unwrap_or(&named);
        if !has_valid_port(requested) {
            Err(GuardRejection::HostMissing)
        } else if self.allow(named.host()) && self.allow(requested.host()) {
            Ok(named)
        } else {
            Err(GuardRejection::Host)
        }
    }
}

/// Whether an authority is a host name with no port or a numeric one: the `http` crate accepts any text as port.
pub(crate) fn has_valid_port(authority: &Authority) -> bool {
    let Some(rest) = authority.as_str().strip_prefix(authority.host()) else {
        return false;
    };
    let is_port = |rest: &str| {
        let port = rest.strip_prefix(':');
        port.is_some_and(|port| {
            port.chars().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok()
        })
    };
    !authority.host().is_empty() && (rest.is_empty() || is_port(rest))
}

/// Normalises a name: lower case, without the trailing dot of a fully qualified name.
pub(crate) fn normalize(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}

/// The header's only value: `Some(None)` if absent, `None` if there are several or it is not text.
pub(crate) fn single_header<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Option<Option<&'h str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(None),
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_and_address_literals_are_allowed() {
        let hosts = AllowedHosts::new(["Dice.Example.".parse().unwrap()]);
        for allowed in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "192.0.2.7",
            "[::1]",
            "dice.example",
            "DICE.example.",
        ] {
            assert!(hosts.allow(allowed), "{allowed}");
        }
        for rejected in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
        ] {
            assert!(!hosts.allow(rejected), "{rejected}");
        }
    }

    #[test]
    fn invalid_host_names_are_rejected() {
        use HostNameError as No;
        let long = "a".repeat(64);
        let longer = "abc.".repeat(64) + "example";
        for (text, error) in [
            ("", No::Empty),
            (".", No::Empty),
            ("https://dice.example", No::Scheme),
            ("HTTP://dice.example:80/", No::Scheme),
            ("dice.example/", No::Path),
            ("dice.example/play", No::Path),
            ("dice.example:8080", No::Port),
            ("[::1]:8080", No::Port),
            ("dice.example:", No::Port),
            (" dice.example", No::Letters),
            ("dice example", No::Letters),
            ("*.dice.example", No::Letters),
            ("me@dice.example", No::Letters),
            ("würfel.example", No::Letters),
            ("dice..example", No::Letters),
            (".dice.example", No::Letters),
            ("dice:example", No::Letters),
            (&long, No::Long),
            (&longer, No::Long),
        ] {
            assert_eq!(text.parse::<HostName>(), Err(error), "{text}");
        }
        for (text, name) in [
            ("Dice.Example", "dice.example"),
            ("dice.example.", "dice.example"),
            ("my_box", "my_box"),
            ("xn--wrfel-kva.example", "xn--wrfel-kva.example"),
            ("192.0.2.7", "192.0.2.7"),
            ("::1", "::1"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(text.parse(), Ok(HostName(name.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_port_is_a_number() {
        let hosts = AllowedHosts::default();
        let check = |uri: &str, host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            hosts.check(&uri.parse().unwrap(), &headers).err()
        };
        for host in ["localhost", "localhost:1", "[::1]:65535", "127.0.0.1:80"] {
            assert_eq!(check("/", host), None, "{host}");
            assert_eq!(check(&format!("http://{host}/"), host), None, "{host}");
        }
        for host in [
            "localhost:abc",
            "localhost:65536",
            "localhost:+8",
            "localhost:",
            ":80",
            "a@localhost",
        ] {
            assert_eq!(
                check("/", host),
                Some(GuardRejection::HostMissing),
                "{host}"
            );
        }
        let missing = Some(GuardRejection::HostMissing);
        assert_eq!(check("http://localhost:abc/", "localhost"), missing);
        assert_eq!(check("/", "evil.example"), Some(GuardRejection::Host));
    }
}
