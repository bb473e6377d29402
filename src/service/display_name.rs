//! Display names of players.

use std::str::FromStr;

use thiserror::Error;

use crate::record::is_invisible;

/// A player's name: 1 to 32 characters, none of them invisible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisplayName(String);

/// Why a text is not a valid name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DisplayNameError {
    /// Empty or only whitespace.
    #[error("a name has at least one character")]
    Empty,
    #[error("a name has at most 32 characters")]
    TooLong,
    /// It contains a control character, or one that is invisible or changes the writing direction.
    #[error("a name has no control characters and none that cannot be seen")]
    Invisible,
}

impl DisplayName {
    /// Maximum number of characters.
    pub const MAX_CHARACTERS: usize = 32;

    /// The unescaped name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a form field that may be empty.
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
    /// use dice_of_doom::service::{DisplayName, DisplayNameError};
    ///
    /// assert_eq!(" Ada ".parse::<DisplayName>().map(|name| name.as_str().to_owned()), Ok("Ada".to_owned()));
    /// assert_eq!("Ada\u{202e}".parse::<DisplayName>(), Err(DisplayNameError::Invisible));
    /// ```
    fn from_str(text: &str) -> Result<Self, DisplayNameError> {
        let text = text.trim();
        if text.is_empty() {
            Err(DisplayNameError::Empty)
        } else if text.chars().any(is_invisible) {
            Err(DisplayNameError::Invisible)
        } else if text.chars().count() > Self::MAX_CHARACTERS {
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
    fn invisible_characters_are_rejected() {
        for invisible in [
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
            let name = format!("A{invisible}b");
            assert_eq!(
                name.parse::<DisplayName>(),
                Err(DisplayNameError::Invisible),
                "{invisible:?}"
            );
        }
    }
}
