//! Text notation of games: headers, then one line per turn; see docs/notation.md.
//!
//! This module defines the platform's part; positions, actions and rolls are in the notation of their game.
//! Printing a parsed game gives the same text; only times are lost. A printed text ends with a checksum, which
//! is verified; a text written by hand needs none.

use std::fmt::Write as _;

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::provably_fair::{DiceDisclosure, Sha256Digest};
use dice_of_doom_core::record::{
    Ending, EndingRow, EntropyContributionRow, EntryRow, MAX_ENTRIES, PlyRow, TakebackRow,
};
use dice_of_doom_core::serialization::NamedParameters;
use dice_of_doom_core::session::Session;
use thiserror::Error;

use crate::end_reason::{EndReason, winner_numbers, winners};
use crate::lines::strip_bom;
use crate::position_text::PositionTextError;
use crate::record::RecordMetadata;
use crate::saved_game::{GameLoadError, SavedGame};
use crate::{GameFormat, JsonFields, to_raw_json};

mod headers;
mod tokens;

use headers::Headers;
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
    /// As part of a sentence for API clients.
    pub why: String,
}

/// Whether a text starts with the first line of a game, in this format or the earlier one, after optional empty lines.
#[must_use]
pub fn is_notation(text: &str) -> bool {
    matches!(first_line(text), Some(FIRST_LINE | EARLIER_FIRST_LINE))
}

/// Whether an earlier build wrote this game.
#[must_use]
pub fn is_earlier_notation(text: &str) -> bool {
    first_line(text) == Some(EARLIER_FIRST_LINE)
}

fn first_line(text: &str) -> Option<&str> {
    let mut lines = strip_bom(text).lines().map(str::trim_end);
    lines.find(|line| !line.is_empty())
}

/// The start position with the name and the parameters of its game, `NAME.…`; `None` if the game's notation cannot
/// express them.
#[must_use]
pub fn start_notation<G: GameFormat>(session: &Session<G>) -> Option<String> {
    let (game, start) = (session.game(), &session.record().start);
    let (game_again, position) = G::parse_compact(&game.to_compact(start)?).ok()?;
    let is_lossless = game_again.parameters() == game.parameters() && position == *start;
    is_lossless.then(|| game.named_compact(start))?
}

