//! The network in whole numbers, as searches ask it.
//!
//! Every number of a layer is multiplied by the layer's scale and rounded. Scales are as large as sums
//! of 16 and 32 bits allow, whatever the position.

use wide::{i16x8, i32x4, i32x8};

use super::super::position::Position;
use super::super::rules::{Action, DiceOfDoom};
use super::features::{Layout, Read};
use super::file::{FileError, Reader, Writer};
use super::layers::{HIDDEN, Parameters, WIDTH, by_player, softmax};
use dice_of_doom_core::game::MOST_PLAYERS;
use dice_of_doom_core::search::{Forecast, Shares};

/// The most that a sum of the second layer counts for.
const MOST_SECOND: f32 = 63.0;

/// Lanes of a word of the processor.
const LANES: usize = 8;

/// Words of the first layer's sums.
const WORDS: usize = WIDTH / LANES;

/// Words of the second layer's sums, which are twice as wide.
const WIDE_WORDS: usize = HIDDEN / 4;

/// The players, as many as fill whole words.
const OUT_WORDS: usize = MOST_PLAYERS.div_ceil(4);

/// The sums of the first layer.
type Sums = [i16x8; WORDS];

/// The weights of two inputs for four outputs, side by side: multiplied with the two inputs and added, they
/// are one instruction.
type Pair = i16x8;

/// A network in whole numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    layout: Layout,
    players: usize,
    rows: Vec<Sums>,
    bias: Sums,
    second: [[Pair; WIDE_WORDS]; WIDTH / 2],
    second_bias: [i32x4; WIDE_WORDS],
    /// By how many bits sums of the second layer are cut.
    cut: u32,
    last: [[Pair; OUT_WORDS]; HIDDEN / 2],
    last_bias: [f32; MOST_PLAYERS],
    /// What a sum of the last layer is multiplied with.
    last_scale: f32,
}

impl Net {
    /// Rounds the numbers.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        let places = parameters.places();
        let numbers = &parameters.numbers;
        let layout = parameters.layout;
        let first_scale = layout.first_scale(&numbers[..places.second], WIDTH);
        let row = |at: usize| -> Sums {
            let rounded: [i16; WIDTH] =
                std::array::from_fn(|unit| (numbers[at + unit] * first_scale).round() as i16);
            bytemuck::cast(rounded)
        };
        let second = |from: usize, into: usize| numbers[places.second + from * HIDDEN + into];
        let largest = (0..HIDDEN).map(|into| (0..WIDTH).map(|from| second(from, into).abs()).sum());
        let largest = largest.fold(1e-3, f32::max);
        // The sum of products stays below half of what 32 bits hold, and the bias has the other half.
        let second_scale = (f32::from(i16::MAX) / largest).min(4096.0);
        let both = first_scale * second_scale;
        let cut = (both * MOST_SECOND / f32::from(i16::MAX))
            .log2()
            .ceil()
            .max(0.0) as u32;
        let second_out = both / (1u64 << cut) as f32;
        let last = |from: usize, into: usize| {
            if into < MOST_PLAYERS {
                numbers[places.last + from * MOST_PLAYERS + into]
            } else {
                0.0
            }
        };
        let last_weights = numbers[places.last..places.last_bias].iter();
        let most = last_weights.fold(1e-3, |most: f32, weight| most.max(weight.abs()));
        let last_scale = 2_000.0 / most;
        Net {
            layout,
            players: parameters.players(),
            rows: (0..layout.count)
                .map(|feature| row(feature * WIDTH))
                .collect(),
            bias: row(places.bias),
            second: pairs(second, second_scale),
            second_bias: bytemuck::cast::<[i32; HIDDEN], _>(std::array::from_fn(|at| {
                (numbers[places.second_bias + at] * both).round() as i32
            })),
            cut,
            last: pairs(last, last_scale),
            last_bias: std::array::from_fn(|at| numbers[places.last_bias + at]),
            last_scale: 1.0 / (second_out * last_scale),
        }
    }

    /// How many players the games have that it knows.
    pub(super) const fn players(&self) -> u8 {
        self.players as u8
    }

    /// Writes the shape and the numbers.
    pub(super) fn write(&self, to: &mut Writer) {
        to.number(self.players as u64);
        to.number(WIDTH as u64);
        to.number(HIDDEN as u64);
        to.number(self.layout.count as u64);
        for row in self.rows.iter().chain([&self.bias]) {
            to.shorts(&bytemuck::cast::<_, [i16; WIDTH]>(*row));
        }
        for pair in self
            .second
            .as_flattened()
            .iter()
            .chain(self.last.as_flattened())
        {
            to.shorts(&pair.to_array());
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        biases
            .iter()
            .for_each(|&bias| to.number(i64::from(bias) as u64));
        to.number(self.cut.into());
        to.floats(&self.last_bias);
        to.floats(&[self.last_scale]);
    }

    /// Reads what [`Self::write`] wrote.
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let players = from.shape()?;
        let layout = Layout::of(players);
        let mut rows = Vec::with_capacity(layout.count);
        for _ in 0..layout.count {
            rows.push(bytemuck::cast(from.shorts::<WIDTH>()?));
        }
        let bias = bytemuck::cast(from.shorts::<WIDTH>()?);
        let mut second = [[Pair::ZERO; WIDE_WORDS]; WIDTH / 2];
        let mut last = [[Pair::ZERO; OUT_WORDS]; HIDDEN / 2];
        for pair in second
            .as_flattened_mut()
            .iter_mut()
            .chain(last.as_flattened_mut())
        {
            *pair = Pair::new(from.shorts()?);
        }
        let mut second_bias = [0; HIDDEN];
        for bias in &mut second_bias {
            *bias = from.number()? as i64 as i32;
        }
        let cut = from.number()?;
        let cut = u32::try_from(cut)
            .ok()
            .filter(|&cut| cut < 32)
            .ok_or(FileError::Damaged)?;
        let mut last_bias = [0.0; MOST_PLAYERS];
        last_bias.copy_from_slice(&from.floats(MOST_PLAYERS)?);
        let last_scale = from.floats(1)?[0];
        Ok(Net {
            layout,
            players: usize::from(players),
            rows,
            bias,
            second,
            second_bias: bytemuck::cast(second_bias),
            cut,
            last,
            last_bias,
            last_scale,
        })
    }

    #[inline]
    fn pass(&self, sums: &Sums) -> [f32; MOST_PLAYERS] {
        let first = sums.map(|sum| sum.max(i16x8::ZERO));
        let mut second = self.second_bias;
        multiply(
            &bytemuck::cast::<_, [i32; WIDTH / 2]>(first),
            &self.second,
            &mut second,
        );
        let second: [i16x8; HIDDEN / LANES] = std::array::from_fn(|at| {
            let pair: i32x8 = bytemuck::cast([second[2 * at], second[2 * at + 1]]);
            i16x8::from_i32x8_saturate(pair >> self.cut).max(i16x8::ZERO)
        });
        let mut last = [i32x4::ZERO; OUT_WORDS];
        multiply(
            &bytemuck::cast::<_, [i32; HIDDEN / 2]>(second),
            &self.last,
            &mut last,
        );
        let sums: [i32; 4 * OUT_WORDS] = bytemuck::cast(last);
        let shares =
            std::array::from_fn(|at| sums[at] as f32 * self.last_scale + self.last_bias[at]);
        softmax(shares, self.players)
    }

    #[inline]
    fn sums(&self, game: &DiceOfDoom, read: &Read) -> Sums {
        let mut sums = self.bias;
        read.each(game, &self.layout, |feature| {
            add(&mut sums, &self.rows[feature])
        });
        sums
    }
}

