//! The view models of all pages: plain values, computed by `web` and by the games, and rendered by the
//! functions of the module that defines them.
//!
//! They depend on no rules, service or storage, so that tests can render a page from a literal value.
//! Players, hexes and columns are numbers, as on the board; a sentence is a [`LocalizedMessage`] until it is
//! rendered.

pub use super::controls::{Button, ButtonList, PrimaryAction};
pub use super::dice_audit::{
    AddedEntropyView, AttackOddsView, DiceAuditState, DiceAuditView, EntropyFormView, EntropyTerms,
    FaceCountsView, GameDiceView, RollRow, ServerDiceView, SideView,
};
pub use super::error::ErrorView;
pub use super::game::{GameTitle, GameView, PlayerResult, ResultView};
pub use super::games::CardView;
pub use super::hint::{HintPanel, HintRow, HintTag, HintView};
pub use super::join::JoinView;
pub use super::log::LogEntry;
pub use super::message::{LocalizedMessage, MessageArg};
pub use super::new_game_form::{GameFormView, NewGameFormView};
pub use super::page::NavSection;
pub use super::players::{CountColumns, OccupantView, PlayerView};
pub use super::preferences::{
    BoardDrawing, ColourScheme, DisplayOptions, SettingChoice, Speed, Theme, UserPreferences,
};
pub use super::prompt::{BackLink, MovePrompt, Notice, Prompt};
pub use super::replay::{OriginView, PlyMark, ReplayView, Resumes, TurnBand};
pub use super::seats::{
    LinkReach, RematchOption, RematchStepView, RematchView, ResignationView, SeatNotice, SeatRole,
    SeatView, SeatsPanelView,
};
pub use super::settings::SettingsView;
pub use super::share::ShareView;
pub use super::start::{FeaturedGameView, OtherGameView, StartView};
pub use super::upload::{UploadProblem, UploadView};
