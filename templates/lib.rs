//! The pages: functions from plain values to HTML.
//!
//! A page is one function of a [`page::Site`], a [`text::Text`] and a value of [`view`]. Nothing
//! here knows rules, services or archives, and nothing here decides what is allowed: a cell is a link
//! if it has an address in the view. Every page works with links and forms alone, and no page has a
//! style or a script of its own.
//!
//! What a game alone draws stands in a folder of its own ([`dice`], [`trilobite`]), behind the traits of
//! all games: [`Board`], [`OnTable`](buttons::OnTable), [`Draw`](page::Draw); what it alone says is a
//! [`Said`](said::Said).

pub mod analysis;
pub mod api;
pub mod board;
pub mod buttons;
pub mod card;
pub mod dice;
mod digits;
pub mod embed;
pub mod error;
pub mod fair;
pub mod film;
pub mod form;
pub mod game;
pub mod games;
pub mod graph;
pub mod hint;
pub mod join;
pub mod levels;
pub mod log;
pub mod look;
pub mod page;
pub mod palette;
pub mod players;
pub mod program;
pub mod prompt;
pub mod qr;
pub mod replay;
pub mod review;
pub mod rules;
pub mod said;
pub mod seats;
pub mod settings;
pub mod share;
pub mod start;
mod switches;
pub mod symbols;
mod tempo;
pub mod text;
pub mod trilobite;
pub mod upload;
pub mod view;

pub use api::{Positions, api_page};
pub use board::{Board, board_svg};
pub use embed::embed_page;
pub use error::error_page;
pub use fair::{all_dice_page, fair_page};
pub use film::film_page;
pub use game::{game_fragment, game_page};
pub use games::games_page;
pub use join::join_page;
pub use log::log_page;
pub use page::{AssetUrls, Site};
pub use program::{ProgramView, program_page};
pub use review::review_page;
pub use rules::rules_page;
pub use settings::settings_page;
pub use start::{on_air, start_page};
pub use text::{Language, Text};
pub use upload::upload_page;
