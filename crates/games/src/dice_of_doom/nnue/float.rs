//! The network in floating point: evaluation and gradient.

use super::super::handcrafted::weights::exp;
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::features::{ActiveFeatures, FeatureLayout};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS};
use dice_of_doom_core::search::WinShares;
use rand::{Rng, RngExt};

/// The width of the first layer.
pub const WIDTH: usize = 64;

/// The width of the second layer.
pub const HIDDEN: usize = 32;

/// The trainable parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct NnueParameters {
    pub(super) layout: FeatureLayout,
    players: usize,
    /// The rows of the features, followed by the parts listed in [`ParameterOffsets`].
    pub(super) values: Vec<f32>,
}

/// The offsets of the parts after the feature rows.
#[derive(Clone, Copy)]
pub(super) struct ParameterOffsets {
    pub(super) bias: usize,
    pub(super) second: usize,
    pub(super) second_bias: usize,
    pub(super) last: usize,
    pub(super) last_bias: usize,
    pub(super) end: usize,
}

/// The sums of the first layer, before the activation.
pub(super) type FloatAccumulator = [f32; WIDTH];

/// The activations of a forward pass, for the gradient.
pub(super) struct ForwardPass {
    first: [f32; WIDTH],
    second: [f32; HIDDEN],
    /// The win share of each player, by distance from the mover.
    pub(super) shares: [f32; MAX_PLAYERS],
}

impl NnueParameters {
    /// Small random parameters for a game of `players` players.
    #[must_use]
    pub fn random(players: u8, rng: &mut impl Rng) -> Self {
        let mut parameters = NnueParameters::zeros(players);
        let offsets = parameters.offsets();
        let mut fill = |range: std::ops::Range<usize>, size: f32| {
            for number in &mut parameters.values[range] {
                *number = (rng.random::<f32>() * 2.0 - 1.0) * size;
            }
        };
        fill(0..offsets.bias, 0.1);
        fill(
            offsets.second..offsets.second_bias,
            (3.0 / WIDTH as f32).sqrt(),
        );
        fill(offsets.last..offsets.last_bias, 0.1);
        for number in &mut parameters.values[offsets.bias..offsets.second] {
            *number = 0.1;
        }
        parameters
    }

