//! What the pages say of Dice of Doom.

use super::{Chosen, Offer, Pictured, Selection};
use crate::game::Player;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, Position, Refusal, Rules};
use crate::record::Ply;
use crate::service::Snapshot;
use crate::templates::view::{
    AttackView, Board, BoardView, EndReason, HexState, HexView, Holdings, LogEvent, Notice,
    PassView, PlayerView, Prompt, RollView, Variant,
};

/// Whether this can be chosen by the player to move.
pub(super) fn check(
    selection: &Selection,
    game: &DiceOfDoom,
    position: &Position,
) -> Result<Chosen, Notice> {
    let Some(from) = selection.from else {
        return Ok(Chosen::Nothing);
    };
    let from = game.hex(from).ok_or(Notice::NoSuchHex)?;
    source(game, position, from)?;
    let Some(to) = selection.to else {
        return Ok(Chosen::Source(from));
    };
    let to = game.hex(to).ok_or(Notice::NoSuchHex)?;
    game.can_attack(position, from, to)
        .map_err(|refusal| notice(&refusal))?;
    Ok(Chosen::Target(from, to))
}

/// Whether the player to move can attack from here.
pub(in crate::web) fn source(
    game: &DiceOfDoom,
    position: &Position,
    hex: Hex,
) -> Result<(), Notice> {
    if position.owner(hex) != position.player() {
        return Err(Notice::NotYourHex { hex: hex.number() });
    }
    if position.dice(hex) < 2 {
        return Err(Notice::OneDie { hex: hex.number() });
    }
    if targets(game, position, hex).next().is_none() {
        return Err(Notice::NoTarget { hex: hex.number() });
    }
    Ok(())
}

fn targets(game: &DiceOfDoom, position: &Position, from: Hex) -> impl Iterator<Item = Hex> + use<> {
    let found: Vec<Hex> = game
        .neighbours(from)
        .iter()
        .copied()
        .filter(|&to| game.can_attack(position, from, to).is_ok())
        .collect();
    found.into_iter()
}

/// A refusal of the rules as a sentence above the board.
pub(super) fn notice(refusal: &Refusal) -> Notice {
    match *refusal {
        Refusal::GameOver => Notice::GameOver,
        Refusal::NoSuchHex { .. } => Notice::NoSuchHex,
        Refusal::NotYourHex { hex } => Notice::NotYourHex { hex: hex.number() },
        Refusal::OneDie { hex } => Notice::OneDie { hex: hex.number() },
        Refusal::NotNeighbours { from, to } => Notice::NotNeighbours {
            from: from.number(),
            to: to.number(),
        },
        Refusal::OwnTarget { to } => Notice::OwnTarget { to: to.number() },
        Refusal::TooFewDice { from, to } => Notice::TooFewDice {
            from: from.number(),
            to: to.number(),
        },
        Refusal::NothingToPass => Notice::NothingToPass,
    }
}

/// Where links of the board lead.
pub(in crate::web) struct Links<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String> {
    /// Choosing a source.
    pub(in crate::web) source: F,
    /// Choosing a target.
    pub(in crate::web) target: T,
    /// Putting the dice back.
    pub(in crate::web) back: String,
}

/// A board on which nothing can be clicked.
pub(in crate::web) fn still_board(game: &DiceOfDoom, position: &Position) -> BoardView {
    BoardView {
        side: game.side(),
        max_dice: game.max_dice(),
        hexes: game
            .all_hexes()
            .map(|hex| HexView {
                owner: position.owner(hex).number(),
                dice: position.dice(hex),
                ..HexView::default()
            })
            .collect(),
        last_attack: None,
    }
}

/// Puts the links of the player to move on a board.
pub(in crate::web) fn choosable<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String>(
    board: &mut BoardView,
    game: &DiceOfDoom,
    position: &Position,
    chosen: Chosen,
    links: &Links<F, T>,
) {
    let from = match chosen {
        Chosen::Nothing | Chosen::Column(_) => None,
        Chosen::Source(from) | Chosen::Target(from, _) => Some(from),
    };
    for hex in game.all_hexes() {
        let view = &mut board.hexes[usize::from(hex.number())];
        if Some(hex) == from {
            view.state = HexState::Chosen;
            view.href = Some(links.back.clone());
        } else if from.is_some_and(|from| game.can_attack(position, from, hex).is_ok()) {
            let from = from.expect("just looked at");
            view.state = HexState::Target {
                odds: game.odds(position, from, hex),
            };
            view.href = Some((links.target)(from, hex));
        } else if source(game, position, hex).is_ok() {
            view.state = HexState::Choosable;
            view.href = Some((links.source)(hex));
        }
    }
}

/// The list of players at the newest position.
pub(in crate::web) fn players(
    snapshot: &Snapshot,
    game: &DiceOfDoom,
    position: &Position,
    own: &[Player],
) -> Vec<PlayerView> {
    super::players(snapshot, game, position, own, true)
}

