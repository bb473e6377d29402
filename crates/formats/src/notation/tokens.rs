//! Tokenizer of the notation: lines, words and their locations.

use std::str::FromStr;

use super::NotationError;

/// A location in a text: a word of a line, or the rest of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextSpan<'t> {
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) line: &'t str,
    /// The span in bytes.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The lines of a text; the last line break is optional.
pub(super) fn lines(text: &str) -> impl Iterator<Item = TextSpan<'_>> {
    (1..).zip(text.lines()).map(|(number, line)| TextSpan {
        number,
        line,
        from: 0,
        to: line.len(),
    })
}

impl<'t> TextSpan<'t> {
    /// The location for errors in a text without lines.
    pub(super) const NOWHERE: TextSpan<'static> = TextSpan {
        number: 1,
        line: "",
        from: 0,
        to: 0,
    };

    pub(super) fn text(&self) -> &'t str {
        &self.line[self.from..self.to]
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text().trim().is_empty()
    }

    /// An error at this location.
    pub(super) fn error(&self, why: impl Into<String>) -> NotationError {
        NotationError {
            line: self.number,
            column: self.line[..self.from].chars().count() + 1,
            why: why.into(),
        }
    }

    pub(super) const fn tokens(self) -> TokenReader<'t> {
        TokenReader { left: self }
    }
}

/// The rest of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenReader<'t> {
    left: TextSpan<'t>,
}

/// An action with its roll, and their location.
pub(super) struct PlyToken<'t> {
    pub(super) span: TextSpan<'t>,
    pub(super) action: String,
    pub(super) roll: String,
}

impl<'t> TokenReader<'t> {
    /// The next word. Words are separated by one space.
    pub(super) fn next(&mut self) -> Option<TextSpan<'t>> {
        let left = self.left;
        if left.text().is_empty() {
            return None;
        }
        let length = left.text().find(' ').unwrap_or(left.text().len());
        self.left.from = (left.from + length + 1).min(left.to);
        Some(TextSpan {
            to: left.from + length,
            ..left
        })
    }

    /// The next word; an error if there is none.
    pub(super) fn require(&mut self, what: &str) -> Result<TextSpan<'t>, NotationError> {
        let left = self.left;
        let word = self.next().filter(|word| !word.text().is_empty());
        word.ok_or_else(|| left.error(format!("{what} is missing")))
    }

    /// The next word as a number without sign and leading zeros.
    pub(super) fn number<N: FromStr + ToString>(&mut self, what: &str) -> Result<N, NotationError> {
        let word = self.require(what)?;
        let number = word.text().parse::<N>().ok();
        let number = number.filter(|number| number.to_string() == word.text());
        number.ok_or_else(|| word.error(format!("{what} is a number")))
    }

    /// The next word as a number, if there is one.
    pub(super) fn next_number<N: FromStr + ToString>(
        &mut self,
        what: &str,
    ) -> Result<Option<N>, NotationError> {
        if self.left.text().is_empty() {
            return Ok(None);
        }
        self.number(what).map(Some)
    }

    /// An error at the current location.
    pub(super) fn error(&self, why: &str) -> NotationError {
        self.left.error(why)
    }

    /// The rest of the line.
    pub(super) fn rest(&mut self) -> TextSpan<'t> {
        let left = self.left;
        self.left.from = left.to;
        left
    }

    /// Checks that the line ends here.
    pub(super) fn end(&self) -> Result<(), NotationError> {
        if self.left.text().is_empty() {
            Ok(())
        } else {
            Err(self.left.error("nothing more belongs here"))
        }
    }

    /// The next ply: an action, followed by its roll in parentheses.
    pub(super) fn ply(&mut self) -> Result<Option<PlyToken<'t>>, NotationError> {
        let span = self.left;
        let text = span.text();
        if text.is_empty() {
            return Ok(None);
        }
        let length = text.find([' ', '(']).unwrap_or(text.len());
        if length == 0 {
            return Err(span.error("an action is missing"));
        }
        let (action, rest) = text.split_at(length);
        let (roll, used) = match rest.strip_prefix('(') {
            None => ("", length),
            Some(roll) => {
                let end = roll.find(')').filter(|end| *end > 0);
                let end = end.ok_or_else(|| span.error("the roll has no end"))?;
                (&roll[..end], length + end + 2)
            }
        };
        let span = TextSpan {
            to: span.from + used,
            ..span
        };
        self.left.from = span.to;
        match self.left.text().strip_prefix(' ') {
            Some(more) if !more.is_empty() => self.left.from += 1,
            None if self.left.text().is_empty() => {}
            _ => return Err(self.left.error("one space separates plies")),
        }
        let (action, roll) = (action.to_owned(), roll.to_owned());
        Ok(Some(PlyToken { span, action, roll }))
    }
}
