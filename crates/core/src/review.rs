//! The review of a finished game: the win shares of every player from the deal to the end, split into luck and
//! decisions.
//!
//! A review is a pure function of a record and an evaluator. Each ply is [evaluated](EvaluatedDecision) on its own from
//! the [move analysis](crate::move_analysis) of its position; then [`Review::new`] goes through the evaluations
//! backwards, from the result to the deal:
//!
//! - The value after a ply replaces the evaluation of the outcome that occurred. The **expectation** of the ply is the
//!   sum over the outcomes of its action, probability × value.
//! - **Luck** is the value after the ply minus its expectation. So the expected luck of every roll is zero.
//! - A **decision** is the evaluation of the chosen action minus that of the best one. Both come from one search of one
//!   position, so a decision is judged by what was known at the time, not by its outcome. The value before the ply is
//!   the expectation minus the decision.
//!
//! So value after − value before = decision + luck at every ply and for every player, and the sum of all luck and all
//! decisions is the change from the deal to the end. (The difference between the searches of two plies would also
//! contain evaluation errors, which are neither. Comparing searched actions with one whose value was replaced by later
//! values would blame every player who was unlucky afterwards.)
//!
//! Not here: evaluators, user-visible texts, the layout of the page.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::game::{ByPlayer, MAX_PLAYERS, Player, RecordableGame, Status};
use crate::level::Level;
use crate::record::{Ending, Record};
use crate::search::WinShares;

/// The minimum difference in win share, 0..=1, by which an alternative counts as better if either value is estimated:
/// about the difference between searches with N and 4 N simulations.
pub const MIN_REPORTED_LOSS: f64 = 0.01;

mod decision;

use decision::share_vector;
pub use decision::{EvaluatedDecision, REANALYSIS_FACTOR, ReanalysisTarget, plan_reanalysis};

type ShareVector = ByPlayer<f64>;

/// The evaluator that a review was made with.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct EvaluatorInfo {
    /// The level whose search was used.
    pub level: Level,
    /// The version of the evaluation; another version gives other values.
    pub version: u32,
    /// The number of simulations for each ply.
    pub simulations: u64,
}

/// The win shares of the result of a record with this last position; `None` if the game is in progress.
#[must_use]
pub fn game_result<G: RecordableGame>(
    record: &Record<G>,
    last_position: &G::Position,
) -> Option<WinShares> {
    let game = &record.game;
    let payoffs = match (game.status(last_position), record.ending) {
        (Status::Over(payoffs), _) => payoffs,
        (Status::Turn(_), None) => return None,
        (Status::Turn(_), Some(ending)) => {
            let resigned = ending.player().into_iter().collect();
            game.adjudicate(last_position, resigned)
        }
    };
    Some(payoffs.win_shares(game.players()))
}

/// The player whose resignation ended the game.
#[must_use]
pub fn resigned_player<G: RecordableGame>(record: &Record<G>) -> Option<Player> {
    record.ending.and_then(Ending::player)
}

/// The review of a finished game. Shares are indexed by player, 0..=1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Review {
    /// The evaluator.
    pub by: EvaluatorInfo,
    /// The expected shares at the deal.
    pub start: Vec<f64>,
    /// The plies of the mainline, and the resignation as the last entry if there was one.
    pub plies: Vec<ReviewedDecision>,
}

/// One decision of a reviewed game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReviewedDecision {
    /// The player who decided.
    pub player: u8,
    /// The number of legal choices.
    pub choices: usize,
    /// The best action in the notation of the game, if it was not chosen and is better by more than [`MIN_REPORTED_LOSS`] or by
    /// proof.
    pub better: Option<String>,
    /// The best other action, if the chosen one is better than it by more than [`MIN_REPORTED_LOSS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondBest>,
    /// The probability of the outcome that occurred, 0..=1.
    pub chance: f64,
    /// The expected shares after the action, before the dice.
    pub expected: Vec<f64>,
    /// The expected shares after the outcome.
    pub after: Vec<f64>,
}

/// The best alternative to a decision that was the best.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SecondBest {
    /// In the notation of the game.
    pub action: String,
    /// How much less share it gives to the player, 0..=1.
    pub gap: f64,
}

/// The contributions to the change of a player's share; all in win share, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShareBreakdown {
    /// The expected share at the deal.
    pub start: f64,
    /// The luck of the player's own rolls.
    pub own_luck: f64,
    /// The sum of the player's own decisions; never positive apart from rounding.
    pub own_decisions: f64,
    /// The sum of the decisions of the other players.
    pub others_decisions: f64,
    /// The luck of all other rolls.
    pub others_luck: f64,
    /// The share of the result.
    pub end: f64,
    /// The sum of the shares expected after the player's own decisions, as a fraction of that before them, 0..=1.
    pub accuracy: f64,
}

impl Hash for ShareBreakdown {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ShareBreakdown {
            start,
            own_luck,
            own_decisions,
            others_decisions,
            others_luck,
            end,
            accuracy,
        } = self;
        let shares = [
            start,
            own_luck,
            own_decisions,
            others_decisions,
            others_luck,
        ];
        let shares = shares.into_iter().chain([end, accuracy]);
        shares.for_each(|share| share.to_bits().hash(state));
    }
}

/// Shares are rounded to multiples of 1 / `ROUNDING`.
const ROUNDING: f64 = 1e6;

fn rounded(values: &ShareVector, players: u8) -> Vec<f64> {
    let shares = Player::all(players).map(|player| round_share(values[player]));
    shares.collect()
}

fn round_share(share: f64) -> f64 {
    (share * ROUNDING).round() / ROUNDING
}