/// Whether reinforcements come from the largest cluster.
pub(in crate::web) fn pays_for_clusters(rules: Rules) -> bool {
    matches!(rules, Rules::V4 | Rules::Conquest)
}

impl From<BoardView> for Board {
    fn from(board: BoardView) -> Self {
        Board::Dice(board)
    }
}

impl Pictured for DiceOfDoom {
    type Picture = BoardView;

    fn variant(&self) -> Variant {
        Variant::Dice {
            rules: self.rules().name().to_owned(),
        }
    }

    fn still(&self, position: &Position) -> BoardView {
        still_board(self, position)
    }

    /// The attack, or where reinforcements landed.
    fn mark_last(&self, board: &mut BoardView, before: &Position, ply: &Ply<DiceOfDoom>) {
        match ply.action {
            Action::Attack { from, to } => board.last_attack = Some((from.number(), to.number())),
            Action::EndTurn => {
                for (hex, dice) in self.reinforced(before) {
                    board.hexes[usize::from(hex.number())].reinforced = dice;
                }
                if pays_for_clusters(self.rules()) {
                    for hex in self.cluster(before, before.player()) {
                        board.hexes[usize::from(hex.number())].in_cluster = true;
                    }
                }
            }
        }
    }

    fn offer(
        &self,
        position: &Position,
        chosen: Chosen,
        here: &str,
        board: &mut BoardView,
    ) -> Offer {
        let links = Links {
            source: |hex: Hex| format!("{here}?from={hex}"),
            target: |from: Hex, to: Hex| format!("{here}?from={from}&to={to}"),
            back: here.to_owned(),
        };
        choosable(board, self, position, chosen, &links);
        let attack = |from: Hex, to: Hex| AttackView {
            from: from.number(),
            to: to.number(),
            odds: self.odds(position, from, to),
        };
        let (prompt, attacks) = match chosen {
            Chosen::Nothing | Chosen::Column(_) => (Prompt::ChooseSource, Vec::new()),
            Chosen::Source(from) => {
                let mut attacks: Vec<AttackView> = targets(self, position, from)
                    .map(|to| attack(from, to))
                    .collect();
                // The likeliest first; where nothing is rolled the book's order stays.
                attacks.sort_by(|a, b| {
                    let odds = |attack: &AttackView| attack.odds.unwrap_or(1.0);
                    odds(b).total_cmp(&odds(a))
                });
                let prompt = Prompt::ChooseTarget {
                    from: from.number(),
                    dice: position.dice(from),
                    targets: attacks.len() as u32,
                    back: here.to_owned(),
                };
                (prompt, attacks)
            }
            Chosen::Target(from, to) => {
                let prompt = Prompt::Confirm {
                    from: from.number(),
                    to: to.number(),
                    odds: self.odds(position, from, to),
                    back: format!("{here}?from={from}"),
                };
                (prompt, vec![attack(from, to)])
            }
        };
        let can_attack = board.hexes.iter().any(|hex| hex.href.is_some());
        Offer {
            prompt: if can_attack {
                prompt
            } else {
                Prompt::OnlyEndTurn
            },
            pass: self
                .judge(position, Action::EndTurn)
                .is_ok()
                .then(|| PassView {
                    dice: self.reinforcements(position),
                    cluster: pays_for_clusters(self.rules())
                        .then(|| self.largest_cluster(position, position.player())),
                }),
            attacks,
            drops: Vec::new(),
        }
    }

    fn holdings(&self, position: &Position, player: Player) -> Holdings {
        let (hexes, dice) = self.count(position, player);
        Holdings::Dice {
            hexes,
            dice,
            cluster: self.largest_cluster(position, player),
        }
    }

    fn event(&self, before: &Position, after: &Position, ply: &Ply<DiceOfDoom>) -> LogEvent {
        match ply.action {
            Action::EndTurn => LogEvent::EndTurn {
                dice: self
                    .reinforced(before)
                    .iter()
                    .map(|(_, dice)| u32::from(*dice))
                    .sum(),
            },
            Action::Attack { from, to } => {
                let throw = ply.roll.throw();
                LogEvent::Attack(RollView {
                    attacker: ply.player.number(),
                    defender: before.owner(to).number(),
                    from: from.number(),
                    to: to.number(),
                    attack: throw
                        .map(|throw| throw.attack.as_slice().to_vec())
                        .unwrap_or_default(),
                    defend: throw
                        .map(|throw| throw.defend.as_slice().to_vec())
                        .unwrap_or_default(),
                    dice: (before.dice(from), before.dice(to)),
                    captured: after.owner(to) == ply.player,
                })
            }
        }
    }

    fn reason(&self, position: &Position) -> EndReason {
        if self.rules() != Rules::Conquest {
            return EndReason::Stuck {
                player: position.player().number(),
            };
        }
        let owners = Player::all(self.players())
            .filter(|&player| self.count(position, player).0 > 0)
            .count();
        if owners == 1 {
            EndReason::Conquered
        } else {
            EndReason::Quiet
        }
    }
}
