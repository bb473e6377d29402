//! A transposition table that grows with the search up to a maximum, because small tables stay in the processor's cache.
//!
//! Each bucket holds two entries. A new entry replaces the one that took less work, even if the new one took
//! less still, because recent entries are probed soonest (Breuker 1998, "Memory versus Search in Games").

use crate::trilobite::bits::BitSet;

/// Bounds on a position's score, and its best move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoredBounds {
    pub(super) lower: i8,
    pub(super) upper: i8,
    /// The column of the move that reached `lower`, or [`NO_COLUMN`].
    pub(super) best: u8,
}

pub(super) const NO_COLUMN: u8 = u8::MAX;

/// The bounds of a position that is not in the table.
pub(super) const UNKNOWN: StoredBounds = StoredBounds {
    lower: i8::MIN,
    upper: i8::MAX,
    best: NO_COLUMN,
};

#[derive(Clone, Copy, Default)]
struct TranspositionEntry<B> {
    key: B,
    /// An entry of an earlier generation than the table's is empty.
    generation: u32,
    lower: i8,
    upper: i8,
    best: u8,
    /// The binary logarithm of the number of positions searched for this entry.
    work: u8,
}

type Bucket<B> = [TranspositionEntry<B>; 2];

pub(super) struct TranspositionTable<B> {
    /// At least `1 << index_bits` buckets; the others are left over from before [`Self::clear`].
    buckets: Vec<Bucket<B>>,
    /// The number of hash bits that are the index of a bucket.
    index_bits: u32,
    max_index_bits: u32,
    /// The number of entries added since the table has this size.
    added: usize,
    generation: u32,
}

/// A cleared table has `1 << MIN_INDEX_BITS` buckets.
const MIN_INDEX_BITS: u32 = 8;

impl<B: BitSet> TranspositionTable<B> {
    /// An empty table that grows to at most so many bytes, or to its minimum size.
    pub(super) fn of_bytes(max_bytes: usize) -> Self {
        let buckets = max_bytes / size_of::<Bucket<B>>();
        TranspositionTable {
            buckets: vec![Bucket::default(); 1 << MIN_INDEX_BITS],
            index_bits: MIN_INDEX_BITS,
            max_index_bits: buckets.max(1).ilog2().max(MIN_INDEX_BITS),
            added: 0,
            generation: 1,
        }
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        (self.index_bits, self.added) = (MIN_INDEX_BITS, 0);
        match self.generation.checked_add(1) {
            Some(next) => self.generation = next,
            None => {
                self.buckets.fill(Bucket::default());
                self.generation = 1;
            }
        }
    }

    /// Doubles the number of buckets.
    fn grow(&mut self) {
        let count = 1 << self.index_bits;
        if self.buckets.len() < 2 * count {
            self.buckets.resize(2 * count, Bucket::default());
        }
        (self.index_bits, self.added) = (self.index_bits + 1, 0);
        // A bucket's index is the front of the hash, so the entries of bucket `i` go to the buckets `2i` and `2i + 1`.
        for index in (0..count).rev() {
            let entries = self.buckets[index];
            let halves: &mut [Bucket<B>] = &mut self.buckets[2 * index..2 * index + 2];
            halves.fill(Bucket::default());
            for entry in entries {
                if entry.generation == self.generation {
                    let half = &mut halves[bucket_index(entry.key, self.index_bits) % 2];
                    half[usize::from(half[0].generation != 0)] = entry;
                }
            }
        }
    }

    fn index(&self, key: B) -> usize {
        bucket_index(key, self.index_bits)
    }

    /// The stored bounds of a position, or [`UNKNOWN`].
    #[inline(always)]
    pub(super) fn probe(&self, key: B) -> StoredBounds {
        let bucket = &self.buckets[self.index(key)];
        for entry in bucket {
            if entry.key == key && entry.generation == self.generation {
                return StoredBounds {
                    lower: entry.lower,
                    upper: entry.upper,
                    best: entry.best,
                };
            }
        }
        UNKNOWN
    }

    /// Stores the bounds of a position, which took a search of `nodes` positions.
    pub(super) fn insert(&mut self, key: B, known: StoredBounds, nodes: u64) {
        let index = self.index(key);
        let (bucket, generation) = (&mut self.buckets[index], self.generation);
        let is_current = |entry: &TranspositionEntry<B>| entry.generation == generation;
        let same = bucket
            .iter()
            .position(|entry| entry.key == key && is_current(entry));
        let work = |entry: &TranspositionEntry<B>| is_current(entry).then_some(entry.work);
        let cheaper = usize::from(work(&bucket[1]) < work(&bucket[0]));
        let entry = &mut bucket[same.unwrap_or(cheaper)];
        let is_new = entry.generation != generation;
        *entry = TranspositionEntry {
            key,
            generation,
            lower: known.lower,
            upper: known.upper,
            best: known.best,
            work: (nodes | 1).ilog2() as u8,
        };
        if is_new {
            self.added += 1;
            if self.added >> self.index_bits > 0 && self.index_bits < self.max_index_bits {
                self.grow();
            }
        }
    }
}

fn bucket_index<B: BitSet>(key: B, index_bits: u32) -> usize {
    (key.mixed_hash() >> (u64::BITS - index_bits)) as usize
}
