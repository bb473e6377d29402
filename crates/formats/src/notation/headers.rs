//! The headers of a game in notation: the start position and the game's metadata.

use std::fmt::Write as _;

use dice_of_doom_core::level::LevelSpec;
use dice_of_doom_core::provably_fair::{
    Commitment, CommittedSeed, DiceDisclosure, Salt, hex, parse_hex,
};
use dice_of_doom_core::rng::DiceSeed;

use super::tokens::{TextSpan, TokenReader};
use super::{NotationError, ReadPosition, StoredStart};
use crate::record::{RecordMetadata, RecordPlayerJson, RecordPlayerKind};

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

/// The headers parsed so far.
pub(super) struct Headers<'t> {
    /// Parameters as JSON, for games without a compact notation of the start position.
    game: Option<String>,
    /// The start, and where it stands.
    pub(super) setup: Option<(StoredStart, TextSpan<'t>)>,
    pub(super) metadata: RecordMetadata,
    /// Where the last seat or the arena stands.
    pub(super) span: Option<TextSpan<'t>>,
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
        read_position: &ReadPosition<'_>,
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
                    Some(parameters) => StoredStart {
                        parameters: parameters.clone(),
                        start: start.text().to_owned(),
                    },
                    None => read_position(start.text())
                        .map_err(|error| start.error(error.to_string()))?,
                };
                self.setup.replace((setup, start)).is_none()
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
