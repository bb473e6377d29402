//! The command `verify`: checks that a record is a valid game whose dice follow from a prior commitment.
//!
//! It works offline: it replays the record by the rules, recomputes every roll from the revealed seed, and
//! compares the record field by field with the result. docs/fair-dice.md explains what this proves and what it
//! cannot prove.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::formats::RecordError;
use crate::formats::dice_proof::DiceProof;
use crate::formats::notation::is_notation;
use crate::games::{ErrorText, ParsedRecord, Registry};
use crate::lines::strip_bom;

mod strict_json;

use strict_json::StrictJson;

/// The result for a valid record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerifiedRecord {
    /// The game is over, and all its rolls follow from the commitment.
    DiceVerified { rolls: usize },
    /// The game is in progress; the dice are committed and not yet revealed.
    CommitmentOnly { entries: u32 },
    /// The game follows the rules; its dice have no commitment.
    NoCommitment { entries: u32 },
}

impl fmt::Display for VerifiedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifiedRecord::DiceVerified { rolls: 1 } => write!(f, "seal fits, 1 of 1 roll agrees"),
            VerifiedRecord::DiceVerified { rolls } => {
                write!(f, "seal fits, {rolls} of {rolls} rolls agree")
            }
            VerifiedRecord::CommitmentOnly { entries } => {
                write!(
                    f,
                    "the game goes on: {entries} entries by the rules, dice still sealed"
                )
            }
            VerifiedRecord::NoCommitment { entries } => {
                write!(f, "{entries} entries by the rules, dice never sealed")
            }
        }
    }
}

/// The first error found in a record.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum VerifyError {
    /// There is no record, or it has a duplicate field.
    #[error("{0}")]
    Text(String),
    /// It is not a valid record, or violates the rules.
    #[error("{0}")]
    Record(#[from] RecordError<ErrorText>),
    /// An entry is not in canonical form.
    #[error("entry {0} is not in the format of such entries")]
    Entry(usize),
    /// A field differs from the value that follows from the others.
    #[error("{0} does not fit")]
    Field(String),
}

/// Verifies one record (JSON or notation).
///
/// # Errors
/// The first error found.
pub fn verify(games: &Registry, text: &str) -> Result<VerifiedRecord, VerifyError> {
    if is_notation(text) {
        let (read, proof) = games.read_verified_record(text)?;
        return Ok(verified_record(&read, proof));
    }
    let StrictJson(record_value) = serde_json::from_str(strip_bom(text)).map_err(json_error)?;
    let read = games.read_record(text)?;
    let proof = read.dice_proof()?;
    let result = verified_record(&read, proof);
    let ParsedRecord {
        live,
        metadata: about,
    } = read;
    let expected = serde_json::to_value(live.record_json(&about));
    compare(
        &record_value,
        &expected.map_err(|error| VerifyError::Text(error.to_string()))?,
    )?;
    Ok(result)
}

fn verified_record(read: &ParsedRecord, proof: DiceProof) -> VerifiedRecord {
    let entries = read.live.entry_count();
    match proof {
        DiceProof::Absent => VerifiedRecord::NoCommitment { entries },
        DiceProof::Sealed => VerifiedRecord::CommitmentOnly { entries },
        DiceProof::Rolls(rolls) => VerifiedRecord::DiceVerified { rolls },
    }
}

/// Compares a record with the one that was recomputed from it.
fn compare(record_value: &Value, expected: &Value) -> Result<(), VerifyError> {
    let plies = |record: &Value| record["plies"].as_array().cloned().unwrap_or_default();
    let both = plies(record_value).into_iter().zip(plies(expected));
    if let Some((number, _)) = both.enumerate().find(|(_, (one, other))| one != other) {
        return Err(VerifyError::Entry(number));
    }
    let (Value::Object(record_value), Value::Object(expected)) = (record_value, expected) else {
        return Err(VerifyError::Text("it is no object".to_owned()));
    };
    let names = expected.keys().chain(record_value.keys());
    // The checksum covers all other fields, so a difference in another field is reported first.
    let mut names: Vec<&String> = names
        .filter(|name| record_value.get(*name) != expected.get(*name))
        .collect();
    names.sort_by_key(|name| *name == "seal");
    match names.first() {
        Some(name) => Err(VerifyError::Field((*name).clone())),
        None => Ok(()),
    }
}

