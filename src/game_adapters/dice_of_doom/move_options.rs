//! What the player to move can click on the pages of Dice of Doom, read off the session's tree.

use std::sync::Arc;

use super::end_turn_preview::{EndTurnPreview, RemainingAttacks};
use super::page::pays_for_clusters;
use crate::game::Player;
use crate::game_adapters::form::FormFields;
use crate::game_adapters::page::{MoveOptions, PageAdapter, SelectionError};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, IllegalActionError, Position, Rules};
use crate::templates::controls::TableComponent;
use crate::templates::dice_of_doom::controls::{AttackButtons, AttackConfirmation, AttackView};
use crate::templates::dice_of_doom::{HexBoardView, HexState};
use crate::templates::message::{LocalizedMessage, MessageArg};
use crate::templates::prompt::{BackLink, MovePrompt};
use crate::tree::GameTree;

/// What the player to move has chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AttackSelection {
    /// Nothing yet.
    #[default]
    Nothing,
    /// The hex to attack from.
    Source(Hex),
    /// That hex and its target.
    Target(Hex, Hex),
    /// The end of a game that would not be won.
    End,
}

/// The branches of a position.
pub(super) struct AttackOptions {
    attacks: Vec<(Hex, Hex)>,
    /// Whether the turn may be ended.
    pub(super) end_turn: bool,
}

impl AttackOptions {
    pub(super) fn of(tree: &impl GameTree<Game = DiceOfDoom>) -> Self {
        let mut branches = AttackOptions {
            attacks: Vec::new(),
            end_turn: false,
        };
        for (action, _) in tree.branches() {
            match action {
                Action::Attack { from, to } => branches.attacks.push((from, to)),
                Action::EndTurn => branches.end_turn = true,
            }
        }
        branches
    }

    /// What may still be attacked.
    fn left(&self) -> RemainingAttacks {
        let mut sources: Vec<_> = self.attacks.iter().map(|(from, _)| *from).collect();
        sources.dedup();
        RemainingAttacks {
            sources: sources.len() as u32,
        }
    }

    /// What ending the turn does, where it may be ended.
    fn consequence(&self, game: &DiceOfDoom, position: &Position) -> Option<EndTurnPreview> {
        let left = self.left();
        self.end_turn
            .then(|| EndTurnPreview::of(game, position, left))
    }

    fn targets(&self, source: Hex) -> impl Iterator<Item = Hex> {
        let from_here = self.attacks.iter().filter(move |(from, _)| *from == source);
        from_here.map(|(_, to)| *to)
    }
}

pub(super) fn no_such_hex() -> LocalizedMessage {
    LocalizedMessage::new("notice-no-such-hex")
}

pub(super) fn about(key: &'static str, hex: Hex) -> LocalizedMessage {
    LocalizedMessage::new(key).with("hex", hex.number())
}

/// A hex by its number.
pub(super) fn hex(game: &DiceOfDoom, number: u8) -> Result<Hex, LocalizedMessage> {
    game.hex(number).ok_or_else(no_such_hex)
}

/// Whether the player to move can attack from here.
pub(super) fn source(
    position: &Position,
    branches: &AttackOptions,
    hex: Hex,
) -> Result<(), LocalizedMessage> {
    if position.owner(hex) != position.player() {
        return Err(about("notice-not-your-hex", hex));
    }
    if position.dice(hex) < 2 {
        return Err(about("notice-one-die", hex));
    }
    if branches.targets(hex).next().is_none() {
        return Err(about("notice-no-target", hex));
    }
    Ok(())
}

/// Where links of the board lead.
pub(super) struct BoardLinks<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String> {
    /// Choosing a source.
    pub(super) source: F,
    /// Choosing a target.
    pub(super) target: T,
    /// Putting the dice back.
    pub(super) back: String,
}

