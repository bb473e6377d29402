//! Dice of Doom, the dice-conquest game of *Land of Lisp* (chapters 15–20): rules, game trees, searches, records, and a
//! server to play it on.
//!
//! Main idea: **the rules are pure functions of plain values; the game tree is a lazy view of them; everything else
//! works on that tree.** From the lowest layer up:
//!
//! | module | contents |
//! |---|---|
//! | [`game`] | the basic types: players, positions, actions, chance outcomes, rolls |
//! | [`tree`] | a game's lazy tree, computed or cached |
//! | [`search`] | expectimax, alpha-beta and PUCT, written once for every game |
//! | [`dice_of_doom_games`] | each game: rules, odds, computer players |
//! | [`level`] | the named playing strengths |
//! | [`serialization`] | text forms that a game provides besides its rules |
//! | [`rng`], [`lines`] | the random streams of deals, dice and computers; reading lines of bounded length |
//! | [`provably_fair`], [`chi_squared`] | dice that anyone can verify after a game; p-values of dice counts |
//! | [`formats`] | JSON, notation and records of every game |
//! | [`record`], [`session`] | the stored record of a game; a game in progress |
//! | [`seats`] | the seats of a game and their credentials |
//! | [`store`], [`secret`], [`clock`] | persistence; secrets and their hashes; the wall clock |
//! | [`metrics`] | what operators measure |
//! | [`maintenance`] | copying, backing up and deleting games |
//! | [`check`](mod@check) | integrity check of a database and all of its games |
//! | [`tables`] | the live games of a server, one task each |
//! | [`games`] | what pages, API, engine and terminal ask of a game; the registry of games |
//! | [`templates`] | all pages and translations, rendered from plain values |
//! | [`raster`] | boards as PNG images and GIF films |
//! | [`engine`], [`terminal`] | the engine protocol on standard input and output; games in the terminal |
//! | [`arena`] | matches between levels: win shares, ratings, times |
//! | [`http`], [`site`], [`cli`], [`process`] | the protocol, the web site, the command line, code shared by the binaries |
//!
//! Playing one ply:
//!
//! ```
//! use dice_of_doom::game::Game;
//! use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Rules, Setup};
//! use dice_of_doom::session::Session;
//! use rand::SeedableRng;
//!
//! // a-3 b-1
//! //  a-1 b-2
//! let game = DiceOfDoom::new(Rules::V4, 2, 2, 5)?;
//! let start = game.position(&Setup::start(vec![(0, 3), (1, 1), (0, 1), (1, 2)]))?;
//! let mut session = Session::new(game, start);
//!
//! let attack: Action = "0-1".parse()?;
//! let mover = session.status().mover().ok_or("the game is on")?;
//! let mut dice = rand::rngs::ChaCha20Rng::seed_from_u64(1);
//! let ply = session.prepare_ply(mover, attack, &mut dice, 0)?; // checks and rolls, changes nothing
//! session = session.with_ply(ply)?; //                       the branch that was rolled
//! assert_eq!(session.record().len(), 1);
//! assert!(session.game().legal_actions(session.position()).any(|action| action == Action::EndTurn));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use dice_of_doom_arena as arena;
pub use dice_of_doom_core::{
    game, level, move_analysis, provably_fair, record, review, rng, search, serialization, session,
    tree,
};
pub use dice_of_doom_formats as formats;
pub use dice_of_doom_formats::lines;
pub use dice_of_doom_templates as templates;

pub mod check;
pub mod chi_squared;
pub mod cli;
pub mod client_network;
pub mod clock;
pub mod day;
pub mod drain;
pub mod engine;
pub mod games;
pub mod http;
pub mod maintenance;
pub mod metrics;
pub mod process;
pub mod raster;
pub mod seats;
pub mod secret;
pub mod site;
pub mod store;
pub mod tables;
pub mod terminal;
pub mod verify;