impl Review {
    /// The review of a game with this result, from the evaluations of all its plies in order.
    #[must_use]
    pub fn new(
        by: EvaluatorInfo,
        players: u8,
        result: WinShares,
        evaluated: &[EvaluatedDecision],
    ) -> Self {
        let mut value = share_vector(result);
        let mut plies = Vec::with_capacity(evaluated.len());
        for decision in evaluated.iter().rev() {
            let (before, expected) = decision.values_before(value);
            plies.push(ReviewedDecision {
                player: decision.player.number(),
                choices: decision.choices,
                better: decision.better().map(|better| better.action.to_owned()),
                second: decision.second(),
                chance: decision.played.outcomes[decision.occurred].0,
                expected: rounded(&expected, players),
                after: rounded(&value, players),
            });
            value = before;
        }
        plies.reverse();
        Review {
            by,
            start: rounded(&value, players),
            plies,
        }
    }

    /// The number of players.
    #[must_use]
    pub fn players(&self) -> u8 {
        u8::try_from(self.start.len().min(MAX_PLAYERS)).unwrap_or(0)
    }

    /// The expected shares before ply `number`, or the result if there are fewer plies.
    #[must_use]
    pub fn shares_before(&self, number: usize) -> &[f64] {
        let last = number.min(self.plies.len()).checked_sub(1);
        last.map_or(&self.start, |last| &self.plies[last].after)
    }

    /// The change of this player's share by the decision at ply `number`.
    #[must_use]
    pub fn decision_change(&self, number: usize, player: u8) -> f64 {
        let expected = self.plies.get(number).map(|ply| ply.expected.as_slice());
        difference(expected, self.shares_before(number), player)
    }

    /// The change of this player's share by the dice at ply `number`.
    #[must_use]
    pub fn luck_change(&self, number: usize, player: u8) -> f64 {
        let Some(ply) = self.plies.get(number) else {
            return 0.0;
        };
        difference(Some(&ply.after), &ply.expected, player)
    }

    /// The loss of the deciding player by the decision at ply `number`, 0..=1.
    #[must_use]
    pub fn decision_loss(&self, number: usize) -> f64 {
        let decision = self.plies.get(number);
        decision.map_or(0.0, |ply| {
            (-self.decision_change(number, ply.player)).max(0.0)
        })
    }

    /// The numbers of the up to `max` decisions with the largest losses, the largest first and the later one first for
    /// ties; of one player, or of all if `player` is `None`.
    #[must_use]
    pub fn largest_losses(&self, player: Option<u8>, max: usize) -> Vec<usize> {
        let plies = self.plies.iter().enumerate();
        let improvable = plies.filter(|(_, ply)| {
            ply.better.is_some() && player.is_none_or(|decider| decider == ply.player)
        });
        let mut numbers: Vec<usize> = improvable.map(|(number, _)| number).collect();
        numbers.retain(|&number| self.decision_loss(number) > 0.0);
        numbers.sort_by(|&a, &b| {
            self.decision_loss(b)
                .total_cmp(&self.decision_loss(a))
                .then(b.cmp(&a))
        });
        numbers.truncate(max);
        numbers
    }

    /// The numbers of the up to `max` decisions of the player that are furthest above their best alternatives, the
    /// furthest first and the earlier one first for ties.
    #[must_use]
    pub fn best_decisions(&self, player: u8, max: usize) -> Vec<usize> {
        let own = self.plies.iter().enumerate();
        let own = own.filter(|(_, ply)| ply.player == player);
        let mut gaps: Vec<(usize, f64)> = own
            .filter_map(|(number, ply)| Some((number, ply.second.as_ref()?.gap)))
            .collect();
        gaps.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        gaps.truncate(max);
        gaps.into_iter().map(|(number, _)| number).collect()
    }

    /// The number of the ply whose dice cost this player most, if their outcome was less likely than not; the first one
    /// for ties.
    #[must_use]
    pub fn worst_luck(&self, player: u8) -> Option<usize> {
        let against = (0..self.plies.len())
            .filter(|&number| self.plies[number].chance < 0.5)
            .filter(|&number| self.luck_change(number, player) < 0.0);
        against.min_by(|&a, &b| {
            self.luck_change(a, player)
                .total_cmp(&self.luck_change(b, player))
        })
    }

    /// The contributions to the change of this player's share.
    #[must_use]
    pub fn share_breakdown(&self, player: u8) -> ShareBreakdown {
        let index = usize::from(player);
        let share = |shares: &[f64]| shares.get(index).copied().unwrap_or(0.0);
        let mut breakdown = ShareBreakdown {
            start: share(&self.start),
            end: share(self.shares_before(self.plies.len())),
            ..ShareBreakdown::default()
        };
        let (mut before, mut after) = (0.0, 0.0);
        for (number, ply) in self.plies.iter().enumerate() {
            let (decision, luck) = (
                self.decision_change(number, player),
                self.luck_change(number, player),
            );
            if ply.player == player {
                breakdown.own_decisions += decision;
                breakdown.own_luck += luck;
                if ply.choices > 1 {
                    before += share(self.shares_before(number));
                    after += share(&ply.expected);
                }
            } else {
                breakdown.others_decisions += decision;
                breakdown.others_luck += luck;
            }
        }
        breakdown.accuracy = if before > 0.0 {
            (after / before).clamp(0.0, 1.0)
        } else {
            1.0
        };
        breakdown
    }
}

fn difference(shares: Option<&[f64]>, before: &[f64], player: u8) -> f64 {
    let share = |shares: &[f64]| shares.get(usize::from(player)).copied().unwrap_or(0.0);
    shares.map_or(0.0, |shares| share(shares) - share(before))
}

#[cfg(test)]
mod tests;