/// The game in this notation.
#[must_use]
pub fn print<G: GameFormat>(session: &Session<G>, metadata: &RecordMetadata) -> String {
    let (game, record) = (session.game(), session.record());
    let mut text = format!("{FIRST_LINE}\n");
    match start_notation(session) {
        Some(start) => push_line(&mut text, &["start", &start]),
        None => {
            let parameters = to_raw_json(&NamedParameters::from_game(game));
            let start = to_raw_json(&game.to_setup(&record.start));
            push_line(&mut text, &["game", parameters.get()]);
            push_line(&mut text, &["start", start.get()]);
        }
    }
    headers::print(&mut text, metadata);
    text.push('\n');
    let mut mover = None;
    for entry in record.entries.iter().map(EntryRow::from_entry) {
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
    let ending = record.ending;
    match EndReason::new(session.status().is_over(), ending) {
        None => push_line(&mut text, &["on"]),
        Some(ended) => {
            let who = ending.and_then(Ending::player);
            let who = who.map(|player| player.number().to_string());
            let parts = [Some("end"), Some(ended.name()), who.as_deref()];
            push_line(&mut text, &parts.into_iter().flatten().collect::<Vec<_>>());
            let winners = winners(session).into_iter();
            let winners = winners.map(|winner| winner.number().to_string());
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

/// The parameters and the start position of a game in their stored form (JSON).
pub struct StoredStart {
    /// Including the name of the game.
    pub parameters: String,
    /// The start position.
    pub start: String,
}

/// Reads a position in compact notation of any game that is known.
pub type ReadPosition<'f> = dyn Fn(&str) -> Result<StoredStart, PositionTextError> + 'f;

/// A game in notation, parsed but not yet replayed.
pub struct ParsedNotation<'t> {
    start: StoredStart,
    start_span: TextSpan<'t>,
    rows: Vec<EntryRow>,
    spans: Vec<TextSpan<'t>>,
    end: Option<(TextSpan<'t>, Termination)>,
    winners: Option<(TextSpan<'t>, Vec<u8>)>,
    last: TextSpan<'t>,
    metadata: RecordMetadata,
    metadata_span: Option<TextSpan<'t>>,
}

/// The text as it is parsed: without a byte order mark, with line feeds alone.
#[must_use]
pub fn plain_text(text: &str) -> String {
    strip_bom(text).replace("\r\n", "\n")
}

impl<'t> ParsedNotation<'t> {
    /// Parses a [plain](plain_text) text.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn parse(text: &'t str, read_position: &ReadPosition<'_>) -> Result<Self, NotationError> {
        check_checksum(text)?;
        let mut lines = tokens::lines(text).skip_while(TextSpan::is_blank);
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
            if !movetext.has_begun() && headers.read(read_position, line)? {
                continue;
            }
            movetext.parse_line(line)?;
        }
        let setup = headers.setup;
        let (start, start_span) = setup.ok_or_else(|| last.error("there is no start"))?;
        let (spans, rows) = movetext.entries.into_iter().unzip();
        Ok(ParsedNotation {
            start,
            start_span,
            rows,
            spans,
            end: movetext.end,
            winners: movetext.winners,
            last,
            metadata: headers.metadata,
            metadata_span: headers.span,
        })
    }

    /// The stored form of the game.
    #[must_use]
    pub fn saved(&self) -> SavedGame<'_> {
        SavedGame {
            parameters: &self.start.parameters,
            start: &self.start.start,
            entries: &self.rows,
            ending: match self.end {
                Some((_, Termination::Adjudicated(ending))) => Some(EndingRow { ending, at_ms: 0 }),
                _ => None,
            },
        }
    }

    /// The error where it stands in the text.
    #[must_use]
    pub fn load_error(&self, error: &GameLoadError) -> NotationError {
        let (span, why) = match error {
            GameLoadError::Entry(number, error) => (self.spans.get(*number), error.to_string()),
            GameLoadError::Replay(error) => {
                (self.spans.get(error.ply as usize), error.why.to_string())
            }
            GameLoadError::Ending(_) => {
                (self.end.as_ref().map(|(span, _)| span), error.to_string())
            }
            GameLoadError::Parameters(_) | GameLoadError::Start(_) | GameLoadError::Setup(_) => {
                (None, error.to_string())
            }
        };
        span.unwrap_or(&self.start_span).error(why)
    }

    /// Replays and validates the game, which is `G` with these parameters.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn replay<G: GameFormat + AgentProvider>(
        self,
        parameters: JsonFields,
    ) -> Result<(Session<G>, RecordMetadata), NotationError> {
        let session = self.saved().load::<G>(parameters);
        let session = session.map_err(|error| self.load_error(&error))?;
        let is_over = session.status().is_over();
        let (span, end) = self
            .end
            .ok_or_else(|| self.last.error("the game has no end: on, or end"))?;
        match end {
            Termination::InProgress if is_over => return Err(span.error("the game is over")),
            Termination::Rules if !is_over => {
                return Err(span.error("the rules have not ended it"));
            }
            _ => {}
        }
        let (winners_span, winners) = self.winners.unzip();
        if winners != winner_numbers(&session) {
            return Err(winners_span.unwrap_or(span).error("others win"));
        }
        let metadata = self.metadata;
        let validation = metadata.provenance.validate(session.game());
        validation.map_err(|error| {
            self.metadata_span
                .unwrap_or(TextSpan::NOWHERE)
                .error(error.0)
        })?;
        if matches!(metadata.dice, DiceDisclosure::Revealed(_)) && !is_over {
            let span = self.start_span;
            return Err(span.error("the dice were opened before the end"));
        }
        Ok((session, metadata))
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
