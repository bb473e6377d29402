//! Dice audit: recomputes every roll of a record from the revealed seed, and hashes the deal, which the
//! messages of rolls contain.

use serde_json::Value;

use super::{JsonFields, RegistrableGame};
use crate::game::{Player, RecordableGame};
use crate::provably_fair::{
    AwaitedEntropy, EntropyInput, EntropyRejection, GameDice, RollInput, Sha256Digest,
    awaited_entropy, check_entropy, hex, message,
};
use crate::record::{Entry, Record, ReplayedPly};
use crate::serialization::{NamedParameters, SerializableGame};
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

/// A roll recomputed from the revealed seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollVerification {
    /// The message from which the first block of random bytes is derived.
    pub message: String,
    /// The first block in hexadecimal.
    pub block: String,
    /// Whether the recomputed roll equals the recorded one.
    pub agrees: bool,
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

    /// The first entry with entropy text that should not have been accepted.
    fn first_invalid_entropy(&self) -> Option<u32>;

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

    fn first_invalid_entropy(&self) -> Option<u32> {
        let record = self.record();
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        let first_roll = first_roll(record).unwrap_or(u32::MAX);
        let mut given = entropy.iter().enumerate();
        let invalid = given.find(|(index, given)| {
            let before = &entropy[..*index];
            let was_rolled = first_roll < given.entry;
            check_entropy(before, was_rolled, &[], given.player, given.text).is_err()
        });
        invalid.map(|(_, given)| given.entry)
    }

    fn rolls(&self, dice: Option<&GameDice>) -> Vec<RecordedRoll> {
        let rolled = self
            .replayed_plies_from(0)
            .filter(|step| G::roll_json(&step.ply.roll).is_some());
        let rolls = rolled.map(|step| RecordedRoll {
            entry: step.number,
            dice_throw: self.game().dice_throw(&step),
            verification: dice.and_then(|dice| verify_roll(self, &step, dice)),
        });
        rolls.collect()
    }
}

/// `None` if the dice are not derived from messages.
fn verify_roll<G: RegistrableGame>(
    session: &Session<G>,
    step: &ReplayedPly<'_, G>,
    dice: &GameDice,
) -> Option<RollVerification> {
    use rand::Rng as _;

    let GameDice::Committed(_, context) = dice else {
        return None;
    };
    let game = session.game();
    with_roll_input(
        session,
        step.number,
        &step.before,
        step.ply.action,
        |roll| {
            let mut block = [0; 32];
            dice.rng_for_roll(roll).fill_bytes(&mut block);
            let rolled = game.roll(&step.before, step.ply.action, &mut dice.rng_for_roll(roll));
            Some(RollVerification {
                message: message(context, roll, 0),
                block: hex(&block),
                agrees: rolled == step.ply.roll,
            })
        },
    )
}

/// Calls `f` with the inputs of the roll for an action that is played as entry `number` at this position.
pub(super) fn with_roll_input<G: RegistrableGame, T>(
    session: &Session<G>,
    number: u32,
    position: &G::Position,
    action: G::Action,
    f: impl FnOnce(&RollInput<'_>) -> T,
) -> T {
    let record = session.record();
    let entropy: Vec<_> = entropy_before(record, number).collect();
    f(&RollInput {
        entry: number,
        plies: record.mainline_at(number).len() as u32,
        position: &session.game().notation(position),
        action: &action.to_string(),
        entropy: &entropy,
    })
}

/// The number of the first entry with a roll.
fn first_roll<G: RegistrableGame>(record: &Record<G>) -> Option<u32> {
    let rolled = |entry: &Entry<G>| {
        let ply = entry.ply();
        ply.is_some_and(|ply| G::roll_json(&ply.roll).is_some())
    };
    let first = record.entries.iter().position(rolled);
    first.map(|number| number as u32)
}

/// The entropy text added before an entry, as input of roll messages.
fn entropy_before<G: RecordableGame>(
    record: &Record<G>,
    number: u32,
) -> impl Iterator<Item = EntropyInput<'_>> {
    let entries = (0..number).zip(&record.entries);
    entries.filter_map(|(number, entry)| match entry {
        Entry::Contribution(given) => Some(EntropyInput {
            entry: number,
            player: given.player,
            text: given.text.as_str(),
        }),
        Entry::Ply(_) | Entry::Takeback(_) => None,
    })
}

/// The hash of a deal: SHA-256 of the [canonical](canonical_json) JSON object with the parameters, the game's
/// name and the field `start`.
fn deal<G: SerializableGame>(game: &G, start: &G::Position) -> Sha256Digest {
    let object = JsonFields::from_value(&NamedParameters::from_game(game))
        .with("start", &game.to_setup(start));
    let object = serde_json::to_value(object).expect("fields serialize to JSON");
    Sha256Digest::compute(canonical_json(&object).as_bytes())
}

/// JSON without whitespace, the keys of every object sorted.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields = fields.into_iter().map(|(name, value)| {
                let name = Value::String(name.clone());
                format!("{name}:{}", canonical_json(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(canonical_json).collect();
            format!("[{}]", values.join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::games::trilobite::Trilobite;

    #[test]
    fn json_is_canonical() {
        let value = json!({"b": [1, {"d": null, "c": "é\n"}], "a": true});
        assert_eq!(
            canonical_json(&value),
            r#"{"a":true,"b":[1,{"c":"é\n","d":null}]}"#
        );
    }

    #[test]
    fn the_hash_of_a_deal_is_that_of_its_canonical_json() {
        let game = Trilobite::new(3, 2, 3).unwrap();
        let start = serde_json::to_string(&game.setup(&game.empty())).unwrap();
        let start = canonical_json(&serde_json::from_str(&start).unwrap());
        let json =
            format!(r#"{{"game":"trilobite","height":2,"start":{start},"width":3,"win":3}}"#);
        let expected = Sha256Digest::compute(json.as_bytes());
        assert_eq!(deal(&game, &game.empty()), expected);
    }
}
