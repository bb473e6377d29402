//! Replaying a record: the positions before and after each entry, and the check that the record is valid.

use thiserror::Error;

use super::{EntropyContribution, Entry, MAX_CONTRIBUTIONS, MAX_TAKEBACKS, Ply, Record, Takeback};
use crate::game::{Player, RecordableGame, Status};

/// The first invalid entry of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("ply {ply} of this record is not possible: {why}")]
pub struct ReplayError {
    /// The number of the entry, counted from 0.
    pub ply: u32,
    /// What is wrong with it.
    pub why: ReplayErrorKind,
}

/// Why an entry of a record is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReplayErrorKind {
    /// The game was over already.
    #[error("the game was over")]
    AfterTheEnd,
    /// Another player was to move.
    #[error("it was another player's turn")]
    WrongPlayer,
    /// The action was not legal.
    #[error("the action was not legal")]
    IllegalAction,
    /// The die faces do not fit the action.
    #[error("the dice do not fit the action")]
    WrongDice,
    /// The number does not belong to a ply of this player on the mainline.
    #[error("this player had no ply to take back")]
    NothingToTakeBack,
    /// The game already had [`MAX_TAKEBACKS`] takebacks.
    #[error("there were too many takebacks")]
    TooManyTakebacks,
    /// The player already had [`MAX_CONTRIBUTIONS`] contributions.
    #[error("the player had added too many entropy texts")]
    TooManyContributions,
}

/// A ply of a record with the positions before and after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayedPly<'r, G: RecordableGame> {
    /// The number of the entry, counted from 0.
    pub number: u32,
    /// The position before the ply.
    pub before: G::Position,
    /// The recorded ply.
    pub ply: &'r Ply<G>,
    /// The chance outcome that the roll decided.
    pub outcome: G::Outcome,
    /// The position after the ply.
    pub after: G::Position,
    /// Whether the ply is on the mainline: no later entry took it back.
    pub is_on_mainline: bool,
}

/// An entry of a record with the position after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayedEntry<'r, G: RecordableGame> {
    /// An action with its roll.
    Ply(ReplayedPly<'r, G>),
    /// Plies were taken back.
    Takeback {
        /// The number of the entry, counted from 0.
        number: u32,
        /// The recorded takeback.
        takeback: Takeback,
        /// The restored position.
        after: G::Position,
    },
    /// A player added entropy to the dice, which does not change the position.
    Contribution {
        /// The number of the entry, counted from 0.
        number: u32,
        /// The recorded contribution.
        contribution: &'r EntropyContribution,
        /// The unchanged position.
        after: G::Position,
    },
}

impl<'r, G: RecordableGame> ReplayedEntry<'r, G> {
    /// The number of the entry, counted from 0.
    #[must_use]
    pub const fn number(&self) -> u32 {
        match self {
            ReplayedEntry::Ply(ply) => ply.number,
            ReplayedEntry::Takeback { number, .. } | ReplayedEntry::Contribution { number, .. } => {
                *number
            }
        }
    }

    /// The position after the entry.
    #[must_use]
    pub const fn after(&self) -> &G::Position {
        match self {
            ReplayedEntry::Ply(ply) => &ply.after,
            ReplayedEntry::Takeback { after, .. } | ReplayedEntry::Contribution { after, .. } => {
                after
            }
        }
    }

    /// The position after the entry, by value.
    #[must_use]
    pub fn into_after(self) -> G::Position {
        match self {
            ReplayedEntry::Ply(ply) => ply.after,
            ReplayedEntry::Takeback { after, .. } | ReplayedEntry::Contribution { after, .. } => {
                after
            }
        }
    }

    /// The replayed ply, if the entry is one.
    #[must_use]
    pub fn into_ply(self) -> Option<ReplayedPly<'r, G>> {
        match self {
            ReplayedEntry::Ply(ply) => Some(ply),
            ReplayedEntry::Takeback { .. } | ReplayedEntry::Contribution { .. } => None,
        }
    }
}

/// Whether a replay checks the entries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayValidation {
    /// Every entry is checked.
    Validate,
    /// The record has been checked before, so the search among the legal actions is skipped.
    Trust,
}

/// An iterator over the entries of a record that maintains the current position.
pub(super) struct Replay<'r, G: RecordableGame> {
    record: &'r Record<G>,
    validation: ReplayValidation,
    /// The number of the next entry; `None` after an invalid one.
    next: Option<u32>,
    position: G::Position,
    /// The mainline so far, each ply with the position before it; only used in records with takebacks.
    mainline: Option<Vec<(u32, G::Position)>>,
    /// For each entry, whether it is a ply on the final mainline.
    is_on_final_mainline: Vec<bool>,
}

impl<'r, G: RecordableGame> Replay<'r, G> {
    pub(super) fn new(record: &'r Record<G>, validation: ReplayValidation) -> Self {
        Replay::from(record, validation, 0, record.start.clone())
    }

