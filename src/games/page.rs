//! The page of a game: its board, what the player to move can click, and how results are described. What a game
//! shows besides is listed in [`GamePages`].
//!
//! Results are view values of [`crate::templates`], which know the markup. What all games share, such as seats and
//! clocks, is the server's part.

use std::fmt;
use std::sync::Arc;

use maud::{Markup, html};

use super::analysis_board::AnalysisPage;
use super::book_page::BookPages;
use super::dice_audit::DicePage;
use super::exercise::LessonPage;
use super::form::{FormFields, SettingsForm};
use super::hint::HintPage;
use super::log::{LogPage, ReplayPage};
use super::puzzle::PuzzlePage;
use super::review::ReviewPage;
use crate::formats::{FieldError, GameFormat};
use crate::game::Player;
use crate::level::Level;
use crate::record::Ending;
use crate::templates::BoardComponent;
use crate::templates::controls::{Button, ButtonList, TableComponent};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::players::CountColumns;
use crate::templates::prompt::MovePrompt;
use crate::tree::GameTree;

/// The page of a game: its board, its controls and its texts. The defaults serve every game, with texts that name no
/// detail and a button for each action.
pub trait BoardPage: GameFormat {
    type BoardView: BoardComponent + 'static;
    /// What the player to move has selected so far; stored in the page's URL.
    type Selection: Copy + Default;

    /// Message key of the game's name.
    const TITLE_KEY: &'static str = Self::NAME;
    /// The JSON fields of a position and its board, each with the message key of its description.
    const POSITION: &'static [(&'static str, &'static str)] = &[];

    /// The game with its parameters, as a heading.
    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new(Self::TITLE_KEY)
    }

    /// A board without links. A game without a drawing of its own returns a [`TextBoard`](crate::templates::TextBoard).
    fn preview(&self, position: &Self::Position) -> Self::BoardView;

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

    /// Adds the links of the player to move to a board and returns the available controls; by default a button for each
    /// action.
    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        _request: &MoveOptionsRequest<'_, Self::Selection>,
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
                buttons: buttons.collect(),
            })),
        }
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

    /// The heading of the list of players.
    fn turn(&self, now: &GameProgress) -> LocalizedMessage {
        LocalizedMessage::new("turn").with_value("turn", now.turn)
    }

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

    /// An action in a few words. The message can select on the argument `place`: `head` where it stands alone,
    /// `within` inside a sentence, `state` where a board shows it.
    fn action_text(&self, _position: &Self::Position, action: Self::Action) -> LocalizedMessage {
        LocalizedMessage::new("review-action").with_value("action", action.to_string())
    }

    fn illegal_action_text(_error: &Self::IllegalActionError) -> LocalizedMessage {
        LocalizedMessage::new("error-illegal")
    }

    /// The same for an action in a record, where the reader is not the player.
    fn record_error_text(error: &Self::IllegalActionError) -> LocalizedMessage {
        Self::illegal_action_text(error)
    }

    /// The game's section of the rules page.
    fn rules_section(text: &Translations) -> Markup {
        html! { section { h2 { (text.get(Self::TITLE_KEY)) } } }
    }
}

/// What the start page of a game offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartOffer {
    /// Message key of a sentence about the game.
    pub about_key: &'static str,
    /// The opponents that one press starts a game with: message key of the name, level.
    pub opponents: &'static [(&'static str, Level)],
}

/// What a game shows in addition to its board. It does not have the pages that are `None`.
pub struct GamePages<G: BoardPage> {
    /// Its settings in the form of a new game.
    pub form: Option<SettingsForm<G>>,
    /// Its own start page; the registry's first game has `/`.
    pub start: Option<StartOffer>,
    /// An attractive position for the start page.
    pub hero_board: Option<fn() -> Arc<dyn BoardComponent>>,
    /// An example for the settings page.
    pub settings_example: Option<fn() -> Arc<dyn Component>>,
    pub counts: Option<PlayerCounts<G>>,
    pub log: Option<LogPage<G>>,
    pub replay: Option<ReplayPage<G>>,
    pub dice: Option<DicePage<G>>,
    /// Required of games that have a move analyser
    /// ([`AgentProvider::move_analyser`](crate::level::AgentProvider::move_analyser)).
    pub hints: Option<HintPage<G>>,
    pub reviews: Option<ReviewPage<G>>,
    pub lessons: Option<LessonPage<G>>,
    pub puzzles: Option<PuzzlePage<G>>,
    pub analysis: Option<AnalysisPage<G>>,
    pub book: Option<BookPages<G>>,
}

impl<G: BoardPage> GamePages<G> {
    /// The board alone.
    pub const NONE: Self = GamePages {
        form: None,
        start: None,
        hero_board: None,
        settings_example: None,
        counts: None,
        log: None,
        replay: None,
        dice: None,
        hints: None,
        reviews: None,
        lessons: None,
        puzzles: None,
        analysis: None,
        book: None,
    };
}

/// What each player has on the board.
pub struct PlayerCounts<G: BoardPage> {
    pub columns: CountColumns,
    /// A player's counts, in the order of the columns.
    pub of: fn(&G, &G::Position, Player) -> Vec<u32>,
}

/// What the player to move sees of the page.
#[derive(Clone, Copy, Debug)]
pub struct MoveOptionsRequest<'a, S> {
    pub selection: S,
    /// The URL of the page without a selection.
    pub here: &'a str,
    /// In the first turn of a player's first game, the number of plies that the player has played.
    pub first_turn: Option<u32>,
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

/// The result of a game.
#[derive(Clone, Debug)]
pub struct GameEnd<'a, G: BoardPage> {
    pub position: &'a G::Position,
    /// In the order in which the book lists winners.
    pub winners: &'a [Player],
    /// An ending that the rules did not cause, such as a resignation.
    pub ending: Option<Ending>,
    /// Plies on the mainline.
    pub plies: u32,
}
