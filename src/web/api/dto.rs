//! The types of requests and responses that all games share.
//!
//! Game-specific parts (parameters, positions, actions and rolls) are fields or JSON from
//! [`crate::game_adapters::json`].

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::game::Player;
use crate::game_adapters::json::{EndReason, EndingName, RecordPlayerJson, RecordPlayerKind};
use crate::game_adapters::position_analysis::WinShares;
use crate::game_adapters::{JsonFields, LiveGameRef, PositionAnalysis};
use crate::level::Level;
use crate::seats::{ComputerPace, MAX_SIMULATIONS, RematchKind, SeatOccupant};
use crate::service::Snapshot;
use crate::store::GameOrigin;

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
    pub(super) pace: Option<ComputerPace>,
    /// Whether only those with a seat see the game.
    #[serde(default)]
    pub(super) private: bool,
    /// After so many seconds without a ply, 1 to 2592000, the others may let a computer play.
    pub(super) replace_after_s: Option<u32>,
    /// The seconds that a person or a program has for a turn, 10 to 1209600; then it ends by itself. Default null:
    /// no clock.
    pub(super) turn_s: Option<u32>,
    /// Whether moves may be taken back, where nobody else plays. Default true.
    pub(super) takebacks: Option<bool>,
    /// Whether everybody gets hints, also where people play against each other; not with `takebacks` false.
    /// Default false: then there are hints where nobody else plays.
    #[serde(default)]
    pub(super) hints: bool,
}

impl NewTableJson {
    pub(super) const FIELDS: [&'static str; 9] = [
        "seats",
        "seed",
        "start",
        "pace",
        "private",
        "replace_after_s",
        "turn_s",
        "takebacks",
        "hints",
    ];
}

/// The schema of a [`SeatSpec`](crate::seats::SeatSpec), which is parsed from text for better error messages.
pub(super) struct SitterName;

impl PartialSchema for SitterName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(format!(
                "Who sits in a seat: `human`, `open` (for whoever has the invitation), or a level, of which \
                 there are, weakest first, {}. A number of simulations a decision may follow a level, at most \
                 {MAX_SIMULATIONS}: `master:400`. A game has the levels that `get_levels` lists.",
                Level::joined_names(Level::ALL)
            )))
            .pattern(Some(format!(
                "^(human|open|({})(:[1-9][0-9]{{0,4}})?)$",
                Level::names().collect::<Vec<_>>().join("|")
            )))
            .into()
    }
}

impl ToSchema for SitterName {}

/// The schema of a [`ComputerPace`].
pub(super) struct PaceName;

impl PartialSchema for PaceName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("When computers move."))
            .enum_values(Some(ComputerPace::ALL.map(ComputerPace::name)))
            .into()
    }
}

impl ToSchema for PaceName {}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeatKind {
    Human,
    Level,
    Open,
}

/// The schema of a [`SeatKind`].
pub(super) struct SeatKindName;

impl PartialSchema for SeatKindName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "Whose a seat is: a person's or a program's, a computer's of this server, or nobody's yet.",
            ))
            .enum_values(Some(["human", "level", "open"]))
            .into()
    }
}

impl ToSchema for SeatKindName {}

/// A seat as everybody sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Seat)]
pub struct SeatJson {
    /// Which player sits there, counted from 0.
    pub(super) player: u8,
    #[schema(value_type = SeatKindName)]
    pub(super) kind: SeatKind,
    /// The computer's level; null in the seats of others.
    pub(super) level: Option<String>,
    /// How many simulations a decision the computer was told to make; null where it makes its level's own.
    pub(super) simulations: Option<u64>,
    /// What a person or a program wants to be called; of an open seat the program that is asked to play.
    pub(super) name: Option<String>,
    /// Whether a seat is a program's: it made the game or joined it over this interface.
    pub(super) program: bool,
    /// Only in the answer to the request that created the game or took the seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) token: Option<String>,
    /// What takes an open seat, once; only in the answer to the request that created the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) invite: Option<String>,
}

