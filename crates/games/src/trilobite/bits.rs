//! Sets of chips in one machine word or in two: what a search asks of them millions of times.
//!
//! The layout is that of [`super::board`]. A usual board fits in 64 bits, where shifts are several times
//! as fast as in 128. Lines of four, the usual ones, are found without a loop.

use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr, Sub};

use super::board::{Chips, steps};
use super::rules::Trilobite;

/// A set of bits.
pub(super) trait BitSet:
    Copy
    + Default
    + Ord
    + Hash
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many bits there are.
    const BITS: u32;
    /// The lowest bit alone.
    const ONE: Self;

    /// The low bits of a board.
    fn from_chips(chips: Chips) -> Self;

    /// How many bits are set.
    fn bit_count(self) -> u32;

    /// The lowest set bit alone, if there is one.
    fn lowest_bit(self) -> Self;

    /// The place of the lowest set bit.
    fn lowest_index(self) -> u32;

    /// All bits mixed into 64, of which the first ones are the best mixed.
    fn mixed(self) -> u64;

    /// Whether no bit is set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Each set bit alone, the lowest first.
    #[inline(always)]
    fn iter_bits(mut self) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let bit = self.lowest_bit();
            self = self ^ bit;
            (!bit.is_empty()).then_some(bit)
        })
    }

    /// Whether two bits are set, or more.
    #[inline(always)]
    fn has_at_least_two(self) -> bool {
        !self.is_empty() && !(self & (self - Self::ONE)).is_empty()
    }
}

/// 2⁶⁴ divided by the golden ratio, odd: multiplying by it spreads keys evenly (Knuth 1973, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl BitSet for u64 {
    const BITS: u32 = u64::BITS;
    const ONE: u64 = 1;

    #[inline(always)]
    fn from_chips(chips: Chips) -> u64 {
        chips as u64
    }

    #[inline(always)]
    fn bit_count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn lowest_bit(self) -> Self {
        self & self.wrapping_neg()
    }

    #[inline(always)]
    fn lowest_index(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline(always)]
    fn mixed(self) -> u64 {
        (self ^ self >> 32).wrapping_mul(SPREAD)
    }
}

impl BitSet for u128 {
    const BITS: u32 = u128::BITS;
    const ONE: u128 = 1;

    #[inline(always)]
    fn from_chips(chips: Chips) -> u128 {
        chips
    }

    #[inline(always)]
    fn bit_count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn lowest_bit(self) -> Self {
        self & self.wrapping_neg()
    }

    #[inline(always)]
    fn lowest_index(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline(always)]
    fn mixed(self) -> u64 {
        ((self >> 64) as u64)
            .mixed()
            .wrapping_add(self as u64)
            .mixed()
    }
}

/// The cells of a board as bits, and what can be asked of sets of them.
#[derive(Clone, Copy)]
pub(super) struct BoardMasks<B> {
    height: u8,
    win: u8,
    /// All cells.
    pub(super) board: B,
    /// The cells of the bottom row.
    pub(super) bottoms: B,
    /// Lines of four, where no shift goes past the last bit.
    is_plain: bool,
}

impl<B: BitSet> BoardMasks<B> {
    #[inline]
    pub(super) const fn height(&self) -> u8 {
        self.height
    }

    /// The field of a game; the word must have room for its bits.
    #[inline]
    pub(super) fn for_game(game: &Trilobite) -> Self {
        let (height, win) = (game.height(), game.win());
        BoardMasks {
            height,
            win,
            board: B::from_chips(game.board()),
            bottoms: B::from_chips(game.bottoms()),
            is_plain: win == 4 && 3 * (u32::from(height) + 2) < B::BITS,
        }
    }

    /// Where the next chip of each column lands on top of these chips.
    #[inline(always)]
    pub(super) fn landings(&self, chips: B) -> B {
        (chips + self.bottoms) & self.board
    }

    /// The bits where one more chip completes a line of these chips, on the board or off it. Nothing is
    /// empty below a chip; what is said of cells with a chip means nothing.
    #[inline(always)]
    pub(super) fn completing_cells(&self, chips: B) -> B {
        if self.is_plain {
            completing_four(chips, self.height)
        } else {
            completing_any(chips, self.height, self.win)
        }
    }

    /// Whether there is a line in any direction.
    #[inline(always)]
    pub(super) fn has_line(&self, chips: B) -> bool {
        let line = |step| {
            if self.is_plain {
                let pairs = chips & chips >> step;
                pairs & pairs >> (2 * step)
            } else {
                line_starts(chips, step, self.win)
            }
        };
        steps(self.height)
            .into_iter()
            .any(|step| !line(step).is_empty())
    }

