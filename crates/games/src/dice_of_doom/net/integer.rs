//! The network in whole numbers, as searches ask it.
//!
//! Every number of a layer is multiplied by the layer's scale and rounded. Scales are as large as sums
//! of 16 and 32 bits allow, whatever the position.

use super::super::position::Position;
use super::super::rules::{Action, DiceOfDoom};
use super::features::{Layout, Read};
use super::layers::{HIDDEN, Parameters, WIDTH, by_player, softmax};
use dice_of_doom_core::game::MOST_PLAYERS;
use dice_of_doom_core::search::{Forecast, Shares};

/// The most that a sum of the second layer counts for.
const MOST_SECOND: f32 = 63.0;

/// A network in whole numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    layout: Layout,
    players: usize,
    rows: Vec<[i16; WIDTH]>,
    bias: [i16; WIDTH],
    second: [[i16; WIDTH]; HIDDEN],
    second_bias: [i32; HIDDEN],
    /// By how many bits sums of the second layer are cut.
    cut: u32,
    last: [[i16; HIDDEN]; MOST_PLAYERS],
    last_bias: [f32; MOST_PLAYERS],
    /// What a sum of the last layer is multiplied with.
    last_scale: f32,
}

/// The sums of the first layer.
type Sums = [i16; WIDTH];

impl Net {
    /// Rounds the numbers.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        let places = parameters.places();
        let numbers = &parameters.numbers;
        let layout = parameters.layout;
        let first_scale = layout.first_scale(&numbers[..places.second], WIDTH);
        let round = |number: f32, scale: f32| (number * scale).round();
        let row = |at: usize| -> [i16; WIDTH] {
            std::array::from_fn(|unit| round(numbers[at + unit], first_scale) as i16)
        };
        let weights = |into: usize| (0..WIDTH).map(move |from| numbers[places.second + from * HIDDEN + into]);
        let largest = (0..HIDDEN).map(|into| weights(into).map(f32::abs).sum::<f32>());
        let largest = largest.fold(1e-3, f32::max);
        // The sum of products stays below half of what 32 bits hold, and the bias has the other half.
        let second_scale = (f32::from(i16::MAX) / largest).min(4096.0);
        let both = first_scale * second_scale;
        let cut = (both * MOST_SECOND / f32::from(i16::MAX)).log2().ceil().max(0.0) as u32;
        let second_out = both / (1u64 << cut) as f32;
        let last_weights = &numbers[places.last..places.last_bias];
        let most = last_weights.iter().fold(1e-3, |most: f32, weight| most.max(weight.abs()));
        let last_scale = 2_000.0 / most;
        Net {
            layout,
            players: parameters.players(),
            rows: (0..layout.count).map(|feature| row(feature * WIDTH)).collect(),
            bias: row(places.bias),
            second: std::array::from_fn(|into| {
                let mut weights = weights(into);
                std::array::from_fn(|_| round(weights.next().unwrap_or(0.0), second_scale) as i16)
            }),
            second_bias: std::array::from_fn(|at| round(numbers[places.second_bias + at], both) as i32),
            cut,
            last: std::array::from_fn(|into| {
                std::array::from_fn(|from| round(last_weights[from * MOST_PLAYERS + into], last_scale) as i16)
            }),
            last_bias: std::array::from_fn(|at| numbers[places.last_bias + at]),
            last_scale: 1.0 / (second_out * last_scale),
        }
    }

    #[inline]
    fn pass(&self, sums: &Sums) -> [f32; MOST_PLAYERS] {
        let first = sums.map(|sum| sum.max(0));
        let mut second = [0; HIDDEN];
        for ((out, weights), bias) in second.iter_mut().zip(&self.second).zip(&self.second_bias) {
            let sum = (dot(&first, weights) + bias) >> self.cut;
            *out = sum.clamp(0, i32::from(i16::MAX)) as i16;
        }
        let mut last = [0.0; MOST_PLAYERS];
        for ((out, weights), bias) in last.iter_mut().zip(&self.last).zip(&self.last_bias).take(self.players) {
            *out = dot(&second, weights) as f32 * self.last_scale + bias;
        }
        softmax(last, self.players)
    }

    fn sums(&self, game: &DiceOfDoom, read: &Read) -> Sums {
        let mut sums = self.bias;
        read.each(game, &self.layout, |feature| add(&mut sums, &self.rows[feature]));
        sums
    }
}

#[inline]
fn dot<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let products = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b));
    products.sum()
}

#[inline]
fn add(sums: &mut Sums, row: &Sums) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += number;
    }
}

#[inline]
fn take(sums: &mut Sums, row: &Sums) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum -= number;
    }
}

/// What is kept of a position: what was read off its board, and the sums of the first layer.
pub struct Basis {
    read: Read,
    sums: Sums,
}

impl Forecast<DiceOfDoom> for &Net {
    type Basis = Basis;

    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        let read = Read::of(game, position);
        by_player(&self.pass(&self.sums(game, &read)), game, &read)
    }

    fn basis(&self, game: &DiceOfDoom, position: &Position) -> Basis {
        let read = Read::of(game, position);
        let sums = self.sums(game, &read);
        Basis { read, sums }
    }

    fn shares_after(&self, game: &DiceOfDoom, basis: &Basis, position: &Position) -> Shares {
        if position.player() != basis.read.mover() {
            return self.shares(game, position);
        }
        let mut sums = basis.sums;
        basis.read.each_change(game, &self.layout, position, |is_there, feature| {
            let row = &self.rows[feature];
            if is_there {
                add(&mut sums, row);
            } else {
                take(&mut sums, row);
            }
        });
        by_player(&self.pass(&sums), game, &basis.read)
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        super::super::forecast::prior(game, position, action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dice_of_doom_core::game::{Game, Status};
    use dice_of_doom_core::level::RandomPlayer;
    use dice_of_doom_core::streams::SearchRng;
    use super::super::super::rules::Rules;

    /// Positions of random games of every shape, each with one that follows it.
    fn pairs(mut look: impl FnMut(&DiceOfDoom, &Parameters, &Position, &Position)) {
        for players in 2..=6 {
            for rules in [Rules::V4, Rules::Conquest] {
                for side in 4..=7 {
                    let mut rng = SearchRng::seed_from_u64(u64::from(players) * 10 + u64::from(side));
                    let parameters = Parameters::random(players, &mut rng);
                    let game = DiceOfDoom::new(rules, side, players, 5).unwrap();
                    let mut position = game.deal(&mut rng).unwrap();
                    for _ in 0..100 {
                        if matches!(game.status(&position), Status::Over(_)) {
                            break;
                        }
                        let action = RandomPlayer::pick(&game, &position, &mut rng);
                        let outcome = game.sample(&position, action, &mut rng);
                        let after = game.play(&position, action, outcome);
                        look(&game, &parameters, &position, &after);
                        position = after;
                    }
                }
            }
        }
    }

    #[test]
    fn what_changed_is_as_counted_anew() {
        pairs(|game, parameters, before, after| {
            let net = &Net::of(parameters);
            let basis = net.basis(game, before);
            let (quick, anew) = (net.shares_after(game, &basis, after), net.shares(game, after));
            assert_eq!(quick, anew, "{after:?}");
        });
    }

    #[test]
    fn whole_numbers_are_near_the_others() {
        pairs(|game, parameters, _, after| {
            let (whole, float) = ((&Net::of(parameters)).shares(game, after), parameters.shares(game, after));
            for player in dice_of_doom_core::game::Player::all(game.players()) {
                let far = (whole[player] - float[player]).abs();
                assert!(far < 0.01, "{far} {after:?}");
            }
        });
    }
}
