//! Integration tests that use the library, its service or its router in-process. None of them starts the program.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../crates/games/tests/contract/mod.rs"]
mod contract;

mod a_new_game;
mod analysis;
mod api;
mod architecture;
mod base_path;
mod book_page;
mod bot;
mod cards;
mod clock;
mod colours;
mod connections;
mod cookies;
mod daily;
mod device;
mod document_links;
mod error_messages;
mod fair_dice;
mod feed;
mod game_double;
mod game_over;
mod hint;
mod images;
mod land_of_lisp;
mod languages;
mod learn;
mod limits;
mod lists;
#[cfg(target_os = "linux")]
mod memory;
mod my_record;
mod new_game;
mod next_steps;
mod nim;
mod notifications;
mod openapi;
mod openapi_coverage;
mod page_cache;
mod pages;

mod pinned;
mod position_queries;
mod programs;
mod pseudo_localization;
mod puzzles;
mod replay;
mod reveals;
mod review;
mod scheduler;
mod settings;
mod simulation;
mod start;
mod styles;
mod tables;
mod templates;
mod translations;
mod waiting;
