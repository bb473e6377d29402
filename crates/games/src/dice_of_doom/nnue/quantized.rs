//! The quantized network, which searches use.
//!
//! Every parameter of a layer is multiplied by the layer's scale and rounded. The scales are as large as 16-bit
//! and 32-bit sums allow for any position.

use wide::{i16x8, i16x16, i32x8};

use super::super::action::Action;
use super::super::board::Hex;
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::features::{
    AccumulatorUpdate, ActiveFeatures, AttackContext, ConnectedParts, FeatureLayout,
};
use super::float::{HIDDEN, NnueParameters, WIDTH, softmax_columns};
use super::simd::{LANES, SimdKernel, SimdOps, WIDE_LANES, compute};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// The maximum value of a sum of the second layer.
const MAX_SECOND_SUM: f32 = 63.0;

/// The number of vectors of the first layer's sums.
const WORDS: usize = WIDTH / LANES;

/// The number of vectors of the second layer's sums, whose lanes are twice as wide.
const WIDE_WORDS: usize = HIDDEN / WIDE_LANES;

/// The number of vectors of the output, padded to whole vectors.
const OUT_WORDS: usize = MAX_PLAYERS.div_ceil(WIDE_LANES);

/// The sums of the first layer.
type QuantizedAccumulator = [i16x16; WORDS];

/// The weights of two inputs for eight outputs, interleaved, so that a single instruction multiplies them with
/// the two inputs and adds the products.
type WeightPair = i16x16;

/// A quantized network.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantizedNetwork {
    layout: FeatureLayout,
    players: usize,
    rows: Vec<QuantizedAccumulator>,
    bias: QuantizedAccumulator,
    second: [[WeightPair; WIDE_WORDS]; WIDTH / 2],
    second_bias: [i32x8; WIDE_WORDS],
    /// The right shift of the second layer's sums, in bits.
    cut: u32,
    last: [[WeightPair; OUT_WORDS]; HIDDEN / 2],
    last_bias: [f32; MAX_PLAYERS],
    /// The factor of the last layer's sums.
    last_scale: f32,
}

impl QuantizedNetwork {
    /// A text that identifies the network in [`super::training`]; it must not change when names change.
    pub(super) fn fingerprint_text(&self) -> String {
        format!(
            "Net {{ layout: {}, players: {}, rows: {:?}, bias: {:?}, second: {:?}, second_bias: {:?}, cut: {}, \
             last: {:?}, last_bias: {:?}, last_scale: {:?} }}",
            self.layout.fingerprint_text(),
            self.players,
            self.rows,
            self.bias,
            self.second,
            self.second_bias,
            self.cut,
            self.last,
            self.last_bias,
            self.last_scale,
        )
    }

