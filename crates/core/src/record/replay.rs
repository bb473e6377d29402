//! A record played again: what stood before each entry and what followed, and whether it can have
//! happened at all.

use thiserror::Error;

use super::{Contribution, Entry, MOST_CONTRIBUTIONS, MOST_TAKEBACKS, Ply, Record, Takeback};
use crate::game::{Player, Roll, Status};

/// Why a record cannot have happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("ply {ply} of this record cannot have happened: {why}")]
pub struct ReplayError {
    /// The first entry that does not fit, counted from 0.
    pub ply: u32,
    /// What is wrong with it.
    pub why: ReplayFault,
}

/// What is wrong with an entry of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReplayFault {
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
    /// [`MOST_TAKEBACKS`] have been made.
    #[error("there were too many takebacks")]
    TooManyTakebacks,
    /// The player has contributed [`MOST_CONTRIBUTIONS`] times.
    #[error("the player had given too many words for the dice")]
    TooManyContributions,
}

/// One ply of a record with its surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step<'r, G: Roll> {
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
pub enum Moment<'r, G: Roll> {
    /// A ply.
    Ply(Step<'r, G>),
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
        contribution: &'r Contribution,
        /// The position that stood and stands.
        after: G::Position,
    },
}

impl<'r, G: Roll> Moment<'r, G> {
    /// The number of the entry, counted from 0.
    #[must_use]
    pub const fn number(&self) -> u32 {
        match self {
            Moment::Ply(step) => step.number,
            Moment::Takeback { number, .. } | Moment::Contribution { number, .. } => *number,
        }
    }

    /// The position that followed.
    #[must_use]
    pub const fn after(&self) -> &G::Position {
        match self {
            Moment::Ply(step) => &step.after,
            Moment::Takeback { after, .. } | Moment::Contribution { after, .. } => after,
        }
    }

    /// The position that followed, and nothing else.
    #[must_use]
    pub fn into_after(self) -> G::Position {
        match self {
            Moment::Ply(step) => step.after,
            Moment::Takeback { after, .. } | Moment::Contribution { after, .. } => after,
        }
    }

    /// The ply with its surroundings, if it is one.
    #[must_use]
    pub fn into_step(self) -> Option<Step<'r, G>> {
        match self {
            Moment::Ply(step) => Some(step),
            Moment::Takeback { .. } | Moment::Contribution { .. } => None,
        }
    }
}

/// How closely a record is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Every entry is checked.
    Checked,
    /// The record was checked before: no action is looked for among the legal ones.
    Trusted,
}

/// A record on its way from the start to its newest entry.
pub(super) struct Replay<'r, G: Roll> {
    record: &'r Record<G>,
    care: Care,
    /// The number of the next entry; none after one that cannot have happened.
    next: Option<u32>,
    position: G::Position,
    /// The plies that stand so far, each with the position before it; kept only for records in which
    /// something is taken back.
    line: Option<Vec<(u32, G::Position)>>,
    /// Whether each entry is a ply that stands at the end.
    stands: Vec<bool>,
}

impl<'r, G: Roll> Replay<'r, G> {
    pub(super) fn of(record: &'r Record<G>, care: Care) -> Self {
        let mut stands = vec![false; record.entries.len()];
        for number in record.line_at(record.len()) {
            stands[number as usize] = true;
        }
        Replay {
            record,
            care,
            next: Some(0),
            position: record.start.clone(),
            line: (record.takebacks() > 0).then(Vec::new),
            stands,
        }
    }

