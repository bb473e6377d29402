//! What the task of a game is asked to do.

use std::sync::Arc;

use tokio::sync::oneshot;
use tracing::Span;

use super::credentials::Credentials;
use super::error::ServiceError;
use super::leases::HeldLease;
use super::seat_changes::SeatChange;
use super::snapshot::Snapshot;
use crate::game_adapters::SubmittedAction;
use crate::record::EntropyText;
use crate::seats::{Phrase, SaidPhrase};
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
