//! A game in progress, independent of its Rust type.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::analysis_board::LiveAnalysisBoard;
use super::computer_player::{ComputerPlayer, TypedComputerPlayer, mainline_decisions};
use super::dice_audit::LiveDiceAudit;
use super::engine::{EnginePosition, TypedEnginePosition};
use super::exercise::LiveExercise;
use super::json::LiveJson;
use super::live_page::LivePage;
use super::page::{ErrorText, FormError};
use super::position_analysis::{self, AnalysisCost, PositionAnalysis};
use super::puzzle::LivePuzzle;
use super::review::LiveReview;
use super::terminal::LiveTerminal;
use super::{ConfiguredGame, FormFields, RegistrableGame};
use crate::formats::dice_proof::with_roll_input;
use crate::formats::end_reason::winners;
use crate::formats::{ActionFieldsError, JsonFields, notation};
use crate::game::{Player, PlayerSet, Status};
use crate::level::LevelSpec;
use crate::provably_fair::GameDice;
use crate::record::{
    Ending, EntropyContribution, EntropyContributionRow, EntropyText, Entry, EntryRow, PlyRow,
    ReplayErrorKind, Takeback, TakebackRow,
};
use crate::search::StopToken;
use crate::session::{self, Session};
use crate::templates::message::LocalizedMessage;

/// A shared, immutable game state of any type: every change returns a new one.
pub type LiveGameRef = Arc<dyn LiveGame>;

/// An action as a client submits it; the game's table parses it.
#[derive(Clone, Debug)]
pub enum SubmittedAction {
    /// The fields of a page's form.
    Form(FormFields),
    /// The fields of an API request.
    Json(JsonFields),
    /// The notation of records.
    Notation(String),
}

/// A legal action before a numbered entry: its index in [`Game::legal_actions`](crate::game::Game::legal_actions).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionIndex(pub(super) usize);

impl ActionIndex {
    /// The index, from 0.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0
    }
}

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
    /// The fields do not have the form of an action; the text is for API clients.
    #[error("{0}")]
    Malformed(String),
    /// The fields have that form, but mean no action at this position; the text is for API clients.
    #[error("{0}")]
    Impossible(String),
    /// There is no such action; the message is for users.
    #[error("that is not possible here")]
    Explained(LocalizedMessage),
}

impl ActionError {
    /// Whether the action could not be parsed, whatever the position.
    #[must_use]
    pub const fn is_malformed(&self) -> bool {
        matches!(self, ActionError::Malformed(_) | ActionError::Explained(_))
    }
}

impl From<ActionFieldsError> for ActionError {
    fn from(error: ActionFieldsError) -> Self {
        match error {
            ActionFieldsError::Malformed(sentence) => ActionError::Malformed(sentence),
            ActionFieldsError::Impossible(sentence) => ActionError::Impossible(sentence),
        }
    }
}

impl From<FormError> for ActionError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Invalid(sentence) => ActionError::Malformed(sentence),
            FormError::Explained(message) => ActionError::Explained(message),
        }
    }
}

