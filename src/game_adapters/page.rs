//! The pages of a game: what is drawn of its positions, what is said of its plies and its end, and what
//! the player to move may click.
//!
//! What is decided here is plain values of [`crate::templates`]; how they look is not known here. What
//! all games share, such as who sits where and whom a page waits for, is the business of the server.

use std::fmt;
use std::sync::Arc;

use maud::Markup;

use super::FieldError;
use super::analysis_board::EditGroup;
use super::book_page::{BookGame, BookPage};
use super::dice_audit::DiceThrow;
use super::form::FormFields;
use super::hint::{HintContent, RankedAction};
use super::json::JsonAdapter;
use crate::game::Player;
use crate::game_adapters::notation::PositionTextError;
use crate::record::{Ending, Ply, ReplayedPly};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::players::CountColumns;
use crate::templates::prompt::MovePrompt;
use crate::templates::replay::PlyMark;
use crate::templates::review::SmallBoard;
use crate::tree::GameTree;

/// A game that has pages.
pub trait PageAdapter: JsonAdapter {
    /// The game's own kind of board.
    type BoardView: BoardComponent + 'static;
    /// What the player to move has chosen so far; it lives in the address of the page.
    type Selection: Copy + Default;

    /// Which sentence says what people call the game.
    const TITLE_KEY: &'static str;
    /// Which sentence says so in the form that sets up a game.
    const FORM_TITLE_KEY: &'static str;
    /// Which sentence stands on the button of the start page that begins a game; the first game of the
    /// registry needs none.
    const PLAY_KEY: Option<&'static str>;
    /// The counts of each player.
    const TALLY: CountColumns;
    /// The fields that programs read of a position and its board, and which sentence says what each means.
    const POSITION: &'static [(&'static str, &'static str)] = &[];

