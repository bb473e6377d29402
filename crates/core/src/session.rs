//! A game in progress: its record, and a cached tree whose root is the current position.
//!
//! A ply is a branch of the tree, and its roll selects a chance branch: [`Session::prepare_ply`] checks the action and
//! rolls, [`Session::with_ply`] makes the resulting child the new root and keeps its cached subtree. The rest of the
//! tree is freed.
//!
//! Sessions are immutable apart from [`Session::end`]: each entry creates a new session, so the caller can persist the
//! entry before it replaces the session, and memory is never ahead of the store. The tree is only a cache: a session
//! can be rebuilt from its record. After a takeback the tree starts again from the restored position.
//!
//! Clones are cheap (reference counts): they share the tree, and a reader's clone stays valid while the game continues.

use std::sync::Arc;

use rand::Rng;
use thiserror::Error;

use crate::game::{Player, PlayerSet, RecordableGame, Status};
use crate::record::{
    self, Ending, EntropyContribution, Entry, MAX_ENTRIES, Ply, Record, ReplayError,
    ReplayErrorKind, ReplayedEntry, ReplayedPly, Takeback,
};
use crate::tree::GameTree;
use crate::tree::cached::{CachedNode, CachedTree, NodeBudget};

/// The maximum number of positions that a session caches, including the current one.
///
/// All successors of a position of the default board are about 20 positions (4 KB), and reading them from the cache
/// takes two thirds of the time of computing them (docs/speed.md). So this limit covers two plies of lookahead in at
/// most 50 KB per game; deeper positions are recomputed on each access.
pub const MAX_CACHED_POSITIONS: usize = 256;

/// The number of entries between two stored positions of the past.
const CHECKPOINT_INTERVAL: usize = 32;

/// A game in progress.
#[derive(Debug)]
pub struct Session<G: RecordableGame> {
    record: Arc<Record<G>>,
    root: Arc<CachedNode<G>>,
    /// The position before the last entry and the chance outcome, if that entry is a ply.
    last: Option<Arc<LastPly<G>>>,
    /// The positions after every [`CHECKPOINT_INTERVAL`] entries, so that a replay of the newest entries is short.
    checkpoints: Arc<Vec<G::Position>>,
    /// The number of positions that may still be cached below the root.
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
            checkpoints: Arc::clone(&self.checkpoints),
            budget: Arc::clone(&self.budget),
        }
    }
}

/// Why an action was rejected before rolling.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PlyError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Another player is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The action is not legal; the game can explain why.
    #[error("that action is not legal here")]
    Illegal,
}

impl<G: RecordableGame + Clone> Session<G> {
    /// The session of a newly dealt game.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        let root = CachedNode::root(start.clone());
        Session::at(
            Arc::new(Record::new(game, start)),
            root,
            None,
            Arc::default(),
        )
    }

    /// The session of a stored record, which is replayed and checked.
    ///
    /// # Errors
    /// The first invalid entry.
    pub fn from_record(record: Record<G>) -> Result<Self, ReplayError> {
        let mut position = record.start.clone();
        let mut last = None;
        let mut checkpoints = Vec::new();
        for (number, entry) in (1..).zip(record.replay()) {
            (position, last) = match entry? {
                ReplayedEntry::Ply(ReplayedPly {
                    before,
                    outcome,
                    after,
                    ..
                }) => (after, Some(LastPly { before, outcome })),
                other => (other.into_after(), None),
            };
            if number % CHECKPOINT_INTERVAL == 0 {
                checkpoints.push(position.clone());
            }
        }
        Ok(Session::at(
            Arc::new(record),
            CachedNode::root(position),
            last,
            Arc::new(checkpoints),
        ))
    }

    /// Checks an action and rolls for it, without changing the session.
    ///
    /// # Errors
    /// If the game is over, another player is to move, or the action is not legal.
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

    /// A new session with this ply appended.
    ///
    /// # Errors
    /// If the ply is not valid at the current position.
    pub fn with_ply(&self, ply: Ply<G>) -> Result<Self, ReplayErrorKind> {
        if self.record.ending.is_some() {
            return Err(ReplayErrorKind::AfterTheEnd);
        }
        let outcome = record::check_ply(self.game(), self.position(), &ply)?;
        let root = self.root.child_after(self.game(), ply.action, outcome);
        let before = self.position().clone();
        let mut record = Arc::clone(&self.record);
        Arc::make_mut(&mut record).entries.push(Entry::Ply(ply));
        let last = Some(LastPly { before, outcome });
        Ok(Session::at(
            record,
            root,
            last,
            Arc::clone(&self.checkpoints),
        ))
    }

    /// A new session with this takeback appended.
    ///
    /// # Errors
    /// If the game is over, the maximum number of takebacks is reached, or the number is not that of a ply of this
    /// player on the mainline.
    pub fn with_takeback(&self, takeback: Takeback) -> Result<Self, ReplayErrorKind> {
        let (number, is_over) = (self.record.len(), self.status().is_over());
        self.record.check_takeback(number, is_over, &takeback)?;
        let root = CachedNode::root(self.position_at(takeback.to));
        let mut record = Arc::clone(&self.record);
        let entries = &mut Arc::make_mut(&mut record).entries;
        entries.push(Entry::Takeback(takeback));
        Ok(Session::at(
            record,
            root,
            None,
            Arc::clone(&self.checkpoints),
        ))
    }

    /// A new session with this entropy contribution appended; the position does not change.
    ///
    /// # Errors
    /// If the game is over, or the maximum number of contributions of the player is reached.
    pub fn with_entropy(&self, contribution: EntropyContribution) -> Result<Self, ReplayErrorKind> {
        let (number, is_over) = (self.record.len(), self.status().is_over());
        let player = contribution.player;
        self.record.check_contribution(number, is_over, player)?;
        let mut next = self.clone();
        let entries = &mut Arc::make_mut(&mut next.record).entries;
        entries.push(Entry::Contribution(contribution));
        next.last = None;
        next.add_checkpoint();
        Ok(next)
    }

    /// The same session with only the current position cached.
    #[must_use]
    pub fn without_cache(&self) -> Self {
        let root = CachedNode::root(self.position().clone());
        Session {
            budget: Arc::new(NodeBudget::new(
                MAX_CACHED_POSITIONS.saturating_sub(root.cached_nodes()),
            )),
            root,
            ..self.clone()
        }
    }

    /// Ends the game before the rules do; has no effect if the game is over.
    pub fn end(&mut self, ending: Ending) {
        if !self.status().is_over() {
            Arc::make_mut(&mut self.record).ending = Some(ending);
        }
    }
}

