//! The controls of the player to move on the pages of Dice of Doom, derived from the game tree.

use std::sync::Arc;

use super::end_turn_preview::{EndTurnPreview, RemainingAttacks};
use super::page::pays_for_clusters;
use crate::game::Player;
use crate::games::form::FormFields;
use crate::games::page::{BoardPage, FormError, MoveOptions, MoveOptionsRequest};
use crate::templates::controls::TableComponent;
use crate::templates::dice_of_doom::controls::{AttackButtons, AttackConfirmation, AttackView};
use crate::templates::dice_of_doom::{HexBoardView, HexState};
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::templates::prompt::{BackLink, MovePrompt};
use crate::tree::GameTree;
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Hex, IllegalActionError, Position, Rules,
};

/// What the player to move has selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AttackSelection {
    #[default]
    Nothing,
    Source(Hex),
    Target(Hex, Hex),
    /// Ending a game that the mover would not win.
    End,
}

/// The legal actions of a position.
pub(super) struct AttackOptions {
    attacks: Vec<(Hex, Hex)>,
    pub(super) end_turn: bool,
}

impl AttackOptions {
    pub(super) fn from_tree(tree: &impl GameTree<Game = DiceOfDoom>) -> Self {
        let mut options = AttackOptions {
            attacks: Vec::new(),
            end_turn: false,
        };
        for (action, _) in tree.branches() {
            match action {
                Action::Attack { from, to } => options.attacks.push((from, to)),
                Action::EndTurn => options.end_turn = true,
            }
        }
        options
    }

    /// The attacks that can still be made.
    fn remaining(&self) -> RemainingAttacks {
        let mut sources: Vec<_> = self.attacks.iter().map(|(from, _)| *from).collect();
        sources.dedup();
        RemainingAttacks {
            sources: sources.len() as u32,
        }
    }

    /// The preview of ending the turn, if that is legal.
    fn end_turn_preview(&self, game: &DiceOfDoom, position: &Position) -> Option<EndTurnPreview> {
        let remaining = self.remaining();
        self.end_turn
            .then(|| EndTurnPreview::new(game, position, remaining))
    }

    fn targets(&self, source: Hex) -> impl Iterator<Item = Hex> {
        let attacks = self.attacks.iter().filter(move |(from, _)| *from == source);
        attacks.map(|(_, to)| *to)
    }
}

pub(super) fn no_such_hex() -> LocalizedMessage {
    LocalizedMessage::new("notice-no-such-hex")
}

pub(super) fn hex_message(key: &'static str, hex: Hex) -> LocalizedMessage {
    LocalizedMessage::new(key).with_value("hex", hex.number())
}

pub(super) fn hex(game: &DiceOfDoom, number: u8) -> Result<Hex, LocalizedMessage> {
    game.hex(number).ok_or_else(no_such_hex)
}

/// Checks that the player to move can attack from this hex.
pub(super) fn check_source(
    position: &Position,
    options: &AttackOptions,
    hex: Hex,
) -> Result<(), LocalizedMessage> {
    if position.owner(hex) != position.player() {
        return Err(hex_message("notice-not-your-hex", hex));
    }
    if position.dice(hex) < 2 {
        return Err(hex_message("notice-one-die", hex));
    }
    if options.targets(hex).next().is_none() {
        return Err(hex_message("notice-no-target", hex));
    }
    Ok(())
}

/// The URLs of the board's links.
pub(super) struct BoardLinks<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String> {
    /// Selects a source.
    pub(super) source: F,
    /// Selects a target.
    pub(super) target: T,
    /// Clears the selection.
    pub(super) back: String,
}

/// Adds the links of the player to move to a board.
pub(super) fn add_links<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String>(
    board: &mut HexBoardView,
    game: &DiceOfDoom,
    position: &Position,
    options: &AttackOptions,
    chosen: Option<Hex>,
    links: &BoardLinks<F, T>,
) {
    for hex in game.all_hexes() {
        let view = &mut board.hexes[usize::from(hex.number())];
        if Some(hex) == chosen {
            view.state = HexState::Selected;
            view.href = Some(links.back.clone());
        } else if let Some(from) = chosen.filter(|&from| options.targets(from).any(|to| to == hex))
        {
            view.state = HexState::Target {
                odds: game.attack_win_probability(position, from, hex),
            };
            view.href = Some((links.target)(from, hex));
        } else if options.targets(hex).next().is_some() {
            view.state = HexState::Selectable;
            view.href = Some((links.source)(hex));
        } else {
            view.reason_key = Some(not_choosable_key(game, position, chosen, hex));
        }
    }
}

