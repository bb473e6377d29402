//! What the writer of an archive is asked for, and how it answers.

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

/// An entry that is to be written.
pub(super) struct AppendRequest {
    pub(super) id: GameId,
    pub(super) expected: u32,
    pub(super) entry: StoredEntry,
    pub(super) turn: AppendOptions,
}

/// A change that is carried out by itself. Entries are not: those that wait are written together.
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
    Heal {
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
    Count {
        counts: Vec<(String, u64)>,
        /// Only where there are no counts.
        first: bool,
    },
    AddProgram {
        program: Box<RegisteredProgram>,
    },
    SawProgram {
        token: SecretHash,
        at_ms: i64,
    },
    ToldProgram {
        token: SecretHash,
        number: i64,
    },
    ForgetPrograms {
        before_ms: i64,
    },
}

impl StoreChange {
    /// Whether it may change where the next entry of some game goes.
    pub(super) const fn moves_ends(&self) -> bool {
        match self {
            StoreChange::Create { .. }
            | StoreChange::Import { .. }
            | StoreChange::Seats { .. }
            | StoreChange::Count { .. }
            | StoreChange::AddProgram { .. }
            | StoreChange::SawProgram { .. }
            | StoreChange::ToldProgram { .. }
            | StoreChange::ForgetPrograms { .. }
            | StoreChange::Review { .. } => false,
            StoreChange::Heal { .. } | StoreChange::Remove { .. } => true,
        }
    }
}

pub(super) fn answer(replies: Vec<WriteReply>, answers: Vec<Result<u64, StoreError>>) {
    for (reply, answer) in replies.into_iter().zip(answers) {
        // Whoever asked may have gone; what was done stays done.
        let _ = reply.send(answer);
    }
}

pub(super) fn refuse(replies: Vec<WriteReply>, error: &StoreError) {
    let answers = vec![Err(error.clone()); replies.len()];
    answer(replies, answers);
}

pub(super) fn closed() -> StoreError {
    StoreError::Unavailable("the archive is closed".to_owned())
}

pub(super) fn is_broken() -> StoreError {
    StoreError::Unavailable("an earlier write failed".to_owned())
}

pub(super) fn unavailable(error: impl std::fmt::Display) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
