//! Text notation of games: headers, then one line per turn; see docs/notation.md.
//!
//! This module defines the platform's part; positions, actions and rolls are in the notation of their game.
//! Printing a parsed game gives the same text; only times are lost. A printed text ends with a checksum, which
//! is verified; a text written by hand needs none.

use std::fmt::Write as _;

use thiserror::Error;

use super::json::EndReason;
use super::json::parser::ParsedRecord;
use super::{GameLoadError, Registry, SavedGame};
use crate::game::Player;
use crate::lines::strip_bom;
use crate::provably_fair::{DiceDisclosure, Sha256Digest};
use crate::record::{
    Ending, EndingRow, EntropyContributionRow, EntryRow, MAX_ENTRIES, PlyRow, TakebackRow,
};

mod headers;
mod position_text;
mod tokens;

use headers::Headers;
pub use position_text::PositionTextError;
pub(super) use position_text::PositionTextReader;
use tokens::{PlyToken, TextSpan};

/// The first line of every game in this notation.
pub const FIRST_LINE: &str = "dice-of-doom game 2";

/// The first line of games that earlier builds wrote.
const EARLIER_FIRST_LINE: &str = "dice-of-doom game 1";

/// Why a text is not a valid game, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {why}")]
pub struct NotationError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    pub why: String,
}

/// Whether a text starts with the first line of a game, in this format or the earlier one, after optional empty lines.
#[must_use]
pub fn is_notation(text: &str) -> bool {
    matches!(first_line(text), Some(FIRST_LINE | EARLIER_FIRST_LINE))
}

/// Whether an earlier build wrote this game.
pub(super) fn is_earlier_notation(text: &str) -> bool {
    first_line(text) == Some(EARLIER_FIRST_LINE)
}

fn first_line(text: &str) -> Option<&str> {
    let mut lines = strip_bom(text).lines().map(str::trim_end);
    lines.find(|line| !line.is_empty())
}

impl ParsedRecord {
    /// The game in this notation.
    #[must_use]
    pub fn notation(&self) -> String {
        print(self)
    }
}

fn print(game: &ParsedRecord) -> String {
    let ParsedRecord { live, metadata } = game;
    let mut text = format!("{FIRST_LINE}\n");
    match live.start_notation() {
        Some(start) => push_line(&mut text, &["start", &start]),
        None => {
            push_line(
                &mut text,
                &["game", &live.configured_game().parameters_text()],
            );
            push_line(&mut text, &["start", &live.start_json()]);
        }
    }
    headers::print(&mut text, metadata);
    text.push('\n');
    let mut mover = None;
    for entry in (0..live.entry_count()).filter_map(|number| live.entry(number)) {
        let player = entry.player().to_string();
        match entry {
            EntryRow::Ply(row) => {
                if mover != Some(row.player) {
                    if mover.is_some() {
                        text.push('\n');
                    }
                    let _ = write!(text, "{player}:");
                    mover = Some(row.player);
                }
                let _ = write!(text, " {}", row.action);
                if !row.roll.is_empty() {
                    let _ = write!(text, "({})", row.roll);
                }
            }
            EntryRow::Takeback(row) => {
                end_turn(&mut text, &mut mover);
                push_line(&mut text, &["undo", &player, &row.to.to_string()]);
            }
            EntryRow::Contribution(row) => {
                end_turn(&mut text, &mut mover);
                push_line(&mut text, &["words", &player, &row.text]);
            }
        }
    }
    end_turn(&mut text, &mut mover);
    let ending = live.ending();
    let winners = live.winners();
    match EndReason::new(live.is_over(), ending) {
        None => push_line(&mut text, &["on"]),
        Some(ended) => {
            let who = ending.and_then(Ending::player);
            let who = who.map(|player| player.number().to_string());
            let parts = [Some("end"), Some(ended.name()), who.as_deref()];
            push_line(&mut text, &parts.into_iter().flatten().collect::<Vec<_>>());
            let winners = winners.iter().map(|winner| winner.number().to_string());
            let winners: Vec<String> = std::iter::once("won".to_owned()).chain(winners).collect();
            push_line(
                &mut text,
                &winners.iter().map(String::as_str).collect::<Vec<_>>(),
            );
        }
    }
    let checksum = Sha256Digest::compute(text.as_bytes()).to_string();
    push_line(&mut text, &["seal", &checksum]);
    text
}

