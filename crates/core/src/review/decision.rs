//! A decision as it is judged: what was played beside its best rivals, and which decisions deserve a closer
//! look.
//!
//! A search is not exact, and the best of several estimates is mostly one that came out too high (the
//! optimizer's curse; Smith and Winkler 2006). Against that stand three things. The first look only says
//! which few actions may be best. Then these and the one that was played are searched anew with the same
//! number of simulations each, many more than before, where a mistake is large enough to be named. And what
//! is left counts only beyond the noise.

use std::fmt::Display;
use std::str::FromStr;

use super::{NOISE, Review, ShareVector};
use crate::game::{ByPlayer, MAX_PLAYERS, Player, RecordableGame};
use crate::move_analysis::{ActionAnalysis, OutcomeAnalysis};
use crate::record::ReplayedPly;
use crate::search::WinShares;

/// One decision of a game with what the evaluator says of it, before it is known what came later.
///
/// Of all actions it keeps the one that was played and its best rivals: between these a [closer
/// look](EvaluatedDecision::reanalysed) decides.
#[derive(Clone, Debug)]
pub struct EvaluatedDecision {
    pub(super) player: Player,
    /// Who would choose another action: somebody else where the player gave up.
    pub(super) mover: Player,
    pub(super) choices: usize,
    /// What was played.
    pub(super) played: ActionValue,
    /// Which of its outcomes came.
    pub(super) came: usize,
    /// Other actions, the best first, with their notation.
    pub(super) rivals: Vec<(String, ActionValue)>,
}

/// What an action is worth.
#[derive(Clone, Debug)]
pub(super) struct ActionValue {
    /// What chance could answer to the action, with each player's shares after it.
    pub(super) outcomes: Vec<(f64, ShareVector)>,
    pub(super) shares: ShareVector,
    pub(super) is_exact: bool,
}

impl ActionValue {
    pub(super) fn of<A>(weighed: &ActionAnalysis<A>) -> Self {
        let outcome = |one: &OutcomeAnalysis| (one.probability, values(one.shares));
        ActionValue {
            outcomes: weighed.outcomes.iter().map(outcome).collect(),
            shares: values(weighed.shares),
            is_exact: weighed.is_exact,
        }
    }
}

/// An action that promised more than the one that was played.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BetterAction<'a> {
    /// In the game's notation.
    pub(super) action: &'a str,
    /// By how much it promised more, for each player.
    pub(super) gain: ShareVector,
}

/// So many other actions may turn out to be the best one.
const MAX_ALTERNATIVES: usize = 3;

impl EvaluatedDecision {
    /// A ply, by what was said of every action of its position; `None` where they are not those of this
    /// ply.
    #[must_use]
    pub fn of<G: RecordableGame>(
        game: &G,
        step: &ReplayedPly<'_, G>,
        weighed: &[ActionAnalysis<G::Action>],
    ) -> Option<Self> {
        let player = step.ply.player;
        let action = step.ply.action;
        let played = weighed.iter().find(|one| one.action == action)?;
        let mut lottery = game.chance_outcomes(&step.before, action);
        let came = lottery.position(|(outcome, _)| outcome == step.outcome)?;
        if came >= played.outcomes.len() {
            return None;
        }
        Some(EvaluatedDecision {
            player,
            mover: player,
            choices: weighed.len(),
            played: ActionValue::of(played),
            came,
            rivals: alternatives(weighed, player, |one| one.action != action),
        })
    }

    /// That this player gave up at a position of which that was said. What it came to is certain.
    #[must_use]
    pub fn resigned<A: Display>(
        player: Player,
        mover: Player,
        result: WinShares,
        weighed: &[ActionAnalysis<A>],
    ) -> Self {
        let shares = values(result);
        EvaluatedDecision {
            player,
            mover,
            choices: weighed.len() + 1,
            played: ActionValue {
                outcomes: vec![(1.0, shares)],
                shares,
                is_exact: true,
            },
            came: 0,
            rivals: alternatives(weighed, mover, |_| true),
        }
    }

    /// The same decision after a closer look at one of its actions, `played` or a rival. `None` where there
    /// is no such action, as nothing was played by who gave up, and where it could not be weighed.
    #[must_use]
    pub fn reanalysed<A: FromStr>(
        &self,
        look: ReanalysisTarget,
        played: Option<A>,
        weigh: impl FnOnce(A) -> Option<ActionAnalysis<A>>,
    ) -> Option<Self> {
        let mut judged = self.clone();
        let (action, worth) = match look.rival {
            None => (played?, &mut judged.played),
            Some(rival) => {
                let (action, worth) = judged.rivals.get_mut(rival)?;
                (action.parse().ok()?, worth)
            }
        };
        let found = ActionValue::of(&weigh(action)?);
        // What came is one of the outcomes, and they are the same for the same action.
        (found.outcomes.len() == worth.outcomes.len()).then(|| *worth = found)?;
        Some(judged)
    }

    /// The best rival, and by how much more it promises each player than what was played.
    fn best_alternative(&self) -> Option<(&str, &ActionValue, ShareVector)> {
        let share = |worth: &ActionValue| worth.shares[self.mover];
        let mut best: Option<&(String, ActionValue)> = None;
        for one in &self.rivals {
            if best.is_none_or(|best| share(&one.1) > share(&best.1)) {
                best = Some(one);
            }
        }
        let (action, worth) = best?;
        Some((action, worth, less(worth.shares, self.played.shares)))
    }

