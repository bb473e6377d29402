//! The network in whole numbers, as searches ask it.
//!
//! Every number of a layer is multiplied by the layer's scale and rounded. Scales are as large as sums
//! of 16 and 32 bits allow, whatever the position.

use wide::{i16x8, i16x16, i32x8};

use super::super::action::Action;
use super::super::board::Hex;
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::features::{
    AccumulatorUpdate, ActiveFeatures, AttackContext, ConnectedParts, FeatureLayout,
};
use super::float::{HIDDEN, NnueParameters, WIDTH, softmax_each};
use super::simd::{LANES, SimdKernel, SimdOps, WIDE_LANES, compute};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// The most that a sum of the second layer counts for.
const MOST_SECOND: f32 = 63.0;

/// Words of the first layer's sums.
const WORDS: usize = WIDTH / LANES;

/// Words of the second layer's sums, which are twice as wide.
const WIDE_WORDS: usize = HIDDEN / WIDE_LANES;

/// The players, as many as fill whole words.
const OUT_WORDS: usize = MAX_PLAYERS.div_ceil(WIDE_LANES);

/// The sums of the first layer.
type QuantizedAccumulator = [i16x16; WORDS];

/// The weights of two inputs for eight outputs, side by side: multiplied with the two inputs and added, they
/// are one instruction.
type WeightPair = i16x16;

/// A network in whole numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantizedNetwork {
    layout: FeatureLayout,
    players: usize,
    rows: Vec<QuantizedAccumulator>,
    bias: QuantizedAccumulator,
    second: [[WeightPair; WIDE_WORDS]; WIDTH / 2],
    second_bias: [i32x8; WIDE_WORDS],
    /// By how many bits sums of the second layer are cut.
    cut: u32,
    last: [[WeightPair; OUT_WORDS]; HIDDEN / 2],
    last_bias: [f32; MAX_PLAYERS],
    /// What a sum of the last layer is multiplied with.
    last_scale: f32,
}

impl QuantizedNetwork {
    /// See [`super::training`]: the text stays as it is when names change.
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

