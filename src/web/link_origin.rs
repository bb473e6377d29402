//! Whether the links of a page lead others here: an address such as `localhost` is every machine's own.
//!
//! What the machine is called in its network is told to whoever sits at this machine, and to nobody else. Where
//! `--public-url` says where the server is, links lead there, and nothing is told.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::site_url::SiteUrl;
use crate::templates::view::LinkReach;

/// Where the server listens; a layer puts it into every request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListenAddress(pub SocketAddr);

/// More addresses than these would not help.
const MOST_ADDRESSES: usize = 4;

/// What a request tells about who asks from where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinkOrigin {
    listening: Option<SocketAddr>,
    /// Whether the visitor sits at this machine.
    here: bool,
}

impl LinkOrigin {
    /// Where a request comes from that finds this server at `url`.
    pub(super) fn of(parts: &Parts, url: &SiteUrl) -> LinkOrigin {
        let listening = parts
            .extensions
            .get()
            .map(|ListenAddress(address)| *address);
        // At another port something on this machine forwards, such as a tunnel.
        let port = url.authority.port_u16().unwrap_or(80);
        LinkOrigin {
            listening: listening.filter(|_| !url.is_configured),
            here: url.is_direct && listening.is_some_and(|address| address.port() == port),
        }
    }

    /// The base of the links on a page that was opened at `origin`, and what is said about them.
    pub(super) fn reach(&self, origin: &str) -> (String, LinkReach) {
        match self.listening {
            Some(listening) if is_own(origin) => {
                let addresses = self.here.then(addresses).unwrap_or_default();
                judged(origin.to_owned(), listening, addresses)
            }
            _ => (origin.to_owned(), LinkReach::Everywhere),
        }
    }
}

/// As [`LinkOrigin::reach`], where this machine has these addresses, and the visitor may know them.
fn judged(origin: String, listening: SocketAddr, addresses: Vec<IpAddr>) -> (String, LinkReach) {
    let port = listening.port();
    let heard = |address: &IpAddr| {
        let all =
            listening.ip().is_unspecified() && (address.is_ipv4() || listening.ip().is_ipv6());
        all || *address == listening.ip()
    };
    let path = host_and_path(&origin).1;
    let url = |address: IpAddr| format!("http://{}{path}", SocketAddr::new(address, port));
    if let Some(address) = addresses.iter().find(|address| heard(address)) {
        return (url(*address), LinkReach::Network);
    }
    let listens = if listening.ip().is_loopback() {
        Some(port)
    } else {
        None
    };
    let addresses = addresses.into_iter().take(MOST_ADDRESSES).map(url);
    let addresses = addresses.collect();
    (origin, LinkReach::Here { listens, addresses })
}

/// `localhost:8080` and `/dice` of `http://localhost:8080/dice`.
fn host_and_path(origin: &str) -> (&str, &str) {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    host.split_at(host.find('/').unwrap_or(host.len()))
}

/// Whether every machine would understand itself by this origin.
fn is_own(origin: &str) -> bool {
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

/// The addresses of this machine that others may reach. They are asked for at most once in so long, for
/// pages that show links are looked at often.
fn addresses() -> Vec<IpAddr> {
    const FRESH: Duration = Duration::from_secs(10);
    static KNOWN: Mutex<Option<(Instant, Vec<IpAddr>)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match &*known {
        Some((since, addresses)) if since.elapsed() < FRESH => addresses.clone(),
        _ => {
            let addresses = asked();
            *known = Some((Instant::now(), addresses.clone()));
            addresses
        }
    }
}

/// As the system tells them, those of IPv4 first, for they are read out.
fn asked() -> Vec<IpAddr> {
    let found = if_addrs::get_if_addrs().unwrap_or_default().into_iter();
    let mut addresses: Vec<_> = found
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
        judged(
            OWN.to_owned(),
            listening.parse().unwrap(),
            addresses.collect(),
        )
    }

    #[test]
    fn an_open_server_gives_links_that_others_can_open() {
        let found = judge("0.0.0.0:8080", &["192.168.1.20", "fd00::7"]);
        assert_eq!(
            found,
            ("http://192.168.1.20:8080".into(), LinkReach::Network)
        );
        let found = judge("[::]:80", &["fd00::7"]);
        assert_eq!(found, ("http://[fd00::7]:80".into(), LinkReach::Network));
        let found = judge("10.0.0.2:8080", &["192.168.1.20", "10.0.0.2"]);
        assert_eq!(found, ("http://10.0.0.2:8080".into(), LinkReach::Network));
    }

    #[test]
    fn a_closed_server_says_how_it_is_opened() {
        let (origin, reach) = judge("127.0.0.1:8081", &["192.168.1.20"]);
        let here = LinkReach::Here {
            listens: Some(8081),
            addresses: vec!["http://192.168.1.20:8081".to_owned()],
        };
        assert_eq!((&*origin, reach), (OWN, here));
    }

    #[test]
    fn links_keep_the_base_path() {
        let listening = "0.0.0.0:80".parse().unwrap();
        let addresses = vec!["192.168.1.20".parse().unwrap()];
        let (origin, _) = judged("http://localhost/dice".into(), listening, addresses);
        assert_eq!(origin, "http://192.168.1.20:80/dice");
    }

    #[test]
    fn visitors_from_elsewhere_learn_no_address() {
        let here = LinkReach::Here {
            listens: None,
            addresses: Vec::new(),
        };
        assert_eq!(judge("0.0.0.0:8080", &[]), (OWN.to_owned(), here));
    }

    #[test]
    fn some_names_are_every_machines_own() {
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
            assert!(is_own(own), "{own}");
        }
        for other in [
            "http://192.168.1.20:8080",
            "https://dice.example",
            "http://localhost.example",
            "http://[fd00::7]",
            "http://0.0.0.0",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
