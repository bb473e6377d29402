//! Client networks, the unit of quotas and compute accounts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sha2::{Digest as _, Sha256};

/// The network of a client: an IPv4 address, or an IPv6 /64 prefix, which one client owns entirely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// The network of clients whose address is unknown.
    pub const UNKNOWN: ClientNetwork = ClientNetwork(IpAddr::V4(Ipv4Addr::UNSPECIFIED));

    #[must_use]
    pub fn from_ip(address: IpAddr) -> Self {
        ClientNetwork(match address.to_canonical() {
            IpAddr::V4(four) => four.into(),
            IpAddr::V6(six) if six.is_loopback() => six.into(),
            IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() & (!0 << 64)).into(),
        })
    }

    /// Whether the network is known. Clients with unknown addresses share the unspecified address and may be in many
    /// networks.
    #[must_use]
    pub fn is_known(self) -> bool {
        !self.0.is_unspecified()
    }

    /// A hash by which networks can be compared without their addresses. Whoever tries all addresses finds the one.
    #[must_use]
    pub fn hash(self) -> i64 {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(b"dice-of-doom network v1\0")
            .chain_update(self.0.to_string())
            .finalize()
            .into();
        i64::from_be_bytes(std::array::from_fn(|index| digest[index]))
    }

    /// The IPv4 address, or the first address of the IPv6 prefix.
    #[must_use]
    pub fn address(self) -> IpAddr {
        self.0
    }
}

/// Whether a limit applies to requests from this machine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LoopbackPolicy {
    /// Requests from loopback addresses are not counted: tests, scripts, and a person at their own machine.
    #[default]
    Exempt,
    /// Requests from loopback addresses are counted like all others.
    Limited,
}

impl LoopbackPolicy {
    /// Whether requests from this address are not counted.
    #[must_use]
    pub fn is_exempt(self, address: IpAddr) -> bool {
        self == LoopbackPolicy::Exempt && address.to_canonical().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_prefix_is_one_network() {
        let counted = |text: &str| {
            ClientNetwork::from_ip(text.parse().unwrap())
                .address()
                .to_string()
        };
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(counted("::1"), "::1");
        assert_eq!(counted("192.0.2.1"), "192.0.2.1");
    }
}
