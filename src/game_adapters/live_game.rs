//! A game that is played, whatever its kind.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::analysis_board::LiveAnalysisBoard;
use super::computer_player::{ComputerPlayer, TypedComputerPlayer};
use super::dice_audit::{LiveDiceAudit, with_throw};
use super::json::LiveJson;
use super::live_page::LivePage;
use super::page::ErrorText;
use super::position_analysis::{self, AnalysisCost, PositionAnalysis};
use super::review::LiveReview;
use super::terminal::LiveTerminal;
use super::{ConfiguredGame, RegistrableGame};
use crate::game::{Player, PlayerSet, Status};
use crate::level::LevelSpec;
use crate::provably_fair::GameDice;
use crate::record::{
    Ending, EntropyContribution, EntropyContributionRow, EntropyText, Entry, EntryRow, PlyRow,
    ReplayErrorKind, Takeback, TakebackRow,
};
use crate::search::StopToken;
use crate::session::{self, Session};

/// A live game of any kind; cloning shares it. It never changes: what follows from a ply is another
/// one.
pub type LiveGameRef = Arc<dyn LiveGame>;

/// A ply that may be played, and the game as it stands after it.
#[derive(Clone, Debug)]
pub struct PreparedPly {
    /// The ply, as it is kept.
    pub row: PlyRow,
    /// The game after it.
    pub next: LiveGameRef,
    /// Whether the ply is the last of its turn.
    pub ends_turn: bool,
}

/// Why an action is not played; then nothing was rolled.
#[derive(Clone, Debug, Error)]
pub enum ActionError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Somebody else is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules do not allow the action, and say why.
    #[error("{0}")]
    Rules(ErrorText),
    /// The action is not in the notation of this game.
    #[error("this game has no such action")]
    NoSuchAction,
}

