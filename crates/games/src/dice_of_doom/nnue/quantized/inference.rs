//! Inference: the sums of the first layer, computed from scratch or updated after an attack, and the win shares of
//! positions in batches.

use wide::{i16x8, i16x16, i32x8};

use super::super::super::action::Action;
use super::super::super::board::Hex;
use super::super::super::position::Position;
use super::super::super::rules::DiceOfDoom;
use super::super::features::{AccumulatorUpdate, ActiveFeatures, AttackContext, ConnectedParts};
use super::super::float::{HIDDEN, WIDTH, softmax_columns};
use super::super::simd::{SimdKernel, SimdOps, WIDE_LANES, compute};
use super::{OUT_WORDS, QuantizedAccumulator, QuantizedNetwork, WORDS};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

impl QuantizedNetwork {
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
            let share = |player: Player| numbers[player.turns_until(mover, players)][nth];
            report(nth, ByPlayer::for_players(players, share));
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
        super::super::super::handcrafted::prior(game, position, action)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::preset::Rules;
    use super::super::super::features::{PLAYERS, SIDES};
    use super::super::super::float::NnueParameters;
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
