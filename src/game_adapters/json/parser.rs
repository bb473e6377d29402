//! Parser of records: each entry is replayed under the rules while it is parsed, and the first invalid one is
//! reported.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::record::{FIELDS, FORMAT, checksum_matches};
pub use super::record_error::RecordError;
use super::{ActionFieldsError, Provenance, RecordMetadata, player_numbers};
use crate::game::Player;
use crate::game_adapters::dice_audit::LiveDiceAudit;
use crate::game_adapters::notation::{is_earlier_notation, is_notation};
use crate::game_adapters::{
    ErrorText, FieldError, JsonFields, LiveGame, LiveGameRef, RegistrableGame, Registry,
};
use crate::lines::strip_bom;
use crate::provably_fair::{
    CommittedSeed, DiceDisclosure, GameDice, RollContext, Salt, Sha256Digest, parse_hex,
};
use crate::record::{
    Ending, EntropyContribution, EntropyText, MAX_ENTRIES, Ply, ReplayErrorKind, Takeback,
};
use crate::rng::DiceSeed;
use crate::session::Session;

/// A parsed record: a game that is legal under the rules. [`ParsedRecord::dice_proof`] verifies its dice.
#[derive(Clone, Debug)]
pub struct ParsedRecord {
    /// The game, which may still be in progress.
    pub live: LiveGameRef,
    /// The other data of the record.
    pub metadata: RecordMetadata,
}

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

impl ParsedRecord {
    /// Recomputes all rolls from the revealed seed. Takes a few milliseconds for a long game.
    ///
    /// # Errors
    /// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Entropy`], [`RecordError::Dice`].
    pub fn dice_proof(&self) -> Result<DiceProof, RecordError> {
        if let Some(entry) = self.live.first_invalid_entropy() {
            return Err(RecordError::Entropy(entry));
        }
        let committed = match &self.metadata.dice {
            DiceDisclosure::Nothing => return Ok(DiceProof::Absent),
            DiceDisclosure::Committed(_) if self.live.is_over() => {
                return Err(RecordError::Dice("they were not opened at the end"));
            }
            DiceDisclosure::Committed(_) => return Ok(DiceProof::Sealed),
            DiceDisclosure::Revealed(committed) => committed.clone(),
        };
        let game = self.metadata.id.clone();
        let game = game.ok_or(RecordError::Dice("the game has no id"))?;
        match first_invalid_roll(&*self.live, &(committed, game)) {
            Some(entry) => Err(RecordError::Rolls(entry)),
            None => Ok(DiceProof::Rolls(self.live.rolls(None).len())),
        }
    }
}

/// The first entry whose roll does not follow from the revealed seed, in the game with this id.
fn first_invalid_roll(
    live: &(impl LiveDiceAudit + ?Sized),
    (committed, game): &(CommittedSeed, String),
) -> Option<u32> {
    let (game, deal) = (game.clone(), live.deal());
    let dice = GameDice::Committed(committed.clone(), RollContext { game, deal });
    let mut rolls = live.rolls(Some(&dice)).into_iter();
    let invalid = rolls.find(|roll| !roll.verification.as_ref().is_some_and(|again| again.agrees));
    invalid.map(|roll| roll.entry)
}

/// The fields of a record besides its game's parameters, not yet interpreted.
pub struct RawRecord {
    start: Box<RawValue>,
    entries: Vec<JsonFields>,
    ending: Option<String>,
    resigned: Option<u8>,
    winners: Option<Vec<u8>>,
    /// The seed and the game's id, if the seed is revealed.
    committed: Option<(CommittedSeed, String)>,
}

impl Registry {
    /// Parses a record (JSON or notation) of any registered game, replays it and validates it.
    ///
    /// # Errors
    /// The first error.
    pub fn read_record(&self, text: &str) -> Result<ParsedRecord, RecordError> {
        if is_earlier_notation(text) {
            return Err(RecordError::EarlierFormat);
        }
        if is_notation(text) {
            return Ok(self.read_notation(text)?);
        }
        let parameters: Result<JsonFields, _> = serde_json::from_str(strip_bom(text));
        let mut parameters = parameters.map_err(|error| match error.classify() {
            Category::Syntax | Category::Eof | Category::Io => RecordError::NotJson {
                line: error.line(),
                column: error.column(),
            },
            Category::Data => FieldError::from(&error).into(),
        })?;
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
        let raw_record = RawRecord {
            start: required(&mut fields, "start")?,
            entries: required(&mut fields, "plies")?,
            ending: fields.take::<Option<String>>("ending")?.flatten(),
            resigned: fields.take("resigned")?,
            winners: fields.take::<Option<Vec<u8>>>("winners")?.flatten(),
            committed: match (&metadata.dice, &metadata.id) {
                (DiceDisclosure::Revealed(committed), Some(id)) => {
                    Some((committed.clone(), id.clone()))
                }
                _ => None,
            },
        };
        if raw_record.entries.len() > MAX_ENTRIES as usize {
            return Err(RecordError::TooLong);
        }
        let name: String = required(&mut parameters, "game")?;
        let kind = self.game_type(&name);
        let kind = kind.map_err(|unknown| RecordError::UnknownGame(unknown.0))?;
        let live = kind.game_from_record(parameters, raw_record)?;
        metadata.provenance.validate(&*live.configured_game())?;
        if matches!(metadata.dice, DiceDisclosure::Revealed(_)) && !live.is_over() {
            return Err(RecordError::Dice("they were opened before the end"));
        }
        Ok(ParsedRecord { live, metadata })
    }

