//! The headers of a game in notation: where it began, and what else is known of it.

use std::fmt::Write as _;

use super::NotationError;
use super::PositionTextError;
use super::tokens::{TextSpan, TokenReader};
use crate::game_adapters::FieldError;
use crate::game_adapters::json::{RecordMetadata, RecordPlayerJson, RecordPlayerKind};
use crate::game_adapters::{JsonFields, Registry};
use crate::level::LevelSpec;
use crate::provably_fair::{
    Commitment, CommittedSeed, DiceDisclosure, Protocol, Salt, hex, parse_hex,
};
use crate::rng::DiceSeed;

/// Writes a line for each thing that is known.
pub(super) fn print(text: &mut String, about: &RecordMetadata) {
    let mut line = |words: &str| {
        let _ = writeln!(text, "{words}");
    };
    if let Some(id) = &about.id {
        line(&format!("id {id}"));
    }
    if let (Some(protocol), Some(commitment)) = (about.dice.protocol(), about.dice.commitment()) {
        let number = match protocol {
            Protocol::ByEntry => String::new(),
            protocol => format!("{} ", protocol.number()),
        };
        match &about.dice {
            DiceDisclosure::Opened(CommittedSeed { seed, salt, .. }) => {
                let (seed, salt) = (hex(seed.as_bytes()), hex(salt.as_bytes()));
                line(&format!("dice {number}{commitment} {seed} {salt}"));
            }
            DiceDisclosure::Nothing | DiceDisclosure::Committed(..) => {
                line(&format!("dice {number}{commitment}"));
            }
        }
    }
    for seat in &about.provenance.seats {
        let player = seat.player;
        line(&match (seat.kind, seat.strength(), &seat.name) {
            (RecordPlayerKind::Level, Some(strength), _) => {
                format!("seat {player} level {strength}")
            }
            (kind, _, Some(name)) => format!("seat {player} {} {name}", kind.name()),
            (kind, _, None) => format!("seat {player} {}", kind.name()),
        });
    }
    if let Some(seed) = about.provenance.seed {
        line(&format!("seed {seed}"));
    }
    if let Some(arena) = &about.provenance.arena {
        let arena = serde_json::to_string(arena).expect("plain values");
        line(&format!("arena {arena}"));
    }
}

/// Whether a line is written as headers are.
pub(super) fn is_header(line: &str) -> bool {
    let key = line.split(' ').next();
    key.is_some_and(|key| KEYS.contains(&key))
}

/// The words with which headers begin.
const KEYS: [&str; 7] = ["game", "start", "id", "dice", "seat", "seed", "arena"];

/// Where a game began, as records keep it (JSON).
pub(super) struct SetupHeader<'t> {
    pub(super) parameters: String,
    pub(super) start: String,
    pub(super) place: TextSpan<'t>,
}

/// The headers of a text, read so far.
pub(super) struct Headers<'t> {
    /// Parameters that are written as JSON, because the game has no short text for the start.
    game: Option<String>,
    pub(super) setup: Option<SetupHeader<'t>>,
    pub(super) about: RecordMetadata,
    place: Option<TextSpan<'t>>,
}

impl<'t> Headers<'t> {
    pub(super) const fn new() -> Self {
        Headers {
            game: None,
            setup: None,
            about: RecordMetadata::EMPTY,
            place: None,
        }
    }

    /// Reads a header; `false` where the line is none.
    pub(super) fn read(
        &mut self,
        games: &Registry,
        line: TextSpan<'t>,
    ) -> Result<bool, NotationError> {
        let mut words = line.words();
        let Some(key) = words.next() else {
            return Ok(false);
        };
        let about = &mut self.about;
        let is_new = match key.text() {
            "game" => self.game.replace(words.rest().text().to_owned()).is_none(),
            "start" => {
                let start = words.rest();
                let setup = match &self.game {
                    Some(parameters) => SetupHeader {
                        parameters: parameters.clone(),
                        start: start.text().to_owned(),
                        place: start,
                    },
                    None => parse_compact_start(games, start)?,
                };
                self.setup.replace(setup).is_none()
            }
            "id" => {
                let id = words.require("the id")?;
                about.id.replace(id.text().to_owned()).is_none()
            }
            "dice" => {
                let is_new = about.dice == DiceDisclosure::Nothing;
                about.dice = parse_dice(&mut words)?;
                is_new
            }
            "seat" => {
                self.place = Some(key);
                about.provenance.seats.push(parse_seat(&mut words)?);
                true
            }
            "seed" => {
                let seed = words.number("a seed")?;
                about.provenance.seed.replace(seed).is_none()
            }
            "arena" => {
                self.place = Some(key);
                let arena = words.rest();
                let read = serde_json::from_str(arena.text()).ok();
                let is_printed = |read: &_| {
                    serde_json::to_string(read).is_ok_and(|printed| printed == arena.text())
                };
                let read = read.filter(is_printed);
                let read = read.ok_or_else(|| arena.wrong("this names no game of an arena"))?;
                about.provenance.arena.replace(read).is_none()
            }
            _ => return Ok(false),
        };
        if !is_new {
            return Err(key.wrong(format!("there are two headers {}", key.text())));
        }
        words.end()?;
        Ok(true)
    }

