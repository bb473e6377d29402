//! Parser of records: each entry is replayed under the rules while it is parsed, and the first invalid one is
//! reported.

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::provably_fair::{
    CommittedSeed, DiceDisclosure, Salt, Sha256Digest, parse_hex,
};
use dice_of_doom_core::record::{
    Ending, EntropyContribution, EntropyText, MAX_ENTRIES, Ply, ReplayErrorKind, Takeback,
};
use dice_of_doom_core::rng::DiceSeed;
use dice_of_doom_core::session::Session;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{FIELDS, FORMAT, Provenance, RecordError, RecordMetadata, RulesError};
use crate::dice_proof::first_invalid_roll;
use crate::end_reason::winner_numbers;
use crate::fields::from_json;
use crate::lines::strip_bom;
use crate::{ActionFieldsError, FieldError, GameFormat, JsonFields};

/// A record in JSON, parsed but not yet replayed.
pub struct RawRecord {
    /// The name of its game.
    pub game: String,
    parameters: JsonFields,
    start: Box<RawValue>,
    entries: Vec<JsonFields>,
    ending: Option<String>,
    resigned: Option<u8>,
    winners: Option<Vec<u8>>,
    metadata: RecordMetadata,
}

impl RawRecord {
    /// Parses the fields of a record that do not depend on its game.
    ///
    /// # Errors
    /// The first error.
    pub fn parse<R>(text: &str) -> Result<Self, RecordError<R>> {
        let record: Result<&RawValue, _> = serde_json::from_str(strip_bom(text));
        let record = record.map_err(|error| RecordError::NotJson {
            line: error.line(),
            column: error.column(),
        })?;
        let mut parameters = JsonFields::parse(record.get())?;
        let mut fields = parameters.split(&FIELDS);
        match required::<u32>(&mut fields, "format")? {
            1 => return Err(RecordError::EarlierFormat),
            format if format != u32::from(FORMAT) => return Err(RecordError::Format),
            _ => {}
        }
        let metadata = RecordMetadata {
            id: fields.take("id")?,
            dice: read_dice(fields.take("dice")?)?,
            provenance: Provenance {
                seats: fields.take("seats")?.unwrap_or_default(),
                seed: fields.take("seed")?,
                arena: fields.take("arena")?,
            },
        };
        let start = required(&mut fields, "start")?;
        let entries: Vec<JsonFields> = required(&mut fields, "plies")?;
        let ending = fields.take::<Option<String>>("ending")?.flatten();
        let resigned = fields.take("resigned")?;
        let winners = fields.take::<Option<Vec<u8>>>("winners")?.flatten();
        if entries.len() > MAX_ENTRIES as usize {
            return Err(RecordError::TooLong);
        }
        Ok(RawRecord {
            game: required(&mut parameters, "game")?,
            parameters,
            start,
            entries,
            ending,
            resigned,
            winners,
            metadata,
        })
    }

    /// Replays and validates the record, whose game is `G`.
    ///
    /// # Errors
    /// The first error.
    pub fn replay<G, R>(self) -> Result<(Session<G>, RecordMetadata), RecordError<R>>
    where
        G: GameFormat + AgentProvider,
        R: From<RulesError<G>>,
    {
        let setup_error = |error| RecordError::Setup(RulesError::<G>::Setup(error).into());
        let game = G::from_parameters(&self.parameters.into()?).map_err(setup_error)?;
        let start: G::Setup = from_json(self.start.get()).map_err(|error| error.within("start"))?;
        let start = game.position_from_setup(&start).map_err(setup_error)?;
        let metadata = self.metadata;
        // Reports a manipulated roll rather than an error that it caused later.
        let prefer_roll_error = |session: &Session<G>, error: RecordError<R>| {
            let invalid_roll = match (&metadata.dice, &metadata.id) {
                (DiceDisclosure::Revealed(committed), Some(id)) => {
                    first_invalid_roll(session, committed, id)
                }
                _ => None,
            };
            invalid_roll.map_or(error, RecordError::Rolls)
        };
        let mut session = Session::new(game, start);
        for (number, fields) in (0..).zip(self.entries) {
            session = with_entry(&session, number, fields)
                .map_err(|error| prefer_roll_error(&session, error))?;
        }
        let ended = apply_ending(&mut session, self.ending.as_deref(), self.resigned);
        ended.map_err(|error| prefer_roll_error(&session, error))?;
        if winner_numbers(&session) != self.winners {
            return Err(prefer_roll_error(&session, RecordError::End("others win")));
        }
        metadata.provenance.validate(&game)?;
        if matches!(metadata.dice, DiceDisclosure::Revealed(_)) && !session.status().is_over() {
            return Err(RecordError::Dice("they were opened before the end"));
        }
        Ok((session, metadata))
    }
}

fn required<T: DeserializeOwned>(fields: &mut JsonFields, name: &str) -> Result<T, FieldError> {
    let value = fields.take(name)?;
    value.ok_or_else(|| FieldError(format!("the field `{name}` is missing")))
}

