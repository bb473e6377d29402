//! The class `Rng`.

use dice_of_doom_core::level::AgentRng;
use pyo3::prelude::*;
use rand::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of everything random in this module. Its numbers are fixed by the algorithm.
pub(crate) type Generator = Xoshiro256PlusPlus;

/// A random generator: the same seed and calls give the same games.
#[pyclass(module = "dice_of_doom._native")]
pub(crate) struct Rng(pub(crate) Generator);

#[pymethods]
impl Rng {
    #[new]
    #[pyo3(signature = (seed=0))]
    fn new(seed: u64) -> Self {
        Rng(Generator::seed_from_u64(seed))
    }

    /// A uniform number of 64 bits, for example the seed of another generator.
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// The generator of a computer player.
pub(crate) fn agent_rng(generator: &mut Generator) -> AgentRng {
    AgentRng::seed_from_u64(generator.next_u64())
}

/// A uniform element of an iterator that is not empty.
pub(crate) fn pick<T>(
    items: impl Iterator<Item = T> + Clone,
    generator: &mut Generator,
) -> Option<T> {
    let count = items.clone().count() as u64;
    // Multiplying maps 64 random bits to an index; the error is below 2^-57.
    let index = (u128::from(generator.next_u64()) * u128::from(count)) >> 64;
    let mut items = items;
    items.nth(index as usize)
}