    /// What is known of a game with so many players.
    pub(super) fn into_metadata(self, players: u8) -> Result<RecordMetadata, NotationError> {
        let fits = self.about.provenance.validate(players);
        fits.map_err(|error| self.place.unwrap_or(TextSpan::NOWHERE).wrong(error.0))?;
        Ok(self.about)
    }
}

/// A start in the notation of its game.
fn parse_compact_start<'t>(games: &Registry, start: TextSpan<'t>) -> Result<SetupHeader<'t>, NotationError> {
    let live = games.position(start.text());
    let live = live.map_err(|error| start.wrong(error.to_string()))?;
    Ok(SetupHeader {
        parameters: live.setting().parameters_text(),
        start: live.start_text(),
        place: start,
    })
}

fn parse_dice(words: &mut TokenReader<'_>) -> Result<DiceDisclosure, NotationError> {
    let mut place = words.require("the commitment")?;
    // Dice of format 2 are written without their number.
    let protocol = match place.text() {
        "3" => {
            place = words.require("the commitment")?;
            Protocol::ByPosition
        }
        _ => Protocol::ByEntry,
    };
    let commitment: Commitment = place
        .text()
        .parse()
        .map_err(|_| place.wrong("a commitment has 64 hexadecimal digits"))?;
    let Some(seed) = words.next() else {
        return Ok(DiceDisclosure::Committed(protocol, commitment));
    };
    let salt = words.require("the salt")?;
    let digits = |word: TextSpan<'_>| {
        let bytes = parse_hex(word.text()).ok();
        bytes.ok_or_else(|| word.wrong("this has 64 hexadecimal digits"))
    };
    let sealed = CommittedSeed {
        protocol,
        seed: DiceSeed::from_bytes(digits(seed)?),
        salt: Salt::from_bytes(digits(salt)?),
    };
    if sealed.commitment() != commitment {
        return Err(place.wrong("seed and salt do not give the commitment"));
    }
    Ok(DiceDisclosure::Opened(sealed))
}

fn parse_seat(words: &mut TokenReader<'_>) -> Result<RecordPlayerJson, NotationError> {
    let player = words.number("a player")?;
    let word = words.require("who sits there")?;
    let kind = RecordPlayerKind::from_name(word.text());
    let kind = kind.ok_or_else(|| word.wrong("human, level, program or open sits there"))?;
    let rest = words.rest();
    if kind != RecordPlayerKind::Level {
        let name = Some(rest.text().to_owned()).filter(|name| !name.is_empty());
        return Ok(RecordPlayerJson {
            name,
            ..RecordPlayerJson::new(player, kind)
        });
    }
    let strength = rest.text().parse::<LevelSpec>();
    let strength = strength.map_err(|_| rest.wrong("there is no such level"))?;
    Ok(RecordPlayerJson::level(player, strength))
}

impl Registry {
    /// A position in the notation of its game, as a game that begins there: `dice.v4.…`.
    ///
    /// # Errors
    /// Where it is none, and why.
    pub fn position(
        &self,
        text: &str,
    ) -> Result<crate::game_adapters::LiveGameRef, PositionTextError> {
        let wrong = |at: usize, why: &str| PositionTextError {
            at,
            why: why.to_owned(),
        };
        let no_game = || {
            let why = format!("a position begins with its game, {}", self.joined_names("or"));
            wrong(1, &why)
        };
        let (name, rest) = text.split_once('.').ok_or_else(no_game)?;
        let kind = self.game_type(name).map_err(|_| no_game())?;
        let live = kind.game_from_compact(rest);
        let live = live.map_err(|error| error.offset_by(name.chars().count() + 1))?;
        // Numbers may be written in more than one way; notation is not.
        let written = live.start_notation();
        let written = written.as_deref().unwrap_or_default();
        if written != text {
            let same = text
                .chars()
                .zip(written.chars())
                .take_while(|(a, b)| a == b);
            return Err(wrong(same.count() + 1, "notation has no such number"));
        }
        Ok(live)
    }

    /// The same as the engine's lines write positions: parameters and state in one object.
    ///
    /// # Errors
    /// As [`Self::position`].
    pub(crate) fn position_fields(&self, text: &str) -> Result<JsonFields, PositionTextError> {
        let trimmed = text.trim();
        let before = text.chars().take_while(|letter| letter.is_whitespace());
        let live = self.position(trimmed);
        let live = live.map_err(|error| error.offset_by(before.count()))?;
        let start = JsonFields::read(&live.start_text());
        let start = start.map_err(|FieldError(why)| PositionTextError { at: 1, why })?;
        Ok(live.parameters().and(start))
    }
}
