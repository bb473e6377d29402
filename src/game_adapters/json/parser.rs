//! Records, read: each entry is played again by the rules as it is read, and the first one that cannot
//! have happened is named.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::record::{FIELDS, FORMAT, checksum_matches};
pub use super::record_error::RecordError;
use super::{ActionFieldsError, Provenance, RecordMetadata, numbers};
use crate::game::Player;
use crate::game_adapters::dice_audit::LiveDiceAudit;
use crate::game_adapters::notation::is_notation;
use crate::game_adapters::{
    ErrorText, FieldError, JsonFields, LiveGame, LiveGameRef, RegistrableGame, Registry,
};
use crate::lines::without_mark;
use crate::provably_fair::{
    CommittedSeed, DiceDisclosure, GameDice, Protocol, RollContext, Salt, Sha256Digest, parse_hex,
};
use crate::record::{
    Ending, EntropyContribution, EntropyText, MAX_PLIES, Ply, ReplayErrorKind, Takeback,
};
use crate::rng::DiceSeed;
use crate::session::Session;

/// A record that was read: a game that can have been played so. What it says of its dice is checked by
/// [`ParsedRecord::dice_proof`].
#[derive(Clone, Debug)]
pub struct ParsedRecord {
    /// The game as far as it was played.
    pub live: LiveGameRef,
    /// What else the record says.
    pub about: RecordMetadata,
}

/// What the dice of a record show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiceProof {
    /// All of so many rolls follow from the seed that was opened.
    Rolls(usize),
    /// The game goes on, and its dice are sealed.
    Sealed,
    /// They were never sealed.
    Nothing,
}

impl ParsedRecord {
    /// Throws all dice again from the opened seed. A long game takes some milliseconds.
    ///
    /// # Errors
    /// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Dice`].
    pub fn dice_proof(&self) -> Result<DiceProof, RecordError> {
        if self.about.dice.protocol() == Some(Protocol::ByPosition)
            && let Some(entry) = self.live.wrong_words()
        {
            return Err(RecordError::Words(entry));
        }
        let sealed = match &self.about.dice {
            DiceDisclosure::Nothing => return Ok(DiceProof::Nothing),
            DiceDisclosure::Committed(..) if self.live.is_over() => {
                return Err(RecordError::Dice("they were not opened at the end"));
            }
            DiceDisclosure::Committed(..) => return Ok(DiceProof::Sealed),
            DiceDisclosure::Opened(sealed) => sealed.clone(),
        };
        let game = self.about.id.clone();
        let game = game.ok_or(RecordError::Dice("the game has no id"))?;
        match first_invalid_roll(&*self.live, &(sealed, game)) {
            Some(entry) => Err(RecordError::Rolls(entry)),
            None => Ok(DiceProof::Rolls(self.live.rolls(None).len())),
        }
    }
}

/// The first entry whose roll does not follow from an opened seed, in the game of this id.
fn first_invalid_roll(
    live: &(impl LiveDiceAudit + ?Sized),
    (sealed, game): &(CommittedSeed, String),
) -> Option<u32> {
    let (game, deal) = (game.clone(), live.deal());
    let dice = GameDice::Fair(sealed.clone(), RollContext { game, deal });
    let mut rolls = live.rolls(Some(&dice)).into_iter();
    let wrong = rolls.find(|roll| !roll.again.as_ref().is_some_and(|again| again.agrees));
    wrong.map(|roll| roll.entry)
}

/// What stands in a record beside the parameters of its game, not yet read.
pub struct RawRecord {
    start: Box<RawValue>,
    entries: Vec<JsonFields>,
    ending: Option<String>,
    resigned: Option<u8>,
    winners: Option<Vec<u8>>,
    /// What the rolls follow from, where that is open.
    sealed: Option<(CommittedSeed, String)>,
}

