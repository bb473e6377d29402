//! Columns, cells and lines as bitboards.
//!
//! Each column has one bit per row, bottom row first, and one bit above them that is never set: adding one to a
//! column's bits finds its landing cell, and no line runs from the top of one column into the next (the layout
//! of John Tromp's Fhourstones). On a 3×3 board:
//!
//! ```text
//!  3  7 11     never set
//!  2  6 10
//!  1  5  9
//!  0  4  8
//! ```

use std::fmt;
use std::str::FromStr;

/// A bitboard; `width · (height + 1)` bits are used.
pub(super) type Chips = u128;

/// The maximum number of bits of a board.
pub(super) const MAX_BITS: u16 = 128;

/// The maximum number of columns: 64, of height 1.
const MAX_COLUMNS: u8 = (MAX_BITS / 2) as u8;

/// A column of a board, counted from 0 at the left; created by `Trilobite::column`.
///
/// Its text form is the letters a … z, aa, ab …
///
/// ```
/// use dice_of_doom_games::trilobite::Column;
///
/// let column: Column = "ab".parse()?;
/// assert_eq!((column.number(), column.to_string()), (27, "ab".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column(pub(super) u8);

impl Column {
    /// The number of the column, counted from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Twice the distance from the middle of a board with so many columns.
    pub(super) const fn distance_from_middle(self, width: u8) -> u8 {
        (2 * self.0 + 1).abs_diff(width)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |number: u8| char::from(b'a' + number);
        if let Some(before) = (self.0 / 26).checked_sub(1) {
            write!(f, "{}", letter(before))?;
        }
        write!(f, "{}", letter(self.0 % 26))
    }
}

/// The text is not a column of any board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no column; a column is a letter such as d")]
pub struct ColumnParseError(pub String);

impl FromStr for Column {
    type Err = ColumnParseError;
    fn from_str(text: &str) -> Result<Self, ColumnParseError> {
        let value = |letter: u8| letter.is_ascii_lowercase().then(|| letter - b'a');
        let number = match *text.as_bytes() {
            [only] => value(only),
            [first, second] => value(first)
                .zip(value(second))
                .map(|(first, second)| (u16::from(first) + 1) * 26 + u16::from(second))
                .and_then(|number| u8::try_from(number).ok()),
            _ => None,
        };
        number
            .filter(|&number| number < MAX_COLUMNS)
            .map(Column)
            .ok_or_else(|| ColumnParseError(text.to_owned()))
    }
}

/// The bit distances between neighbours in a line: vertical, horizontal, rising, falling.
pub(super) const fn steps(height: u8) -> [u32; 4] {
    let height = height as u32;
    [1, height + 1, height + 2, height]
}

/// The indices of the set bits, lowest first.
pub(super) fn iter_bit_indices(mut set: Chips) -> impl Iterator<Item = u8> + Clone {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_parse_as_they_are_displayed() {
        for number in 0..MAX_COLUMNS {
            assert_eq!(Column(number).to_string().parse(), Ok(Column(number)));
        }
        let names: Vec<String> = [0, 25, 26, 51, 52, 63]
            .into_iter()
            .map(|number| Column(number).to_string())
            .collect();
        assert_eq!(names, ["a", "z", "aa", "az", "ba", "bl"]);
        for text in ["", "A", "1", "bm", "zz", "aaa", "ä", " a"] {
            assert_eq!(
                text.parse::<Column>(),
                Err(ColumnParseError(text.to_owned()))
            );
        }
    }
}