    /// Quantizes the parameters.
    #[must_use]
    pub fn from_parameters(parameters: &NnueParameters) -> Self {
        let offsets = parameters.offsets();
        let numbers = &parameters.values;
        let layout = parameters.layout;
        let first_scale = layout.first_scale(&numbers[..offsets.second], WIDTH);
        let row = |at: usize| -> QuantizedAccumulator {
            let rounded: [i16; WIDTH] =
                std::array::from_fn(|unit| (numbers[at + unit] * first_scale).round() as i16);
            bytemuck::cast(rounded)
        };
        let second = |from: usize, into: usize| numbers[offsets.second + from * HIDDEN + into];
        let largest = (0..HIDDEN).map(|into| (0..WIDTH).map(|from| second(from, into).abs()).sum());
        let largest = largest.fold(1e-3, f32::max);
        // The sum of products uses at most half of the 32-bit range, and the bias the other half.
        let second_scale = (f32::from(i16::MAX) / largest).min(4096.0);
        let combined_scale = first_scale * second_scale;
        let cut = (combined_scale * MAX_SECOND_SUM / f32::from(i16::MAX))
            .log2()
            .ceil()
            .max(0.0) as u32;
        let second_out = combined_scale / (1u64 << cut) as f32;
        let last = |from: usize, into: usize| {
            if into < MAX_PLAYERS {
                numbers[offsets.last + from * MAX_PLAYERS + into]
            } else {
                0.0
            }
        };
        let last_weights = numbers[offsets.last..offsets.last_bias].iter();
        let most = last_weights.fold(1e-3, |most: f32, weight| most.max(weight.abs()));
        let last_scale = 2_000.0 / most;
        QuantizedNetwork {
            layout,
            players: parameters.players(),
            rows: (0..layout.count)
                .map(|feature| row(feature * WIDTH))
                .collect(),
            bias: row(offsets.bias),
            second: pack_weights(second, second_scale),
            second_bias: bytemuck::cast::<[i32; HIDDEN], _>(std::array::from_fn(|at| {
                (numbers[offsets.second_bias + at] * combined_scale).round() as i32
            })),
            cut,
            last: pack_weights(last, last_scale),
            last_bias: std::array::from_fn(|at| numbers[offsets.last_bias + at]),
            last_scale: 1.0 / (second_out * last_scale),
        }
    }

