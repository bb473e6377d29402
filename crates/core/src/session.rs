//! A live game: its record, and a remembered tree whose root is the newest position.
//!
//! The tree is what everybody looks at. A ply is one of its branches and a roll picks the chance:
//! [`Session::prepare_ply`] finds the branch and rolls, [`Session::with_ply`] steps to the chance that was
//! rolled and keeps what was remembered below it. What was not played is freed.
//!
//! [`Session::prepare_ply`] changes nothing; a session changes only by becoming the one after an entry.
//! Between the two the entry is made durable, so that memory is never ahead of the disk. The tree is a
//! cache: a session is resumed from its record alone. After a takeback it grows anew from the position
//! that stands again.
//!
//! Cloning is cheap (reference counts): a reader's copy stays as it was while the game goes on, and
//! shares the tree.

use std::sync::Arc;

use rand::Rng;
use thiserror::Error;

use crate::game::{Player, PlayerSet, RecordableGame, Status};
use crate::record::{
    self, Ending, EntropyContribution, Entry, MAX_PLIES, Ply, Record, ReplayError,
    ReplayErrorKind, ReplayedEntry, ReplayedPly, Takeback,
};
use crate::tree::GameTree;
use crate::tree::cached::{CachedNode, CachedTree, NodeBudget};

/// The most positions that a session remembers, its newest one included.
///
/// Looking at everything that can follow from a position of the default board remembers some 20
/// positions, 4 KB, and looking again takes two thirds of the time of computing it anew (docs/speed.md).
/// So this many hold two plies of looking ahead in 50 KB a game at most; what lies beyond is computed
/// again at each look.
pub const MAX_CACHED_POSITIONS: usize = 256;

/// A live game.
#[derive(Debug)]
pub struct Session<G: RecordableGame> {
    record: Arc<Record<G>>,
    root: Arc<CachedNode<G>>,
    /// The position before the newest entry, and what chance answered, where that is a ply.
    last: Option<Arc<LastPly<G>>>,
    /// How many positions may still be remembered below the root.
    budget: Arc<NodeBudget>,
}

#[derive(Debug)]
struct LastPly<G: RecordableGame> {
    before: G::Position,
    outcome: G::Outcome,
}

impl<G: RecordableGame> Clone for Session<G> {
    fn clone(&self) -> Self {
        Session {
            record: Arc::clone(&self.record),
            root: Arc::clone(&self.root),
            last: self.last.clone(),
            budget: Arc::clone(&self.budget),
        }
    }
}

/// Why an action is not played; then nothing was rolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PlyError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Somebody else is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules do not allow it; the game itself can say why.
    #[error("that action is not legal here")]
    Illegal,
}

impl<G: RecordableGame + Clone> Session<G> {
    /// A game that has just been dealt.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        let root = CachedNode::root(start.clone());
        Session::at(Arc::new(Record::new(game, start)), root, None)
    }

    /// The session of a kept record: every entry is followed again and checked.
    ///
    /// # Errors
    /// The first entry that cannot have happened.
    pub fn resume(record: Record<G>) -> Result<Self, ReplayError> {
        let mut newest = record.start.clone();
        let mut last = None;
        for moment in record.replay() {
            (newest, last) = match moment? {
                ReplayedEntry::Ply(ReplayedPly {
                    before,
                    outcome,
                    after,
                    ..
                }) => (after, Some(LastPly { before, outcome })),
                other => (other.into_after(), None),
            };
        }
        Ok(Session::at(
            Arc::new(record),
            CachedNode::root(newest),
            last,
        ))
    }

    /// Checks an action and rolls for it; changes nothing.
    ///
    /// # Errors
    /// When the game is over, it is not this player's turn, or the rules do not allow the action.
    pub fn prepare_ply(
        &self,
        player: Player,
        action: G::Action,
        rng: &mut impl Rng,
        at_ms: i64,
    ) -> Result<Ply<G>, PlyError> {
        match self.status() {
            Status::Over(_) => return Err(PlyError::Over),
            Status::Turn(mover) if mover != player => return Err(PlyError::NotYourTurn),
            Status::Turn(_) => {}
        }
        if !self.tree().branches().any(|(branch, _)| branch == action) {
            return Err(PlyError::Illegal);
        }
        let roll = self.game().roll(self.position(), action, rng);
        Ok(Ply {
            player,
            action,
            roll,
            at_ms,
        })
    }

    /// The session after a decided ply; this one stays as it is.
    ///
    /// # Errors
    /// When the ply cannot follow the newest position.
    pub fn with_ply(&self, ply: Ply<G>) -> Result<Self, ReplayErrorKind> {
        if self.record.ending.is_some() {
            return Err(ReplayErrorKind::AfterTheEnd);
        }
        let outcome = record::check(self.game(), self.position(), &ply)?;
        let root = self.root.child_after(self.game(), ply.action, outcome);
        let before = self.position().clone();
        let mut record = Arc::clone(&self.record);
        Arc::make_mut(&mut record).entries.push(Entry::Ply(ply));
        Ok(Session::at(record, root, Some(LastPly { before, outcome })))
    }

    /// The session after a takeback; this one stays as it is.
    ///
    /// # Errors
    /// When the game is over, too much was taken back already, or no ply of this player that stands
    /// has this number.
    pub fn with_takeback(&self, takeback: Takeback) -> Result<Self, ReplayErrorKind> {
        let (number, is_over) = (self.record.len(), self.status().is_over());
        self.record.check_takeback(number, is_over, &takeback)?;
        let root = CachedNode::root(self.position_at(takeback.to));
        let mut record = Arc::clone(&self.record);
        let entries = &mut Arc::make_mut(&mut record).entries;
        entries.push(Entry::Takeback(takeback));
        Ok(Session::at(record, root, None))
    }

    /// The session after words for the dice, which change no position; this one stays as it is.
    ///
    /// # Errors
    /// When the game is over, or the player has given too many already.
    pub fn with_entropy(&self, contribution: EntropyContribution) -> Result<Self, ReplayErrorKind> {
        let (number, is_over) = (self.record.len(), self.status().is_over());
        let player = contribution.player;
        self.record.check_contribution(number, is_over, player)?;
        let mut next = self.clone();
        let entries = &mut Arc::make_mut(&mut next.record).entries;
        entries.push(Entry::Contribution(contribution));
        next.last = None;
        Ok(next)
    }

    /// The same game, with nothing remembered but the newest position.
    #[must_use]
    pub fn without_cache(&self) -> Self {
        let root = CachedNode::root(self.position().clone());
        Session {
            budget: Arc::new(NodeBudget::of(
                MAX_CACHED_POSITIONS.saturating_sub(root.cached_nodes()),
            )),
            root,
            ..self.clone()
        }
    }

    /// Ends the game before the rules do; a game that has ended stays as it was.
    pub fn end(&mut self, ending: Ending) {
        if !self.status().is_over() {
            Arc::make_mut(&mut self.record).ending = Some(ending);
        }
    }
}

