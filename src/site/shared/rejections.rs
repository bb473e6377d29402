//! What a person is told when the service rejected an action.

use crate::games::ActionError;
use crate::http::problem::ProblemKind;
use crate::provably_fair::EntropyRejection;
use crate::record::MAX_TAKEBACKS;
use crate::tables::{SeatChangeError, TakebackError};
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::Notice;
use crate::templates::seats::SeatNotice;

/// The notice for an action that the service rejected.
pub(in crate::site) fn rejection_notice(why: ActionError) -> Notice {
    match why {
        ActionError::Over => Notice::GameOver,
        ActionError::NotYourTurn => Notice::NotYourTurn,
        ActionError::Rules(reason) => Notice::Rules(reason.message),
        ActionError::Explained(message) => Notice::Rules(message),
        ActionError::NoSuchAction | ActionError::Malformed(_) | ActionError::Impossible(_) => {
            Notice::Rules(LocalizedMessage::new("error-illegal"))
        }
    }
}

/// The problem and message for a rejected takeback.
pub(in crate::site) fn takeback_problem(why: TakebackError) -> (ProblemKind, LocalizedMessage) {
    match why {
        TakebackError::Disabled => (
            ProblemKind::NoTakeback,
            LocalizedMessage::new("notice-strict"),
        ),
        TakebackError::OtherPlayersSeated => (
            ProblemKind::NoTakeback,
            LocalizedMessage::new("notice-not-alone"),
        ),
        TakebackError::NothingToTakeBack => (
            ProblemKind::Unprocessable,
            LocalizedMessage::new("notice-nothing-to-take-back"),
        ),
        TakebackError::TooMany => (
            ProblemKind::Unprocessable,
            LocalizedMessage::new("notice-too-many-takebacks").with_value("most", MAX_TAKEBACKS),
        ),
    }
}

/// Why a seat was not changed, for programs and for people.
pub(in crate::site) struct SeatProblem {
    /// The status, and the code for programs.
    pub(in crate::site) problem: ProblemKind,
    /// The notice above the board.
    pub(in crate::site) notice: SeatNotice,
}

/// Maps the service's error to a problem and a notice.
pub(in crate::site) fn seat_problem(why: SeatChangeError) -> SeatProblem {
    let unprocessable = |notice| (ProblemKind::Unprocessable, notice);
    let conflict = |notice| (ProblemKind::SeatUnchanged, notice);
    let (problem, notice) = match why {
        SeatChangeError::NotYourSeat | SeatChangeError::NoSuchLink => {
            (ProblemKind::NotYours, SeatNotice::NotYours)
        }
        SeatChangeError::NoSuchSeat => unprocessable(SeatNotice::NoSuchSeat),
        SeatChangeError::NoSuchLevel => unprocessable(SeatNotice::NoSuchLevel),
        SeatChangeError::ReplacementDisabled => unprocessable(SeatNotice::ReplacementDisabled),
        SeatChangeError::Taken => conflict(SeatNotice::Occupied),
        SeatChangeError::Started => conflict(SeatNotice::Started),
        SeatChangeError::HasMoved => conflict(SeatNotice::HasMoved),
        SeatChangeError::TooManyTables => conflict(SeatNotice::TooManyTables),
        SeatChangeError::TooManySeats => conflict(SeatNotice::TooManySeats),
        SeatChangeError::NotTheirTurn => conflict(SeatNotice::NotTheirTurn),
        SeatChangeError::TooEarly { wait_s } => conflict(SeatNotice::TooEarly { wait_s }),
        SeatChangeError::GameInProgress => conflict(SeatNotice::GameInProgress),
    };
    SeatProblem { problem, notice }
}

/// The message key that explains why an entropy text was rejected.
pub(in crate::site) const fn entropy_rejection_key(why: EntropyRejection) -> &'static str {
    match why {
        EntropyRejection::Fixed => "fair-add-daily",
        EntropyRejection::Clock => "fair-add-clock",
        EntropyRejection::AfterFirstRoll => "fair-add-rolled",
        EntropyRejection::RevealedTooLate => "fair-add-late",
        EntropyRejection::AlreadyAdded => "fair-add-again",
        EntropyRejection::OthersRevealed => "fair-add-known",
        EntropyRejection::CommitmentMismatch => "fair-add-differ",
        EntropyRejection::CommitmentRequired => "fair-add-unfixed",
        EntropyRejection::AwaitingOthers => "fair-add-awaited",
    }
}
