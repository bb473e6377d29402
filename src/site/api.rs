//! What the operations of the JSON API share: the types of requests and responses, and how they are read.
//!
//! `docs/openapi.yaml` describes every operation and field; each game adds its own fields.

use crate::http::error::HttpError;
use crate::tables::{ServiceError, Snapshot};

pub mod dto;
pub(super) mod extract;

use dto::GameJson;

/// The game at its newest ply.
pub(super) fn newest(snapshot: &Snapshot) -> Result<GameJson, HttpError> {
    let game = GameJson::new(snapshot, snapshot.live.entry_count());
    Ok(game.ok_or(ServiceError::Damaged)?)
}
