//! Pairing codes: eight characters that give another device a browser's secret, once and for ten minutes.
//!
//! While a code is valid, the secret is stored encrypted (ChaCha20-Poly1305, RFC 8439) with a key that is derived from
//! the code, under a hash of the code. Both come from one call of Argon2id (RFC 9106), because 31⁸ codes are 40 bits:
//! few enough to try them all with a fast hash. The salt is the same for all codes, because a code is all that its
//! finder has. docs/limits.md says what somebody with a copy of the database can do.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use unicode_normalization::UnicodeNormalization as _;

use super::{Secret, SecretHash};

/// The salt of all codes.
const SALT: &[u8] = b"dice-of-doom pairing v1";

/// The memory of one derivation, in KiB. With two passes it is the minimum that OWASP recommends for passwords.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;

/// The length of a nonce of ChaCha20-Poly1305.
const NONCE_LENGTH: usize = 12;

/// What a browser shows and another device enters.
#[derive(Clone, PartialEq, Eq)]
pub struct PairingCode([u8; PairingCode::LENGTH]);

impl PairingCode {
    const LENGTH: usize = 8;

    /// Digits and capital letters without those that look alike: `0` and `O`, `1`, `I` and `L`.
    const ALPHABET: &[u8; 31] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

    /// The memory that deriving the keys takes, in bytes.
    pub const MEMORY: usize = MEMORY_KIB as usize * 1024;

    /// The code from random bytes: their number modulo 31⁸, which is uniform to 88 bits.
    #[must_use]
    pub fn from_random_bytes(bytes: [u8; 16]) -> Self {
        let mut number = u128::from_le_bytes(bytes);
        PairingCode(std::array::from_fn(|_| {
            let base = Self::ALPHABET.len() as u128;
            let symbol = Self::ALPHABET[(number % base) as usize];
            number /= base;
            symbol
        }))
    }

    /// The code in a text as people paste it: in capital or small letters, of full width too, with spaces, hyphens and
    /// other marks in between, or at the end of the link that contains it after `#`.
    ///
    /// ```
    /// use dice_of_doom::secret::PairingCode;
    ///
    /// let code = PairingCode::from_pasted("ABCD-2345").unwrap();
    /// for pasted in [" abcd 2345\n", "ａｂｃｄ－２３４５", "https://dice.example/device#ABCD2345"] {
    ///     assert!(PairingCode::from_pasted(pasted) == Some(code.clone()), "{pasted}");
    /// }
    /// assert!(PairingCode::from_pasted("ABCD-234").is_none());
    /// ```
    #[must_use]
    pub fn from_pasted(text: &str) -> Option<Self> {
        // Full-width characters become the usual ones.
        let text: String = text.nfkc().collect();
        let code = text.rsplit('#').next()?;
        let symbols = code.chars().filter(|symbol| symbol.is_alphanumeric());
        // The Japanese sign of a long vowel, typed for a hyphen, is a letter for Unicode.
        let symbols = symbols.filter(|symbol| *symbol != 'ー');
        let symbols = symbols.map(|symbol| {
            let symbol = u8::try_from(symbol).ok()?.to_ascii_uppercase();
            Self::ALPHABET.contains(&symbol).then_some(symbol)
        });
        let symbols: Vec<u8> = symbols.take(Self::LENGTH + 1).collect::<Option<_>>()?;
        symbols.try_into().map(PairingCode).ok()
    }

    /// The text form, in two groups with a hyphen.
    #[must_use]
    pub fn to_text(&self) -> String {
        let text = String::from_utf8_lossy(&self.0);
        let (first, last) = text.split_at(Self::LENGTH / 2);
        format!("{first}-{last}")
    }

    /// Derives the keys of the code: slow on purpose, and with [`PairingCode::MEMORY`].
    ///
    /// # Panics
    /// Never: the parameters are valid.
    #[must_use]
    pub fn derive_keys(&self) -> PairingKeys {
        let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("valid parameters");
        let mut derived = [0; 64];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(&self.0, SALT, &mut derived)
            .expect("the lengths are valid");
        let (hash, key) = derived.split_at(32);
        let part = |part: &[u8]| std::array::from_fn(|index| part[index]);
        PairingKeys {
            hash: SecretHash::from_bytes(part(hash)),
            key: part(key),
        }
    }
}

impl fmt::Debug for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairingCode(..)")
    }
}

