//! The pages: functions from plain values to HTML.
//!
//! A page is one function of a [`page::Site`], a [`text::Text`] and a value of [`view`]. Nothing
//! here knows rules, services or archives, and nothing here decides what is allowed: a cell is a link
//! if it has an address in the view. Every page works with links and forms alone, and no page has a
//! style or a script of its own.

pub mod api;
pub mod board;
pub mod board_svg;
pub mod book;
pub mod columns;
pub mod error;
pub mod flat;
pub mod form;
pub mod game;
pub mod games;
pub mod geometry;
pub mod hexes;
pub mod join;
pub mod levels;
pub mod log;
pub mod look;
pub mod page;
pub mod palette;
pub mod piles;
pub mod players;
pub mod prompt;
pub mod roll;
pub mod rules;
pub mod seats;
pub mod settings;
pub mod start;
pub mod symbols;
pub mod text;
pub mod view;

pub use api::api_page;
pub use board_svg::board_svg;
pub use book::book_page;
pub use error::error_page;
pub use game::{game_fragment, game_page};
pub use games::games_page;
pub use join::join_page;
pub use log::log_page;
pub use page::{AssetUrls, Site};
pub use rules::rules_page;
pub use settings::settings_page;
pub use start::start_page;
pub use text::{Language, Text};
