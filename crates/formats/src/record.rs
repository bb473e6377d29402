//! The JSON of a complete record, as downloaded from the server, saved by the terminal, and parsed again.

use dice_of_doom_core::game::Player;
use dice_of_doom_core::provably_fair::{CommittedSeed, DiceDisclosure, Sha256Digest, hex};
use dice_of_doom_core::serialization::NamedParameters;
use dice_of_doom_core::session::Session;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::dice_proof::canonical_json;
use crate::end_reason::{EndReason, winner_numbers};
use crate::entries::EntryJson;
use crate::{GameFormat, JsonFields, to_raw_json};

mod arena;
mod error;
mod parser;
mod provenance;

pub use arena::{ArenaJson, FaultKind, Forfeit, GameNumber, PlayerFault, ProgramBudget};
pub use error::{LAST_EARLIER_BUILD, RecordError, RulesError};
pub use parser::RawRecord;
pub use provenance::{Provenance, RecordPlayerJson, RecordPlayerKind};

/// The version of the format of records.
pub const FORMAT: u16 = 2;

/// The fields of a record that are not parameters of its game.
pub(super) const FIELDS: [&str; 12] = [
    "format", "id", "dice", "start", "plies", "ending", "resigned", "winners", "seats", "seed",
    "arena", "seal",
];

/// The data of a record besides the game itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordMetadata {
    /// The public id, if the game has one.
    pub id: Option<String>,
    /// The data about its dice that may be disclosed.
    pub dice: DiceDisclosure,
    /// Who played it.
    pub provenance: Provenance,
}

impl RecordMetadata {
    /// A game without any of this data.
    pub const EMPTY: RecordMetadata = RecordMetadata {
        id: None,
        dice: DiceDisclosure::Nothing,
        provenance: Provenance::UNKNOWN,
    };
}

/// A complete game, as it is downloaded and as the terminal saves it.
#[derive(Clone, Debug, Serialize)]
pub struct RecordJson {
    /// The version of the format: 2.
    format: u16,
    /// The public id, if the game has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The commitment to the dice, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    dice: Option<DiceJson>,
    #[serde(flatten)]
    parameters: JsonFields,
    /// The position at which the game begins.
    start: Box<RawValue>,
    /// All entries, in order.
    plies: Vec<EntryJson>,
    /// How the game ended; null while it is in progress.
    ending: Option<EndReason>,
    /// The player who ended the game by resigning, counted from 0. Absent after other endings.
    #[serde(skip_serializing_if = "Option::is_none")]
    resigned: Option<u8>,
    /// The winners, counted from 0; null until the game is over, and empty after a draw.
    winners: Option<Vec<u8>>,
    /// The players, in order. Absent if they are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seats: Vec<RecordPlayerJson>,
    /// The seed of the deal, the dice and the random choices of levels. Absent if the game has no such seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// Identifies a game of an arena. Absent for other games.
    #[serde(skip_serializing_if = "Option::is_none")]
    arena: Option<ArenaJson>,
    /// The checksum: SHA-256 of all other fields, 64 hexadecimal digits. It detects damage, not forgery.
    seal: String,
}

/// The commitment to the dice of a game, and their seed once it is revealed; docs/fair-dice.md describes the bytes.
#[derive(Clone, Debug, Serialize)]
pub struct DiceJson {
    /// SHA-256 of seed and salt, 64 hexadecimal digits.
    commitment: String,
    /// The key of all rolls, 64 hexadecimal digits. Present once the game is over; in a scored game of the day, once
    /// the day is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    /// The salt of the commitment, 64 hexadecimal digits. Present if `seed` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
}

impl DiceJson {
    fn from_disclosure(dice: &DiceDisclosure) -> Option<Self> {
        let revealed = match dice {
            DiceDisclosure::Nothing | DiceDisclosure::Committed(_) => None,
            DiceDisclosure::Revealed(CommittedSeed { seed, salt }) => {
                Some((hex(seed.as_bytes()), hex(salt.as_bytes())))
            }
        };
        let (seed, salt) = revealed.unzip();
        Some(DiceJson {
            commitment: dice.commitment()?.to_string(),
            seed,
            salt,
        })
    }
}

impl RecordJson {
    /// The record of a game, which may still be in progress.
    ///
    /// # Panics
    /// If a value of the game does not serialize to JSON.
    #[must_use]
    pub fn from_session<G: GameFormat>(session: &Session<G>, metadata: &RecordMetadata) -> Self {
        let game = session.game();
        let over = session.status().is_over();
        let ending = session.record().ending;
        let mut record = RecordJson {
            format: FORMAT,
            id: metadata.id.clone(),
            dice: DiceJson::from_disclosure(&metadata.dice),
            parameters: JsonFields::from_value(&NamedParameters::from_game(game)),
            start: to_raw_json(&game.to_setup(&session.record().start)),
            plies: session
                .replay_from(0)
                .map(|entry| EntryJson::from_entry(game, &entry, &metadata.dice))
                .collect(),
            ending: EndReason::new(over, ending),
            resigned: ending.and_then(|ending| ending.player().map(Player::number)),
            winners: winner_numbers(session),
            seats: metadata.provenance.seats.clone(),
            seed: metadata.provenance.seed,
            arena: metadata.provenance.arena.clone(),
            seal: String::new(),
        };
        let value = serde_json::to_value(&record).expect("a record serializes to JSON");
        record.seal = checksum(&value).to_string();
        record
    }
}

/// Whether a record's checksum matches its fields; `None` if it has no checksum.
#[must_use]
pub fn checksum_matches(text: &str) -> Option<bool> {
    let Ok(record) = serde_json::from_str::<Value>(text) else {
        return Some(false);
    };
    let checksum_in_record = record.get("seal")?;
    Some(checksum_in_record.as_str() == Some(checksum(&record).to_string().as_str()))
}

/// SHA-256 of the canonical JSON of all fields but the checksum.
fn checksum(record: &Value) -> Sha256Digest {
    let mut fields = record.clone();
    if let Value::Object(fields) = &mut fields {
        fields.remove("seal");
    }
    Sha256Digest::compute(canonical_json(&fields).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::FIELDS;

    /// The field names in the list `EXCLUDED_FIELDS` of a verification script.
    #[track_caller]
    fn listed_fields(script: &str) -> Vec<&str> {
        let (_, list) = script
            .split_once("EXCLUDED_FIELDS = ")
            .expect("the script has a list EXCLUDED_FIELDS");
        let end = list.find([')', ']']).expect("the list is closed");
        list[..end].split('"').skip(1).step_by(2).collect()
    }

    #[test]
    fn verification_scripts_and_document_list_the_same_fields() {
        let mut expected: Vec<&str> = FIELDS.into_iter().filter(|name| *name != "start").collect();
        expected.sort_unstable();
        for script in [
            include_str!("../../../docs/verify.py"),
            include_str!("../../../static/fair.js"),
        ] {
            let mut listed = listed_fields(script);
            listed.sort_unstable();
            assert_eq!(listed, expected);
        }
        let document = include_str!("../../../docs/fair-dice.md");
        let (_, listed) = document
            .split_once("the record without the fields ")
            .expect("the document lists the excluded fields");
        let (listed, _) = listed
            .split_once(", that is")
            .expect("the list of fields ends");
        let mut listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        listed.sort_unstable();
        assert_eq!(listed, expected);
    }
}