fn push_line(text: &mut String, parts: &[&str]) {
    text.push_str(&parts.join(" "));
    text.push('\n');
}

fn end_turn(text: &mut String, mover: &mut Option<u8>) {
    if mover.take().is_some() {
        text.push('\n');
    }
}

impl Registry {
    /// Parses a game in notation, replays it and validates it.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn read_notation(&self, text: &str) -> Result<ParsedRecord, NotationError> {
        let text = strip_bom(text).replace("\r\n", "\n");
        check_checksum(&text)?;
        let mut lines = tokens::lines(&text).skip_while(TextSpan::is_blank);
        let first = lines.next().unwrap_or(TextSpan::NOWHERE);
        if first.text() != FIRST_LINE {
            return Err(first.error(format!("a game begins with {FIRST_LINE:?}")));
        }
        let mut headers = Headers::new();
        let mut movetext = Movetext::default();
        let mut last = first;
        for line in lines {
            if line.is_blank() {
                movetext.has_gap = true;
                continue;
            }
            last = line;
            if movetext.has_checksum {
                return Err(line.error("nothing follows the seal"));
            }
            if !movetext.has_begun() && headers.read(self, line)? {
                continue;
            }
            movetext.parse_line(line)?;
        }
        self.replay(headers, movetext, last)
    }

    fn replay(
        &self,
        mut headers: Headers<'_>,
        movetext: Movetext<'_>,
        last: TextSpan<'_>,
    ) -> Result<ParsedRecord, NotationError> {
        let setup = headers
            .setup
            .take()
            .ok_or_else(|| last.error("there is no start"))?;
        let rows: Vec<EntryRow> = movetext
            .entries
            .iter()
            .map(|(_, row)| row.clone())
            .collect();
        let ending = match movetext.end {
            Some((_, Termination::Adjudicated(ending))) => Some(EndingRow { ending, at_ms: 0 }),
            _ => None,
        };
        let live = self.load(&SavedGame {
            parameters: &setup.parameters,
            start: &setup.start,
            entries: &rows,
            ending,
        });
        let live = live.map_err(|error| {
            let number = match &error {
                GameLoadError::Entry(number, _) => Some(*number),
                GameLoadError::Replay(error) => Some(error.ply as usize),
                GameLoadError::Parameters(_)
                | GameLoadError::Start(_)
                | GameLoadError::Setup(_)
                | GameLoadError::Ending(_) => None,
            };
            let span = match (number, &error) {
                (Some(number), _) => movetext.entries.get(number).map(|(span, _)| *span),
                (None, GameLoadError::Ending(_)) => movetext.end.map(|(span, _)| span),
                (None, _) => None,
            };
            let why = match &error {
                GameLoadError::Replay(error) => error.why.to_string(),
                GameLoadError::Entry(_, error) => error.to_string(),
                error => error.to_string(),
            };
            span.unwrap_or(setup.span).error(why)
        })?;
        let (span, end) = movetext
            .end
            .ok_or_else(|| last.error("the game has no end: on, or end"))?;
        let is_over_by_rules = ending.is_none() && live.is_over();
        match end {
            Termination::InProgress if live.is_over() => return Err(span.error("the game is over")),
            Termination::Rules if !is_over_by_rules => {
                return Err(span.error("the rules have not ended it"));
            }
            _ => {}
        }
        let winners: Vec<u8> = live
            .winners()
            .iter()
            .map(|player| player.number())
            .collect();
        let expected = live.is_over().then_some(winners);
        if movetext.winners.as_ref().map(|(_, winners)| winners) != expected.as_ref() {
            let span = movetext.winners.map_or(span, |(span, _)| span);
            return Err(span.error("others win"));
        }
        let metadata = headers.into_metadata(&*live.configured_game())?;
        if matches!(metadata.dice, DiceDisclosure::Revealed(_)) && !live.is_over() {
            return Err(setup.span.error("the dice were opened before the end"));
        }
        Ok(ParsedRecord { live, metadata })
    }
}