    /// The best action, if it is better than the played one for certain, or by more than the noise.
    pub(super) fn better(&self) -> Option<BetterAction<'_>> {
        let (action, worth, gain) = self.best_alternative()?;
        let least = if self.played.is_exact && worth.is_exact {
            0.0
        } else {
            NOISE
        };
        (gain[self.player] > least).then_some(BetterAction { action, gain })
    }
}

/// The best of these actions for whoever chooses.
pub(super) fn alternatives<A: Display>(
    weighed: &[ActionAnalysis<A>],
    mover: Player,
    is_other: impl Fn(&ActionAnalysis<A>) -> bool,
) -> Vec<(String, ActionValue)> {
    let mut others: Vec<&ActionAnalysis<A>> = weighed.iter().filter(|one| is_other(one)).collect();
    others.sort_by(|a, b| b.shares[mover].total_cmp(&a.shares[mover]));
    others.truncate(MAX_ALTERNATIVES);
    let rival = |one: &ActionAnalysis<A>| (one.action.to_string(), ActionValue::of(one));
    others.into_iter().map(rival).collect()
}

/// What of a decision is looked at more closely: the number of the decision, and an action of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReanalysisTarget {
    /// Counted from 0.
    pub number: u32,
    /// `None` is the action that was played, others are counted from the best one.
    pub rival: Option<usize>,
}

/// So many decisions are looked at more closely.
const MAX_REANALYSED: usize = 16;

/// A closer look at one action takes so many times the simulations of the first look at all.
pub const REANALYSIS_FACTOR: u64 = 2;

/// A decision that seems to cost less than this deserves no closer look, in win share.
const MIN_LOSS_TO_REANALYSE: f64 = NOISE / 2.0;

/// What deserves a closer look after the first one: the decisions that seem to cost most, each with what was
/// played and with its rivals, but for what is proven.
#[must_use]
pub fn plan_reanalysis(first: &Review, judged: &[EvaluatedDecision]) -> Vec<ReanalysisTarget> {
    let mut decisions: Vec<(f64, usize)> = Vec::new();
    for (number, one) in judged.iter().enumerate() {
        // What is within the noise costs nothing yet, and may turn out to cost more.
        let seems = one.best_alternative().map_or(0.0, |(.., gain)| gain[one.player]);
        let cost = first.decision_loss(number).max(seems.min(NOISE));
        if cost >= MIN_LOSS_TO_REANALYSE {
            decisions.push((cost, number));
        }
    }
    decisions.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    decisions.truncate(MAX_REANALYSED);
    let mut looks = Vec::new();
    for (_, number) in decisions {
        let one = &judged[number];
        // Nothing is better than a win that is proven.
        let is_won = |worth: &ActionValue| worth.is_exact && worth.shares[one.mover] >= 1.0;
        let is_settled = one.rivals.iter().any(|(_, worth)| is_won(worth));
        let rivals = one.rivals.iter().enumerate().filter(|_| !is_settled);
        let rivals = rivals.map(|(rival, (_, worth))| (Some(rival), worth));
        for (rival, worth) in std::iter::once((None, &one.played)).chain(rivals) {
            if !worth.is_exact {
                let number = number as u32;
                looks.push(ReanalysisTarget { number, rival });
            }
        }
    }
    looks
}

impl EvaluatedDecision {
    /// The value before this ply, and what its action promised, from the value after it.
    pub(super) fn values_before(&self, after: ShareVector) -> (ShareVector, ShareVector) {
        let outcomes = self.played.outcomes.iter().enumerate();
        let outcomes = outcomes.map(|(number, (probability, shares))| {
            let shares = if number == self.came { &after } else { shares };
            (*probability, shares)
        });
        let expected: ShareVector = ByPlayer::from_fn(|player| {
            let parts = outcomes.clone();
            parts
                .map(|(probability, shares)| probability * shares[player])
                .sum()
        });
        let Some(BetterAction { gain, .. }) = self.better() else {
            return (expected, expected);
        };
        let part = possible(&expected, &gain);
        let before = ByPlayer::from_fn(|player| expected[player] + part * gain[player]);
        (before, expected)
    }
}

/// How much of a gain there is room for: a share is 0 at least and 1 at most. What turned out to be won
/// all the same was not worth more before.
fn possible(expected: &ShareVector, gain: &ShareVector) -> f64 {
    let mut part = 1.0_f64;
    for player in Player::all(MAX_PLAYERS as u8) {
        let (share, more) = (expected[player], gain[player]);
        let room = if more > 0.0 { 1.0 - share } else { share };
        if more.abs() > room {
            part = part.min((room / more.abs()).max(0.0));
        }
    }
    part
}

pub(super) fn values(shares: WinShares) -> ShareVector {
    ByPlayer::from_fn(|player| f64::from(shares[player]))
}

fn less(one: ShareVector, other: ShareVector) -> ShareVector {
    ByPlayer::from_fn(|player| one[player] - other[player])
}
