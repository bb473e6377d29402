//! The types of requests and responses that all games share.
//!
//! Game-specific parts (parameters, positions, actions and rolls) are fields or JSON from
//! [`crate::formats`].

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::formats::JsonFields;
use crate::formats::end_reason::EndReason;
use crate::formats::fields::whole_number;
use crate::formats::record::{RecordPlayerJson, RecordPlayerKind};
use crate::game::Player;
use crate::games::position_analysis::WinShares;
use crate::games::{LiveGameRef, PositionAnalysis};
use crate::seats::{ComputerPace, SeatOccupant};
use crate::store::GameOrigin;
use crate::tables::Snapshot;

/// The fields of a new game that all games share. All have defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTableJson {
    /// The occupant of each seat, in order. Default: `human` for the first, `book` for the others.
    pub(in crate::site) seats: Option<Vec<String>>,
    /// The seed of the deal. The dice do not depend on it. Cannot be combined with `start`. Default: random.
    pub(in crate::site) seed: Option<u64>,
    /// The first position of the game. Cannot be combined with `seed`. Default: a deal.
    pub(in crate::site) start: Option<Box<RawValue>>,
    /// When computers move. Default: `at-once`.
    pub(in crate::site) pace: Option<ComputerPace>,
    /// Whether only players with a seat can see the game. Default: false.
    #[serde(default)]
    pub(in crate::site) private: bool,
    /// The number of seconds without a ply, 1 to 2592000, after which the other players can let a computer play for the
    /// player to move. Default: they never can.
    #[serde(default, deserialize_with = "whole_number::<_, _, 1, 2_592_000>")]
    pub(in crate::site) replace_after_s: Option<u32>,
    /// The number of seconds that a person or a program has for a turn, 10 to 1209600, before the turn ends by itself.
    /// Default: no limit.
    #[serde(default, deserialize_with = "whole_number::<_, _, 10, 1_209_600>")]
    pub(in crate::site) turn_s: Option<u32>,
    /// Whether a player can take back moves in games without other people and programs. Default: true.
    pub(in crate::site) takebacks: Option<bool>,
    /// Whether hints are allowed even in games with several people or programs. Requires `takebacks`. Default: false;
    /// hints are then allowed only if all other seats are computers.
    #[serde(default)]
    pub(in crate::site) hints: bool,
}

impl NewTableJson {
    pub(in crate::site) const FIELDS: [&'static str; 9] = [
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::site) enum SeatKind {
    Human,
    Level,
    Open,
}

/// A seat of a game.
#[derive(Clone, Debug, Serialize)]
pub struct SeatJson {
    /// The player who has this seat, counted from 0.
    pub(in crate::site) player: u8,
    /// The occupant of the seat.
    pub(in crate::site) kind: SeatKind,
    /// The level of the computer; null in other seats.
    pub(in crate::site) level: Option<String>,
    /// The number of simulations for each decision of the computer; null if it is the level's own number, and in other
    /// seats.
    pub(in crate::site) simulations: Option<u64>,
    /// The name of the person or the program, or, in an open seat, of the invited program; null if there is none.
    pub(in crate::site) name: Option<String>,
    /// Whether the seat is played over this API.
    pub(in crate::site) program: bool,
    /// The token of the seat. Present only in the answer to the request that created the game or took the seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::site) token: Option<String>,
    /// The invitation to an open seat, which can be used once. Present only in the answer to the request that created
    /// the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::site) invite: Option<String>,
}

/// A game, now or after an earlier entry.
#[derive(Clone, Debug, Serialize)]
pub struct GameJson {
    /// The id of the game, which is part of all its URLs.
    pub(in crate::site) id: String,
    /// The name and the parameters of the game.
    #[serde(flatten)]
    pub(in crate::site) parameters: JsonFields,
    /// The constant part of the board.
    #[serde(flatten)]
    pub(in crate::site) layout: JsonFields,
    /// The number of entries before this position: plies, including those that were taken back, takebacks and added
    /// entropy texts. It is also the number of the next entry.
    pub(in crate::site) ply: u32,
    /// The player to move, counted from 0; null if the game is over.
    pub(in crate::site) player: Option<u8>,
    /// The position.
    pub(in crate::site) state: Box<RawValue>,
    /// Whether the game is over at this position.
    pub(in crate::site) over: bool,
    /// Whether the game waits for players: nobody can play until it has started. It starts once its open seats are
    /// taken, or with `start`.
    pub(in crate::site) waiting: bool,
    /// The time at which the game starts by itself, in Unix milliseconds; null unless it waits and its seats for people
    /// are taken.
    pub(in crate::site) starts: Option<i64>,
    /// The winners, counted from 0; null until the game is over, and empty after a draw.
    pub(in crate::site) winners: Option<Vec<u8>>,
    /// How the game ended; null while it is in progress, and for an earlier position.
    pub(in crate::site) ending: Option<EndReason>,
    /// The seats, one for each player.
    pub(in crate::site) seats: Vec<SeatJson>,
    /// Whether only players with a seat can see the game.
    pub(in crate::site) private: bool,
    /// The number of seconds without a ply after which the other players can let a computer play for the player to
    /// move; null if they never can.
    #[serde(default, deserialize_with = "whole_number::<_, _, 1, 2_592_000>")]
    pub(in crate::site) replace_after_s: Option<u32>,
    /// The number of seconds that a person or a program has for a turn; null if there is no limit.
    pub(in crate::site) turn_s: Option<u32>,
    /// The time at which the turn ends by itself, in Unix milliseconds; null without `turn_s`, before the
    /// start, while a computer moves, and for an earlier position.
    pub(in crate::site) deadline: Option<i64>,
    /// The position of another game from which this one was started with `play_on`; null for other games.
    pub(in crate::site) played_on: Option<PlayedOnJson>,
    /// Whether the game was uploaded with `upload_record`. Nobody can play it.
    pub(in crate::site) uploaded: bool,
    /// Whether a player can take back moves in games without other people and programs.
    pub(in crate::site) takebacks: bool,
    /// Whether hints are allowed even in games with several people or programs.
    pub(in crate::site) hints: bool,
    /// The last entry before this position: a ply, a takeback or entropy text; null at the start.
    pub(in crate::site) last: Option<Box<RawValue>>,
}

/// The result of an entry: the game directly after it, even if more entries have followed.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedJson {
    /// The name of the game.
    pub(in crate::site) game: &'static str,
    /// The number of the next entry.
    pub(in crate::site) ply: u32,
    /// The faces of the dice; null if no dice were rolled.
    pub(in crate::site) roll: Option<Box<RawValue>>,
    /// The position directly after the entry.
    pub(in crate::site) state: Box<RawValue>,
    /// Whether the game is over after the entry.
    pub(in crate::site) over: bool,
    /// The winners, counted from 0; null until the game is over, and empty after a draw.
    pub(in crate::site) winners: Option<Vec<u8>>,
    /// Whether an earlier request has already made this entry. Nothing was played or rolled again then.
    pub(in crate::site) repeated: bool,
}