    /// Starts at entry `first`, before which the position was this one. Entries from there on must not take back
    /// earlier plies.
    pub(super) fn from(
        record: &'r Record<G>,
        validation: ReplayValidation,
        first: u32,
        position: G::Position,
    ) -> Self {
        let mut is_on_final_mainline = vec![false; record.entries.len()];
        for number in record.mainline_at(record.len()) {
            is_on_final_mainline[number as usize] = true;
        }
        Replay {
            record,
            validation,
            next: Some(first),
            position,
            mainline: (record.takeback_count() > 0).then(Vec::new),
            is_on_final_mainline,
        }
    }

    fn apply_entry(
        &mut self,
        number: u32,
        entry: &'r Entry<G>,
    ) -> Result<ReplayedEntry<'r, G>, ReplayErrorKind> {
        match entry {
            Entry::Ply(ply) => self.apply_ply(number, ply).map(ReplayedEntry::Ply),
            Entry::Takeback(takeback) => self.apply_takeback(number, *takeback),
            Entry::Contribution(contribution) => {
                if self.validation == ReplayValidation::Validate {
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

    fn apply_ply(
        &mut self,
        number: u32,
        ply: &'r Ply<G>,
    ) -> Result<ReplayedPly<'r, G>, ReplayErrorKind> {
        let game = &self.record.game;
        let outcome = match self.validation {
            ReplayValidation::Validate => check_ply(game, &self.position, ply)?,
            ReplayValidation::Trust => game
                .outcome_of_roll(&self.position, ply.action, &ply.roll)
                .ok_or(ReplayErrorKind::WrongDice)?,
        };
        let after = game.apply(&self.position, ply.action, outcome);
        let before = std::mem::replace(&mut self.position, after.clone());
        if let Some(mainline) = &mut self.mainline {
            mainline.push((number, before.clone()));
        }
        Ok(ReplayedPly {
            number,
            before,
            ply,
            outcome,
            after,
            is_on_mainline: self.is_on_final_mainline[number as usize],
        })
    }

    fn apply_takeback(
        &mut self,
        number: u32,
        takeback: Takeback,
    ) -> Result<ReplayedEntry<'r, G>, ReplayErrorKind> {
        if self.validation == ReplayValidation::Validate {
            let is_over = self.record.game.status(&self.position).is_over();
            self.record.check_takeback(number, is_over, &takeback)?;
        }
        let mainline = self.mainline.get_or_insert_default();
        let index = mainline.partition_point(|(ply, _)| *ply < takeback.to);
        let (_, before) = mainline
            .get(index)
            .ok_or(ReplayErrorKind::NothingToTakeBack)?;
        self.position = before.clone();
        mainline.truncate(index);
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
        let replayed = self.apply_entry(number, entry);
        self.next = replayed.is_ok().then_some(number + 1);
        Some(replayed.map_err(|why| ReplayError { ply: number, why }))
    }
}

impl<G: RecordableGame> Record<G> {
    /// Checks a takeback as entry `number`; `is_over` is whether the game was over before it.
    pub(crate) fn check_takeback(
        &self,
        number: u32,
        is_over: bool,
        takeback: &Takeback,
    ) -> Result<(), ReplayErrorKind> {
        let before = &self.entries[..number as usize];
        let takebacks = before
            .iter()
            .filter(|entry| matches!(entry, Entry::Takeback(_)));
        if is_over {
            Err(ReplayErrorKind::AfterTheEnd)
        } else if takebacks.count() >= MAX_TAKEBACKS as usize {
            Err(ReplayErrorKind::TooManyTakebacks)
        } else if self
            .mainline_at(number)
            .binary_search(&takeback.to)
            .is_err()
            || self.entries[takeback.to as usize].player() != takeback.player
        {
            Err(ReplayErrorKind::NothingToTakeBack)
        } else {
            Ok(())
        }
    }

    /// Checks a contribution of this player as entry `number`; `is_over` is whether the game was over before it.
    pub(crate) fn check_contribution(
        &self,
        number: u32,
        is_over: bool,
        player: Player,
    ) -> Result<(), ReplayErrorKind> {
        let contributions = self.entropy_before(number);
        if is_over {
            Err(ReplayErrorKind::AfterTheEnd)
        } else if contributions
            .filter(|contribution| contribution.player == player)
            .count()
            >= MAX_CONTRIBUTIONS as usize
        {
            Err(ReplayErrorKind::TooManyContributions)
        } else {
            Ok(())
        }
    }
}

/// Checks a ply at a position and returns its chance outcome.
///
/// # Errors
/// If the ply is not valid at this position.
pub fn check_ply<G: RecordableGame>(
    game: &G,
    position: &G::Position,
    ply: &Ply<G>,
) -> Result<G::Outcome, ReplayErrorKind> {
    match game.status(position) {
        Status::Over(_) => return Err(ReplayErrorKind::AfterTheEnd),
        Status::Turn(mover) if mover != ply.player => return Err(ReplayErrorKind::WrongPlayer),
        Status::Turn(_) => {}
    }
    if !game
        .legal_actions(position)
        .any(|action| action == ply.action)
    {
        return Err(ReplayErrorKind::IllegalAction);
    }
    game.outcome_of_roll(position, ply.action, &ply.roll)
        .ok_or(ReplayErrorKind::WrongDice)
}
