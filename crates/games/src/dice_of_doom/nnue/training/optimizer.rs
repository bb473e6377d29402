//! The Adam optimizer (Kingma and Ba 2015), with a running mean of the parameters.

use rand::{Rng, RngExt};

use super::super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::super::float::NnueParameters;
use super::self_play::TrainingSamples;

/// The decay of the mean gradient per step.
const MOMENTUM: f32 = 0.9;

/// The decay of the mean squared gradient per step.
const SQUARE_DECAY: f32 = 0.999;

/// The decay of the running mean of the parameters per step.
const MEAN_DECAY: f32 = 0.9995;

/// The parameters and the moments of their gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AdamOptimizer {
    pub(super) current: NnueParameters,
    pub(super) mean: NnueParameters,
    momentum: Vec<f32>,
    squares: Vec<f32>,
    steps: u32,
}

impl AdamOptimizer {
    pub(super) fn new(start: NnueParameters) -> Self {
        let count = start.values.len();
        AdamOptimizer {
            mean: start.clone(),
            current: start,
            momentum: vec![0.0; count],
            squares: vec![0.0; count],
            steps: 0,
        }
    }

    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        self.current.write(to);
        self.mean.write(to);
        to.write_floats(&self.momentum);
        to.write_floats(&self.squares);
        to.write_number(self.steps.into());
    }

    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let now = NnueParameters::read(from)?;
        let mean = NnueParameters::read(from)?;
        let count = now.values.len();
        if mean.values.len() != count {
            return Err(NnueFileError::Damaged);
        }
        Ok(AdamOptimizer {
            current: now,
            mean,
            momentum: from.read_floats(count)?,
            squares: from.read_floats(count)?,
            steps: from
                .read_number()?
                .try_into()
                .map_err(|_| NnueFileError::Damaged)?,
        })
    }

    /// Trains on the positions of a round in random order; returns the sum of the cross entropies.
    pub(super) fn learn(
        &mut self,
        samples: &[TrainingSamples],
        rate: f32,
        batch: usize,
        rng: &mut impl Rng,
    ) -> f32 {
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (game, game_samples) in samples.iter().enumerate() {
            order.extend((0..game_samples.len()).map(|at| (game as u32, at as u32)));
        }
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
        let mut gradient = self.current.clone();
        let mut loss = 0.0;
        for minibatch in order.chunks(batch.max(1)) {
            gradient.values.fill(0.0);
            for &(game, at) in minibatch {
                let (features, target) = samples[game as usize].at(at as usize);
                loss += self
                    .current
                    .accumulate_gradient(features, target, &mut gradient);
            }
            self.step(&gradient.values, rate, 1.0 / minibatch.len() as f32);
        }
        loss
    }

    fn step(&mut self, gradient: &[f32], rate: f32, scale: f32) {
        self.steps += 1;
        let momentum_correction = 1.0 - MOMENTUM.powi(self.steps.min(10_000) as i32);
        let second = 1.0 - SQUARE_DECAY.powi(self.steps.min(100_000) as i32);
        let rate = rate / momentum_correction;
        let second = 1.0 / second;
        let inertia = MEAN_DECAY.min(1.0 - 1.0 / (self.steps as f32 + 1.0));
        let numbers = self.current.values.iter_mut().zip(&mut self.mean.values);
        let means = self.momentum.iter_mut().zip(&mut self.squares);
        for (((number, mean), (momentum, square)), gradient) in numbers.zip(means).zip(gradient) {
            let gradient = gradient * scale;
            *momentum += (1.0 - MOMENTUM) * (gradient - *momentum);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            *number -= rate * *momentum / ((*square * second).sqrt() + 1e-7);
            *mean += (1.0 - inertia) * (*number - *mean);
        }
    }
}
