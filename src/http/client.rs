//! The client of a request: its address and whether it uses TLS, also behind proxies.
//!
//! Only proxies named by `--trusted-proxy` are trusted. The right-most address of `X-Forwarded-For` that is not a
//! trusted proxy is used, because everything left of it may have been written by the client itself. Connections through
//! a Unix socket are trusted too: browsers cannot open one, and file permissions control access.

use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Extensions, HeaderMap, Request, Version, header};
use ipnet::IpNet;

use super::hosts::has_valid_port;
use crate::client_network::ClientNetwork;

const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_HOST: &str = "x-forwarded-host";
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The client of a request. The guard adds it to every request; handlers extract it as an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    /// The client's own address, as reported by trusted proxies.
    pub address: IpAddr,
    /// Whether a trusted proxy reports that the client uses TLS: cookies may then be `Secure`.
    pub secure: bool,
}

impl Client {
    /// A client about which nothing is known; no exemption applies to it.
    pub const UNKNOWN: Client = Client {
        address: IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        secure: false,
    };

    /// The client of a request from `peer` with these headers.
    ///
    /// # Errors
    /// If `peer` is a trusted proxy whose `X-Forwarded-For` cannot be parsed: as the proxy's own request it could be
    /// exempt from limits.
    pub fn from_peer(
        peer: IpAddr,
        headers: &HeaderMap,
        proxies: &[IpNetwork],
    ) -> Result<Self, ForwardedHeaderError> {
        let peer = peer.to_canonical();
        if !is_trusted(peer, proxies) {
            return Ok(Client {
                address: peer,
                secure: false,
            });
        }
        Client::from_proxy(peer, headers, proxies)
    }

    /// The client of a request through a Unix socket: the forwarded one, or else a client on this machine.
    ///
    /// # Errors
    /// See [`Client::from_peer`].
    pub fn from_unix_socket(
        headers: &HeaderMap,
        proxies: &[IpNetwork],
    ) -> Result<Self, ForwardedHeaderError> {
        Client::from_proxy(Ipv4Addr::LOCALHOST.into(), headers, proxies)
    }

    /// The client that a trusted proxy reports.
    fn from_proxy(
        proxy: IpAddr,
        headers: &HeaderMap,
        proxies: &[IpNetwork],
    ) -> Result<Self, ForwardedHeaderError> {
        Ok(Client {
            address: forwarded_for(headers, proxies)?.unwrap_or(proxy),
            secure: last(headers, FORWARDED_PROTO)
                .is_some_and(|proto| proto.eq_ignore_ascii_case("https")),
        })
    }

    /// The address by which rate limits count: IPv6 clients are counted by their /64.
    #[must_use]
    pub fn rate_limit_key(&self) -> IpAddr {
        rate_limit_key(self.address)
    }

    /// The network to which shared resources such as compute time are charged.
    #[must_use]
    pub fn client_network(&self) -> ClientNetwork {
        ClientNetwork::from_ip(self.address)
    }
}

/// A trusted proxy sent an `X-Forwarded-For` that cannot be parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the X-Forwarded-For cannot be read")]
pub struct ForwardedHeaderError;

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Client::UNKNOWN))
    }
}

/// Marker in a request's extensions: it came through a Unix socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FromUnixSocket;

/// The peer that the accept loop added to a request's extensions.
#[must_use]
pub fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|ConnectInfo(address)| address.ip())
}

/// The address by which rate limits count: an IPv4 address itself, or the /64 of an IPv6 address.
#[must_use]
pub fn rate_limit_key(address: IpAddr) -> IpAddr {
    ClientNetwork::from_ip(address).address()
}

#[must_use]
pub fn is_trusted(address: IpAddr, proxies: &[IpNetwork]) -> bool {
    proxies.iter().any(|network| network.contains(address))
}

/// Whether a request from `peer` has a proxy's headers, but `peer` is not a trusted proxy.
#[must_use]
pub fn is_untrusted_proxy(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNetwork]) -> bool {
    let has_header = |name: &str| headers.contains_key(name);
    (has_header(FORWARDED_FOR) || has_header(FORWARDED_PROTO)) && !is_trusted(peer, proxies)
}

/// The host that the client requested, as reported by a trusted proxy.
#[must_use]
pub fn forwarded_host<B>(request: &Request<B>, proxies: &[IpNetwork]) -> Option<Authority> {
    let extensions = request.extensions();
    let is_trusted = extensions.get::<FromUnixSocket>().is_some()
        || peer(extensions).is_some_and(|peer| is_trusted(peer, proxies));
    if !is_trusted {
        return None;
    }
    let host = last(request.headers(), FORWARDED_HOST)?.parse().ok();
    host.filter(has_valid_port)
}

