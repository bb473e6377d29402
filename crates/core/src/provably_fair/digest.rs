//! SHA-256 digests and their text form.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// A public SHA-256 digest. Its text form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sha256Digest(pub(super) [u8; 32]);

impl Sha256Digest {
    /// Computes the digest of these bytes.
    #[must_use]
    pub fn compute(bytes: &[u8]) -> Self {
        Sha256Digest(Sha256::digest(bytes).into())
    }

    /// The bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The text is not 64 lower-case hexadecimal digits. The error does not contain the text, which may be secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("these are not 64 lower-case hexadecimal digits")]
pub struct HexParseError;

impl FromStr for Sha256Digest {
    type Err = HexParseError;
    fn from_str(text: &str) -> Result<Self, HexParseError> {
        parse_hex(text).map(Sha256Digest)
    }
}

/// Parses 64 lower-case hexadecimal digits.
///
/// # Errors
/// For any other text, for example upper-case digits.
pub fn parse_hex(text: &str) -> Result<[u8; 32], HexParseError> {
    let digits = text.as_bytes();
    let digit = |index: usize| match digits.get(index) {
        Some(digit @ b'0'..=b'9') => Ok(digit - b'0'),
        Some(digit @ b'a'..=b'f') => Ok(digit - b'a' + 10),
        _ => Err(HexParseError),
    };
    if digits.len() != 64 {
        return Err(HexParseError);
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * index)? << 4 | digit(2 * index + 1)?;
    }
    Ok(bytes)
}

/// Formats bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_have_one_form() {
        let digest = Sha256Digest::compute(b"");
        let text = digest.to_string();
        assert_eq!(text.parse(), Ok(digest));
        for bad in [
            text.to_uppercase(),
            text[1..].to_owned(),
            format!("{text}0"),
            text.replace('e', "é"),
            String::new(),
        ] {
            assert_eq!(bad.parse::<Sha256Digest>(), Err(HexParseError), "{bad}");
        }
    }
}
