//! The only module that creates, encodes, hashes and compares secrets.
//!
//! A browser's cookie and a seat's token are 128 random bits. The server stores only their hashes, so that a stolen
//! database gives access to no seat. A slow password hash is not needed: 128 random bits cannot be guessed, and users
//! never choose a secret. `Debug` prints no secret.
//!
//! The token of a link is [derived](Secret::derive) from the browser's secret with HMAC-SHA256 (RFC 2104): a page can
//! show it again, and still only its hash is stored. Knowing one link reveals nothing about the secret or other links.

mod pairing_code;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::TryRng as _;
use rand::rngs::SysRng;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::provably_fair::{CommittedSeed, Salt};
use crate::rng::DiceSeed;

pub use pairing_code::{PairingCode, PairingKeys};

/// Length of a secret's text form: 16 bytes in base64url without padding.
const TEXT_LENGTH: usize = 22;

/// Domain separation of secret hashes.
const HASH_DOMAIN: &[u8] = b"dice-of-doom secret v1\0";

/// Domain separation of the hashes of used return links.
const RETURN_DOMAIN: &[u8] = b"dice-of-doom return v1\0";

/// Domain separation of derived tokens.
const DERIVE_DOMAIN: &[u8] = b"dice-of-doom derive v1";

/// `N` bytes from the system's random source, for secrets, game ids and dice seeds.
///
/// # Panics
/// If the system's random source fails: no safe value could be returned.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill_random(&mut bytes);
    bytes
}

/// Like [`random_bytes`], into a buffer.
///
/// # Panics
/// As [`random_bytes`].
pub fn fill_random(bytes: &mut [u8]) {
    SysRng
        .try_fill_bytes(bytes)
        .expect("the system's random source works");
}

/// The secret of a new game's dice, from random bytes.
#[must_use]
pub fn new_dice_secret(seed: [u8; 32], salt: [u8; 32]) -> CommittedSeed {
    CommittedSeed {
        seed: DiceSeed::from_bytes(seed),
        salt: Salt::from_bytes(salt),
    }
}

/// 128 random bits that authenticate a client: a browser's cookie, or a seat's token.
///
/// ```
/// use dice_of_doom::secret::Secret;
///
/// let secret = Secret::random();
/// let shown: Secret = secret.to_text().parse().expect("its own text form");
/// assert!(shown.hash().matches(&secret.hash()));
/// ```
#[derive(Clone)]
pub struct Secret([u8; 16]);

impl Secret {
    /// A new secret from the system's random source.
    pub fn random() -> Self {
        Self::from_random_bytes(random_bytes())
    }

