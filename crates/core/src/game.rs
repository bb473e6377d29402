//! The basic types of the platform and the trait [`Game`].
//!
//! The rules are pure functions of plain values. Chance belongs to the edges: each action has chance outcomes with
//! probabilities, and a deterministic action has one outcome with probability 1. So expectiminimax is minimax over
//! expected values, a ply of a record is an action with a roll, and every search is generic over the game.
//!
//! Not here: trees (see [`crate::tree`]), searches, clocks, storage, user-visible texts.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use rand::Rng;
use serde::{Deserialize, Serialize};

/// The maximum number of players of any game.
pub const MAX_PLAYERS: usize = 6;

/// A player of a game, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Player(u8);

impl Player {
    /// The player who moves first.
    pub const FIRST: Player = Player(0);

    /// Creates the player with this number.
    ///
    /// # Panics
    /// If `number` is not below [`MAX_PLAYERS`]; use [`Player::try_new`] for unchecked input.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!(
            (number as usize) < MAX_PLAYERS,
            "the player number must be below MAX_PLAYERS"
        );
        Player(number)
    }

    /// The player with this number, or `None` if a game of `players` players has no such player.
    #[must_use]
    pub fn try_new(number: u8, players: u8) -> Option<Self> {
        (number < players && usize::from(number) < MAX_PLAYERS).then_some(Player(number))
    }

    /// The number of this player, counted from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The next player in turn order in a game of `players` players.
    #[must_use]
    pub const fn next(self, players: u8) -> Self {
        let next = self.0 + 1;
        Player(if next == players { 0 } else { next })
    }

    /// The number of turns until this player is to move in a game of `players` players; 0 for the mover.
    #[must_use]
    #[inline]
    pub const fn turns_until(self, mover: Player, players: u8) -> usize {
        let ahead = self.0 + players - mover.0;
        (if ahead >= players {
            ahead - players
        } else {
            ahead
        }) as usize
    }

    /// All players of a game of `players` players, in order.
    pub fn all(players: u8) -> impl Iterator<Item = Player> + Clone {
        (0..players).map(Player)
    }
}

impl Display for Player {
    /// Writes the letter that the book uses: a, b, c …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0))
    }
}

/// One value for each player, indexed by [`Player`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByPlayer<T>([T; MAX_PLAYERS]);

impl<T> ByPlayer<T> {
    /// Computes the value of every player, in order.
    pub fn from_fn(mut value: impl FnMut(Player) -> T) -> Self {
        ByPlayer(std::array::from_fn(|number| value(Player(number as u8))))
    }

    /// Computes the value of every player of a game of `players` players, in order; the others have the default.
    #[inline]
    pub fn for_players(players: u8, mut value: impl FnMut(Player) -> T) -> Self
    where
        T: Default,
    {
        ByPlayer::from_fn(|player| {
            if player.0 < players {
                value(player)
            } else {
                T::default()
            }
        })
    }
}

impl<T: Default> Default for ByPlayer<T> {
    fn default() -> Self {
        ByPlayer(std::array::from_fn(|_| T::default()))
    }
}

impl<T> std::ops::Index<Player> for ByPlayer<T> {
    type Output = T;
    fn index(&self, player: Player) -> &T {
        &self.0[usize::from(player.0)]
    }
}

impl<T> std::ops::IndexMut<Player> for ByPlayer<T> {
    fn index_mut(&mut self, player: Player) -> &mut T {
        &mut self.0[usize::from(player.0)]
    }
}

/// A set of players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PlayerSet(u8);

impl PlayerSet {
    /// Whether the player is in the set.
    #[must_use]
    pub const fn contains(self, player: Player) -> bool {
        self.0 >> player.0 & 1 == 1
    }

    /// The number of players in the set.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Iterates over the players in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Player> + Clone {
        Player::all(MAX_PLAYERS as u8).filter(move |&player| self.contains(player))
    }
}

impl FromIterator<Player> for PlayerSet {
    fn from_iter<I: IntoIterator<Item = Player>>(players: I) -> Self {
        PlayerSet(
            players
                .into_iter()
                .fold(0, |set, player| set | 1 << player.0),
        )
    }
}

/// The exact result of a finished game; several winners share the win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Payoffs {
    winners: PlayerSet,
}

impl Payoffs {
    /// The result in which these players win together; an empty set is a draw without winners.
    #[must_use]
    pub const fn for_winners(winners: PlayerSet) -> Self {
        Payoffs { winners }
    }

    /// The winners: several for a tie, none for a draw.
    #[must_use]
    pub const fn winners(self) -> PlayerSet {
        self.winners
    }

    /// The player's share in one won game, 0..=1: 1/k for each of k winners, 0 for the losers, and 1/2 for everyone in a
    /// draw without winners.
    #[must_use]
    pub fn win_share(self, player: Player) -> f64 {
        match self.winners.count() {
            0 => 0.5,
            winners if self.winners.contains(player) => 1.0 / f64::from(winners),
            _ => 0.0,
        }
    }

