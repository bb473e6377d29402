//! What the task of a game is asked to do.

use std::sync::Arc;

use tokio::sync::oneshot;
use tracing::Span;

use super::display_name::DisplayName;
use super::error::ServiceError;
use super::leases::HeldLease;
use super::snapshot::Snapshot;
use crate::game::Player;
use crate::games::SubmittedAction;
use crate::level::Level;
use crate::record::EntropyText;
use crate::seats::{Credentials, Phrase, SaidPhrase};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, GameVersion};

/// The result of appending an entry.
#[derive(Debug)]
pub struct EntryResult {
    /// Entry number, counted from 0.
    pub number: u32,
    /// True if the request repeats an earlier one: nothing was appended or rolled.
    pub repeated: bool,
    /// The newest state, which may contain later entries.
    pub snapshot: Arc<Snapshot>,
}

#[derive(Clone, Debug)]
pub enum SeatClaimant {
    Browser(Secret),
    /// A program, which will authenticate with the token of this hash.
    Program(SecretHash),
}

/// A requested seat change.
#[derive(Clone, Debug)]
pub enum SeatChange {
    /// Takes an open seat with an invitation, the next free seat with the link of the table, or the client's own seat
    /// with a return link.
    Take {
        /// The hash of the link's token.
        link: SecretHash,
        by: SeatClaimant,
        /// The requested name, if any.
        name: Option<DisplayName>,
    },
    /// Takes the next free seat, without a link; a client that has a seat keeps it.
    TakeFree {
        by: SeatClaimant,
        /// The requested name, if any.
        name: Option<DisplayName>,
    },
    /// Replaces the link of a table, by one of its open seats, or a player's own link; the previous one becomes invalid.
    Renew {
        player: Player,
        /// The requesting browser's secret.
        secret: Secret,
    },
    /// The host puts a level in an open seat.
    AssignLevel { player: Player, level: Level },
    /// The occupant changes the displayed name.
    Rename {
        player: Player,
        /// The new name; the colour is displayed without one.
        name: Option<DisplayName>,
    },
    /// The invited program declines; the seat stays open.
    Decline,
    /// Transfers the browser's seats to its new secret, with new links.
    ReplaceSecret { secret: Secret, keeps_name: bool },
    /// The host, or a player of a game without a host, starts a game that waits for players; computers take the free
    /// seats.
    Start,
    /// The server starts a game whose time has come.
    StartDue,
    /// The host wants more people than there were seats for: the game does not start by itself.
    AwaitPeople,
    /// The host frees the seat of a player who has not moved yet.
    Free { player: Player },
    /// A computer replaces a player whose ply or entropy text the others have awaited for too long.
    Replace {
        player: Player,
        /// The ply that the other players wait for.
        ply: u32,
    },
}

pub(super) type TableReply<T> = oneshot::Sender<Result<T, ServiceError>>;

pub(super) enum TableCommand {
    Play {
        credentials: Credentials,
        expected: u32,
        action: SubmittedAction,
        reply: TableReply<EntryResult>,
    },
    TakeBack {
        credentials: Credentials,
        expected: u32,
        reply: TableReply<EntryResult>,
    },
    AddEntropy {
        credentials: Credentials,
        expected: u32,
        text: EntropyText,
        reply: TableReply<EntryResult>,
    },
    Resign {
        credentials: Credentials,
        expected: Option<u32>,
        reply: TableReply<Arc<Snapshot>>,
    },
    PlayComputerPly {
        expected: u32,
        reply: TableReply<EntryResult>,
    },
    Seat {
        credentials: Credentials,
        change: Box<SeatChange>,
        reply: TableReply<Arc<Snapshot>>,
    },
    /// Deletes the game if nobody else has a part in it; replies whether it was deleted.
    Delete {
        credentials: Credentials,
        reply: TableReply<bool>,
    },
    Say {
        credentials: Credentials,
        phrase: Phrase,
        reply: TableReply<Arc<Snapshot>>,
    },
    /// A phrase that was said at another instance.
    Hear(SaidPhrase),
    /// A rematch of this game was created.
    Rematch { id: GameId },
    /// The lease of this game, which was due, was claimed for this table.
    Lease(HeldLease),
    /// A peer instance has written up to this version.
    CatchUp {
        version: GameVersion,
        reply: Option<TableReply<()>>,
    },
    /// A command with the tracing span of its request.
    Traced {
        span: Span,
        command: Box<TableCommand>,
    },
    /// Unloads the table if it is idle: the table limit is exceeded.
    Unload,
    /// Drops the cached tree: too many games have one.
    DropCache,
}

impl TableCommand {
    /// Wraps the command with the current tracing span, if spans are enabled.
    pub(super) fn traced(self) -> Box<TableCommand> {
        let span = Span::current();
        if span.is_disabled() {
            return Box::new(self);
        }
        let command = Box::new(self);
        Box::new(TableCommand::Traced { span, command })
    }
}
