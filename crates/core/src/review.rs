//! The review of a finished game: every player's chance of winning from the deal to the end, and how much
//! of its change was luck, and how much decisions.
//!
//! It is a pure function of a record and of an evaluator. Each ply is [judged](EvaluatedDecision) by itself from what
//! [weighing](crate::move_analysis) says of its position; then [`Review::new`] goes through the judgements
//! backwards, from the result to the deal:
//!
//! - The value after a ply takes the place of what the evaluator said of the outcome that came. The
//!   ply's **expectation** is the sum over the outcomes of its action, probability × value.
//! - **Luck** is the value after the ply less its expectation. So the expected luck of every roll is zero.
//! - A **decision** is what the evaluator said of the action that was played less what it said of the best
//!   one. Both come from one search of one position, so a decision is judged by what could be known then
//!   and not by how it ended. The value before the ply is the expectation less the decision.
//!
//! So value after − value before = decision + luck at every ply and for every player, and all luck and all
//! decisions together are the change from the deal to the end. (The difference of two searches at two
//! plies would be an error of the evaluator that is neither; taking the best of actions that were searched
//! and one that was replaced by what came later would blame every player who was unlucky afterwards.)
//!
//! Not here: evaluators, sentences, which ply is shown where.

use serde::{Deserialize, Serialize};

use crate::game::{ByPlayer, MAX_PLAYERS, Player, RecordableGame, Status};
use crate::level::Level;
use crate::record::{Ending, Record};
use crate::search::{WinShares, win_shares_of_payoffs};

/// An action counts as better only if it promises so much more in win share, 0..=1, where either is
/// estimated: searches with four times the simulations differ by about as much.
pub const NOISE: f64 = 0.01;

mod decision;

use decision::values;
pub use decision::{REANALYSIS_FACTOR, EvaluatedDecision, ReanalysisTarget, plan_reanalysis};

/// A share for each player.
type ShareVector = ByPlayer<f64>;

/// By whom a review was made.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct EvaluatorInfo {
    /// The level whose search it was.
    pub level: Level,
    /// The version of the evaluation: another one gives other figures.
    pub version: u32,
    /// How many simulations each ply took.
    pub simulations: u64,
}

/// How a record ended: what each player got, and who gave up at the newest position.
///
/// `None` while the game goes on.
#[must_use]
pub fn game_result<G: RecordableGame>(record: &Record<G>, newest: &G::Position) -> Option<WinShares> {
    let game = &record.game;
    let payoffs = match (game.status(newest), record.ending) {
        (Status::Over(payoffs), _) => payoffs,
        (Status::Turn(_), None) => return None,
        (Status::Turn(_), Some(ending)) => {
            let gave_up = ending.player().into_iter().collect();
            game.adjudicate(newest, resigned_player)
        }
    };
    Some(win_shares_of_payoffs(payoffs, game.players()))
}

/// Who gave up, where that ended the game.
#[must_use]
pub fn resigned_player<G: RecordableGame>(record: &Record<G>) -> Option<Player> {
    record.ending.and_then(Ending::player)
}

/// A finished game, reviewed. Shares are those of each player at the table, 0..=1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Review {
    /// By whom.
    pub by: EvaluatorInfo,
    /// What each player could expect at the deal.
    pub start: Vec<f64>,
    /// Every ply, and last that somebody gave up, if it ended so.
    pub plies: Vec<ReviewedDecision>,
}

/// One decision of a reviewed game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReviewedDecision {
    /// Who decided.
    pub player: u8,
    /// Between how many actions.
    pub choices: usize,
    /// The best action in the game's notation, if it was not played and is better beyond the noise.
    pub better: Option<String>,
    /// How likely was what came of the action, 0..=1.
    pub chance: f64,
    /// What each player could expect of the action, before the dice.
    pub expected: Vec<f64>,
    /// What each player could expect after it.
    pub after: Vec<f64>,
}

/// Where a player's change of share came from; all in win share, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ShareBreakdown {
    /// What the player could expect at the deal.
    pub start: f64,
    /// The luck of the player's own rolls.
    pub own_luck: f64,
    /// What the player's own decisions cost, never positive but for rounding.
    pub own_decisions: f64,
    /// What the decisions of all others gave.
    pub others_decisions: f64,
    /// The luck of all other rolls.
    pub others_luck: f64,
    /// What the player got.
    pub end: f64,
    /// Which part of the best chances the own decisions kept, 0..=1.
    pub accuracy: f64,
}