impl Registry {
    /// The game of a record (JSON or notation), whichever it is, played again and checked.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn read_record(&self, text: &str) -> Result<ParsedRecord, RecordError> {
        if is_notation(text) {
            return Ok(self.read_notation(text)?);
        }
        let parameters: Result<JsonFields, _> = serde_json::from_str(without_mark(text));
        let mut parameters = parameters.map_err(|error| match error.classify() {
            Category::Syntax | Category::Eof | Category::Io => RecordError::NotJson {
                line: error.line(),
                column: error.column(),
            },
            Category::Data => FieldError::from(&error).into(),
        })?;
        let mut fields = parameters.split(&FIELDS);
        if needed::<u32>(&mut fields, "format")? != u32::from(FORMAT) {
            return Err(RecordError::Format);
        }
        let about = RecordMetadata {
            id: fields.take("id")?,
            dice: read_dice(fields.take("dice")?)?,
            provenance: Provenance {
                seats: fields.take("seats")?.unwrap_or_default(),
                seed: fields.take("seed")?,
                arena: fields.take("arena")?,
            },
        };
        let written = RawRecord {
            start: needed(&mut fields, "start")?,
            entries: needed(&mut fields, "plies")?,
            ending: fields.take::<Option<String>>("ending")?.flatten(),
            resigned: fields.take("resigned")?,
            winners: fields.take::<Option<Vec<u8>>>("winners")?.flatten(),
            sealed: match (&about.dice, &about.id) {
                (DiceDisclosure::Opened(sealed), Some(id)) => Some((sealed.clone(), id.clone())),
                _ => None,
            },
        };
        if written.entries.len() > MAX_PLIES as usize {
            return Err(RecordError::TooLong);
        }
        let name: String = needed(&mut parameters, "game")?;
        let kind = self.game_type(&name);
        let kind = kind.map_err(|unknown| RecordError::UnknownGame(unknown.0))?;
        let live = kind.read(parameters, written)?;
        about.provenance.fits(live.players())?;
        if matches!(about.dice, DiceDisclosure::Opened(_)) && !live.is_over() {
            return Err(RecordError::Dice("they were opened before the end"));
        }
        Ok(ParsedRecord { live, about })
    }

    /// As [`Registry::read_record`], and its dice and its seal hold, where it has any.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn read_verified_record(&self, text: &str) -> Result<(ParsedRecord, DiceProof), RecordError> {
        let text = without_mark(text);
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

fn needed<T: DeserializeOwned>(fields: &mut JsonFields, name: &str) -> Result<T, FieldError> {
    let value = fields.take(name)?;
    value.ok_or_else(|| FieldError(format!("the field `{name}` is missing")))
}

fn read_dice(fields: Option<JsonFields>) -> Result<DiceDisclosure, RecordError> {
    let Some(mut fields) = fields else {
        return Ok(DiceDisclosure::Nothing);
    };
    let protocol = Protocol::from_number(needed(&mut fields, "format")?);
    let protocol = protocol.ok_or(RecordError::Dice("their format is not known"))?;
    let digits = |fields: &mut JsonFields, name: &str| -> Result<Option<[u8; 32]>, RecordError> {
        let text: Option<String> = fields.take(name)?;
        let bytes = text.map(|text| parse_hex(&text)).transpose();
        bytes.map_err(|error| FieldError(format!("{name}: {error}")).into())
    };
    let commitment: String = needed(&mut fields, "commitment")?;
    let commitment: Sha256Digest = commitment
        .parse()
        .map_err(|error| FieldError(format!("commitment: {error}")))?;
    let (seed, salt) = (digits(&mut fields, "seed")?, digits(&mut fields, "salt")?);
    if let Some(name) = fields.names().next() {
        return Err(FieldError(format!("dice: unknown field `{name}`")).into());
    }
    match (seed, salt) {
        (None, None) => Ok(DiceDisclosure::Committed(protocol, commitment)),
        (Some(seed), Some(salt)) => {
            let sealed = CommittedSeed {
                protocol,
                seed: DiceSeed::from_bytes(seed),
                salt: Salt::from_bytes(salt),
            };
            if sealed.commitment() == commitment {
                Ok(DiceDisclosure::Opened(sealed))
            } else {
                Err(RecordError::Dice(
                    "seed and salt do not give the commitment",
                ))
            }
        }
        _ => Err(RecordError::Dice("seed and salt go together")),
    }
}