    /// What is played with these numbers, as a heading says it.
    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new(Self::TITLE_KEY)
    }

    /// The games for which it is told how strong the levels are, the usual one first.
    fn rated_games() -> Vec<Self> {
        Vec::new()
    }

    /// A board on which nothing can be clicked.
    fn preview(&self, position: &Self::Position) -> Self::BoardView;

    /// Marks what the last ply did.
    fn highlight_last_ply(&self, board: &mut Self::BoardView, last: &ReplayedPly<'_, Self>);

    /// What a query chooses for the player to move.
    ///
    /// # Errors
    /// When it cannot be read, or cannot be chosen here.
    fn select(
        tree: &impl GameTree<Game = Self>,
        query: &FormFields,
    ) -> Result<Self::Selection, SelectionError>;

    /// Puts the links of the player to move on a board, and says what can be done. `here` is the address
    /// of the page without a choice.
    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        chosen: Self::Selection,
        here: &str,
        board: &mut Self::BoardView,
    ) -> MoveOptions;

    /// What somebody is told who has never played, in the first turn; `plies` of theirs are played already.
    /// `None` where the usual sentence says enough.
    fn first_turn_hint(
        _tree: &impl GameTree<Game = Self>,
        _chosen: &Self::Selection,
        _plies: u32,
    ) -> Option<LocalizedMessage> {
        None
    }

    /// The action that the fields of a form name.
    ///
    /// # Errors
    /// When they name none, or the board has no such place. The rules are asked elsewhere.
    fn parse_move(&self, form: &FormFields) -> Result<Self::Action, SelectionError>;

    /// What a player has on the board, as [`PageAdapter::TALLY`] counts it.
    fn player_counts(&self, position: &Self::Position, player: Player) -> Vec<u32>;

    /// The heading of the list of players.
    fn turn(&self, now: &GameProgress) -> LocalizedMessage;

    /// A ply, as it is told.
    fn describe_ply(&self, step: &ReplayedPly<'_, Self>) -> PlyDescription;

    /// What came of a ply, as the strip of a replay marks it.
    fn ply_mark(_ply: &Ply<Self>) -> PlyMark {
        PlyMark::Quiet
    }

    /// What the button says that takes back this action, where a sentence can name it.
    fn takeback_label(&self, _action: Self::Action) -> Option<LocalizedMessage> {
        None
    }

    /// That a player took this action back, where a sentence can name it.
    fn takeback_text(&self, _player: Player, _action: Self::Action) -> Option<LocalizedMessage> {
        None
    }

    /// The turn to which a line of the log belongs; `None` where every ply is a turn.
    fn log_turn(turn: u32) -> Option<u32>;

    /// What stands in the place of [`PlyDescription::strip`] before there was any.
    fn empty_strip() -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// What happened since the reader's last turn: it stands in the place of the strip until the reader
    /// does something, and may be marked on the board.
    fn turn_summary(
        &self,
        _since: TurnSummaryInput<'_, Self>,
        _board: &mut Self::BoardView,
    ) -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// Marks on the board why the rules ended the game there.
    fn highlight_end(&self, _board: &mut Self::BoardView, _position: &Self::Position) {}

    /// How far the game has come, on a card.
    fn progress_label(&self, now: &GameProgress) -> LocalizedMessage;

    /// Who won.
    fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage;

    /// How a player did, where that is another heading than who won.
    fn player_result_text(&self, _end: &GameEnd<'_, Self>, _player: Player) -> Option<LocalizedMessage> {
        None
    }

    /// Why the game is over.
    fn end_reason_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage;

    /// What was thrown at a ply; `None` where nothing was, and in games that do not say it face by face.
    fn dice_throw(&self, _step: &ReplayedPly<'_, Self>) -> Option<DiceThrow> {
        None
    }

    /// The odds of so many dice against so many, as [`PageAdapter::dice_throw`] names them; `None`
    /// where there is no such throw.
    fn win_probability_text(_dice: (u8, u8)) -> Option<f64> {
        None
    }

    /// The course of a finished game, drawn, where there is more to it than its end.
    fn history_component(_session: &Session<Self>) -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// An action in a few words, as the reviews of games call it: `player_result_text` in it is `head` where it stands
    /// alone, and otherwise it stands within a sentence.
    fn action_text(&self, _position: &Self::Position, action: Self::Action) -> LocalizedMessage {
        LocalizedMessage::new("review-action").with("action", action.to_string())
    }

    /// A small picture of a position with what was played there and what was better.
    fn comparison_picture(
        &self,
        position: &Self::Position,
        _played: Option<Self::Action>,
        _better: Self::Action,
    ) -> Arc<dyn TableComponent> {
        Arc::new(SmallBoard(Arc::new(self.preview(position))))
    }

    /// One sentence why an action is better than what was played, as a hint says it to the mover; `None` where the
    /// position alone does not tell.
    fn why_better(
        &self,
        _position: &Self::Position,
        _played: Option<Self::Action>,
        _better: Self::Action,
    ) -> Option<LocalizedMessage> {
        None
    }

    /// The faces that players rolled in a ply; nothing where no dice with six faces are.
    fn rolled_faces(&self, _step: &ReplayedPly<'_, Self>) -> Vec<(Player, Vec<u8>)> {
        Vec::new()
    }

    /// Why an action is not legal.
    fn illegal_action_text(refusal: &Self::IllegalActionError) -> LocalizedMessage;

    /// Why an action of a record is not legal, of whoever played it there.
    fn record_error_text(refusal: &Self::IllegalActionError) -> LocalizedMessage {
        Self::illegal_action_text(refusal)
    }

    /// Why parameters make no game, or no position can be made.
    fn setup_error_text(error: &Self::SetupError) -> LocalizedMessage;

    /// What the form that sets up a game asks, filled in with what was sent.
    fn settings_form(sent: &FormFields) -> Arc<dyn Component>;

    /// The parameters that a form asks for.
    ///
    /// # Errors
    /// What cannot be read; numbers are checked when the game is built.
    fn parse_form(sent: &FormFields) -> Result<Self::Parameters, SelectionError>;

    /// The fields of the form that name who sits where, each as often as there are players: the first of them
    /// that was sent counts.
    const SEAT_FIELDS: &'static [&'static str] = &["seats"];

    /// The seats that a form names.
    fn form_seats(sent: &FormFields) -> Vec<String> {
        let named = Self::SEAT_FIELDS.iter().map(|name| sent.list(name));
        let mut named = named.filter(|seats| !seats.is_empty());
        named.next().unwrap_or_default()
    }

    /// The part of the rules page.
    fn rules_section(text: &Translations) -> Markup;

    /// A position worth looking at, for the start page.
    fn hero_position() -> Option<Arc<dyn BoardComponent>> {
        None
    }

    /// What the page of settings shows beside the choices.
    fn example() -> Option<Arc<dyn Component>> {
        None
    }

    /// Whether nobody is far ahead at the start. A game set up with a press is dealt until it is.
    fn is_balanced(&self, _start: &Self::Position) -> bool {
        true
    }

    /// The key that asks for a hint.
    const HINT_KEY: &'static str = "h";

    /// What is said of the weighed actions of a position, best first, which the board then shows too. A
    /// game whose actions are weighed ([`Levelled::weigher`](crate::level::Levelled::weigher)) owes this;
    /// without it the game has no hints.
    fn hint_content(
        &self,
        _position: &Self::Position,
        _ranked: &[RankedAction<'_, Self::Action>],
        _board: &mut Self::BoardView,
    ) -> Option<HintContent> {
        None
    }

    /// The parameters and a position as a short text of letters, digits, points and hyphens, which
    /// [`PageAdapter::parse_compact`] reads; `None` where the game has no analysis board.
    fn to_compact(&self, _position: &Self::Position) -> Option<String> {
        None
    }

    /// The game and the position of a short text.
    ///
    /// # Errors
    /// Where it is none, and why.
    fn parse_compact(_text: &str) -> Result<(Self, Self::Position), PositionTextError> {
        Err(PositionTextError {
            at: 1,
            why: "positions of this game have no notation".to_owned(),
        })
    }

    /// What may be changed about a position, part `at` of its board first; `select` gives the address at
    /// which a part is changed, and the board leads there.
    fn edit_groups(
        &self,
        _position: &Self::Position,
        _at: Option<u8>,
        _choose: &dyn Fn(u8) -> String,
        _board: &mut Self::BoardView,
    ) -> Vec<EditGroup> {
        Vec::new()
    }

    /// An action, as a step of a line.
    fn action_sentence(&self, _position: &Self::Position, action: Self::Action) -> LocalizedMessage {
        LocalizedMessage::new("analysis-action").with("action", action.to_string())
    }

    /// An outcome by its number in the lottery of an action that has several; `odds` is how likely it is.
    fn outcome_sentence(number: u32) -> LocalizedMessage {
        LocalizedMessage::new("analysis-outcome").with("number", number + 1)
    }

    /// How the book's page plays this game, where it does.
    fn book_game() -> Option<BookGame> {
        None
    }

    /// A session of it on the book's page.
    fn book_page(_session: &Session<Self>) -> Option<&dyn BookPage> {
        None
    }
}

