//! SIMD vectors of 16-bit integers that are added or multiplied at once.
//!
//! The baseline instructions of the target are used through the crate `wide`. If the processor has AVX2 at run
//! time, the crate `pulp` provides vectors of twice the width, with the same results.

use wide::{i16x16, i32x8};

/// The number of 16-bit lanes in a vector.
pub(super) const LANES: usize = 16;

/// The number of 32-bit lanes in a vector of sums of products.
pub(super) const WIDE_LANES: usize = 8;

/// The vector operations.
pub(super) trait SimdOps: Copy {
    /// Adds a row to the sums.
    fn add<const WORDS: usize>(self, sums: &mut [i16x16; WORDS], row: &[i16x16; WORDS]);

    /// Subtracts one row and adds another.
    fn replace<const WORDS: usize>(
        self,
        sums: &mut [i16x16; WORDS],
        before: &[i16x16; WORDS],
        after: &[i16x16; WORDS],
    );

    /// Adds the products of inputs and weights to the sums; each `i32` holds two inputs.
    fn multiply<const PAIRS: usize, const WORDS: usize>(
        self,
        inputs: &[i32; PAIRS],
        weights: &[[i16x16; WORDS]; PAIRS],
        sums: &mut [i32x8; WORDS],
    );
}

/// A computation that is generic over the vector operations.
pub(super) trait SimdKernel {
    type Result;

    /// Must be inlined, so that all of it is compiled for these operations.
    fn compute(self, simd: impl SimdOps) -> Self::Result;
}

/// The instructions that the program is compiled for.
#[derive(Clone, Copy)]
struct BaselineSimd;

impl SimdOps for BaselineSimd {
    #[inline(always)]
    fn add<const WORDS: usize>(self, sums: &mut [i16x16; WORDS], row: &[i16x16; WORDS]) {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += *number;
        }
    }

    #[inline(always)]
    fn replace<const WORDS: usize>(
        self,
        sums: &mut [i16x16; WORDS],
        before: &[i16x16; WORDS],
        after: &[i16x16; WORDS],
    ) {
        for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
            *sum += *after - *before;
        }
    }

    #[inline(always)]
    fn multiply<const PAIRS: usize, const WORDS: usize>(
        self,
        inputs: &[i32; PAIRS],
        weights: &[[i16x16; WORDS]; PAIRS],
        sums: &mut [i32x8; WORDS],
    ) {
        for (&input, weights) in inputs.iter().zip(weights) {
            let input: i16x16 = bytemuck::cast(i32x8::splat(input));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum += input.dot(*weights);
            }
        }
    }
}

/// Runs the computation with the widest vectors of this processor.
#[inline]
pub(super) fn compute<C: SimdKernel>(computation: C) -> C::Result {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(avx2::Vectorized { computation, simd });
    }
    computation.compute(BaselineSimd)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use pulp::x86::V3;

    use super::{SimdKernel, SimdOps, i16x16, i32x8};

    pub(super) struct Vectorized<C> {
        pub(super) computation: C,
        pub(super) simd: V3,
    }

    impl<C: SimdKernel> pulp::NullaryFnOnce for Vectorized<C> {
        type Output = C::Result;

        #[inline(always)]
        fn call(self) -> C::Result {
            self.computation.compute(self.simd)
        }
    }

    impl SimdOps for V3 {
        #[inline(always)]
        fn add<const WORDS: usize>(self, sums: &mut [i16x16; WORDS], row: &[i16x16; WORDS]) {
            for (sum, number) in sums.iter_mut().zip(row) {
                let added = self
                    .avx2
                    ._mm256_add_epi16(pulp::cast(*sum), pulp::cast(*number));
                *sum = pulp::cast(added);
            }
        }

        #[inline(always)]
        fn replace<const WORDS: usize>(
            self,
            sums: &mut [i16x16; WORDS],
            before: &[i16x16; WORDS],
            after: &[i16x16; WORDS],
        ) {
            for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
                let gain = self
                    .avx2
                    ._mm256_sub_epi16(pulp::cast(*after), pulp::cast(*before));
                *sum = pulp::cast(self.avx2._mm256_add_epi16(pulp::cast(*sum), gain));
            }
        }

        #[inline(always)]
        fn multiply<const PAIRS: usize, const WORDS: usize>(
            self,
            inputs: &[i32; PAIRS],
            weights: &[[i16x16; WORDS]; PAIRS],
            sums: &mut [i32x8; WORDS],
        ) {
            for (&input, weights) in inputs.iter().zip(weights) {
                let input = self.avx._mm256_set1_epi32(input);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    let products = self.avx2._mm256_madd_epi16(input, pulp::cast(*weights));
                    *sum = pulp::cast(self.avx2._mm256_add_epi32(pulp::cast(*sum), products));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use dice_of_doom_core::rng::AgentRng;

    /// Replaces some rows and multiplies.
    struct Mixed {
        rows: [[i16x16; 4]; 8],
        inputs: [i32; 8],
        weights: [[i16x16; 4]; 8],
    }

    impl SimdKernel for &Mixed {
        type Result = ([i16x16; 4], [i32x8; 4]);

        fn compute(self, simd: impl SimdOps) -> Self::Result {
            let mut row = self.rows[0];
            for pair in self.rows[1..].windows(2) {
                simd.replace(&mut row, &pair[0], &pair[1]);
                simd.add(&mut row, &pair[0]);
            }
            let mut sums = [i32x8::ZERO; 4];
            simd.multiply(&self.inputs, &self.weights, &mut sums);
            (row, sums)
        }
    }

    #[test]
    fn baseline_and_detected_vectors_compute_the_same() {
        let mut rng = AgentRng::seed_from_u64(5);
        for _ in 0..1_000 {
            let mut row = || -> [i16x16; 4] {
                std::array::from_fn(|_| i16x16::new(std::array::from_fn(|_| rng.random())))
            };
            let mixed = Mixed {
                rows: std::array::from_fn(|_| row()),
                weights: std::array::from_fn(|_| row()),
                inputs: std::array::from_fn(|_| rng.random()),
            };
            assert_eq!(compute(&mixed), mixed.compute(BaselineSimd));
        }
    }
}
