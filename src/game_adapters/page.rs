//! The page adapter: how a game's positions, plies and results are rendered and described, and what the player
//! to move can click.
//!
//! Its results are view values of [`crate::templates`], which know the markup. What all games share, such as
//! seats and clocks, is the server's part.

use std::fmt;
use std::sync::Arc;

use maud::{Markup, html};

use super::analysis_board::EditGroup;
use super::book_page::{BookGame, BookPage};
use super::dice_audit::DiceThrow;
use super::exercise::{BoardChoice, LessonAdvice};
use super::form::FormFields;
use super::hint::{HintContent, RankedAction};
use super::puzzle::PuzzleDraft;
use crate::formats::{FieldError, GameFormat, JsonFields};
use crate::game::Player;
use crate::record::{Ending, Ply, ReplayedPly};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::controls::{Button, ButtonList, TableComponent};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::players::CountColumns;
use crate::templates::preferences::DisplayOptions;
use crate::templates::prompt::MovePrompt;
use crate::templates::replay::PlyMark;
use crate::templates::review::SmallBoard;
use crate::tree::GameTree;

/// The pages of a game.
pub trait PageAdapter: GameFormat {
    type BoardView: BoardComponent + 'static;
    /// What the player to move has selected so far; stored in the page's URL.
    type Selection: Copy + Default;

    /// Message key of the game's name.
    const TITLE_KEY: &'static str = Self::NAME;
    /// Message key of the game's name in the new-game form.
    const FORM_TITLE_KEY: &'static str = Self::TITLE_KEY;
    /// Message key of the button on the start page that starts a game; without one, and for the registry's first game,
    /// there is no such button.
    const PLAY_KEY: Option<&'static str> = None;
    /// The columns of each player's counts.
    const TALLY: CountColumns = CountColumns {
        headings: &[],
        territory: None,
    };
    /// The JSON fields of a position and its board, each with the message key of its description.
    const POSITION: &'static [(&'static str, &'static str)] = &[];

    /// The exercises of the game, as JSON (see [`exercise`](super::exercise)).
    const EXERCISES: Option<&'static str> = None;

    /// The puzzles of the game, as JSON (see [`puzzle`](super::puzzle)).
    const PUZZLES: Option<&'static str> = None;

