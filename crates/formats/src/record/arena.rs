//! The field `arena` of a record: which game of an arena it is, and how it was forfeited.

use std::num::{NonZeroU32, NonZeroU64};

use dice_of_doom_core::game::Player;
use serde::{Deserialize, Serialize};

/// The identity of an arena game: seed, board and rotation determine its deal, its dice and the choices of
/// levels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "ArenaFields")]
pub struct ArenaJson {
    /// The seed of the arena.
    pub seed: u64,
    /// Which of its games.
    #[serde(flatten)]
    pub number: GameNumber,
    /// The search budget given to programs.
    #[serde(skip_serializing_if = "ProgramBudget::program_decides")]
    pub programs: ProgramBudget,
    /// The player who forfeited, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeit>,
}

/// The fields of [`ArenaJson`] as they are read: of a flattened field, the deserializer does not know what is expected.
#[derive(Deserialize)]
struct ArenaFields {
    seed: u64,
    table: u32,
    board: u32,
    rotation: u8,
    #[serde(default)]
    programs: ProgramBudget,
    forfeit: Option<Forfeit>,
}

impl From<ArenaFields> for ArenaJson {
    fn from(fields: ArenaFields) -> Self {
        ArenaJson {
            seed: fields.seed,
            number: GameNumber {
                table: fields.table,
                board: fields.board,
                rotation: fields.rotation,
            },
            programs: fields.programs,
            forfeit: fields.forfeit,
        }
    }
}

/// Identifies a game of an arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GameNumber {
    /// The number of the table, from 0.
    pub table: u32,
    /// The number of the board, from 0.
    pub board: u32,
    /// The number of the rotation, from 0.
    pub rotation: u8,
}

/// How much a program may compute for a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ProgramBudget {
    /// The program decides, within a minute.
    #[default]
    #[serde(rename = "own")]
    ProgramDecides,
    /// A time in milliseconds.
    #[serde(rename = "budget_ms")]
    MoveTime(NonZeroU32),
    /// A number of simulations or positions.
    #[serde(rename = "nodes")]
    Nodes(NonZeroU64),
}

impl ProgramBudget {
    /// Whether the program decides.
    #[must_use]
    pub fn program_decides(&self) -> bool {
        *self == ProgramBudget::ProgramDecides
    }
}

/// A forfeit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forfeit {
    /// The player who forfeited.
    pub player: Player,
    /// The number of the ply.
    pub ply: u32,
    /// The fault.
    pub why: PlayerFault,
}

/// Why a player forfeits a game, with the program's line that caused it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerFault {
    /// The kind of fault.
    pub fault: FaultKind,
    /// The request that was sent.
    pub asked: String,
    /// The response line, or the exit status of the program. After a timeout, the last line that was not a response, if
    /// any.
    pub answered: Option<String>,
}

/// The kinds of faults that forfeit a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FaultKind {
    /// The program exited or closed its output.
    Crash,
    /// No response arrived within the time limit.
    Timeout,
    /// The response is not a legal action, or is malformed.
    Illegal,
}

impl FaultKind {
    /// All kinds, in the order of reports.
    pub const ALL: [FaultKind; 3] = [FaultKind::Crash, FaultKind::Timeout, FaultKind::Illegal];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Crash => "crash",
            FaultKind::Timeout => "timeout",
            FaultKind::Illegal => "illegal answer",
        }
    }

    /// The name in reports, in the plural.
    #[must_use]
    pub const fn plural_name(self) -> &'static str {
        match self {
            FaultKind::Crash => "crashes",
            FaultKind::Timeout => "timeouts",
            FaultKind::Illegal => "illegal answers",
        }
    }
}

/// The maximum length of a quoted line in bytes; longer than any line of the built-in games.
const MAX_FAULT_LINE_BYTES: usize = 4_000;

impl PlayerFault {
    /// Creates a fault; long lines are truncated.
    #[must_use]
    pub fn new(fault: FaultKind, asked: &str, answered: Option<&str>) -> Self {
        let truncated = |line: &str| match line.len() {
            0..=MAX_FAULT_LINE_BYTES => line.to_owned(),
            _ => format!(
                "{}…",
                &line[..line.floor_char_boundary(MAX_FAULT_LINE_BYTES)]
            ),
        };
        PlayerFault {
            fault,
            asked: truncated(asked),
            answered: answered.map(truncated),
        }
    }
}
