//! The certain consequences of ending the turn: the new dice, and whether the game ends, who wins, and who
//! cannot attack.
//!
//! The rules are not duplicated: the turn is ended with the rules, and the consequences are read from the
//! resulting position.

use super::page::pays_for_clusters;
use crate::game::{Game, Player, Status};
use crate::templates::controls::ButtonEmphasis;
use crate::templates::dice_of_doom::controls::{
    EndGameConfirmation, EndTurnView, GameEndPreview, ReinforcementPreview,
};
use crate::templates::dice_of_doom::{HexBoardView, HexState, HexView};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::MovePrompt;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Hex, Outcome, Position, Rules};

/// The attacks that the mover can still make in this turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RemainingAttacks {
    /// The number of hexes that can attack.
    pub(super) sources: u32,
}

/// The certain consequences of ending the turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct EndTurnPreview {
    mover: Player,
    left: RemainingAttacks,
    /// Dice earned; fewer are placed where hexes are full.
    due: u32,
    /// Where dice are placed.
    placed: Vec<(Hex, u8)>,
    /// The cluster that earns the dice, if the rules pay for clusters.
    cluster: Vec<Hex>,
    end: Option<PredictedEnd>,
}

/// The end of the game, if ending the turn causes it.
#[derive(Clone, PartialEq, Debug)]
struct PredictedEnd {
    /// In the book's order.
    winners: Vec<Player>,
    /// The number of hexes of each player.
    hexes: Vec<u32>,
    /// The player who cannot attack in the next turn; `None` if the game ends for another reason.
    stuck: Option<StuckPlayer>,
    /// The number of hexes captured from the only other winner that would make the mover the sole winner, if
    /// that is certain.
    needed: Option<u32>,
}

/// A player who cannot attack at the start of a turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StuckPlayer {
    player: Player,
    hexes: Vec<Hex>,
    /// The maximum of the dice on these hexes.
    most: u8,
}

impl EndTurnPreview {
    /// The consequences of ending the turn at a position at which that is legal.
    pub(super) fn new(game: &DiceOfDoom, position: &Position, left: RemainingAttacks) -> Self {
        let mover = position.player();
        let after = game.apply(position, Action::EndTurn, Outcome::Certain);
        let placed_on = |hex: Hex| after.dice(hex).saturating_sub(position.dice(hex));
        let placed = game.all_hexes().map(|hex| (hex, placed_on(hex)));
        let cluster = pays_for_clusters(game.rules()).then(|| game.cluster(position, mover));
        EndTurnPreview {
            mover,
            left,
            due: game.reinforcements(position),
            placed: placed.filter(|(_, dice)| *dice > 0).collect(),
            cluster: cluster.unwrap_or_default(),
            end: match game.status(&after) {
                Status::Turn(_) => None,
                Status::Over(_) => Some(PredictedEnd::new(game, &after, mover)),
            },
        }
    }

    pub(super) fn ends_the_game(&self) -> bool {
        self.end.is_some()
    }

    /// Whether ending the turn needs a confirmation: the game would end without the mover's sole victory
    /// although the mover can still attack.
    pub(super) fn needs_confirmation(&self) -> bool {
        let end = self.end.as_ref();
        self.left.sources > 0 && end.is_some_and(|end| !end.is_won_by(self.mover))
    }

    /// Marks the consequences on the board.
    pub(super) fn mark(&self, board: &mut HexBoardView) {
        let mut update = |hex: &Hex, mark: &dyn Fn(&mut HexView)| {
            if let Some(view) = board.hexes.get_mut(usize::from(hex.number())) {
                mark(view);
            }
        };
        match &self.end {
            None => {
                for (hex, dice) in &self.placed {
                    update(hex, &|view| view.pending_dice = *dice);
                }
                for hex in &self.cluster {
                    update(hex, &|view| view.in_pending_cluster = true);
                }
            }
            Some(end) => {
                if let Some(stuck) = &end.stuck {
                    stuck.mark(board);
                }
            }
        }
    }

    pub(super) fn button(&self) -> EndTurnView {
        let Some(end) = &self.end else {
            return EndTurnView::GameContinues(self.new_dice());
        };
        let wins = end.is_won_by(self.mover);
        let mut why = end.why();
        if !wins && self.left.sources > 0 {
            why.push(
                LocalizedMessage::new("end-game-you-can")
                    .with_player(self.mover.number())
                    .with_value("hexes", self.left.sources),
            );
        }
        EndTurnView::GameEnds(GameEndPreview {
            outcome: end.outcome(self.mover),
            glyph: end.other_sole_winner(self.mover).map(Player::number),
            why,
            emphasis: if wins {
                ButtonEmphasis::Primary
            } else {
                ButtonEmphasis::Secondary
            },
            needs_confirmation: self.needs_confirmation(),
            no_attacks_left: self.left.sources == 0,
        })
    }

