//! Steps along the gradient, by Adam (Kingma and Ba 2015).

use rand::{Rng, RngExt};

use super::super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::super::float::NnueParameters;
use super::self_play::TrainingSamples;

/// How much of the mean gradient a step leaves.
const MOMENTUM: f32 = 0.9;

/// How much of the mean squared gradient a step leaves.
const MEMORY: f32 = 0.999;

/// How much of the mean of the numbers a step leaves.
const INERTIA: f32 = 0.9995;

/// The numbers, and what was seen of their gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AdamOptimizer {
    pub(super) now: NnueParameters,
    pub(super) mean: NnueParameters,
    momentum: Vec<f32>,
    squares: Vec<f32>,
    steps: u32,
}

impl AdamOptimizer {
    pub(super) fn new(start: NnueParameters) -> Self {
        let count = start.numbers.len();
        AdamOptimizer {
            mean: start.clone(),
            now: start,
            momentum: vec![0.0; count],
            squares: vec![0.0; count],
            steps: 0,
        }
    }

    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        self.now.write(to);
        self.mean.write(to);
        to.floats(&self.momentum);
        to.floats(&self.squares);
        to.number(self.steps.into());
    }

    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let now = NnueParameters::read(from)?;
        let mean = NnueParameters::read(from)?;
        let count = now.numbers.len();
        if mean.numbers.len() != count {
            return Err(NnueFileError::Damaged);
        }
        Ok(AdamOptimizer {
            now,
            mean,
            momentum: from.floats(count)?,
            squares: from.floats(count)?,
            steps: from
                .number()?
                .try_into()
                .map_err(|_| NnueFileError::Damaged)?,
        })
    }

    /// Learns from the positions of a round in random order; returns the sum of the cross entropies.
    pub(super) fn learn(
        &mut self,
        lessons: &[TrainingSamples],
        rate: f32,
        batch: usize,
        rng: &mut impl Rng,
    ) -> f32 {
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (game, lesson) in lessons.iter().enumerate() {
            order.extend((0..lesson.len()).map(|at| (game as u32, at as u32)));
        }
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
        let mut gradient = self.now.clone();
        let mut loss = 0.0;
        for part in order.chunks(batch.max(1)) {
            gradient.numbers.fill(0.0);
            for &(game, at) in part {
                let (features, target) = lessons[game as usize].at(at as usize);
                loss += self
                    .now
                    .accumulate_gradient(features, target, &mut gradient);
            }
            self.step(&gradient.numbers, rate, 1.0 / part.len() as f32);
        }
        loss
    }

    fn step(&mut self, gradient: &[f32], rate: f32, scale: f32) {
        self.steps += 1;
        let first = 1.0 - MOMENTUM.powi(self.steps.min(10_000) as i32);
        let second = 1.0 - MEMORY.powi(self.steps.min(100_000) as i32);
        let rate = rate / first;
        let second = 1.0 / second;
        let inertia = INERTIA.min(1.0 - 1.0 / (self.steps as f32 + 1.0));
        let numbers = self.now.numbers.iter_mut().zip(&mut self.mean.numbers);
        let means = self.momentum.iter_mut().zip(&mut self.squares);
        for (((number, mean), (momentum, square)), gradient) in numbers.zip(means).zip(gradient) {
            let gradient = gradient * scale;
            *momentum += (1.0 - MOMENTUM) * (gradient - *momentum);
            *square += (1.0 - MEMORY) * (gradient * gradient - *square);
            *number -= rate * *momentum / ((*square * second).sqrt() + 1e-7);
            *mean += (1.0 - inertia) * (*number - *mean);
        }
    }
}
