//! The shapes of requests and answers that every game shares.
//!
//! What a game adds (its parameters, positions, actions and rolls) comes as fields or as JSON from
//! [`crate::faces::json`].

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::faces::Fields;
use crate::faces::json::{Ended, PlyJson};
use crate::game::Player;
use crate::seats::{Pace, SeatWord, Sitter};
use crate::service::Snapshot;

/// The fields of a new game that belong to the table; its game has fields of its own beside them. All
/// have defaults.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTableJson {
    /// One a player. Default: `human`, then `book`.
    #[schema(value_type = Option<Vec<SitterName>>)]
    pub(super) seats: Option<Vec<String>>,
    /// The same number deals the same board. It says nothing about the dice.
    pub(super) seed: Option<u64>,
    /// Begins with exactly this position.
    #[schema(value_type = Option<Object>)]
    pub(super) start: Option<Box<RawValue>>,
    /// `at-once` (default): computers move by themselves.
    #[schema(value_type = Option<PaceName>)]
    pub(super) pace: Option<Pace>,
    /// Whether only those with a seat see the game.
    #[serde(default)]
    pub(super) private: bool,
    /// After so many seconds without a ply, 1 to 2592000, the others may let a computer play.
    pub(super) replace_after_s: Option<u32>,
}

impl NewTableJson {
    /// The names of the fields.
    pub(super) const FIELDS: [&'static str; 6] = [
        "seats",
        "seed",
        "start",
        "pace",
        "private",
        "replace_after_s",
    ];
}

/// How the document describes a [`SeatWord`]; it is read as text, so that errors can name it.
pub(super) struct SitterName;

impl PartialSchema for SitterName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "Who sits in a seat: `human`, `open` (for whoever has the invitation), or a level, \
                 weakest first.",
            ))
            .enum_values(Some(SeatWord::all().map(|word| word.to_string())))
            .into()
    }
}

impl ToSchema for SitterName {}

/// How the document describes a [`Pace`].
pub(super) struct PaceName;

impl PartialSchema for PaceName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("When computers move."))
            .enum_values(Some(Pace::ALL.map(Pace::name)))
            .into()
    }
}

impl ToSchema for PaceName {}

/// Whose a seat is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeatKind {
    /// A person's or a program's.
    Human,
    /// A computer's of this server.
    Level,
    /// Nobody's yet.
    Open,
}

/// A seat as everybody sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeatJson {
    pub(super) player: u8,
    /// `human`, `level` or `open`.
    #[schema(value_type = String)]
    pub(super) kind: SeatKind,
    /// `random`, `book`, `greedy`, `steady`, `expert`, `master` or `champion`.
    pub(super) level: Option<String>,
    pub(super) name: Option<String>,
    /// Only in the answer to the request that created the game or took the seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
    /// What takes an open seat, once; only in the answer to the request that created the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) invite: Option<String>,
}

/// A game as it stands at one of its plies.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameJson {
    pub(super) id: String,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub(super) parameters: Fields,
    /// Plies played before this position.
    pub(super) ply: u32,
    /// Whose turn it is; null when over.
    pub(super) player: Option<u8>,
    #[schema(value_type = Object)]
    pub(super) state: Box<RawValue>,
    pub(super) over: bool,
    pub(super) winners: Option<Vec<u8>>,
    /// `rules`, `resigned` or `limit`.
    #[schema(value_type = Option<String>)]
    pub(super) ending: Option<Ended>,
    pub(super) seats: Vec<SeatJson>,
    /// Whether only those with a seat see the game.
    pub(super) private: bool,
    /// After so many seconds without a ply the others may let a computer play; null: never.
    pub(super) replace_after_s: Option<u32>,
    /// The ply that led here.
    #[schema(value_type = Option<PlyJson>)]
    pub(super) last: Option<Box<RawValue>>,
}

/// What came of a ply.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayedJson {
    /// The number of the next ply.
    pub(super) ply: u32,
    /// The faces; null where nothing was rolled.
    #[schema(value_type = Option<Object>)]
    pub(super) roll: Option<Box<RawValue>>,
    /// The position at that number: the answer describes this ply alone.
    #[schema(value_type = Object)]
    pub(super) state: Box<RawValue>,
    pub(super) over: bool,
    pub(super) winners: Option<Vec<u8>>,
    /// This ply had been played before; nothing was rolled again.
    pub(super) repeated: bool,
}

/// A resignation.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignJson {
    /// Resign only if the game stands here.
    pub(super) ply: Option<u32>,
}

/// An invitation to be used.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinJson {
    /// The token in the link, or in the answer to the game's creation.
    pub(super) invite: String,
    /// What the program wants to be called: at most 32 characters, none of them invisible.
    pub(super) name: Option<String>,
}

impl GameJson {
    /// The game after `ply` plies; `None` where it has not come so far.
    pub(super) fn of(snapshot: &Snapshot, ply: u32) -> Option<Self> {
        let live = &snapshot.live;
        let stand = live.stand(ply)?;
        let over = stand.winners.is_some();
        let ending = live.ending().filter(|_| ply == live.ply());
        Some(GameJson {
            id: snapshot.id.to_string(),
            parameters: live.parameters(),
            ply,
            player: stand.mover.map(Player::number),
            state: stand.state,
            over,
            winners: stand.winners,
            ending: Ended::of(over && ply == live.ply(), ending),
            seats: seats(snapshot),
            private: snapshot.private,
            replace_after_s: snapshot.replace_after_s,
            last: stand.last,
        })
    }
}

fn seats(snapshot: &Snapshot) -> Vec<SeatJson> {
    Player::all(snapshot.live.players())
        .zip(&snapshot.seats.seats)
        .map(|(player, seat)| {
            let (kind, level) = match &seat.sitter {
                Sitter::Person { .. } | Sitter::Program { .. } => (SeatKind::Human, None),
                Sitter::Level { level, .. } => (SeatKind::Level, Some(level.name().to_owned())),
                Sitter::Open { .. } => (SeatKind::Open, None),
            };
            SeatJson {
                player: player.number(),
                kind,
                level,
                name: seat.sitter.name().map(str::to_owned),
                token: None,
                invite: None,
            }
        })
        .collect()
}
