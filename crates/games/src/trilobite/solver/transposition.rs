//! What a proof knows of positions, in a table of fixed size.
//!
//! Two entries stand side by side. Of a pair the one that took less work makes room; a new one that took
//! less than both takes the place of the cheaper one all the same, as it will be asked for soonest
//! (Breuker 1998, "Memory versus Search in Games").

use crate::trilobite::bits::BitSet;

/// Between which scores a position's own is, and the cell that was best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScoreBounds {
    pub(super) least: i8,
    pub(super) most: i8,
    /// A cell that reached the least, or none.
    pub(super) best: u8,
}

/// Stands for no cell.
pub(super) const NO_CELL: u8 = u8::MAX;

/// Nothing but that scores fit here.
pub(super) const UNKNOWN: ScoreBounds = ScoreBounds {
    least: i8::MIN,
    most: i8::MAX,
    best: NO_CELL,
};

#[derive(Clone, Copy, Default)]
struct TranspositionEntry<B> {
    /// No position has the key 0.
    key: B,
    least: i8,
    most: i8,
    best: u8,
    /// The logarithm of the positions that were searched for it.
    work: u8,
}

/// The entries of one board.
pub(super) struct TranspositionTable<B> {
    pairs: Vec<[TranspositionEntry<B>; 2]>,
    /// How far a mixed key is shifted down to be a place.
    shift: u32,
}

impl<B: BitSet> TranspositionTable<B> {
    /// An empty table with an entry for about every second of so many positions, within [`PAIRS`].
    pub(super) fn of(nodes: u64) -> Self {
        let pairs = pairs(nodes);
        TranspositionTable {
            pairs: vec![[TranspositionEntry::default(); 2]; pairs],
            shift: u64::BITS - pairs.trailing_zeros(),
        }
    }

    /// How many bytes [`Self::of`] takes.
    pub(super) fn bytes(nodes: u64) -> usize {
        pairs(nodes) * size_of::<[TranspositionEntry<B>; 2]>()
    }

    fn place(&self, key: B) -> usize {
        (key.mixed() >> self.shift) as usize
    }

    /// What is known of a position.
    #[inline(always)]
    pub(super) fn probe(&self, key: B) -> ScoreBounds {
        let pair = &self.pairs[self.place(key)];
        let entry = pair.iter().find(|entry| entry.key == key);
        entry.map_or(UNKNOWN, |entry| ScoreBounds {
            least: entry.least,
            most: entry.most,
            best: entry.best,
        })
    }

    /// Keeps what is known of a position, which took the search of so many.
    pub(super) fn insert(&mut self, key: B, known: ScoreBounds, nodes: u64) {
        let place = self.place(key);
        let pair = &mut self.pairs[place];
        let same = pair.iter().position(|entry| entry.key == key);
        let least = usize::from(pair[1].work < pair[0].work);
        pair[same.unwrap_or(least)] = TranspositionEntry {
            key,
            least: known.least,
            most: known.most,
            best: known.best,
            work: (nodes | 1).ilog2() as u8,
        };
    }
}

/// The fewest and the most pairs of entries: 8 KiB and 16 MiB of the usual board.
const PAIRS: (usize, usize) = (1 << 8, 1 << 19);

fn pairs(nodes: u64) -> usize {
    let pairs = usize::try_from(nodes / 4).unwrap_or(usize::MAX);
    pairs.clamp(PAIRS.0, PAIRS.1).next_power_of_two()
}