/// Message key: why a hex can be neither source nor target.
fn not_choosable_key(
    game: &DiceOfDoom,
    position: &Position,
    chosen: Option<Hex>,
    hex: Hex,
) -> &'static str {
    let is_own = position.owner(hex) == position.player();
    let error = chosen.filter(|_| !is_own).and_then(|from| {
        game.check_action(position, Action::Attack { from, to: hex })
            .err()
    });
    match error {
        Some(IllegalActionError::NotNeighbours { .. }) => "why-far",
        Some(IllegalActionError::TooFewDice { .. }) => "why-too-few",
        _ if !is_own => "why-not-yours",
        _ if position.dice(hex) < 2 => "why-one-die",
        _ => "why-no-target",
    }
}

/// Parses the selection of the player to move from the query.
pub(super) fn parse_selection(
    tree: &impl GameTree<Game = DiceOfDoom>,
    query: &FormFields,
) -> Result<AttackSelection, FormError> {
    let (game, position) = (tree.game(), tree.position());
    let (from, to) = (query.number("from")?, query.number("to")?);
    let ends = query.single("end")?.is_some();
    let Some(from) = from else {
        return Ok(if ends {
            AttackSelection::End
        } else {
            AttackSelection::Nothing
        });
    };
    let from = hex(game, from)?;
    check_source(position, &AttackOptions::from_tree(tree), from)?;
    let Some(to) = to else {
        return Ok(AttackSelection::Source(from));
    };
    let to = hex(game, to)?;
    let attack = game.check_attack(position, from, to);
    attack.map_err(|error| DiceOfDoom::illegal_action_text(&error))?;
    Ok(AttackSelection::Target(from, to))
}

/// The controls of the player to move; also adds the links to the board.
pub(super) fn add_move_links(
    tree: &impl GameTree<Game = DiceOfDoom>,
    request: &MoveOptionsRequest<'_, AttackSelection>,
    board: &mut HexBoardView,
) -> MoveOptions {
    let (chosen, here) = (request.selection, request.here);
    let (game, position, options) = (tree.game(), tree.position(), AttackOptions::from_tree(tree));
    let links = BoardLinks {
        source: |hex: Hex| format!("{here}?from={hex}"),
        target: |from: Hex, to: Hex| format!("{here}?from={from}&to={to}"),
        back: here.to_owned(),
    };
    let from = match chosen {
        AttackSelection::Nothing | AttackSelection::End => None,
        AttackSelection::Source(from) | AttackSelection::Target(from, _) => Some(from),
    };
    add_links(board, game, position, &options, from, &links);
    if let AttackSelection::Target(from, to) = chosen {
        board.attack_to_confirm = Some((from.number(), to.number()));
    }
    let attack = |from: Hex, to: Hex| AttackView {
        from: from.number(),
        to: to.number(),
        odds: game.attack_win_probability(position, from, to),
    };
    let preview = options.end_turn_preview(game, position);
    if let Some(preview) = &preview
        && !matches!(chosen, AttackSelection::Target(..))
    {
        preview.mark(board);
    }
    if chosen == AttackSelection::End
        && let Some((prompt, answers)) = preview.as_ref().and_then(|one| one.question(here))
    {
        return MoveOptions {
            prompt,
            primary_action: Some(Arc::new(answers)),
            buttons: None,
        };
    }
    let ends = preview.as_ref().is_some_and(EndTurnPreview::ends_the_game);
    let end_turn = preview.map(|one| Arc::new(one.button()) as Arc<dyn TableComponent>);
    match chosen {
        AttackSelection::Nothing | AttackSelection::End if options.attacks.is_empty() => {
            MoveOptions {
                prompt: prompt(
                    if ends { "only-end-game" } else { "only-end" },
                    "only-end-sub",
                ),
                primary_action: end_turn,
                buttons: None,
            }
        }
        AttackSelection::Nothing | AttackSelection::End => MoveOptions {
            prompt: MovePrompt {
                sub: source_prompt_text(game, position, &options, request),
                ..prompt("choose-source", "choose-source-sub")
            },
            primary_action: end_turn,
            buttons: None,
        },
        AttackSelection::Source(from) => {
            let attacks = options.targets(from).map(|to| attack(from, to));
            let attacks = likeliest_first(attacks.collect());
            let message = |key| {
                LocalizedMessage::new(key)
                    .with_value("dice", position.dice(from))
                    .with_value("targets", attacks.len() as u32)
            };
            MoveOptions {
                prompt: MovePrompt {
                    headline: message("choose-target"),
                    sub: message("choose-target-sub"),
                    back: Some(BackLink {
                        href: here.to_owned(),
                        key: "put-back",
                    }),
                    sub_without_odds: None,
                },
                primary_action: end_turn,
                buttons: Some(Arc::new(AttackButtons {
                    from: from.number(),
                    attacks,
                })),
            }
        }
        AttackSelection::Target(from, to) => MoveOptions {
            prompt: confirm(game, position, from, to, here),
            primary_action: Some(Arc::new(AttackConfirmation(attack(from, to)))),
            buttons: None,
        },
    }
}

