//! The JSON of a whole record: as it is downloaded, as the terminal saves it, and as it is read again.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::provenance::{ArenaJson, ArenaSchema, Provenance, RecordPlayerJson};
use super::{EndReason, EndingName, EntryJson, numbers, raw};
use crate::game::Player;
use crate::game_adapters::dice_audit::canonical_json;
use crate::game_adapters::{JsonFields, LiveGame, RegistrableGame};
use crate::provably_fair::{CommittedSeed, DiceDisclosure, Sha256Digest, hex};
use crate::serialization::NamedParameters;
use crate::session::Session;

/// The version of the JSON form of records.
pub(super) const FORMAT: u16 = 1;

/// The fields of a record that are no parameters of its game.
pub(super) const FIELDS: [&str; 12] = [
    "format", "id", "dice", "start", "plies", "ending", "resigned", "winners", "seats", "seed",
    "arena", "seal",
];

/// What a record says beside the game itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordMetadata {
    /// The public id, where it has one.
    pub id: Option<String>,
    /// What may be told of its dice.
    pub dice: DiceDisclosure,
    /// Who played it, and what repeats it.
    pub provenance: Provenance,
}

impl RecordMetadata {
    /// A game that no server knows.
    pub const NOTHING: RecordMetadata = RecordMetadata {
        id: None,
        dice: DiceDisclosure::Nothing,
        provenance: Provenance::UNKNOWN,
    };
}

/// A whole game, as it is downloaded and as the terminal saves it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RecordJson {
    format: u16,
    /// The public id, where the game has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<String>,
    /// Where the dice were sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dice: Option<DiceJson>,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    parameters: JsonFields,
    #[schema(value_type = Object)]
    start: Box<RawValue>,
    /// Every entry, in order.
    #[schema(value_type = Vec<Object>)]
    plies: Vec<EntryJson>,
    #[schema(value_type = Option<EndingName>)]
    ending: Option<EndReason>,
    /// Who gave up, where the game ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    resigned: Option<u8>,
    winners: Option<Vec<u8>>,
    /// Who sat there, in order, where it is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    seats: Vec<RecordPlayerJson>,
    /// What repeats deal, dice and variety, where the game came from a seed that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seed: Option<u64>,
    /// Which game of an arena it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ArenaSchema>, nullable = false, inline)]
    arena: Option<ArenaJson>,
    /// SHA-256 of all other fields: it tells a damaged record, and proves nothing against people.
    #[schema(required = false)]
    seal: String,
}

/// What may be told of sealed dice: docs/fair-dice.md says what each byte is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SealedDice)]
pub struct DiceJson {
    /// How rolls follow from the seed: 3, or 2 in games of earlier releases.
    format: u16,
    /// SHA-256 of seed and salt, 64 hexadecimal digits as the two others.
    commitment: String,
    /// The key of every roll; there when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seed: Option<String>,
    /// What the commitment hides the seed with; there when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    salt: Option<String>,
}

impl DiceJson {
    fn of(dice: &DiceDisclosure) -> Option<Self> {
        let opened = match dice {
            DiceDisclosure::Nothing | DiceDisclosure::Committed(..) => None,
            DiceDisclosure::Opened(CommittedSeed { seed, salt, .. }) => {
                Some((hex(seed.as_bytes()), hex(salt.as_bytes())))
            }
        };
        let (seed, salt) = opened.unzip();
        Some(DiceJson {
            format: dice.protocol()?.number(),
            commitment: dice.commitment()?.to_string(),
            seed,
            salt,
        })
    }
}

impl RecordJson {
    /// A game as far as it was played.
    pub(in crate::game_adapters) fn of<G: RegistrableGame>(
        session: &Session<G>,
        about: &RecordMetadata,
    ) -> Self {
        let game = session.game();
        let over = session.status().is_over();
        let ending = session.record().ending;
        let mut record = RecordJson {
            format: FORMAT,
            id: about.id.clone(),
            dice: DiceJson::of(&about.dice),
            parameters: JsonFields::of(&NamedParameters::of(game)),
            start: raw(&game.to_setup(&session.record().start)),
            plies: session
                .moments(0)
                .map(|moment| EntryJson::of(game, &moment, about.dice.protocol()))
                .collect(),
            ending: EndReason::of(over, ending),
            resigned: ending.and_then(|ending| ending.player().map(Player::number)),
            winners: over.then(|| numbers(&LiveGame::winners(session))),
            seats: about.provenance.seats.clone(),
            seed: about.provenance.seed,
            arena: about.provenance.arena.clone(),
            seal: String::new(),
        };
        let value = serde_json::to_value(&record).expect("a record is plain values");
        record.seal = checksum(&value).to_string();
        record
    }
}

/// Whether the seal of a record that was read is the one of its fields; `None` where it has none.
pub(super) fn checksum_matches(text: &str) -> Option<bool> {
    let Ok(record) = serde_json::from_str::<Value>(text) else {
        return Some(false);
    };
    let written = record.get("seal")?;
    Some(written.as_str() == Some(checksum(&record).to_string().as_str()))
}

/// The fingerprint of all fields of a record but its seal.
fn checksum(record: &Value) -> Sha256Digest {
    let mut fields = record.clone();
    if let Value::Object(fields) = &mut fields {
        fields.remove("seal");
    }
    Sha256Digest::of(canonical_json(&fields).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::FIELDS;

    /// What of a record is no parameter of its game, by a script that has a list `ABOUT`.
    #[track_caller]
    fn about(script: &str) -> Vec<&str> {
        let (_, list) = script.split_once("ABOUT = ").expect("there is a list");
        let end = list.find([')', ']']).expect("the list has an end");
        list[..end].split('"').skip(1).step_by(2).collect()
    }

    #[test]
    fn scripts_know_what_is_no_parameter() {
        let mut known: Vec<&str> = FIELDS.into_iter().filter(|name| *name != "start").collect();
        known.sort_unstable();
        for script in [
            include_str!("../../../docs/verify.py"),
            include_str!("../../../static/fair.js"),
        ] {
            let mut listed = about(script);
            listed.sort_unstable();
            assert_eq!(listed, known);
        }
        let document = include_str!("../../../docs/fair-dice.md");
        let (_, listed) = document
            .split_once("the record without the fields ")
            .expect("the document says so");
        let (listed, _) = listed.split_once(", that is").expect("and what is left");
        let mut listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        listed.sort_unstable();
        assert_eq!(listed, known);
    }
}
