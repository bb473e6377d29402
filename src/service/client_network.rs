//! Who counts as one visitor where something is shared out.

use std::net::{IpAddr, Ipv6Addr};

use crate::secret::SecretHash;

/// The network that a request comes from: an IPv4 address, or the /64 that an IPv6 client owns as a
/// whole. It is made once, where a request comes in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// The household of this address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        ClientNetwork(match address.to_canonical() {
            IpAddr::V4(four) => four.into(),
            IpAddr::V6(six) if six.is_loopback() => six.into(),
            IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() & (!0 << 64)).into(),
        })
    }

    /// Whether it is one network: clients of which nothing is known may be of many.
    #[must_use]
    pub fn is_known(self) -> bool {
        !self.0.is_unspecified()
    }

    /// The address that stands for it.
    #[must_use]
    pub fn address(self) -> IpAddr {
        self.0
    }
}

/// On whose account a game's computers think.
///
/// It is who made the game, as long as the game stays in memory. Of a game that was resumed from its
/// record the maker's browser is known, if it had one, but not where it was: then the first who looks
/// lends the household. Until somebody does, and for the server's own games, it is `None`, one account
/// like every other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct ComputeAccount {
    pub(super) household: Option<ClientNetwork>,
    pub(super) creator: Option<SecretHash>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_counts_as_one() {
        let counted = |text: &str| {
            ClientNetwork::of(text.parse().unwrap())
                .address()
                .to_string()
        };
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(counted("::1"), "::1");
        assert_eq!(counted("192.0.2.1"), "192.0.2.1");
    }
}
