//! Listening sockets: TCP, Unix sockets, and sockets inherited from a service manager (`sd_listen_fds(3)`).

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use axum::http::Extensions;
use tokio::net::TcpListener;

use super::address_to_open;
use crate::http::client::FromUnixSocket;

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::passed;

/// An address to listen on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListenAddress {
    /// An IP address with a port; port 0 selects a free one.
    Network(SocketAddr),
    /// A Unix socket, by its path.
    Unix(PathBuf),
}

/// The error of parsing a [`ListenAddress`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write an address with its port, such as 127.0.0.1:8080 or [::1]:8080, or unix:PATH")]
pub struct ListenAddressParseError;

impl FromStr for ListenAddress {
    type Err = ListenAddressParseError;

    fn from_str(text: &str) -> Result<Self, ListenAddressParseError> {
        match text.strip_prefix("unix:") {
            Some("") => Err(ListenAddressParseError),
            Some(path) => Ok(ListenAddress::Unix(path.into())),
            None => text
                .parse()
                .map(ListenAddress::Network)
                .map_err(|_| ListenAddressParseError),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenAddress::Network(address) => address.fmt(f),
            ListenAddress::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Permissions of a Unix socket that the server creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SocketAccess {
    /// Only the server's user.
    Owner,
    /// The server's user and group.
    #[default]
    Group,
    /// Every user of this machine.
    Everybody,
}

impl SocketAccess {
    pub const ALL: [SocketAccess; 3] = [
        SocketAccess::Owner,
        SocketAccess::Group,
        SocketAccess::Everybody,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SocketAccess::Owner => "owner",
            SocketAccess::Group => "group",
            SocketAccess::Everybody => "everybody",
        }
    }
}

impl fmt::Display for SocketAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many unsent bytes the kernel buffers per connection (`TCP_NOTSENT_LOWAT`). Without a limit the buffer grows to
/// megabytes if the client does not read, and the write timeout starts only when it is full.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 128 * 1024;

#[derive(Debug)]
pub enum Listener {
    Network(TcpListener),
    #[cfg(unix)]
    Unix(unix::Socket),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Listener::Network(listener)
    }
}

/// An accepted connection.
#[cfg(unix)]
pub(crate) type Stream = tokio_util::either::Either<tokio::net::TcpStream, tokio::net::UnixStream>;

/// An accepted connection.
#[cfg(not(unix))]
pub(crate) type Stream = tokio::net::TcpStream;

/// The other side of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Peer {
    Network(SocketAddr),
    #[cfg_attr(not(unix), expect(dead_code))]
    Unix,
}

impl Peer {
    pub(crate) fn ip(self) -> Option<IpAddr> {
        match self {
            Peer::Network(address) => Some(address.ip()),
            Peer::Unix => None,
        }
    }

    /// Adds the peer to a request's extensions.
    pub(crate) fn insert_into(self, extensions: &mut Extensions) {
        match self {
            Peer::Network(address) => {
                extensions.insert(axum::extract::ConnectInfo(address));
            }
            Peer::Unix => {
                extensions.insert(FromUnixSocket);
            }
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Network(address) => address.fmt(f),
            Peer::Unix => f.write_str("a Unix socket"),
        }
    }
}

impl Listener {
    /// Opens a listener.
    ///
    /// # Errors
    /// A one-sentence message that says what to do.
    pub async fn open(address: &ListenAddress, access: SocketAccess) -> Result<Self, String> {
        match address {
            ListenAddress::Network(address) => Ok(super::bind(*address).await?.into()),
            #[cfg(unix)]
            ListenAddress::Unix(path) => {
                let socket = unix::Socket::open(path, access).await;
                let socket = socket.map_err(|error| format!("cannot listen on {address}: {error}"));
                Ok(Listener::Unix(socket?))
            }
            #[cfg(not(unix))]
            ListenAddress::Unix(_) => {
                let _ = access;
                Err(format!("this system has no Unix sockets: {address}"))
            }
        }
    }

    /// The IP address and port, if any.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Network(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Listener::Unix(_) => None,
        }
    }

    /// The URL to open in a browser, or the path of the socket.
    #[must_use]
    pub fn display_address(&self) -> String {
        match self {
            Listener::Network(listener) => match listener.local_addr() {
                Ok(address) => address_to_open(address),
                Err(error) => format!("an unknown address ({error})"),
            },
            #[cfg(unix)]
            Listener::Unix(socket) => socket.shown(),
        }
    }

    pub(crate) async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Listener::Network(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Small responses must be sent immediately; setting socket options may fail without harm.
                let _ = stream.set_nodelay(true);
                #[cfg(target_os = "linux")]
                let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
                #[cfg(unix)]
                let stream = Stream::Left(stream);
                Ok((stream, Peer::Network(peer)))
            }
            #[cfg(unix)]
            Listener::Unix(socket) => Ok((Stream::Right(socket.accept().await?), Peer::Unix)),
        }
    }
}

/// Sockets are not inherited on this platform.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn passed() -> io::Result<Vec<Passed>> {
    Ok(Vec::new())
}

/// A socket inherited from a service manager.
#[derive(Debug)]
pub enum Passed {
    Network(std::net::TcpListener),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener),
}

impl Passed {
    /// Converts it for the async runtime.
    ///
    /// # Errors
    /// If the socket cannot be converted.
    pub fn into_listener(self) -> io::Result<Listener> {
        match self {
            Passed::Network(listener) => {
                listener.set_nonblocking(true)?;
                Ok(TcpListener::from_std(listener)?.into())
            }
            #[cfg(unix)]
            Passed::Unix(listener) => Ok(Listener::Unix(unix::Socket::passed(listener)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses_round_trip_through_text() {
        for text in ["127.0.0.1:8080", "[::1]:0", "unix:/run/dice.sock", "unix:a"] {
            let address: ListenAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        for text in ["", "unix:", "8080", "localhost:8080", "/run/dice.sock"] {
            assert_eq!(
                text.parse::<ListenAddress>(),
                Err(ListenAddressParseError),
                "{text}"
            );
        }
    }
}
