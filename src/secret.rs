//! Secrets: they are made, written, hashed and compared here and nowhere else.
//!
//! A browser's cookie and a seat's token are 128 random bits. The server keeps only their hash,
//! so that a stolen archive opens no seat. There is deliberately no slow password hash: 128 random
//! bits cannot be guessed, and a stranger's words never become a secret. Nothing here prints one;
//! `Debug` says only that something is there.
//!
//! The token of a link is not drawn but [derived](Secret::derive) from the secret of the browser it
//! is for, with HMAC-SHA256 (RFC 2104): so a page can show it again, and still only its hash is
//! stored. Whoever knows one link learns nothing about the secret or about another link.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::TryRng as _;
use rand::rngs::SysRng;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::provably_fair::{CommittedSeed, DiceSecret, Protocol, Salt};
use crate::rng::DiceSeed;

/// Length of a secret's text form: 16 bytes in base64url without padding.
const TEXT_LENGTH: usize = 22;

/// The prefix that keeps our hashes apart from every other SHA-256 of the same bytes.
const HASH_DOMAIN: &[u8] = b"dice-of-doom secret v1\0";

/// The prefix that keeps what is noted of a link to come back apart from our other hashes.
const RETURN_DOMAIN: &[u8] = b"dice-of-doom return v1\0";

/// The prefix that keeps derived tokens apart from everything else that is made from a secret.
const DERIVE_DOMAIN: &[u8] = b"dice-of-doom derive v1";

/// `N` bytes of the system's randomness: secrets, game ids, dice seeds.
///
/// # Panics
/// When the system has no randomness to give: nothing safe can be done then.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill_at_random(&mut bytes);
    bytes
}

/// As [`random_bytes`], into bytes that are there.
///
/// # Panics
/// As [`random_bytes`].
pub fn fill_at_random(bytes: &mut [u8]) {
    SysRng
        .try_fill_bytes(bytes)
        .expect("the system gives randomness");
}

/// What all dice of a new game come from, of bytes that nobody can guess.
#[must_use]
pub fn dice_from(seed: [u8; 32], salt: [u8; 32]) -> DiceSecret {
    DiceSecret::Sealed(CommittedSeed {
        protocol: Protocol::ByPosition,
        seed: DiceSeed::from_bytes(seed),
        salt: Salt::from_bytes(salt),
    })
}

/// 128 random bits that their holder shows to act: a browser's cookie, a seat's token.
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
    /// A new secret from the system's randomness.
    pub fn random() -> Self {
        Self::from_chance(random_bytes())
    }

    /// The secret of these bytes, which nobody can guess.
    #[must_use]
    pub const fn from_chance(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// What the holder keeps: 22 characters of base64url, no padding.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The token that this secret's holder has for a purpose: always the same for the same parts, and
    /// as good as random for everybody else.
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
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        for part in [DERIVE_DOMAIN].iter().chain(parts) {
            // Each part goes in with its length, so that no two lists of parts give the same bytes.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        let whole: [u8; 32] = mac.finalize().into_bytes().into();
        Secret(std::array::from_fn(|index| whole[index]))
    }

    /// What the server keeps.
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

/// The text is no secret's text form. It is not repeated here: it may be nearly one.
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

/// SHA-256 of a [`Secret`] under our own prefix: safe to store, useless to show.
///
/// To check a secret that somebody shows use [`matches`](Self::matches); `==` and `Hash` are there for
/// looking one up among stored hashes, where timing tells only about the hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// The creator of the games that the server sets up itself: no secret with this hash is known.
    pub const SERVER: SecretHash = SecretHash([0; 32]);

    /// Whether both are the same hash, in time that does not depend on where they differ.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// What is kept of a link with which somebody came back to the own seat. It is another hash than that of a
    /// link, because such a link opens the seat again, and an invitation that was taken does not.
    #[must_use]
    pub fn of_return(&self) -> Self {
        let hash = Sha256::new().chain_update(RETURN_DOMAIN);
        Self(hash.chain_update(self.0).finalize().into())
    }

    /// The bytes that an archive stores.
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash whose stored bytes these are.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(..)")
    }
}

/// A random number that makes a derived token another one; it is stored and no secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// A new one from the system's randomness.
    #[must_use]
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// The bytes that an archive stores.
    pub(crate) fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The nonce of these bytes: of chance, or as they were stored.
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
    fn anything_else_is_refused() {
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
    fn a_link_that_was_used_to_come_back_is_noted_as_another_hash() {
        let link = Secret([0; 16]).hash();
        assert_ne!(link.of_return(), link);
        assert_ne!(link.of_return().of_return(), link.of_return());
        assert_eq!(link.of_return(), Secret([0; 16]).hash().of_return());
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
    fn debug_shows_nothing() {
        let secret = Secret([7; 16]);
        assert_eq!(
            format!("{secret:?} {:?}", secret.hash()),
            "Secret(..) SecretHash(..)"
        );
    }
}
