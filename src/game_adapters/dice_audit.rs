//! The dice of a game: what was thrown and with which odds, the entropy text of its players, and the proof of its rolls.

use super::{ErrorText, RegistrableGame};
use crate::formats::dice_proof::{
    DiceProof, RollVerification, deal, dice_proof, entropy_before, first_roll, rolled_plies,
    verify_roll,
};
use crate::formats::{RecordError, RecordMetadata};
use crate::game::Player;
use crate::provably_fair::{
    AwaitedEntropy, EntropyRejection, GameDice, Sha256Digest, awaited_entropy, check_entropy,
};
use crate::record::Entry;
use crate::session::Session;

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

/// The dice of a game in progress or finished.
pub trait LiveDiceAudit {
    /// The hash of the parameters and the start position, which the messages of fair dice contain.
    fn deal(&self) -> Sha256Digest;

    /// Whether the game has dice.
    fn has_dice(&self) -> bool;

    /// The entropy text added so far, oldest first.
    fn entropy_entries(&self) -> Vec<AddedEntropy>;

    /// Checks whether a player may add this entropy text now. `people` are the players that are humans or programs.
    ///
    /// # Errors
    /// Why the text is not accepted.
    fn admit_entropy(
        &self,
        people: &[Player],
        player: Player,
        text: &str,
    ) -> Result<(), EntropyRejection>;

    /// The entropy text of these players that the game waits for.
    fn awaited_entropy(&self, people: &[Player]) -> Option<AwaitedEntropy>;

    /// Computes all rolls again from the revealed seed. Takes a few milliseconds for a long game.
    ///
    /// # Errors
    /// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Entropy`], [`RecordError::Dice`].
    fn dice_proof(&self, metadata: &RecordMetadata) -> Result<DiceProof, RecordError<ErrorText>>;

    /// The dice thrown in the last entry, if it is a ply and its game shows them.
    fn last_throw(&self) -> Option<DiceThrow>;

    /// Every roll, oldest first; verified if `dice` is given. Takes a few milliseconds for a long game.
    fn rolls(&self, dice: Option<&GameDice>) -> Vec<RecordedRoll>;
}

impl<G: RegistrableGame> LiveDiceAudit for Session<G> {
    fn deal(&self) -> Sha256Digest {
        deal(self.game(), &self.record().start)
    }

    fn has_dice(&self) -> bool {
        // A roll type of size zero holds no dice.
        size_of::<G::Roll>() > 0
    }

    fn entropy_entries(&self) -> Vec<AddedEntropy> {
        let entries = (0..).zip(&self.record().entries);
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

    fn last_throw(&self) -> Option<DiceThrow> {
        let step = self.last_entry()?.into_ply()?;
        self.game().dice_throw(&step)
    }

    fn admit_entropy(
        &self,
        people: &[Player],
        player: Player,
        text: &str,
    ) -> Result<(), EntropyRejection> {
        let record = self.record();
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        let was_rolled = first_roll(record).is_some();
        check_entropy(&entropy, was_rolled, people, player, text)
    }

    fn awaited_entropy(&self, people: &[Player]) -> Option<AwaitedEntropy> {
        let record = self.record();
        if self.status().is_over() || first_roll(record).is_some() {
            return None;
        }
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        awaited_entropy(&entropy, people)
    }

    fn dice_proof(&self, metadata: &RecordMetadata) -> Result<DiceProof, RecordError<ErrorText>> {
        dice_proof(self, metadata)
    }

    fn rolls(&self, dice: Option<&GameDice>) -> Vec<RecordedRoll> {
        let rolls = rolled_plies(self).map(|step| RecordedRoll {
            entry: step.number,
            dice_throw: self.game().dice_throw(&step),
            verification: dice.and_then(|dice| verify_roll(self, &step, dice)),
        });
        rolls.collect()
    }
}
