//! The state of a game: the validated [`Position`], and [`Setup`], its unchecked written form.

use std::fmt;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::board::{Cells, Hex};
use super::dice::uniform_below;
use super::preset::{EndCondition, Rules};
use super::rules::DiceOfDoom;
use dice_of_doom_core::game::Player;

/// The maximum number of deals until the first player has an attack.
const MAX_DEALS: u32 = 1_000;

/// A valid position; only `DiceOfDoom` creates one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) cells: Cells,
    pub(super) spare: u16,
    pub(super) player: Player,
    pub(super) quiet: u8,
    pub(super) first_move: bool,
}

impl Position {
    /// The owner of a hex.
    #[must_use]
    pub fn owner(&self, hex: Hex) -> Player {
        self.cells.owner(hex)
    }

    /// The number of dice on a hex, 1 to 8.
    #[must_use]
    pub fn dice(&self, hex: Hex) -> u8 {
        self.cells.dice(hex)
    }

    /// The hexes of a player as a set: bit h stands for hex h.
    ///
    /// ```
    /// use dice_of_doom_core::game::Player;
    /// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules, Setup};
    ///
    /// let game = DiceOfDoom::new(Rules::V4, 2, 2, 3)?;
    /// let start = game.position(&Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 3)]))?;
    /// assert_eq!(start.hexes_of(Player::FIRST), 0b0101);
    /// assert_eq!(start.hexes_by_dice(3), [0b1001, 0b1000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hexes_of(&self, player: Player) -> u64 {
        self.cells.owned_by(player)
    }

    /// The sets of hexes with at least 2, 3, … `max_dice` (2 to 8) dice; bit h stands for hex h.
    #[must_use]
    pub fn hexes_by_dice(&self, max_dice: u8) -> &[u64] {
        self.cells.thermometer_sets(max_dice)
    }

    /// The side to move.
    #[must_use]
    pub const fn player(&self) -> Player {
        self.player
    }

    /// The dice that stood on the hexes attacked in this turn.
    #[must_use]
    pub const fn spare(&self) -> u16 {
        self.spare
    }

    /// Whether the mover has not attacked yet in this turn.
    #[must_use]
    pub const fn first_move(&self) -> bool {
        self.first_move
    }

    /// The number of consecutive turns without an attack; counted only in `conquest`.
    #[must_use]
    pub const fn quiet(&self) -> u8 {
        self.quiet
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A position does not know its side, so all 64 cells are shown; cells off the board read a-1.
        let cells: Vec<String> = (0..64)
            .map(Hex)
            .map(|hex| format!("{}-{}", self.owner(hex), self.dice(hex)))
            .collect();
        f.debug_struct("Position")
            .field("cells", &cells.join(" "))
            .field("player", &self.player)
            .field("spare", &self.spare)
            .field("first_move", &self.first_move)
            .field("quiet", &self.quiet)
            .finish()
    }
}

/// The written form of a position, validated by [`DiceOfDoom::position`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Owner and dice of every hex, row by row.
    pub board: Vec<(u8, u8)>,
    /// The side to move.
    pub player: u8,
    /// The dice that stood on the hexes attacked in this turn.
    pub spare: u16,
    /// Whether the mover has not attacked yet in this turn.
    pub first_move: bool,
    /// The number of consecutive turns without an attack; only for `conquest`, where it defaults to 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<u8>,
}

impl Setup {
    /// The start position on this board, with the first player to move.
    #[must_use]
    pub const fn start(board: Vec<(u8, u8)>) -> Setup {
        Setup {
            board,
            player: 0,
            spare: 0,
            first_move: true,
            quiet: None,
        }
    }
}

/// The written form of a game's parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The preset of the rules.
    pub rules: Rules,
    /// The number of hexes per row and of rows, 2 to 8.
    #[serde(rename = "size")]
    pub side: u8,
    /// The number of players, 2 to 6.
    pub players: u8,
    /// The maximum number of dice per hex, 2 to 8.
    pub max_dice: u8,
}