/// The text below the prompt for a source: for a first-time player to attack, then to attack again or end the turn;
/// for others that the game is about to end if a player has no land left, or that an attack is required first if it is.
fn source_prompt_text(
    game: &DiceOfDoom,
    position: &Position,
    options: &AttackOptions,
    request: &MoveOptionsRequest<'_, AttackSelection>,
) -> LocalizedMessage {
    let mover = position.player();
    match request.first_turn {
        Some(_) if request.selection != AttackSelection::Nothing => {}
        Some(0) => {
            return LocalizedMessage::new("first-attack").with_value("player", mover.number());
        }
        Some(_) if pays_for_clusters(game.rules()) => return LocalizedMessage::new("first-next"),
        _ => {}
    }
    let players = Player::all(game.players()).cycle();
    let others = players.skip(usize::from(mover.number()) + 1);
    let mut landless = others
        .take(usize::from(game.players()) - 1)
        .filter(|player| game.hex_and_dice_count(position, *player).0 == 0);
    match landless.next() {
        Some(player) if game.rules() != Rules::Conquest => {
            LocalizedMessage::new("choose-source-last").with_player(player.number())
        }
        _ if options.end_turn => LocalizedMessage::new("choose-source-sub"),
        _ => LocalizedMessage::new("choose-source-first"),
    }
}

fn prompt(headline: &'static str, sub: &'static str) -> MovePrompt {
    MovePrompt {
        headline: LocalizedMessage::new(headline),
        sub: LocalizedMessage::new(sub),
        sub_without_odds: None,
        back: None,
    }
}

/// The confirmation of an attack.
fn confirm(game: &DiceOfDoom, position: &Position, from: Hex, to: Hex, here: &str) -> MovePrompt {
    let against = |key| {
        LocalizedMessage::new(key)
            .with_value("attack", position.dice(from))
            .with_value("defend", position.dice(to))
    };
    let odds = game.attack_win_probability(position, from, to);
    MovePrompt {
        headline: LocalizedMessage::new("confirm")
            .with_value("from", from.number())
            .with_value("to", to.number()),
        sub: match odds {
            Some(odds) => against("confirm-odds").with_value("odds", MessageArg::Percent(odds)),
            None => against("confirm-sure"),
        },
        sub_without_odds: odds.map(|_| against("confirm-plain")),
        back: Some(BackLink {
            href: format!("{here}?from={from}"),
            key: "other-target",
        }),
    }
}

/// Most probable first; without dice the book's order is kept (the sort is stable).
fn likeliest_first(mut attacks: Vec<AttackView>) -> Vec<AttackView> {
    let odds = |attack: &AttackView| attack.odds.unwrap_or(1.0);
    attacks.sort_by(|a, b| odds(b).total_cmp(&odds(a)));
    attacks
}
