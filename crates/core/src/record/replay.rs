//! A record played again: what stood before each entry and what followed, and whether it can have
//! happened at all.

use thiserror::Error;

use super::{
    EntropyContribution, Entry, MAX_CONTRIBUTIONS, MAX_TAKEBACKS, Ply, Record, Takeback,
};
use crate::game::{Player, RecordableGame, Status};

/// Why a record cannot have happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("ply {ply} of this record cannot have happened: {why}")]
pub struct ReplayError {
    /// The first entry that does not fit, counted from 0.
    pub ply: u32,
    /// What is wrong with it.
    pub why: ReplayErrorKind,
}

/// What is wrong with an entry of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReplayErrorKind {
    /// The rules had ended the game before.
    #[error("the game was over")]
    AfterTheEnd,
    /// Somebody else was to move.
    #[error("it was another player's turn")]
    WrongPlayer,
    /// The action was not among the legal ones.
    #[error("the action was not legal")]
    IllegalAction,
    /// The faces do not belong to this action.
    #[error("the dice do not fit the action")]
    WrongDice,
    /// No ply of this player that stood has the number before which the game is to stand again.
    #[error("no ply of this player stood there to be taken back")]
    NothingToTakeBack,
    /// [`MAX_TAKEBACKS`] have been made.
    #[error("there were too many takebacks")]
    TooManyTakebacks,
    /// The player has contributed [`MAX_CONTRIBUTIONS`] times.
    #[error("the player had given too many words for the dice")]
    TooManyContributions,
}

/// One ply of a record with its surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayedPly<'r, G: RecordableGame> {
    /// The number of the entry, counted from 0.
    pub number: u32,
    /// The position at which it was played.
    pub before: G::Position,
    /// The ply itself.
    pub ply: &'r Ply<G>,
    /// What chance answered.
    pub outcome: G::Outcome,
    /// The position that followed.
    pub after: G::Position,
    /// Whether it stands: no later entry of the record took it back.
    pub stands: bool,
}

/// One entry of a record with its surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayedEntry<'r, G: RecordableGame> {
    /// A ply.
    Ply(ReplayedPly<'r, G>),
    /// Plies were taken back.
    Takeback {
        /// The number of the entry, counted from 0.
        number: u32,
        /// Who took back, and to where.
        takeback: Takeback,
        /// The position that stands again.
        after: G::Position,
    },
    /// Words for the dice, which change no position.
    Contribution {
        /// The number of the entry, counted from 0.
        number: u32,
        /// Whose words, and which.
        contribution: &'r EntropyContribution,
        /// The position that stood and stands.
        after: G::Position,
    },
}

impl<'r, G: RecordableGame> ReplayedEntry<'r, G> {
    /// The number of the entry, counted from 0.
    #[must_use]
    pub const fn number(&self) -> u32 {
        match self {
            ReplayedEntry::Ply(step) => step.number,
            ReplayedEntry::Takeback { number, .. } | ReplayedEntry::Contribution { number, .. } => {
                *number
            }
        }
    }

    /// The position that followed.
    #[must_use]
    pub const fn after(&self) -> &G::Position {
        match self {
            ReplayedEntry::Ply(step) => &step.after,
            ReplayedEntry::Takeback { after, .. } | ReplayedEntry::Contribution { after, .. } => {
                after
            }
        }
    }

    /// The position that followed, and nothing else.
    #[must_use]
    pub fn into_after(self) -> G::Position {
        match self {
            ReplayedEntry::Ply(step) => step.after,
            ReplayedEntry::Takeback { after, .. } | ReplayedEntry::Contribution { after, .. } => {
                after
            }
        }
    }

    /// The ply with its surroundings, if it is one.
    #[must_use]
    pub fn into_step(self) -> Option<ReplayedPly<'r, G>> {
        match self {
            ReplayedEntry::Ply(step) => Some(step),
            ReplayedEntry::Takeback { .. } | ReplayedEntry::Contribution { .. } => None,
        }
    }
}

/// How closely a record is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayValidation {
    /// Every entry is checked.
    Checked,
    /// The record was checked before: no action is looked for among the legal ones.
    Trusted,
}

/// A record on its way from the start to its newest entry.
pub(super) struct Replay<'r, G: RecordableGame> {
    record: &'r Record<G>,
    care: ReplayValidation,
    /// The number of the next entry; none after one that cannot have happened.
    next: Option<u32>,
    position: G::Position,
    /// The plies that stand so far, each with the position before it; kept only for records in which
    /// something is taken back.
    line: Option<Vec<(u32, G::Position)>>,
    /// Whether each entry is a ply that stands at the end.
    stands: Vec<bool>,
}

impl<'r, G: RecordableGame> Replay<'r, G> {
    pub(super) fn of(record: &'r Record<G>, care: ReplayValidation) -> Self {
        let mut stands = vec![false; record.entries.len()];
        for number in record.mainline_at(record.len()) {
            stands[number as usize] = true;
        }
        Replay {
            record,
            care,
            next: Some(0),
            position: record.start.clone(),
            line: (record.takeback_count() > 0).then(Vec::new),
            stands,
        }
    }

