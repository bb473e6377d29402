//! A game in progress, independent of its Rust type.

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

/// A shared, immutable game state of any type: every change returns a new one.
pub type LiveGameRef = Arc<dyn LiveGame>;

/// A ply that can be played, and the resulting game.
#[derive(Clone, Debug)]
pub struct PreparedPly {
    /// The ply in its stored form.
    pub row: PlyRow,
    pub next: LiveGameRef,
    /// Whether the ply ends its turn.
    pub ends_turn: bool,
}

/// Why an action is rejected; nothing has been rolled.
#[derive(Clone, Debug, Error)]
pub enum ActionError {
    #[error("the game is over")]
    Over,
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules do not allow the action.
    #[error("{0}")]
    Rules(ErrorText),
    /// The text is not an action of this game.
    #[error("this game has no such action")]
    NoSuchAction,
}

/// The operations on a game in progress.
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
    /// The game with its parameters.
    fn configured_game(&self) -> Arc<dyn ConfiguredGame>;

    fn players(&self) -> u8;

    /// The start position in its stored form (JSON).
    fn start_json(&self) -> String;

    /// Name, parameters and start position in notation (`dice.v4.…`); `None` if the game's notation cannot
    /// express them.
    fn start_notation(&self) -> Option<String>;

    /// The number of entries, which is the number of the next entry.
    fn entry_count(&self) -> u32;

    /// The time of the last entry, in milliseconds since 1970.
    fn last_entry_ms(&self) -> Option<i64>;

    /// The time of this player's last entry, in milliseconds since 1970.
    fn last_entry_ms_of(&self, player: Player) -> Option<i64>;

    /// The player to move, or the result.
    fn status(&self) -> Status;

    /// An ending that the rules did not cause, such as a resignation.
    fn ending(&self) -> Option<Ending>;

    /// The winners in the book's order; empty while the game is in progress and after a draw without winners.
    fn winners(&self) -> Vec<Player>;

    /// Player and action (in notation) of entry `number`; `None` if it is not a ply.
    fn player_and_action(&self, number: u32) -> Option<(Player, String)>;

    /// Entry `number` in its stored form.
    fn entry(&self, number: u32) -> Option<EntryRow>;

    /// The number of the last mainline ply by one of these players.
    fn last_ply_of(&self, players: PlayerSet) -> Option<u32>;

    /// The number of takebacks.
    fn takebacks(&self) -> u32;

    /// All entropy text added before entry `number`, oldest first.
    fn entropy_before(&self, number: u32) -> Vec<EntropyContribution>;

    /// Takes back ply `to` of this player, which must be on the mainline, and all later plies.
    ///
    /// # Errors
    /// If the game is over, there have been too many takebacks, or there is no such ply on the mainline.
    fn with_takeback(
        &self,
        player: Player,
        to: u32,
        at_ms: i64,
    ) -> Result<(TakebackRow, LiveGameRef), ReplayErrorKind>;

    /// Adds a player's entropy text for the dice.
    ///
    /// # Errors
    /// If the game is over, or the player has added too many.
    fn with_entropy(
        &self,
        player: Player,
        text: EntropyText,
        at_ms: i64,
    ) -> Result<(EntropyContributionRow, LiveGameRef), ReplayErrorKind>;

    /// Whether the maximum number of plies is reached, so that the game must be adjudicated.
    fn is_at_limit(&self) -> bool;

    /// Checks an action and rolls the dice for it.
    ///
    /// # Errors
    /// If the game is over, it is another player's turn, or the action is not legal.
    fn prepare_action(
        &self,
        player: Player,
        action: &str,
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError>;

    /// Ends the game for a reason other than the rules.
    fn with_ending(&self, ending: Ending) -> LiveGameRef;

    /// The same game without its cached game tree; `None` if nothing is cached.
    fn without_cache(&self) -> Option<LiveGameRef>;

    /// A computer player for this game.
    fn computer_player(&self, level: LevelSpec) -> Box<dyn ComputerPlayer>;

    /// The cost of analysing a position of this game; `None` if the game has no hints.
    fn analysis_cost(&self) -> Option<AnalysisCost>;

    /// Analyses all legal actions after `ply` entries. Deterministic for a given position and number of
    /// simulations. CPU-bound: never call it on an async thread. `None` if there is no such position, the game
    /// is over there or has no hints, or the analysis was stopped.
    fn analyse(&self, ply: u32, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis>;
}

impl dyn LiveGame {
    /// `None` when the game is over.
    #[must_use]
    pub fn mover(&self) -> Option<Player> {
        self.status().mover()
    }

    /// Whether the game is over, by the rules or otherwise.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status().is_over()
    }

    /// The typed session; `None` if the game is of another type.
    #[must_use]
    pub fn session<G: RegistrableGame>(&self) -> Option<&Session<G>> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<G: RegistrableGame> LiveGame for Session<G> {
    fn configured_game(&self) -> Arc<dyn ConfiguredGame> {
        Arc::new(*self.game())
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self.game())
    }

    fn start_json(&self) -> String {
        let setup = self.game().to_setup(&self.record().start);
        serde_json::to_string(&setup).expect("a setup serializes to JSON")
    }

    fn start_notation(&self) -> Option<String> {
        let (game, start) = (self.game(), &self.record().start);
        let text = game.to_compact(start)?;
        let (game_again, position) = G::parse_compact(&text).ok()?;
        let is_lossless = game_again.parameters() == game.parameters() && position == *start;
        is_lossless.then(|| format!("{}.{text}", G::NAME))
    }

    fn entry_count(&self) -> u32 {
        self.record().len()
    }

    fn last_entry_ms(&self) -> Option<i64> {
        self.record().entries.last().map(Entry::at_ms)
    }

    fn last_entry_ms_of(&self, player: Player) -> Option<i64> {
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
        // After a resignation the payoffs may name winners that the board does not.
        let rest = winners.iter().filter(|player| !order.contains(player));
        let rest: Vec<Player> = rest.collect();
        order.extend(rest);
        order
    }

    fn player_and_action(&self, number: u32) -> Option<(Player, String)> {
        let ply = self.record().entries.get(number as usize)?.ply()?;
        Some((ply.player, ply.action.to_string()))
    }

    fn entry(&self, number: u32) -> Option<EntryRow> {
        let entries = &self.record().entries;
        entries.get(number as usize).map(EntryRow::from_entry)
    }

    fn last_ply_of(&self, players: PlayerSet) -> Option<u32> {
        self.record().last_ply_of(players)
    }

    fn takebacks(&self) -> u32 {
        self.record().takeback_count()
    }

    fn entropy_before(&self, number: u32) -> Vec<EntropyContribution> {
        self.record().entropy_before(number).cloned().collect()
    }

    fn with_takeback(
        &self,
        player: Player,
        to: u32,
        at_ms: i64,
    ) -> Result<(TakebackRow, LiveGameRef), ReplayErrorKind> {
        let takeback = Takeback { player, to, at_ms };
        let next = Session::with_takeback(self, takeback)?;
        Ok((TakebackRow::from_takeback(&takeback), Arc::new(next)))
    }

    fn with_entropy(
        &self,
        player: Player,
        text: EntropyText,
        at_ms: i64,
    ) -> Result<(EntropyContributionRow, LiveGameRef), ReplayErrorKind> {
        let contribution = EntropyContribution {
            player,
            text,
            at_ms,
        };
        let row = EntropyContributionRow::from_contribution(&contribution);
        let next = Session::with_entropy(self, contribution)?;
        Ok((row, Arc::new(next)))
    }

    fn is_at_limit(&self) -> bool {
        Session::is_at_limit(self)
    }

    fn prepare_action(
        &self,
        player: Player,
        action: &str,
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError> {
        // Check the turn first: a player who may not move gets that error for any input.
        match Session::status(self) {
            Status::Over(_) => return Err(ActionError::Over),
            Status::Turn(mover) if mover != player => return Err(ActionError::NotYourTurn),
            Status::Turn(_) => {}
        }
        let action: G::Action = action.parse().map_err(|_| ActionError::NoSuchAction)?;
        let number = self.record().len();
        let position = self.position();
        let mut dice = with_throw(self, number, position, action, |throw| {
            dice.rng_for_roll(throw)
        });
        let ply = Session::prepare_ply(self, player, action, &mut dice, at_ms);
        let ply = ply.map_err(|error| match error {
            session::PlyError::Over => ActionError::Over,
            session::PlyError::NotYourTurn => ActionError::NotYourTurn,
            session::PlyError::Illegal => match self.game().check_action(position, action) {
                Err(error) => ActionError::Rules(ErrorText {
                    sentence: error.to_string(),
                    message: G::illegal_action_text(&error),
                }),
                Ok(()) => ActionError::NoSuchAction,
            },
        })?;
        let row = PlyRow::from_ply(&ply);
        let next = self
            .with_ply(ply)
            .expect("the ply was prepared at this position");
        Ok(PreparedPly {
            row,
            next: Arc::new(next),
            ends_turn: G::ends_turn(action),
        })
    }

    fn with_ending(&self, ending: Ending) -> LiveGameRef {
        let mut next = self.clone();
        next.end(ending);
        Arc::new(next)
    }

    fn without_cache(&self) -> Option<LiveGameRef> {
        (self.cached_positions() > 1).then(|| Arc::new(Session::without_cache(self)) as LiveGameRef)
    }

    fn computer_player(&self, level: LevelSpec) -> Box<dyn ComputerPlayer> {
        Box::new(TypedComputerPlayer::<G>::new(level))
    }

    fn analysis_cost(&self) -> Option<AnalysisCost> {
        position_analysis::analysis_cost(self.game())
    }

    fn analyse(&self, ply: u32, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis> {
        position_analysis::analyse_at(self, ply, simulations, stop)
    }
}
