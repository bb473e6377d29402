//! What the writer of an archive is asked for, and how it answers.

use tokio::sync::oneshot;

use super::lease::Turn;
use super::{ArchiveError, Cutoffs, Entry, GameId, Header, Moved, Program, ReviewChange};
use crate::seats::Seat;
use crate::secret::SecretHash;

pub(super) struct Request {
    pub(super) task: Task,
    pub(super) reply: Reply,
}

pub(super) type Reply = oneshot::Sender<Result<u64, ArchiveError>>;

pub(super) enum Task {
    Append(Append),
    Change(Change),
}

/// An entry that is to be written.
pub(super) struct Append {
    pub(super) id: GameId,
    pub(super) expected: u32,
    pub(super) entry: Entry,
    pub(super) turn: Turn,
}

/// A change that is carried out by itself. Entries are not: those that wait are written together.
pub(super) enum Change {
    Create {
        header: Box<Header>,
        seats: Vec<Seat>,
        entries: Vec<Entry>,
    },
    Import {
        moved: Box<Moved>,
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
        cutoffs: Cutoffs,
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
        program: Box<Program>,
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

impl Change {
    /// Whether it may change where the next entry of some game goes.
    pub(super) const fn moves_ends(&self) -> bool {
        match self {
            Change::Create { .. }
            | Change::Import { .. }
            | Change::Seats { .. }
            | Change::Count { .. }
            | Change::AddProgram { .. }
            | Change::SawProgram { .. }
            | Change::ToldProgram { .. }
            | Change::ForgetPrograms { .. }
            | Change::Review { .. } => false,
            Change::Heal { .. } | Change::Remove { .. } => true,
        }
    }
}

pub(super) fn answer(replies: Vec<Reply>, answers: Vec<Result<u64, ArchiveError>>) {
    for (reply, answer) in replies.into_iter().zip(answers) {
        // Whoever asked may have gone; what was done stays done.
        let _ = reply.send(answer);
    }
}

pub(super) fn refuse(replies: Vec<Reply>, error: &ArchiveError) {
    let answers = vec![Err(error.clone()); replies.len()];
    answer(replies, answers);
}

pub(super) fn closed() -> ArchiveError {
    ArchiveError::Unavailable("the archive is closed".to_owned())
}

pub(super) fn is_broken() -> ArchiveError {
    ArchiveError::Unavailable("an earlier write failed".to_owned())
}

pub(super) fn unavailable(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Unavailable(error.to_string())
}