    fn new_dice(&self) -> ReinforcementPreview {
        let count = self.placed.iter().map(|(_, dice)| u32::from(*dice)).sum();
        ReinforcementPreview {
            dice: count,
            lost: self.due.saturating_sub(count),
            cluster: (!self.cluster.is_empty()).then_some(self.cluster.len() as u32),
            no_attacks_left: self.left.sources == 0,
        }
    }

    /// The confirmation prompt for ending a game that the mover does not win, and its two answers.
    pub(super) fn question(&self, here: &str) -> Option<(MovePrompt, EndGameConfirmation)> {
        let end = self.end.as_ref().filter(|_| self.needs_confirmation())?;
        let prompt = MovePrompt {
            headline: LocalizedMessage::new("end-ask"),
            sub: end.question(self.mover),
            sub_without_odds: None,
            back: None,
        };
        let back = here.to_owned();
        Some((prompt, EndGameConfirmation { back }))
    }
}

impl PredictedEnd {
    fn new(game: &DiceOfDoom, after: &Position, mover: Player) -> Self {
        let players = Player::all(game.players());
        let mut end = PredictedEnd {
            winners: game.winners(after),
            hexes: players
                .map(|player| game.hex_and_dice_count(after, player).0)
                .collect(),
            stuck: StuckPlayer::at_end(game, after),
            needed: None,
        };
        // Where dice are rolled, capturing hexes from a third player never lets the stuck player attack again.
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

    /// The only winner besides this player.
    fn other_sole_winner(&self, player: Player) -> Option<Player> {
        match self.others(player)[..] {
            [other] => Some(other),
            _ => None,
        }
    }

    /// The number of hexes captured from the only other winner that would make this player the sole winner.
    fn needed_by(&self, player: Player) -> Option<u32> {
        let winner = self.other_sole_winner(player)?;
        // A stuck player might be able to attack again after losing a hex.
        if self.stuck.as_ref().is_some_and(|one| one.player == winner) {
            return None;
        }
        let max_of_others = (0..self.hexes.len() as u8)
            .map(Player::new)
            .filter(|one| ![player, winner].contains(one))
            .map(|one| self.hexes(one))
            .max();
        let wins = |captured: &u32| {
            let mine = self.hexes(player) + captured;
            mine > self.hexes(winner) - captured && Some(mine) > max_of_others
        };
        (1..=self.hexes(winner)).find(wins)
    }

    /// The hexes of the sole winner, and those of the best other player or of the mover.
    fn score(&self, mover: Player) -> Option<(Player, u32, u32)> {
        let [winner] = self.winners[..] else {
            return None;
        };
        let opponent_hexes = if winner == mover {
            let others = (0..self.hexes.len() as u8).map(Player::new);
            let others = others.filter(|one| *one != winner);
            others.map(|one| self.hexes(one)).max().unwrap_or(0)
        } else {
            self.hexes(mover)
        };
        Some((winner, self.hexes(winner), opponent_hexes))
    }

    fn outcome(&self, mover: Player) -> LocalizedMessage {
        if let Some((winner, most, least)) = self.score(mover) {
            return LocalizedMessage::new("end-game-wins")
                .with_player(winner.number())
                .with_value("most", most)
                .with_value("least", least);
        }
        self.tie(mover, "end-game-tie", "end-game-tie-others")
    }

    fn tie(&self, mover: Player, with: &'static str, among: &'static str) -> LocalizedMessage {
        let mine = self.winners.contains(&mover);
        let others = self.others(mover).into_iter().map(Player::number);
        let hexes = self.winners.first().map_or(0, |one| self.hexes(*one));
        LocalizedMessage::new(if mine { with } else { among })
            .with_players(others)
            .with_value("hexes", hexes)
    }

    fn question(&self, mover: Player) -> LocalizedMessage {
        let message = match self.score(mover) {
            Some((winner, most, least)) => LocalizedMessage::new("end-ask-loses")
                .with_player(winner.number())
                .with_value("most", most)
                .with_value("least", least),
            None => self.tie(mover, "end-ask-tie", "end-ask-tie-others"),
        };
        message.with_value("needed", self.needed.unwrap_or(0))
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
        vec![LocalizedMessage::new(key).with_player(stuck.player.number())]
    }
}

impl StuckPlayer {
    /// The player to move at a position at which the game is over for lack of attacks.
    pub(super) fn at_end(game: &DiceOfDoom, over: &Position) -> Option<Self> {
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

    /// Marks the hexes; targets keep showing their odds.
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