/// The operations on a game in progress.
pub trait LiveGame:
    LiveJson
    + LiveDiceAudit
    + LivePage
    + LiveAnalysisBoard
    + LiveExercise
    + LivePuzzle
    + LiveReview
    + LiveTerminal
    + Any
    + Debug
    + Send
    + Sync
{
    /// The game with its parameters.
    fn configured_game(&self) -> Arc<dyn ConfiguredGame>;

    /// The current position with the decisions that led there, for queries of the engine.
    fn engine_position(&self) -> Box<dyn EnginePosition>;

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

    /// The time of the entry before the current turn, in milliseconds since 1970; `None` in the first turn.
    fn turn_began_ms(&self) -> Option<i64>;

    /// The action that ends the turn: the only legal one that does.
    fn turn_ending_action(&self) -> Option<ActionIndex>;

    /// The player to move, or the result.
    fn status(&self) -> Status;

    /// An ending that the rules did not cause, such as a resignation.
    fn ending(&self) -> Option<Ending>;

    /// The winners in the book's order; empty while the game is in progress and after a draw without winners.
    fn winners(&self) -> Vec<Player>;

    /// The player of entry `number`; `None` if it is not a ply.
    fn ply_player(&self, number: u32) -> Option<Player>;

    /// Whether entry `number` is a ply with this action.
    fn is_ply_with(&self, number: u32, action: ActionIndex) -> bool;

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

    /// The legal action with this index, in the book's order.
    fn action(&self, index: usize) -> Option<ActionIndex>;

    /// Finds a submitted action among the legal ones before entry `number`, which may be the next one.
    ///
    /// # Errors
    /// If it is malformed, or not legal there.
    fn find_action(
        &self,
        number: u32,
        submitted: &SubmittedAction,
    ) -> Result<ActionIndex, ActionError>;

    /// Rolls the dice for an action of the next entry.
    ///
    /// # Errors
    /// If the game is over, it is another player's turn, or there is no such action.
    fn prepare_ply(
        &self,
        player: Player,
        action: ActionIndex,
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError>;

    /// Ends the game for a reason other than the rules.
    fn with_ending(&self, ending: Ending) -> LiveGameRef;

    /// The newest position and the ending, without the record: a game that begins there.
    fn without_record(&self) -> LiveGameRef;

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

    fn engine_position(&self) -> Box<dyn EnginePosition> {
        Box::new(TypedEnginePosition {
            game: *self.game(),
            position: self.position().clone(),
            earlier: mainline_decisions(self).collect(),
        })
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self.game())
    }

    fn start_json(&self) -> String {
        let setup = self.game().to_setup(&self.record().start);
        serde_json::to_string(&setup).expect("a setup serializes to JSON")
    }

    fn start_notation(&self) -> Option<String> {
        notation::start_notation(self)
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

    fn turn_began_ms(&self) -> Option<i64> {
        let mover = Session::status(self).mover()?;
        let is_before = |entry: &&Entry<G>| match entry {
            Entry::Ply(ply) => ply.player != mover || G::ends_turn(ply.action),
            Entry::Takeback(_) => entry.player() != mover,
            Entry::Contribution(_) => false,
        };
        let before = self.record().entries.iter().rev().find(is_before);
        before.map(Entry::at_ms)
    }

    fn turn_ending_action(&self) -> Option<ActionIndex> {
        Session::status(self).mover()?;
        let actions = self.game().legal_actions(self.position()).enumerate();
        let mut endings = actions.filter(|(_, action)| G::ends_turn(*action));
        match (endings.next(), endings.next()) {
            (Some((index, _)), None) => Some(ActionIndex(index)),
            _ => None,
        }
    }

    fn status(&self) -> Status {
        Session::status(self)
    }

    fn ending(&self) -> Option<Ending> {
        self.record().ending
    }

    fn winners(&self) -> Vec<Player> {
        winners(self)
    }

    fn ply_player(&self, number: u32) -> Option<Player> {
        let entry = self.record().entries.get(number as usize)?;
        Some(entry.ply()?.player)
    }

    fn is_ply_with(&self, number: u32, ActionIndex(index): ActionIndex) -> bool {
        let entry = self.record().entries.get(number as usize);
        entry.and_then(Entry::ply).is_some_and(|ply| {
            let position = self.position_at(number);
            self.game().legal_actions(&position).nth(index) == Some(ply.action)
        })
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

    fn action(&self, index: usize) -> Option<ActionIndex> {
        let mut actions = self.game().legal_actions(self.position());
        actions.nth(index).map(|_| ActionIndex(index))
    }

    fn find_action(
        &self,
        number: u32,
        submitted: &SubmittedAction,
    ) -> Result<ActionIndex, ActionError> {
        let (game, position) = (self.game(), &self.position_at(number));
        let action = parse_action(game, position, submitted)?;
        let index = index_of(game, position, action);
        index.ok_or_else(|| match game.check_action(position, action) {
            Err(error) => ActionError::Rules(ErrorText {
                sentence: error.to_string(),
                message: G::illegal_action_text(&error),
            }),
            Ok(()) => ActionError::NoSuchAction,
        })
    }

    fn prepare_ply(
        &self,
        player: Player,
        ActionIndex(index): ActionIndex,
        dice: &GameDice,
        at_ms: i64,
    ) -> Result<PreparedPly, ActionError> {
        if Session::status(self).is_over() {
            return Err(ActionError::Over);
        }
        let (number, position) = (self.record().len(), self.position());
        let mut actions = self.game().legal_actions(position);
        let action = actions.nth(index).ok_or(ActionError::NoSuchAction)?;
        let mut dice = with_roll_input(self, number, position, action, |roll| {
            dice.rng_for_roll(roll)
        });
        let ply = Session::prepare_ply(self, player, action, &mut dice, at_ms);
        let ply = ply.map_err(|error| match error {
            session::PlyError::Over => ActionError::Over,
            session::PlyError::NotYourTurn => ActionError::NotYourTurn,
            session::PlyError::Illegal => ActionError::NoSuchAction,
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

    fn without_record(&self) -> LiveGameRef {
        let mut newest = Session::new(*self.game(), self.position().clone());
        if let Some(ending) = self.record().ending {
            newest.end(ending);
        }
        Arc::new(newest)
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

/// The index of an action among the legal ones.
pub(super) fn index_of<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    action: G::Action,
) -> Option<ActionIndex> {
    let mut actions = game.legal_actions(position);
    actions.position(|legal| legal == action).map(ActionIndex)
}

/// Parses a submitted action; it need not be legal.
fn parse_action<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    submitted: &SubmittedAction,
) -> Result<G::Action, ActionError> {
    match submitted {
        SubmittedAction::Form(form) => Ok(game.parse_action_form(form)?),
        SubmittedAction::Json(fields) => Ok(game.parse_action_json(position, fields.clone())?),
        SubmittedAction::Notation(text) => text.parse().map_err(|_| ActionError::NoSuchAction),
    }
}
