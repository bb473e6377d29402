//! Bitboards of one or two machine words, for the searches.
//!
//! The layout is that of [`super::board`]. Boards of default size fit in 64 bits, where shifts are several
//! times as fast as in 128. Lines of four are found without a loop.

use std::hash::Hash;
use std::ops::{Add, BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr, Sub};

use super::board::{Chips, steps};

/// A bitboard.
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
    const BITS: u32;
    const ONE: Self;

    /// The number of 64-bit words.
    const WORDS: usize = Self::BITS as usize / 64;

    /// The set of these words, lowest first.
    fn from_words(words: &[u64]) -> Self;

    /// Writes the words, lowest first.
    fn write_words(self, words: &mut [u64]);

    /// The low `Self::BITS` bits of a board.
    fn from_chips(chips: Chips) -> Self;

    fn bit_count(self) -> u32;

    /// A set of only the lowest set bit; empty if no bit is set.
    fn lowest_bit(self) -> Self;

    /// The index of the lowest set bit.
    fn lowest_index(self) -> u32;

    /// A 64-bit hash; its high bits are the best mixed.
    fn mixed_hash(self) -> u64;

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Iterates over the set bits, lowest first, as one-bit sets.
    #[inline(always)]
    fn iter_bits(mut self) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let bit = self.lowest_bit();
            self = self ^ bit;
            (!bit.is_empty()).then_some(bit)
        })
    }

    #[inline(always)]
    fn has_at_least_two(self) -> bool {
        !self.is_empty() && !(self & (self - Self::ONE)).is_empty()
    }
}

/// 2⁶⁴ divided by the golden ratio, odd: multiplying by it spreads keys evenly (Knuth 1973, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What both word sizes share.
macro_rules! word_methods {
    ($word:ty) => {
        const BITS: u32 = <$word>::BITS;
        const ONE: $word = 1;

        #[inline(always)]
        fn from_chips(chips: Chips) -> $word {
            chips as $word
        }

        #[inline(always)]
        fn bit_count(self) -> u32 {
            self.count_ones()
        }

        #[inline(always)]
        fn lowest_bit(self) -> $word {
            self & self.wrapping_neg()
        }

        #[inline(always)]
        fn lowest_index(self) -> u32 {
            self.trailing_zeros()
        }
    };
}

impl BitSet for u64 {
    word_methods!(u64);

    #[inline(always)]
    fn from_words(words: &[u64]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn write_words(self, words: &mut [u64]) {
        words[0] = self;
    }

    #[inline(always)]
    fn mixed_hash(self) -> u64 {
        (self ^ self >> 32).wrapping_mul(SPREAD)
    }
}

impl BitSet for u128 {
    word_methods!(u128);

    #[inline(always)]
    fn from_words(words: &[u64]) -> u128 {
        u128::from(words[1]) << 64 | u128::from(words[0])
    }

    #[inline(always)]
    fn write_words(self, words: &mut [u64]) {
        words.copy_from_slice(&[self as u64, (self >> 64) as u64]);
    }

    #[inline(always)]
    fn mixed_hash(self) -> u64 {
        ((self >> 64) as u64)
            .mixed_hash()
            .wrapping_add(self as u64)
            .mixed_hash()
    }
}

/// The bit masks of a board.
#[derive(Clone, Copy)]
pub(super) struct BoardMasks<B> {
    width: u8,
    height: u8,
    win: u8,
    pub(super) board: B,
    /// The bottom row.
    pub(super) bottoms: B,
    /// Whether lines have length four and no shift exceeds the word, so that [`completing_four`] applies.
    uses_fast_path: bool,
}

impl<B: BitSet> BoardMasks<B> {
    #[inline]
    pub(super) const fn height(&self) -> u8 {
        self.height
    }

    /// `B` must be wide enough for the board.
    #[inline]
    pub(super) fn new((width, height, win): (u8, u8, u8), board: Chips, bottoms: Chips) -> Self {
        BoardMasks {
            width,
            height,
            win,
            board: B::from_chips(board),
            bottoms: B::from_chips(bottoms),
            uses_fast_path: win == 4 && 3 * (u32::from(height) + 2) < B::BITS,
        }
    }

    /// The cells where the next chip of each column lands.
    #[inline(always)]
    pub(super) fn landings(&self, chips: B) -> B {
        (chips + self.bottoms) & self.board
    }

    /// The bits, on the board or off it, where one more chip completes a line. Only the bits of empty cells are
    /// meaningful.
    #[inline(always)]
    pub(super) fn completing_cells(&self, chips: B) -> B {
        if self.uses_fast_path {
            completing_four(chips, self.height)
        } else {
            completing_any(chips, self.height, self.win)
        }
    }

