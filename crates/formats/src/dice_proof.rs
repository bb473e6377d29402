//! The proof of the dice of a record: every roll is computed again from the revealed seed. docs/fair-dice.md describes
//! the messages.

use dice_of_doom_core::game::RecordableGame;
use dice_of_doom_core::provably_fair::{
    CommittedSeed, DiceDisclosure, EntropyInput, GameDice, RollContext, RollInput, Sha256Digest,
    check_entropy, hex, message,
};
use dice_of_doom_core::record::{Entry, Record, ReplayedPly};
use dice_of_doom_core::serialization::{NamedParameters, SerializableGame};
use dice_of_doom_core::session::Session;
use rand::Rng as _;
use serde_json::Value;

use crate::{GameFormat, JsonFields, RecordError, RecordMetadata};

/// The result of verifying a record's dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiceProof {
    /// All rolls follow from the revealed seed; the number of rolls.
    Rolls(usize),
    /// The game is in progress; the seed is committed but not yet revealed.
    Sealed,
    /// The dice have no commitment.
    Absent,
}

/// Computes all rolls of a game again from the revealed seed. Takes a few milliseconds for a long game.
///
/// # Errors
/// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Entropy`], [`RecordError::Dice`].
pub fn dice_proof<G: GameFormat, R>(
    session: &Session<G>,
    metadata: &RecordMetadata,
) -> Result<DiceProof, RecordError<R>> {
    if let Some(entry) = first_invalid_entropy(session.record()) {
        return Err(RecordError::Entropy(entry));
    }
    let committed = match &metadata.dice {
        DiceDisclosure::Nothing => return Ok(DiceProof::Absent),
        DiceDisclosure::Committed(_) if session.status().is_over() => {
            return Err(RecordError::Dice("they were not opened at the end"));
        }
        DiceDisclosure::Committed(_) => return Ok(DiceProof::Sealed),
        DiceDisclosure::Revealed(committed) => committed,
    };
    let id = metadata.id.as_ref();
    let id = id.ok_or(RecordError::Dice("the game has no id"))?;
    match first_invalid_roll(session, committed, id) {
        Some(entry) => Err(RecordError::Rolls(entry)),
        None => Ok(DiceProof::Rolls(rolled_plies(session).count())),
    }
}

/// The plies with rolls, oldest first.
pub fn rolled_plies<G: GameFormat>(
    session: &Session<G>,
) -> impl Iterator<Item = ReplayedPly<'_, G>> {
    let plies = session.replayed_plies_from(0);
    plies.filter(|step| G::roll_json(&step.ply.roll).is_some())
}

/// The first entry whose roll does not follow from the revealed seed, in the game with this id.
pub(crate) fn first_invalid_roll<G: GameFormat>(
    session: &Session<G>,
    committed: &CommittedSeed,
    id: &str,
) -> Option<u32> {
    let context = RollContext {
        game: id.to_owned(),
        deal: deal(session.game(), &session.record().start),
    };
    let dice = GameDice::Committed(committed.clone(), context);
    let agrees = |step: &ReplayedPly<'_, G>| {
        verify_roll(session, step, &dice).is_some_and(|again| again.agrees)
    };
    let invalid = rolled_plies(session).find(|step| !agrees(step));
    invalid.map(|step| step.number)
}

/// The first entry with entropy text that should not have been accepted.
fn first_invalid_entropy<G: GameFormat>(record: &Record<G>) -> Option<u32> {
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

/// Computes the roll of a ply again; `None` if the dice are not derived from messages.
#[must_use]
pub fn verify_roll<G: GameFormat>(
    session: &Session<G>,
    step: &ReplayedPly<'_, G>,
    dice: &GameDice,
) -> Option<RollVerification> {
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
pub fn with_roll_input<G: SerializableGame, T>(
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
#[must_use]
pub fn first_roll<G: GameFormat>(record: &Record<G>) -> Option<u32> {
    let rolled = |entry: &Entry<G>| {
        let ply = entry.ply();
        ply.is_some_and(|ply| G::roll_json(&ply.roll).is_some())
    };
    let first = record.entries.iter().position(rolled);
    first.map(|number| number as u32)
}

/// The entropy text added before an entry, as input of roll messages.
pub fn entropy_before<G: RecordableGame>(
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
#[must_use]
pub fn deal<G: SerializableGame>(game: &G, start: &G::Position) -> Sha256Digest {
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
    use dice_of_doom_games::trilobite::Trilobite;

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