/// Whether the request comes from a browser on this machine, without a proxy.
///
/// A proxy on this machine may not identify itself. So this requires what browsers send to loopback addresses and
/// proxies do not make up: `Sec-Fetch-Site`, HTTP/1.1, and a `Referer` with the requested host.
#[must_use]
pub fn is_direct<B>(request: &Request<B>, proxies: &[IpNetwork]) -> bool {
    let headers = request.headers();
    let is_proxy_header =
        |name: &str| name.starts_with("x-forwarded-") || PROXY_HEADERS.contains(&name);
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let referer = text(header::REFERER).and_then(|referer| referer.split('/').nth(2));
    peer(request.extensions())
        .is_some_and(|peer| peer.to_canonical().is_loopback() && !is_trusted(peer, proxies))
        && request.version() >= Version::HTTP_11
        && headers.contains_key("sec-fetch-site")
        && !headers.keys().any(|name| is_proxy_header(name.as_str()))
        && referer.is_none_or(|referer| text(header::HOST) == Some(referer))
}

/// Headers of proxies besides `X-Forwarded-…`.
const PROXY_HEADERS: [&str; 3] = ["forwarded", "via", "x-real-ip"];

/// The right-most address that is not a trusted proxy, or else the left-most; `None` without the header.
fn forwarded_for(
    headers: &HeaderMap,
    proxies: &[IpNetwork],
) -> Result<Option<IpAddr>, ForwardedHeaderError> {
    let mut nearest = None;
    let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().collect();
    for line in lines.into_iter().rev() {
        for hop in String::from_utf8_lossy(line.as_bytes()).rsplit(',') {
            // Anything left of an untrusted address may be forged and is ignored.
            let address = hop_address(hop.trim()).ok_or(ForwardedHeaderError)?;
            nearest = Some(address);
            if !is_trusted(address, proxies) {
                return Ok(nearest);
            }
        }
    }
    Ok(nearest)
}

/// Accepts an address with a port or in brackets, as some proxies write it.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let address = IpAddr::from_str(hop)
        .or_else(|_| SocketAddr::from_str(hop).map(|address| address.ip()))
        .or_else(|_| IpAddr::from_str(hop.trim_start_matches('[').trim_end_matches(']')))
        .ok()?;
    Some(address.to_canonical())
}

fn last<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let line = headers.get_all(name).iter().next_back()?;
    line.to_str().ok()?.rsplit(',').next().map(str::trim)
}

/// An IP network such as `10.0.0.0/8`, or a single address such as `10.0.0.1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpNetwork(IpNet);

impl IpNetwork {
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is neither an address such as 10.0.0.1 nor a network such as 10.0.0.0/8")]
pub struct IpNetworkParseError(String);

impl FromStr for IpNetwork {
    type Err = IpNetworkParseError;