    /// The game with its parameters, as a heading.
    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new(Self::TITLE_KEY)
    }

    /// The games for which level ratings are published, the default first.
    fn rated_games() -> Vec<Self> {
        Vec::new()
    }

    /// A board without links. A game without a drawing of its own returns a [`TextBoard`](crate::templates::TextBoard).
    fn preview(&self, position: &Self::Position) -> Self::BoardView;

    /// Highlights the effect of the last ply.
    fn highlight_last_ply(&self, _board: &mut Self::BoardView, _last: &ReplayedPly<'_, Self>) {}

    /// Parses the selection of the player to move from the query.
    ///
    /// # Errors
    /// If it cannot be parsed or is not possible at this position.
    fn select(
        _tree: &impl GameTree<Game = Self>,
        _query: &FormFields,
    ) -> Result<Self::Selection, FormError> {
        Ok(Self::Selection::default())
    }

    /// Adds links for the choices of an exercise to its board; the page lists the choices, too. `selected` is the board
    /// element that has already been chosen.
    fn add_exercise_links(
        &self,
        _position: &Self::Position,
        _selected: Option<u8>,
        _choices: &[(BoardChoice<Self::Action>, String)],
        _board: &mut Self::BoardView,
    ) {
    }

    /// Highlights a choice of an exercise on the board after it.
    fn highlight_choice(&self, _choice: BoardChoice<Self::Action>, _board: &mut Self::BoardView) {}

    /// The puzzle in a position whose analysed actions are ranked, best first; `None` if it asks nothing that is worth
    /// asking.
    fn puzzle_draft(
        &self,
        _position: &Self::Position,
        _ranked: &[RankedAction<'_, Self::Action>],
    ) -> Option<PuzzleDraft<Self::Action>> {
        None
    }

    /// The images of a position under the symmetries of the game, in which a puzzle asks the same.
    fn symmetric_positions(&self, _position: &Self::Position) -> Vec<Self::Position> {
        Vec::new()
    }

    /// Marks the choices of a puzzle on its board, with the letters A, B and so on; false if the board has letters of
    /// its own.
    fn mark_choices(
        &self,
        _position: &Self::Position,
        _choices: &[Self::Action],
        _board: &mut Self::BoardView,
    ) -> bool {
        false
    }

    /// A small picture of an action that was played, and its effect.
    fn played_picture(
        &self,
        before: &Self::Position,
        action: Self::Action,
        _after: &Self::Position,
    ) -> Arc<dyn TableComponent> {
        self.comparison_picture(before, None, action)
    }

    /// Adds the links of the player to move to a board and returns the available controls; by default a button for each
    /// action. `here` is the URL of the page without a selection.
    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        _chosen: Self::Selection,
        _here: &str,
        _board: &mut Self::BoardView,
    ) -> MoveOptions {
        let (game, position) = (tree.game(), tree.position());
        let buttons = tree.branches().map(|(action, _)| Button {
            fields: vec![("action", action.to_string())],
            key: None,
            label: game.action_text(position, action),
        });
        let title = LocalizedMessage::new("choose-action");
        MoveOptions {
            prompt: MovePrompt {
                headline: title.clone(),
                sub: LocalizedMessage::new("choose-action-sub"),
                sub_without_odds: None,
                back: None,
            },
            primary_action: None,
            buttons: Some(Arc::new(ButtonList {
                title,
                class: "",
                buttons: buttons.collect(),
            })),
        }
    }

    /// The prompt for a first-time player in the first turn of a game; `plies` is the number of plies already
    /// played in that turn. `None` where the default prompt suffices.
    fn first_turn_hint(
        _tree: &impl GameTree<Game = Self>,
        _chosen: &Self::Selection,
        _plies: u32,
    ) -> Option<LocalizedMessage> {
        None
    }

    /// Parses the action in a submitted form; by default the field `action` in notation.
    ///
    /// # Errors
    /// If the fields are not an action, or name a coordinate outside the board. Legality is checked elsewhere.
    fn parse_action_form(&self, form: &FormFields) -> Result<Self::Action, FormError> {
        form.has_only(&["ply", "action"])?;
        let invalid = |sentence: &str| FormError::Invalid(sentence.to_owned());
        let action = form.single("action")?;
        let action = action.ok_or_else(|| invalid("the field `action` is missing"))?;
        let action = action.parse();
        action.map_err(|_| invalid("action: this game has no such action"))
    }

    /// A player's counts, in the columns of [`PageAdapter::TALLY`].
    fn player_counts(&self, _position: &Self::Position, _player: Player) -> Vec<u32> {
        Vec::new()
    }

    /// The heading of the list of players.
    fn turn(&self, now: &GameProgress) -> LocalizedMessage {
        LocalizedMessage::new("turn").with_value("turn", now.turn)
    }

    /// Describes a ply for the game log.
    fn describe_ply(&self, step: &ReplayedPly<'_, Self>) -> PlyDescription {
        PlyDescription {
            message: LocalizedMessage::new("log-action")
                .with_player(step.ply.player.number())
                .with_value("action", step.ply.action.to_string()),
            marks: None,
            strip: None,
        }
    }

    /// The mark of a ply on the replay strip.
    fn ply_mark(_ply: &Ply<Self>) -> PlyMark {
        PlyMark::Quiet
    }

    /// The label of the button that takes back this action; `None` for the default.
    fn takeback_label(&self, _action: Self::Action) -> Option<LocalizedMessage> {
        None
    }

    /// The message that a player took back this action; `None` for the default.
    fn takeback_text(&self, _player: Player, _action: Self::Action) -> Option<LocalizedMessage> {
        None
    }

    /// The turn number by which the log groups entries; `None` if every ply is a turn.
    fn log_turn(_turn: u32) -> Option<u32> {
        None
    }

    /// The placeholder for [`PlyDescription::strip`] before the first ply.
    fn empty_strip() -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// Summary of what happened since the viewer's last turn. It replaces the strip until the viewer acts, and
    /// may mark the board.
    fn turn_summary(
        &self,
        _since: TurnSummaryInput<'_, Self>,
        _board: &mut Self::BoardView,
    ) -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// Marks on the board why the rules ended the game.
    fn highlight_end(&self, _board: &mut Self::BoardView, _position: &Self::Position) {}

    /// How far the game has progressed, for a card.
    fn progress_label(&self, now: &GameProgress) -> LocalizedMessage {
        self.turn(now)
    }

    fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        match end.winners {
            [] => LocalizedMessage::new("no-winner"),
            winners => LocalizedMessage::new("won-by")
                .with_players(winners.iter().map(|winner| winner.number())),
        }
    }

    /// The heading for a player's own result; `None` to use the winner's.
    fn player_result_text(
        &self,
        _end: &GameEnd<'_, Self>,
        _player: Player,
    ) -> Option<LocalizedMessage> {
        None
    }

    fn end_reason_text(&self, _end: &GameEnd<'_, Self>) -> LocalizedMessage {
        LocalizedMessage::new("notice-over")
    }

    /// The dice thrown in a ply; `None` if there were none, or if the game does not show single dice.
    fn dice_throw(&self, _step: &ReplayedPly<'_, Self>) -> Option<DiceThrow> {
        None
    }

    /// The attacker's probability of winning a throw of `dice.0` against `dice.1` dice, numbered as in
    /// [`PageAdapter::dice_throw`]; `None` if there is no such throw.
    fn win_probability(_dice: (u8, u8)) -> Option<f64> {
        None
    }

    /// A chart of a finished game's history, if the game has one.
    fn history_component(_session: &Session<Self>) -> Option<Arc<dyn TableComponent>> {
        None
    }

    /// The lesson that fits how a player has played, if a habit shows.
    fn lesson_advice(_session: &Session<Self>, _player: Player) -> Option<LessonAdvice> {
        None
    }

    /// An action in a few words for game reviews. The message can select on the argument `place`: `head` where
    /// it stands alone, `within` inside a sentence.
    fn action_text(&self, _position: &Self::Position, action: Self::Action) -> LocalizedMessage {
        LocalizedMessage::new("review-action").with_value("action", action.to_string())
    }

    /// A small picture of a position with the action played and a better one.
    fn comparison_picture(
        &self,
        position: &Self::Position,
        _played: Option<Self::Action>,
        _better: Self::Action,
    ) -> Arc<dyn TableComponent> {
        Arc::new(SmallBoard(Arc::new(self.preview(position))))
    }

    /// One sentence on why an action is better than the one played, in the words of a hint; `None` if the
    /// position alone does not show it.
    fn why_better(
        &self,
        _position: &Self::Position,
        _played: Option<Self::Action>,
        _better: Self::Action,
    ) -> Option<LocalizedMessage> {
        None
    }

    /// The faces rolled in a ply by each player; empty without six-sided dice.
    fn rolled_faces(&self, _step: &ReplayedPly<'_, Self>) -> Vec<(Player, Vec<u8>)> {
        Vec::new()
    }

    fn illegal_action_text(_error: &Self::IllegalActionError) -> LocalizedMessage {
        LocalizedMessage::new("error-illegal")
    }

    /// The same for an action in a record, where the reader is not the player.
    fn record_error_text(error: &Self::IllegalActionError) -> LocalizedMessage {
        Self::illegal_action_text(error)
    }

    fn setup_error_text(_error: &Self::SetupError) -> LocalizedMessage {
        LocalizedMessage::new("error-settings")
    }

    /// The game's part of the new-game form, filled in with the submitted values.
    fn settings_form(_submitted: &FormFields) -> Arc<dyn Component> {
        Arc::new(NoSettings)
    }

    /// Parses the parameters in a submitted form; by default they have their defaults.
    ///
    /// # Errors
    /// If a field cannot be parsed; ranges are checked when the game is built.
    fn parse_form(_submitted: &FormFields) -> Result<Self::Parameters, FormError> {
        Ok(Self::with_defaults(JsonFields::default().into()?)?)
    }

    /// The form fields that hold the seats, one value per player: the first field that was submitted counts.
    const SEAT_FIELDS: &'static [&'static str] = &["seats"];

    /// The seats in a submitted form.
    fn form_seats(submitted: &FormFields) -> Vec<String> {
        let named = Self::SEAT_FIELDS.iter().map(|name| submitted.list(name));
        let mut named = named.filter(|seats| !seats.is_empty());
        named.next().unwrap_or_default()
    }

    /// The game's section of the rules page.
    fn rules_section(text: &Translations) -> Markup {
        html! { section { h2 { (text.get(Self::TITLE_KEY)) } } }
    }

    /// An attractive position for the start page.
    fn hero_position() -> Option<Arc<dyn BoardComponent>> {
        None
    }

    /// An example that the settings page shows.
    fn example() -> Option<Arc<dyn Component>> {
        None
    }

    /// Whether no player has a large advantage at the start. One-click games are redealt until this holds.
    fn is_balanced(&self, _start: &Self::Position) -> bool {
        true
    }

    /// The keyboard shortcut for a hint.
    const HINT_KEY: &'static str = "h";

    /// The hint for a position from its analysed actions, best first; also marks the board. Required of games
    /// that have a move analyser
    /// ([`AgentProvider::move_analyser`](crate::level::AgentProvider::move_analyser)); without it the game has
    /// no hints.
    fn hint_content(
        &self,
        _position: &Self::Position,
        _ranked: &[RankedAction<'_, Self::Action>],
        _board: &mut Self::BoardView,
    ) -> Option<HintContent> {
        None
    }

    /// The controls that edit a position, those of the selected element `at` first. `choose` returns the URL
    /// that selects an element; the board links to it.
    fn edit_groups(
        &self,
        _position: &Self::Position,
        _at: Option<u8>,
        _choose: &dyn Fn(u8) -> String,
        _board: &mut Self::BoardView,
    ) -> Vec<EditGroup> {
        Vec::new()
    }

    /// An action, as a step of a variation.
    fn action_sentence(
        &self,
        _position: &Self::Position,
        action: Self::Action,
    ) -> LocalizedMessage {
        LocalizedMessage::new("analysis-action").with_value("action", action.to_string())
    }

    /// The chance outcome with this index, for an action that has several. The message may use the argument
    /// `odds`, the outcome's probability.
    fn outcome_sentence(number: u32) -> LocalizedMessage {
        LocalizedMessage::new("analysis-outcome").with_value("number", number + 1)
    }

    /// How the book page plays this game, if it does.
    fn book_game() -> Option<BookGame> {
        None
    }

    /// The session's view for the book page.
    fn book_page(_session: &Session<Self>) -> Option<&dyn BookPage> {
        None
    }
}