/// What a table asks of the game that is played at it.
pub trait LiveGame:
    LiveJson
    + LiveDiceAudit
    + LivePage
    + LiveAnalysisBoard
    + LiveReview
    + LiveTerminal
    + Any
    + Debug
    + Send
    + Sync
{
    /// The game with its numbers.
    fn setting(&self) -> Arc<dyn ConfiguredGame>;

    /// How many players sit at the table.
    fn players(&self) -> u8;

    /// The start position as it is kept (JSON).
    fn start_text(&self) -> String;

    /// The game's name, its parameters and the start position in notation (`dice.v4.…`); `None` where the
    /// game has none that says all of it.
    fn start_notation(&self) -> Option<String>;

    /// How many entries the record has: the number of the next one.
    fn ply(&self) -> u32;

    /// When the last entry was made, in milliseconds since 1970.
    fn last_ms(&self) -> Option<i64>;

    /// When this player made the last entry, in milliseconds since 1970.
    fn last_ms_of(&self, player: Player) -> Option<i64>;

    /// Whose turn it is, or how the game ended.
    fn status(&self) -> Status;

    /// The ending that is no rule of the game.
    fn ending(&self) -> Option<Ending>;

    /// The winners in the book's order; empty while the game goes on, and after a draw without any.
    fn winners(&self) -> Vec<Player>;

    /// Who played entry number `number`, and what, in the game's notation; `None` where it is no ply.
    fn played(&self, number: u32) -> Option<(Player, String)>;

    /// Entry number `number`, as it is kept.
    fn entry(&self, number: u32) -> Option<EntryRow>;

    /// The number of the newest ply that stands and that one of these players played.
    fn newest_of(&self, players: PlayerSet) -> Option<u32>;

    /// How often something was taken back.
    fn takebacks(&self) -> u32;

    /// All words that were given for the dice before entry number `number`, oldest first.
    fn entropy_before(&self, number: u32) -> Vec<EntropyContribution>;

    /// The game as it stands again before ply number `to` of this player, which stands now; the game
    /// itself stays as it is.
    ///
    /// # Errors
    /// When the game is over, too much was taken back, or no such ply stands.
    fn taken_back(
        &self,
        player: Player,
        to: u32,
        at_ms: i64,
    ) -> Result<(TakebackRow, LiveGameRef), ReplayErrorKind>;

    /// The game after words of this player for the dice; the game itself stays as it is.
    ///
    /// # Errors
    /// When the game is over, or the player has given too many.
    fn contributed(
        &self,
        player: Player,
        words: EntropyText,
        at_ms: i64,
    ) -> Result<(EntropyContributionRow, LiveGameRef), ReplayErrorKind>;

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
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError>;

    /// The game after an ending that is no rule.
    fn ended(&self, ending: Ending) -> LiveGameRef;

    /// The same game without what was remembered of what may follow; `None` where that is nothing.
    fn rested(&self) -> Option<LiveGameRef>;

    /// A computer player for this game.
    fn mind(&self, level: LevelSpec) -> Box<dyn ComputerPlayer>;

    /// What it takes to weigh a position of this game; `None` where the game has no hints.
    fn weighing_cost(&self) -> Option<AnalysisCost>;

    /// Every action of the position after `ply` entries of the record with what each player may expect
    /// after it. Slow: never on an async thread. The
    /// same position and number of simulations give the same answer. `None` where there is no such
    /// position, nobody is to move in it or the game has no hints, and when it was stopped.
    fn weigh(&self, ply: u32, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis>;
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
    pub fn session<G: RegistrableGame>(&self) -> Option<&Session<G>> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<G: RegistrableGame> LiveGame for Session<G> {
    fn setting(&self) -> Arc<dyn ConfiguredGame> {
        Arc::new(*self.game())
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self.game())
    }

    fn start_text(&self) -> String {
        let setup = self.game().to_setup(&self.record().start);
        serde_json::to_string(&setup).expect("a setup is plain values")
    }

    fn start_notation(&self) -> Option<String> {
        let (game, start) = (self.game(), &self.record().start);
        let text = game.to_compact(start)?;
        let (again, position) = G::parse_compact(&text).ok()?;
        let says_all = again.parameters() == game.parameters() && position == *start;
        says_all.then(|| format!("{}.{text}", G::NAME))
    }

    fn ply(&self) -> u32 {
        self.record().len()
    }

    fn last_ms(&self) -> Option<i64> {
        self.record().entries.last().map(Entry::at_ms)
    }

    fn last_ms_of(&self, player: Player) -> Option<i64> {
        let mut entries = self.record().entries.iter().rev();
        let own = entries.find(|entry| entry.player() == player);
        own.map(Entry::at_ms)
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
        let winners: PlayerSet = payoffs.winners();
        let mut order = self.game().winners(self.position());
        order.retain(|player| winners.contains(*player));
        // After a resignation the count may name others than the board does.
        let rest = winners.iter().filter(|player| !order.contains(player));
        let rest: Vec<Player> = rest.collect();
        order.extend(rest);
        order
    }

    fn played(&self, number: u32) -> Option<(Player, String)> {
        let ply = self.record().entries.get(number as usize)?.ply()?;
        Some((ply.player, ply.action.to_string()))
    }

    fn entry(&self, number: u32) -> Option<EntryRow> {
        let entries = &self.record().entries;
        entries.get(number as usize).map(EntryRow::of)
    }

    fn newest_of(&self, players: PlayerSet) -> Option<u32> {
        self.record().last_ply_of(players)
    }

    fn takebacks(&self) -> u32 {
        self.record().takeback_count()
    }

    fn entropy_before(&self, number: u32) -> Vec<EntropyContribution> {
        self.record().entropy_before(number).cloned().collect()
    }

    fn taken_back(
        &self,
        player: Player,
        to: u32,
        at_ms: i64,
    ) -> Result<(TakebackRow, LiveGameRef), ReplayErrorKind> {
        let takeback = Takeback { player, to, at_ms };
        let next = Session::with_takeback(self, takeback)?;
        Ok((TakebackRow::of(&takeback), Arc::new(next)))
    }

    fn contributed(
        &self,
        player: Player,
        words: EntropyText,
        at_ms: i64,
    ) -> Result<(EntropyContributionRow, LiveGameRef), ReplayErrorKind> {
        let contribution = EntropyContribution {
            player,
            words,
            at_ms,
        };
        let row = EntropyContributionRow::of(&contribution);
        let next = Session::with_entropy(self, contribution)?;
        Ok((row, Arc::new(next)))
    }

    fn is_at_limit(&self) -> bool {
        Session::is_at_limit(self)
    }

    fn decide(
        &self,
        player: Player,
        action: &str,
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError> {
        // Whose turn it is comes first: who may not move is told so, whatever was sent.
        match Session::status(self) {
            Status::Over(_) => return Err(ActionError::Over),
            Status::Turn(mover) if mover != player => return Err(ActionError::NotYourTurn),
            Status::Turn(_) => {}
        }
        let action: G::Action = action.parse().map_err(|_| ActionError::NoSuchAction)?;
        let number = self.record().len();
        let at = self.position();
        let mut dice = with_throw(self, number, at, action, |throw| dice.of_throw(throw));
        let ply = Session::prepare_ply(self, player, action, &mut dice, at_ms);
        let ply = ply.map_err(|refusal| match refusal {
            session::PlyError::Over => ActionError::Over,
            session::PlyError::NotYourTurn => ActionError::NotYourTurn,
            session::PlyError::Illegal => match self.game().check_action(self.position(), action) {
                Err(why) => ActionError::Rules(ErrorText {
                    sentence: why.to_string(),
                    said: G::illegal_action_text(&why),
                }),
                Ok(()) => ActionError::NoSuchAction,
            },
        })?;
        let row = PlyRow::of(&ply);
        let next = self.with_ply(ply).expect("it was decided at this position");
        Ok(PreparedPly {
            row,
            next: Arc::new(next),
            ends_turn: G::ends_turn(action),
        })
    }

    fn ended(&self, ending: Ending) -> LiveGameRef {
        let mut next = self.clone();
        next.end(ending);
        Arc::new(next)
    }

    fn rested(&self) -> Option<LiveGameRef> {
        (self.cached_positions() > 1).then(|| Arc::new(Session::without_cache(self)) as LiveGameRef)
    }

    fn mind(&self, level: LevelSpec) -> Box<dyn ComputerPlayer> {
        Box::new(TypedComputerPlayer::<G>::of(level))
    }

    fn weighing_cost(&self) -> Option<AnalysisCost> {
        position_analysis::cost(self.game())
    }

    fn weigh(&self, ply: u32, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis> {
        position_analysis::analyse_at(self, ply, simulations, stop)
    }
}