/// A game as it stands at one of its plies.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameJson {
    /// What addresses name the game by.
    pub(super) id: String,
    /// The game's name and its numbers.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub(super) parameters: JsonFields,
    /// What its board is like whatever stands on it.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub(super) layout: JsonFields,
    /// Entries of the record before this position: plies, also those that were taken back, takebacks and
    /// words for the dice.
    pub(super) ply: u32,
    /// Whose turn it is, counted from 0; null when over.
    pub(super) player: Option<u8>,
    /// The position.
    #[schema(value_type = Object)]
    pub(super) state: Box<RawValue>,
    /// Whether the game is over here.
    pub(super) over: bool,
    /// Who wins, in the book's order, counted from 0; null until over, and empty after a draw.
    pub(super) winners: Option<Vec<u8>>,
    /// How it ended; null while it goes on, and where it is shown as it was before the end.
    #[schema(value_type = Option<EndingName>)]
    pub(super) ending: Option<EndReason>,
    pub(super) seats: Vec<SeatJson>,
    /// Whether only those with a seat see the game.
    pub(super) private: bool,
    /// After so many seconds without a ply the others may let a computer play; null: never.
    pub(super) replace_after_s: Option<u32>,
    /// The seconds that a person or a program has for a turn; null: no clock.
    pub(super) turn_s: Option<u32>,
    /// When the turn ends by itself, in Unix milliseconds; null without a clock, while a seat is open or a computer
    /// moves, and where the game is shown as it was before.
    pub(super) deadline: Option<i64>,
    /// The position of another game that it goes on from.
    pub(super) played_on: Option<PlayedOnJson>,
    /// Whether it was played elsewhere and its record brought here: nobody can play at it.
    pub(super) uploaded: bool,
    /// Whether moves may be taken back, where nobody else plays.
    pub(super) takebacks: bool,
    /// Whether everybody gets hints, also where people play against each other.
    pub(super) hints: bool,
    /// The entry that led here: a ply, a takeback, or words for the dice.
    #[schema(value_type = Option<Object>)]
    pub(super) last: Option<Box<RawValue>>,
}

/// What came of a ply.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayedJson {
    /// Which game it is.
    pub(super) game: &'static str,
    /// The number of the next ply.
    pub(super) ply: u32,
    /// The faces; null where nothing was rolled.
    #[schema(value_type = Option<Object>)]
    pub(super) roll: Option<Box<RawValue>>,
    /// The position at that number: the answer describes this ply alone.
    #[schema(value_type = Object)]
    pub(super) state: Box<RawValue>,
    /// Whether the game is over with it.
    pub(super) over: bool,
    /// Who wins, in the book's order, counted from 0; null until over, and empty after a draw.
    pub(super) winners: Option<Vec<u8>>,
    /// This ply had been played before; nothing was rolled again.
    pub(super) repeated: bool,
}

/// A takeback.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[schema(as = Undo)]
#[serde(deny_unknown_fields)]
pub struct UndoJson {
    /// The number of the next entry when it is asked for; what computers have played since goes, too.
    pub(super) ply: u32,
}

/// Words for the dice.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = Entropy)]
#[serde(deny_unknown_fields)]
pub struct EntropyJson {
    /// The number of the next entry when it is asked for; computers may have played since.
    pub(super) ply: u32,
    /// 1 to 64 characters that can be seen; blanks at the ends are left out.
    pub(super) entropy: String,
}

/// A resignation.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[schema(as = Resign)]
#[serde(deny_unknown_fields)]
pub struct ResignJson {
    /// Resign only if the game stands here.
    pub(super) ply: Option<u32>,
}

/// A ply that a computer is asked for.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Step)]
pub struct StepJson {
    /// The number of the ply, counted from 0: where the game stands.
    pub(super) ply: u32,
}

/// A rematch to be made.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Rematch)]
pub struct RematchJson {
    /// Default `new`: a new deal, everybody on their own seat. `same`: the same start, everybody one seat
    /// on. `easier` and `harder`: a new deal against computers that are one level weaker or stronger.
    #[schema(value_type = Option<RematchName>)]
    pub(super) kind: Option<String>,
}

/// The schema of a [`RematchKind`].
pub(super) struct RematchName;

impl PartialSchema for RematchName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Which rematch."))
            .enum_values(Some(RematchKind::ALL.map(RematchKind::name)))
            .into()
    }
}

impl ToSchema for RematchName {}

/// A position to play on from.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = PlayOn)]
#[serde(deny_unknown_fields)]
pub struct PlayOnJson {
    /// Plies played before the position.
    pub(super) ply: u32,
    /// One a player. Default: as in the game, with whoever asks where they sat; who sat nowhere plays for
    /// the first seat that no computer has, or for the player to move. Computers take the seats of others.
    #[schema(value_type = Option<Vec<SitterName>>)]
    pub(super) seats: Option<Vec<String>>,
}

/// Where a game comes from that goes on from another one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PlayedOn)]
pub struct PlayedOnJson {
    /// The other game; it may have been cleared away.
    pub(super) game: String,
    /// Plies played there before the position.
    pub(super) ply: u32,
}

/// An invitation to be used.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = Join)]
#[serde(deny_unknown_fields)]
pub struct JoinJson {
    /// The token in the link, or in the answer to the game's creation. A program that is asked to play may
    /// leave it out.
    pub(super) invite: Option<String>,
    /// What the program wants to be called: at most 32 characters, none of them invisible.
    pub(super) name: Option<String>,
}

