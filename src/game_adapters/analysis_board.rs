//! The analysis board: any position as a short text, what may follow from it by chosen outcomes, and its
//! edits.
//!
//! A position is a live game that has just begun there, so everything that pages ask of games can be
//! asked of it. Nothing of it is kept.

use std::sync::Arc;

use super::hint;
use super::live_page::name;
use super::page::{GameEnd, PageAdapter};
use super::position_analysis::PositionAnalysis;
use super::{LiveGameRef, RegistrableGame};
use crate::game::{Player, Status};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::game::GameTitle;
use crate::templates::hint::HintRow;
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::tree::GameTree;

/// One thing that may be changed about a position.
#[derive(Clone, Debug)]
pub struct EditGroup {
    /// What it is.
    pub legend: LocalizedMessage,
    /// What it may become.
    pub options: Vec<EditOption>,
}

/// What a part of a position may become.
#[derive(Clone, Debug)]
pub struct EditOption {
    /// In words.
    pub label: LocalizedMessage,
    /// The player whose glyph stands beside it.
    pub player: Option<Player>,
    /// It is so now.
    pub is_current: bool,
    /// The position with it, as its game writes it; `None` where that is no position.
    pub position: Option<String>,
}

/// An action that was played in thought, with one of its outcomes.
#[derive(Clone, Debug)]
pub struct WhatIfStep {
    /// Who acted.
    pub player: Player,
    /// What was done.
    pub said: LocalizedMessage,
    /// Every outcome, in words with how likely it is; a sure action has one.
    pub outcomes: Vec<LocalizedMessage>,
    /// The position after it.
    pub live: LiveGameRef,
}

/// How an analysis board is shown.
pub struct AnalysisBoardOptions<'a> {
    /// What the actions are worth, where that is known.
    pub weighing: Option<&'a PositionAnalysis>,
    /// The part of the board that is edited.
    pub at: Option<u8>,
    /// The address of the page on which a part is edited.
    pub choose: &'a dyn Fn(u8) -> String,
}

/// A position on the analysis board.
#[derive(Clone, Debug)]
pub struct AnalysisBoard {
    /// What is played.
    pub game: GameTitle,
    /// The board; its parts are links to edit them.
    pub board: Arc<dyn BoardComponent>,
    /// Who is to move.
    pub mover: Option<Player>,
    /// Who won, where the game is over.
    pub verdict: Option<LocalizedMessage>,
    /// What may be changed.
    pub edits: Vec<EditGroup>,
    /// The actions with their notation, best first, where they are weighed.
    pub rows: Vec<(String, HintRow)>,
    /// Why the first is the best.
    pub why: Option<LocalizedMessage>,
}

/// What the analysis board asks of a game.
pub trait LiveAnalysisBoard {
    /// The position after so many entries as a short text, `GAME.…`; `None` where the game has none.
    fn position_text(&self, entries: u32) -> Option<String>;

    /// The newest position after an action in the game's notation and one of its outcomes, in the order
    /// of its lottery; `None` where there is no such action or outcome.
    fn what_if(&self, action: &str, outcome: usize) -> Option<WhatIfStep>;

    /// The newest position on the analysis board.
    fn lab(&self, shown: &AnalysisBoardOptions<'_>) -> AnalysisBoard;
}

impl<G: RegistrableGame> LiveAnalysisBoard for Session<G> {
    fn position_text(&self, entries: u32) -> Option<String> {
        let position = self.position_at(entries);
        let text = self.game().to_compact(&position)?;
        Some(format!("{}.{text}", G::NAME))
    }

    fn what_if(&self, action: &str, outcome: usize) -> Option<WhatIfStep> {
        let action: G::Action = action.parse().ok()?;
        let (game, position, tree) = (*self.game(), self.position(), self.tree());
        let player = game.status(position).mover()?;
        let (_, chances) = tree.branches().find(|(branch, _)| *branch == action)?;
        let outcomes = chances.clone().enumerate().map(|(number, chance)| {
            G::outcome_sentence(number as u32).with("odds", MessageArg::Percent(chance.probability))
        });
        let outcomes = outcomes.collect();
        let after = chances.into_iter().nth(outcome)?.tree.position().clone();
        Some(WhatIfStep {
            player,
            said: game.action_sentence(position, action),
            outcomes,
            live: Arc::new(Session::new(game, after)),
        })
    }

    fn lab(&self, shown: &AnalysisBoardOptions<'_>) -> AnalysisBoard {
        let (game, position) = (self.game(), self.position());
        let status = game.status(position);
        let mut board = game.preview(position);
        let edits = <G as PageAdapter>::edit_groups(game, position, shown.at, shown.choose, &mut board);
        let hint = shown.weighing.and_then(|weighing| {
            Some((
                weighing,
                hint::hint(game, position, weighing, &mut board)?.1,
            ))
        });
        let (why, rows) = match hint {
            Some((weighing, view)) => {
                let actions = weighing.best_first.iter();
                let actions = actions.map(|&place| weighing.actions[place].action.clone());
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
}