impl<G: RecordableGame> Session<G> {
    /// A session at the newest position of a record.
    fn at(record: Arc<Record<G>>, root: Arc<CachedNode<G>>, last: Option<LastPly<G>>) -> Self {
        let left = MAX_CACHED_POSITIONS.saturating_sub(root.cached_nodes());
        Session {
            record,
            root,
            last: last.map(Arc::new),
            budget: Arc::new(NodeBudget::of(left)),
        }
    }

    /// The rules.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.record.game
    }

    /// What was played.
    #[must_use]
    pub fn record(&self) -> &Record<G> {
        &self.record
    }

    /// The entries from number `from` on, oldest first, with what stood before and what followed. The
    /// newest entry alone is at hand; for all others the record is followed again.
    pub fn moments(&self, from: u32) -> impl Iterator<Item = ReplayedEntry<'_, G>> {
        let newest = self
            .last_entry()
            .filter(|newest| newest.number() == from);
        let others = if newest.is_some() { 0 } else { usize::MAX };
        let replayed = self.record.replay_trusted().skip(from as usize);
        newest.into_iter().chain(replayed.take(others))
    }

    /// The plies from number `from` on, oldest first, also those that were taken back.
    pub fn steps(&self, from: u32) -> impl Iterator<Item = ReplayedPly<'_, G>> {
        self.moments(from).filter_map(ReplayedEntry::into_step)
    }

    /// The plies that stand, oldest first: what a game is judged by.
    pub fn line(&self) -> impl Iterator<Item = ReplayedPly<'_, G>> {
        self.steps(0).filter(|step| step.stands)
    }

    /// The newest entry, with what stood before and what followed.
    #[must_use]
    pub fn last_entry(&self) -> Option<ReplayedEntry<'_, G>> {
        let number = self.record.len().checked_sub(1)?;
        let after = self.position().clone();
        Some(match self.record.entries.last()? {
            Entry::Ply(ply) => {
                let last = self.last.as_ref()?;
                ReplayedEntry::Ply(ReplayedPly {
                    number,
                    before: last.before.clone(),
                    ply,
                    outcome: last.outcome,
                    after,
                    stands: true,
                })
            }
            Entry::Takeback(takeback) => ReplayedEntry::Takeback {
                number,
                takeback: *takeback,
                after,
            },
            Entry::Contribution(contribution) => ReplayedEntry::Contribution {
                number,
                contribution,
                after,
            },
        })
    }

    /// The position after so many entries; after more than there are, the newest one.
    #[must_use]
    pub fn position_at(&self, entries: u32) -> G::Position {
        if entries >= self.record.len() {
            return self.position().clone();
        }
        self.record.position_trusted(entries)
    }

    /// The newest position.
    #[must_use]
    pub fn position(&self) -> &G::Position {
        self.root.position()
    }

    /// The tree below the newest position. At most [`MAX_CACHED_POSITIONS`] of its positions are remembered,
    /// for everybody who looks; the others are computed at each look.
    #[must_use]
    pub fn tree(&self) -> CachedTree<'_, G> {
        self.root.cached_within(self.game(), &self.budget)
    }

    /// How many positions the tree remembers now.
    #[must_use]
    pub fn cached_positions(&self) -> usize {
        self.root.cached_nodes()
    }

    /// Whose turn it is, or how the game ended: by the rules, or by the record's ending.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.record.ending {
            None => self.game().status(self.position()),
            Some(Ending::Resigned(player)) => Status::Over(
                self.game()
                    .adjudicate(self.position(), PlayerSet::from_iter([player])),
            ),
            Some(Ending::Limit) => Status::Over(
                self.game()
                    .adjudicate(self.position(), PlayerSet::default()),
            ),
        }
    }

    /// Whether the game has reached [`MAX_PLIES`], so that [`Ending::Limit`] is due.
    #[must_use]
    pub fn is_at_limit(&self) -> bool {
        self.record.len() >= MAX_PLIES && !self.status().is_over()
    }
}