    /// Floating-point parameters with the same function, to continue training from. They differ from the
    /// original ones by rounding and by factors per layer that cancel out.
    pub(super) fn to_parameters(&self) -> NnueParameters {
        let mut parameters = NnueParameters::zeros(self.players());
        let offsets = parameters.offsets();
        let short =
            |sums: &QuantizedAccumulator| bytemuck::cast::<_, [i16; WIDTH]>(*sums).map(f32::from);
        let rows: Vec<f32> = self
            .rows
            .iter()
            .chain([&self.bias])
            .flat_map(short)
            .collect();
        let first_scale = self.layout.scale_from_rows(&rows, WIDTH);
        // `cut` determines the scale of the second layer up to a factor of two.
        let combined_scale = (self.cut as f32 - 0.5).exp2() * f32::from(i16::MAX) / MAX_SECOND_SUM;
        let second_scale = combined_scale / first_scale;
        let last_scale = self.last_scale * combined_scale / (1u64 << self.cut) as f32;
        let numbers = &mut parameters.values;
        for (number, rounded) in numbers.iter_mut().zip(rows) {
            *number = rounded / first_scale;
        }
        for from in 0..WIDTH {
            for into in 0..HIDDEN {
                let weight = packed_weight(&self.second, from, into);
                numbers[offsets.second + from * HIDDEN + into] = weight / second_scale;
            }
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        for (number, bias) in numbers[offsets.second_bias..].iter_mut().zip(biases) {
            *number = bias as f32 / combined_scale;
        }
        for from in 0..HIDDEN {
            for into in 0..MAX_PLAYERS {
                let weight = packed_weight(&self.last, from, into);
                numbers[offsets.last + from * MAX_PLAYERS + into] = weight * last_scale;
            }
        }
        numbers[offsets.last_bias..].copy_from_slice(&self.last_bias);
        parameters
    }

    /// The number of players of the supported games.
    pub(super) const fn players(&self) -> u8 {
        self.players as u8
    }

    /// Writes the shape and the parameters.
    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        to.write_number(self.players as u64);
        to.write_number(WIDTH as u64);
        to.write_number(HIDDEN as u64);
        to.write_number(self.layout.count as u64);
        for row in self.rows.iter().chain([&self.bias]) {
            to.write_shorts(&bytemuck::cast::<_, [i16; WIDTH]>(*row));
        }
        for pair in self
            .second
            .as_flattened()
            .iter()
            .chain(self.last.as_flattened())
        {
            to.write_shorts(&pair.to_array());
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        biases
            .iter()
            .for_each(|&bias| to.write_number(i64::from(bias) as u64));
        to.write_number(self.cut.into());
        to.write_floats(&self.last_bias);
        to.write_floats(&[self.last_scale]);
    }

    /// Reads the format of [`Self::write`].
    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let players = from.read_shape()?;
        let layout = FeatureLayout::for_players(players);
        let mut rows = Vec::with_capacity(layout.count);
        for _ in 0..layout.count {
            rows.push(bytemuck::cast(from.read_shorts::<WIDTH>()?));
        }
        let bias = bytemuck::cast(from.read_shorts::<WIDTH>()?);
        let mut second = [[WeightPair::ZERO; WIDE_WORDS]; WIDTH / 2];
        let mut last = [[WeightPair::ZERO; OUT_WORDS]; HIDDEN / 2];
        for pair in second
            .as_flattened_mut()
            .iter_mut()
            .chain(last.as_flattened_mut())
        {
            *pair = WeightPair::new(from.read_shorts()?);
        }
        let mut second_bias = [0; HIDDEN];
        for bias in &mut second_bias {
            *bias = from.read_number()? as i64 as i32;
        }
        let cut = from.read_number()?;
        let cut = u32::try_from(cut)
            .ok()
            .filter(|&cut| cut < 32)
            .ok_or(NnueFileError::Damaged)?;
        let mut last_bias = [0.0; MAX_PLAYERS];
        last_bias.copy_from_slice(&from.read_floats(MAX_PLAYERS)?);
        let last_scale = from.read_floats(1)?[0];
        Ok(QuantizedNetwork {
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

    #[inline(always)]
    fn forward(&self, simd: impl SimdOps, sums: &QuantizedAccumulator) -> [f32; MAX_PLAYERS] {
        let first = sums.map(|sum| sum.max(i16x16::ZERO));
        let mut second = self.second_bias;
        simd.multiply(
            &bytemuck::cast::<_, [i32; WIDTH / 2]>(first),
            &self.second,
            &mut second,
        );
        let second = second.map(|sum| i16x8::from_i32x8_saturate(sum >> self.cut).max(i16x8::ZERO));
        let mut last = [i32x8::ZERO; OUT_WORDS];
        simd.multiply(
            &bytemuck::cast::<_, [i32; HIDDEN / 2]>(second),
            &self.last,
            &mut last,
        );
        let sums: [i32; WIDE_LANES * OUT_WORDS] = bytemuck::cast(last);
        std::array::from_fn(|at| sums[at] as f32 * self.last_scale + self.last_bias[at])
    }

    fn accumulate(&self, game: &DiceOfDoom, position: &Position) -> AccumulatedPosition {
        compute(RefreshKernel {
            net: self,
            game,
            position,
        })
    }

    /// The position after a failed attack from this hex.
    #[inline(always)]
    fn after_failed_attack(
        &self,
        simd: impl SimdOps,
        game: &DiceOfDoom,
        origin: &AccumulatedPosition,
        after: &Position,
        from: Hex,
    ) -> AccumulatedPosition {
        let mut updater = self.updater(simd, origin.sums);
        let features = origin
            .features
            .after_failed(game, &self.layout, after, from, &mut updater);
        AccumulatedPosition {
            features,
            sums: updater.sums,
        }
    }

    /// The sums after the attack succeeded.
    #[inline(always)]
    fn after_won_attack(
        &self,
        simd: impl SimdOps,
        game: &DiceOfDoom,
        parts: &ConnectedParts,
        failed: &AccumulatedPosition,
        after: &Position,
        won: u64,
    ) -> QuantizedAccumulator {
        let mut updater = self.updater(simd, failed.sums);
        failed
            .features
            .after_won(game, &self.layout, parts, after, won, &mut updater);
        updater.sums
    }

    #[inline(always)]
    fn updater<W: SimdOps>(&self, simd: W, sums: QuantizedAccumulator) -> QuantizedUpdater<'_, W> {
        QuantizedUpdater {
            simd,
            rows: &self.rows,
            sums,
        }
    }
}

/// The sums of the first layer during an incremental update.
struct QuantizedUpdater<'a, W> {
    simd: W,
    rows: &'a [QuantizedAccumulator],
    sums: QuantizedAccumulator,
}

impl<W: SimdOps> AccumulatorUpdate for QuantizedUpdater<'_, W> {
    #[inline(always)]
    fn replace(&mut self, was: usize, is: usize) {
        self.simd
            .replace(&mut self.sums, &self.rows[was], &self.rows[is]);
    }
}

