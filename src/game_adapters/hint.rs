//! Hints: what a game says and draws of its weighed actions.

use std::sync::Arc;

use super::RegistrableGame;
use super::page::{MoveOptions, PageAdapter};
use super::position_analysis::{AnalysedAction, PositionAnalysis};
use crate::game::Player;
use crate::templates::controls::{Button, TableComponent};
use crate::templates::hint::{HintAction, HintRow, HintTag, HintView};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::{BackLink, MovePrompt};

/// A weighed action, as its game reads it.
#[derive(Clone, Copy, Debug)]
pub struct RankedAction<'w, A> {
    /// The action.
    pub action: A,
    /// What it is worth.
    pub weighed: &'w AnalysedAction,
}

/// What a game says about the weighed actions of a position.
#[derive(Clone, Debug)]
pub struct HintContent {
    /// What to do, in the place of the prompt.
    pub asked: MovePrompt,
    /// One sentence why.
    pub why: LocalizedMessage,
    /// The button that does it.
    pub first: Button,
    /// What stands in the place of that button, where the first has consequences that are asked about or told.
    pub corner: Option<Arc<dyn TableComponent>>,
    /// Every action, best first.
    pub rows: Vec<HintCandidate>,
}

/// One action in the list of a hint.
#[derive(Clone, Debug)]
pub struct HintCandidate {
    /// Plays it.
    pub button: Button,
    /// How likely it is to succeed, or how it ends, in a small tag.
    pub tag: HintTag,
    /// The ids of the elements of the board that it concerns, with blanks between them.
    pub marks: Option<String>,
    /// It ends the turn: a list that is cut short shows it all the same.
    pub ends_turn: bool,
    /// Fields of the game's address that lead to a question before it is played.
    pub asked: Option<(&'static str, &'static str)>,
}

/// The hint of a position, marked on its board; `None` where the game gives none.
pub(super) fn hint<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    weighing: &PositionAnalysis,
    board: &mut G::BoardView,
) -> Option<(MovePrompt, HintView)> {
    let ranked: Vec<RankedAction<'_, G::Action>> = weighing
        .best_first
        .iter()
        .filter_map(|&place| {
            let weighed = &weighing.actions[place];
            let action = weighed.action.parse().ok()?;
            Some(RankedAction { action, weighed })
        })
        .collect();
    let advice = <G as PageAdapter>::hint_content(game, position, &ranked, board)?;
    let shares = |weighed: &AnalysedAction| {
        let players = Player::all(game.players());
        players
            .map(|player| (player.number(), weighed.shares[player]))
            .collect()
    };
    let rows = ranked.iter().zip(advice.rows).map(|(ranked, row)| HintRow {
        button: row.button,
        tag: row.tag,
        marks: row.marks,
        ends_turn: row.ends_turn,
        asked: row.asked,
        share: ranked.weighed.shares[weighing.mover],
        shares: shares(ranked.weighed),
    });
    Some((
        advice.asked,
        HintView {
            mover: weighing.mover.number(),
            why: advice.why,
            first: advice.first,
            corner: advice.corner,
            rows: rows.collect(),
            is_exact: ranked.iter().all(|ranked| ranked.weighed.is_exact),
            simulations: u32::try_from(weighing.simulations).unwrap_or(u32::MAX),
        },
    ))
}

/// What the reader is asked while a hint is shown: the main button does the first of it.
pub(super) fn hint_move_options(asked: MovePrompt, view: &HintView, here: &str) -> MoveOptions {
    let back = asked.back.map(|back| BackLink {
        href: here.to_owned(),
        ..back
    });
    MoveOptions {
        asked: MovePrompt { back, ..asked },
        corner: Some(match &view.corner {
            Some(corner) => Arc::clone(corner),
            None => Arc::new(HintAction(view.first.clone())),
        }),
        buttons: None,
    }
}