/// Verifies the records in these files (`-` is standard input) and writes one line per record; returns whether
/// all are valid. A file contains one record, an array of records, or a sequence of records.
///
/// # Errors
/// If the output cannot be written. A file that cannot be read is reported like an invalid record.
pub fn verify_files(
    games: &Registry,
    files: &[PathBuf],
    mut input: impl Read,
    mut output: impl Write,
) -> io::Result<bool> {
    let mut all_hold = true;
    for file in files {
        let name = file.display();
        let records = match read_text(file, &mut input).map(|text| split_records(&text)) {
            Ok(Ok(records)) => records,
            Ok(Err(error)) => {
                all_hold = false;
                writeln!(output, "{name}: {error}")?;
                continue;
            }
            Err(error) => {
                all_hold = false;
                writeln!(output, "{name}: {error}")?;
                continue;
            }
        };
        for (number, record) in records.iter().enumerate() {
            let which = match records.len() {
                1 => String::new(),
                _ => format!(" record {}", number + 1),
            };
            match verify(games, record) {
                Ok(result) => writeln!(output, "{name}{which}: {result}")?,
                Err(error) => {
                    all_hold = false;
                    writeln!(output, "{name}{which}: {error}")?;
                }
            }
        }
    }
    Ok(all_hold)
}

fn read_text(file: &Path, input: &mut impl Read) -> io::Result<String> {
    if file.as_os_str() == "-" {
        return io::read_to_string(input);
    }
    fs::read_to_string(file)
}

/// Splits a text into its records, each unchanged.
///
/// # Errors
/// If a text that is not in notation is not JSON, or there is no record.
pub fn split_records(text: &str) -> Result<Vec<String>, VerifyError> {
    let text = strip_bom(text);
    if is_notation(text) {
        let mut games: Vec<String> = Vec::new();
        for line in text.split_inclusive('\n') {
            if is_notation(line) {
                games.push(String::new());
            }
            if let Some(game) = games.last_mut() {
                game.push_str(line);
            }
        }
        return Ok(games);
    }
    let to_texts = |records: Vec<Box<RawValue>>| {
        let records = records.into_iter();
        records.map(|record| record.get().to_owned()).collect()
    };
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map(to_texts).map_err(json_error);
    }
    if is_ndjson(text) {
        return split_lines(text);
    }
    let records: Result<Vec<_>, _> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect();
    let records: Vec<Box<RawValue>> = records.map_err(json_error)?;
    if records.is_empty() {
        return Err(VerifyError::Text("there is no record".to_owned()));
    }
    Ok(to_texts(records))
}

/// Whether a text has one record per line, that is, more than one line begins like an object.
fn is_ndjson(text: &str) -> bool {
    let objects = text.lines().filter(|line| line.starts_with("{\""));
    objects.count() > 1
}

/// Splits a text with one record per line, so that errors have the right line number.
fn split_lines(text: &str) -> Result<Vec<String>, VerifyError> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        let record: Result<Box<RawValue>, _> = serde_json::from_str(line);
        let record = record.map_err(|error| syntax_error(number, error.column()));
        record.map(|record| record.get().to_owned())
    });
    read.collect()
}

/// Converts an error of parsing JSON without duplicate fields.
fn json_error(error: serde_json::Error) -> VerifyError {
    match error.classify() {
        Category::Data => VerifyError::Text(error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => {
            syntax_error(error.line(), error.column())
        }
    }
}

/// A syntax error at this line and column, both counted from 1.
fn syntax_error(line: usize, column: usize) -> VerifyError {
    VerifyError::Record(RecordError::NotJson { line, column })
}
