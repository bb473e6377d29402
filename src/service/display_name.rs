//! What people want to be called.

use std::str::FromStr;

use thiserror::Error;

use crate::record::is_invisible;

/// A name that a person gave: 1 to 32 characters, none of them invisible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisplayName(String);

/// Why a text is no name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DisplayNameError {
    /// It is empty but for blanks.
    #[error("a name has at least one character")]
    Empty,
    /// It has more than [`DisplayName::LONGEST`] characters.
    #[error("a name has at most 32 characters")]
    TooLong,
    /// It has a control character, or one that is invisible or changes the direction of writing.
    #[error("a name has no control characters and none that cannot be seen")]
    Invisible,
}

impl DisplayName {
    /// The most characters of a name.
    pub const LONGEST: usize = 32;

    /// The name as it is shown; pages escape it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in a field that may be left empty.
    ///
    /// # Errors
    /// [`DisplayNameError::TooLong`] and [`DisplayNameError::Invisible`].
    pub fn optional(text: &str) -> Result<Option<Self>, DisplayNameError> {
        match text.parse() {
            Err(DisplayNameError::Empty) => Ok(None),
            name => name.map(Some),
        }
    }
}

impl FromStr for DisplayName {
    type Err = DisplayNameError;

    /// ```
    /// use dice_of_doom::service::{Name, NameError};
    ///
    /// assert_eq!(" Ada ".parse::<Name>().map(|name| name.as_str().to_owned()), Ok("Ada".to_owned()));
    /// assert_eq!("Ada\u{202e}".parse::<Name>(), Err(NameError::Invisible));
    /// ```
    fn from_str(text: &str) -> Result<Self, DisplayNameError> {
        let text = text.trim();
        if text.is_empty() {
            Err(DisplayNameError::Empty)
        } else if text.chars().any(is_invisible) {
            Err(DisplayNameError::Invisible)
        } else if text.chars().count() > Self::LONGEST {
            Err(DisplayNameError::TooLong)
        } else {
            Ok(DisplayName(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_counted_in_characters() {
        let name = |text: &str| text.parse::<DisplayName>().map(|name| name.0);
        assert_eq!(name("  Ada Lovelace\n"), Ok("Ada Lovelace".to_owned()));
        assert_eq!(name("岡田 🎲 <b>"), Ok("岡田 🎲 <b>".to_owned()));
        assert_eq!(name(&"ä".repeat(32)), Ok("ä".repeat(32)));
        assert_eq!(name(&"ä".repeat(33)), Err(DisplayNameError::TooLong));
        for empty in ["", "   ", "\t\n"] {
            assert_eq!(name(empty), Err(DisplayNameError::Empty));
            assert_eq!(DisplayName::optional(empty), Ok(None));
        }
    }

    #[test]
    fn what_cannot_be_seen_is_no_name() {
        for unseen in [
            '\0',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{200f}',
            '\u{202e}',
            '\u{2028}',
            '\u{2066}',
            '\u{feff}',
            '\u{61c}',
            '\u{e0041}',
            '\u{3164}',
            '\u{fff9}',
        ] {
            let name = format!("A{unseen}b");
            assert_eq!(
                name.parse::<DisplayName>(),
                Err(DisplayNameError::Invisible),
                "{unseen:?}"
            );
        }
    }
}
