//! A transposition table that grows with the search up to a maximum, because small tables stay in the processor's cache.
//!
//! Each bucket holds two entries. A new entry replaces the one that took less work, even if the new one took
//! less still, because recent entries are probed soonest (Breuker 1998, "Memory versus Search in Games").

use std::marker::PhantomData;

use memmap2::MmapMut;

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

/// The last word of an entry.
#[derive(Clone, Copy)]
struct EntryData {
    /// An entry of another generation than the table's is empty.
    generation: u32,
    bounds: StoredBounds,
    /// The binary logarithm of the number of positions searched for this entry.
    work: u8,
}

impl EntryData {
    const fn from_word(word: u64) -> Self {
        let [lower, upper, best, work, generation @ ..] = word.to_le_bytes();
        EntryData {
            generation: u32::from_le_bytes(generation),
            bounds: StoredBounds {
                lower: lower as i8,
                upper: upper as i8,
                best,
            },
            work,
        }
    }

    fn to_word(self) -> u64 {
        let StoredBounds { lower, upper, best } = self.bounds;
        let bounds = u32::from_le_bytes([lower as u8, upper as u8, best, self.work]);
        u64::from(self.generation) << 32 | u64::from(bounds)
    }
}

pub(super) struct TranspositionTable<B> {
    /// Space for the maximum number of buckets; the memory is taken when it is first used. Each bucket has two entries,
    /// and each entry the words of its key and one of [`EntryData`].
    memory: MmapMut,
    /// The number of hash bits that are the index of a bucket.
    index_bits: u32,
    max_index_bits: u32,
    /// The number of entries added since the table has this size.
    added: usize,
    generation: u32,
    keys: PhantomData<B>,
}

/// A cleared table has `1 << MIN_INDEX_BITS` buckets.
const MIN_INDEX_BITS: u32 = 8;

impl<B: BitSet> TranspositionTable<B> {
    const ENTRY_WORDS: usize = B::WORDS + 1;
    const BUCKET_BYTES: usize = 2 * Self::ENTRY_WORDS * size_of::<u64>();

    /// An empty table that grows to at most so many bytes, or to its minimum size. If the system has less memory, it
    /// grows to a half, a quarter and so on.
    pub(super) fn of_bytes(max_bytes: usize) -> Self {
        let buckets = (max_bytes / Self::BUCKET_BYTES).max(1 << MIN_INDEX_BITS);
        let mut max_index_bits = buckets.ilog2();
        let memory = loop {
            match MmapMut::map_anon(Self::BUCKET_BYTES << max_index_bits) {
                Ok(memory) => break memory,
                Err(error) if max_index_bits == MIN_INDEX_BITS => {
                    panic!("no memory for a transposition table: {error}")
                }
                Err(_) => max_index_bits -= 1,
            }
        };
        // Random accesses to a large table are about twice as fast with large pages; not every system has them.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        TranspositionTable {
            memory,
            index_bits: MIN_INDEX_BITS,
            max_index_bits,
            added: 0,
            generation: 1,
            keys: PhantomData,
        }
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        (self.index_bits, self.added) = (MIN_INDEX_BITS, 0);
        match self.generation.checked_add(1) {
            Some(next) => self.generation = next,
            None => {
                self.memory.fill(0);
                self.generation = 1;
            }
        }
    }

    /// A word of the bucket of a position, read only to have the bucket in the processor's cache.
    #[inline(always)]
    pub(super) fn first_word(&self, key: B) -> u64 {
        self.bucket(self.index(key))[0][0]
    }

    /// The stored bounds of a position, or [`UNKNOWN`].
    #[inline(always)]
    pub(super) fn probe(&self, key: B) -> StoredBounds {
        for entry in self.bucket(self.index(key)) {
            let (stored, data) = read_entry::<B>(entry);
            if stored == key && data.generation == self.generation {
                return data.bounds;
            }
        }
        UNKNOWN
    }

    /// Stores the bounds of a position, which took a search of `nodes` positions.
    pub(super) fn insert(&mut self, key: B, bounds: StoredBounds, nodes: u64) {
        let (index, generation) = (self.index(key), self.generation);
        let [one, other] = self.bucket(index).map(read_entry::<B>);
        let work = |data: EntryData| (data.generation == generation).then_some(data.work);
        let is_same = |(stored, data): (B, EntryData)| stored == key && work(data).is_some();
        let slot = if is_same(one) {
            0
        } else if is_same(other) {
            1
        } else {
            usize::from(work(other.1) < work(one.1))
        };
        let is_new = work([one, other][slot].1).is_none();
        let data = EntryData {
            generation,
            bounds,
            work: (nodes | 1).ilog2() as u8,
        };
        write_entry(self.entry_mut(index, slot), key, data);
        if is_new {
            self.added += 1;
            if self.added >> self.index_bits > 0 && self.index_bits < self.max_index_bits {
                self.grow();
            }
        }
    }

    /// Doubles the number of buckets.
    fn grow(&mut self) {
        let count = 1 << self.index_bits;
        (self.index_bits, self.added) = (self.index_bits + 1, 0);
        // A bucket's index is the front of the hash, so the entries of bucket `i` go to the buckets `2i` and `2i + 1`.
        for index in (0..count).rev() {
            let entries = self.bucket(index).map(read_entry::<B>);
            for half in [2 * index, 2 * index + 1] {
                let mut slots = 0..2;
                for (key, data) in entries {
                    if data.generation == self.generation && self.index(key) == half {
                        let slot = slots.next().unwrap_or_default();
                        write_entry(self.entry_mut(half, slot), key, data);
                    }
                }
                for slot in slots {
                    self.entry_mut(half, slot).fill(0);
                }
            }
        }
    }

    #[inline(always)]
    fn index(&self, key: B) -> usize {
        (key.mixed_hash() >> (u64::BITS - self.index_bits)) as usize
    }

    #[inline(always)]
    fn bucket(&self, index: usize) -> [&[u64]; 2] {
        let words: &[u64] = bytemuck::cast_slice(&self.memory);
        let bucket = &words[2 * Self::ENTRY_WORDS * index..][..2 * Self::ENTRY_WORDS];
        let (one, other) = bucket.split_at(Self::ENTRY_WORDS);
        [one, other]
    }

    fn entry_mut(&mut self, index: usize, slot: usize) -> &mut [u64] {
        let words: &mut [u64] = bytemuck::cast_slice_mut(&mut self.memory);
        &mut words[Self::ENTRY_WORDS * (2 * index + slot)..][..Self::ENTRY_WORDS]
    }
}

#[inline(always)]
fn read_entry<B: BitSet>(entry: &[u64]) -> (B, EntryData) {
    let data = EntryData::from_word(entry[B::WORDS]);
    (B::from_words(&entry[..B::WORDS]), data)
}

#[inline(always)]
fn write_entry<B: BitSet>(entry: &mut [u64], key: B, data: EntryData) {
    key.write_words(&mut entry[..B::WORDS]);
    entry[B::WORDS] = data.to_word();
}
