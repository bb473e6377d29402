//! Whether other machines can open the links of a page: a loopback address such as `localhost` means a different
//! machine for each reader.
//!
//! The addresses of this machine are shown only to visitors on this machine. With `--public-url`, links use that URL,
//! and no addresses are shown.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::uri::Authority;

use crate::http::site_url::SiteUrl;
use crate::site::shared::cached_value::CachedValue;
use crate::templates::seats::LinkReach;

/// The server's listening address; a layer adds it to every request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerAddress(pub SocketAddr);

/// The maximum number of addresses that are shown.
const MAX_ADDRESSES: usize = 4;

/// What a request reveals about its origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::site) struct LinkOrigin {
    listen_address: Option<SocketAddr>,
    /// Whether the visitor is on this machine.
    is_local_visitor: bool,
}

impl LinkOrigin {
    /// The origin of a request that reaches this server at `url`.
    pub(in crate::site) fn from_request(parts: &Parts, url: &SiteUrl) -> LinkOrigin {
        let listening = parts
            .extensions
            .get()
            .map(|ServerAddress(address)| *address);
        // At another port a process on this machine forwards requests, for example a tunnel.
        let port = url.authority.port_u16().unwrap_or(80);
        LinkOrigin {
            listen_address: listening.filter(|_| !url.is_configured),
            is_local_visitor: url.is_direct
                && listening.is_some_and(|address| address.port() == port),
        }
    }

    /// The base URL of the links on a page that was opened at `origin`, and who can open them.
    pub(in crate::site) fn link_base(&self, origin: &str) -> (String, LinkReach) {
        match self.listen_address {
            Some(listening) if is_loopback_origin(origin) => {
                let addresses = self.is_local_visitor.then(addresses).unwrap_or_default();
                link_base_with(origin.to_owned(), listening, addresses)
            }
            _ => (origin.to_owned(), LinkReach::Internet),
        }
    }
}

/// Like [`LinkOrigin::link_base`], with the addresses of this machine that the visitor may know.
fn link_base_with(
    origin: String,
    listening: SocketAddr,
    addresses: Vec<IpAddr>,
) -> (String, LinkReach) {
    let port = listening.port();
    let is_served = |address: &IpAddr| {
        let all =
            listening.ip().is_unspecified() && (address.is_ipv4() || listening.ip().is_ipv6());
        all || *address == listening.ip()
    };
    let path = host_and_path(&origin).1;
    let url = |address: IpAddr| format!("http://{}{path}", SocketAddr::new(address, port));
    if let Some(address) = addresses.iter().find(|address| is_served(address)) {
        return (url(*address), LinkReach::LocalNetwork);
    }
    let loopback_port = if listening.ip().is_loopback() {
        Some(port)
    } else {
        None
    };
    let addresses = addresses.into_iter().take(MAX_ADDRESSES).map(url);
    let addresses = addresses.collect();
    (
        origin,
        LinkReach::ThisMachine {
            port: loopback_port,
            addresses,
        },
    )
}

/// Splits `http://localhost:8080/dice` into `localhost:8080` and `/dice`.
fn host_and_path(origin: &str) -> (&str, &str) {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    host.split_at(host.find('/').unwrap_or(host.len()))
}

/// Whether this origin is a loopback address.
fn is_loopback_origin(origin: &str) -> bool {
    let Ok(authority) = host_and_path(origin).0.parse::<Authority>() else {
        return false;
    };
    let host = authority.host().trim_end_matches('.');
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || literal
            .parse()
            .is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback())
}

/// The addresses of this machine that others may reach. The query is cached, because pages that show links are viewed
/// often.
fn addresses() -> Vec<IpAddr> {
    static CACHE: CachedValue<Vec<IpAddr>> = CachedValue::new(Duration::from_secs(10));
    CACHE.get().unwrap_or_else(|| {
        let addresses = query_addresses();
        CACHE.set(addresses.clone());
        addresses
    })
}

/// Queries the system; IPv4 addresses first, because they are easier to read out.
fn query_addresses() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default().into_iter();
    let mut addresses: Vec<_> = interfaces
        .map(|interface| interface.ip())
        .filter(|ip| match ip {
            IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
            IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
        })
        .collect();
    addresses.sort_by_key(IpAddr::is_ipv6);
    addresses.dedup();
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "http://localhost:8080";

    fn judge(listening: &str, addresses: &[&str]) -> (String, LinkReach) {
        let addresses = addresses.iter().map(|address| address.parse().unwrap());
        link_base_with(
            OWN.to_owned(),
            listening.parse().unwrap(),
            addresses.collect(),
        )
    }

    #[test]
    fn a_server_on_all_interfaces_links_to_its_network_address() {
        let result = judge("0.0.0.0:8080", &["192.168.1.20", "fd00::7"]);
        assert_eq!(
            result,
            ("http://192.168.1.20:8080".into(), LinkReach::LocalNetwork)
        );
        let result = judge("[::]:80", &["fd00::7"]);
        assert_eq!(
            result,
            ("http://[fd00::7]:80".into(), LinkReach::LocalNetwork)
        );
        let result = judge("10.0.0.2:8080", &["192.168.1.20", "10.0.0.2"]);
        assert_eq!(
            result,
            ("http://10.0.0.2:8080".into(), LinkReach::LocalNetwork)
        );
    }

    #[test]
    fn a_loopback_server_lists_its_addresses() {
        let (origin, reach) = judge("127.0.0.1:8081", &["192.168.1.20"]);
        let here = LinkReach::ThisMachine {
            port: Some(8081),
            addresses: vec!["http://192.168.1.20:8081".to_owned()],
        };
        assert_eq!((&*origin, reach), (OWN, here));
    }

    #[test]
    fn links_keep_the_base_path() {
        let listening = "0.0.0.0:80".parse().unwrap();
        let addresses = vec!["192.168.1.20".parse().unwrap()];
        let (origin, _) = link_base_with("http://localhost/dice".into(), listening, addresses);
        assert_eq!(origin, "http://192.168.1.20:80/dice");
    }

    #[test]
    fn remote_visitors_see_no_addresses() {
        let here = LinkReach::ThisMachine {
            port: None,
            addresses: Vec::new(),
        };
        assert_eq!(judge("0.0.0.0:8080", &[]), (OWN.to_owned(), here));
    }

    #[test]
    fn loopback_origins_are_recognised() {
        for own in [
            OWN,
            "https://LOCALHOST",
            "http://127.0.0.1:80",
            "http://127.8.9.1",
            "http://[::1]:8080",
            "http://localhost.:80",
            "http://localhost:8080/dice",
            "http://[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback_origin(own), "{own}");
        }
        for other in [
            "http://192.168.1.20:8080",
            "https://dice.example",
            "http://localhost.example",
            "http://[fd00::7]",
            "http://0.0.0.0",
        ] {
            assert!(!is_loopback_origin(other), "{other}");
        }
    }
}