/// Shares are kept to so many parts of a whole.
const PARTS: f64 = 1e6;

fn rounded(values: &ShareVector, players: u8) -> Vec<f64> {
    let of = |player| (values[player] * PARTS).round() / PARTS;
    Player::all(players).map(of).collect()
}

impl Review {
    /// What these judgements of all plies, in order, and this result come to.
    #[must_use]
    pub fn new(
        by: EvaluatorInfo,
        players: u8,
        result: WinShares,
        judged: &[EvaluatedDecision],
    ) -> Self {
        let mut value = values(game_result);
        let mut plies = Vec::with_capacity(judged.len());
        for one in judged.iter().rev() {
            let (before, expected) = one.values_before(value);
            plies.push(ReviewedDecision {
                player: one.player.number(),
                choices: one.choices,
                better: one.better().map(|better| better.action.to_owned()),
                chance: one.played.outcomes[one.came].0,
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

    /// How many players there are.
    #[must_use]
    pub fn players(&self) -> u8 {
        u8::try_from(self.start.len().min(MAX_PLAYERS)).unwrap_or(0)
    }

    /// What each player could expect before ply `number`, or at the end behind the last one.
    #[must_use]
    pub fn shares_before(&self, number: usize) -> &[f64] {
        let last = number.min(self.plies.len()).checked_sub(1);
        last.map_or(&self.start, |last| &self.plies[last].after)
    }

    /// What the decision at ply `number` changed for this player.
    #[must_use]
    pub fn decision_change(&self, number: usize, player: u8) -> f64 {
        let expected = self.plies.get(number).map(|ply| ply.expected.as_slice());
        difference(expected, self.shares_before(number), player)
    }

    /// What the dice at ply `number` changed for this player.
    #[must_use]
    pub fn luck_change(&self, number: usize, player: u8) -> f64 {
        let Some(ply) = self.plies.get(number) else {
            return 0.0;
        };
        difference(Some(&ply.after), &ply.expected, player)
    }

    /// What the decision at ply `number` cost whoever decided, 0..=1.
    #[must_use]
    pub fn decision_loss(&self, number: usize) -> f64 {
        let decided = self.plies.get(number);
        decided.map_or(0.0, |ply| (-self.decision_change(number, ply.player)).max(0.0))
    }

    /// The numbers of the decisions that cost most, at most so many, the costliest first and of equals the
    /// latest, after which the game did not change hands again; of one player, or of all.
    #[must_use]
    pub fn largest_losses(&self, of: Option<u8>, most: usize) -> Vec<usize> {
        let plies = self.plies.iter().enumerate();
        let wrong = plies.filter(|(_, ply)| {
            ply.better.is_some() && of.is_none_or(|player| player == ply.player)
        });
        let mut numbers: Vec<usize> = wrong.map(|(number, _)| number).collect();
        numbers.retain(|&number| self.decision_loss(number) > 0.0);
        numbers.sort_by(|&a, &b| self.decision_loss(b).total_cmp(&self.decision_loss(a)).then(b.cmp(&a)));
        numbers.truncate(most);
        numbers
    }

    /// Where a player's change of share came from.
    #[must_use]
    pub fn share_breakdown(&self, player: u8) -> ShareBreakdown {
        let own = usize::from(player);
        let share = |shares: &[f64]| shares.get(own).copied().unwrap_or(0.0);
        let mut account = ShareBreakdown {
            start: share(&self.start),
            end: share(self.shares_before(self.plies.len())),
            ..ShareBreakdown::default()
        };
        let (mut best, mut kept) = (0.0, 0.0);
        for (number, ply) in self.plies.iter().enumerate() {
            let (decision, luck) = (self.decision_change(number, player), self.luck_change(number, player));
            if ply.player == player {
                account.own_decisions += decision;
                account.own_luck += luck;
                if ply.choices > 1 {
                    best += share(self.shares_before(number));
                    kept += share(&ply.expected);
                }
            } else {
                account.others_decisions += decision;
                account.others_luck += luck;
            }
        }
        account.accuracy = if best > 0.0 {
            (kept / best).clamp(0.0, 1.0)
        } else {
            1.0
        };
        account
    }
}

fn difference(shares: Option<&[f64]>, before: &[f64], player: u8) -> f64 {
    let of = |shares: &[f64]| shares.get(usize::from(player)).copied().unwrap_or(0.0);
    shares.map_or(0.0, |shares| of(shares) - of(before))
}

#[cfg(test)]
mod tests;
