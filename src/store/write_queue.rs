//! Requests to a store's writer, and their replies.

use tokio::sync::oneshot;

use super::lease::AppendOptions;
use super::{
    ExportedGame, GameHeader, GameId, RegisteredProgram, RetentionCutoffs, ReviewChange,
    StoreError, StoredEntry,
};
use crate::seats::Seat;
use crate::secret::SecretHash;

pub(super) struct WriteRequest {
    pub(super) task: WriteTask,
    pub(super) reply: WriteReply,
}

pub(super) type WriteReply = oneshot::Sender<Result<u64, StoreError>>;

pub(super) enum WriteTask {
    Append(AppendRequest),
    Change(StoreChange),
}

pub(super) struct AppendRequest {
    pub(super) id: GameId,
    pub(super) expected: u32,
    pub(super) entry: StoredEntry,
    pub(super) options: AppendOptions,
}

/// A change that is applied on its own; pending appends, in contrast, are batched.
pub(super) enum StoreChange {
    Create {
        header: Box<GameHeader>,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    },
    Import {
        moved: Box<ExportedGame>,
    },
    Seats {
        id: GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    },
    RepairFinished {
        id: GameId,
    },
    Remove {
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    },
    Review {
        id: GameId,
        change: ReviewChange,
    },
    AddCounts {
        counts: Vec<(String, u64)>,
        /// Applied only if there are no counters yet.
        first: bool,
    },
    AddProgram {
        program: Box<RegisteredProgram>,
    },
    TouchProgram {
        token: SecretHash,
        at_ms: i64,
    },
    ToldProgram {
        token: SecretHash,
        number: i64,
    },
    DeleteInactivePrograms {
        before_ms: i64,
    },
}

impl StoreChange {
    /// Whether it may invalidate cached append points (next entry number and chain head) of games.
    pub(super) const fn invalidates_append_points(&self) -> bool {
        match self {
            StoreChange::Create { .. }
            | StoreChange::Import { .. }
            | StoreChange::Seats { .. }
            | StoreChange::AddCounts { .. }
            | StoreChange::AddProgram { .. }
            | StoreChange::TouchProgram { .. }
            | StoreChange::ToldProgram { .. }
            | StoreChange::DeleteInactivePrograms { .. }
            | StoreChange::Review { .. } => false,
            StoreChange::RepairFinished { .. } | StoreChange::Remove { .. } => true,
        }
    }
}

pub(super) fn send_replies(replies: Vec<WriteReply>, answers: Vec<Result<u64, StoreError>>) {
    for (reply, answer) in replies.into_iter().zip(answers) {
        // The caller may have dropped its receiver; the change stays in effect.
        let _ = reply.send(answer);
    }
}

pub(super) fn reject_all(replies: Vec<WriteReply>, error: &StoreError) {
    let answers = vec![Err(error.clone()); replies.len()];
    send_replies(replies, answers);
}

pub(super) fn closed_error() -> StoreError {
    StoreError::Unavailable("the store is closed".to_owned())
}

pub(super) fn failed_error() -> StoreError {
    StoreError::Unavailable("an earlier write failed".to_owned())
}

pub(super) fn unavailable(error: impl std::fmt::Display) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