    #[inline(always)]
    pub(super) fn has_line(&self, chips: B) -> bool {
        let line = |step| {
            if self.uses_fast_path {
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

    /// A unique key of the position with these chips of one player and of both: their sum with the bottom row encodes
    /// the column heights (Tromp 2008).
    #[inline(always)]
    pub(super) fn key(&self, own: B, all: B) -> B {
        own + all + self.bottoms
    }

    /// A key that a position shares with its mirror image. Also whether it is that of the mirror image.
    #[inline(always)]
    pub(super) fn symmetric_key(&self, own: B, all: B) -> (B, bool) {
        let key = self.key(own, all);
        let mirrored = self.key(self.mirror(own), self.mirror(all));
        (key.min(mirrored), mirrored < key)
    }

    /// The chips with the columns in reverse order.
    pub(super) fn mirror(&self, chips: B) -> B {
        let bits = u32::from(self.height) + 1;
        let column = (B::ONE << (bits - 1)) - B::ONE;
        let (mut rest, mut mirrored) = (chips, B::default());
        for _ in 0..self.width - 1 {
            mirrored = (mirrored | rest & column) << bits;
            rest = rest >> bits;
        }
        mirrored | rest & column
    }

    /// Counts the open lines of the player with the chips `own` that lack one, two and three chips.
    #[inline]
    pub(super) fn open_lines(&self, own: B, other: B) -> [u32; 3] {
        let free = self.board & !other;
        let mut counts = [0; 3];
        for step in steps(self.height) {
            let open = line_starts(free, step, self.win);
            if open.is_empty() {
                continue;
            }
            // `lacking[k]` is the set of lines that lack k chips among the cells visited so far.
            let mut lacking = [open, B::default(), B::default(), B::default()];
            for offset in 0..u32::from(self.win) {
                let present = shift_right(own, step * offset);
                for missing in (1..lacking.len()).rev() {
                    lacking[missing] = lacking[missing] & present | lacking[missing - 1] & !present;
                }
                lacking[0] = lacking[0] & present;
            }
            for (count, lines) in counts.iter_mut().zip(&lacking[1..]) {
                *count += lines.bit_count();
            }
        }
        counts
    }
}

/// Vertical lines can be completed only at the top.
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
            let mut line_complete = !B::default();
            if before > 0 {
                let ends = step * u32::from(before);
                line_complete = line_complete & shift_left(line_starts(chips, step, before), ends);
            }
            if after > 0 {
                line_complete = line_complete & shift_right(line_starts(chips, step, after), step);
            }
            cells |= line_complete;
        }
    }
    cells
}

/// The first cells of all lines of this length in one direction.
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

/// The chips in all lines of at least this length.
pub(super) fn line_chips(chips: Chips, height: u8, length: u8) -> Chips {
    let mut lines = 0;
    for step in steps(height) {
        let starts = line_starts(chips, step, length);
        for offset in 0..u32::from(length) {
            lines |= starts.checked_shl(step * offset).unwrap_or(0);
        }
    }
    lines
}

/// Shifts right; a shift by the word size or more gives the empty set, where `>>` would wrap.
#[inline(always)]
fn shift_right<B: BitSet>(bits: B, by: u32) -> B {
    if by < B::BITS {
        bits >> by
    } else {
        B::default()
    }
}

/// Shifts left; see [`shift_right`].
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
    use super::super::rules::Trilobite;
    use super::*;

    /// Random positions: the chips of one player and of both.
    fn random_chips(board: u128) -> impl Iterator<Item = (u128, u128)> {
        let random =
            |number: u64| u128::from(number.wrapping_mul(SPREAD).mixed_hash().mixed_hash());
        (1..3_000).map(move |number| {
            let mut all = random(2 * number) & random(3 * number) & random(5 * number) & board;
            for _ in 0..64 {
                all |= all >> 1 & board;
            }
            (all & random(7 * number), all)
        })
    }

    #[test]
    fn narrow_and_wide_boards_and_the_general_algorithm_agree() {
        for (width, height) in [(8, 7), (7, 6), (4, 4), (10, 5), (1, 63), (32, 1)] {
            let win = 4;
            let game = Trilobite::new(width, height, win).expect("valid parameters");
            let (narrow, wide) = (game.masks::<u64>(), game.masks::<u128>());
            for (own, all) in random_chips(game.board()) {
                let (narrow_own, empty) = (u64::from_chips(own), wide.board & !all);
                let expected = completing_any(own, height, win) & empty;
                let context = format!("{width}×{height}, {own:#x} of {all:#x}");
                assert_eq!(wide.completing_cells(own) & empty, expected, "{context}");
                assert_eq!(
                    u128::from(narrow.completing_cells(narrow_own)) & empty,
                    expected,
                    "{context}"
                );
                let lines = steps(height).map(|step| line_starts(own, step, win));
                let has_line = lines.iter().any(|line| *line != 0);
                assert_eq!(narrow.has_line(narrow_own), has_line, "{context}");
                assert_eq!(wide.has_line(own), has_line, "{context}");
            }
        }
    }

    #[test]
    fn completing_cells_are_those_where_a_chip_makes_a_line() {
        let game = Trilobite::new(8, 7, 4).expect("valid parameters");
        let masks = game.masks::<u128>();
        for (own, all) in random_chips(game.board()) {
            let completing = masks.completing_cells(own);
            for chip in (masks.board & !all).iter_bits() {
                let makes_line = steps(7).iter().any(|&step| {
                    let line = line_starts(own | chip, step, 4);
                    (0..4).any(|offset| line << (step * offset) & chip != 0)
                });
                assert_eq!(completing & chip != 0, makes_line, "{own:#x}, {chip:#x}");
            }
        }
    }

    #[test]
    fn lines_do_not_run_from_one_column_into_the_next() {
        // . . .
        // 1 . .     the top of a and the bottom of b are two bits apart
        // 1 1 .
        let game = Trilobite::new(3, 3, 3).expect("valid parameters");
        assert!(!game.has_line(0b0001_0011));
        assert!(game.has_line(0b0111), "upright");
        assert!(game.has_line(0b0001_0001_0001), "level");
        assert!(game.has_line(0b0100_0010_0001), "rising");
        assert!(game.has_line(0b0001_0010_0100), "falling");
        assert_eq!(line_chips(0b0001_0010_0111, 3, 3), 0b0001_0010_0111);
        assert_eq!(line_chips(0b0001_0001_0111, 3, 3), 0b0001_0001_0111);
        assert_eq!(line_chips(0b0010_0001_0111, 3, 3), 0b0111);
    }
}
