//! What ending the turn does, as far as it is sure: the dice that come, and whether the game is over
//! then, who wins, and who is stuck.
//!
//! Nothing of the rules is written again here. The turn is ended in the rules, and what follows is read
//! off the position after it.

use super::page::pays_for_clusters;
use crate::game::{Game, Player, Status};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, Outcome, Position, Rules};
use crate::templates::dice_of_doom::controls::{
    ButtonEmphasis, EndGameConfirmation, EndTurnView, GameEndPreview, ReinforcementPreview,
};
use crate::templates::dice_of_doom::{HexBoardView, HexState, HexView};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::MovePrompt;

/// What the mover may still attack in this turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RemainingAttacks {
    /// Hexes that can attack.
    pub(super) sources: u32,
}

/// What is sure to follow when the mover ends the turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct EndTurnPreview {
    mover: Player,
    left: RemainingAttacks,
    /// Dice that are due; where hexes are full, fewer come.
    due: u32,
    /// Where they fall.
    falls: Vec<(Hex, u8)>,
    /// The cluster that earns them, where clusters do.
    cluster: Vec<Hex>,
    end: Option<PredictedEnd>,
}

/// The end of the game that ending the turn brings.
#[derive(Clone, PartialEq, Debug)]
struct PredictedEnd {
    /// In the book's order.
    winners: Vec<Player>,
    /// The hexes of each player.
    hexes: Vec<u32>,
    /// Who cannot attack at the next turn; nobody where the game ends for another reason.
    stuck: Option<StuckPlayer>,
    /// So many hexes of the only other winner would make the mover win alone, where that is sure.
    needed: Option<u32>,
}

/// Who cannot attack at the start of a turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StuckPlayer {
    player: Player,
    hexes: Vec<Hex>,
    /// The most dice on one of them.
    most: u8,
}

impl EndTurnPreview {
    /// What follows when the turn is ended at a position at which that is legal.
    pub(super) fn of(game: &DiceOfDoom, position: &Position, left: RemainingAttacks) -> Self {
        let mover = position.player();
        let after = game.apply(position, Action::EndTurn, Outcome::Sure);
        let fallen = |hex: Hex| after.dice(hex).saturating_sub(position.dice(hex));
        let falls = game.all_hexes().map(|hex| (hex, fallen(hex)));
        let cluster = pays_for_clusters(game.rules()).then(|| game.cluster(position, mover));
        EndTurnPreview {
            mover,
            left,
            due: game.reinforcements(position),
            falls: falls.filter(|(_, dice)| *dice > 0).collect(),
            cluster: cluster.unwrap_or_default(),
            end: match game.status(&after) {
                Status::Turn(_) => None,
                Status::Over(_) => Some(PredictedEnd::of(game, &after, mover)),
            },
        }
    }

    /// Whether the game is over then.
    pub(super) fn ends_the_game(&self) -> bool {
        self.end.is_some()
    }

    /// Whether it is asked once more before the turn is ended: the game would end without the mover's
    /// victory, though the mover can still attack.
    pub(super) fn needs_confirmation(&self) -> bool {
        let end = self.end.as_ref();
        self.left.sources > 0 && end.is_some_and(|end| !end.is_won_by(self.mover))
    }

    /// Marks on the board what follows.
    pub(super) fn mark(&self, board: &mut HexBoardView) {
        let mut at = |hex: &Hex, mark: &dyn Fn(&mut HexView)| {
            if let Some(view) = board.hexes.get_mut(usize::from(hex.number())) {
                mark(view);
            }
        };
        match &self.end {
            None => {
                for (hex, dice) in &self.falls {
                    at(hex, &|view| view.coming = *dice);
                }
                for hex in &self.cluster {
                    at(hex, &|view| view.pays = true);
                }
            }
            Some(end) => {
                if let Some(stuck) = &end.stuck {
                    stuck.mark(board);
                }
            }
        }
    }

    /// The button that ends the turn.
    pub(super) fn button(&self) -> EndTurnView {
        let Some(end) = &self.end else {
            return EndTurnView::GoesOn(self.new_dice());
        };
        let wins = end.is_won_by(self.mover);
        let mut why = end.why();
        if !wins && self.left.sources > 0 {
            why.push(
                LocalizedMessage::new("end-game-you-can")
                    .of(self.mover.number())
                    .with("hexes", self.left.sources),
            );
        }
        EndTurnView::Ends(GameEndPreview {
            outcome: end.outcome(self.mover),
            mark: end.other_sole_winner(self.mover).map(Player::number),
            why,
            weight: if wins {
                ButtonEmphasis::Main
            } else {
                ButtonEmphasis::Plain
            },
            is_asked: self.needs_confirmation(),
            alone: self.left.sources == 0,
        })
    }

    fn new_dice(&self) -> ReinforcementPreview {
        let placed = self.falls.iter().map(|(_, dice)| u32::from(*dice)).sum();
        ReinforcementPreview {
            dice: placed,
            lost: self.due.saturating_sub(placed),
            cluster: (!self.cluster.is_empty()).then_some(self.cluster.len() as u32),
            alone: self.left.sources == 0,
        }
    }