    /// Rounds the numbers.
    #[must_use]
    pub fn of(parameters: &NnueParameters) -> Self {
        let places = parameters.places();
        let numbers = &parameters.numbers;
        let layout = parameters.layout;
        let first_scale = layout.first_scale(&numbers[..places.second], WIDTH);
        let row = |at: usize| -> QuantizedAccumulator {
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
            if into < MAX_PLAYERS {
                numbers[places.last + from * MAX_PLAYERS + into]
            } else {
                0.0
            }
        };
        let last_weights = numbers[places.last..places.last_bias].iter();
        let most = last_weights.fold(1e-3, |most: f32, weight| most.max(weight.abs()));
        let last_scale = 2_000.0 / most;
        QuantizedNetwork {
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

    /// Numbers that compute what this network does, to be learnt on from. Those of the layers differ from the ones
    /// that were rounded by factors that cancel out.
    pub(super) fn parameters(&self) -> NnueParameters {
        let mut parameters = NnueParameters::zeros(self.players());
        let places = parameters.places();
        let short =
            |sums: &QuantizedAccumulator| bytemuck::cast::<_, [i16; WIDTH]>(*sums).map(f32::from);
        let rows: Vec<f32> = self
            .rows
            .iter()
            .chain([&self.bias])
            .flat_map(short)
            .collect();
        let first_scale = self.layout.scale_of(&rows, WIDTH);
        // The cut tells the scale of the second layer but for a factor of two.
        let both = (self.cut as f32 - 0.5).exp2() * f32::from(i16::MAX) / MOST_SECOND;
        let second_scale = both / first_scale;
        let last_scale = self.last_scale * both / (1u64 << self.cut) as f32;
        let numbers = &mut parameters.numbers;
        for (number, rounded) in numbers.iter_mut().zip(rows) {
            *number = rounded / first_scale;
        }
        for from in 0..WIDTH {
            for into in 0..HIDDEN {
                let weight = weight_of(&self.second, from, into);
                numbers[places.second + from * HIDDEN + into] = weight / second_scale;
            }
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        for (number, bias) in numbers[places.second_bias..].iter_mut().zip(biases) {
            *number = bias as f32 / both;
        }
        for from in 0..HIDDEN {
            for into in 0..MAX_PLAYERS {
                let weight = weight_of(&self.last, from, into);
                numbers[places.last + from * MAX_PLAYERS + into] = weight * last_scale;
            }
        }
        numbers[places.last_bias..].copy_from_slice(&self.last_bias);
        parameters
    }

    /// How many players the games have that it knows.
    pub(super) const fn players(&self) -> u8 {
        self.players as u8
    }

    /// Writes the shape and the numbers.
    pub(super) fn write(&self, to: &mut NnueFileWriter) {
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
    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let players = from.shape()?;
        let layout = FeatureLayout::for_players(players);
        let mut rows = Vec::with_capacity(layout.count);
        for _ in 0..layout.count {
            rows.push(bytemuck::cast(from.shorts::<WIDTH>()?));
        }
        let bias = bytemuck::cast(from.shorts::<WIDTH>()?);
        let mut second = [[WeightPair::ZERO; WIDE_WORDS]; WIDTH / 2];
        let mut last = [[WeightPair::ZERO; OUT_WORDS]; HIDDEN / 2];
        for pair in second
            .as_flattened_mut()
            .iter_mut()
            .chain(last.as_flattened_mut())
        {
            *pair = WeightPair::new(from.shorts()?);
        }
        let mut second_bias = [0; HIDDEN];
        for bias in &mut second_bias {
            *bias = from.number()? as i64 as i32;
        }
        let cut = from.number()?;
        let cut = u32::try_from(cut)
            .ok()
            .filter(|&cut| cut < 32)
            .ok_or(NnueFileError::Damaged)?;
        let mut last_bias = [0.0; MAX_PLAYERS];
        last_bias.copy_from_slice(&from.floats(MAX_PLAYERS)?);
        let last_scale = from.floats(1)?[0];
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
    fn pass(&self, words: impl SimdOps, sums: &QuantizedAccumulator) -> [f32; MAX_PLAYERS] {
        let first = sums.map(|sum| sum.max(i16x16::ZERO));
        let mut second = self.second_bias;
        words.multiply(
            &bytemuck::cast::<_, [i32; WIDTH / 2]>(first),
            &self.second,
            &mut second,
        );
        let second = second.map(|sum| i16x8::from_i32x8_saturate(sum >> self.cut).max(i16x8::ZERO));
        let mut last = [i32x8::ZERO; OUT_WORDS];
        words.multiply(
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

    /// Where an attack from this hex failed.
    #[inline(always)]
    fn after_failed_attack(
        &self,
        words: impl SimdOps,
        game: &DiceOfDoom,
        here: &AccumulatedPosition,
        after: &Position,
        from: Hex,
    ) -> AccumulatedPosition {
        let mut changing = self.updater(words, here.sums);
        let read = here
            .read
            .after_failed(game, &self.layout, after, from, &mut changing);
        AccumulatedPosition {
            read,
            sums: changing.sums,
        }
    }

    /// Where it succeeded.
    #[inline(always)]
    fn after_won_attack(
        &self,
        words: impl SimdOps,
        game: &DiceOfDoom,
        parts: &ConnectedParts,
        failed: &AccumulatedPosition,
        after: &Position,
        won: u64,
    ) -> QuantizedAccumulator {
        let mut changing = self.updater(words, failed.sums);
        failed
            .read
            .after_won(game, &self.layout, parts, after, won, &mut changing);
        changing.sums
    }

    #[inline(always)]
    fn updater<W: SimdOps>(&self, words: W, sums: QuantizedAccumulator) -> QuantizedUpdater<'_, W> {
        QuantizedUpdater {
            words,
            rows: &self.rows,
            sums,
        }
    }
}

/// Sums of the first layer while rows are exchanged.
struct QuantizedUpdater<'a, W> {
    words: W,
    rows: &'a [QuantizedAccumulator],
    sums: QuantizedAccumulator,
}

impl<W: SimdOps> AccumulatorUpdate for QuantizedUpdater<'_, W> {
    #[inline(always)]
    fn change(&mut self, was: usize, is: usize) {
        self.words
            .replace(&mut self.sums, &self.rows[was], &self.rows[is]);
    }
}

/// The weights of pairs of inputs, rounded.
fn pairs<const PAIRS: usize, const OUT: usize>(
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

/// One of the weights that [`pairs`] laid out.
fn weight_of<const N: usize, const M: usize>(
    pairs: &[[WeightPair; N]; M],
    from: usize,
    into: usize,
) -> f32 {
    let lanes = pairs[from / 2][into / WIDE_LANES].to_array();
    f32::from(lanes[2 * (into % WIDE_LANES) + from % 2])
}

/// What was read off a position, and the sums of the first layer.
#[derive(Clone)]
struct AccumulatedPosition {
    read: ActiveFeatures,
    sums: QuantizedAccumulator,
}

/// The sums of a position that is read anew.
struct RefreshKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    position: &'a Position,
}

impl SimdKernel for RefreshKernel<'_> {
    type Result = AccumulatedPosition;

    #[inline(always)]
    fn compute(self, words: impl SimdOps) -> AccumulatedPosition {
        let RefreshKernel { net, game, .. } = self;
        let read = ActiveFeatures::from_position(game, &net.layout, self.position);
        let mut sums = net.bias;
        read.each(game, &net.layout, |feature| {
            words.add(&mut sums, &net.rows[feature]);
        });
        AccumulatedPosition { read, sums }
    }
}

/// The shares of one position.
struct SinglePositionKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    summed: &'a AccumulatedPosition,
}

impl SimdKernel for SinglePositionKernel<'_> {
    type Result = WinShares;

