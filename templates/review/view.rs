//! The values that the review page shows.

use std::sync::Arc;

use maud::Markup;

use crate::board::BoardComponent;
use crate::controls::{TableComponent, TableContext};
use crate::message::LocalizedMessage;
use crate::players::PlayerView;

/// View of the review page.
#[derive(Clone, Debug)]
pub struct ReviewPageView {
    /// Public id of the game.
    pub id: String,
    /// The players.
    pub players: Vec<PlayerView>,
    /// State of the review.
    pub stage: ReviewStageView,
    /// The mean accuracy of the reader's newest reviewed games, 0..=1, and their number, if there are several.
    pub average: Option<(f64, u32)>,
    /// Whether the reader may ask for a rematch.
    pub may_rematch: bool,
}

/// State of a review.
#[derive(Clone, Debug)]
pub enum ReviewStageView {
    /// It has not been requested.
    NotRequested {
        /// Whether dice were rolled in the game.
        is_rolled: bool,
    },
    /// It is queued or being computed.
    InProgress {
        /// Number of evaluated decisions.
        done: u32,
        /// Number of all decisions.
        of: u32,
    },
    /// It is ready.
    Ready(Box<ReviewView>),
}

/// A review from the viewpoint of one player.
#[derive(Clone, Debug)]
pub struct ReviewView {
    /// The player of the viewpoint.
    pub viewer: u8,
    /// The winners; none for a draw.
    pub winners: Vec<u8>,
    /// The number of the last page of the game.
    pub plies: u32,
    /// Every player's win share after the deal and after every decision, 0..=1.
    pub shares: Vec<Vec<f64>>,
    /// The effect of every decision and its dice on the win share of `viewer`.
    pub changes: Vec<PlyChangeView>,
    /// For each player, the breakdown of the change of win share.
    pub breakdowns: Vec<BreakdownView>,
    /// The decisions of `viewer` that are furthest above the next best alternative, furthest first.
    pub best: Vec<DecisionView>,
    /// The costliest decisions of `viewer`, costliest first.
    pub mistakes: Vec<DecisionView>,
    /// The unlikely outcome that cost `viewer` most.
    pub swing: Option<AgainstOddsView>,
    /// Whether dice were rolled in the game.
    pub is_rolled: bool,
    /// The dice of `viewer`, if the game rolls six-sided dice.
    pub rolls: Option<FaceHistogramView>,
    /// What the evaluation was made with.
    pub evaluator: EvaluatorView,
    /// Whether the current evaluation is a different one.
    pub is_outdated: bool,
}

/// What a review was made with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluatorView {
    /// Name of the level.
    pub level: &'static str,
    /// Version of its evaluation.
    pub version: u32,
    /// Number of simulations per ply.
    pub simulations: u64,
}

/// The effect of a decision and its dice on the win share of a player, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlyChangeView {
    /// Ply number of the position after it.
    pub page: u32,
    /// The player who decided.
    pub player: u8,
    /// Effect of the decision.
    pub decision: f64,
    /// Effect of the dice.
    pub luck: f64,
}

/// Breakdown of a player's change of win share, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BreakdownView {
    /// The player.
    pub player: u8,
    /// Win share after the deal.
    pub start: f64,
    /// Effect of the player's own dice.
    pub own_luck: f64,
    /// Effect of the player's own decisions.
    pub own_decisions: f64,
    /// Effect of the others' decisions.
    pub others_decisions: f64,
    /// Effect of the others' dice.
    pub others_luck: f64,
    /// The part of the expected win share that the player's own decisions kept, 0..=1.
    pub accuracy: f64,
}

/// The breakdown in whole points (hundredths): start, the four changes and the end, which add up exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BreakdownPoints {
    pub(super) start: i32,
    pub(super) own_luck: i32,
    pub(super) own_decisions: i32,
    pub(super) others_decisions: i32,
    pub(super) others_luck: i32,
    pub(super) end: i32,
}

impl BreakdownView {
    /// Rounds the running sum instead of the parts, so that the points add up.
    pub(super) fn points(&self) -> BreakdownPoints {
        let mut sum = self.start;
        let mut at = (100.0 * sum).round() as i32;
        let mut step = |part: f64| {
            sum += part;
            let before = std::mem::replace(&mut at, (100.0 * sum).round() as i32);
            at - before
        };
        BreakdownPoints {
            start: (100.0 * self.start).round() as i32,
            own_luck: step(self.own_luck),
            own_decisions: step(self.own_decisions),
            others_decisions: step(self.others_decisions),
            others_luck: step(self.others_luck),
            end: at,
        }
    }
}

/// What a decision is listed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReviewedDecisionKind {
    /// It is far above the next best alternative.
    Best,
    /// It cost win share.
    Mistake,
}

