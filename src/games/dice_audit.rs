//! The dice of a game: what was thrown and with which odds, the entropy text of its players, and the proof of its rolls.

use super::{BoardPage, LiveGame, RegistrableGame};
use crate::formats::dice_proof::{RollVerification, rolled_plies, verify_roll};
use crate::game::Player;
use crate::provably_fair::{
    AwaitedEntropy, EntropyInput, EntropyRejection, GameDice, awaited_entropy, check_entropy,
};
use crate::record::{Entry, ReplayedPly};
use crate::session::Session;

/// The dice of a game that shows them.
pub struct DicePage<G: BoardPage> {
    /// The dice thrown in a ply; `None` if there were none.
    pub throw: fn(&G, &ReplayedPly<'_, G>) -> Option<DiceThrow>,
    /// The attacker's probability of winning a throw of `dice.0` against `dice.1` dice, as in [`OddsTrial::dice`];
    /// `None` if there is no such throw.
    pub win_probability: fn((u8, u8)) -> Option<f64>,
}

/// The dice thrown in a ply, if its game shows them.
pub(super) fn dice_throw<G: RegistrableGame>(
    game: &G,
    step: &ReplayedPly<'_, G>,
) -> Option<DiceThrow> {
    (G::PAGES.dice?.throw)(game, step)
}

/// The dice thrown in a ply.
#[derive(Clone, PartialEq, Debug)]
pub struct DiceThrow {
    /// In the order of throwing.
    pub sides: Vec<ThrowSide>,
    /// The success condition of the throw and its probability, if known.
    pub attempt: Option<OddsTrial>,
}

/// The dice of one side of a throw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThrowSide {
    pub player: Player,
    /// 1 to 6 each.
    pub faces: Vec<u8>,
}

/// A throw as a trial with known odds.
#[derive(Clone, PartialEq, Debug)]
pub struct OddsTrial {
    /// The number of dice of each side.
    pub dice: (u8, u8),
    /// The probability of success, 0..=1.
    pub odds: f64,
    /// Whether it succeeded.
    pub won: bool,
}

/// A roll of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedRoll {
    pub entry: u32,
    /// The dice, if the game shows them.
    pub dice_throw: Option<DiceThrow>,
    /// The verification against the revealed seed.
    pub verification: Option<RollVerification>,
}

/// Entropy text that a player has added for the dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedEntropy {
    pub entry: u32,
    pub player: Player,
    pub text: String,
    /// Unix time in milliseconds.
    pub at_ms: i64,
}

pub(super) fn last_throw<G: RegistrableGame>(session: &Session<G>) -> Option<DiceThrow> {
    let step = session.last_entry()?.into_ply()?;
    dice_throw(session.game(), &step)
}

pub(super) fn rolls<G: RegistrableGame>(
    session: &Session<G>,
    dice: Option<&GameDice>,
) -> Vec<RecordedRoll> {
    let rolls = rolled_plies(session).map(|step| RecordedRoll {
        entry: step.number,
        dice_throw: dice_throw(session.game(), &step),
        verification: dice.and_then(|dice| verify_roll(session, &step, dice)),
    });
    rolls.collect()
}

/// The entropy text that players have added, oldest first.
pub(super) fn entropy_entries<G: RegistrableGame>(session: &Session<G>) -> Vec<AddedEntropy> {
    let entries = (0..).zip(&session.record().entries);
    let given = entries.filter_map(|(entry, given)| match given {
        Entry::Contribution(given) => Some(AddedEntropy {
            entry,
            player: given.player,
            text: given.text.to_string(),
            at_ms: given.at_ms,
        }),
        Entry::Ply(_) | Entry::Takeback(_) => None,
    });
    given.collect()
}

impl AddedEntropy {
    fn input(&self) -> EntropyInput<'_> {
        EntropyInput {
            entry: self.entry,
            player: self.player,
            text: &self.text,
        }
    }
}

impl dyn LiveGame {
    /// Checks whether a player may add this entropy text now. `people` are the players that are humans or programs.
    ///
    /// # Errors
    /// Why the text is not accepted.
    pub fn admit_entropy(
        &self,
        people: &[Player],
        player: Player,
        text: &str,
    ) -> Result<(), EntropyRejection> {
        let given = self.entropy_entries();
        let given: Vec<_> = given.iter().map(AddedEntropy::input).collect();
        check_entropy(&given, self.has_rolled(), people, player, text)
    }

    /// The entropy text of these players that the game waits for.
    #[must_use]
    pub fn awaited_entropy(&self, people: &[Player]) -> Option<AwaitedEntropy> {
        if self.is_over() || self.has_rolled() {
            return None;
        }
        let given = self.entropy_entries();
        let given: Vec<_> = given.iter().map(AddedEntropy::input).collect();
        awaited_entropy(&given, people)
    }
}
