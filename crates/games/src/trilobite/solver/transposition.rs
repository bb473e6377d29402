//! A transposition table of fixed size.
//!
//! Each bucket holds two entries. A new entry replaces the one that took less work, even if the new one took
//! less still, because recent entries are probed soonest (Breuker 1998, "Memory versus Search in Games").

use crate::trilobite::bits::BitSet;

/// Bounds on a position's score, and its best move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScoreBounds {
    pub(super) lower: i8,
    pub(super) upper: i8,
    /// A cell that reached `lower`, or [`NO_CELL`].
    pub(super) best: u8,
}

pub(super) const NO_CELL: u8 = u8::MAX;

/// The bounds of a position that is not in the table.
pub(super) const UNKNOWN: ScoreBounds = ScoreBounds {
    lower: i8::MIN,
    upper: i8::MAX,
    best: NO_CELL,
};

#[derive(Clone, Copy, Default)]
struct TranspositionEntry<B> {
    /// No position has the key 0.
    key: B,
    lower: i8,
    upper: i8,
    best: u8,
    /// The binary logarithm of the number of positions searched for this entry.
    work: u8,
}

pub(super) struct TranspositionTable<B> {
    pairs: Vec<[TranspositionEntry<B>; 2]>,
    /// The right shift that turns a hash into an index of `pairs`.
    shift: u32,
}

impl<B: BitSet> TranspositionTable<B> {
    /// An empty table with about one entry for every two of the `nodes` to be searched, within
    /// [`PAIR_COUNT_RANGE`].
    pub(super) fn for_nodes(nodes: u64) -> Self {
        let pairs = pair_count(nodes);
        TranspositionTable {
            pairs: vec![[TranspositionEntry::default(); 2]; pairs],
            shift: u64::BITS - pairs.trailing_zeros(),
        }
    }

    /// The memory of [`Self::for_nodes`], in bytes.
    pub(super) fn memory_bytes(nodes: u64) -> usize {
        pair_count(nodes) * size_of::<[TranspositionEntry<B>; 2]>()
    }

    fn pair_index(&self, key: B) -> usize {
        (key.mixed_hash() >> self.shift) as usize
    }

    /// The stored bounds of a position, or [`UNKNOWN`].
    #[inline(always)]
    pub(super) fn probe(&self, key: B) -> ScoreBounds {
        let pair = &self.pairs[self.pair_index(key)];
        let entry = pair.iter().find(|entry| entry.key == key);
        entry.map_or(UNKNOWN, |entry| ScoreBounds {
            lower: entry.lower,
            upper: entry.upper,
            best: entry.best,
        })
    }

    /// Stores the bounds of a position, which took a search of `nodes` positions.
    pub(super) fn insert(&mut self, key: B, known: ScoreBounds, nodes: u64) {
        let index = self.pair_index(key);
        let pair = &mut self.pairs[index];
        let same = pair.iter().position(|entry| entry.key == key);
        let cheaper = usize::from(pair[1].work < pair[0].work);
        pair[same.unwrap_or(cheaper)] = TranspositionEntry {
            key,
            lower: known.lower,
            upper: known.upper,
            best: known.best,
            work: (nodes | 1).ilog2() as u8,
        };
    }
}

/// The minimum and maximum number of pairs: 8 KiB and 16 MiB for a board of one word.
const PAIR_COUNT_RANGE: (usize, usize) = (1 << 8, 1 << 19);

fn pair_count(nodes: u64) -> usize {
    let pairs = usize::try_from(nodes / 4).unwrap_or(usize::MAX);
    pairs
        .clamp(PAIR_COUNT_RANGE.0, PAIR_COUNT_RANGE.1)
        .next_power_of_two()
}