    #[inline(always)]
    fn compute(self, words: impl SimdOps) -> WinShares {
        let SinglePositionKernel { net, game, summed } = self;
        let mut group = EvaluationBatch::<1>::new();
        group.add(summed.sums, summed.read.mover());
        let mut shares = WinShares::default();
        group.finish(words, net, game, |_, found| shares = found);
        shares
    }
}

/// The shares of positions one ply after another.
struct SuccessorsKernel<'a> {
    net: &'a QuantizedNetwork,
    game: &'a DiceOfDoom,
    attacks: &'a AttackContext<'a>,
    here: &'a AccumulatedPosition,
    after: &'a [Position],
    /// One for each position.
    shares: &'a mut [WinShares],
}

impl SimdKernel for SuccessorsKernel<'_> {
    type Result = ();

    #[inline(always)]
    fn compute(self, words: impl SimdOps) {
        let SuccessorsKernel {
            net, game, attacks, ..
        } = self;
        let mut group = EvaluationBatch::<GROUP>::new();
        let mut begin = 0;
        // The last attacker's hex, and the position where its attack failed: from there one hex changes
        // when it succeeds.
        let mut failed: Option<(Hex, AccumulatedPosition)> = None;
        for (at, after) in self.after.iter().enumerate() {
            match attacks.made(after) {
                None => {
                    let summed = net.accumulate(game, after);
                    group.add(summed.sums, summed.read.mover());
                }
                Some((from, won)) => {
                    let failed = match &mut failed {
                        Some((hex, failed)) if *hex == from => failed,
                        failed => {
                            let position = attacks.failed(after, from);
                            let summed =
                                net.after_failed_attack(words, game, self.here, &position, from);
                            &mut failed.insert((from, summed)).1
                        }
                    };
                    let mover = failed.read.mover();
                    if won == 0 {
                        group.add(failed.sums, mover);
                    } else {
                        let sums =
                            net.after_won_attack(words, game, &attacks.parts, failed, after, won);
                        group.add(sums, mover);
                    }
                }
            }
            if group.is_full() {
                group.finish(words, net, game, |nth, found| {
                    self.shares[begin + nth] = found;
                });
                begin = at + 1;
            }
        }
        group.finish(words, net, game, |nth, found| {
            self.shares[begin + nth] = found;
        });
    }
}

/// The shares of both outcomes of one attack.
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
    fn compute(self, words: impl SimdOps) {
        let OutcomePairKernel {
            net, game, failed, ..
        } = self;
        let mut group = EvaluationBatch::<2>::new();
        for (after, won) in self.after {
            let sums = if won == 0 {
                failed.sums
            } else {
                net.after_won_attack(words, game, self.parts, failed, after, won)
            };
            group.add(sums, failed.read.mover());
        }
        group.finish(words, net, game, |nth, found| self.shares[nth] = found);
    }
}

