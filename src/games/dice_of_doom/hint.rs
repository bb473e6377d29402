//! Hints of Dice of Doom: the sentence with the reason, the list of actions, and the arrows on the board.
//!
//! The probabilities come from the search. The reasons name what its evaluation sees: clusters, hexes next to
//! more dice, new dice, and players about to be eliminated.

use std::sync::Arc;

use super::end_turn_preview::{EndTurnPreview, RemainingAttacks};
use super::page::pays_for_clusters;
use crate::game::{Game, Payoffs, Player, Status};
use crate::games::hint::{HintCandidate, HintContent, RankedAction};
use crate::templates::controls::{Button, TableComponent};
use crate::templates::dice_of_doom::{HexBoardView, HintArrow};
use crate::templates::hint::HintTag;
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::templates::prompt::{BackLink, MovePrompt};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Hex, Outcome, Position};

/// The number of best attacks that have an arrow on the board.
const MAX_ARROWS: usize = 3;

pub(super) fn hint_content(
    game: &DiceOfDoom,
    position: &Position,
    ranked: &[RankedAction<'_, Action>],
    board: &mut HexBoardView,
) -> Option<HintContent> {
    let first = ranked.first()?.action;
    let attacks = (1u8..).zip(ranked);
    let attacks = attacks.filter_map(|(rank, one)| Some((rank, attack(one.action)?)));
    board.hint_arrows = attacks
        .take(MAX_ARROWS)
        .map(|(rank, (from, to))| HintArrow {
            label: rank_label(rank),
            is_first: rank == 1,
            from: from.number(),
            to: to.number(),
            odds: game.attack_win_probability(position, from, to),
            href: None,
        })
        .collect();
    let end = end_of_game(game, position, ranked);
    if let Some(end) = &end {
        end.mark(board);
    }
    let actions: Vec<_> = ranked.iter().map(|one| one.action).collect();
    let why = why(game, position, &actions);
    board.mentioned = why.values.iter().find_map(|(name, part)| match part {
        MessageArg::Number(hex) if *name == "hex" => u8::try_from(*hex).ok(),
        _ => None,
    });
    let ends = end.as_ref().filter(|_| first == Action::EndTurn);
    let needs_confirmation = end.as_ref().is_some_and(EndTurnPreview::needs_confirmation);
    Some(HintContent {
        prompt: match ends {
            Some(_) => MovePrompt {
                headline: LocalizedMessage::new("hint-end-game"),
                sub: LocalizedMessage::new("hint-end-game-sub"),
                sub_without_odds: None,
                back: close_link(),
            },
            None => attack_or_end_prompt(game, position, first),
        },
        primary_action: ends.map(|end| Arc::new(end.button()) as Arc<dyn TableComponent>),
        why,
        best_button: Button {
            label: match first {
                Action::EndTurn => LocalizedMessage::new("end-turn"),
                Action::Attack { from, to } => attack_message("hint-do-attack", from, to),
            },
            ..button(position, first)
        },
        rows: ranked
            .iter()
            .map(|one| HintCandidate {
                confirmation_query: (needs_confirmation && one.action == Action::EndTurn)
                    .then_some(("end", "1")),
                ..row(game, position, one.action)
            })
            .collect(),
    })
}

fn rank_label(rank: u8) -> char {
    char::from(b'0' + rank)
}

/// The preview of ending the turn, if that ends the game.
fn end_of_game(
    game: &DiceOfDoom,
    position: &Position,
    ranked: &[RankedAction<'_, Action>],
) -> Option<EndTurnPreview> {
    let may_end = ranked.iter().any(|one| one.action == Action::EndTurn);
    let mut sources: Vec<Hex> = ranked
        .iter()
        .filter_map(|one| Some(attack(one.action)?.0))
        .collect();
    sources.sort_unstable();
    sources.dedup();
    let remaining = RemainingAttacks {
        sources: sources.len() as u32,
    };
    let preview = may_end.then(|| EndTurnPreview::new(game, position, remaining));
    preview.filter(EndTurnPreview::ends_the_game)
}

fn close_link() -> Option<BackLink> {
    Some(BackLink {
        href: String::new(),
        key: "hint-close",
    })
}

pub(super) fn attack(action: Action) -> Option<(Hex, Hex)> {
    match action {
        Action::EndTurn => None,
        Action::Attack { from, to } => Some((from, to)),
    }
}

fn attack_message(key: &'static str, from: Hex, to: Hex) -> LocalizedMessage {
    LocalizedMessage::new(key)
        .with_value("from", from.number())
        .with_value("to", to.number())
}

/// The button that plays an action, labelled as in the list.
pub(super) fn button(position: &Position, action: Action) -> Button {
    match action {
        Action::EndTurn => Button {
            fields: vec![("pass", "1".to_owned())],
            key: Some("e".to_owned()),
            label: LocalizedMessage::new("hint-end"),
        },
        Action::Attack { from, to } => Button {
            fields: vec![("from", from.to_string()), ("to", to.to_string())],
            key: None,
            label: attack_message("hint-attack", from, to)
                .with_value("attack", position.dice(from))
                .with_value("defend", position.dice(to)),
        },
    }
}

fn row(game: &DiceOfDoom, position: &Position, action: Action) -> HintCandidate {
    let attack = attack(action);
    let odds = attack.and_then(|(from, to)| game.attack_win_probability(position, from, to));
    HintCandidate {
        button: button(position, action),
        tag: odds.map_or(HintTag::Deterministic, HintTag::Odds),
        marks: attack.map(|(from, to)| format!("h{from} h{to}")),
        ends_turn: attack.is_none(),
        confirmation_query: None,
    }
}

fn attack_or_end_prompt(game: &DiceOfDoom, position: &Position, first: Action) -> MovePrompt {
    let back = close_link();
    match first {
        Action::EndTurn => MovePrompt {
            headline: LocalizedMessage::new("hint-end-turn"),
            sub: LocalizedMessage::new("hint-end-turn-sub")
                .with_value("dice", new_dice(game, position)),
            sub_without_odds: None,
            back,
        },
        Action::Attack { from, to } => {
            let about = |key| {
                LocalizedMessage::new(key)
                    .with_value("from", from.number())
                    .with_value("attack", position.dice(from))
                    .with_value("defend", position.dice(to))
            };
            let odds = game.attack_win_probability(position, from, to);
            MovePrompt {
                headline: LocalizedMessage::new("hint-take").with_value("to", to.number()),
                sub: match odds {
                    Some(odds) => {
                        about("hint-take-odds").with_value("odds", MessageArg::Percent(odds))
                    }
                    None => about("hint-take-sure"),
                },
                sub_without_odds: odds.map(|_| about("hint-take-sure")),
                back,
            }
        }
    }
}

/// The number of dice gained by ending the turn now.
fn new_dice(game: &DiceOfDoom, position: &Position) -> u32 {
    let reinforced = game.reinforced(position).into_iter();
    reinforced.map(|(_, dice)| u32::from(dice)).sum()
}

/// One sentence on why the first action is better than the others, in particular than the second.
pub(super) fn why(game: &DiceOfDoom, position: &Position, actions: &[Action]) -> LocalizedMessage {
    let mover = position.player();
    let first = actions[0];
    let others = || actions[1..].iter().filter_map(|action| attack(*action));
    let outcome = match first {
        Action::EndTurn => Outcome::Certain,
        Action::Attack { .. } => Outcome::Won,
    };
    let after = game.apply(position, first, outcome);
    if let Status::Over(payoffs) = game.status(&after)
        && payoffs.win_share(mover) == 1.0
    {
        return LocalizedMessage::new("hint-why-wins");
    }
    let risk = others().next().and_then(|(from, to)| {
        let attack = Action::Attack { from, to };
        let exposed = newly_exposed(game, position, &game.apply(position, attack, Outcome::Won))?;
        Some(
            attack_message("hint-why-open", from, to)
                .with_value("hex", exposed.hex.number())
                .with_player(exposed.to.number())
                .with_value("dice", exposed.dice),
        )
    });
    let Action::Attack { from, to } = first else {
        let odds = |(from, to)| {
            game.attack_win_probability(position, from, to)
                .unwrap_or(1.0)
        };
        let likeliest = others().map(odds).fold(0.0, f64::max);
        let dice = new_dice(game, position);
        return match risk {
            _ if actions.len() == 1 => LocalizedMessage::new("hint-why-only"),
            _ if likeliest < 0.5 => LocalizedMessage::new("hint-why-odds")
                .with_value("odds", MessageArg::Percent(likeliest))
                .with_value("dice", dice),
            Some(risk) => risk,
            None => LocalizedMessage::new("hint-why-rest").with_value("dice", dice),
        };
    };
    let defender = position.owner(to);
    if game.hex_and_dice_count(position, defender).0 == 1 {
        return LocalizedMessage::new("hint-why-last").with_player(defender.number());
    }
    if let Some(payoffs) = end_after(game, &after) {
        let wins = payoffs.win_share(mover) == 1.0;
        return LocalizedMessage::new("hint-why-ends")
            .with_value("result", if wins { "wins" } else { "open" });
    }
    let land = |position: &Position, player| game.largest_cluster(position, player);
    let grown = (land(position, mover), land(&after, mover));
    let split = (land(position, defender), land(&after, defender));
    if grown.1 > grown.0 + 1 && pays_for_clusters(game.rules()) {
        return LocalizedMessage::new("hint-why-joins").with_value("cluster", grown.1);
    }
    if split.1 + 1 < split.0 && pays_for_clusters(game.rules()) {
        return LocalizedMessage::new("hint-why-splits")
            .with_player(defender.number())
            .with_value("before", split.0)
            .with_value("after", split.1);
    }
    let neighbours = game.neighbours(to).iter();
    let weaker_neighbour = neighbours
        .filter(|&&hex| {
            hex != from && position.owner(hex) == mover && position.dice(hex) < position.dice(to)
        })
        .min_by_key(|&&hex| position.dice(hex));
    if let Some(hex) = weaker_neighbour {
        return LocalizedMessage::new("hint-why-threat")
            .with_player(defender.number())
            .with_value("dice", position.dice(to))
            .with_value("hex", hex.number());
    }
    match (newly_exposed(game, position, &after), risk) {
        (None, Some(risk)) => risk,
        _ if grown.1 > grown.0 => {
            LocalizedMessage::new("hint-why-grows").with_value("cluster", grown.1)
        }
        (None, None) => LocalizedMessage::new("hint-why-safe"),
        _ => LocalizedMessage::new("hint-why-best"),
    }
}

/// The result if the mover ends the turn and that ends the game: then only hexes count.
fn end_after(game: &DiceOfDoom, position: &Position) -> Option<Payoffs> {
    let mut legal = game.legal_actions(position);
    if !legal.any(|action| action == Action::EndTurn) {
        return None;
    }
    let after = game.apply(position, Action::EndTurn, Outcome::Certain);
    match game.status(&after) {
        Status::Over(payoffs) => Some(payoffs),
        Status::Turn(_) => None,
    }
}

/// A hex of the mover next to a hex of another player with more dice.
struct ExposedHex {
    hex: Hex,
    to: Player,
    dice: u8,
}

/// The hex that an attack newly exposes to the most dice; `None` if every exposed hex was exposed before.
fn newly_exposed(game: &DiceOfDoom, before: &Position, after: &Position) -> Option<ExposedHex> {
    let mover = before.player();
    let strongest = |position: &Position, hex: Hex| {
        let foreign = game.neighbours(hex).iter().filter(|&&other| {
            position.owner(other) != mover && position.dice(other) > position.dice(hex)
        });
        foreign.copied().max_by_key(|&other| position.dice(other))
    };
    let own = game.all_hexes().filter(|&hex| after.owner(hex) == mover);
    let newly = own.filter_map(|hex| {
        let by = strongest(after, hex)?;
        let was_exposed = before.owner(hex) == mover && strongest(before, hex).is_some();
        (!was_exposed).then(|| ExposedHex {
            hex,
            to: after.owner(by),
            dice: after.dice(by),
        })
    });
    newly.max_by_key(|exposed| exposed.dice)
}