/// Why a choice or a form of a page names no action.
#[derive(Clone, PartialEq, Debug)]
pub enum SelectionError {
    /// It is not written as this game's are; programs read the sentence.
    Unfit(String),
    /// It can be read, and people read why it is not possible.
    Said(LocalizedMessage),
}

impl From<FieldError> for SelectionError {
    fn from(FieldError(sentence): FieldError) -> Self {
        SelectionError::Unfit(sentence)
    }
}

impl From<LocalizedMessage> for SelectionError {
    fn from(said: LocalizedMessage) -> Self {
        SelectionError::Said(said)
    }
}

/// Why a game does not do what it was asked to, in the words of programs and of pages.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorText {
    /// What programs read.
    pub sentence: String,
    /// What people read.
    pub said: LocalizedMessage,
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// What the player to move can do.
#[derive(Clone, Debug)]
pub struct MoveOptions {
    /// What is asked.
    pub asked: MovePrompt,
    /// The corner with the way on.
    pub corner: Option<Arc<dyn TableComponent>>,
    /// What can be played, as buttons.
    pub buttons: Option<Arc<dyn TableComponent>>,
}

/// How far a game has come at one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameProgress {
    /// Plies that stand so far.
    pub plies: u32,
    /// Which turn of the player to move it is, counted from 1; at the end, of who moved last.
    pub turn: u32,
    /// Whether somebody is to move.
    pub progress: PlayState,
}

impl GameProgress {
    /// Whether nobody is to move any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.progress == PlayState::Over
    }
}

/// Whether a game goes on at one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayState {
    /// Somebody is to move.
    GoesOn,
    /// It is over.
    Over,
}

/// A ply, as it is told.
#[derive(Clone, Debug)]
pub struct PlyDescription {
    /// What happened.
    pub said: LocalizedMessage,
    /// The ids of the board's elements that it concerns, with blanks between them.
    pub marks: Option<String>,
    /// What it looked like.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// What was played since the reader's last turn.
#[derive(Clone, Debug)]
pub struct TurnSummaryInput<'a, G: PageAdapter> {
    /// Whose turn it is, and who reads.
    pub reader: Player,
    /// From the end of the reader's last turn on, or from the start of the game.
    pub steps: &'a [ReplayedPly<'a, G>],
    /// What would stand in the strip.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// The end of a game.
#[derive(Clone, Debug)]
pub struct GameEnd<'a, G: PageAdapter> {
    /// The last position.
    pub position: &'a G::Position,
    /// The winners, in the book's order.
    pub winners: &'a [Player],
    /// The ending, where the rules did not end it.
    pub ending: Option<Ending>,
    /// Plies that stand.
    pub plies: u32,
}
