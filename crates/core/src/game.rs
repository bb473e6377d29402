//! The words of the platform: what a game is.
//!
//! The rules are pure functions of plain values. Chance is a *lottery on the edge*: an action has
//! outcomes with probabilities, and a sure action has one outcome with probability 1. So
//! expectiminimax is minimax with lotteries, a record entry is (action, roll), and every search is
//! written once for every game.
//!
//! Not here: trees (see [`crate::tree`]), searches, clocks, storage, sentences.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use rand::Rng;
use serde::{Deserialize, Serialize};

/// The most players that any game of the platform can have.
pub const MAX_PLAYERS: usize = 6;

/// One of the players of a game, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Player(u8);

impl Player {
    /// The player who begins.
    pub const FIRST: Player = Player(0);

    /// The player with this number.
    ///
    /// # Panics
    /// When `number` is not below [`MAX_PLAYERS`]; numbers from outside are checked at the border.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!((number as usize) < MAX_PLAYERS, "no game seats so many");
        Player(number)
    }

    /// The player with this number, if a game of `players` has one.
    #[must_use]
    pub fn try_new(number: u8, players: u8) -> Option<Self> {
        (number < players && usize::from(number) < MAX_PLAYERS).then_some(Player(number))
    }

    /// Counted from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The player after this one in a game of `players`.
    #[must_use]
    pub const fn next(self, players: u8) -> Self {
        let next = self.0 + 1;
        Player(if next == players { 0 } else { next })
    }

    /// In how many turns it is this player's turn when it is the mover's now, in a game of `players`: 0 for the mover.
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

    /// All players of a game of `players`, in order.
    pub fn all(players: u8) -> impl Iterator<Item = Player> + Clone {
        (0..players).map(Player)
    }
}

impl Display for Player {
    /// The book's letters: a, b, c …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0))
    }
}

/// One value for each player, indexed by [`Player`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByPlayer<T>([T; MAX_PLAYERS]);

impl<T> ByPlayer<T> {
    /// Calls `value` once for every player.
    pub fn from_fn(mut value: impl FnMut(Player) -> T) -> Self {
        ByPlayer(std::array::from_fn(|number| value(Player(number as u8))))
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
    /// Whether the set holds this player.
    #[must_use]
    pub const fn contains(self, player: Player) -> bool {
        self.0 >> player.0 & 1 == 1
    }

    /// How many players the set holds.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// In order of their numbers.
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

/// The exact result of a finished game: the winners share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Payoffs {
    winners: PlayerSet,
}

impl Payoffs {
    /// The result that these players win together; an empty set is a draw without winners.
    #[must_use]
    pub const fn for_winners(winners: PlayerSet) -> Self {
        Payoffs { winners }
    }

    /// The winners: several are a tie, none is a draw.
    #[must_use]
    pub const fn winners(self) -> PlayerSet {
        self.winners
    }

    /// A player's part of one won game, 0..=1: tied winners share it, losers get nothing.
    #[must_use]
    pub fn win_share(self, player: Player) -> f64 {
        if self.winners.contains(player) {
            1.0 / f64::from(self.winners.count())
        } else {
            0.0
        }
    }

    /// What the game is worth to a player, -1..=1: a sole winner gets 1, a loser -1, each of k tied
    /// winners 2/k − 1, and in a draw without winners everybody gets 0.
    #[must_use]
    pub fn payoff(self, player: Player) -> f64 {
        if self.winners.count() == 0 {
            0.0
        } else {
            2.0 * self.win_share(player) - 1.0
        }
    }
}

/// Whether a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// This player is to choose an action.
    Turn(Player),
    /// The rules have ended the game.
    Over(Payoffs),
}

impl Status {
    /// Who is to choose, while somebody is.
    #[must_use]
    pub fn mover(self) -> Option<Player> {
        match self {
            Status::Turn(player) => Some(player),
            Status::Over(_) => None,
        }
    }

    /// Whether the rules have ended the game.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Status::Over(_))
    }
}

/// The rules of a game. Implementors hold only parameters; everything that changes is a `Position`.
pub trait Game {
    /// All that the rules need to continue; plain data.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// What a player chooses. Its text form is the notation of records.
    type Action: Copy + Eq + Hash + Debug + Display + FromStr + Send + Sync;
    /// What chance answers; `()` where nothing is random.
    type Outcome: Copy + Eq + Debug + Send + Sync;

    /// How many players sit at the table.
    fn players(&self) -> u8;

    /// Whose turn it is, or how the game ended.
    fn status(&self, position: &Self::Position) -> Status;

    /// The legal actions in the book's order; non-empty exactly when it is someone's turn.
    fn legal_actions(&self, position: &Self::Position) -> impl Iterator<Item = Self::Action> + Clone;

    /// The outcomes of a legal action with their probabilities, which sum to 1.
    fn chance_outcomes(
        &self,
        position: &Self::Position,
        action: Self::Action,
    ) -> impl Iterator<Item = (Self::Outcome, f64)> + Clone;

    /// The position after a legal action and one of its outcomes.
    fn apply(
        &self,
        position: &Self::Position,
        action: Self::Action,
        outcome: Self::Outcome,
    ) -> Self::Position;

    /// Clears what can no longer matter in a position: searches merge positions that are equal then.
    fn canonicalise(&self, position: &mut Self::Position) {
        let _ = position;
    }

    /// The result when a game is ended early: this position is counted among the players who did not
    /// give up.
    fn adjudicate(&self, position: &Self::Position, gave_up: PlayerSet) -> Payoffs;

    /// One outcome of a legal action, drawn by its probability.
    ///
    /// A game whose lotteries are too long to list overrides this and draws without listing them.
    fn sample_outcome(
        &self,
        position: &Self::Position,
        action: Self::Action,
        rng: &mut impl Rng,
    ) -> Self::Outcome {
        // A double below 1 has 53 bits of precision.
        let drawn = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut sum = 0.0;
        let mut last = None;
        for (outcome, probability) in self.chance_outcomes(position, action) {
            sum += probability;
            last = Some(outcome);
            if drawn < sum {
                break;
            }
        }
        last.expect("a legal action has an outcome")
    }
}

/// A game whose outcomes are decided by dice: a record keeps their faces.
pub trait RecordableGame: Game {
    /// The faces of one ply; its text form is the notation of records (empty where nothing is rolled).
    type Roll: Clone + Eq + Debug + Display + FromStr + Send + Sync;

    /// Rolls for a legal action.
    fn roll(
        &self,
        position: &Self::Position,
        action: Self::Action,
        rng: &mut impl Rng,
    ) -> Self::Roll;

    /// What the faces decide; `None` when they do not fit the action (too many dice, a face of 7).
    fn outcome_of_roll(
        &self,
        position: &Self::Position,
        action: Self::Action,
        roll: &Self::Roll,
    ) -> Option<Self::Outcome>;
}
