//! The headers of a game in notation: the start position and the game's metadata.

use std::fmt::Write as _;

use super::NotationError;
use super::PositionTextError;
use super::tokens::{TextSpan, TokenReader};
use crate::game_adapters::FieldError;
use crate::game_adapters::json::{RecordMetadata, RecordPlayerJson, RecordPlayerKind};
use crate::game_adapters::{ConfiguredGame, JsonFields, Registry};
use crate::level::LevelSpec;
use crate::provably_fair::{Commitment, CommittedSeed, DiceDisclosure, Salt, hex, parse_hex};
use crate::rng::DiceSeed;

/// Writes one line for each known item.
pub(super) fn print(text: &mut String, metadata: &RecordMetadata) {
    let mut line = |text_line: &str| {
        let _ = writeln!(text, "{text_line}");
    };
    if let Some(id) = &metadata.id {
        line(&format!("id {id}"));
    }
    if let Some(commitment) = metadata.dice.commitment() {
        match &metadata.dice {
            DiceDisclosure::Revealed(CommittedSeed { seed, salt }) => {
                let (seed, salt) = (hex(seed.as_bytes()), hex(salt.as_bytes()));
                line(&format!("dice {commitment} {seed} {salt}"));
            }
            DiceDisclosure::Nothing | DiceDisclosure::Committed(_) => {
                line(&format!("dice {commitment}"));
            }
        }
    }
    for seat in &metadata.provenance.seats {
        let player = seat.player;
        line(&match (seat.kind, seat.strength(), &seat.name) {
            (RecordPlayerKind::Level, Some(strength), _) => {
                format!("seat {player} level {strength}")
            }
            (kind, _, Some(name)) => format!("seat {player} {} {name}", kind.name()),
            (kind, _, None) => format!("seat {player} {}", kind.name()),
        });
    }
    if let Some(seed) = metadata.provenance.seed {
        line(&format!("seed {seed}"));
    }
    if let Some(arena) = &metadata.provenance.arena {
        let arena = serde_json::to_string(arena).expect("arena data serializes to JSON");
        line(&format!("arena {arena}"));
    }
}

/// Whether a line starts with the key of a header.
pub(super) fn is_header(line: &str) -> bool {
    let key = line.split(' ').next();
    key.is_some_and(|key| KEYS.contains(&key))
}

const KEYS: [&str; 7] = ["game", "start", "id", "dice", "seat", "seed", "arena"];

/// The start position in its stored form (JSON).
pub(super) struct SetupHeader<'t> {
    pub(super) parameters: String,
    pub(super) start: String,
    pub(super) span: TextSpan<'t>,
}

/// The headers parsed so far.
pub(super) struct Headers<'t> {
    /// Parameters as JSON, for games without a compact notation of the start position.
    game: Option<String>,
    pub(super) setup: Option<SetupHeader<'t>>,
    pub(super) metadata: RecordMetadata,
    span: Option<TextSpan<'t>>,
}

impl<'t> Headers<'t> {
    pub(super) const fn new() -> Self {
        Headers {
            game: None,
            setup: None,
            metadata: RecordMetadata::EMPTY,
            span: None,
        }
    }

    /// Parses a header; `false` if the line is not a header.
    pub(super) fn read(
        &mut self,
        games: &Registry,
        line: TextSpan<'t>,
    ) -> Result<bool, NotationError> {
        let mut tokens = line.tokens();
        let Some(key) = tokens.next() else {
            return Ok(false);
        };
        let metadata = &mut self.metadata;
        let is_new = match key.text() {
            "game" => self.game.replace(tokens.rest().text().to_owned()).is_none(),
            "start" => {
                let start = tokens.rest();
                let setup = match &self.game {
                    Some(parameters) => SetupHeader {
                        parameters: parameters.clone(),
                        start: start.text().to_owned(),
                        span: start,
                    },
                    None => parse_compact_start(games, start)?,
                };
                self.setup.replace(setup).is_none()
            }
            "id" => {
                let id = tokens.require("the id")?;
                metadata.id.replace(id.text().to_owned()).is_none()
            }
            "dice" => {
                let is_new = metadata.dice == DiceDisclosure::Nothing;
                metadata.dice = parse_dice(&mut tokens)?;
                is_new
            }
            "seat" => {
                self.span = Some(key);
                metadata.provenance.seats.push(parse_seat(&mut tokens)?);
                true
            }
            "seed" => {
                let seed = tokens.number("a seed")?;
                metadata.provenance.seed.replace(seed).is_none()
            }
            "arena" => {
                self.span = Some(key);
                let arena = tokens.rest();
                let parsed = serde_json::from_str(arena.text()).ok();
                let is_canonical = |arena_json: &_| {
                    serde_json::to_string(arena_json).is_ok_and(|printed| printed == arena.text())
                };
                let parsed = parsed.filter(is_canonical);
                let parsed = parsed.ok_or_else(|| arena.error("this names no game of an arena"))?;
                metadata.provenance.arena.replace(parsed).is_none()
            }
            _ => return Ok(false),
        };
        if !is_new {
            return Err(key.error(format!("there are two headers {}", key.text())));
        }
        tokens.end()?;
        Ok(true)
    }