    fn from_str(text: &str) -> Result<Self, IpNetworkParseError> {
        let network = IpNet::from_str(text).ok();
        network
            .or_else(|| IpAddr::from_str(text).ok().map(IpNet::from))
            .map(IpNetwork)
            .ok_or_else(|| IpNetworkParseError(text.to_owned()))
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(peer: &str, forwarded: &[&str], expect: &str) {
        let proxies = ["10.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()];
        let mut headers = HeaderMap::new();
        for line in forwarded {
            let line = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append(FORWARDED_FOR, line);
        }
        let client = Client::from_peer(peer.parse().unwrap(), &headers, &proxies);
        let address = client.map_or("refused".to_owned(), |client| client.address.to_string());
        assert_eq!(address, expect);
    }

    #[test]
    fn only_trusted_proxies_are_trusted() {
        check("192.0.2.9", &["198.51.100.1"], "192.0.2.9");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::1", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1");
    }

    #[test]
    fn the_right_most_untrusted_address_is_used() {
        check("10.0.0.1", &["127.0.0.1, 198.51.100.1"], "198.51.100.1");
        check(
            "10.0.0.1",
            &["1.1.1.1, 198.51.100.1, 10.0.0.2"],
            "198.51.100.1",
        );
        check(
            "10.0.0.1",
            &["1.1.1.1", "198.51.100.1", "10.0.0.2"],
            "198.51.100.1",
        );
        check("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1");
        check("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1");
        check("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1");
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["unknown, 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["\u{e9}, 198.51.100.1"], "198.51.100.1");
    }

    #[test]
    fn an_unreadable_forwarded_address_is_rejected() {
        for unreadable in [
            "unknown",
            "",
            "198.51.100.1,",
            "198.51.100",
            "\u{e9}",
            "1.1.1.1, unknown, 10.0.0.2",
        ] {
            check("10.0.0.1", &[unreadable], "refused");
            check("192.0.2.9", &[unreadable], "192.0.2.9");
        }
        check("10.0.0.1", &["198.51.100.1", "unknown"], "refused");
    }

    #[test]
    fn untrusted_proxies_are_detected_by_their_headers() {
        let proxies = ["10.0.0.0/8".parse().unwrap()];
        for (peer, name, unnamed) in [
            ("127.0.0.1", "x-forwarded-for", true),
            ("127.0.0.1", "x-forwarded-proto", true),
            ("127.0.0.1", "accept", false),
            ("10.0.0.1", "x-forwarded-for", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static("x"));
            let result = is_untrusted_proxy(peer.parse().unwrap(), &headers, &proxies);
            assert_eq!(result, unnamed, "{peer} {name}");
        }
    }

    #[test]
    fn only_trusted_proxies_set_the_host() {
        let proxies = ["10.0.0.1".parse().unwrap()];
        let host = |peer: &str, value: &str| {
            let mut request = Request::new(());
            let header = value.parse().unwrap();
            request.headers_mut().insert(FORWARDED_HOST, header);
            let peer = SocketAddr::new(peer.parse().unwrap(), 1);
            request.extensions_mut().insert(ConnectInfo(peer));
            let host = forwarded_host(&request, &proxies);
            host.map(|host| host.to_string())
        };
        let trusted = |value: &str| host("10.0.0.1", value);
        assert_eq!(
            trusted("dice.example:8443").as_deref(),
            Some("dice.example:8443")
        );
        assert_eq!(
            trusted("a.example, dice.example").as_deref(),
            Some("dice.example")
        );
        for value in ["", "dice.example:abc", "me@dice.example", "a b"] {
            assert_eq!(trusted(value), None, "{value}");
        }
        assert_eq!(host("10.0.0.2", "dice.example"), None);
    }

    #[test]
    fn a_proxy_on_this_machine_is_not_a_direct_visitor() {
        let is_direct = |peer: &str, proxies: &[&str], more: &[(&'static str, &str)], version| {
            let mut request = Request::new(());
            *request.version_mut() = version;
            let peer = SocketAddr::new(peer.parse().unwrap(), 1);
            request.extensions_mut().insert(ConnectInfo(peer));
            let default_headers = [("host", "localhost:8080"), ("sec-fetch-site", "none")];
            for (name, value) in default_headers.iter().chain(more) {
                request.headers_mut().insert(*name, value.parse().unwrap());
            }
            let proxies: Vec<_> = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
            super::is_direct(&request, &proxies)
        };
        let http = Version::HTTP_11;
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(is_direct(peer, &[], &[], http), "{peer}");
        }
        let own = ("referer", "http://localhost:8080/games");
        assert!(is_direct("127.0.0.1", &[], &[own], http));
        assert!(!is_direct("192.0.2.1", &[], &[], http));
        assert!(!is_direct("127.0.0.1", &["127.0.0.1"], &[], http));
        assert!(!is_direct("127.0.0.1", &[], &[], Version::HTTP_10));
        for sign in [
            ("x-forwarded-for", "192.0.2.1"),
            ("x-forwarded-host", "dice.example"),
            ("x-forwarded-proto", "https"),
            ("x-real-ip", "192.0.2.1"),
            ("forwarded", "for=192.0.2.1"),
            ("via", "1.1 proxy"),
            ("referer", "https://dice.example/games"),
        ] {
            assert!(!is_direct("127.0.0.1", &[], &[sign], http), "{sign:?}");
        }
    }

    #[test]
    fn only_trusted_proxies_report_tls() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-proto", "https".parse().unwrap());
        let proxies = ["10.0.0.1".parse().unwrap()];
        let seen = |peer: &str| Client::from_peer(peer.parse().unwrap(), &headers, &proxies);
        let secure = |peer: &str| seen(peer).unwrap().secure;
        assert!(secure("10.0.0.1"));
        assert!(!secure("10.0.0.2"));
    }

    #[test]
    fn forwarded_headers_are_trusted_on_unix_sockets() {
        let mut headers = HeaderMap::new();
        let seen = |headers: &HeaderMap| Client::from_unix_socket(headers, &[]);
        assert!(seen(&headers).unwrap().address.is_loopback());
        headers.insert("x-forwarded-proto", "https".parse().unwrap());
        headers.insert(FORWARDED_FOR, "1.1.1.1, 198.51.100.1".parse().unwrap());
        let client = seen(&headers).unwrap();
        let expect = Client {
            address: "198.51.100.1".parse().unwrap(),
            secure: true,
        };
        assert_eq!(client, expect);
        headers.insert(FORWARDED_FOR, "unknown".parse().unwrap());
        assert_eq!(seen(&headers), Err(ForwardedHeaderError));
    }

    #[test]
    fn networks_contain_their_addresses() {
        for wrong in ["", "10.0.0.0/33", "ten", "10.0.0.0/", "10.0.0.0/x"] {
            assert!(IpNetwork::from_str(wrong).is_err(), "{wrong}");
        }
        let all = IpNetwork::from_str("0.0.0.0/0").unwrap();
        assert!(all.contains([192, 0, 2, 1].into()));
        assert!(!all.contains(Ipv6Addr::LOCALHOST.into()));
        let home = IpNetwork::from_str("10.1.2.3/8").unwrap();
        assert!(home.contains([10, 200, 0, 1].into()));
        assert!(!home.contains([11, 1, 2, 3].into()));
        let one = IpNetwork::from_str("2001:db8::1").unwrap();
        assert_eq!(one.to_string(), "2001:db8::1/128");
        assert!(one.contains("2001:db8::1".parse().unwrap()));
        assert!(!one.contains("2001:db8::2".parse().unwrap()));
    }
}
