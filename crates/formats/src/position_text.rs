//! Parser of positions in compact notation, whose parts are separated by points.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

/// Why a text is not a position, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("this is no position in notation, character {at}: {why}")]
pub struct PositionTextError {
    /// In characters, counted from 1.
    pub at: usize,
    /// As part of a sentence for API clients.
    pub why: String,
}

impl PositionTextError {
    /// The same error in a longer text, after this number of characters.
    #[must_use]
    pub fn offset_by(self, characters: usize) -> Self {
        let at = self.at + characters;
        PositionTextError { at, ..self }
    }
}

/// Parses the parts of a text in order.
pub struct PositionTextReader<'t> {
    text: &'t str,
    /// The byte offset of the next part; beyond the text after the last one.
    next: usize,
}

impl<'t> PositionTextReader<'t> {
    /// A reader at the beginning of a text.
    #[must_use]
    pub const fn new(text: &'t str) -> Self {
        PositionTextReader { text, next: 0 }
    }

    /// The next part; `what` describes it in errors.
    pub fn part(&mut self, what: &str) -> Result<PositionTextPart<'t>, PositionTextError> {
        let missing = || error_at_byte(self.text, self.text.len(), format!("{what} is missing"));
        let rest = self.text.get(self.next..).ok_or_else(missing)?;
        let length = rest.find('.').unwrap_or(rest.len());
        let part = PositionTextPart {
            text: self.text,
            from: self.next,
            to: self.next + length,
        };
        self.next = part.to + 1;
        Ok(part)
    }

    /// Parses the next part.
    pub fn read<N: FromStr>(&mut self, what: &str) -> Result<N, PositionTextError> {
        let part = self.part(what)?;
        let value = part.text().parse();
        value.map_err(|_| part.error(format!("this is not {what}")))
    }

    /// Whether there is another part.
    pub const fn has_more(&self) -> bool {
        self.next <= self.text.len()
    }

    /// Checks that there is no other part.
    pub fn end(mut self) -> Result<(), PositionTextError> {
        match self.part("") {
            Ok(more) => Err(more.error("the position ends before this")),
            Err(_) => Ok(()),
        }
    }
}

/// A part of a text, and where it stands.
#[derive(Clone, Copy)]
pub struct PositionTextPart<'t> {
    text: &'t str,
    from: usize,
    to: usize,
}

impl<'t> PositionTextPart<'t> {
    /// The part without its points.
    #[must_use]
    pub fn text(&self) -> &'t str {
        &self.text[self.from..self.to]
    }

    /// An error at this part.
    pub fn error(&self, why: impl Display) -> PositionTextError {
        error_at_byte(self.text, self.from, why)
    }

    /// An error at this byte offset within the part.
    pub fn error_at(&self, bytes: usize, why: impl Display) -> PositionTextError {
        error_at_byte(self.text, self.from + bytes, why)
    }
}

fn error_at_byte(text: &str, byte: usize, why: impl Display) -> PositionTextError {
    let before = text.char_indices().filter(|(at, _)| *at < byte);
    PositionTextError {
        at: before.count() + 1,
        why: why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_location() {
        let mut reader = PositionTextReader::new("é.5.x");
        assert_eq!(reader.part("a word").unwrap().text(), "é");
        assert_eq!(reader.read("a number"), Ok(5));
        let error = reader.read::<u8>("a number").unwrap_err();
        assert_eq!((error.at, &*error.why), (5, "this is not a number"));
        assert!(!reader.has_more());
        let missing = reader.read::<u8>("the end").unwrap_err();
        assert_eq!((missing.at, &*missing.why), (6, "the end is missing"));
        let more = PositionTextReader::new("a").end().unwrap_err();
        assert_eq!(more.offset_by(4).at, 5);
    }
}