/// How many positions go through the layers behind the first together.
const GROUP: usize = 8;

/// Up to `MOST` positions whose first layer is summed up.
struct EvaluationBatch<const MOST: usize> {
    count: usize,
    sums: [QuantizedAccumulator; MOST],
    movers: [Player; MOST],
}

impl<const MOST: usize> EvaluationBatch<MOST> {
    #[inline(always)]
    fn new() -> Self {
        EvaluationBatch {
            count: 0,
            sums: [[i16x16::ZERO; WORDS]; MOST],
            movers: [Player::FIRST; MOST],
        }
    }

    #[inline(always)]
    fn add(&mut self, sums: QuantizedAccumulator, mover: Player) {
        self.sums[self.count] = sums;
        self.movers[self.count] = mover;
        self.count += 1;
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.count == MOST
    }

    /// Tells the shares of each position, in the order in which they came, and begins anew.
    #[inline(always)]
    fn finish(
        &mut self,
        words: impl SimdOps,
        net: &QuantizedNetwork,
        game: &DiceOfDoom,
        mut tell: impl FnMut(usize, WinShares),
    ) {
        // By distance from the mover, and for each by position.
        let mut numbers = [[0.0; MOST]; MAX_PLAYERS];
        for (nth, sums) in self.sums[..self.count].iter().enumerate() {
            let passed = net.pass(words, sums);
            for (numbers, passed) in numbers.iter_mut().zip(passed) {
                numbers[nth] = passed;
            }
        }
        softmax_each(&mut numbers[..net.players]);
        let players = game.players();
        for (nth, &mover) in self.movers[..self.count].iter().enumerate() {
            let shares = ByPlayer::from_fn(|player| {
                if player.number() < players {
                    numbers[player.turns_until(mover, players)][nth]
                } else {
                    0.0
                }
            });
            tell(nth, shares);
        }
        self.count = 0;
    }
}

impl PositionEvaluator<DiceOfDoom> for QuantizedNetwork {
    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        compute(SinglePositionKernel {
            net: self,
            game,
            summed: &self.accumulate(game, position),
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
        let attacks = AttackContext::from(game, position);
        if let [one, other] = after
            && let Some((from, won)) = attacks.made(one)
            && let Some((same, also)) = attacks.made(other)
            && same == from
        {
            // Nobody else attacks from here: the position itself need not be read.
            compute(OutcomePairKernel {
                net: self,
                game,
                parts: &attacks.parts,
                failed: &self.accumulate(game, &attacks.failed(one, from)),
                after: [(one, won), (other, also)],
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

    /// Positions of random games of every shape, each with one that follows it.
    fn pairs(mut look: impl FnMut(&DiceOfDoom, &NnueParameters, &Position, &Position)) {
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
                        look(&game, &parameters, &position, &after);
                        position = after;
                    }
                }
            }
        }
    }

    #[test]
    fn what_changed_is_as_counted_anew() {
        pairs(|game, parameters, before, _| {
            let net = QuantizedNetwork::of(parameters);
            let outcomes = |action| {
                let outcomes = game.chance_outcomes(before, action);
                let after = outcomes.map(move |(outcome, _)| game.apply(before, action, outcome));
                after.filter(|after| !game.status(after).is_over())
            };
            let check = |after: &[Position]| {
                let mut together = Vec::new();
                net.win_shares_after(game, before, after, &mut together);
                let anew = after.iter().map(|after| net.win_shares(game, after));
                assert_eq!(together, anew.collect::<Vec<_>>(), "{before:?}");
            };
            let all: Vec<Position> = game.legal_actions(before).flat_map(outcomes).collect();
            check(&all);
            for action in game.legal_actions(before) {
                check(&outcomes(action).collect::<Vec<_>>());
            }
        });
    }

    #[test]
    fn whole_numbers_are_near_the_others() {
        pairs(|game, parameters, _, after| {
            let (whole, float) = (
                QuantizedNetwork::of(parameters).win_shares(game, after),
                parameters.shares(game, after),
            );
            for player in dice_of_doom_core::game::Player::all(game.players()) {
                let far = (whole[player] - float[player]).abs();
                assert!(far < 0.01, "{far} {after:?}");
            }
        });
    }
}
