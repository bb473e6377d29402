//! The pages: functions from plain values to HTML.
//!
//! A page is one function of a [`page::SiteContext`], a [`localization::Translations`] and a plain value, its view,
//! which stands beside it. Tests can so render a page from a literal value. This crate contains no rules, service or storage, and it never decides which actions are legal:
//! a cell is a link if the view gives it an address. Every page works with links and forms alone, and no page
//! has inline styles or scripts.
//!
//! What only one game renders is in its own module ([`dice_of_doom`], [`trilobite`]), behind traits that are
//! common to all games: [`BoardComponent`] and [`TableComponent`](controls::TableComponent). The sentences of
//! one game reach shared pages as [`LocalizedMessage`](message::LocalizedMessage)s.

#![warn(missing_docs)]

pub mod analysis;
pub mod api;
pub mod board;
pub mod clock;
pub mod controls;
pub mod countdown;
pub mod daily;
pub mod device;
pub mod dice_audit;
pub mod dice_of_doom;
mod digits;
mod display_switches;
pub mod embed;
pub mod error;
pub mod feed;
pub mod film;
pub mod game;
pub mod game_over;
pub mod games;
pub mod hint;
pub mod join;
pub mod lesson;
pub mod lettering;
pub mod levels;
pub mod line_chart;
pub mod lobby;
pub mod localization;
pub mod log;
pub mod message;
pub mod my_record;
pub mod new_game_form;
mod notifications;
pub mod page;
pub mod palette;
pub mod phrases;
mod playback;
pub mod played_action;
pub mod players;
pub mod preferences;
pub mod program_invite;
pub mod prompt;
pub mod puzzle;
pub mod qr;
pub mod replay;
pub mod review;
pub mod rules;
pub mod seats;
pub mod settings;
pub mod share;
pub mod social_card;
pub mod start;
pub mod svg_symbols;
pub mod tables;
pub mod text_board;
pub mod trilobite;
pub mod upload;
mod xml;

pub use api::{PositionFieldsView, api_page};
pub use board::{BoardComponent, board_svg};
pub use dice_audit::{all_dice_page, fair_page};
pub use embed::embed_page;
pub use error::error_page;
pub use film::film_page;
pub use game::{game_fragment, game_page};
pub use join::join_page;
pub use localization::{Language, Translations};
pub use log::{LogView, log_page};
pub use page::{AssetUrls, SiteContext};
pub use program_invite::{ProgramView, program_page};
pub use review::{decision_page, review_page};
pub use rules::rules_page;
pub use settings::settings_page;
pub use start::{featured_game, game_start_page, setup_page, start_page};
pub use text_board::TextBoard;
pub use upload::upload_page;
