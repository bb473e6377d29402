//! The results of a board and of its games.

use dice_of_doom_core::game::{Payoffs, Player};
use dice_of_doom_formats::record::Forfeit;
use serde::{Deserialize, Serialize};

use super::seating::seat_of;

/// The unit in which luck is stored. Integers are unchanged by writing and reading a file.
pub(super) const MILLIONTHS: f64 = 1e6;

/// The result of one board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BoardResult {
    /// The games, one per rotation, in order.
    pub games: Vec<GameResult>,
    /// The cost of the decisions of each seat, over all rotations.
    pub work: Vec<DecisionCost>,
    /// Identifies the start position.
    pub start_digest: u64,
}

/// The result of one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GameResult {
    /// The winners, who share the game; empty for a draw.
    pub winners: Vec<Player>,
    /// The number of plies.
    pub plies: u32,
    /// Why the game ended.
    pub end: GameEndReason,
    /// The luck of each player with the dice, in millionths of a won game; the sum is zero, apart from rounding.
    pub luck_millionths: Vec<i32>,
    /// Identifies the actions and rolls of the game, its players aside.
    pub digest: u64,
}

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum GameEndReason {
    /// The game ended by its rules.
    Rules,
    /// The game was adjudicated at the ply limit.
    Limit,
    /// The game was adjudicated because it was [decided](super::DecidedGame).
    Decided,
    /// A player gave no legal action; the game was adjudicated among the others.
    Forfeit(Forfeit),
}

impl GameEndReason {
    /// The forfeit, if the game ended by one.
    #[must_use]
    pub const fn forfeit(&self) -> Option<&Forfeit> {
        match self {
            GameEndReason::Forfeit(forfeit) => Some(forfeit),
            GameEndReason::Rules | GameEndReason::Limit | GameEndReason::Decided => None,
        }
    }
}

/// The total cost of some decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionCost {
    /// The number of decisions.
    pub decisions: u64,
    /// The number of positions that were searched.
    pub positions: u64,
    /// The total time in nanoseconds.
    pub nanos: u64,
}

impl DecisionCost {
    /// The sum of two costs.
    #[must_use]
    pub fn plus(self, other: DecisionCost) -> DecisionCost {
        DecisionCost {
            decisions: self.decisions + other.decisions,
            positions: self.positions + other.positions,
            nanos: self.nanos + other.nanos,
        }
    }

    /// The mean time per decision in milliseconds; 0 without decisions.
    #[must_use]
    pub fn ms_per_decision(self) -> f64 {
        self.nanos as f64 / 1e6 / self.decisions.max(1) as f64
    }

    /// The mean number of positions per decision; 0 without decisions.
    #[must_use]
    pub fn positions_per_decision(self) -> f64 {
        self.positions as f64 / self.decisions.max(1) as f64
    }
}

impl GameResult {
    /// The [win share](Payoffs::win_share) of a player.
    #[must_use]
    pub fn win_share(&self, player: Player) -> f64 {
        Payoffs::for_winners(self.winners.iter().copied().collect()).win_share(player)
    }

    /// The luck of a player with the dice, in won games.
    #[must_use]
    pub fn luck(&self, player: Player) -> f64 {
        let luck = self.luck_millionths.get(usize::from(player.number()));
        luck.map_or(0.0, |&luck| f64::from(luck) / MILLIONTHS)
    }
}

impl BoardResult {
    /// The win share of a seat in a rotation.
    #[must_use]
    pub fn win_share(&self, seat: usize, rotation: u8) -> f64 {
        self.games[usize::from(rotation)].win_share(self.player(seat, rotation))
    }

    /// The player of a seat in a rotation.
    #[must_use]
    pub fn player(&self, seat: usize, rotation: u8) -> Player {
        let players = self.players();
        Player::all(players)
            .find(|&player| seat_of(player, rotation, players) == seat)
            .expect("every seat plays one player in each rotation")
    }

    /// The mean win share of a seat over all rotations: the sample unit of the arena's statistics.
    #[must_use]
    pub fn mean_win_share(&self, seat: usize) -> f64 {
        self.mean(seat, GameResult::win_share)
    }

    /// The mean luck of a seat over all rotations.
    #[must_use]
    pub fn mean_luck(&self, seat: usize) -> f64 {
        self.mean(seat, GameResult::luck)
    }

    fn mean(&self, seat: usize, value: impl Fn(&GameResult, Player) -> f64) -> f64 {
        let rotations = (0..self.players()).zip(&self.games);
        let values = rotations.map(|(rotation, game)| value(game, self.player(seat, rotation)));
        values.sum::<f64>() / f64::from(self.players())
    }

    /// The number of players, which equals that of seats and of rotations.
    fn players(&self) -> u8 {
        self.games.len() as u8
    }

    /// Whether this is a well-formed result of a board with the given number of players.
    pub(super) fn is_valid_for(&self, players: u8) -> bool {
        let number = usize::from(players);
        let is_valid_player = |player: &Player| player.number() < players;
        self.games.len() == number
            && self.work.len() == number
            && self.games.iter().all(|game| {
                let forfeit = game.end.forfeit();
                game.luck_millionths.len() == number
                    && game.winners.iter().all(is_valid_player)
                    && forfeit.is_none_or(|forfeit| is_valid_player(&forfeit.player))
            })
    }
}
