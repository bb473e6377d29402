//! The evaluation of one decision: the chosen action against its best alternatives, and the selection of decisions to
//! reanalyse.
//!
//! A search is not exact, and the best of several estimates is usually an overestimate (the optimizer's curse; Smith
//! and Winkler 2006). Three measures reduce this bias. The first analysis only selects the few actions that may be
//! best. Then these and the chosen action are searched again, each with the same number of simulations and many more
//! than before, wherever a mistake may be large enough to report. And a remaining difference counts only if it exceeds
//! [`MIN_REPORTED_LOSS`].

use std::fmt::Display;
use std::str::FromStr;

use super::{MIN_REPORTED_LOSS, Review, SecondBest, ShareVector, round_share};
use crate::game::{ByPlayer, MAX_PLAYERS, Player, RecordableGame};
use crate::move_analysis::{ActionAnalysis, OutcomeAnalysis};
use crate::record::ReplayedPly;
use crate::search::WinShares;

/// One decision of a game with its evaluation, independent of what happened later.
///
/// It contains the chosen action and its best alternatives, which a [reanalysis](EvaluatedDecision::reanalysed) can
/// compare more precisely.
#[derive(Clone, Debug)]
pub struct EvaluatedDecision {
    pub(super) player: Player,
    /// The player who could have chosen an alternative; differs from `player` if `player` resigned on another player's
    /// turn.
    pub(super) mover: Player,
    pub(super) choices: usize,
    pub(super) played: ActionValue,
    /// The index of the outcome that occurred.
    pub(super) occurred: usize,
    /// In notation, the best first.
    pub(super) alternatives: Vec<(String, ActionValue)>,
}

#[derive(Clone, Debug)]
pub(super) struct ActionValue {
    /// The chance outcomes with their probabilities and the expected shares after them.
    pub(super) outcomes: Vec<(f64, ShareVector)>,
    pub(super) shares: ShareVector,
    pub(super) is_exact: bool,
}

impl ActionValue {
    pub(super) fn from_analysis<A>(analysis: &ActionAnalysis<A>) -> Self {
        let outcome = |one: &OutcomeAnalysis| (one.probability, share_vector(one.shares));
        ActionValue {
            outcomes: analysis.outcomes.iter().map(outcome).collect(),
            shares: share_vector(analysis.shares),
            is_exact: analysis.is_exact,
        }
    }
}

/// An alternative with a higher expected share than the chosen action.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BetterAction<'a> {
    pub(super) action: &'a str,
    /// The difference of the expected shares, for each player.
    pub(super) gain: ShareVector,
}

/// The maximum number of alternatives in a decision.
const MAX_ALTERNATIVES: usize = 3;

impl EvaluatedDecision {
    /// The evaluation of a ply, from the analysis of all actions of its position; `None` if the analysis does not
    /// belong to this ply.
    #[must_use]
    pub fn from_analysis<G: RecordableGame>(
        game: &G,
        replayed: &ReplayedPly<'_, G>,
        analyses: &[ActionAnalysis<G::Action>],
    ) -> Option<Self> {
        let player = replayed.ply.player;
        let action = replayed.ply.action;
        let played = analyses.iter().find(|analysis| analysis.action == action)?;
        let mut outcomes = game.chance_outcomes(&replayed.before, action);
        let occurred = outcomes.position(|(outcome, _)| outcome == replayed.outcome)?;
        if occurred >= played.outcomes.len() {
            return None;
        }
        Some(EvaluatedDecision {
            player,
            mover: player,
            choices: analyses.len(),
            played: ActionValue::from_analysis(played),
            occurred,
            alternatives: alternatives(analyses, player, |analysis| analysis.action != action),
        })
    }

