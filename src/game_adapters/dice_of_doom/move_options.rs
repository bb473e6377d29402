//! What the player to move can click on the pages of Dice of Doom, read off the session's tree.

use std::sync::Arc;

use super::end_turn_preview::{Consequence, Left};
use super::page::pays_for_clusters;
use crate::game::Player;
use crate::game_adapters::form::Form;
use crate::game_adapters::page::{Declined, Offer, Pictured};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, Position, Refusal, Rules};
use crate::templates::controls::OnTable;
use crate::templates::dice_of_doom::controls::{AttackView, Attacks, Confirm};
use crate::templates::dice_of_doom::{BoardView, HexState};
use crate::templates::message::{Part, Said};
use crate::templates::prompt::{Asked, Back};
use crate::tree::GameTree;

/// What the player to move has chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Chosen {
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
pub(super) struct Branches {
    attacks: Vec<(Hex, Hex)>,
    /// Whether the turn may be ended.
    pub(super) end_turn: bool,
}

impl Branches {
    pub(super) fn of(tree: &impl GameTree<Game = DiceOfDoom>) -> Self {
        let mut branches = Branches {
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
    fn left(&self) -> Left {
        let mut sources: Vec<_> = self.attacks.iter().map(|(from, _)| *from).collect();
        sources.dedup();
        Left {
            sources: sources.len() as u32,
        }
    }

    /// What ending the turn does, where it may be ended.
    fn consequence(&self, game: &DiceOfDoom, position: &Position) -> Option<Consequence> {
        let left = self.left();
        self.end_turn.then(|| Consequence::of(game, position, left))
    }

    fn targets(&self, source: Hex) -> impl Iterator<Item = Hex> {
        let from_here = self.attacks.iter().filter(move |(from, _)| *from == source);
        from_here.map(|(_, to)| *to)
    }
}

pub(super) fn no_such_hex() -> Said {
    Said::new("notice-no-such-hex")
}

pub(super) fn about(key: &'static str, hex: Hex) -> Said {
    Said::new(key).with("hex", hex.number())
}

/// A hex by its number.
pub(super) fn hex(game: &DiceOfDoom, number: u8) -> Result<Hex, Said> {
    game.hex(number).ok_or_else(no_such_hex)
}

/// Whether the player to move can attack from here.
pub(super) fn source(position: &Position, branches: &Branches, hex: Hex) -> Result<(), Said> {
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
pub(super) struct Links<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String> {
    /// Choosing a source.
    pub(super) source: F,
    /// Choosing a target.
    pub(super) target: T,
    /// Putting the dice back.
    pub(super) back: String,
}

/// Puts the links of the player to move on a board.
pub(super) fn choosable<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String>(
    board: &mut BoardView,
    game: &DiceOfDoom,
    position: &Position,
    branches: &Branches,
    chosen: Option<Hex>,
    links: &Links<F, T>,
) {
    for hex in game.all_hexes() {
        let view = &mut board.hexes[usize::from(hex.number())];
        if Some(hex) == chosen {
            view.state = HexState::Chosen;
            view.href = Some(links.back.clone());
        } else if let Some(from) = chosen.filter(|&from| branches.targets(from).any(|to| to == hex))
        {
            view.state = HexState::Target {
                odds: game.odds(position, from, hex),
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
        .and_then(|from| game.judge(position, Action::Attack { from, to: hex }).err());
    match refused {
        Some(Refusal::NotNeighbours { .. }) => "why-far",
        Some(Refusal::TooFewDice { .. }) => "why-too-few",
        _ if !is_own => "why-not-yours",
        _ if position.dice(hex) < 2 => "why-one-die",
        _ => "why-no-target",
    }
}

/// What a query chooses for the player to move.
pub(super) fn choose(
    tree: &impl GameTree<Game = DiceOfDoom>,
    query: &Form,
) -> Result<Chosen, Declined> {
    let (game, position) = (tree.game(), tree.position());
    let (from, to) = (query.number("from")?, query.number("to")?);
    let ends = query.one("end")?.is_some();
    let Some(from) = from else {
        return Ok(if ends { Chosen::End } else { Chosen::Nothing });
    };
    let from = hex(game, from)?;
    source(position, &Branches::of(tree), from)?;
    let Some(to) = to else {
        return Ok(Chosen::Source(from));
    };
    let to = hex(game, to)?;
    let attack = game.can_attack(position, from, to);
    attack.map_err(|refusal| DiceOfDoom::refused(&refusal))?;
    Ok(Chosen::Target(from, to))
}

/// What the player to move can do, and the links on the board.
pub(super) fn offer(
    tree: &impl GameTree<Game = DiceOfDoom>,
    chosen: Chosen,
    here: &str,
    board: &mut BoardView,
) -> Offer {
    let (game, position, branches) = (tree.game(), tree.position(), Branches::of(tree));
    let links = Links {
        source: |hex: Hex| format!("{here}?from={hex}"),
        target: |from: Hex, to: Hex| format!("{here}?from={from}&to={to}"),
        back: here.to_owned(),
    };
    let from = match chosen {
        Chosen::Nothing | Chosen::End => None,
        Chosen::Source(from) | Chosen::Target(from, _) => Some(from),
    };
    choosable(board, game, position, &branches, from, &links);
    if let Chosen::Target(from, to) = chosen {
        board.asked = Some((from.number(), to.number()));
    }
    let attack = |from: Hex, to: Hex| AttackView {
        from: from.number(),
        to: to.number(),
        odds: game.odds(position, from, to),
    };
    let consequence = branches.consequence(game, position);
    if let Some(consequence) = &consequence
        && !matches!(chosen, Chosen::Target(..))
    {
        consequence.mark(board);
    }
    if chosen == Chosen::End
        && let Some((asked, answers)) = consequence.as_ref().and_then(|one| one.question(here))
    {
        return Offer {
            asked,
            corner: Some(Arc::new(answers)),
            buttons: None,
        };
    }
    let ends = consequence.as_ref().is_some_and(Consequence::ends_the_game);
    let end_turn = consequence.map(|one| Arc::new(one.button()) as Arc<dyn OnTable>);
    match chosen {
        Chosen::Nothing | Chosen::End if branches.attacks.is_empty() => Offer {
            asked: plain(
                if ends { "only-end-game" } else { "only-end" },
                "only-end-sub",
            ),
            corner: end_turn,
            buttons: None,
        },
        Chosen::Nothing | Chosen::End => Offer {
            asked: Asked {
                sub: before_an_attack(game, position, &branches),
                ..plain("choose-source", "choose-source-sub")
            },
            corner: end_turn,
            buttons: None,
        },
        Chosen::Source(from) => {
            let attacks = branches.targets(from).map(|to| attack(from, to));
            let attacks = likeliest_first(attacks.collect());
            let sub = Said::new("choose-target-sub")
                .with("dice", position.dice(from))
                .with("targets", attacks.len() as u32);
            Offer {
                asked: Asked {
                    sub,
                    back: Some(Back {
                        href: here.to_owned(),
                        key: "put-back",
                    }),
                    ..plain("choose-target", "choose-target-sub")
                },
                corner: end_turn,
                buttons: Some(Arc::new(Attacks {
                    from: from.number(),
                    attacks,
                })),
            }
        }
        Chosen::Target(from, to) => Offer {
            asked: confirm(game, position, from, to, here),
            corner: Some(Arc::new(Confirm(attack(from, to)))),
            buttons: None,
        },
    }
}

/// Under the question which hex attacks: that the game is about to end, where somebody has no land left;
/// that an attack comes first, where it does.
fn before_an_attack(game: &DiceOfDoom, position: &Position, branches: &Branches) -> Said {
    let mover = position.player();
    let players = Player::all(game.players()).cycle();
    let others = players.skip(usize::from(mover.number()) + 1);
    let mut landless = others
        .take(usize::from(game.players()) - 1)
        .filter(|player| game.count(position, *player).0 == 0);
    match landless.next() {
        Some(player) if game.rules() != Rules::Conquest => {
            Said::new("choose-source-last").of(player.number())
        }
        _ if branches.end_turn => Said::new("choose-source-sub"),
        _ => Said::new("choose-source-first"),
    }
}

/// What a newcomer can do before anything is chosen: attack, then attack again or end the turn.
pub(super) fn first_words(
    tree: &impl GameTree<Game = DiceOfDoom>,
    chosen: Chosen,
    plies: u32,
) -> Option<Said> {
    let mover = tree.position().player();
    if chosen != Chosen::Nothing || Branches::of(tree).attacks.is_empty() {
        return None;
    }
    match plies {
        0 => Some(Said::new("first-attack").with("player", mover.number())),
        _ => pays_for_clusters(tree.game().rules()).then(|| Said::new("first-next")),
    }
}

fn plain(headline: &'static str, sub: &'static str) -> Asked {
    Asked {
        headline: Said::new(headline),
        sub: Said::new(sub),
        sub_without_odds: None,
        back: None,
    }
}

/// The question before an attack.
fn confirm(game: &DiceOfDoom, position: &Position, from: Hex, to: Hex, here: &str) -> Asked {
    let against = |key| {
        Said::new(key)
            .with("attack", position.dice(from))
            .with("defend", position.dice(to))
    };
    let odds = game.odds(position, from, to);
    Asked {
        headline: Said::new("confirm")
            .with("from", from.number())
            .with("to", to.number()),
        sub: match odds {
            Some(odds) => against("confirm-odds").with("odds", Part::Percent(odds)),
            None => against("confirm-sure"),
        },
        sub_without_odds: odds.map(|_| against("confirm-plain")),
        back: Some(Back {
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
