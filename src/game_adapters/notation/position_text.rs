//! The text of a position, read part by part: points stand between them.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

/// Why a text is no position, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("this is no position in notation, character {at}: {why}")]
pub struct PositionTextError {
    /// The character, counted from 1.
    pub at: usize,
    /// What is wrong there.
    pub why: String,
}

impl PositionTextError {
    /// The same within a longer text, behind this number of characters.
    pub(in crate::game_adapters) fn offset_by(self, characters: usize) -> Self {
        let at = self.at + characters;
        PositionTextError { at, ..self }
    }
}

/// Reads the parts of a text.
pub(in crate::game_adapters) struct PositionTextReader<'t> {
    text: &'t str,
    /// Where the next part begins, in bytes; beyond the text after the last.
    next: usize,
}

impl<'t> PositionTextReader<'t> {
    pub(in crate::game_adapters) const fn new(text: &'t str) -> Self {
        PositionTextReader { text, next: 0 }
    }

    /// The next part, which is called `what` where it is missing.
    pub(in crate::game_adapters) fn part(
        &mut self,
        what: &str,
    ) -> Result<PositionTextPart<'t>, PositionTextError> {
        let missing = || wrong(self.text, self.text.len(), format!("{what} is missing"));
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

    /// What the next part says.
    pub(in crate::game_adapters) fn read<N: FromStr>(
        &mut self,
        what: &str,
    ) -> Result<N, PositionTextError> {
        let part = self.part(what)?;
        let read = part.text().parse();
        read.map_err(|_| part.wrong(format!("this is not {what}")))
    }

    /// Whether a part is left.
    pub(in crate::game_adapters) const fn has_more(&self) -> bool {
        self.next <= self.text.len()
    }

    /// Nothing is left.
    pub(in crate::game_adapters) fn end(mut self) -> Result<(), PositionTextError> {
        match self.part("") {
            Ok(more) => Err(more.wrong("the position ends before this")),
            Err(_) => Ok(()),
        }
    }
}

/// A part of a position's text.
#[derive(Clone, Copy)]
pub(in crate::game_adapters) struct PositionTextPart<'t> {
    text: &'t str,
    from: usize,
    to: usize,
}

impl<'t> PositionTextPart<'t> {
    pub(in crate::game_adapters) fn text(&self) -> &'t str {
        &self.text[self.from..self.to]
    }

    /// Something is wrong here.
    pub(in crate::game_adapters) fn wrong(&self, why: impl Display) -> PositionTextError {
        wrong(self.text, self.from, why)
    }

    /// Something is wrong this number of bytes behind the beginning.
    pub(in crate::game_adapters) fn wrong_at(
        &self,
        bytes: usize,
        why: impl Display,
    ) -> PositionTextError {
        wrong(self.text, self.from + bytes, why)
    }
}

fn wrong(text: &str, byte: usize, why: impl Display) -> PositionTextError {
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
    fn what_is_wrong_has_a_place() {
        let mut reader = PositionTextReader::new("é.5.x");
        assert_eq!(reader.part("a word").unwrap().text(), "é");
        assert_eq!(reader.read("a number"), Ok(5));
        let wrong = reader.read::<u8>("a number").unwrap_err();
        assert_eq!((wrong.at, &*wrong.why), (5, "this is not a number"));
        assert!(!reader.has_more());
        let missing = reader.read::<u8>("the end").unwrap_err();
        assert_eq!((missing.at, &*missing.why), (6, "the end is missing"));
        let more = PositionTextReader::new("a").end().unwrap_err();
        assert_eq!(more.offset_by(4).at, 5);
    }
}