    fn follow(
        &mut self,
        number: u32,
        entry: &'r Entry<G>,
    ) -> Result<ReplayedEntry<'r, G>, ReplayErrorKind> {
        match entry {
            Entry::Ply(ply) => self.play(number, ply).map(ReplayedEntry::Ply),
            Entry::Takeback(takeback) => self.take_back(number, *takeback),
            Entry::Contribution(contribution) => {
                if self.care == ReplayValidation::Checked {
                    let is_over = self.record.game.status(&self.position).is_over();
                    self.record
                        .check_contribution(number, is_over, contribution.player)?;
                }
                Ok(ReplayedEntry::Contribution {
                    number,
                    contribution,
                    after: self.position.clone(),
                })
            }
        }
    }

    fn play(
        &mut self,
        number: u32,
        ply: &'r Ply<G>,
    ) -> Result<ReplayedPly<'r, G>, ReplayErrorKind> {
        let game = &self.record.game;
        let outcome = match self.care {
            ReplayValidation::Checked => check(game, &self.position, ply)?,
            ReplayValidation::Trusted => game
                .outcome_of_roll(&self.position, ply.action, &ply.roll)
                .ok_or(ReplayErrorKind::WrongDice)?,
        };
        let after = game.apply(&self.position, ply.action, outcome);
        let before = std::mem::replace(&mut self.position, after.clone());
        if let Some(line) = &mut self.line {
            line.push((number, before.clone()));
        }
        Ok(ReplayedPly {
            number,
            before,
            ply,
            outcome,
            after,
            stands: self.stands[number as usize],
        })
    }

    fn take_back(
        &mut self,
        number: u32,
        takeback: Takeback,
    ) -> Result<ReplayedEntry<'r, G>, ReplayErrorKind> {
        if self.care == ReplayValidation::Checked {
            let is_over = self.record.game.status(&self.position).is_over();
            self.record.check_takeback(number, is_over, &takeback)?;
        }
        let line = self.line.get_or_insert_default();
        let at = line.partition_point(|(standing, _)| *standing < takeback.to);
        let (_, before) = line.get(at).ok_or(ReplayErrorKind::NothingToTakeBack)?;
        self.position = before.clone();
        line.truncate(at);
        Ok(ReplayedEntry::Takeback {
            number,
            takeback,
            after: self.position.clone(),
        })
    }
}

impl<'r, G: RecordableGame> Iterator for Replay<'r, G> {
    type Item = Result<ReplayedEntry<'r, G>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next?;
        let record = self.record;
        let entry = record.entries.get(number as usize)?;
        let moment = self.follow(number, entry);
        self.next = moment.is_ok().then_some(number + 1);
        Some(moment.map_err(|why| ReplayError { ply: number, why }))
    }
}

impl<G: RecordableGame> Record<G> {
    /// Whether a takeback can take this number, where the game before it is over or goes on.
    pub(crate) fn check_takeback(
        &self,
        number: u32,
        is_over: bool,
        takeback: &Takeback,
    ) -> Result<(), ReplayErrorKind> {
        let before = &self.entries[..number as usize];
        let made = before
            .iter()
            .filter(|entry| matches!(entry, Entry::Takeback(_)));
        if is_over {
            Err(ReplayErrorKind::AfterTheEnd)
        } else if made.count() >= MAX_TAKEBACKS as usize {
            Err(ReplayErrorKind::TooManyTakebacks)
        } else if self.mainline_at(number).binary_search(&takeback.to).is_err()
            || self.entries[takeback.to as usize].player() != takeback.player
        {
            Err(ReplayErrorKind::NothingToTakeBack)
        } else {
            Ok(())
        }
    }

    /// Whether words of this player can take this number, where the game before it is over or goes on.
    pub(crate) fn check_contribution(
        &self,
        number: u32,
        is_over: bool,
        player: Player,
    ) -> Result<(), ReplayErrorKind> {
        let made = self.entropy_before(number);
        if is_over {
            Err(ReplayErrorKind::AfterTheEnd)
        } else if made.filter(|words| words.player == player).count() >= MAX_CONTRIBUTIONS as usize
        {
            Err(ReplayErrorKind::TooManyContributions)
        } else {
            Ok(())
        }
    }
}

/// What chance answered to a ply that was played at this position.
///
/// # Errors
/// When the ply cannot follow this position.
pub fn check<G: RecordableGame>(
    game: &G,
    position: &G::Position,
    ply: &Ply<G>,
) -> Result<G::Outcome, ReplayErrorKind> {
    match game.status(position) {
        Status::Over(_) => return Err(ReplayErrorKind::AfterTheEnd),
        Status::Turn(mover) if mover != ply.player => return Err(ReplayErrorKind::WrongPlayer),
        Status::Turn(_) => {}
    }
    if !game.legal_actions(position).any(|action| action == ply.action) {
        return Err(ReplayErrorKind::IllegalAction);
    }
    game.outcome_of_roll(position, ply.action, &ply.roll)
        .ok_or(ReplayErrorKind::WrongDice)
}