fn read_dice<R>(fields: Option<JsonFields>) -> Result<DiceDisclosure, RecordError<R>> {
    let Some(mut fields) = fields else {
        return Ok(DiceDisclosure::Nothing);
    };
    let digits = |fields: &mut JsonFields, name: &str| -> Result<Option<[u8; 32]>, FieldError> {
        let text: Option<String> = fields.take(name)?;
        let bytes = text.map(|text| parse_hex(&text)).transpose();
        bytes.map_err(|error| FieldError(format!("{name}: {error}")))
    };
    let commitment: String = required(&mut fields, "commitment")?;
    let commitment: Sha256Digest = commitment
        .parse()
        .map_err(|error| FieldError(format!("commitment: {error}")))?;
    let (seed, salt) = (digits(&mut fields, "seed")?, digits(&mut fields, "salt")?);
    if let Some(name) = fields.names().next() {
        return Err(FieldError(format!("dice: unknown field `{name}`")).into());
    }
    match (seed, salt) {
        (None, None) => Ok(DiceDisclosure::Committed(commitment)),
        (Some(seed), Some(salt)) => {
            let committed = CommittedSeed {
                seed: DiceSeed::from_bytes(seed),
                salt: Salt::from_bytes(salt),
            };
            if committed.commitment() == commitment {
                Ok(DiceDisclosure::Revealed(committed))
            } else {
                Err(RecordError::Dice(
                    "seed and salt do not give the commitment",
                ))
            }
        }
        _ => Err(RecordError::Dice("seed and salt go together")),
    }
}

/// The session after one more entry.
fn with_entry<G: GameFormat, R: From<RulesError<G>>>(
    session: &Session<G>,
    number: u32,
    mut fields: JsonFields,
) -> Result<Session<G>, RecordError<R>> {
    let field_error = |error: FieldError| RecordError::Entry(number, error.0);
    let invalid = |why: &str| RecordError::Entry(number, why.to_owned());
    if required::<u32>(&mut fields, "ply").map_err(field_error)? != number {
        return Err(invalid("its number is another"));
    }
    let player: u8 = required(&mut fields, "player").map_err(field_error)?;
    let player = Player::try_new(player, session.game().players());
    let player = player.ok_or_else(|| invalid("the game has no such player"))?;
    let at_ms = required(&mut fields, "at").map_err(field_error)?;
    let takeback: Option<u32> = fields.take("takeback").map_err(field_error)?;
    let entropy: Option<String> = fields.take("entropy").map_err(field_error)?;
    let mut attempted = None;
    let next = match (takeback, entropy) {
        (None, None) => {
            let roll = required(&mut fields, "roll").map_err(field_error)?;
            let roll = G::parse_roll(roll).ok_or_else(|| invalid("there are no such dice"))?;
            let before: Option<String> = fields.take("before").map_err(field_error)?;
            let notation = || session.game().notation(session.position());
            if before.is_some_and(|before| before != notation()) {
                return Err(invalid("it was played at another position"));
            }
            let action = session
                .game()
                .parse_action_json(session.position(), fields)
                .map_err(|error| match error {
                    ActionFieldsError::Malformed(why) | ActionFieldsError::Impossible(why) => {
                        RecordError::Entry(number, why)
                    }
                })?;
            attempted = Some(action);
            session.with_ply(Ply {
                player,
                action,
                roll,
                at_ms,
            })
        }
        _ if fields.names().next().is_some() => return Err(invalid("it has an unknown field")),
        (Some(to), None) => session.with_takeback(Takeback { player, to, at_ms }),
        (None, Some(text)) => {
            let text = EntropyText::from_exact(&text)
                .ok_or_else(|| invalid("this is not valid entropy text"))?;
            session.with_entropy(EntropyContribution {
                player,
                text,
                at_ms,
            })
        }
        (Some(_), Some(_)) => return Err(invalid("it is two things at once")),
    };
    next.map_err(|error| match (error, attempted) {
        (ReplayErrorKind::IllegalAction, Some(action)) => {
            match session.game().check_action(session.position(), action) {
                Err(error) => RecordError::Illegal(number, RulesError::Action(error).into()),
                Ok(()) => RecordError::Replay(number, error),
            }
        }
        _ => RecordError::Replay(number, error),
    })
}

fn apply_ending<G: GameFormat, R>(
    session: &mut Session<G>,
    ending: Option<&str>,
    resigned: Option<u8>,
) -> Result<(), RecordError<R>> {
    let is_over_by_rules = session.status().is_over();
    let named = match ending {
        None | Some("rules") => None,
        Some(name) => {
            let player = resigned.map(|number| Player::try_new(number, session.game().players()));
            let player = match player {
                Some(None) => return Err(RecordError::End("the game has no such player")),
                Some(Some(player)) => Some(player),
                None => None,
            };
            let ending = Ending::from_name(name, player);
            Some(ending.ok_or(RecordError::End("it has no such name"))?)
        }
    };
    match named {
        _ if named.is_none() && resigned.is_some() => {
            Err(RecordError::End("nobody can have given up"))
        }
        None if is_over_by_rules != ending.is_some() => {
            Err(RecordError::End("the rules say otherwise"))
        }
        Some(_) if is_over_by_rules => Err(RecordError::End("the rules had ended the game")),
        named => {
            named.into_iter().for_each(|ending| session.end(ending));
            Ok(())
        }
    }
}