    /// The question before a game is ended that the mover does not win, and its two answers.
    pub(super) fn question(&self, here: &str) -> Option<(MovePrompt, EndGameConfirmation)> {
        let end = self.end.as_ref().filter(|_| self.needs_confirmation())?;
        let asked = MovePrompt {
            headline: LocalizedMessage::new("end-ask"),
            sub: end.question(self.mover),
            sub_without_odds: None,
            back: None,
        };
        let back = here.to_owned();
        Some((asked, EndGameConfirmation { back }))
    }
}

impl PredictedEnd {
    fn of(game: &DiceOfDoom, after: &Position, mover: Player) -> Self {
        let players = Player::all(game.players());
        let mut end = PredictedEnd {
            winners: game.winners(after),
            hexes: players.map(|player| game.hex_and_dice_count(after, player).0).collect(),
            stuck: StuckPlayer::at(game, after),
            needed: None,
        };
        // Where dice are rolled, hexes taken from a third player never free the one who is stuck.
        if game.rules() == Rules::V4 {
            end.needed = end.needed_by(mover);
        }
        end
    }

    fn hexes(&self, player: Player) -> u32 {
        let hexes = self.hexes.get(usize::from(player.number()));
        hexes.copied().unwrap_or(0)
    }

    fn is_won_by(&self, player: Player) -> bool {
        self.winners == [player]
    }

    fn others(&self, player: Player) -> Vec<Player> {
        let winners = self.winners.iter().copied();
        winners.filter(|winner| *winner != player).collect()
    }

    /// The only winner beside this player.
    fn other_sole_winner(&self, player: Player) -> Option<Player> {
        match self.others(player)[..] {
            [other] => Some(other),
            _ => None,
        }
    }

    /// How many hexes of the only other winner would make this player win alone.
    fn needed_by(&self, player: Player) -> Option<u32> {
        let winner = self.other_sole_winner(player)?;
        // Who is stuck might be free again after losing a hex.
        if self.stuck.as_ref().is_some_and(|one| one.player == winner) {
            return None;
        }
        let most_of_the_rest = (0..self.hexes.len() as u8)
            .map(Player::new)
            .filter(|one| ![player, winner].contains(one))
            .map(|one| self.hexes(one))
            .max();
        let wins = |taken: &u32| {
            let mine = self.hexes(player) + taken;
            mine > self.hexes(winner) - taken && Some(mine) > most_of_the_rest
        };
        (1..=self.hexes(winner)).find(wins)
    }

    /// The score of the only winner, against the best of the others or the mover.
    fn score(&self, mover: Player) -> Option<(Player, u32, u32)> {
        let [winner] = self.winners[..] else {
            return None;
        };
        let against = if winner == mover {
            let others = (0..self.hexes.len() as u8).map(Player::new);
            let others = others.filter(|one| *one != winner);
            others.map(|one| self.hexes(one)).max().unwrap_or(0)
        } else {
            self.hexes(mover)
        };
        Some((winner, self.hexes(winner), against))
    }

    fn outcome(&self, mover: Player) -> LocalizedMessage {
        if let Some((winner, most, least)) = self.score(mover) {
            return LocalizedMessage::new("end-game-wins")
                .of(winner.number())
                .with("most", most)
                .with("least", least);
        }
        self.tie(mover, "end-game-tie", "end-game-tie-others")
    }

    fn tie(&self, mover: Player, with: &'static str, among: &'static str) -> LocalizedMessage {
        let mine = self.winners.contains(&mover);
        let others = self.others(mover).into_iter().map(Player::number);
        let hexes = self.winners.first().map_or(0, |one| self.hexes(*one));
        LocalizedMessage::new(if mine { with } else { among })
            .of_all(others)
            .with("hexes", hexes)
    }

    fn question(&self, mover: Player) -> LocalizedMessage {
        let said = match self.score(mover) {
            Some((winner, most, least)) => LocalizedMessage::new("end-ask-loses")
                .of(winner.number())
                .with("most", most)
                .with("least", least),
            None => self.tie(mover, "end-ask-tie", "end-ask-tie-others"),
        };
        said.with("needed", self.needed.unwrap_or(0))
    }

    fn why(&self) -> Vec<LocalizedMessage> {
        let Some(stuck) = &self.stuck else {
            return vec![LocalizedMessage::new("end-game-quiet")];
        };
        let key = match (stuck.hexes.len(), stuck.most) {
            (0, _) => "end-game-no-land",
            (1, 1) => "end-game-lone-die",
            (_, 1) => "end-game-single-dice",
            _ => "end-game-no-attack",
        };
        vec![LocalizedMessage::new(key).of(stuck.player.number())]
    }
}

impl StuckPlayer {
    /// Who is to move at a position at which the game is over because of that.
    pub(super) fn at(game: &DiceOfDoom, over: &Position) -> Option<Self> {
        if game.rules() == Rules::Conquest {
            return None;
        }
        let player = over.player();
        let own = game.all_hexes().filter(|hex| over.owner(*hex) == player);
        let hexes: Vec<_> = own.collect();
        Some(StuckPlayer {
            player,
            most: hexes.iter().map(|hex| over.dice(*hex)).max().unwrap_or(0),
            hexes,
        })
    }

    /// Marks the hexes; a target keeps its odds there.
    pub(super) fn mark(&self, board: &mut HexBoardView) {
        for hex in &self.hexes {
            if let Some(view) = board.hexes.get_mut(usize::from(hex.number())) {
                view.stuck = !matches!(view.state, HexState::Target { .. });
            }
        }
    }
}

#[cfg(test)]
mod tests;
