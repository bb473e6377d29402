//! The entropy text that a player adds to the dice.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A text of 1 to [`EntropyText::MAX_CHARS`] visible characters without leading or trailing white space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyText(String);

/// Why a text is not valid entropy text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EntropyTextError {
    /// The text is empty.
    #[error("at least one character is needed")]
    Empty,
    /// The text contains an invisible character.
    #[error("it contains an invisible character")]
    Invisible,
    /// The text is longer than [`EntropyText::MAX_CHARS`].
    #[error("at most {} characters are accepted", EntropyText::MAX_CHARS)]
    TooLong,
}

impl EntropyText {
    /// The maximum number of characters.
    pub const MAX_CHARS: usize = 64;

    /// Validates a text without trimming it; `None` if it is invalid or would be trimmed.
    #[must_use]
    pub fn from_exact(text: &str) -> Option<Self> {
        text.parse().ok().filter(|EntropyText(words)| words == text)
    }

    /// The text as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntropyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for EntropyText {
    type Err = EntropyTextError;

    /// Trims white space at both ends and validates the text.
    fn from_str(text: &str) -> Result<Self, EntropyTextError> {
        let text = text.trim();
        if text.is_empty() {
            Err(EntropyTextError::Empty)
        } else if text.chars().any(is_invisible) {
            Err(EntropyTextError::Invisible)
        } else if text.chars().count() > EntropyText::MAX_CHARS {
            Err(EntropyTextError::TooLong)
        } else {
            Ok(EntropyText(text.to_owned()))
        }
    }
}

/// Whether a character is invisible or changes how others are rendered: control characters, Unicode general category Cf
/// (version 16), the line and paragraph separators, and letters with an empty glyph.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
        || matches!(
            c,
            '\u{2028}'
                | '\u{2029}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{ffa0}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_and_counted_in_characters() {
        let parse = |text: &str| text.parse::<EntropyText>().map(|entropy| entropy.0);
        assert_eq!(
            parse(" my cat walked here\n"),
            Ok("my cat walked here".to_owned())
        );
        assert_eq!(parse(&"猫".repeat(64)), Ok("猫".repeat(64)));
        assert_eq!(parse(&"猫".repeat(65)), Err(EntropyTextError::TooLong));
        assert_eq!(parse("  "), Err(EntropyTextError::Empty));
        assert_eq!(parse("a\u{202e}b"), Err(EntropyTextError::Invisible));
    }

    #[test]
    fn stored_text_must_match_exactly() {
        assert_eq!(EntropyText::from_exact("a b").unwrap().as_str(), "a b");
        assert_eq!(EntropyText::from_exact(" a b"), None);
        assert_eq!(EntropyText::from_exact(""), None);
    }
}
