//! Hints: presents a game's analysed actions.

use std::sync::Arc;

use super::page::MoveOptions;
use super::position_analysis::{AnalysedAction, PositionAnalysis};
use super::{BoardPage, RegistrableGame};
use crate::game::Player;
use crate::templates::controls::{Button, TableComponent};
use crate::templates::hint::{HintAction, HintRow, HintTag, HintView};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::{BackLink, MovePrompt};

/// The hints of a game.
pub struct HintPage<G: BoardPage> {
    /// The keyboard shortcut.
    pub key: &'static str,
    /// The hint for a position from its analysed actions, best first; also marks the board.
    pub content: fn(
        &G,
        &G::Position,
        &[RankedAction<'_, G::Action>],
        &mut G::BoardView,
    ) -> Option<HintContent>,
}

/// An analysed action with its typed form.
#[derive(Clone, Copy, Debug)]
pub struct RankedAction<'w, A> {
    pub action: A,
    pub analysis: &'w AnalysedAction,
}

/// The content of a hint, as the game presents it.
#[derive(Clone, Debug)]
pub struct HintContent {
    /// The recommended action, shown instead of the prompt.
    pub prompt: MovePrompt,
    /// One sentence with the reason.
    pub why: LocalizedMessage,
    /// The button that plays it.
    pub best_button: Button,
    /// Replaces that button where the action needs confirmation or an explanation.
    pub primary_action: Option<Arc<dyn TableComponent>>,
    /// Every action, best first.
    pub rows: Vec<HintCandidate>,
}

/// An action in the list of a hint.
#[derive(Clone, Debug)]
pub struct HintCandidate {
    pub button: Button,
    /// A tag with its probability of success or its result.
    pub tag: HintTag,
    /// Space-separated ids of the board elements that it concerns.
    pub marks: Option<String>,
    /// Whether it ends the turn; a shortened list always contains it.
    pub ends_turn: bool,
    /// The query field that opens the confirmation for it.
    pub confirmation_query: Option<(&'static str, &'static str)>,
}

/// The analysed actions, best first.
pub(super) fn ranked_actions<'a, G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    analysis: &'a PositionAnalysis,
) -> Vec<RankedAction<'a, G::Action>> {
    let actions: Vec<_> = game.legal_actions(position).collect();
    let ranked = analysis.best_first.iter().map(|&index| RankedAction {
        action: actions[index],
        analysis: &analysis.actions[index],
    });
    ranked.collect()
}

/// The hint for a position; also marks the board. `None` if the game gives no hint.
pub(super) fn hint<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    analysis: &PositionAnalysis,
    board: &mut G::BoardView,
) -> Option<(MovePrompt, HintView)> {
    let ranked = ranked_actions(game, position, analysis);
    let content = (G::PAGES.hints?.content)(game, position, &ranked, board)?;
    let shares = |analysed: &AnalysedAction| {
        let players = Player::all(game.players());
        players
            .map(|player| (player.number(), analysed.shares[player]))
            .collect()
    };
    let rows = ranked
        .iter()
        .zip(content.rows)
        .map(|(ranked, row)| HintRow {
            button: row.button,
            tag: row.tag,
            marks: row.marks,
            ends_turn: row.ends_turn,
            confirmation: row.confirmation_query,
            share: ranked.analysis.shares[analysis.mover],
            shares: shares(ranked.analysis),
        });
    Some((
        content.prompt,
        HintView {
            mover: analysis.mover.number(),
            why: content.why,
            first: content.best_button,
            primary_action: content.primary_action,
            rows: rows.collect(),
            is_exact: ranked.iter().all(|ranked| ranked.analysis.is_exact),
            simulations: u32::try_from(analysis.simulations).unwrap_or(u32::MAX),
        },
    ))
}

/// The controls shown with a hint; the primary action plays the recommended action.
pub(super) fn hint_move_options(prompt: MovePrompt, view: &HintView, here: &str) -> MoveOptions {
    let back = prompt.back.map(|back| BackLink {
        href: here.to_owned(),
        ..back
    });
    MoveOptions {
        prompt: MovePrompt { back, ..prompt },
        primary_action: Some(match &view.primary_action {
            Some(corner) => Arc::clone(corner),
            None => Arc::new(HintAction(view.first.clone())),
        }),
        buttons: None,
    }
}