/// Quantizes weights and interleaves those of each pair of inputs.
fn pack_weights<const PAIRS: usize, const OUT: usize>(
    weight: impl Fn(usize, usize) -> f32,
    scale: f32,
) -> [[WeightPair; OUT]; PAIRS] {
    std::array::from_fn(|pair| {
        std::array::from_fn(|word| {
            let weights: [i16; LANES] = std::array::from_fn(|lane| {
                (weight(2 * pair + lane % 2, WIDE_LANES * word + lane / 2) * scale).round() as i16
            });
            bytemuck::cast(weights)
        })
    })
}

/// Reads one weight from the layout of [`pack_weights`].
fn packed_weight<const N: usize, const M: usize>(
    pairs: &[[WeightPair; N]; M],
    from: usize,
    into: usize,
) -> f32 {
    let lanes = pairs[from / 2][into / WIDE_LANES].to_array();
    f32::from(lanes[2 * (into % WIDE_LANES) + from % 2])
}

/// The active features of a position and the sums of its first layer.
#[derive(Clone)]
struct AccumulatedPosition {
    features: ActiveFeatures,
    sums: QuantizedAccumulator,
}

/// Computes the sums of a position from scratch.
struct RefreshKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    position: &'a Position,
}

impl SimdKernel for RefreshKernel<'_> {
    type Result = AccumulatedPosition;

    #[inline(always)]
    fn compute(self, simd: impl SimdOps) -> AccumulatedPosition {
        let RefreshKernel { net, game, .. } = self;
        let features = ActiveFeatures::from_position(game, &net.layout, self.position);
        let mut sums = net.bias;
        features.for_each_feature(game, &net.layout, |feature| {
            simd.add(&mut sums, &net.rows[feature]);
        });
        AccumulatedPosition { features, sums }
    }
}

/// Computes the win shares of one position.
struct SinglePositionKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    accumulated: &'a AccumulatedPosition,
}

impl SimdKernel for SinglePositionKernel<'_> {
    type Result = WinShares;

    #[inline(always)]
    fn compute(self, simd: impl SimdOps) -> WinShares {
        let SinglePositionKernel {
            net,
            game,
            accumulated,
        } = self;
        let mut batch = EvaluationBatch::<1>::new();
        batch.push(accumulated.sums, accumulated.features.mover());
        let mut shares = WinShares::default();
        batch.evaluate(simd, net, game, |_, found| shares = found);
        shares
    }
}

/// Computes the win shares of positions one ply after another.
struct SuccessorsKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    attacks: &'a AttackContext<'a>,
    here: &'a AccumulatedPosition,
    after: &'a [Position],
    /// One entry per position.
    shares: &'a mut [WinShares],
}