impl GameJson {
    /// The game after `ply` entries; `None` if it has fewer.
    pub(in crate::web) fn new(snapshot: &Snapshot, ply: u32) -> Option<Self> {
        let live = &snapshot.live;
        let stand = live.state_at(ply)?;
        let over = stand.winners.is_some();
        let ending = live.ending().filter(|_| ply == live.entry_count());
        Some(GameJson {
            id: snapshot.id.to_string(),
            parameters: live.parameters(),
            layout: live.layout(),
            ply,
            player: stand.mover.map(Player::number),
            state: stand.state,
            over,
            winners: stand.winners,
            ending: EndReason::new(over && ply == live.entry_count(), ending),
            seats: seats(snapshot),
            private: snapshot.private,
            replace_after_s: snapshot.replace_after_s,
            turn_s: snapshot.turn_s,
            deadline: snapshot
                .turn_deadline_ms()
                .filter(|_| ply == live.entry_count()),
            played_on: match snapshot.origin.as_deref() {
                Some(GameOrigin::PlayedOn { of, ply }) => Some(PlayedOnJson {
                    game: of.to_string(),
                    ply: *ply,
                }),
                Some(GameOrigin::Daily { .. } | GameOrigin::Uploaded { .. }) | None => None,
            },
            uploaded: snapshot.is_uploaded(),
            takebacks: snapshot.takebacks,
            hints: snapshot.hints,
            last: stand.last,
        })
    }
}

fn seats(snapshot: &Snapshot) -> Vec<SeatJson> {
    Player::all(snapshot.live.players())
        .zip(&snapshot.seats.seats)
        .map(|(player, seat)| {
            if let Some(record_player) = snapshot.uploaded_name_of(player) {
                return SeatJson::from_record_player(record_player);
            }
            let (kind, level) = match &seat.occupant {
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => {
                    (SeatKind::Human, None)
                }
                SeatOccupant::Level { level, .. } => (SeatKind::Level, Some(level)),
                SeatOccupant::Open { .. } => (SeatKind::Open, None),
            };
            SeatJson {
                player: player.number(),
                kind,
                level: level.map(|level| level.displayed_level().to_owned()),
                simulations: level
                    .and_then(|level| level.effective_level().simulations)
                    .map(NonZeroU64::get),
                name: seat.occupant.name().map(str::to_owned),
                program: matches!(seat.occupant, SeatOccupant::Program { .. }),
                token: None,
                invite: None,
            }
        })
        .collect()
}

impl SeatJson {
    /// A player of an uploaded record.
    fn from_record_player(record_player: &RecordPlayerJson) -> Self {
        SeatJson {
            player: record_player.player,
            kind: match record_player.kind {
                RecordPlayerKind::Human | RecordPlayerKind::Program => SeatKind::Human,
                RecordPlayerKind::Level => SeatKind::Level,
                RecordPlayerKind::Open => SeatKind::Open,
            },
            level: record_player.level.map(|level| level.name().to_owned()),
            simulations: record_player.simulations,
            name: record_player.name.clone(),
            program: record_player.kind == RecordPlayerKind::Program,
            token: None,
            invite: None,
        }
    }
}

/// What chance may answer to an action.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = WeighedOutcome)]
pub struct OutcomeAnalysisJson {
    /// 0..=1; those of one action sum to 1.
    probability: f64,
    /// What each player may then expect: their parts of one won game.
    win: Vec<f32>,
}

/// An action with what it is worth.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActionAnalysisJson {
    /// The action, as its game writes it: `path` or `cell`, for example.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    action: JsonFields,
    /// What chance may answer.
    outcomes: Vec<OutcomeAnalysisJson>,
    /// What each player may expect of it: the sum of probability × win over the outcomes.
    win: Vec<f32>,
    /// Whether that is proven and not estimated.
    exact: bool,
    /// After how many plies the game is over, this one included; null where it is not proven.
    ends_in: Option<u32>,
}

/// What every legal action of a position is worth.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PositionAnalysisJson {
    /// Which game it is.
    game: &'static str,
    /// The position: so many entries came before it.
    ply: u32,
    /// Who is to move, counted from 0.
    player: u8,
    /// With how many simulations it was found.
    simulations: u64,
    /// Best first.
    actions: Vec<ActionAnalysisJson>,
}

impl PositionAnalysisJson {
    pub(in crate::web) fn new(live: &LiveGameRef, analysis: &PositionAnalysis) -> Self {
        let win = |shares: &WinShares| {
            Player::all(live.players())
                .map(|player| shares[player])
                .collect()
        };
        let fields = live.legal_action_fields();
        let actions = analysis.best_first.iter().map(|&index| {
            let entry = &analysis.actions[index];
            ActionAnalysisJson {
                action: fields[index].clone(),
                outcomes: entry
                    .outcomes
                    .iter()
                    .map(|outcome| OutcomeAnalysisJson {
                        probability: outcome.probability,
                        win: win(&outcome.shares),
                    })
                    .collect(),
                win: win(&entry.shares),
                exact: entry.is_exact,
                ends_in: entry.ends_in,
            }
        });
        PositionAnalysisJson {
            game: live.configured_game().name(),
            ply: live.entry_count(),
            player: analysis.mover.number(),
            simulations: analysis.simulations,
            actions: actions.collect(),
        }
    }
}