    /// The evaluation of a resignation of `player`, from the analysis of the position; its result is exact.
    #[must_use]
    pub fn from_resignation<A: Display>(
        player: Player,
        mover: Player,
        result: WinShares,
        analyses: &[ActionAnalysis<A>],
    ) -> Self {
        let shares = share_vector(result);
        EvaluatedDecision {
            player,
            mover,
            choices: analyses.len() + 1,
            played: ActionValue {
                outcomes: vec![(1.0, shares)],
                shares,
                is_exact: true,
            },
            occurred: 0,
            alternatives: alternatives(analyses, mover, |_| true),
        }
    }

    /// The same decision with a more precise evaluation of one of its actions, which `analyse` computes. `played` is
    /// the chosen action, `None` for a resignation. Returns `None` if the decision has no such action or the analysis
    /// fails.
    #[must_use]
    pub fn reanalysed<A: FromStr>(
        &self,
        target: ReanalysisTarget,
        played: Option<A>,
        analyse: impl FnOnce(A) -> Option<ActionAnalysis<A>>,
    ) -> Option<Self> {
        let mut evaluated = self.clone();
        let (action, value) = match target.alternative {
            None => (played?, &mut evaluated.played),
            Some(index) => {
                let (action, value) = evaluated.alternatives.get_mut(index)?;
                (action.parse().ok()?, value)
            }
        };
        let analysis = ActionValue::from_analysis(&analyse(action)?);
        // The outcomes of an action are the same in each analysis, so the index of the one that occurred stays valid.
        (analysis.outcomes.len() == value.outcomes.len()).then(|| *value = analysis)?;
        Some(evaluated)
    }

    /// The best alternative and the difference of its shares from those of the chosen action, for each player.
    fn best_alternative(&self) -> Option<(&str, &ActionValue, ShareVector)> {
        let share = |value: &ActionValue| value.shares[self.mover];
        let mut best: Option<&(String, ActionValue)> = None;
        for candidate in &self.alternatives {
            if best.is_none_or(|best| share(&candidate.1) > share(&best.1)) {
                best = Some(candidate);
            }
        }
        let (action, value) = best?;
        Some((action, value, subtract(value.shares, self.played.shares)))
    }

    /// The best alternative, if it is better than the chosen action by proof or by more than [`MIN_REPORTED_LOSS`].
    pub(super) fn better(&self) -> Option<BetterAction<'_>> {
        let (action, value, gain) = self.best_alternative()?;
        let min_gain = if self.played.is_exact && value.is_exact {
            0.0
        } else {
            MIN_REPORTED_LOSS
        };
        (gain[self.player] > min_gain).then_some(BetterAction { action, gain })
    }

    /// The best alternative, if the chosen action is better by more than [`MIN_REPORTED_LOSS`].
    pub(super) fn second(&self) -> Option<SecondBest> {
        let (action, _, gain) = self.best_alternative()?;
        let gap = -gain[self.player];
        (self.player == self.mover && gap > MIN_REPORTED_LOSS).then(|| SecondBest {
            action: action.to_owned(),
            gap: round_share(gap),
        })
    }
}

/// The best of the matching actions for the mover.
pub(super) fn alternatives<A: Display>(
    analyses: &[ActionAnalysis<A>],
    mover: Player,
    is_alternative: impl Fn(&ActionAnalysis<A>) -> bool,
) -> Vec<(String, ActionValue)> {
    let mut candidates: Vec<&ActionAnalysis<A>> = analyses
        .iter()
        .filter(|analysis| is_alternative(analysis))
        .collect();
    candidates.sort_by(|a, b| b.shares[mover].total_cmp(&a.shares[mover]));
    candidates.truncate(MAX_ALTERNATIVES);
    let evaluate = |analysis: &ActionAnalysis<A>| {
        (
            analysis.action.to_string(),
            ActionValue::from_analysis(analysis),
        )
    };
    candidates.into_iter().map(evaluate).collect()
}

/// An action of a decision to reanalyse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReanalysisTarget {
    /// The number of the decision, counted from 0.
    pub number: u32,
    /// The index of the alternative, best first; `None` for the chosen action.
    pub alternative: Option<usize>,
}

/// The maximum number of decisions to reanalyse.
const MAX_REANALYSED: usize = 16;