/// A decision and the action that it is compared with.
#[derive(Clone, Debug)]
pub struct DecisionView {
    /// What it is listed for.
    pub kind: ReviewedDecisionKind,
    /// Index of the decision among all decisions.
    pub number: usize,
    /// Ply number of the position in which it was made.
    pub ply: u32,
    /// The player who decided.
    pub player: u8,
    /// The difference of both actions in win share, 0..=1.
    pub difference: f64,
    /// Expected win share with the better one of both, 0..=1.
    pub share: f64,
    /// The action played; `None` for a resignation.
    pub played: Option<LocalizedMessage>,
    /// The other action: better than a mistake, or the next best one.
    pub other: LocalizedMessage,
    /// Why the better one of both is better, addressed to the player.
    pub why: Option<LocalizedMessage>,
    /// A small board that shows them.
    pub board: Arc<dyn TableComponent>,
}

impl DecisionView {
    /// The difference in points (hundredths of win share).
    #[must_use]
    pub fn points(&self) -> u32 {
        (100.0 * self.difference).round() as u32
    }

    /// Ply number of the page of the game that shows it: the position after the action, or the current one for a
    /// resignation.
    #[must_use]
    pub fn page_ply(&self) -> u32 {
        self.ply + u32::from(self.played.is_some())
    }
}

/// An unlikely outcome that cost win share: not a mistake.
#[derive(Clone, Debug)]
pub struct AgainstOddsView {
    /// Ply number of the position after it.
    pub page: u32,
    /// The player whose action it was.
    pub player: u8,
    /// Its cost, in points.
    pub points: u32,
    /// The probability of the outcome, 0..=1.
    pub chance: f64,
    /// The action.
    pub action: LocalizedMessage,
    /// A small board that shows it.
    pub board: Arc<dyn TableComponent>,
}

/// Marks on a large board: the better one of two actions, and the other one.
pub const BETTER_MARK: char = '+';
/// See [`BETTER_MARK`].
pub const WORSE_MARK: char = '−';

/// A decision on its own page.
#[derive(Clone, Debug)]
pub struct DecisionPageView {
    /// The decision.
    pub decision: DecisionView,
    /// The ply numbers of all listed decisions of its kind, in order.
    pub plies: Vec<u32>,
    /// The board before it, with marks for both actions.
    pub board: Arc<dyn BoardComponent>,
    /// The probability that the better action succeeds, if dice are rolled.
    pub better_odds: Option<f64>,
    /// The same of the worse action.
    pub worse_odds: Option<f64>,
    /// Whether the game has an analysis board.
    pub has_analysis_board: bool,
}

/// The best and the costliest decision of a player.
#[derive(Clone, Debug, Default)]
pub struct NotableDecisionsView {
    /// The one that is furthest above its best alternative.
    pub best: Option<NotableDecisionView>,
    /// The one that cost most win share.
    pub costliest: Option<NotableDecisionView>,
}

/// A decision and the action that it is compared with.
#[derive(Clone, Debug)]
pub struct NotableDecisionView {
    /// Ply number of the page that shows it.
    pub page: u32,
    /// The difference of both actions, in points (hundredths of win share).
    pub points: u32,
    /// The action played; `None` for a resignation.
    pub played: Option<LocalizedMessage>,
    /// The other action.
    pub other: LocalizedMessage,
    /// Why the better one of both is better, addressed to the player.
    pub why: Option<LocalizedMessage>,
    /// A small board: the better action is amber, another one that was played is cream.
    pub board: Arc<dyn TableComponent>,
}

/// Histogram of a player's dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaceHistogramView {
    /// Counts of the faces 1 to 6.
    pub faces: [u32; 6],
}

/// A small board without marks.
#[derive(Clone, Debug)]
pub struct SmallBoard(pub Arc<dyn BoardComponent>);

impl TableComponent for SmallBoard {
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        self.0.small()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_points_add_up() {
        let parts = [0.004, -0.006, 0.049_9, -0.123_4, 0.333_33];
        for a in parts {
            for b in parts {
                for c in parts {
                    let account = BreakdownView {
                        start: 0.25,
                        own_luck: a,
                        own_decisions: -b.abs(),
                        others_decisions: c.abs(),
                        others_luck: -a,
                        ..BreakdownView::default()
                    };
                    let points = account.points();
                    let sum = points.start + points.own_luck + points.own_decisions;
                    let sum = sum + points.others_decisions + points.others_luck;
                    assert_eq!(sum, points.end, "{account:?}");
                    assert!(points.own_decisions <= 0 && points.others_decisions >= 0);
                }
            }
        }
    }
}