/// The weights of pairs of inputs, rounded.
fn pairs<const PAIRS: usize, const OUT: usize>(
    weight: impl Fn(usize, usize) -> f32,
    scale: f32,
) -> [[Pair; OUT]; PAIRS] {
    std::array::from_fn(|pair| {
        std::array::from_fn(|word| {
            let weights: [i16; LANES] = std::array::from_fn(|lane| {
                (weight(2 * pair + lane % 2, 4 * word + lane / 2) * scale).round() as i16
            });
            bytemuck::cast(weights)
        })
    })
}

/// Adds the products of inputs, two in each number, and weights.
#[inline]
fn multiply<const PAIRS: usize, const OUT: usize>(
    inputs: &[i32; PAIRS],
    weights: &[[Pair; OUT]; PAIRS],
    sums: &mut [i32x4; OUT],
) {
    for (&input, weights) in inputs.iter().zip(weights) {
        let input: i16x8 = bytemuck::cast(i32x4::splat(input));
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum += input.dot(*weights);
        }
    }
}

#[inline]
fn add(sums: &mut Sums, row: &Sums) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += *number;
    }
}

#[inline]
fn change(sums: &mut Sums, before: &Sums, after: &Sums) {
    for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
        *sum += *after - *before;
    }
}

/// What is kept of a position: what was read off its board, and the sums of the first layer.
pub struct Basis {
    read: Read,
    sums: Sums,
}

impl Forecast<DiceOfDoom> for Net {
    type Basis = Basis;

    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        let read = Read::of(game, &self.layout, position);
        by_player(&self.pass(&self.sums(game, &read)), game, &read)
    }

    fn basis(&self, game: &DiceOfDoom, position: &Position) -> Basis {
        let read = Read::of(game, &self.layout, position);
        let sums = self.sums(game, &read);
        Basis { read, sums }
    }

    fn shares_after(&self, game: &DiceOfDoom, basis: &Basis, position: &Position) -> Shares {
        if position.player() != basis.read.mover() {
            return self.shares(game, position);
        }
        let mut sums = basis.sums;
        for (before, after) in basis.read.changes(game, &self.layout, position).pairs() {
            change(&mut sums, &self.rows[before], &self.rows[after]);
        }
        by_player(&self.pass(&sums), game, &basis.read)
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        super::super::forecast::prior(game, position, action)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rules::Rules;
    use super::*;
    use dice_of_doom_core::game::{Game, Status};
    use dice_of_doom_core::level::RandomPlayer;
    use dice_of_doom_core::streams::SearchRng;

    /// Positions of random games of every shape, each with one that follows it.
    fn pairs(mut look: impl FnMut(&DiceOfDoom, &Parameters, &Position, &Position)) {
        for players in 2..=6 {
            for rules in [Rules::V4, Rules::Conquest] {
                for side in 4..=7 {
                    let mut rng =
                        SearchRng::seed_from_u64(u64::from(players) * 10 + u64::from(side));
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
            let net = Net::of(parameters);
            let basis = net.basis(game, before);
            let (quick, anew) = (
                net.shares_after(game, &basis, after),
                net.shares(game, after),
            );
            assert_eq!(quick, anew, "{after:?}");
        });
    }

    #[test]
    fn whole_numbers_are_near_the_others() {
        pairs(|game, parameters, _, after| {
            let (whole, float) = (
                Net::of(parameters).shares(game, after),
                parameters.shares(game, after),
            );
            for player in dice_of_doom_core::game::Player::all(game.players()) {
                let far = (whole[player] - float[player]).abs();
                assert!(far < 0.01, "{far} {after:?}");
            }
        });
    }
}