    /// [`Self::win_share`] of each player, as the evaluators of searches have them.
    #[must_use]
    pub fn win_shares(self, players: u8) -> ByPlayer<f32> {
        ByPlayer::for_players(players, |player| self.win_share(player) as f32)
    }

    /// The payoff of a player, -1..=1: [`Self::win_share`] on the scale on which a draw is 0.
    #[must_use]
    pub fn payoff(self, player: Player) -> f64 {
        2.0 * self.win_share(player) - 1.0
    }
}

/// Whether the game is in progress or over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// This player is to move.
    Turn(Player),
    /// The game is over by the rules.
    Over(Payoffs),
}

impl Status {
    /// The player to move, or `None` if the game is over.
    #[must_use]
    pub fn mover(self) -> Option<Player> {
        match self {
            Status::Turn(player) => Some(player),
            Status::Over(_) => None,
        }
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Status::Over(_))
    }
}

/// The rules of a game. Implementors hold only parameters; all state is in a `Position`.
pub trait Game {
    /// The complete state of a game: all that the rules need to continue.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// A move of a player. Its text form is the notation of records.
    type Action: Copy + Eq + Hash + Debug + Display + FromStr + Send + Sync;
    /// A chance outcome of an action; `()` in a deterministic game. Its default is that of an action without chance.
    type Outcome: Copy + Default + Eq + Debug + Send + Sync;

    /// The number of players.
    fn players(&self) -> u8;

    /// The player to move, or the result of the game.
    fn status(&self, position: &Self::Position) -> Status;

    /// The legal actions in the order of the book; empty exactly when the game is over.
    fn legal_actions(
        &self,
        position: &Self::Position,
    ) -> impl Iterator<Item = Self::Action> + Clone;

    /// The outcomes of a legal action with their probabilities, which sum to 1; by default there is one.
    fn chance_outcomes(
        &self,
        _position: &Self::Position,
        _action: Self::Action,
    ) -> impl Iterator<Item = (Self::Outcome, f64)> + Clone {
        std::iter::once((Self::Outcome::default(), 1.0))
    }

    /// The position after a legal action and one of its outcomes.
    fn apply(
        &self,
        position: &Self::Position,
        action: Self::Action,
        outcome: Self::Outcome,
    ) -> Self::Position;

    /// Clears the parts of a position that no longer affect the game, so that searches can merge equivalent positions.
    fn canonicalise(&self, position: &mut Self::Position) {
        let _ = position;
    }

    /// The result when a game is ended early: the position is scored among the players who have not resigned. By default
    /// they win together after a resignation, and otherwise nobody wins.
    fn adjudicate(&self, _position: &Self::Position, resigned: PlayerSet) -> Payoffs {
        let remaining = Player::all(self.players()).filter(|&player| !resigned.contains(player));
        Payoffs::for_winners(match resigned.count() {
            0 => PlayerSet::default(),
            _ => remaining.collect(),
        })
    }

    /// Samples one outcome of a legal action by its probability.
    ///
    /// A game with too many outcomes to list overrides this.
    fn sample_outcome(
        &self,
        position: &Self::Position,
        action: Self::Action,
        rng: &mut impl Rng,
    ) -> Self::Outcome {
        // A uniform double in [0, 1) with 53 random bits.
        let threshold = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut sum = 0.0;
        let mut last = None;
        for (outcome, probability) in self.chance_outcomes(position, action) {
            sum += probability;
            last = Some(outcome);
            if threshold < sum {
                break;
            }
        }
        last.expect("a legal action has an outcome")
    }
}

/// A game whose outcomes are decided by dice; records store the die faces. In a game without dice ([`NoDice`]) the
/// defaults suffice.
pub trait RecordableGame: Game {
    /// The die faces of one ply; its text form is the notation of records (empty if nothing is rolled). Its default
    /// is a ply without dice.
    type Roll: Clone + Default + Eq + Debug + Display + FromStr + Send + Sync;

    /// Rolls the dice of a legal action.
    fn roll(
        &self,
        _position: &Self::Position,
        _action: Self::Action,
        _rng: &mut impl Rng,
    ) -> Self::Roll {
        Self::Roll::default()
    }

    /// The outcome that a roll decides, or `None` if the roll does not fit the action (too many dice, a face of 7). By
    /// default the only outcome of the action.
    fn outcome_of_roll(
        &self,
        position: &Self::Position,
        action: Self::Action,
        _roll: &Self::Roll,
    ) -> Option<Self::Outcome> {
        let mut outcomes = self.chance_outcomes(position, action);
        outcomes.next().map(|(outcome, _)| outcome)
    }
}

/// The roll of a game without dice. Its text form is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct NoDice;

impl Display for NoDice {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// The roll's text is not empty.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("nothing is rolled in this game, but {0:?} is written")]
pub struct NoDiceParseError(pub String);

impl FromStr for NoDice {
    type Err = NoDiceParseError;
    fn from_str(text: &str) -> Result<Self, NoDiceParseError> {
        match text {
            "" => Ok(NoDice),
            other => Err(NoDiceParseError(other.to_owned())),
        }
    }
}
