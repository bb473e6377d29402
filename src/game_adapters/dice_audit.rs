//! The dice of a game, thrown again: every roll of a record follows from the opened seed, or it does
//! not. And what the deal of a game is called in the messages of its rolls.

use serde_json::Value;

use super::{JsonFields, RegistrableGame};
use crate::game::{Player, RecordableGame};
use crate::provably_fair::{
    EntropyInput, GameDice, Sha256Digest, Throw, EntropyRejection, check_entropy, awaits_entropy, hex,
    message,
};
use crate::record::{Entry, Record, ReplayedPly};
use crate::serialization::{NamedParameters, SerializableGame};
use crate::session::Session;

/// What was thrown at a ply.
#[derive(Clone, PartialEq, Debug)]
pub struct DiceThrow {
    /// The faces of each side, in the order in which they were thrown.
    pub sides: Vec<ThrowSide>,
    /// What the throw was to bring, where its odds are known.
    pub attempt: Option<OddsTrial>,
}

/// The faces of one side of a throw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThrowSide {
    /// Whose dice they are.
    pub player: Player,
    /// 1 to 6 each.
    pub faces: Vec<u8>,
}

/// Something that is tried again and again with the same odds.
#[derive(Clone, PartialEq, Debug)]
pub struct OddsTrial {
    /// How many dice each side throws.
    pub dice: (u8, u8),
    /// Its probability, 0..=1.
    pub odds: f64,
    /// Whether it came about.
    pub won: bool,
}

/// One roll of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedRoll {
    /// The number of its entry, counted from 0.
    pub entry: u32,
    /// What was thrown, where the game says it face by face.
    pub thrown: Option<DiceThrow>,
    /// What the opened seed says about it.
    pub again: Option<RollVerification>,
}

/// A roll, thrown again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollVerification {
    /// The message of the first block of bytes.
    pub message: String,
    /// The first block of bytes in hexadecimal digits.
    pub block: String,
    /// Whether the bytes give the faces that the record has.
    pub agrees: bool,
}

/// Words that somebody gave for the dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedEntropy {
    /// The number of their entry, counted from 0.
    pub entry: u32,
    /// Who gave them.
    pub player: Player,
    /// The words themselves.
    pub words: String,
}

/// What can be told of the dice of a game that is played, whatever its kind.
pub trait LiveDiceAudit {
    /// The fingerprint of the parameters and the start, as the rolls of fair dice name it.
    fn deal(&self) -> Sha256Digest;

    /// Whether anything is ever rolled in this game.
    fn has_dice(&self) -> bool;

    /// The words that people gave, oldest first.
    fn given(&self) -> Vec<AddedEntropy>;

    /// Whether a player may add these words now, where the same action has the same dice and these people
    /// and programs play.
    ///
    /// # Errors
    /// Why they are not taken.
    fn admit_words(
        &self,
        people: &[Player],
        player: Player,
        words: &str,
    ) -> Result<(), EntropyRejection>;

    /// Whether the game waits for words of these people and programs.
    fn awaits_words(&self, people: &[Player]) -> bool;

    /// The first entry with words that were not to be taken, where the same action has the same dice.
    fn wrong_words(&self) -> Option<u32>;

    /// What was thrown at the newest entry, where it is a ply and its game says it.
    fn newest_thrown(&self) -> Option<DiceThrow>;

    /// Every roll, oldest first; thrown again where the dice of a finished game are open. A long game
    /// takes some milliseconds.
    fn rolls(&self, opened: Option<&GameDice>) -> Vec<RecordedRoll>;
}

impl<G: RegistrableGame> LiveDiceAudit for Session<G> {
    fn deal(&self) -> Sha256Digest {
        deal(self.game(), &self.record().start)
    }

    fn has_dice(&self) -> bool {
        // A roll that can hold nothing is none.
        size_of::<G::Roll>() > 0
    }

    fn given(&self) -> Vec<AddedEntropy> {
        let entropy = entropy_before(self.record(), self.record().len());
        let given = entropy.map(|entropy| AddedEntropy {
            entry: entropy.entry,
            player: entropy.player,
            words: entropy.words.to_owned(),
        });
        given.collect()
    }

    fn newest_thrown(&self) -> Option<DiceThrow> {
        let step = self.last_entry()?.into_step()?;
        self.game().dice_throw(&step)
    }

    fn admit_words(
        &self,
        people: &[Player],
        player: Player,
        words: &str,
    ) -> Result<(), EntropyRejection> {
        let record = self.record();
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        let was_rolled = first_roll(record).is_some();
        check_entropy(&entropy, was_rolled, people, player, words)
    }

    fn awaits_words(&self, people: &[Player]) -> bool {
        let record = self.record();
        if first_roll(record).is_some() {
            return false;
        }
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        awaits_entropy(&entropy, people)
    }