    fn follow(&mut self, number: u32, entry: &'r Entry<G>) -> Result<Moment<'r, G>, ReplayFault> {
        match entry {
            Entry::Ply(ply) => self.play(number, ply).map(Moment::Ply),
            Entry::Takeback(takeback) => self.take_back(number, *takeback),
            Entry::Contribution(contribution) => {
                if self.care == Care::Checked {
                    let is_over = self.record.game.status(&self.position).is_over();
                    self.record
                        .check_contribution(number, is_over, contribution.player)?;
                }
                Ok(Moment::Contribution {
                    number,
                    contribution,
                    after: self.position.clone(),
                })
            }
        }
    }

    fn play(&mut self, number: u32, ply: &'r Ply<G>) -> Result<Step<'r, G>, ReplayFault> {
        let game = &self.record.game;
        let outcome = match self.care {
            Care::Checked => check(game, &self.position, ply)?,
            Care::Trusted => game
                .outcome(&self.position, ply.action, &ply.roll)
                .ok_or(ReplayFault::WrongDice)?,
        };
        let after = game.play(&self.position, ply.action, outcome);
        let before = std::mem::replace(&mut self.position, after.clone());
        if let Some(line) = &mut self.line {
            line.push((number, before.clone()));
        }
        Ok(Step {
            number,
            before,
            ply,
            outcome,
            after,
            stands: self.stands[number as usize],
        })
    }

    fn take_back(&mut self, number: u32, takeback: Takeback) -> Result<Moment<'r, G>, ReplayFault> {
        if self.care == Care::Checked {
            let is_over = self.record.game.status(&self.position).is_over();
            self.record.check_takeback(number, is_over, &takeback)?;
        }
        let line = self.line.get_or_insert_default();
        let at = line.partition_point(|(standing, _)| *standing < takeback.to);
        let (_, before) = line.get(at).ok_or(ReplayFault::NothingToTakeBack)?;
        self.position = before.clone();
        line.truncate(at);
        Ok(Moment::Takeback {
            number,
            takeback,
            after: self.position.clone(),
        })
    }
}

impl<'r, G: Roll> Iterator for Replay<'r, G> {
    type Item = Result<Moment<'r, G>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next?;
        let record = self.record;
        let entry = record.entries.get(number as usize)?;
        let moment = self.follow(number, entry);
        self.next = moment.is_ok().then_some(number + 1);
        Some(moment.map_err(|why| ReplayError { ply: number, why }))
    }
}

impl<G: Roll> Record<G> {
    /// Whether a takeback can take this number, where the game before it is over or goes on.
    pub(crate) fn check_takeback(
        &self,
        number: u32,
        is_over: bool,
        takeback: &Takeback,
    ) -> Result<(), ReplayFault> {
        let before = &self.entries[..number as usize];
        let made = before
            .iter()
            .filter(|entry| matches!(entry, Entry::Takeback(_)));
        if is_over {
            Err(ReplayFault::AfterTheEnd)
        } else if made.count() >= MOST_TAKEBACKS as usize {
            Err(ReplayFault::TooManyTakebacks)
        } else if self.line_at(number).binary_search(&takeback.to).is_err()
            || self.entries[takeback.to as usize].player() != takeback.player
        {
            Err(ReplayFault::NothingToTakeBack)
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
    ) -> Result<(), ReplayFault> {
        let made = self.entropy_before(number);
        if is_over {
            Err(ReplayFault::AfterTheEnd)
        } else if made.filter(|words| words.player == player).count() >= MOST_CONTRIBUTIONS as usize
        {
            Err(ReplayFault::TooManyContributions)
        } else {
            Ok(())
        }
    }
}

/// What chance answered to a ply that was played at this position.
///
/// # Errors
/// When the ply cannot follow this position.
pub fn check<G: Roll>(
    game: &G,
    position: &G::Position,
    ply: &Ply<G>,
) -> Result<G::Outcome, ReplayFault> {
    match game.status(position) {
        Status::Over(_) => return Err(ReplayFault::AfterTheEnd),
        Status::Turn(mover) if mover != ply.player => return Err(ReplayFault::WrongPlayer),
        Status::Turn(_) => {}
    }
    if !game.actions(position).any(|action| action == ply.action) {
        return Err(ReplayFault::IllegalAction);
    }
    game.outcome(position, ply.action, &ply.roll)
        .ok_or(ReplayFault::WrongDice)
}