/// The simulations of the reanalysis of one action, as a multiple of those of the first analysis of all actions.
pub const REANALYSIS_FACTOR: u64 = 2;

/// The minimum estimated loss of a decision to reanalyse, in win share.
const MIN_LOSS_TO_REANALYSE: f64 = MIN_REPORTED_LOSS / 2.0;

/// Selects the actions to reanalyse after the first analysis: of the decisions with the largest estimated losses, the
/// chosen action and the alternatives that are not exact.
#[must_use]
pub fn plan_reanalysis(first: &Review, evaluated: &[EvaluatedDecision]) -> Vec<ReanalysisTarget> {
    let mut decisions: Vec<(f64, usize)> = Vec::new();
    for (number, decision) in evaluated.iter().enumerate() {
        // A difference below the noise counts as no loss yet, but reanalysis may show a larger one.
        let estimated_loss = decision
            .best_alternative()
            .map_or(0.0, |(.., gain)| gain[decision.player]);
        let loss = first
            .decision_loss(number)
            .max(estimated_loss.min(MIN_REPORTED_LOSS));
        if loss >= MIN_LOSS_TO_REANALYSE {
            decisions.push((loss, number));
        }
    }
    decisions.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    decisions.truncate(MAX_REANALYSED);
    let mut targets = Vec::new();
    for (_, number) in decisions {
        let decision = &evaluated[number];
        // A proven win cannot be improved, so the alternatives need no reanalysis.
        let is_won = |value: &ActionValue| value.is_exact && value.shares[decision.mover] >= 1.0;
        let has_winning_alternative = decision.alternatives.iter().any(|(_, value)| is_won(value));
        let alternatives = decision
            .alternatives
            .iter()
            .enumerate()
            .filter(|_| !has_winning_alternative);
        let alternatives = alternatives.map(|(alternative, (_, value))| (Some(alternative), value));
        for (alternative, value) in std::iter::once((None, &decision.played)).chain(alternatives) {
            if !value.is_exact {
                let number = number as u32;
                targets.push(ReanalysisTarget {
                    number,
                    alternative,
                });
            }
        }
    }
    targets
}

impl EvaluatedDecision {
    /// The expected shares before the ply and after its action, computed from the shares after the ply.
    pub(super) fn values_before(&self, after: ShareVector) -> (ShareVector, ShareVector) {
        let outcomes = self.played.outcomes.iter().enumerate();
        let outcomes = outcomes.map(|(number, (probability, shares))| {
            let shares = if number == self.occurred {
                &after
            } else {
                shares
            };
            (*probability, shares)
        });
        let expected: ShareVector = ByPlayer::from_fn(|player| {
            let outcomes = outcomes.clone();
            outcomes
                .map(|(probability, shares)| probability * shares[player])
                .sum()
        });
        let Some(BetterAction { gain, .. }) = self.better() else {
            return (expected, expected);
        };
        let scale = gain_scale(&expected, &gain);
        let before = ByPlayer::from_fn(|player| expected[player] + scale * gain[player]);
        (before, expected)
    }
}

/// The factor, 0..=1, by which a gain must be scaled so that every share stays within 0..=1. For example, an action
/// that led to a certain win cannot have had a better alternative.
fn gain_scale(expected: &ShareVector, gain: &ShareVector) -> f64 {
    let mut scale = 1.0_f64;
    for player in Player::all(MAX_PLAYERS as u8) {
        let (share, change) = (expected[player], gain[player]);
        let max_change = if change > 0.0 { 1.0 - share } else { share };
        if change.abs() > max_change {
            scale = scale.min((max_change / change.abs()).max(0.0));
        }
    }
    scale
}

pub(super) fn share_vector(shares: WinShares) -> ShareVector {
    ByPlayer::from_fn(|player| f64::from(shares[player]))
}

fn subtract(a: ShareVector, b: ShareVector) -> ShareVector {
    ByPlayer::from_fn(|player| a[player] - b[player])
}