    /// The secret with these random bytes.
    #[must_use]
    pub const fn from_random_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The text form: 22 characters of base64url without padding.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Derives a token for a purpose: deterministic in the parts, and indistinguishable from random without the secret.
    ///
    /// ```
    /// use dice_of_doom::secret::Secret;
    ///
    /// let secret = Secret::random();
    /// let link = secret.derive(&[b"invite", b"abcdefgh", &[2]]);
    /// assert!(link.hash().matches(&secret.derive(&[b"invite", b"abcdefgh", &[2]]).hash()));
    /// assert!(!link.hash().matches(&secret.derive(&[b"invite", b"abcdefgh", &[3]]).hash()));
    /// ```
    #[must_use]
    pub fn derive(&self, parts: &[&[u8]]) -> Secret {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC accepts keys of any length");
        for part in [DERIVE_DOMAIN].iter().chain(parts) {
            // Each part is prefixed with its length, so that different lists of parts give different bytes.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        let digest: [u8; 32] = mac.finalize().into_bytes().into();
        Secret(std::array::from_fn(|index| digest[index]))
    }

    /// The hash that the server stores.
    pub fn hash(&self) -> SecretHash {
        SecretHash(
            Sha256::new()
                .chain_update(HASH_DOMAIN)
                .chain_update(self.0)
                .finalize()
                .into(),
        )
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The text is not a secret's text form. The message does not repeat it: it may be almost a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a secret is 22 characters of base64url")]
pub struct ParseSecretError;

impl FromStr for Secret {
    type Err = ParseSecretError;

    fn from_str(text: &str) -> Result<Self, ParseSecretError> {
        if text.len() != TEXT_LENGTH {
            return Err(ParseSecretError);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| ParseSecretError)?;
        bytes.try_into().map(Self).map_err(|_| ParseSecretError)
    }
}

/// Domain-separated SHA-256 of a [`Secret`]: safe to store.
///
/// To authenticate a client use [`matches`](Self::matches), which takes constant time; `==` and `Hash` are for lookups
/// among stored hashes, where the timing reveals only the hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// The creator of the server's own games: no secret with this hash is known.
    pub const SERVER: SecretHash = SecretHash([0; 32]);

    /// Constant-time comparison.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// The hash that is stored when a return link was used. It differs from the link's hash because a return link
    /// remains usable, while a used invitation does not.
    #[must_use]
    pub fn to_return_hash(&self) -> Self {
        let hash = Sha256::new().chain_update(RETURN_DOMAIN);
        Self(hash.chain_update(self.0).finalize().into())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(..)")
    }
}

/// The hash of an address that stands for a client network: HMAC-SHA256, so that without the key it cannot be found by
/// trying all addresses.
#[must_use]
pub fn hash_network(key: &[u8; 32], address: IpAddr) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts keys of any length");
    match address {
        IpAddr::V4(four) => mac.update(&four.octets()),
        IpAddr::V6(six) => mac.update(&six.octets()),
    }
    mac.finalize().into_bytes().into()
}

/// A random number that makes derived tokens differ; it is stored and not secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Nonce([u8; 16]);

impl Nonce {
    #[must_use]
    pub fn random() -> Self {
        Self(random_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The nonce with these random or stored bytes.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        let secret = Secret::random();
        let text = secret.to_text();
        assert_eq!(text.len(), TEXT_LENGTH);
        let read: Secret = text.parse().unwrap();
        assert_eq!(read.0, secret.0);
        assert!(read.hash().matches(&secret.hash()));
    }

    #[test]
    fn different_secrets_do_not_match() {
        assert!(!Secret::random().hash().matches(&Secret::random().hash()));
    }

    #[test]
    fn invalid_text_forms_are_rejected() {
        let good = Secret([0; 16]).to_text();
        assert_eq!(good, "AAAAAAAAAAAAAAAAAAAAAA");
        for bad in [
            "",
            "AAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAA==",
            "AAAAAAAAAAAAAAAAAAAAA+",
            "AAAAAAAAAAAAAAAAAAAAA ",
            // Bits beyond the 128th: a second spelling of the same secret.
            "AAAAAAAAAAAAAAAAAAAAAB",
            "ÄÄÄÄÄÄÄÄÄÄÄ",
        ] {
            assert_eq!(
                bad.parse::<Secret>().unwrap_err(),
                ParseSecretError,
                "{bad:?}"
            );
        }
    }

    #[test]
    fn hash_is_pinned() {
        // printf 'dice-of-doom secret v1\0' and 16 zero bytes, through sha256sum.
        let hex: String = Secret([0; 16])
            .hash()
            .0
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            hex,
            "3ef6e2f24e0445a27a04caca743dc80ef29c5554ad8498b974a8cf1db79419a4"
        );
    }

    #[test]
    fn a_used_return_link_has_a_different_hash() {
        let link = Secret([0; 16]).hash();
        assert_ne!(link.to_return_hash(), link);
        assert_ne!(
            link.to_return_hash().to_return_hash(),
            link.to_return_hash()
        );
        assert_eq!(
            link.to_return_hash(),
            Secret([0; 16]).hash().to_return_hash()
        );
    }

    #[test]
    fn derived_tokens_are_pinned() {
        // python3: hmac.new(bytes(16), b"".join(len(p).to_bytes(8, "big") + p for p in
        // [b"dice-of-doom derive v1", b"invite", b"x"]), "sha256").hexdigest()[:32]
        let token = Secret([0; 16]).derive(&[b"invite", b"x"]);
        let hex: String = token.0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "2a14b3a1a664b5a8c7f2cf6854d6ee38");
    }

    #[test]
    fn derived_tokens_depend_on_every_part_and_on_the_secret() {
        let (one, other) = (Secret([1; 16]), Secret([2; 16]));
        let tokens = [
            one.derive(&[]),
            one.derive(&[b""]),
            one.derive(&[b"ab"]),
            one.derive(&[b"a", b"b"]),
            one.derive(&[b"b", b"a"]),
            other.derive(&[b"ab"]),
            one.clone(),
        ];
        for (at, token) in tokens.iter().enumerate() {
            assert!(
                tokens[..at].iter().all(|before| before.0 != token.0),
                "{at}"
            );
        }
    }

    #[test]
    fn the_hash_of_a_network_is_an_hmac() {
        // python3: hmac.new(bytes(32), bytes([192, 0, 2, 1]), "sha256").hexdigest()
        let hash = hash_network(&[0; 32], "192.0.2.1".parse().unwrap());
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "cce841bf860c57e8870d93d79ad60e81770f0f887598ad70d51fa9b502f16f42"
        );
    }

    #[test]
    fn debug_reveals_nothing() {
        let secret = Secret([7; 16]);
        assert_eq!(
            format!("{secret:?} {:?}", secret.hash()),
            "Secret(..) SecretHash(..)"
        );
    }
}
