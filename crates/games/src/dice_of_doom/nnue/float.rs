//! The network in floating point: what it computes, and its gradient.

use super::super::handcrafted::weights::exp;
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::features::{ActiveFeatures, FeatureLayout};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS};
use dice_of_doom_core::search::WinShares;
use rand::{Rng, RngExt};

/// Sums in the first layer.
pub const WIDTH: usize = 64;

/// Neurons in the second layer.
pub const HIDDEN: usize = 32;

/// Everything that training finds.
#[derive(Clone, PartialEq, Debug)]
pub struct NnueParameters {
    pub(super) layout: FeatureLayout,
    players: usize,
    /// The rows of the features, then what [`ParameterOffsets`] tells.
    pub(super) numbers: Vec<f32>,
}

/// Where the parts begin behind the rows.
#[derive(Clone, Copy)]
pub(super) struct ParameterOffsets {
    pub(super) bias: usize,
    pub(super) second: usize,
    pub(super) second_bias: usize,
    pub(super) last: usize,
    pub(super) last_bias: usize,
    pub(super) end: usize,
}

/// The sums of the first layer.
pub(super) type FloatAccumulator = [f32; WIDTH];

/// What the network computed on its way, for the gradient.
pub(super) struct ForwardPass {
    first: [f32; WIDTH],
    second: [f32; HIDDEN],
    /// The share of each player, by distance from the mover.
    pub(super) shares: [f32; MAX_PLAYERS],
}

impl NnueParameters {
    /// Small random numbers, for a game of so many players.
    #[must_use]
    pub fn random(players: u8, rng: &mut impl Rng) -> Self {
        let mut parameters = NnueParameters::zeros(players);
        let places = parameters.places();
        let mut fill = |range: std::ops::Range<usize>, size: f32| {
            for number in &mut parameters.numbers[range] {
                *number = (rng.random::<f32>() * 2.0 - 1.0) * size;
            }
        };
        fill(0..places.bias, 0.1);
        fill(
            places.second..places.second_bias,
            (3.0 / WIDTH as f32).sqrt(),
        );
        fill(places.last..places.last_bias, 0.1);
        for number in &mut parameters.numbers[places.bias..places.second] {
            *number = 0.1;
        }
        parameters
    }