/// The part of the new-game form of a game without parameters.
#[derive(Debug)]
struct NoSettings;

impl Component for NoSettings {
    fn draw(&self, _: &Translations, _: &DisplayOptions) -> Markup {
        html! {}
    }
}

/// Why the fields of a query or a form are rejected.
#[derive(Clone, PartialEq, Debug)]
pub enum FormError {
    /// It cannot be parsed; the text is for API clients.
    Invalid(String),
    /// It is not possible; the message is for users.
    Explained(LocalizedMessage),
}

impl From<FieldError> for FormError {
    fn from(FieldError(sentence): FieldError) -> Self {
        FormError::Invalid(sentence)
    }
}

impl From<LocalizedMessage> for FormError {
    fn from(message: LocalizedMessage) -> Self {
        FormError::Explained(message)
    }
}

/// An error as text for API clients and for users.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorText {
    /// For API clients.
    pub sentence: String,
    /// For users.
    pub message: LocalizedMessage,
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// The controls of the player to move.
#[derive(Clone, Debug)]
pub struct MoveOptions {
    pub prompt: MovePrompt,
    /// The primary action, in the corner of the prompt.
    pub primary_action: Option<Arc<dyn TableComponent>>,
    /// Further actions as buttons.
    pub buttons: Option<Arc<dyn TableComponent>>,
}