    /// Like [`Registry::read_record`], and also verifies its dice and its checksum, if it has them.
    ///
    /// # Errors
    /// The first error.
    pub fn read_verified_record(
        &self,
        text: &str,
    ) -> Result<(ParsedRecord, DiceProof), RecordError> {
        let text = strip_bom(text);
        let read = self.read_record(text)?;
        let proof = read.dice_proof()?;
        if is_notation(text) {
            return Ok((read, proof));
        }
        match checksum_matches(text) {
            Some(false) => Err(RecordError::Seal),
            Some(true) | None => Ok((read, proof)),
        }
    }
}

fn required<T: DeserializeOwned>(fields: &mut JsonFields, name: &str) -> Result<T, FieldError> {
    let value = fields.take(name)?;
    value.ok_or_else(|| FieldError(format!("the field `{name}` is missing")))
}

fn read_dice(fields: Option<JsonFields>) -> Result<DiceDisclosure, RecordError> {
    let Some(mut fields) = fields else {
        return Ok(DiceDisclosure::Nothing);
    };
    let digits = |fields: &mut JsonFields, name: &str| -> Result<Option<[u8; 32]>, RecordError> {
        let text: Option<String> = fields.take(name)?;
        let bytes = text.map(|text| parse_hex(&text)).transpose();
        bytes.map_err(|error| FieldError(format!("{name}: {error}")).into())
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

/// Replays a record of this game, given its parsed parameters.
pub(in crate::game_adapters) fn replay_record<G: RegistrableGame>(
    parameters: JsonFields,
    raw_record: RawRecord,
) -> Result<LiveGameRef, RecordError> {
    let setup = |error: &G::SetupError| {
        RecordError::Setup(ErrorText {
            sentence: error.to_string(),
            message: G::setup_error_text(error),
        })
    };
    let game = G::from_parameters(&parameters.into()?).map_err(|error| setup(&error))?;
    let start: G::Setup = serde_json::from_str(raw_record.start.get())
        .map_err(|error| FieldError::within("start", &error))?;
    let start = game
        .position_from_setup(&start)
        .map_err(|error| setup(&error))?;
    let mut session = Session::new(game, start);
    let committed = raw_record.committed;
    // Reports a manipulated roll rather than an error that it caused later.
    let prefer_roll_error = |session: &Session<G>, error: RecordError| {
        let invalid_roll = committed
            .as_ref()
            .and_then(|committed| first_invalid_roll(session, committed));
        invalid_roll.map_or(error, RecordError::Rolls)
    };
    for (number, fields) in (0..).zip(raw_record.entries) {
        session = with_entry(&session, number, fields)
            .map_err(|error| prefer_roll_error(&session, error))?;
    }
    let ended = apply_ending(
        &mut session,
        raw_record.ending.as_deref(),
        raw_record.resigned,
    );
    ended.map_err(|error| prefer_roll_error(&session, error))?;
    let winners = session
        .status()
        .is_over()
        .then(|| player_numbers(&LiveGame::winners(&session)));
    if winners != raw_record.winners {
        return Err(prefer_roll_error(&session, RecordError::End("others win")));
    }
    Ok(Arc::new(session))
}

/// The session after one more entry.
fn with_entry<G: RegistrableGame>(
    session: &Session<G>,
    number: u32,
    mut fields: JsonFields,
) -> Result<Session<G>, RecordError> {
    let field_error = |error: FieldError| RecordError::Entry(number, error.0);
    let invalid = |why: &str| RecordError::Entry(number, why.to_owned());
    if required::<u32>(&mut fields, "ply").map_err(field_error)? != number {
        return Err(invalid("its number is another"));
    }
    let player: u8 = required(&mut fields, "player").map_err(field_error)?;
    let player = Player::try_new(player, LiveGame::players(session));
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
                Err(error) => {
                    let (sentence, message) = (error.to_string(), G::record_error_text(&error));
                    RecordError::Illegal(number, ErrorText { sentence, message })
                }
                Ok(()) => RecordError::Replay(number, error),
            }
        }
        _ => RecordError::Replay(number, error),
    })
}

fn apply_ending<G: RegistrableGame>(
    session: &mut Session<G>,
    ending: Option<&str>,
    resigned: Option<u8>,
) -> Result<(), RecordError> {
    let is_over_by_rules = session.status().is_over();
    let named = match ending {
        None | Some("rules") => None,
        Some(name) => {
            let player = resigned.map(|number| Player::try_new(number, LiveGame::players(session)));
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