/// Puts the links of the player to move on a board.
pub(super) fn choosable<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String>(
    board: &mut HexBoardView,
    game: &DiceOfDoom,
    position: &Position,
    branches: &AttackOptions,
    chosen: Option<Hex>,
    links: &BoardLinks<F, T>,
) {
    for hex in game.all_hexes() {
        let view = &mut board.hexes[usize::from(hex.number())];
        if Some(hex) == chosen {
            view.state = HexState::Chosen;
            view.href = Some(links.back.clone());
        } else if let Some(from) = chosen.filter(|&from| branches.targets(from).any(|to| to == hex))
        {
            view.state = HexState::Target {
                odds: game.attack_win_probability(position, from, hex),
            };
            view.href = Some((links.target)(from, hex));
        } else if branches.targets(hex).next().is_some() {
            view.state = HexState::Choosable;
            view.href = Some((links.source)(hex));
        } else {
            view.why = Some(why_not(game, position, chosen, hex));
        }
    }
}

/// Why a hex is neither a source nor a target, as the name of a sentence.
fn why_not(game: &DiceOfDoom, position: &Position, chosen: Option<Hex>, hex: Hex) -> &'static str {
    let is_own = position.owner(hex) == position.player();
    let refused = chosen
        .filter(|_| !is_own)
        .and_then(|from| game.check_action(position, Action::Attack { from, to: hex }).err());
    match refused {
        Some(IllegalActionError::NotNeighbours { .. }) => "why-far",
        Some(IllegalActionError::TooFewDice { .. }) => "why-too-few",
        _ if !is_own => "why-not-yours",
        _ if position.dice(hex) < 2 => "why-one-die",
        _ => "why-no-target",
    }
}

/// What a query chooses for the player to move.
pub(super) fn choose(
    tree: &impl GameTree<Game = DiceOfDoom>,
    query: &FormFields,
) -> Result<AttackSelection, SelectionError> {
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
    source(position, &AttackOptions::of(tree), from)?;
    let Some(to) = to else {
        return Ok(AttackSelection::Source(from));
    };
    let to = hex(game, to)?;
    let attack = game.check_attack(position, from, to);
    attack.map_err(|refusal| DiceOfDoom::illegal_action_text(&refusal))?;
    Ok(AttackSelection::Target(from, to))
}

/// What the player to move can do, and the links on the board.
pub(super) fn offer(
    tree: &impl GameTree<Game = DiceOfDoom>,
    chosen: AttackSelection,
    here: &str,
    board: &mut HexBoardView,
) -> MoveOptions {
    let (game, position, branches) = (tree.game(), tree.position(), AttackOptions::of(tree));
    let links = BoardLinks {
        source: |hex: Hex| format!("{here}?from={hex}"),
        target: |from: Hex, to: Hex| format!("{here}?from={from}&to={to}"),
        back: here.to_owned(),
    };
    let from = match chosen {
        AttackSelection::Nothing | AttackSelection::End => None,
        AttackSelection::Source(from) | AttackSelection::Target(from, _) => Some(from),
    };
    choosable(board, game, position, &branches, from, &links);
    if let AttackSelection::Target(from, to) = chosen {
        board.asked = Some((from.number(), to.number()));
    }
    let attack = |from: Hex, to: Hex| AttackView {
        from: from.number(),
        to: to.number(),
        odds: game.attack_win_probability(position, from, to),
    };
    let consequence = branches.consequence(game, position);
    if let Some(consequence) = &consequence
        && !matches!(chosen, AttackSelection::Target(..))
    {
        consequence.mark(board);
    }
    if chosen == AttackSelection::End
        && let Some((asked, answers)) = consequence.as_ref().and_then(|one| one.question(here))
    {
        return MoveOptions {
            asked,
            corner: Some(Arc::new(answers)),
            buttons: None,
        };
    }
    let ends = consequence
        .as_ref()
        .is_some_and(EndTurnPreview::ends_the_game);
    let end_turn = consequence.map(|one| Arc::new(one.button()) as Arc<dyn TableComponent>);
    match chosen {
        AttackSelection::Nothing | AttackSelection::End if branches.attacks.is_empty() => {
            MoveOptions {
                asked: plain(
                    if ends { "only-end-game" } else { "only-end" },
                    "only-end-sub",
                ),
                corner: end_turn,
                buttons: None,
            }
        }
        AttackSelection::Nothing | AttackSelection::End => MoveOptions {
            asked: MovePrompt {
                sub: before_an_attack(game, position, &branches),
                ..plain("choose-source", "choose-source-sub")
            },
            corner: end_turn,
            buttons: None,
        },
        AttackSelection::Source(from) => {
            let attacks = branches.targets(from).map(|to| attack(from, to));
            let attacks = likeliest_first(attacks.collect());
            let sub = LocalizedMessage::new("choose-target-sub")
                .with("dice", position.dice(from))
                .with("targets", attacks.len() as u32);
            MoveOptions {
                asked: MovePrompt {
                    sub,
                    back: Some(BackLink {
                        href: here.to_owned(),
                        key: "put-back",
                    }),
                    ..plain("choose-target", "choose-target-sub")
                },
                corner: end_turn,
                buttons: Some(Arc::new(AttackButtons {
                    from: from.number(),
                    attacks,
                })),
            }
        }
        AttackSelection::Target(from, to) => MoveOptions {
            asked: confirm(game, position, from, to, here),
            corner: Some(Arc::new(AttackConfirmation(attack(from, to)))),
            buttons: None,
        },
    }
}

