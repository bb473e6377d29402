//! A game in progress, independent of its Rust type.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::value::RawValue;
use thiserror::Error;

use super::book_page::BookPage;
use super::card::RecordCounts;
use super::computer_player::mainline_decisions;
use super::dice_audit::{self, AddedEntropy, DiceThrow, RecordedRoll};
use super::exercise::LessonAdvice;
use super::json::{self, EntryEvent, GameState};
use super::live_page::{self, PositionPageInput, PositionView, PreviewView};
use super::page::{ErrorText, FormError};
use super::position::{GamePosition, TypedPosition};
use super::review::{self, ReviewPlan};
use super::{ConfiguredGame, FormFields, RegistrableGame, log};
use crate::formats::dice_proof::{DiceProof, dice_proof, first_roll, with_roll_input};
use crate::formats::end_reason::winners;
use crate::formats::entries::EventFormat;
use crate::formats::{
    ActionFieldsError, JsonFields, RecordError, RecordJson, RecordMetadata, notation, to_raw_json,
};
use crate::game::{Player, PlayerSet, Status};
use crate::provably_fair::GameDice;
use crate::record::{
    Ending, EntropyContribution, EntropyContributionRow, EntropyText, Entry, EntryRow, PlyRow,
    ReplayErrorKind, Takeback, TakebackRow,
};
use crate::review::{EvaluatedDecision, EvaluatorInfo, ReanalysisTarget, Review};
use crate::search::StopToken;
use crate::session::{self, Session};
use crate::templates::controls::TableComponent;
use crate::templates::game::ResultView;
use crate::templates::localization::Translations;
use crate::templates::log::LogEntry;
use crate::templates::message::LocalizedMessage;
use crate::templates::replay::TurnBand;
use crate::templates::review::{DecisionPageView, NotableDecisionsView, ReviewView};

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

/// A game in progress.
pub trait LiveGame: Any + Debug + Send + Sync {
    /// The game with its parameters.
    fn configured_game(&self) -> Arc<dyn ConfiguredGame>;

    /// The position after this number of entries; after the newest entry, if there are fewer.
    fn position_at(&self, entries: u32) -> Box<dyn GamePosition>;

    /// The current position with the decisions that led there, from which a computer player may learn.
    fn position_with_decisions(&self) -> Box<dyn GamePosition>;

    fn players(&self) -> u8;

    /// The number of entries, which is the number of the next entry.
    fn entry_count(&self) -> u32;

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

    /// Whether this player has not yet completed a turn.
    fn is_first_turn(&self, player: Player) -> bool;

    /// The state after this number of entries; `None` if there are fewer.
    fn state_at(&self, entries: u32) -> Option<GameState>;

    /// The legal actions now, in the book's order, with their outcomes (JSON).
    fn moves(&self) -> Box<RawValue>;

    /// Up to `max` entries from number `from` on, as events.
    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent>;

    /// The complete record, as [`RecordJson`].
    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue>;

    /// The complete record in notation.
    fn notation(&self, metadata: &RecordMetadata) -> String;

    /// The entropy text that players have added, oldest first.
    fn entropy_entries(&self) -> Vec<AddedEntropy>;

    /// Whether dice have been rolled.
    fn has_rolled(&self) -> bool;

    /// Computes all rolls again from the revealed seed. Takes a few milliseconds for a long game.
    ///
    /// # Errors
    /// [`RecordError::Rolls`] for the first roll that differs, [`RecordError::Entropy`], [`RecordError::Dice`].
    fn dice_proof(&self, metadata: &RecordMetadata) -> Result<DiceProof, RecordError<ErrorText>>;

    /// The dice thrown in the last entry, if it is a ply and its game shows them.
    fn last_throw(&self) -> Option<DiceThrow>;

    /// Every roll, oldest first; verified if `dice` is given. Takes a few milliseconds for a long game.
    fn rolls(&self, dice: Option<&GameDice>) -> Vec<RecordedRoll>;

    /// The result of the roll in ply `ply` for the terminal, if dice were rolled.
    fn roll_text(&self, ply: u32, text: &Translations) -> Option<String>;