impl SimdKernel for SuccessorsKernel<'_> {
    type Result = ();

    #[inline(always)]
    fn compute(self, simd: impl SimdOps) {
        let SuccessorsKernel {
            net, game, attacks, ..
        } = self;
        let mut batch = EvaluationBatch::<BATCH_SIZE>::new();
        let mut begin = 0;
        // The last attacking hex and the position after its failed attack, from which a successful attack
        // changes only one hex.
        let mut failed: Option<(Hex, AccumulatedPosition)> = None;
        for (at, after) in self.after.iter().enumerate() {
            match attacks.attack_to(after) {
                None => {
                    let accumulated = net.accumulate(game, after);
                    batch.push(accumulated.sums, accumulated.features.mover());
                }
                Some((from, won)) => {
                    let failed = match &mut failed {
                        Some((hex, failed)) if *hex == from => failed,
                        failed => {
                            let position = attacks.position_after_failure(after, from);
                            let accumulated =
                                net.after_failed_attack(simd, game, self.here, &position, from);
                            &mut failed.insert((from, accumulated)).1
                        }
                    };
                    let mover = failed.features.mover();
                    if won == 0 {
                        batch.push(failed.sums, mover);
                    } else {
                        let sums =
                            net.after_won_attack(simd, game, &attacks.parts, failed, after, won);
                        batch.push(sums, mover);
                    }
                }
            }
            if batch.is_full() {
                batch.evaluate(simd, net, game, |nth, found| {
                    self.shares[begin + nth] = found;
                });
                begin = at + 1;
            }
        }
        batch.evaluate(simd, net, game, |nth, found| {
            self.shares[begin + nth] = found;
        });
    }
}

/// Computes the win shares of both outcomes of one attack.
struct OutcomePairKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    parts: &'a ConnectedParts,
    failed: &'a AccumulatedPosition,
    after: [(&'a Position, u64); 2],
    shares: &'a mut [WinShares],
}

impl SimdKernel for OutcomePairKernel<'_> {
    type Result = ();

    #[inline(always)]
    fn compute(self, simd: impl SimdOps) {
        let OutcomePairKernel {
            net, game, failed, ..
        } = self;
        let mut batch = EvaluationBatch::<2>::new();
        for (after, won) in self.after {
            let sums = if won == 0 {
                failed.sums
            } else {
                net.after_won_attack(simd, game, self.parts, failed, after, won)
            };
            batch.push(sums, failed.features.mover());
        }
        batch.evaluate(simd, net, game, |nth, found| self.shares[nth] = found);
    }
}

/// The number of positions that are evaluated together after the first layer.
const BATCH_SIZE: usize = 8;

/// A batch of up to `SIZE` positions with computed first-layer sums.
struct EvaluationBatch<const SIZE: usize> {
    count: usize,
    sums: [QuantizedAccumulator; SIZE],
    movers: [Player; SIZE],
}

impl<const SIZE: usize> EvaluationBatch<SIZE> {
    #[inline(always)]
    fn new() -> Self {
        EvaluationBatch {
            count: 0,
            sums: [[i16x16::ZERO; WORDS]; SIZE],
            movers: [Player::FIRST; SIZE],
        }
    }

    #[inline(always)]
    fn push(&mut self, sums: QuantizedAccumulator, mover: Player) {
        self.sums[self.count] = sums;
        self.movers[self.count] = mover;
        self.count += 1;
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.count == SIZE
    }

    /// Evaluates the batch, calls `report` for each position in order, and clears the batch.
    #[inline(always)]
    fn evaluate(
        &mut self,
        simd: impl SimdOps,
        net: &QuantizedNetwork,
        game: &DiceOfDoom,
        mut report: impl FnMut(usize, WinShares),
    ) {
        // Indexed by distance from the mover, then by position.
        let mut numbers = [[0.0; SIZE]; MAX_PLAYERS];
        for (nth, sums) in self.sums[..self.count].iter().enumerate() {
            let output = net.forward(simd, sums);
            for (numbers, output) in numbers.iter_mut().zip(output) {
                numbers[nth] = output;
            }
        }
        softmax_columns(&mut numbers[..net.players]);
        let players = game.players();
        for (nth, &mover) in self.movers[..self.count].iter().enumerate() {
            let shares = ByPlayer::from_fn(|player| {
                if player.number() < players {
                    numbers[player.turns_until(mover, players)][nth]
                } else {
                    0.0
                }
            });
            report(nth, shares);
        }
        self.count = 0;
    }
}

