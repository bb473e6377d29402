//! The stored form of a game, and how it is loaded.

use dice_of_doom_core::record::{EndingRow, EntryRow, Record, ReplayError, RowError};
use dice_of_doom_core::session::Session;
use thiserror::Error;

use crate::{FieldError, GameFormat, JsonFields};

/// The stored data of a game.
#[derive(Clone, Copy, Debug)]
pub struct SavedGame<'a> {
    /// JSON, including the game's name.
    pub parameters: &'a str,
    /// JSON.
    pub start: &'a str,
    /// All entries in order, without the ending.
    pub entries: &'a [EntryRow],
    /// An ending that the rules did not cause, such as a resignation.
    pub ending: Option<EndingRow>,
}

/// Why a saved game cannot be resumed.
#[derive(Debug, Error)]
pub enum GameLoadError {
    /// The parameters cannot be parsed, or name no registered game.
    #[error("the game's parameters cannot be read: {0}")]
    Parameters(FieldError),
    /// The start position cannot be parsed.
    #[error("the game's start cannot be read: {0}")]
    Start(serde_json::Error),
    /// The game rejects the parameters or the start position.
    #[error("the game's start does not fit: {0}")]
    Setup(Box<dyn std::error::Error + Send + Sync>),
    /// An entry is not valid notation.
    #[error("ply {0} cannot be read: {1}")]
    Entry(usize, RowError),
    /// The ending names a player that the game does not have.
    #[error("the ending cannot be read: {0}")]
    Ending(RowError),
    /// An entry is illegal where it is replayed.
    #[error("{0}")]
    Replay(#[from] ReplayError),
}

impl SavedGame<'_> {
    /// Replays and validates the game, which is `G`. `parameters` are its parsed parameters without the game's name.
    ///
    /// # Errors
    /// The first entry or field that is invalid.
    pub fn load<G: GameFormat>(&self, parameters: JsonFields) -> Result<Session<G>, GameLoadError> {
        let parameters = parameters.into().map_err(GameLoadError::Parameters)?;
        let game = G::from_parameters(&parameters)
            .map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let setup = serde_json::from_str(self.start).map_err(GameLoadError::Start)?;
        let start = game.position_from_setup(&setup);
        let start = start.map_err(|error| GameLoadError::Setup(Box::new(error)))?;
        let players = game.players();
        let mut record = Record::new(game, start);
        for (number, row) in self.entries.iter().enumerate() {
            let entry = row.to_entry(players);
            let entry = entry.map_err(|error| GameLoadError::Entry(number, error))?;
            record.entries.push(entry);
        }
        let ending = self.ending.map(|row| row.to_ending(players)).transpose();
        record.ending = ending.map_err(GameLoadError::Ending)?;
        Ok(Session::from_record(record)?)
    }
}
