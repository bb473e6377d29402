//! The command `solve`.

use std::num::NonZeroU64;

use clap::Args;
use serde::Deserialize;

use crate::engine::RequestLimits;

pub(super) const EXAMPLES: &str = "\
Examples:
  echo 4444421 | dice-of-doom solve
  dice-of-doom solve --each < positions.txt
  echo 12345678 | dice-of-doom solve --width 8 --height 7 --nodes 1000000";

/// The board whose positions are solved.
#[derive(Args, Clone, Debug)]
pub struct BoardArgs {
    /// Columns
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub width: u8,

    /// Chips that a column holds
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub height: u8,

    /// Chips in a line that win
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub win: u8,
}

#[derive(Args, Clone, Debug)]
pub struct SolveArgs {
    #[command(flatten)]
    pub board: BoardArgs,

    /// Print the score after a chip in each column instead of the score of the position
    #[arg(long)]
    pub each: bool,

    /// Search even if the position is in the built-in opening book
    #[arg(long)]
    pub no_book: bool,

    /// Start every position with an empty table
    #[arg(long)]
    pub fresh: bool,

    /// Maximum number of positions to search for one line [default: no limit]
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroU64>,

    /// Maximum size of the table in MiB
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub table_mib: u32,
}

/// A response of the engine.
#[derive(Deserialize)]
struct SolveResponse {
    ok: Option<SolvedLine>,
    error: Option<LineError>,
}

#[derive(Deserialize)]
struct SolvedLine {
    score: serde_json::Value,
    scores: Option<Vec<serde_json::Value>>,
    nodes: u64,
    elapsed_ms: f64,
}

#[derive(Deserialize)]
struct LineError {
    message: String,
}

impl SolveArgs {
    /// The limits of a request: only those of the command line.
    #[must_use]
    pub fn limits(&self) -> RequestLimits {
        RequestLimits {
            budget_ms: u32::MAX,
            table_bytes: (self.table_mib as usize) << 20,
            ..RequestLimits::with_nodes(u64::MAX)
        }
    }

    /// The engine request for a line, whose first word is the columns, or "-" for the empty board; `None` for an empty
    /// line.
    #[must_use]
    pub fn request(&self, line: &str) -> Option<String> {
        let SolveArgs {
            board: BoardArgs { width, height, win },
            each,
            no_book,
            fresh,
            ..
        } = self;
        let book = !no_book;
        let columns = columns(line)?.trim_start_matches('-');
        let columns = serde_json::Value::from(columns).to_string();
        let nodes = self
            .nodes
            .map_or(String::new(), |nodes| format!(r#""nodes":{nodes},"#));
        Some(format!(
            r#"{{"id":null,"op":"solve","each":{each},"book":{book},"fresh":{fresh},{nodes}"position":{{"game":"trilobite","width":{width},"height":{height},"win":{win},"columns":{columns}}}}}"#
        ))
    }

    /// The printed line for the engine's response: the columns, the score or scores, the positions searched and the
    /// microseconds.
    ///
    /// # Errors
    /// The message of an error response.
    pub fn printed(&self, line: &str, response: &str) -> Result<String, String> {
        let response: SolveResponse =
            serde_json::from_str(response).map_err(|error| error.to_string())?;
        let Some(solved) = response.ok else {
            return Err(response
                .error
                .map_or_else(String::new, |error| error.message));
        };
        let scores = solved.scores.unwrap_or_else(|| vec![solved.score]);
        let scores: Vec<String> = scores.iter().map(score_text).collect();
        let microseconds = (solved.elapsed_ms * 1000.0).round();
        Ok(format!(
            "{} {} {} {microseconds}",
            columns(line).unwrap_or_default(),
            scores.join(" "),
            solved.nodes
        ))
    }
}

fn columns(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// A score, "-3..2" for its bounds, or "x" for a full column.
fn score_text(score: &serde_json::Value) -> String {
    match score.as_array().map(Vec::as_slice) {
        Some([lower, upper]) => format!("{lower}..{upper}"),
        _ if score.is_null() => "x".to_owned(),
        _ => score.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_printed_as_numbers_bounds_and_full_columns() {
        let response = r#"{"id":null,"ok":{"score":2,"scores":[-1,[-3,2],null,2],"nodes":7,"elapsed_ms":1.5}}"#;
        let arguments = SolveArgs {
            board: BoardArgs {
                width: 4,
                height: 4,
                win: 4,
            },
            each: true,
            no_book: false,
            fresh: false,
            nodes: None,
            table_mib: 1,
        };
        let printed = arguments.printed("33 2", response);
        assert_eq!(printed.as_deref(), Ok("33 -1 -3..2 x 2 7 1500"));
        let error = r#"{"id":null,"error":{"code":"bad-position","message":"no"}}"#;
        assert_eq!(arguments.printed("9", error), Err("no".to_owned()));
    }
}