/// Why parameters or a position are invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The side is not 2 to 8.
    #[error("a board has a side of 2 to 8, not {0}")]
    Side(u8),
    /// The number of players is not 2 to 6.
    #[error("2 to 6 players play, not {0}")]
    Players(u8),
    /// The maximum number of dice per hex is not 2 to 8.
    #[error("the most dice on a hex are 2 to 8, not {0}")]
    MaxDice(u8),
    /// There are fewer hexes than players.
    #[error("{hexes} hexes are not enough for {players} players")]
    TooFewHexes {
        /// The number of hexes.
        hexes: u8,
        /// The number of players.
        players: u8,
    },
    /// The board has the wrong number of hexes.
    #[error("the board has {given} hexes where {expected} are due")]
    BoardLength {
        /// The given value.
        given: usize,
        /// The side squared.
        expected: u8,
    },
    /// The owner of a hex is not a player of this game.
    #[error("hex {hex} belongs to player {owner}, whom this game does not have")]
    Owner {
        /// The hex's number.
        hex: u8,
        /// The given value.
        owner: u8,
    },
    /// A hex has too few or too many dice.
    #[error("hex {hex} has {dice} dice; 1 to {max_dice} can stand on it")]
    Dice {
        /// The hex's number.
        hex: u8,
        /// The given value.
        dice: u8,
        /// The maximum of the game.
        max_dice: u8,
    },
    /// The side to move is not a player of this game.
    #[error("player {0} is to move, whom this game does not have")]
    Player(u8),
    /// These rules do not count quiet turns.
    #[error("only conquest counts quiet turns")]
    Quiet,
    /// The first player had no attack on any dealt board.
    #[error("1,000 boards were dealt and the first player has no attack on any")]
    NoDeal,
}

impl DiceOfDoom {
    /// Validates a written position.
    ///
    /// `spare` is not checked against the board, and players may own no hexes.
    pub fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        let expected = self.hexes();
        if setup.board.len() != usize::from(expected) {
            return Err(SetupError::BoardLength {
                given: setup.board.len(),
                expected,
            });
        }
        let mut cells = Cells::default();
        for (&(owner, dice), hex) in setup.board.iter().zip(self.all_hexes()) {
            let owner = Player::try_new(owner, self.player_count()).ok_or(SetupError::Owner {
                hex: hex.number(),
                owner,
            })?;
            let max_dice = self.max_dice();
            if !(1..=max_dice).contains(&dice) {
                return Err(SetupError::Dice {
                    hex: hex.number(),
                    dice,
                    max_dice,
                });
            }
            cells.set(hex, owner, dice);
        }
        if setup.quiet.is_some() && self.rules().end_condition() != EndCondition::Conquest {
            return Err(SetupError::Quiet);
        }
        Ok(Position {
            cells,
            spare: setup.spare,
            player: Player::try_new(setup.player, self.player_count())
                .ok_or(SetupError::Player(setup.player))?,
            quiet: setup.quiet.unwrap_or(0),
            first_move: setup.first_move,
        })
    }

    /// The written form of a position; the inverse of [`Self::position`].
    #[must_use]
    pub fn setup(&self, position: &Position) -> Setup {
        let cell = |hex| (position.owner(hex).number(), position.dice(hex));
        Setup {
            board: self.all_hexes().map(cell).collect(),
            player: position.player.number(),
            spare: position.spare,
            first_move: position.first_move,
            quiet: (self.rules().end_condition() == EndCondition::Conquest)
                .then_some(position.quiet),
        }
    }

    /// Deals a board: for each hex a random owner and then 1 to `max_dice` dice.
    ///
    /// Deals again from the same random stream until the first player has an attack; the book may deal a board
    /// that is over at once.
    pub fn deal(&self, rng: &mut impl Rng) -> Result<Position, SetupError> {
        (0..MAX_DEALS)
            .map(|_| self.deal_once(rng))
            .find(|position| self.has_attack(position))
            .ok_or(SetupError::NoDeal)
    }

    fn deal_once(&self, rng: &mut impl Rng) -> Position {
        let mut cells = Cells::default();
        for hex in self.all_hexes() {
            let owner = Player::new(uniform_below(self.player_count(), rng));
            let dice = 1 + uniform_below(self.max_dice(), rng);
            cells.set(hex, owner, dice);
        }
        Position {
            cells,
            spare: 0,
            player: Player::FIRST,
            quiet: 0,
            first_move: true,
        }
    }
}
