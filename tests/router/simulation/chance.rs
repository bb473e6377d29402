//! A seeded random number generator: SplitMix64 (Steele, Lea and Flood 2014), chosen because it is small and will
//! never change.

use std::ops::Range;
use std::time::Duration;

pub(crate) struct SimulationRng(u64);

impl SimulationRng {
    /// Creates an independent sequence for each purpose, so that additional draws for one do not affect the others.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut rng = SimulationRng(seed ^ purpose.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next();
        rng
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, with a negligible modulo bias.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns true with probability `times` / 1000.
    pub(crate) fn happens_per_mille(&mut self, times: u64) -> bool {
        self.below(1_000) < times
    }

    /// A duration in this range of milliseconds.
    pub(crate) fn ms(&mut self, range: Range<u64>) -> Duration {
        Duration::from_millis(range.start + self.below(range.end - range.start))
    }

    /// A random element of a non-empty slice.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes()[..part.len()]);
        }
    }
}