impl PositionEvaluator<DiceOfDoom> for QuantizedNetwork {
    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        compute(SinglePositionKernel {
            net: self,
            game,
            accumulated: &self.accumulate(game, position),
        })
    }

    fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        let before = shares.len();
        shares.resize(before + after.len(), WinShares::default());
        let shares = &mut shares[before..];
        let attacks = AttackContext::from_position(game, position);
        if let [one, other] = after
            && let Some((from, won)) = attacks.attack_to(one)
            && let Some((same, other_won)) = attacks.attack_to(other)
            && same == from
        {
            // No other attack is evaluated, so the features of `position` itself are not needed.
            compute(OutcomePairKernel {
                net: self,
                game,
                parts: &attacks.parts,
                failed: &self.accumulate(game, &attacks.position_after_failure(one, from)),
                after: [(one, won), (other, other_won)],
                shares,
            });
        } else {
            compute(SuccessorsKernel {
                net: self,
                game,
                attacks: &attacks,
                here: &self.accumulate(game, position),
                after,
                shares,
            });
        }
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        super::super::handcrafted::prior(game, position, action)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::preset::Rules;
    use super::super::features::{PLAYERS, SIDES};
    use super::*;
    use dice_of_doom_core::game::{Game, Status};
    use dice_of_doom_core::level::RandomAgent;
    use dice_of_doom_core::rng::AgentRng;

    /// Calls `check` for positions of random games of every layout, each with a successor.
    fn for_each_position_pair(
        mut check: impl FnMut(&DiceOfDoom, &NnueParameters, &Position, &Position),
    ) {
        for players in PLAYERS {
            for rules in [Rules::V4, Rules::Conquest] {
                for side in SIDES {
                    let mut rng =
                        AgentRng::seed_from_u64(u64::from(players) * 10 + u64::from(side));
                    let parameters = NnueParameters::random(players, &mut rng);
                    let game = DiceOfDoom::new(rules, side, players, 5).unwrap();
                    let mut position = game.deal(&mut rng).unwrap();
                    for _ in 0..100 {
                        if matches!(game.status(&position), Status::Over(_)) {
                            break;
                        }
                        let action = RandomAgent::random_action(&game, &position, &mut rng);
                        let outcome = game.sample_outcome(&position, action, &mut rng);
                        let after = game.apply(&position, action, outcome);
                        check(&game, &parameters, &position, &after);
                        position = after;
                    }
                }
            }
        }
    }

    #[test]
    fn incremental_updates_equal_a_full_refresh() {
        for_each_position_pair(|game, parameters, before, _| {
            let net = QuantizedNetwork::from_parameters(parameters);
            let outcomes = |action| {
                let outcomes = game.chance_outcomes(before, action);
                let after = outcomes.map(move |(outcome, _)| game.apply(before, action, outcome));
                after.filter(|after| !game.status(after).is_over())
            };
            let check = |after: &[Position]| {
                let mut batched = Vec::new();
                net.win_shares_after(game, before, after, &mut batched);
                let single = after.iter().map(|after| net.win_shares(game, after));
                assert_eq!(batched, single.collect::<Vec<_>>(), "{before:?}");
            };
            let all: Vec<Position> = game.legal_actions(before).flat_map(outcomes).collect();
            check(&all);
            for action in game.legal_actions(before) {
                check(&outcomes(action).collect::<Vec<_>>());
            }
        });
    }

    #[test]
    fn the_quantized_network_is_close_to_the_float_network() {
        for_each_position_pair(|game, parameters, _, after| {
            let (quantized, float) = (
                QuantizedNetwork::from_parameters(parameters).win_shares(game, after),
                parameters.win_shares(game, after),
            );
            for player in dice_of_doom_core::game::Player::all(game.players()) {
                let difference = (quantized[player] - float[player]).abs();
                assert!(difference < 0.01, "{difference} {after:?}");
            }
        });
    }
}