/// Plays a record of this game again, from its parameters on.
pub(in crate::game_adapters) fn read<G: RegistrableGame>(
    parameters: JsonFields,
    written: RawRecord,
) -> Result<LiveGameRef, RecordError> {
    let setup = |error: &G::SetupError| {
        RecordError::Setup(ErrorText {
            sentence: error.to_string(),
            said: G::setup_error_text(error),
        })
    };
    let game = G::from_parameters(&parameters.into()?).map_err(|error| setup(&error))?;
    let start: G::Setup = serde_json::from_str(written.start.get())
        .map_err(|error| FieldError::within("start", &error))?;
    let start = game.position_from_setup(&start).map_err(|error| setup(&error))?;
    let mut session = Session::new(game, start);
    let sealed = written.sealed;
    // A roll that was altered is told before what it led to.
    let told = |session: &Session<G>, error: RecordError| {
        let wrong = sealed
            .as_ref()
            .and_then(|sealed| first_invalid_roll(session, sealed));
        wrong.map_or(error, RecordError::Rolls)
    };
    for (number, fields) in (0..).zip(written.entries) {
        session = follow(&session, number, fields).map_err(|error| told(&session, error))?;
    }
    let ended = end(&mut session, written.ending.as_deref(), written.resigned);
    ended.map_err(|error| told(&session, error))?;
    let winners = session
        .status()
        .is_over()
        .then(|| numbers(&LiveGame::winners(&session)));
    if winners != written.winners {
        return Err(told(&session, RecordError::End("others win")));
    }
    Ok(Arc::new(session))
}

/// The session after one more entry.
fn follow<G: RegistrableGame>(
    session: &Session<G>,
    number: u32,
    mut fields: JsonFields,
) -> Result<Session<G>, RecordError> {
    let unread = |error: FieldError| RecordError::Entry(number, error.0);
    let refused = |why: &str| RecordError::Entry(number, why.to_owned());
    if needed::<u32>(&mut fields, "ply").map_err(unread)? != number {
        return Err(refused("its number is another"));
    }
    let player: u8 = needed(&mut fields, "player").map_err(unread)?;
    let player = Player::try_new(player, LiveGame::players(session));
    let player = player.ok_or_else(|| refused("the game has no such player"))?;
    let at_ms = needed(&mut fields, "at").map_err(unread)?;
    let takeback: Option<u32> = fields.take("takeback").map_err(unread)?;
    let words: Option<String> = fields.take("entropy").map_err(unread)?;
    let mut tried = None;
    let next = match (takeback, words) {
        (None, None) => {
            let roll = needed(&mut fields, "roll").map_err(unread)?;
            let roll = G::parse_roll(roll).ok_or_else(|| refused("there are no such dice"))?;
            let before: Option<String> = fields.take("before").map_err(unread)?;
            let notation = || session.game().notation(session.position());
            if before.is_some_and(|before| before != notation()) {
                return Err(refused("it was played at another position"));
            }
            let action = G::read_action(session, number, fields).map_err(|why| match why {
                ActionFieldsError::Unfit(why) => RecordError::Entry(number, why),
                ActionFieldsError::Stale => refused("there is no such action"),
            })?;
            tried = Some(action);
            session.with_ply(Ply {
                player,
                action,
                roll,
                at_ms,
            })
        }
        _ if fields.names().next().is_some() => return Err(refused("it has an unknown field")),
        (Some(to), None) => session.with_takeback(Takeback { player, to, at_ms }),
        (None, Some(words)) => {
            let words =
                EntropyText::from_exact(&words).ok_or_else(|| refused("these are no such words"))?;
            session.with_entropy(EntropyContribution {
                player,
                words,
                at_ms,
            })
        }
        (Some(_), Some(_)) => return Err(refused("it is two things at once")),
    };
    next.map_err(|why| match (why, tried) {
        (ReplayErrorKind::IllegalAction, Some(action)) => {
            match session.game().check_action(session.position(), action) {
                Err(refusal) => {
                    let (sentence, said) = (refusal.to_string(), G::record_error_text(&refusal));
                    RecordError::Illegal(number, ErrorText { sentence, said })
                }
                Ok(()) => RecordError::Replay(number, why),
            }
        }
        _ => RecordError::Replay(number, why),
    })
}

fn end<G: RegistrableGame>(
    session: &mut Session<G>,
    ending: Option<&str>,
    resigned: Option<u8>,
) -> Result<(), RecordError> {
    let by_rules = session.status().is_over();
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
        None if by_rules != ending.is_some() => Err(RecordError::End("the rules say otherwise")),
        Some(_) if by_rules => Err(RecordError::End("the rules had ended the game")),
        named => {
            named.into_iter().for_each(|ending| session.end(ending));
            Ok(())
        }
    }
}