    /// Validates the metadata against the game.
    pub(super) fn into_metadata(
        self,
        game: &dyn ConfiguredGame,
    ) -> Result<RecordMetadata, NotationError> {
        let validation = self.metadata.provenance.validate(game);
        validation.map_err(|error| self.span.unwrap_or(TextSpan::NOWHERE).error(error.0))?;
        Ok(self.metadata)
    }
}

/// Parses a start position in compact notation.
fn parse_compact_start<'t>(
    games: &Registry,
    start: TextSpan<'t>,
) -> Result<SetupHeader<'t>, NotationError> {
    let live = games.position(start.text());
    let live = live.map_err(|error| start.error(error.to_string()))?;
    Ok(SetupHeader {
        parameters: live.configured_game().parameters_text(),
        start: live.start_json(),
        span: start,
    })
}

fn parse_dice(tokens: &mut TokenReader<'_>) -> Result<DiceDisclosure, NotationError> {
    let span = tokens.require("the commitment")?;
    let commitment: Commitment = span
        .text()
        .parse()
        .map_err(|_| span.error("a commitment has 64 hexadecimal digits"))?;
    let Some(seed) = tokens.next() else {
        return Ok(DiceDisclosure::Committed(commitment));
    };
    let salt = tokens.require("the salt")?;
    let digits = |word: TextSpan<'_>| {
        let bytes = parse_hex(word.text()).ok();
        bytes.ok_or_else(|| word.error("this has 64 hexadecimal digits"))
    };
    let committed = CommittedSeed {
        seed: DiceSeed::from_bytes(digits(seed)?),
        salt: Salt::from_bytes(digits(salt)?),
    };
    if committed.commitment() != commitment {
        return Err(span.error("seed and salt do not give the commitment"));
    }
    Ok(DiceDisclosure::Revealed(committed))
}

fn parse_seat(tokens: &mut TokenReader<'_>) -> Result<RecordPlayerJson, NotationError> {
    let player = tokens.number("a player")?;
    let word = tokens.require("who sits there")?;
    let kind = RecordPlayerKind::from_name(word.text());
    let kind = kind.ok_or_else(|| word.error("human, level, program or open sits there"))?;
    let rest = tokens.rest();
    if kind != RecordPlayerKind::Level {
        let name = Some(rest.text().to_owned()).filter(|name| !name.is_empty());
        return Ok(RecordPlayerJson {
            name,
            ..RecordPlayerJson::new(player, kind)
        });
    }
    let strength = rest.text().parse::<LevelSpec>();
    let strength = strength.map_err(|_| rest.error("there is no such level"))?;
    Ok(RecordPlayerJson::level(player, strength))
}

impl Registry {
    /// Parses a position in notation (`dice.v4.…`) as a game that starts there.
    ///
    /// # Errors
    /// If the text is not a legal position, with the location.
    pub fn position(
        &self,
        text: &str,
    ) -> Result<crate::game_adapters::LiveGameRef, PositionTextError> {
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
        let canonical = live.start_notation();
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
        let start = JsonFields::parse(&live.start_json());
        let start = start.map_err(|FieldError(why)| PositionTextError { at: 1, why })?;
        Ok(live.parameters().and(start))
    }
}