    /// Renders a position.
    ///
    /// # Errors
    /// If the query cannot be parsed, or if the viewer is to move and the selection is not possible.
    fn position_view(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, FormError>;

    /// What cards show of the record.
    fn record_counts(&self) -> RecordCounts;

    /// The newest position for cards, after a record with these counts.
    fn preview_after(&self, record: &RecordCounts) -> PreviewView;

    /// The result after a record with these counts, for a viewer in this seat; `None` while the game is in progress.
    fn result_after(&self, record: &RecordCounts, own: Option<Player>) -> Option<ResultView>;

    /// The positions after the given numbers of entries as standalone SVG. The numbers must ascend; those
    /// beyond the current position are skipped.
    fn board_svgs(&self, entries: &[u32]) -> Vec<String>;

    /// The complete log, newest first.
    fn full_log(&self) -> Vec<LogEntry>;

    /// Every turn, for the replay strip.
    fn turn_bands(&self) -> Vec<TurnBand>;

    /// The chart of the game's history, if it is over and its game provides one.
    fn history_component(&self) -> Option<Arc<dyn TableComponent>>;

    /// The lesson that fits how the player has played, if a habit shows.
    fn lesson_advice(&self, player: Player) -> Option<LessonAdvice>;

    /// The label of the button that takes back the ply with this number.
    fn takeback_label(&self, number: u32) -> LocalizedMessage;

    /// The territories of all players after each turn of this one, oldest first; empty in a game without territory. A turn
    /// in which the game ends counts if it ended by the rules.
    fn territories_by_turn(&self, player: Player) -> Vec<Vec<u32>>;

    /// The view for the book page, if the game can be played there.
    fn book_page(&self) -> Option<&dyn BookPage>;

    /// The parameters of a review, with the given or the default number of simulations per ply; `None` while
    /// the game is in progress, and if it has no move analyser.
    fn review_plan(&self, simulations: Option<u64>) -> Option<ReviewPlan>;

    /// Whether dice were thrown, so that luck can be separated from skill.
    fn separates_luck(&self) -> bool;

    /// Evaluates decision `number`, counted from 0. CPU-bound: never call it on an async thread. `None` if
    /// there is no such decision or the analysis was stopped.
    fn evaluate_decision(
        &self,
        number: u32,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision>;

    /// Re-evaluates a decision after one of its actions was analysed again with `simulations`. CPU-bound: never
    /// call it on an async thread. `None` if there is no such action or the analysis was stopped.
    fn reanalyse(
        &self,
        target: ReanalysisTarget,
        evaluated: &EvaluatedDecision,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision>;

    /// Combines the evaluations of all decisions; `None` while the game is in progress.
    fn combine_decisions(
        &self,
        by: EvaluatorInfo,
        evaluated: &[EvaluatedDecision],
    ) -> Option<Review>;

    /// The review page from the viewpoint of a player; `None` if the review does not belong to this game.
    fn review_page(&self, review: &Review, viewer: Player) -> Option<ReviewView>;

    /// The best and the costliest decision of a player; `None` if the review does not belong to this game.
    fn notable_decisions(&self, review: &Review, player: Player) -> Option<NotableDecisionsView>;

    /// The page of the decision before which so many entries were recorded; `None` if the review does not list it.
    fn decision_page(&self, review: &Review, ply: u32) -> Option<DecisionPageView>;

    /// The review for API clients, as [`ReviewJson`](review::ReviewJson); `None` if it does not belong to this game.
    fn review_json(&self, review: &Review) -> Option<Box<RawValue>>;
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

    /// The current position.
    #[must_use]
    pub fn position(&self) -> Box<dyn GamePosition> {
        self.position_at(self.entry_count())
    }

    /// The time of the last entry, in milliseconds since 1970.
    #[must_use]
    pub fn last_entry_ms(&self) -> Option<i64> {
        let newest = self.entry(self.entry_count().checked_sub(1)?)?;
        Some(newest.at_ms())
    }

    /// The current position, as cards show it.
    #[must_use]
    pub fn preview(&self) -> PreviewView {
        self.preview_after(&self.record_counts())
    }

    /// The result for a viewer in this seat; `None` while the game is in progress.
    #[must_use]
    pub fn result(&self, own: Option<Player>) -> Option<ResultView> {
        self.result_after(&self.record_counts(), own)
    }

    /// The player's territory; `None` in a game without territory.
    #[must_use]
    pub fn territory(&self, player: Player) -> Option<u32> {
        let column = self.configured_game().count_columns().territory?;
        let counts = self.preview().counts;
        let own = counts.get(usize::from(player.number()))?;
        own.get(column).copied()
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

    fn position_at(&self, entries: u32) -> Box<dyn GamePosition> {
        Box::new(TypedPosition {
            game: *self.game(),
            position: Session::position_at(self, entries),
            earlier: Vec::new(),
        })
    }

    fn position_with_decisions(&self) -> Box<dyn GamePosition> {
        Box::new(TypedPosition {
            game: *self.game(),
            position: self.position().clone(),
            earlier: mainline_decisions(self).collect(),
        })
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self.game())
    }

    fn entry_count(&self) -> u32 {
        self.record().len()
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

    fn is_first_turn(&self, player: Player) -> bool {
        let mut plies = self.record().mainline();
        !plies.any(|(_, ply)| ply.player == player && G::ends_turn(ply.action))
    }

    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue> {
        to_raw_json(&RecordJson::from_session(self, metadata))
    }

    fn notation(&self, metadata: &RecordMetadata) -> String {
        notation::print(self, metadata)
    }

    fn has_rolled(&self) -> bool {
        first_roll(self.record()).is_some()
    }

    fn dice_proof(&self, metadata: &RecordMetadata) -> Result<DiceProof, RecordError<ErrorText>> {
        dice_proof(self, metadata)
    }

    fn roll_text(&self, ply: u32, text: &Translations) -> Option<String> {
        G::roll_text(self.record().entries.get(ply as usize)?.ply()?, text)
    }

    fn history_component(&self) -> Option<Arc<dyn TableComponent>> {
        let replay = G::PAGES
            .replay
            .filter(|_| Session::status(self).is_over())?;
        Some((replay.history)(self))
    }

    fn lesson_advice(&self, player: Player) -> Option<LessonAdvice> {
        (G::PAGES.lessons?.advice?)(self, player)
    }

    fn book_page(&self) -> Option<&dyn BookPage> {
        G::PAGES.book.map(|book| (book.of)(self))
    }

    fn state_at(&self, entries: u32) -> Option<GameState> {
        json::state_at(self, entries)
    }

    fn moves(&self) -> Box<RawValue> {
        json::moves(self)
    }

    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent> {
        json::events(self, from, max, format)
    }

    fn entropy_entries(&self) -> Vec<AddedEntropy> {
        dice_audit::entropy_entries(self)
    }

    fn last_throw(&self) -> Option<DiceThrow> {
        dice_audit::last_throw(self)
    }

    fn rolls(&self, dice: Option<&GameDice>) -> Vec<RecordedRoll> {
        dice_audit::rolls(self, dice)
    }

    fn position_view(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, FormError> {
        live_page::position_view(self, shown)
    }

    fn record_counts(&self) -> RecordCounts {
        live_page::record_counts(self)
    }

    fn preview_after(&self, record: &RecordCounts) -> PreviewView {
        live_page::preview_after(self, record)
    }

    fn result_after(&self, record: &RecordCounts, own: Option<Player>) -> Option<ResultView> {
        live_page::result_after(self, record, own)
    }

    fn board_svgs(&self, entries: &[u32]) -> Vec<String> {
        live_page::board_svgs(self, entries)
    }

    fn full_log(&self) -> Vec<LogEntry> {
        log::full_log(self)
    }

    fn turn_bands(&self) -> Vec<TurnBand> {
        log::turn_bands(self)
    }

    fn takeback_label(&self, number: u32) -> LocalizedMessage {
        live_page::takeback_label(self, number)
    }

    fn territories_by_turn(&self, player: Player) -> Vec<Vec<u32>> {
        live_page::territories_by_turn(self, player)
    }

    fn review_plan(&self, simulations: Option<u64>) -> Option<ReviewPlan> {
        review::review_plan(self, simulations)
    }

    fn separates_luck(&self) -> bool {
        review::separates_luck(self)
    }

    fn evaluate_decision(
        &self,
        number: u32,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision> {
        review::evaluate_decision(self, number, simulations, stop)
    }

    fn reanalyse(
        &self,
        target: ReanalysisTarget,
        evaluated: &EvaluatedDecision,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision> {
        review::reanalyse(self, target, evaluated, simulations, stop)
    }

    fn combine_decisions(
        &self,
        by: EvaluatorInfo,
        evaluated: &[EvaluatedDecision],
    ) -> Option<Review> {
        review::combine_decisions(self, by, evaluated)
    }

    fn review_page(&self, review: &Review, viewer: Player) -> Option<ReviewView> {
        review::review_page(self, review, viewer)
    }

    fn notable_decisions(&self, review: &Review, player: Player) -> Option<NotableDecisionsView> {
        review::notable_decisions(self, review, player)
    }

    fn decision_page(&self, review: &Review, ply: u32) -> Option<DecisionPageView> {
        review::decision_page(self, review, ply)
    }

    fn review_json(&self, review: &Review) -> Option<Box<RawValue>> {
        review::review_json(self, review)
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