    /// Writes the shape and the parameters.
    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        to.write_number(self.players as u64);
        to.write_number(WIDTH as u64);
        to.write_number(HIDDEN as u64);
        to.write_number(self.layout.count as u64);
        to.write_floats(&self.values);
    }

    /// Reads the format of [`Self::write`].
    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let mut parameters = NnueParameters::zeros(from.read_shape()?);
        parameters.values = from.read_floats(parameters.values.len())?;
        Ok(parameters)
    }

    pub(super) const fn players(&self) -> usize {
        self.players
    }

    pub(super) fn zeros(players: u8) -> Self {
        let layout = FeatureLayout::for_players(players);
        let mut parameters = NnueParameters {
            layout,
            players: usize::from(players),
            values: Vec::new(),
        };
        parameters.values = vec![0.0; parameters.offsets().end];
        parameters
    }

    pub(super) fn offsets(&self) -> ParameterOffsets {
        let bias = self.layout.count * WIDTH;
        let second = bias + WIDTH;
        let second_bias = second + WIDTH * HIDDEN;
        let last = second_bias + HIDDEN;
        let last_bias = last + HIDDEN * MAX_PLAYERS;
        ParameterOffsets {
            bias,
            second,
            second_bias,
            last,
            last_bias,
            end: last_bias + MAX_PLAYERS,
        }
    }

    #[inline]
    fn row(&self, at: usize) -> &[f32; WIDTH] {
        array(&self.values[at..])
    }

    #[inline]
    pub(super) fn add_row(&self, sums: &mut FloatAccumulator, feature: usize) {
        let row = self.row(feature * WIDTH);
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }

    #[inline]
    pub(super) fn subtract_row(&self, sums: &mut FloatAccumulator, feature: usize) {
        let row = self.row(feature * WIDTH);
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum -= number;
        }
    }

    pub(super) fn accumulate(&self, features: impl Iterator<Item = usize>) -> FloatAccumulator {
        let mut sums = *self.row(self.offsets().bias);
        features.for_each(|feature| self.add_row(&mut sums, feature));
        sums
    }

    pub(super) fn accumulate_position(
        &self,
        game: &DiceOfDoom,
        features: &ActiveFeatures,
    ) -> FloatAccumulator {
        let mut sums = *self.row(self.offsets().bias);
        features.for_each_feature(game, &self.layout, |feature| {
            self.add_row(&mut sums, feature)
        });
        sums
    }

    /// The win shares of a position.
    #[must_use]
    pub fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        let features = ActiveFeatures::from_position(game, &self.layout, position);
        let pass = self.forward(&self.accumulate_position(game, &features));
        from_distance_order(&pass.shares, game, &features)
    }

    #[inline]
    pub(super) fn forward(&self, sums: &FloatAccumulator) -> ForwardPass {
        let offsets = self.offsets();
        let first = sums.map(|sum| sum.max(0.0));
        let mut second: [f32; HIDDEN] = *array(&self.values[offsets.second_bias..]);
        for (at, &x) in first.iter().enumerate() {
            let row: &[f32; HIDDEN] = array(&self.values[offsets.second + at * HIDDEN..]);
            for (sum, weight) in second.iter_mut().zip(row) {
                *sum += weight * x;
            }
        }
        let second = second.map(|sum| sum.max(0.0));
        let mut last: [f32; MAX_PLAYERS] = *array(&self.values[offsets.last_bias..]);
        for (at, &x) in second.iter().enumerate() {
            let row: &[f32; MAX_PLAYERS] = array(&self.values[offsets.last + at * MAX_PLAYERS..]);
            for (sum, weight) in last.iter_mut().zip(row) {
                *sum += weight * x;
            }
        }
        ForwardPass {
            first,
            second,
            shares: softmax(&last[..self.players]),
        }
    }

    /// Adds the gradient of the cross entropy to `gradient`; returns the cross entropy in nats. `target` is
    /// ordered by distance from the mover.
    pub(super) fn accumulate_gradient(
        &self,
        features: &[u16],
        target: &[f32; MAX_PLAYERS],
        gradient: &mut NnueParameters,
    ) -> f32 {
        let offsets = self.offsets();
        let sums = self.accumulate(features.iter().map(|&feature| usize::from(feature)));
        let pass = self.forward(&sums);
        let mut loss = 0.0;
        let mut error = [0.0; MAX_PLAYERS];
        for at in 0..self.players {
            error[at] = pass.shares[at] - target[at];
            if target[at] > 0.0 {
                loss -= target[at] * pass.shares[at].max(1e-9).ln();
            }
        }
        let numbers = &mut gradient.values;
        add_assign(&mut numbers[offsets.last_bias..], &error);
        let mut second_error = [0.0; HIDDEN];
        for (at, (sum, &x)) in second_error.iter_mut().zip(&pass.second).enumerate() {
            if x > 0.0 {
                let row_offset = offsets.last + at * MAX_PLAYERS;
                let row: &[f32; MAX_PLAYERS] = array(&self.values[row_offset..]);
                *sum = row.iter().zip(&error).map(|(w, e)| w * e).sum();
                add_assign(&mut numbers[row_offset..], &error.map(|error| error * x));
            }
        }
        add_assign(&mut numbers[offsets.second_bias..], &second_error);
        let mut first_error = [0.0; WIDTH];
        for (at, (sum, &x)) in first_error.iter_mut().zip(&pass.first).enumerate() {
            if x > 0.0 {
                let row_offset = offsets.second + at * HIDDEN;
                let row: &[f32; HIDDEN] = array(&self.values[row_offset..]);
                *sum = row.iter().zip(&second_error).map(|(w, e)| w * e).sum();
                add_assign(
                    &mut numbers[row_offset..],
                    &second_error.map(|error| error * x),
                );
            }
        }
        add_assign(&mut numbers[offsets.bias..], &first_error);
        for &feature in features {
            add_assign(&mut numbers[usize::from(feature) * WIDTH..], &first_error);
        }
        loss
    }
}

#[inline]
fn array<const N: usize>(numbers: &[f32]) -> &[f32; N] {
    numbers.first_chunk().expect("each part is long enough")
}

#[inline]
fn add_assign<const N: usize>(numbers: &mut [f32], more: &[f32; N]) {
    let numbers: &mut [f32; N] = numbers.first_chunk_mut().expect("each part is long enough");
    for (number, more) in numbers.iter_mut().zip(more) {
        *number += more;
    }
}

/// The softmax of the numbers, padded with 0.
#[inline]
fn softmax(numbers: &[f32]) -> [f32; MAX_PLAYERS] {
    let mut shares = [[0.0]; MAX_PLAYERS];
    let used = &mut shares[..numbers.len()];
    used.as_flattened_mut().copy_from_slice(numbers);
    softmax_columns(used);
    shares.map(|[share]| share)
}

/// Replaces each column by its softmax.
#[inline(always)]
pub(super) fn softmax_columns<const COLUMNS: usize>(rows: &mut [[f32; COLUMNS]]) {
    let mut max = [f32::NEG_INFINITY; COLUMNS];
    for row in &*rows {
        for (max, number) in max.iter_mut().zip(row) {
            *max = max.max(*number);
        }
    }
    let mut sums = [0.0; COLUMNS];
    for row in &mut *rows {
        for ((number, max), sum) in row.iter_mut().zip(&max).zip(&mut sums) {
            *number = exp(*number - max);
            *sum += *number;
        }
    }
    for row in rows {
        for (number, sum) in row.iter_mut().zip(&sums) {
            *number *= 1.0 / sum;
        }
    }
}

/// Converts shares ordered by distance from the mover to shares by player.
#[inline(always)]
pub(super) fn from_distance_order(
    shares: &[f32; MAX_PLAYERS],
    game: &DiceOfDoom,
    features: &ActiveFeatures,
) -> WinShares {
    let players = game.players();
    ByPlayer::for_players(players, |player| {
        shares[player.turns_until(features.mover(), players)]
    })
}