/// How far a game has progressed at one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameProgress {
    /// Plies on the mainline so far.
    pub plies: u32,
    /// The turn number of the player to move, counted from 1; after the end, of the player who moved last.
    pub turn: u32,
    pub progress: PlayState,
}

impl GameProgress {
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.progress == PlayState::Over
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayState {
    InProgress,
    Over,
}

/// A ply as described in the game log.
#[derive(Clone, Debug)]
pub struct PlyDescription {
    pub message: LocalizedMessage,
    /// Space-separated ids of the board elements that it concerns.
    pub marks: Option<String>,
    /// A picture of the ply.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// What was played since the viewer's last turn.
#[derive(Clone, Debug)]
pub struct TurnSummaryInput<'a, G: PageAdapter> {
    /// The viewer, who is to move.
    pub viewer: Player,
    /// From the end of the viewer's last turn, or from the start of the game.
    pub steps: &'a [ReplayedPly<'a, G>],
    /// The strip that the summary replaces.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// The result of a game.
#[derive(Clone, Debug)]
pub struct GameEnd<'a, G: PageAdapter> {
    pub position: &'a G::Position,
    /// In the order in which the book lists winners.
    pub winners: &'a [Player],
    /// An ending that the rules did not cause, such as a resignation.
    pub ending: Option<Ending>,
    /// Plies on the mainline.
    pub plies: u32,
}