    /// The open lines of a player that lack one, two and three chips.
    #[inline]
    pub(super) fn open_lines(&self, own: B, other: B) -> [u32; 3] {
        let free = self.board & !other;
        let mut counts = [0; 3];
        for step in steps(self.height) {
            let open = line_starts(free, step, self.win);
            if open.is_empty() {
                continue;
            }
            // `lacking[k]` is the set of lines that lack k chips among the cells seen so far.
            let mut lacking = [open, B::default(), B::default(), B::default()];
            for place in 0..u32::from(self.win) {
                let here = shift_right(own, step * place);
                for more in (1..lacking.len()).rev() {
                    lacking[more] = lacking[more] & here | lacking[more - 1] & !here;
                }
                lacking[0] = lacking[0] & here;
            }
            for (count, lines) in counts.iter_mut().zip(&lacking[1..]) {
                *count += lines.bit_count();
            }
        }
        counts
    }
}

/// Upright lines are completed on top only.
#[inline(always)]
fn completing_four<B: BitSet>(chips: B, height: u8) -> B {
    let mut cells = chips << 1 & chips << 2 & chips << 3;
    for step in &steps(height)[1..] {
        let (before, after) = (chips << *step, chips >> *step);
        let two_before = before & chips << (2 * step);
        let two_after = after & chips >> (2 * step);
        cells |= two_before & (after | chips << (3 * step));
        cells |= two_after & (before | chips >> (3 * step));
    }
    cells
}

fn completing_any<B: BitSet>(chips: B, height: u8, win: u8) -> B {
    let mut cells = B::default();
    for step in steps(height) {
        for before in 0..win {
            let after = win - 1 - before;
            let mut here = !B::default();
            if before > 0 {
                let ends = step * u32::from(before);
                here = here & shift_left(line_starts(chips, step, before), ends);
            }
            if after > 0 {
                here = here & shift_right(line_starts(chips, step, after), step);
            }
            cells |= here;
        }
    }
    cells
}

/// The first chips of all lines of this length in one direction.
#[inline]
pub(super) fn line_starts<B: BitSet>(chips: B, step: u32, length: u8) -> B {
    let length = u32::from(length);
    let mut starts = chips;
    let mut reached = 1;
    while 2 * reached <= length {
        starts = starts & shift_right(starts, step * reached);
        reached *= 2;
    }
    starts & shift_right(starts, step * (length - reached))
}

/// Shifts right; a shift past the last bit gives nothing, where `>>` would wrap.
#[inline(always)]
fn shift_right<B: BitSet>(bits: B, by: u32) -> B {
    if by < B::BITS {
        bits >> by
    } else {
        B::default()
    }
}

/// The same to the left.
#[inline(always)]
fn shift_left<B: BitSet>(bits: B, by: u32) -> B {
    if by < B::BITS {
        bits << by
    } else {
        B::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chips of one player and of both, on columns of any height.
    fn drawn(board: u128) -> impl Iterator<Item = (u128, u128)> {
        let drawn = |number: u64| u128::from(number.wrapping_mul(SPREAD).mixed().mixed());
        (1..3_000).map(move |number| {
            let mut all = drawn(2 * number) & drawn(3 * number) & drawn(5 * number) & board;
            for _ in 0..64 {
                all |= all >> 1 & board;
            }
            (all & drawn(7 * number), all)
        })
    }

    #[test]
    fn one_word_and_two_and_lines_of_any_length_say_the_same() {
        for (width, height) in [(8, 7), (7, 6), (4, 4), (10, 5), (1, 63), (32, 1)] {
            let win = 4;
            let game = Trilobite::new(width, height, win).expect("a possible game");
            let (narrow, wide) = (BoardMasks::<u64>::for_game(&game), BoardMasks::<u128>::for_game(&game));
            for (own, all) in drawn(game.board()) {
                let (few, empty) = (u64::from_chips(own), wide.board & !all);
                let expected = completing_any(own, height, win) & empty;
                let at = format!("{width}×{height}, {own:#x} of {all:#x}");
                assert_eq!(wide.completing_cells(own) & empty, expected, "{at}");
                assert_eq!(u128::from(narrow.completing_cells(few)) & empty, expected, "{at}");
                let lines = steps(height).map(|step| line_starts(own, step, win));
                let has_line = lines.iter().any(|line| *line != 0);
                assert_eq!(narrow.has_line(few), has_line, "{at}");
                assert_eq!(wide.has_line(own), has_line, "{at}");
            }
        }
    }

    #[test]
    fn the_cells_that_complete_a_line_are_those_that_do() {
        let game = Trilobite::new(8, 7, 4).expect("a possible game");
        let field = BoardMasks::<u128>::for_game(&game);
        for (own, all) in drawn(game.board()) {
            let completing = field.completing_cells(own);
            for chip in (field.board & !all).iter_bits() {
                let is_in_line = steps(7).iter().any(|&step| {
                    let line = line_starts(own | chip, step, 4);
                    (0..4).any(|place| line << (step * place) & chip != 0)
                });
                assert_eq!(completing & chip != 0, is_in_line, "{own:#x}, {chip:#x}");
            }
        }
    }
}