impl<G: RecordableGame> Session<G> {
    fn at(
        record: Arc<Record<G>>,
        root: Arc<CachedNode<G>>,
        last: Option<LastPly<G>>,
        checkpoints: Arc<Vec<G::Position>>,
    ) -> Self {
        let capacity = MAX_CACHED_POSITIONS.saturating_sub(root.cached_nodes());
        let mut session = Session {
            record,
            root,
            last: last.map(Arc::new),
            checkpoints,
            budget: Arc::new(NodeBudget::new(capacity)),
        };
        session.add_checkpoint();
        session
    }

    /// Stores the current position if a checkpoint is due.
    fn add_checkpoint(&mut self) {
        let due = self.record.entries.len() / CHECKPOINT_INTERVAL;
        if self.checkpoints.len() < due {
            let position = self.position().clone();
            Arc::make_mut(&mut self.checkpoints).push(position);
        }
    }

    /// The rules with their parameters.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.record.game
    }

    /// The record of the game so far.
    #[must_use]
    pub fn record(&self) -> &Record<G> {
        &self.record
    }

    /// Replays the entries from number `from` on, oldest first: from the last checkpoint at or before `from`, or from the
    /// start of a record with takebacks. The last entry alone needs no replay.
    pub fn replay_from(&self, from: u32) -> impl Iterator<Item = ReplayedEntry<'_, G>> {
        let last = self.last_entry().filter(|last| last.number() == from);
        let max_replayed = if last.is_some() { 0 } else { usize::MAX };
        let checkpoint_count = match self.record.takeback_count() {
            0 => (from as usize / CHECKPOINT_INTERVAL).min(self.checkpoints.len()),
            _ => 0,
        };
        let position = match checkpoint_count {
            0 => &self.record.start,
            _ => &self.checkpoints[checkpoint_count - 1],
        };
        let first = checkpoint_count * CHECKPOINT_INTERVAL;
        let replayed = self.record.replay_trusted(first as u32, position.clone());
        let replayed = replayed.skip(from as usize - first);
        last.into_iter().chain(replayed.take(max_replayed))
    }

    /// Replays the plies from number `from` on, including those taken back, oldest first.
    pub fn replayed_plies_from(&self, from: u32) -> impl Iterator<Item = ReplayedPly<'_, G>> {
        self.replay_from(from).filter_map(ReplayedEntry::into_ply)
    }

    /// The replayed plies of the mainline, oldest first.
    pub fn mainline(&self) -> impl Iterator<Item = ReplayedPly<'_, G>> {
        self.replayed_plies_from(0).filter(|ply| ply.is_on_mainline)
    }

    /// The last entry, with the positions before and after it.
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
                    is_on_mainline: true,
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

    /// The position after this number of entries, or the current one if there are fewer.
    #[must_use]
    pub fn position_at(&self, entries: u32) -> G::Position {
        if entries >= self.record.len() {
            return self.position().clone();
        }
        match entries.checked_sub(1) {
            None => self.record.start.clone(),
            Some(last) => {
                let entry = self.replay_from(last).next();
                entry.map_or_else(|| self.position().clone(), ReplayedEntry::into_after)
            }
        }
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &G::Position {
        self.root.position()
    }

    /// The tree below the current position. Up to [`MAX_CACHED_POSITIONS`] of its positions are cached and shared by
    /// all readers; the others are recomputed on each access.
    #[must_use]
    pub fn tree(&self) -> CachedTree<'_, G> {
        self.root.cached_within(self.game(), &self.budget)
    }

    /// The number of positions in the cache.
    #[must_use]
    pub fn cached_positions(&self) -> usize {
        self.root.cached_nodes()
    }

    /// The player to move, or the result by the rules or by the ending of the record.
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

    /// Whether the record has [`MAX_ENTRIES`] entries and the game is not over, so that the caller must end it with
    /// [`Ending::Limit`].
    #[must_use]
    pub fn is_at_limit(&self) -> bool {
        self.record.len() >= MAX_ENTRIES && !self.status().is_over()
    }
}
