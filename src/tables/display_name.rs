//! Display names of players.

use std::str::FromStr;

use thiserror::Error;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::web_address::contains_web_address;

/// A player's name: 1 to 32 characters that can be seen, and what joins them; no web address.
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
    /// See [`is_readable`].
    #[error(
        "a name has no control characters and none that cannot be seen, except where they join others"
    )]
    Invisible,
    /// It contains a web address.
    #[error("a name has no web address: put a space after a dot")]
    Address,
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
    /// As parsing, but for [`DisplayNameError::Empty`].
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
    /// use dice_of_doom::tables::{DisplayName, DisplayNameError};
    ///
    /// assert_eq!(" Ada ".parse::<DisplayName>().map(|name| name.as_str().to_owned()), Ok("Ada".to_owned()));
    /// assert_eq!("Ada\u{202e}".parse::<DisplayName>(), Err(DisplayNameError::Invisible));
    /// ```
    fn from_str(text: &str) -> Result<Self, DisplayNameError> {
        let text = text.trim();
        if text.is_empty() {
            Err(DisplayNameError::Empty)
        } else if !is_readable(text) {
            Err(DisplayNameError::Invisible)
        } else if text.chars().count() > Self::MAX_CHARACTERS {
            Err(DisplayNameError::TooLong)
        } else if contains_web_address(text) {
            Err(DisplayNameError::Address)
        } else {
            Ok(DisplayName(text.to_owned()))
        }
    }
}

/// Whether a reader can see each character of a text, by its general category
/// (<https://www.unicode.org/reports/tr44/#General_Category_Values>). Marks and variation selectors must follow a
/// character that they change. The two joiners must stand between such characters, as in Persian words and in emoji of
/// several people, or after a mark, as at the end of words in Malayalam. Control characters, those that change the
/// writing direction, characters that Unicode has not assigned and letters with an empty glyph are refused.
#[must_use]
pub fn is_readable(text: &str) -> bool {
    let mut before = Shape::Space;
    for c in text.chars() {
        let Some(shape) = Shape::of(c) else {
            return false;
        };
        let changes_nothing = matches!(
            (before, shape),
            (Shape::Space, Shape::Mark | Shape::Joiner)
                | (Shape::Joiner, Shape::Space | Shape::Joiner)
                | (Shape::JoinerAfterMark, Shape::Joiner)
        );
        if changes_nothing {
            return false;
        }
        before = match (before, shape) {
            (Shape::Mark, Shape::Joiner) => Shape::JoinerAfterMark,
            _ => shape,
        };
    }
    before != Shape::Joiner
}

/// What a character does in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Space,
    /// It can be seen by itself.
    Visible,
    /// It changes the character before it.
    Mark,
    /// The zero width joiner or non-joiner.
    Joiner,
    JoinerAfterMark,
}

impl Shape {
    /// `None` for a character that no readable text has.
    fn of(c: char) -> Option<Self> {
        use GeneralCategory as G;
        match (c, c.general_category()) {
            ('\u{200c}' | '\u{200d}', _) => Some(Shape::Joiner),
            // Letters and symbols with an empty glyph.
            ('\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{1d159}', _)
            | (
                _,
                G::Control
                | G::Format
                | G::Unassigned
                | G::Surrogate
                | G::LineSeparator
                | G::ParagraphSeparator,
            ) => None,
            (_, G::SpaceSeparator) => Some(Shape::Space),
            (_, G::NonspacingMark | G::SpacingMark | G::EnclosingMark) => Some(Shape::Mark),
            _ => Some(Shape::Visible),
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
            '\u{200f}',
            '\u{202e}',
            '\u{2028}',
            '\u{2066}',
            '\u{feff}',
            '\u{61c}',
            '\u{e0041}',
            '\u{3164}',
            '\u{fff9}',
            '\u{fffe}',
            '\u{ffff}',
            '\u{fdd0}',
            '\u{10ffff}',
        ] {
            let name = format!("A{invisible}b");
            assert_eq!(
                name.parse::<DisplayName>(),
                Err(DisplayNameError::Invisible),
                "{invisible:?}"
            );
        }
    }

    #[test]
    fn joiners_and_marks_change_a_visible_character() {
        let readable = [
            "می\u{200c}خواهم",
            "അവന്\u{200d}",
            "അവന്\u{200d} രാമന്\u{200d}",
            "ශ්\u{200d}රී",
            "র\u{200d}্যাব",
            "👩\u{200d}👩\u{200d}👧\u{200d}👦",
            "👩🏽\u{200d}🚀",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "🇯🇵",
            "葛\u{e0100}飾",
            "e\u{301}",
            "नमस्ते",
            "이름",
            "Ada\u{3000}Lovelace",
        ];
        for name in readable {
            let parsed = name.parse::<DisplayName>();
            assert_eq!(parsed.as_ref().map(DisplayName::as_str), Ok(name));
        }
        for unseen in [
            "\u{200d}",
            "\u{200c}\u{200c}",
            "\u{fe0f}",
            "\u{301}",
            "\u{34f}\u{34f}",
            "\u{e0100}",
            "\u{3164}",
            "\u{2800}\u{2800}",
            "Ada\u{200d}",
            "\u{200c}Ada",
            "Ada \u{200d}b",
            "Ada\u{200d} b",
            "A\u{200d}\u{200d}b",
            "ന്\u{200d}\u{200d}",
            "A \u{301}",
        ] {
            let parsed = unseen.parse::<DisplayName>();
            assert_eq!(parsed, Err(DisplayNameError::Invisible), "{unseen:?}");
        }
    }
}
