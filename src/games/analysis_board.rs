//! The analysis board: any position in compact notation, its variations with chosen chance outcomes, and its
//! editor.
//!
//! A position is a live game that starts there, so that all page functions apply to it. Nothing is stored.

use std::sync::Arc;

use super::live_page::name;
use super::page::GameEnd;
use super::position::TypedPosition;
use super::position_analysis::PositionAnalysis;
use super::{BoardPage, LiveGameRef, RegistrableGame, hint};
use crate::game::{Player, Status};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::game::GameTitle;
use crate::templates::hint::HintRow;
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::tree::{GameTree, LazyTree};

/// The analysis board of a game.
pub struct AnalysisPage<G: BoardPage> {
    /// The controls that edit a position, those of the selected element first. The function returns the URL that
    /// selects an element; the board links to it.
    pub edit_groups: fn(
        &G,
        &G::Position,
        Option<u8>,
        &dyn Fn(u8) -> String,
        &mut G::BoardView,
    ) -> Vec<EditGroup>,
    /// An action, as a step of a variation.
    pub action_sentence: fn(&G::Position, G::Action) -> LocalizedMessage,
    /// The chance outcome with this index, for an action that has several. The message may use the argument `odds`, the
    /// outcome's probability.
    pub outcome_sentence: fn(u32) -> LocalizedMessage,
}

/// An action, as a step of a variation.
pub(super) fn action_sentence<G: RegistrableGame>(
    position: &G::Position,
    action: G::Action,
) -> LocalizedMessage {
    match G::PAGES.analysis {
        Some(page) => (page.action_sentence)(position, action),
        None => LocalizedMessage::new("analysis-action").with_value("action", action.to_string()),
    }
}

/// A chance outcome of a game that does not describe them.
pub(super) fn numbered_outcome(number: u32) -> LocalizedMessage {
    LocalizedMessage::new("analysis-outcome").with_value("number", number + 1)
}

/// A group of alternative edits of a position.
#[derive(Clone, Debug)]
pub struct EditGroup {
    pub legend: LocalizedMessage,
    pub options: Vec<EditOption>,
}

/// An edit of a position.
#[derive(Clone, Debug)]
pub struct EditOption {
    pub label: LocalizedMessage,
    /// The player whose symbol the label has.
    pub player: Option<Player>,
    /// Whether the position already is so.
    pub is_current: bool,
    /// The resulting position in notation; `None` if it is illegal.
    pub position: Option<String>,
}

/// A step of a variation: an action with one of its chance outcomes.
#[derive(Clone, Debug)]
pub struct WhatIfStep {
    pub player: Player,
    pub message: LocalizedMessage,
    /// Every outcome with its probability; a deterministic action has one.
    pub outcomes: Vec<LocalizedMessage>,
    pub live: LiveGameRef,
}

/// What the analysis board shows.
pub struct AnalysisBoardOptions<'a> {
    /// The analysis of the position, if available.
    pub analysis: Option<&'a PositionAnalysis>,
    /// The board element that is being edited.
    pub at: Option<u8>,
    /// Returns the URL of the page on which an element is edited.
    pub choose: &'a dyn Fn(u8) -> String,
}

/// The rendered analysis board.
#[derive(Clone, Debug)]
pub struct AnalysisBoard {
    pub game: GameTitle,
    /// The elements link to their edits.
    pub board: Arc<dyn BoardComponent>,
    pub mover: Option<Player>,
    /// The winner, if the game is over.
    pub verdict: Option<LocalizedMessage>,
    pub edits: Vec<EditGroup>,
    /// The analysed actions with their notation, best first.
    pub rows: Vec<(String, HintRow)>,
    /// Why the first is the best.
    pub why: Option<LocalizedMessage>,
}

pub(super) fn what_if<G: RegistrableGame>(
    at: &TypedPosition<G>,
    action: &str,
    outcome: usize,
) -> Option<WhatIfStep> {
    let action: G::Action = action.parse().ok()?;
    let (game, position) = (at.game, &at.position);
    let tree = LazyTree::new(&game, position.clone());
    let outcome_sentence = G::PAGES
        .analysis
        .map_or(numbered_outcome as fn(u32) -> _, |page| {
            page.outcome_sentence
        });
    let player = game.status(position).mover()?;
    let (_, chance_outcomes) = tree.branches().find(|(branch, _)| *branch == action)?;
    let outcomes = chance_outcomes.clone().enumerate().map(|(number, chance)| {
        outcome_sentence(number as u32).with_value("odds", MessageArg::Percent(chance.probability))
    });
    let outcomes = outcomes.collect();
    let after = chance_outcomes
        .into_iter()
        .nth(outcome)?
        .tree
        .position()
        .clone();
    Some(WhatIfStep {
        player,
        message: action_sentence::<G>(position, action),
        outcomes,
        live: Arc::new(Session::new(game, after)),
    })
}

pub(super) fn analysis_board<G: RegistrableGame>(
    at: &TypedPosition<G>,
    shown: &AnalysisBoardOptions<'_>,
) -> AnalysisBoard {
    let (game, position) = (&at.game, &at.position);
    let status = game.status(position);
    let mut board = game.preview(position);
    let edits = G::PAGES.analysis.map_or_else(Vec::new, |page| {
        (page.edit_groups)(game, position, shown.at, shown.choose, &mut board)
    });
    let hint = shown.analysis.and_then(|analysis| {
        Some((
            analysis,
            hint::hint(game, position, analysis, &mut board)?.1,
        ))
    });
    let (why, rows) = match hint {
        Some((analysis, view)) => {
            let legal: Vec<_> = game.legal_actions(position).collect();
            let actions = analysis.best_first.iter();
            let actions = actions.map(|&index| legal[index].to_string());
            (Some(view.why), actions.zip(view.rows).collect())
        }
        None => (None, Vec::new()),
    };
    let verdict = match status {
        Status::Turn(_) => None,
        Status::Over(_) => Some(game.winner_text(&GameEnd {
            position,
            winners: &game.winners(position),
            ending: None,
            plies: 0,
        })),
    };
    AnalysisBoard {
        game: name::<G>(),
        board: Arc::new(board),
        mover: status.mover(),
        verdict,
        edits,
        rows,
        why,
    }
}
