//! Dice of Doom, the dice-conquest game of *Land of Lisp* (chapters 15–20): rules, trees, searches,
//! records, and a server to play it on.
//!
//! The house has one idea: **the rules are pure functions of plain values; the game tree is a lazy
//! view of them; everything else looks at that tree.** From the ground up:
//!
//! | room | what lives there |
//! |---|---|
//! | [`game`] | the words of the platform: players, positions, actions, lotteries, rolls |
//! | [`tree`] | a game's lazy tree, computed or remembered |
//! | [`search`] | expectimax, alpha-beta and PUCT, written once for every game |
//! | [`games`] | each game: its rules, its odds, its players |
//! | [`level`] | the named strengths that people choose from |
//! | [`serialization`] | what the platform asks of a game beside its rules |
//! | [`rng`], [`lines`] | the random streams of deals, dice and computers; lines of bounded length |
//! | [`provably_fair`], [`chi_squared`] | dice that anybody can check when a game is over; how far counts are off |
//! | [`record`], [`session`] | what is kept of a game; a live game |
//! | [`seats`] | who sits at a table, and how the table goes on |
//! | [`store`], [`secret`], [`clock`] | where records are kept; secrets and their hashes; what time it is |
//! | [`maintenance`] | copies, backups and the clearing away of games |
//! | [`check`](mod@check) | whether a database and all of its games are whole |
//! | [`service`] | the live games of a server, one owner task each |
//! | [`game_adapters`] | what every game shows to pages, programs and people; the registry of games |
//! | [`templates`] | every page and every sentence, from plain values |
//! | [`raster`] | boards as pixels: pictures and films |
//! | [`engine`], [`terminal`] | the engine for programs on a pipe; games in the terminal |
//! | [`arena`] | levels against levels: shares, ratings, times |
//! | [`tune`](arena::tune) | where the weights of the evaluation by hand come from |
//! | [`web`], [`cli`], [`program`] | the server, the command line, what the programs share |
//!
//! A ply, played by hand:
//!
//! ```
//! use dice_of_doom::game::Game;
//! use dice_of_doom::games::dice_of_doom::{Action, DiceOfDoom, Rules, Setup};
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
//! let mut dice = rand_chacha::ChaCha20Rng::seed_from_u64(1);
//! let ply = session.decide(mover, attack, &mut dice, 0)?; // checks and rolls, changes nothing
//! session = session.after(ply)?; //                          the branch that was rolled
//! assert_eq!(session.record().len(), 1);
//! assert!(session.game().actions(session.position()).any(|action| action == Action::EndTurn));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use dice_of_doom_arena as arena;
pub use dice_of_doom_arena::lines;
pub use dice_of_doom_core::{
    game, level, move_analysis, provably_fair, record, review, rng, search, serialization, session,
    tree,
};
pub use dice_of_doom_games as games;
pub use dice_of_doom_templates as templates;

pub mod check;
pub mod chi_squared;
pub mod cli;
pub mod clock;
pub mod drain;
pub mod engine;
pub mod game_adapters;
pub mod maintenance;
pub mod program;
pub mod raster;
pub mod seats;
pub mod secret;
pub mod service;
pub mod store;
pub mod terminal;
pub mod verify;
pub mod web;
