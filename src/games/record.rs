//! Records and positions of every registered game, in JSON and in notation.

use std::sync::Arc;

use super::form::SettingsForm;
use super::{ErrorText, LiveGameRef, RegistrableGame, Registry};
use crate::formats::dice_proof::DiceProof;
use crate::formats::lines::strip_bom;
use crate::formats::notation::{
    NotationError, ParsedNotation, StoredStart, is_earlier_notation, is_notation, plain_text,
};
use crate::formats::record::{FORMAT, LAST_EARLIER_BUILD, RawRecord, checksum_matches};
use crate::formats::{JsonFields, PositionTextError, RecordError, RecordMetadata, RulesError};
use crate::record::{MAX_ENTRIES, MAX_TAKEBACKS, ReplayErrorKind};
use crate::session::Session;
use crate::templates::message::LocalizedMessage;

/// A parsed record: a game that is legal under the rules. [`ParsedRecord::dice_proof`] verifies its dice.
#[derive(Clone, Debug)]
pub struct ParsedRecord {
    /// The game, which may still be in progress.
    pub live: LiveGameRef,
    /// The other data of the record.
    pub metadata: RecordMetadata,
}

impl ParsedRecord {
    /// Computes all rolls again from the revealed seed. Takes a few milliseconds for a long game.
    ///
    /// # Errors
    /// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Entropy`], [`RecordError::Dice`].
    pub fn dice_proof(&self) -> Result<DiceProof, RecordError<ErrorText>> {
        self.live.dice_proof(&self.metadata)
    }

    /// The game in notation.
    #[must_use]
    pub fn notation(&self) -> String {
        self.live.notation(&self.metadata)
    }
}

impl<G: RegistrableGame> From<(Session<G>, RecordMetadata)> for ParsedRecord {
    fn from((session, metadata): (Session<G>, RecordMetadata)) -> Self {
        ParsedRecord {
            live: Arc::new(session),
            metadata,
        }
    }
}

impl<G: RegistrableGame> From<RulesError<G>> for ErrorText {
    fn from(error: RulesError<G>) -> Self {
        ErrorText {
            sentence: error.to_string(),
            message: match &error {
                RulesError::Setup(error) => (SettingsForm::<G>::OF_GAME.error_text)(error),
                RulesError::Action(error) => G::record_error_text(error),
            },
        }
    }
}

impl Registry {
    /// Parses a record (JSON or notation) of any registered game, replays it and validates it.
    ///
    /// # Errors
    /// The first error.
    pub fn read_record(&self, text: &str) -> Result<ParsedRecord, RecordError<ErrorText>> {
        if is_earlier_notation(text) {
            return Err(RecordError::EarlierFormat);
        }
        if is_notation(text) {
            return Ok(self.read_notation(text)?);
        }
        let raw_record = RawRecord::parse(text)?;
        let kind = self.game_type(&raw_record.game);
        let kind = kind.map_err(|unknown| RecordError::UnknownGame(unknown.0))?;
        kind.game_from_record(raw_record)
    }

