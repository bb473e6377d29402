//! Hints: what a game says and draws of its weighed actions.

use std::sync::Arc;

use super::Guest;
use super::page::{Offer, Pictured};
use super::position_analysis::{WeighedAction, Weighing};
use crate::game::Player;
use crate::templates::controls::{Button, OnTable};
use crate::templates::hint::{HintCorner, HintRow, HintTag, HintView};
use crate::templates::message::Said;
use crate::templates::prompt::{Asked, Back};

/// A weighed action, as its game reads it.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'w, A> {
    /// The action.
    pub action: A,
    /// What it is worth.
    pub weighed: &'w WeighedAction,
}

/// What a game says about the weighed actions of a position.
#[derive(Clone, Debug)]
pub struct Advice {
    /// What to do, in the place of the prompt.
    pub asked: Asked,
    /// One sentence why.
    pub why: Said,
    /// The button that does it.
    pub first: Button,
    /// What stands in the place of that button, where the first has consequences that are asked about or told.
    pub corner: Option<Arc<dyn OnTable>>,
    /// Every action, best first.
    pub rows: Vec<Row>,
}

/// One action in the list of a hint.
#[derive(Clone, Debug)]
pub struct Row {
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
pub(super) fn hint<G: Guest>(
    game: &G,
    position: &G::Position,
    weighing: &Weighing,
    board: &mut G::Picture,
) -> Option<(Asked, HintView)> {
    let ranked: Vec<Ranked<'_, G::Action>> = weighing
        .best_first
        .iter()
        .filter_map(|&place| {
            let weighed = &weighing.actions[place];
            let action = weighed.action.parse().ok()?;
            Some(Ranked { action, weighed })
        })
        .collect();
    let advice = <G as Pictured>::advise(game, position, &ranked, board)?;
    let shares = |weighed: &WeighedAction| {
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
pub(super) fn offer(asked: Asked, view: &HintView, here: &str) -> Offer {
    let back = asked.back.map(|back| Back {
        href: here.to_owned(),
        ..back
    });
    Offer {
        asked: Asked { back, ..asked },
        corner: Some(match &view.corner {
            Some(corner) => Arc::clone(corner),
            None => Arc::new(HintCorner(view.first.clone())),
        }),
        buttons: None,
    }
}