/// Under the question which hex attacks: that the game is about to end, where somebody has no land left;
/// that an attack comes first, where it does.
fn before_an_attack(
    game: &DiceOfDoom,
    position: &Position,
    branches: &AttackOptions,
) -> LocalizedMessage {
    let mover = position.player();
    let players = Player::all(game.players()).cycle();
    let others = players.skip(usize::from(mover.number()) + 1);
    let mut landless = others
        .take(usize::from(game.players()) - 1)
        .filter(|player| game.hex_and_dice_count(position, *player).0 == 0);
    match landless.next() {
        Some(player) if game.rules() != Rules::Conquest => {
            LocalizedMessage::new("choose-source-last").of(player.number())
        }
        _ if branches.end_turn => LocalizedMessage::new("choose-source-sub"),
        _ => LocalizedMessage::new("choose-source-first"),
    }
}

/// What a newcomer can do before anything is chosen: attack, then attack again or end the turn.
pub(super) fn first_words(
    tree: &impl GameTree<Game = DiceOfDoom>,
    chosen: AttackSelection,
    plies: u32,
) -> Option<LocalizedMessage> {
    let mover = tree.position().player();
    if chosen != AttackSelection::Nothing || AttackOptions::of(tree).attacks.is_empty() {
        return None;
    }
    match plies {
        0 => Some(LocalizedMessage::new("first-attack").with("player", mover.number())),
        _ => pays_for_clusters(tree.game().rules()).then(|| LocalizedMessage::new("first-next")),
    }
}

fn plain(headline: &'static str, sub: &'static str) -> MovePrompt {
    MovePrompt {
        headline: LocalizedMessage::new(headline),
        sub: LocalizedMessage::new(sub),
        sub_without_odds: None,
        back: None,
    }
}

/// The question before an attack.
fn confirm(game: &DiceOfDoom, position: &Position, from: Hex, to: Hex, here: &str) -> MovePrompt {
    let against = |key| {
        LocalizedMessage::new(key)
            .with("attack", position.dice(from))
            .with("defend", position.dice(to))
    };
    let odds = game.attack_win_probability(position, from, to);
    MovePrompt {
        headline: LocalizedMessage::new("confirm")
            .with("from", from.number())
            .with("to", to.number()),
        sub: match odds {
            Some(odds) => against("confirm-odds").with("odds", MessageArg::Percent(odds)),
            None => against("confirm-sure"),
        },
        sub_without_odds: odds.map(|_| against("confirm-plain")),
        back: Some(BackLink {
            href: format!("{here}?from={from}"),
            key: "other-target",
        }),
    }
}

/// The likeliest first; where nothing is rolled the book's order stays.
fn likeliest_first(mut attacks: Vec<AttackView>) -> Vec<AttackView> {
    let odds = |attack: &AttackView| attack.odds.unwrap_or(1.0);
    attacks.sort_by(|a, b| odds(b).total_cmp(&odds(a)));
    attacks
}