    /// Writes the shape and the numbers.
    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        to.number(self.players as u64);
        to.number(WIDTH as u64);
        to.number(HIDDEN as u64);
        to.number(self.layout.count as u64);
        to.floats(&self.numbers);
    }

    /// Reads what [`Self::write`] wrote.
    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let mut parameters = NnueParameters::zeros(from.shape()?);
        parameters.numbers = from.floats(parameters.numbers.len())?;
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
            numbers: Vec::new(),
        };
        parameters.numbers = vec![0.0; parameters.places().end];
        parameters
    }

    pub(super) fn places(&self) -> ParameterOffsets {
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
        array(&self.numbers[at..])
    }

    #[inline]
    pub(super) fn add(&self, sums: &mut FloatAccumulator, feature: usize) {
        let row = self.row(feature * WIDTH);
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }

    #[inline]
    pub(super) fn take(&self, sums: &mut FloatAccumulator, feature: usize) {
        let row = self.row(feature * WIDTH);
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum -= number;
        }
    }

    pub(super) fn sums(&self, features: impl Iterator<Item = usize>) -> FloatAccumulator {
        let mut sums = *self.row(self.places().bias);
        features.for_each(|feature| self.add(&mut sums, feature));
        sums
    }

    pub(super) fn sums_of(&self, game: &DiceOfDoom, read: &ActiveFeatures) -> FloatAccumulator {
        let mut sums = *self.row(self.places().bias);
        read.each(game, &self.layout, |feature| self.add(&mut sums, feature));
        sums
    }

    /// The shares of a position.
    #[must_use]
    pub fn shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        let read = ActiveFeatures::from_position(game, &self.layout, position);
        let passed = self.forward(&self.sums_of(game, &read));
        from_distance_order(&passed.shares, game, &read)
    }

    #[inline]
    pub(super) fn forward(&self, sums: &FloatAccumulator) -> ForwardPass {
        let places = self.places();
        let first = sums.map(|sum| sum.max(0.0));
        let mut second: [f32; HIDDEN] = *array(&self.numbers[places.second_bias..]);
        for (at, &x) in first.iter().enumerate() {
            let row: &[f32; HIDDEN] = array(&self.numbers[places.second + at * HIDDEN..]);
            for (sum, weight) in second.iter_mut().zip(row) {
                *sum += weight * x;
            }
        }
        let second = second.map(|sum| sum.max(0.0));
        let mut last: [f32; MAX_PLAYERS] = *array(&self.numbers[places.last_bias..]);
        for (at, &x) in second.iter().enumerate() {
            let row: &[f32; MAX_PLAYERS] = array(&self.numbers[places.last + at * MAX_PLAYERS..]);
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

    /// Adds the gradient of the cross entropy with the target, which is by distance, to `gradient`; returns
    /// the cross entropy in nats.
    pub(super) fn accumulate_gradient(
        &self,
        features: &[u16],
        target: &[f32; MAX_PLAYERS],
        gradient: &mut NnueParameters,
    ) -> f32 {
        let places = self.places();
        let sums = self.sums(features.iter().map(|&feature| usize::from(feature)));
        let passed = self.forward(&sums);
        let mut loss = 0.0;
        let mut error = [0.0; MAX_PLAYERS];
        for at in 0..self.players {
            error[at] = passed.shares[at] - target[at];
            if target[at] > 0.0 {
                loss -= target[at] * passed.shares[at].max(1e-9).ln();
            }
        }
        let numbers = &mut gradient.numbers;
        add_to(&mut numbers[places.last_bias..], &error);
        let mut second_error = [0.0; HIDDEN];
        for (at, (sum, &x)) in second_error.iter_mut().zip(&passed.second).enumerate() {
            if x > 0.0 {
                let place = places.last + at * MAX_PLAYERS;
                let row: &[f32; MAX_PLAYERS] = array(&self.numbers[place..]);
                *sum = row.iter().zip(&error).map(|(w, e)| w * e).sum();
                add_to(&mut numbers[place..], &error.map(|error| error * x));
            }
        }
        add_to(&mut numbers[places.second_bias..], &second_error);
        let mut first_error = [0.0; WIDTH];
        for (at, (sum, &x)) in first_error.iter_mut().zip(&passed.first).enumerate() {
            if x > 0.0 {
                let place = places.second + at * HIDDEN;
                let row: &[f32; HIDDEN] = array(&self.numbers[place..]);
                *sum = row.iter().zip(&second_error).map(|(w, e)| w * e).sum();
                add_to(&mut numbers[place..], &second_error.map(|error| error * x));
            }
        }
        add_to(&mut numbers[places.bias..], &first_error);
        for &feature in features {
            add_to(&mut numbers[usize::from(feature) * WIDTH..], &first_error);
        }
        loss
    }
}

#[inline]
fn array<const N: usize>(numbers: &[f32]) -> &[f32; N] {
    numbers.first_chunk().expect("the parts have their sizes")
}

#[inline]
fn add_to<const N: usize>(numbers: &mut [f32], more: &[f32; N]) {
    let numbers: &mut [f32; N] = numbers
        .first_chunk_mut()
        .expect("the parts have their sizes");
    for (number, more) in numbers.iter_mut().zip(more) {
        *number += more;
    }
}

/// The softmax of so many numbers; 0 for players beyond.
#[inline]
fn softmax(numbers: &[f32]) -> [f32; MAX_PLAYERS] {
    let mut shares = [[0.0]; MAX_PLAYERS];
    let known = &mut shares[..numbers.len()];
    known.as_flattened_mut().copy_from_slice(numbers);
    softmax_each(known);
    shares.map(|[share]| share)
}

/// The softmax of each column.
#[inline(always)]
pub(super) fn softmax_each<const COLUMNS: usize>(rows: &mut [[f32; COLUMNS]]) {
    let mut most = [f32::NEG_INFINITY; COLUMNS];
    for row in &*rows {
        for (most, number) in most.iter_mut().zip(row) {
            *most = most.max(*number);
        }
    }
    let mut sums = [0.0; COLUMNS];
    for row in &mut *rows {
        for ((number, most), sum) in row.iter_mut().zip(&most).zip(&mut sums) {
            *number = exp(*number - most);
            *sum += *number;
        }
    }
    for row in rows {
        for (number, sum) in row.iter_mut().zip(&sums) {
            *number *= 1.0 / sum;
        }
    }
}

/// Shares by distance from the mover, as shares by player.
#[inline(always)]
pub(super) fn from_distance_order(
    shares: &[f32; MAX_PLAYERS],
    game: &DiceOfDoom,
    read: &ActiveFeatures,
) -> WinShares {
    let players = game.players();
    ByPlayer::from_fn(|player| {
        if player.number() < players {
            shares[player.turns_until(read.mover(), players)]
        } else {
            0.0
        }
    })
}
