//! How a game ended, and who won.

use dice_of_doom_core::game::{Player, PlayerSet, Status};
use dice_of_doom_core::record::Ending;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use serde::{Serialize, Serializer};

/// How a game ended, as one word: `rules`, or the name of its [`Ending`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// By the rules.
    Rules,
    /// By a resignation or a limit.
    Adjudicated(Ending),
}

impl EndReason {
    /// `None` while the game is in progress.
    #[must_use]
    pub fn new(over: bool, ending: Option<Ending>) -> Option<Self> {
        match ending {
            Some(ending) => Some(EndReason::Adjudicated(ending)),
            None => over.then_some(EndReason::Rules),
        }
    }

    /// The word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Rules => "rules",
            EndReason::Adjudicated(ending) => ending.name(),
        }
    }
}

impl Serialize for EndReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The winners in the book's order; empty while the game is in progress and after a draw without winners.
#[must_use]
pub fn winners<G: SerializableGame>(session: &Session<G>) -> Vec<Player> {
    let Status::Over(payoffs) = session.status() else {
        return Vec::new();
    };
    let winners: PlayerSet = payoffs.winners();
    let mut order = session.game().winners(session.position());
    order.retain(|player| winners.contains(*player));
    // After a resignation the payoffs may name winners that the board does not.
    let rest = winners.iter().filter(|player| !order.contains(player));
    let rest: Vec<Player> = rest.collect();
    order.extend(rest);
    order
}

/// The numbers of the winners; `None` until the game is over.
#[must_use]
pub fn winner_numbers<G: SerializableGame>(session: &Session<G>) -> Option<Vec<u8>> {
    let is_over = session.status().is_over();
    is_over.then(|| player_numbers(&winners(session)))
}

/// The numbers of these players.
#[must_use]
pub fn player_numbers(players: &[Player]) -> Vec<u8> {
    players.iter().map(|player| player.number()).collect()
}