/// Verifies the checksum, if there is one: it covers the text before it, with empty lines normalized as
/// printed.
fn check_checksum(text: &str) -> Result<(), NotationError> {
    let Some(at) = text.rfind("\nseal ") else {
        return Ok(());
    };
    let (before, rest) = text.split_at(at + 1);
    let line = rest.lines().next().unwrap_or_default();
    let checksum = TextSpan {
        number: before.matches('\n').count() + 1,
        line,
        from: "seal ".len(),
        to: line.len(),
    };
    if checksum.text() != Sha256Digest::compute(normalized(before).as_bytes()).to_string() {
        return Err(checksum.error("the seal is that of another text"));
    }
    Ok(())
}

/// The text with empty lines as printed: one after the headers.
fn normalized(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut printed = String::with_capacity(text.len());
    let mut has_gap = false;
    for line in lines {
        if !has_gap && !printed.is_empty() && !headers::is_header(line) {
            printed.push('\n');
            has_gap = true;
        }
        printed.push_str(line);
        printed.push('\n');
    }
    printed
}

#[derive(Clone, Copy)]
enum Termination {
    InProgress,
    Rules,
    Adjudicated(Ending),
}

/// The part below the headers.
#[derive(Default)]
struct Movetext<'t> {
    entries: Vec<(TextSpan<'t>, EntryRow)>,
    end: Option<(TextSpan<'t>, Termination)>,
    winners: Option<(TextSpan<'t>, Vec<u8>)>,
    has_gap: bool,
    has_checksum: bool,
}

impl<'t> Movetext<'t> {
    const fn has_begun(&self) -> bool {
        !self.entries.is_empty() || self.end.is_some()
    }

    fn parse_line(&mut self, line: TextSpan<'t>) -> Result<(), NotationError> {
        if !self.has_gap {
            return Err(line.error("there is no such header; an empty line ends them"));
        }
        let mut tokens = line.tokens();
        let key = tokens.next().ok_or_else(|| line.error("an empty line"))?;
        if self.end.is_some() && !matches!(key.text(), "won" | "seal") {
            return Err(key.error("the game has ended"));
        }
        match key.text() {
            "undo" => {
                let player = tokens.number("a player")?;
                let to = tokens.number("the number of a ply")?;
                let row = TakebackRow {
                    player,
                    to,
                    at_ms: 0,
                };
                self.push_entry(key, EntryRow::Takeback(row))?;
            }
            "words" => {
                let player = tokens.number("a player")?;
                let row = EntropyContributionRow {
                    player,
                    text: tokens.rest().text().to_owned(),
                    at_ms: 0,
                };
                return self.push_entry(key, EntryRow::Contribution(row));
            }
            "on" => self.end = Some((key, Termination::InProgress)),
            "end" => {
                let name = tokens.require("how it ended")?;
                let end = match name.text() {
                    "rules" => Termination::Rules,
                    "limit" => Termination::Adjudicated(Ending::Limit),
                    "resigned" => {
                        let rest = tokens;
                        let player = Player::try_new(tokens.number("a player")?, u8::MAX);
                        let player = player.ok_or_else(|| rest.error("no game has this player"))?;
                        Termination::Adjudicated(Ending::Resigned(player))
                    }
                    _ => return Err(name.error("a game ends by rules, limit or resigned")),
                };
                self.end = Some((key, end));
            }
            "won" if self.end.is_some() && self.winners.is_none() => {
                let mut winners = Vec::new();
                while let Some(winner) = tokens.next_number("a player")? {
                    winners.push(winner);
                }
                self.winners = Some((key, winners));
            }
            "seal" => {
                tokens.require("the seal")?;
                self.has_checksum = true;
            }
            turn => {
                let player = turn
                    .strip_suffix(':')
                    .and_then(|player| player.parse().ok());
                let player =
                    player.ok_or_else(|| key.error("a turn begins with its player, as 0:"))?;
                let mut plies = 0;
                while let Some(PlyToken { span, action, roll }) = tokens.ply()? {
                    let row = PlyRow {
                        player,
                        action,
                        roll,
                        at_ms: 0,
                    };
                    self.push_entry(span, EntryRow::Ply(row))?;
                    plies += 1;
                }
                if plies == 0 {
                    return Err(key.error("nothing was played in this turn"));
                }
            }
        }
        tokens.end()
    }

    fn push_entry(&mut self, span: TextSpan<'t>, row: EntryRow) -> Result<(), NotationError> {
        if self.entries.len() >= MAX_ENTRIES as usize {
            return Err(span.error(format!("a game has at most {MAX_ENTRIES} entries")));
        }
        self.entries.push((span, row));
        Ok(())
    }
}
