//! A live game: its record, and a remembered tree whose root is the newest position.
//!
//! [`Session::decide`] checks and rolls and changes nothing; [`Session::apply`] is the only way a
//! session changes, and cannot fail. Between the two the ply is made durable, so that memory is never
//! ahead of the disk. The tree is a cache: a session is resumed from its record alone.
//!
//! Cloning is cheap (two reference counts): a reader's copy stays as it was while the game goes on.

use std::sync::Arc;

use rand::Rng;
use thiserror::Error;

use crate::game::{Player, Players, Roll, Status};
use crate::record::{self, Ending, MOST_PLIES, Ply, Record, ReplayError};
use crate::tree::remembered::{Node, NodeBudget, View};

/// A live game.
#[derive(Debug)]
pub struct Session<G: Roll> {
    record: Arc<Record<G>>,
    root: Arc<Node<G>>,
}

impl<G: Roll> Clone for Session<G> {
    fn clone(&self) -> Self {
        Session {
            record: Arc::clone(&self.record),
            root: Arc::clone(&self.root),
        }
    }
}

/// Why an action is not played; then nothing was rolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
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

impl<G: Roll + Clone> Session<G> {
    /// A game that has just been dealt.
    #[must_use]
    pub fn new(game: G, start: G::Position) -> Self {
        let root = Node::root(start.clone());
        Session {
            record: Arc::new(Record::new(game, start)),
            root,
        }
    }

    /// The session of a kept record: every ply is played again and checked.
    ///
    /// # Errors
    /// The first ply that cannot have happened.
    pub fn resume(record: Record<G>) -> Result<Self, ReplayError> {
        let mut newest = record.start.clone();
        for position in record.replay() {
            newest = position?;
        }
        Ok(Session {
            record: Arc::new(record),
            root: Node::root(newest),
        })
    }

    /// Checks an action and rolls for it; changes nothing.
    ///
    /// # Errors
    /// When the game is over, it is not this player's turn, or the rules do not allow the action.
    pub fn decide(
        &self,
        player: Player,
        action: G::Action,
        rng: &mut impl Rng,
        at_ms: i64,
    ) -> Result<Ply<G>, Refusal> {
        match self.status() {
            Status::Over(_) => return Err(Refusal::Over),
            Status::Turn(mover) if mover != player => return Err(Refusal::NotYourTurn),
            Status::Turn(_) => {}
        }
        let game = self.game();
        if !game.actions(self.position()).any(|legal| legal == action) {
            return Err(Refusal::Illegal);
        }
        let roll = game.roll(self.position(), action, rng);
        Ok(Ply {
            player,
            action,
            roll,
            at_ms,
        })
    }

    /// Plays a decided ply. A ply that does not follow this position is a fault of the caller and is
    /// ignored; debug builds stop there.
    pub fn apply(&mut self, ply: Ply<G>) {
        debug_assert!(record::after(self.game(), self.position(), &ply).is_ok());
        let game = &self.record.game;
        let Some(outcome) = game.outcome(self.root.position(), ply.action, &ply.roll) else {
            return;
        };
        self.root = self.root.advance(game, ply.action, outcome);
        Arc::make_mut(&mut self.record).plies.push(ply);
    }

    /// Ends the game before the rules do; a game that has ended stays as it was.
    pub fn end(&mut self, ending: Ending) {
        if !self.status().is_over() {
            Arc::make_mut(&mut self.record).ending = Some(ending);
        }
    }
}

impl<G: Roll> Session<G> {
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

    /// The newest position.
    #[must_use]
    pub fn position(&self) -> &G::Position {
        self.root.position()
    }

    /// The remembered tree below the newest position.
    #[must_use]
    pub fn tree(&self) -> View<'_, G> {
        self.root.view(self.game())
    }

    /// As [`Self::tree`], remembering no more new positions than the budget has left.
    #[must_use]
    pub fn tree_within<'t>(&'t self, budget: &'t NodeBudget) -> View<'t, G> {
        self.root.view_within(self.game(), budget)
    }

    /// How many positions the tree remembers now.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.root.forced()
    }

    /// Whose turn it is, or how the game ended: by the rules, or by the record's ending.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.record.ending {
            None => self.game().status(self.position()),
            Some(Ending::Resigned(player)) => Status::Over(
                self.game()
                    .adjudicate(self.position(), Players::from_iter([player])),
            ),
            Some(Ending::Limit) => {
                Status::Over(self.game().adjudicate(self.position(), Players::default()))
            }
        }
    }

    /// Whether the game has reached [`MOST_PLIES`], so that [`Ending::Limit`] is due.
    #[must_use]
    pub fn is_at_limit(&self) -> bool {
        self.record.len() >= MOST_PLIES && !self.status().is_over()
    }
}
