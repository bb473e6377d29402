//! A game that is played, whatever its kind.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::json::LiveJson;
use super::live_page::LivePage;
use super::mind::{Mind, Thinker};
use super::page::Reason;
use super::terminal::LiveText;
use super::{Guest, Setting};
use crate::game::{Player, Players, Status};
use crate::level::Level;
use crate::record::{Ending, PlyRow};
use crate::session::{self, Session};
use crate::streams::{self, DiceSeed};

/// A live game of any kind; cloning shares it. It never changes: what follows from a ply is another
/// one.
pub type Live = Arc<dyn LiveGame>;

/// A ply that may be played, and the game as it stands after it.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The ply, as it is kept.
    pub row: PlyRow,
    /// The game after it.
    pub next: Live,
    /// Whether the ply is the last of its turn.
    pub ends_turn: bool,
}

/// Why an action is not played; then nothing was rolled.
#[derive(Clone, Debug, Error)]
pub enum Refused {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Somebody else is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules do not allow the action, and say why.
    #[error("{0}")]
    Rules(Reason),
    /// The action is not in the notation of this game.
    #[error("this game has no such action")]
    NoSuchAction,
}

/// What a table asks of the game that is played at it.
pub trait LiveGame: LiveJson + LivePage + LiveText + Any + Debug + Send + Sync {
    /// The game with its numbers.
    fn setting(&self) -> Arc<dyn Setting>;

    /// How many players sit at the table.
    fn players(&self) -> u8;

    /// The start position as it is kept (JSON).
    fn start_text(&self) -> String;

    /// How many plies were played.
    fn ply(&self) -> u32;

    /// When the last ply was played, in milliseconds since 1970.
    fn last_ms(&self) -> Option<i64>;

    /// Whose turn it is, or how the game ended.
    fn status(&self) -> Status;

    /// The ending that is no rule of the game.
    fn ending(&self) -> Option<Ending>;

    /// The winners in the book's order; empty while the game goes on, and after a draw without any.
    fn winners(&self) -> Vec<Player>;

    /// Who played ply number `number`, and what, in the game's notation.
    fn played(&self, number: u32) -> Option<(Player, String)>;

    /// Whether the game has reached the most plies, so that it is to be adjudicated.
    fn is_at_limit(&self) -> bool;

    /// Checks an action and rolls for it; the game itself stays as it is.
    ///
    /// # Errors
    /// When the game is over, somebody else is to move, or the action is none that is legal here.
    fn decide(
        &self,
        player: Player,
        action: &str,
        seed: &DiceSeed,
        at_ms: i64,
    ) -> Result<Decided, Refused>;

    /// The game after an ending that is no rule.
    fn ended(&self, ending: Ending) -> Live;

    /// A computer player for this game.
    fn mind(&self, level: Level) -> Box<dyn Mind>;
}

impl dyn LiveGame {
    /// Who is to move, while the game goes on.
    #[must_use]
    pub fn mover(&self) -> Option<Player> {
        self.status().mover()
    }

    /// Whether the game is over, by the rules or otherwise.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status().is_over()
    }

    /// The typed session; `None` when the game is of another kind.
    #[must_use]
    pub fn session<G: Guest>(&self) -> Option<&Session<G>> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<G: Guest> LiveGame for Session<G> {
    fn setting(&self) -> Arc<dyn Setting> {
        Arc::new(*self.game())
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self.game())
    }

    fn start_text(&self) -> String {
        let setup = self.game().setup(&self.record().start);
        serde_json::to_string(&setup).expect("a setup is plain values")
    }

    fn ply(&self) -> u32 {
        self.record().len()
    }

    fn last_ms(&self) -> Option<i64> {
        self.record().plies.last().map(|ply| ply.at_ms)
    }

    fn status(&self) -> Status {
        Session::status(self)
    }

    fn ending(&self) -> Option<Ending> {
        self.record().ending
    }

    fn winners(&self) -> Vec<Player> {
        let Status::Over(payoffs) = Session::status(self) else {
            return Vec::new();
        };
        let winners: Players = payoffs.winners();
        let mut order = self.game().winners(self.position());
        order.retain(|player| winners.contains(*player));
        // After a resignation the count may name others than the board does.
        let rest = winners.iter().filter(|player| !order.contains(player));
        let rest: Vec<Player> = rest.collect();
        order.extend(rest);
        order
    }

    fn played(&self, number: u32) -> Option<(Player, String)> {
        let ply = self.record().plies.get(number as usize)?;
        Some((ply.player, ply.action.to_string()))
    }

    fn is_at_limit(&self) -> bool {
        Session::is_at_limit(self)
    }

    fn decide(
        &self,
        player: Player,
        action: &str,
        seed: &DiceSeed,
        at_ms: i64,
    ) -> Result<Decided, Refused> {
        // Whose turn it is comes first: who may not move is told so, whatever was sent.
        match Session::status(self) {
            Status::Over(_) => return Err(Refused::Over),
            Status::Turn(mover) if mover != player => return Err(Refused::NotYourTurn),
            Status::Turn(_) => {}
        }
        let action: G::Action = action.parse().map_err(|_| Refused::NoSuchAction)?;
        let mut dice = streams::dice_stream(seed, self.record().len());
        let ply = Session::decide(self, player, action, &mut dice, at_ms);
        let ply = ply.map_err(|refusal| match refusal {
            session::Refusal::Over => Refused::Over,
            session::Refusal::NotYourTurn => Refused::NotYourTurn,
            session::Refusal::Illegal => match self.game().judge(self.position(), action) {
                Err(why) => Refused::Rules(Reason {
                    sentence: why.to_string(),
                    said: G::refused(&why),
                }),
                Ok(()) => Refused::NoSuchAction,
            },
        })?;
        let row = PlyRow::of(&ply);
        let next = self.after(ply).expect("it was decided at this position");
        Ok(Decided {
            row,
            next: Arc::new(next),
            ends_turn: G::ends_turn(action),
        })
    }

    fn ended(&self, ending: Ending) -> Live {
        let mut next = self.clone();
        next.end(ending);
        Arc::new(next)
    }

    fn mind(&self, level: Level) -> Box<dyn Mind> {
        Box::new(Thinker::<G>::of(level))
    }
}