/// A takeback.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoJson {
    /// The number of the next entry as last seen by the client. Plies that computers have played since are taken back,
    /// too.
    pub(in crate::site) ply: u32,
}

/// Entropy text for the dice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntropyJson {
    /// The number of the next entry as last seen by the client. The request is valid even if computers have played
    /// since.
    pub(in crate::site) ply: u32,
    /// 1 to 64 visible characters. White space at both ends is removed.
    pub(in crate::site) entropy: String,
}

/// A resignation.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignJson {
    /// Resigns only if this is the number of the next entry. Default: null, resigns in any case.
    pub(in crate::site) ply: Option<u32>,
}

/// A request for a ply of a computer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepJson {
    /// The number of the ply to play: the current `ply` of the game.
    pub(in crate::site) ply: u32,
}

/// A request for a rematch.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RematchJson {
    /// The kind of rematch. Default: `new`.
    pub(in crate::site) kind: Option<String>,
}

/// A position from which to play on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayOnJson {
    /// The number of entries before the position.
    pub(in crate::site) ply: u32,
    /// The occupant of each seat, in order. Default: computers as in the other game, the client in its own seats, and
    /// `book` in place of other people and programs. A client without a seat gets the first seat without a computer, or
    /// that of the player to move.
    pub(in crate::site) seats: Option<Vec<String>>,
}

/// The position of another game from which a game was started.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedOnJson {
    /// The id of the other game, which may have been deleted.
    pub(in crate::site) game: String,
    /// The number of its entries before the position.
    pub(in crate::site) ply: u32,
}

/// A request for an open seat.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinJson {
    /// The invitation: `invite` of the seat in the answer to `create_game`, or the token in an invitation link.
    /// Optional for a program that was invited to the game.
    pub(in crate::site) invite: Option<String>,
    /// The displayed name, at most 32 visible characters; joiners may stand between them. Default: the name of the program, if its token is sent.
    pub(in crate::site) name: Option<String>,
}

impl GameJson {
    /// The game after `ply` entries; `None` if it has fewer.
    pub(in crate::site) fn new(snapshot: &Snapshot, ply: u32) -> Option<Self> {
        let live = &snapshot.live;
        let stand = live.state_at(ply)?;
        let over = stand.winners.is_some();
        let ending = live.ending().filter(|_| ply == live.entry_count());
        Some(GameJson {
            id: snapshot.id.to_string(),
            parameters: live.configured_game().parameters(),
            layout: live.configured_game().layout(),
            ply,
            player: stand.mover.map(Player::number),
            state: stand.state,
            over,
            waiting: snapshot.is_waiting(),
            starts: snapshot.starts_ms(),
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

/// A possible outcome of an action.
#[derive(Clone, Debug, Serialize)]
pub struct OutcomeAnalysisJson {
    /// The probability, 0 to 1. The probabilities of an action's outcomes sum to 1.
    probability: f64,
    /// The expected win share of each player after the outcome, 0 to 1.
    win: Vec<f32>,
}

/// A legal action with its evaluation.
#[derive(Clone, Debug, Serialize)]
pub struct ActionAnalysisJson {
    /// The action, in the fields of its game: `path` or `cell`, for example.
    #[serde(flatten)]
    action: JsonFields,
    /// The possible outcomes.
    outcomes: Vec<OutcomeAnalysisJson>,
    /// The expected win share of each player, 0 to 1: the sum of `probability` × `win` over the outcomes.
    win: Vec<f32>,
    /// Whether `win` is proven; otherwise it is estimated.
    exact: bool,
    /// The number of plies until the game is over, including this one; null if it is not proven.
    ends_in: Option<u32>,
}

/// The evaluation of each legal action at a position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionAnalysisJson {
    /// The name of the game.
    game: &'static str,
    /// The number of entries before the position.
    ply: u32,
    /// The player to move, counted from 0.
    player: u8,
    /// The number of simulations of the search.
    simulations: u64,
    /// The legal actions, best first.
    actions: Vec<ActionAnalysisJson>,
}

impl PositionAnalysisJson {
    pub(in crate::site) fn new(live: &LiveGameRef, analysis: &PositionAnalysis) -> Self {
        let win = |shares: &WinShares| {
            Player::all(live.players())
                .map(|player| shares[player])
                .collect()
        };
        let fields = live.position().legal_action_fields();
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
