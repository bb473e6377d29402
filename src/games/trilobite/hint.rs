//! Hints of Trilobite: the value of each column, exact if proven.

use crate::game::Game;
use crate::games::hint::{HintCandidate, HintContent, RankedAction};
use crate::games::position_analysis::AnalysedAction;
use crate::templates::controls::Button;
use crate::templates::hint::HintTag;
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::templates::prompt::{BackLink, MovePrompt};
use crate::templates::trilobite::{ColumnBoardView, ColumnHint};
use dice_of_doom_games::trilobite::{Column, Position, Trilobite};

pub(super) fn hint_content(
    game: &Trilobite,
    position: &Position,
    ranked: &[RankedAction<'_, Column>],
    board: &mut ColumnBoardView,
) -> Option<HintContent> {
    let first = ranked.first()?;
    for (rank, one) in ranked.iter().enumerate() {
        let share = share(position, one.analysis);
        board.columns[usize::from(one.action.number())].hint = Some(ColumnHint {
            label: match verdict(position, one.analysis) {
                Some(verdict) => verdict,
                None => LocalizedMessage::new("odds")
                    .with_value("odds", MessageArg::Percent(share.into())),
            },
            share,
            best: rank == 0,
        });
    }
    let letter = first.action.to_string();
    Some(HintContent {
        prompt: MovePrompt {
            headline: match verdict(position, first.analysis) {
                Some(_) => result(position, first.analysis, "hint-drop-result"),
                None => LocalizedMessage::new("hint-drop"),
            }
            .with_value("column", letter.clone()),
            sub: LocalizedMessage::new("hint-drop-sub"),
            sub_without_odds: None,
            back: Some(BackLink {
                href: String::new(),
                key: "hint-close",
            }),
        },
        why: why(game, position, first),
        best_button: Button {
            label: LocalizedMessage::new("hint-do-drop").with_value("column", letter),
            ..button(first.action)
        },
        primary_action: None,
        rows: ranked.iter().map(|one| row(position, one)).collect(),
    })
}

pub(super) fn share(position: &Position, analysis: &AnalysedAction) -> f32 {
    analysis.shares[position.player()]
}

fn button(column: Column) -> Button {
    let letter = column.to_string();
    Button {
        fields: vec![("column", letter.clone())],
        key: Some(letter.clone()),
        label: LocalizedMessage::new("hint-column").with_value("column", letter),
    }
}

fn row(position: &Position, one: &RankedAction<'_, Column>) -> HintCandidate {
    HintCandidate {
        button: button(one.action),
        tag: match verdict(position, one.analysis) {
            Some(sentence) => HintTag::Result {
                sentence,
                share: share(position, one.analysis),
            },
            None => HintTag::None,
        },
        marks: Some(format!("col-{}", one.action)),
        ends_turn: false,
        confirmation_query: None,
    }
}

/// The proven result of a column for the mover, with the winner's remaining number of own chips.
fn verdict(position: &Position, analysis: &AnalysedAction) -> Option<LocalizedMessage> {
    let ends = analysis.ends_in;
    ends.map(|_| result(position, analysis, "hint-result"))
}

fn result(position: &Position, analysis: &AnalysedAction, key: &'static str) -> LocalizedMessage {
    let share = share(position, analysis);
    let plies = analysis.ends_in.unwrap_or(0);
    let (result, chips) = match share {
        share if share > 0.5 => ("wins", plies.div_ceil(2)),
        share if share < 0.5 => ("loses", plies / 2),
        _ => ("draw", 0),
    };
    LocalizedMessage::new(key)
        .with_value("result", result)
        .with_value("chips", chips)
}

/// One sentence on why this column is the best.
fn why(
    game: &Trilobite,
    position: &Position,
    first: &RankedAction<'_, Column>,
) -> LocalizedMessage {
    let other = position.player().next(2);
    let share = share(position, first.analysis);
    if let Some(why) = threat(game, position, first.action) {
        return why;
    }
    match (first.analysis.is_exact, share) {
        (true, share) if share > 0.5 => {
            LocalizedMessage::new("hint-why-forced").with_player(other.number())
        }
        (true, share) if share < 0.5 => LocalizedMessage::new("hint-why-lost"),
        (true, _) => LocalizedMessage::new("hint-why-draw"),
        (false, _) => LocalizedMessage::new("hint-why-open-lines"),
    }
}

/// What a chip in this column wins, blocks or threatens immediately.
pub(super) fn threat(
    game: &Trilobite,
    position: &Position,
    column: Column,
) -> Option<LocalizedMessage> {
    let mover = position.player();
    let other = mover.next(2);
    if game.completes(position, column, mover) {
        return Some(LocalizedMessage::new("hint-why-line").with_value("win", game.win()));
    }
    if game.completes(position, column, other) {
        return Some(LocalizedMessage::new("hint-why-stops").with_player(other.number()));
    }
    let after = game.apply(position, column, ());
    let threats = game.columns().filter(|&column| {
        game.landing(&after, column).is_some() && game.completes(&after, column, mover)
    });
    (threats.count() > 1).then(|| LocalizedMessage::new("hint-why-two").with_player(other.number()))
}