    fn wrong_words(&self) -> Option<u32> {
        let record = self.record();
        let entropy: Vec<_> = entropy_before(record, record.len()).collect();
        let rolled = first_roll(record).unwrap_or(u32::MAX);
        let mut given = entropy.iter().enumerate();
        let wrong = given.find(|(at, given)| {
            let before = &entropy[..*at];
            let was_rolled = rolled < given.entry;
            check_entropy(before, was_rolled, &[], given.player, given.words).is_err()
        });
        wrong.map(|(_, given)| given.entry)
    }

    fn rolls(&self, opened: Option<&GameDice>) -> Vec<RecordedRoll> {
        let rolled = self
            .steps(0)
            .filter(|step| G::roll_json(&step.ply.roll).is_some());
        let rolls = rolled.map(|step| RecordedRoll {
            entry: step.number,
            thrown: self.game().dice_throw(&step),
            again: opened.and_then(|dice| verify_roll(self, &step, dice)),
        });
        rolls.collect()
    }
}

/// None where the dice have no message.
fn verify_roll<G: RegistrableGame>(
    session: &Session<G>,
    step: &ReplayedPly<'_, G>,
    dice: &GameDice,
) -> Option<RollVerification> {
    use rand::Rng as _;

    let GameDice::Fair(sealed, table) = dice else {
        return None;
    };
    let game = session.game();
    with_throw(
        session,
        step.number,
        &step.before,
        step.ply.action,
        |throw| {
            let mut block = [0; 32];
            dice.of_throw(throw).fill_bytes(&mut block);
            let rolled = game.roll(&step.before, step.ply.action, &mut dice.of_throw(throw));
            Some(RollVerification {
                message: message(table, sealed.protocol, throw, 0),
                block: hex(&block),
                agrees: rolled == step.ply.roll,
            })
        },
    )
}

/// Hands over what is rolled for when an action is played as entry `number`, at this position.
pub(super) fn with_throw<G: RegistrableGame, T>(
    session: &Session<G>,
    number: u32,
    position: &G::Position,
    action: G::Action,
    ask: impl FnOnce(&Throw<'_>) -> T,
) -> T {
    let record = session.record();
    let words: Vec<_> = entropy_before(record, number).collect();
    ask(&Throw {
        entry: number,
        plies: record.mainline_at(number).len() as u32,
        position: &session.game().notation(position),
        action: &action.to_string(),
        words: &words,
    })
}

/// The number of the first entry at which something was rolled.
fn first_roll<G: RegistrableGame>(record: &Record<G>) -> Option<u32> {
    let rolled = |entry: &Entry<G>| {
        let ply = entry.ply();
        ply.is_some_and(|ply| G::roll_json(&ply.roll).is_some())
    };
    let first = record.entries.iter().position(rolled);
    first.map(|number| number as u32)
}

/// The words that were given before an entry, as the messages of rolls have them.
fn entropy_before<G: RecordableGame>(
    record: &Record<G>,
    number: u32,
) -> impl Iterator<Item = EntropyInput<'_>> {
    let entries = (0..number).zip(&record.entries);
    entries.filter_map(|(entry, what)| match what {
        Entry::Contribution(given) => Some(EntropyInput {
            entry,
            player: given.player,
            words: given.words.as_str(),
        }),
        Entry::Ply(_) | Entry::Takeback(_) => None,
    })
}

/// The fingerprint of a game's parameters and its start: of the JSON object that has the parameters, the
/// game's name among them, and the field `start`, [in order](canonical_json).
fn deal<G: SerializableGame>(game: &G, start: &G::Position) -> Sha256Digest {
    let object = JsonFields::of(&NamedParameters::of(game)).with("start", &game.to_setup(start));
    let object = serde_json::to_value(object).expect("fields are plain values");
    Sha256Digest::of(canonical_json(&object).as_bytes())
}

/// JSON without blanks, the names of every object in order.
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
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::games::trilobite::Trilobite;

    #[test]
    fn a_value_is_written_in_one_way() {
        let value = json!({"b": [1, {"d": null, "c": "é\n"}], "a": true});
        assert_eq!(
            canonical_json(&value),
            r#"{"a":true,"b":[1,{"c":"é\n","d":null}]}"#
        );
    }

    #[test]
    fn a_deal_has_one_fingerprint() {
        let game = Trilobite::new(3, 2, 3).unwrap();
        let start = serde_json::to_string(&game.setup(&game.empty())).unwrap();
        let start = canonical_json(&serde_json::from_str(&start).unwrap());
        let written =
            format!(r#"{{"game":"trilobite","height":2,"start":{start},"width":3,"win":3}}"#);
        let expected = Sha256Digest::of(written.as_bytes());
        assert_eq!(deal(&game, &game.empty()), expected);
    }
}