/// What follows from a [`PairingCode`].
pub struct PairingKeys {
    /// The hash under which the secret is stored.
    pub hash: SecretHash,
    /// The key with which it is encrypted.
    key: [u8; 32],
}

impl PairingKeys {
    /// Encrypts a secret, with a random nonce, which is put before it.
    ///
    /// # Panics
    /// Never: a secret is shorter than what the cipher can encrypt.
    #[must_use]
    pub fn encrypt(&self, secret: &Secret, nonce: [u8; NONCE_LENGTH]) -> Vec<u8> {
        let browser = secret.hash();
        let payload = Payload {
            msg: &secret.0,
            aad: browser.as_bytes(),
        };
        let encrypted = self.cipher().encrypt(&Nonce::from(nonce), payload);
        let encrypted = encrypted.expect("a secret is short");
        [&nonce[..], &encrypted].concat()
    }

    /// Decrypts the secret of this browser; `None` if it was encrypted with another key, or is damaged.
    #[must_use]
    pub fn decrypt(&self, encrypted: &[u8], browser: &SecretHash) -> Option<Secret> {
        let (nonce, encrypted) = encrypted.split_first_chunk::<NONCE_LENGTH>()?;
        let payload = Payload {
            msg: encrypted,
            aad: browser.as_bytes(),
        };
        let bytes = self.cipher().decrypt(&Nonce::from(*nonce), payload).ok()?;
        bytes.try_into().map(Secret).ok()
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&Key::from(self.key))
    }
}

impl fmt::Debug for PairingKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairingKeys(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_pasted() {
        let code = PairingCode::from_random_bytes([7; 16]);
        let text = code.to_text();
        assert_eq!(text.len(), 9);
        let (first, last) = text.split_once('-').unwrap();
        let full_width: String = text
            .chars()
            .filter_map(|symbol| char::from_u32(u32::from(symbol) + 0xfee0))
            .collect();
        for pasted in [
            text.clone(),
            text.to_lowercase(),
            format!("  {first}\u{a0}{last}\r\n"),
            format!("{first}\u{2013}{last}."),
            format!("“{first}{last}”"),
            format!("{first}\u{200b}{last}"),
            format!("{first}ー{last}"),
            full_width,
            format!("http://127.0.0.1:8080/device#{first}{last}"),
        ] {
            assert_eq!(
                PairingCode::from_pasted(&pasted),
                Some(code.clone()),
                "{pasted:?}"
            );
        }
        for wrong in [
            "",
            "#",
            first,
            "ABCD-23456",
            "ABCD-234O",
            "ABCD-2340",
            "ABCD-234l",
            "ÄBCD-2345",
        ] {
            assert_eq!(PairingCode::from_pasted(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn every_symbol_occurs_and_none_looks_like_another() {
        let mut symbols: Vec<u8> = (0..=255)
            .flat_map(|byte| PairingCode::from_random_bytes([byte; 16]).0)
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        assert_eq!(symbols, PairingCode::ALPHABET);
        assert!(!symbols.iter().any(|symbol| b"0O1Il".contains(symbol)));
    }

    #[test]
    fn only_the_code_decrypts_the_secret() {
        let secret = Secret([3; 16]);
        let keys = PairingCode::from_random_bytes([1; 16]).derive_keys();
        let encrypted = keys.encrypt(&secret, [5; NONCE_LENGTH]);
        assert!(!encrypted.windows(16).any(|part| part == secret.0));
        let decrypted = keys.decrypt(&encrypted, &secret.hash()).unwrap();
        assert_eq!(decrypted.0, secret.0);
        let other = PairingCode::from_random_bytes([2; 16]).derive_keys();
        assert_ne!(other.hash, keys.hash);
        assert!(other.decrypt(&encrypted, &secret.hash()).is_none());
        assert!(keys.decrypt(&encrypted, &Secret([4; 16]).hash()).is_none());
        assert!(keys.decrypt(&encrypted[..20], &secret.hash()).is_none());
        assert!(keys.decrypt(&[], &secret.hash()).is_none());
    }

    #[test]
    fn the_derivation_is_pinned() {
        // python3 -c "from argon2.low_level import *; print(hash_secret_raw(b'22222222', b'dice-of-doom pairing v1', 2,
        // 19456, 1, 64, Type.ID).hex()[:32])"
        let keys = PairingCode::from_random_bytes([0; 16]).derive_keys();
        let hex: String = keys.hash.as_bytes()[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(hex, "67d914889eab9d4216fefe024711dd68");
    }
}