    /// Parses a game in notation, replays it and validates it.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn read_notation(&self, text: &str) -> Result<ParsedRecord, NotationError> {
        let text = plain_text(text);
        let parsed = ParsedNotation::parse(&text, &|text| {
            let live = self.position(text)?;
            Ok(StoredStart {
                parameters: live.configured_game().parameters_text(),
                start: live.position_at(0).setup_json(),
            })
        })?;
        let kind = self.parse_parameters(parsed.saved().parameters);
        let (kind, parameters) = kind.map_err(|error| parsed.load_error(&error))?;
        kind.game_from_notation(parameters, parsed)
    }

    /// Like [`Registry::read_record`], and also verifies its dice and its checksum, if it has them.
    ///
    /// # Errors
    /// The first error.
    pub fn read_verified_record(
        &self,
        text: &str,
    ) -> Result<(ParsedRecord, DiceProof), RecordError<ErrorText>> {
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

    /// Parses a position in notation (`dice.v4.…`) as a game that starts there.
    ///
    /// # Errors
    /// If the text is not a legal position, with the location.
    pub fn position(&self, text: &str) -> Result<LiveGameRef, PositionTextError> {
        let error_at = |at: usize, why: &str| PositionTextError {
            at,
            why: why.to_owned(),
        };
        let no_game = || {
            let why = format!(
                "a position begins with its game, {}",
                self.joined_names("or")
            );
            error_at(1, &why)
        };
        let (name, rest) = text.split_once('.').ok_or_else(no_game)?;
        let kind = self.game_type(name).map_err(|_| no_game())?;
        let live = kind.game_from_compact(rest);
        let live = live.map_err(|error| error.offset_by(name.chars().count() + 1))?;
        // Numbers could be written in more than one way, but notation is canonical.
        let canonical = live.position_at(0).compact();
        let canonical = canonical.as_deref().unwrap_or_default();
        if canonical != text {
            let common_prefix = text
                .chars()
                .zip(canonical.chars())
                .take_while(|(a, b)| a == b);
            return Err(error_at(
                common_prefix.count() + 1,
                "notation has no such number",
            ));
        }
        Ok(live)
    }

    /// Parses a position in notation into the JSON fields of the engine protocol: parameters and state in one
    /// object.
    ///
    /// # Errors
    /// As [`Self::position`].
    pub(crate) fn position_fields(&self, text: &str) -> Result<JsonFields, PositionTextError> {
        let trimmed = text.trim();
        let before = text.chars().take_while(|letter| letter.is_whitespace());
        let live = self.position(trimmed);
        let live = live.map_err(|error| error.offset_by(before.count()))?;
        Ok(live.position_at(0).json())
    }
}

/// The message for users about a record. The reason of the rules follows it, if there is one.
#[must_use]
pub fn record_error_message(error: &RecordError<ErrorText>) -> LocalizedMessage {
    let message = |key, entry: &u32| LocalizedMessage::new(key).with_value("ply", *entry);
    match error {
        RecordError::NotJson { line, column } => LocalizedMessage::new("record-no-json")
            .with_value("line", *line as u32)
            .with_value("column", *column as u32),
        RecordError::Notation(error) => LocalizedMessage::new("record-notation")
            .with_value("line", error.line as u32)
            .with_value("column", error.column as u32),
        RecordError::Format => {
            LocalizedMessage::new("record-format").with_value("format", u32::from(FORMAT))
        }
        RecordError::EarlierFormat => {
            LocalizedMessage::new("record-earlier-format").with_value("build", LAST_EARLIER_BUILD)
        }
        RecordError::UnknownGame(name) => LocalizedMessage::new("record-game")
            .with_value("name", name.chars().take(40).collect::<String>()),
        RecordError::TooLong => {
            LocalizedMessage::new("record-too-long").with_value("most", MAX_ENTRIES)
        }
        RecordError::Field(_) => LocalizedMessage::new("record-field"),
        RecordError::Setup(_) => LocalizedMessage::new("record-setup"),
        RecordError::Entry(entry, _) => message("record-unread", entry),
        RecordError::Illegal(entry, _) => message("record-illegal", entry),
        RecordError::Rolls(entry) => message("record-rolls", entry),
        RecordError::Replay(entry, kind) => match kind {
            ReplayErrorKind::AfterTheEnd => message("record-after-the-end", entry),
            ReplayErrorKind::WrongPlayer => message("record-wrong-player", entry),
            ReplayErrorKind::IllegalAction => message("record-illegal-move", entry),
            ReplayErrorKind::WrongDice => message("record-wrong-dice", entry),
            ReplayErrorKind::NothingToTakeBack => message("record-takeback", entry),
            ReplayErrorKind::TooManyTakebacks => {
                message("record-takebacks", entry).with_value("most", MAX_TAKEBACKS)
            }
            ReplayErrorKind::TooManyContributions => message("record-words", entry),
        },
        RecordError::Entropy(entry) => message("record-words-late", entry),
        RecordError::End(_) => LocalizedMessage::new("record-end"),
        RecordError::Dice(_) => LocalizedMessage::new("record-dice"),
        RecordError::Seal => LocalizedMessage::new("record-seal"),
    }
}
