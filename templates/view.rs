//! What the pages show, as plain values: computed by `web` and by the games, drawn by the functions
//! beside which they stand. This is the list of them all.
//!
//! No rules, no service, no archive: a page can be drawn from a value written down in a test. Players,
//! hexes and columns are numbers here, as they are on the board; a sentence is a [`Said`] until it is
//! told.

pub use super::controls::{Button, Buttons, Corner};
pub use super::dice_audit::{
    AddedView, Adding, AllDiceView, CellView, DiceOfGame, FacesView, FairState, FairView, RollRow,
    SideView, Terms,
};
pub use super::error::ErrorView;
pub use super::game::{Did, GameName, GameView, ResultView};
pub use super::games::{CardView, GamesView};
pub use super::hint::{HintPanel, HintRow, HintTag, HintView};
pub use super::join::JoinView;
pub use super::log::LogEntry;
pub use super::message::{Part, Said};
pub use super::new_game_form::{FormPart, FormView};
pub use super::page::Section;
pub use super::players::{PlayerView, Tally, Who};
pub use super::preferences::{BoardChoice, Choice, Colours, Drawing, Look, Settings, Speed, Theme};
pub use super::prompt::{Asked, Back, Notice, Prompt};
pub use super::replay::{Band, OriginView, ReplayView, Resumes, Tick};
pub use super::seats::{
    Again, LeavingView, Reach, RematchView, SeatNotice, SeatRole, SeatView, StepView, TableView,
};
pub use super::settings::SettingsView;
pub use super::share::ShareView;
pub use super::start::{OnAirView, OtherGame, StartView};
pub use super::upload::{UploadProblem, UploadView};
