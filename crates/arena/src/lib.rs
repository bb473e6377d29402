#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! An arena ([`ArenaConfig`]) assigns contestants to seats on boards dealt from its seed. Each board is played in all
//! rotations ([`play_board`]), so that every seat plays every player once: the starting place on the board matters more
//! than a small difference in strength. The dice of a game are derived from its board, rotation and ply, and so are the
//! random numbers of the players. The same arena therefore gives the same results on any number of threads; only the
//! times differ. The statistical unit is the board, not the game ([`Estimate`]).
//!
//! | module | contents |
//! |---|---|
//! | `contestant`, `seating` | who sits where, and who plays whom |
//! | `match_player`, `players`, `program_limits` | the players behind the names, the limits of external programs, and faults |
//! | `match_rules` | clocks, and when a game is adjudicated |
//! | `program`, `group` | external programs that answer requests line by line; each runs in its own process group |
//! | `rng_keys`, `board` | the random streams; one board in all rotations |
//! | `repeats` | boards that repeat an earlier one |
//! | `results`, `estimate`, `elo` | sums, means and confidence intervals, as shares and as differences of strength |
//! | `luck`, `control_variate` | adjustment of results for luck with the dice |
//! | `sprt` | sequential test of a change |
//! | `tournament`, `rating`, `quasi_variance`, `ladder` | ladders, round robins and gauntlets; ratings |
//! | `journal`, `records` | the file of finished boards, with which an interrupted arena resumes; the file of game records |
//! | `arena_run`, `report`, `progress` | an arena run, its report and its progress bar |
//! | [`train`] | training of the network |

#![warn(missing_docs)]

use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::record::Record;
use dice_of_doom_core::serialization::SerializableGame;

mod arena_run;
mod board;
mod board_result;
mod contestant;
mod control_variate;
mod elo;
mod estimate;
mod group;
mod journal;
mod ladder;
mod luck;
mod match_player;
mod match_rules;
mod players;
mod program;
mod program_limits;
mod progress;
mod quasi_variance;
mod rating;
mod records;
mod repeats;
mod report;
mod results;
mod rng_keys;
mod seating;
mod sprt;
mod tournament;
pub mod train;

pub use arena_run::{ArenaConfig, ArenaError, ArenaPlan};
pub use board_result::{BoardResult, DecisionCost, GameEndReason, GameResult};
pub use contestant::{Contestant, ContestantParseError};
pub use elo::EloDifference;
pub use estimate::Estimate;
pub use group::kill_programs;
pub use journal::{FORMAT, Journal, JournalError, JournalHeader};
pub use ladder::{GameRatings, LadderConfig, LevelRating, RatingsFile, RoundedEstimate};
pub use luck::LuckAdjustment;
pub use match_player::{AgentFactory, AgentPlayer, MatchPlayer, PlayerFactory};
pub use match_rules::{
    DecidedGame, DecidedGameParseError, MatchClock, MatchClockParseError, MatchRules, PlayerClock,
};
pub use players::{ArenaHost, BoxedPlayerFactory, CustomPlayers, PlayedGame};
pub use program::{AnswerTime, ExternalProgram, MAX_START_ATTEMPTS, ProgramSession, Reply};
pub use program_limits::ProgramLimits;
pub use progress::ArenaProgress;
pub use rating::{ANCHOR, RatedGame, Rating, rate};
pub use report::{ArenaReport, ArenaSetting, GameParametersJson, TableReport, TournamentReport};
pub use results::{ForfeitedGame, ResultRow, ResultTable};
pub use seating::{Seating, seat_of};
pub use sprt::{Sprt, SprtParseError, SprtReport, SprtVerdict};
pub use tournament::{Pairing, ParComparison, Tournament, TournamentFormat};

use board::GameTerms;
use rng_keys::{BoardKey, GameKey};

/// A game with records and built-in computer players.
pub trait ArenaGame: SerializableGame + AgentProvider {}

impl<G: SerializableGame + AgentProvider> ArenaGame for G {}

/// Plays board number `board` of a seed in all rotations, with any kind of players.
///
/// ```
/// use dice_of_doom_arena::{Estimate, play_board};
/// use dice_of_doom_core::level::{Level, LevelSpec};
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
///
/// let game = DiceOfDoom::new(Rules::V4, 3, 2, 5)?;
/// let seats = [Level::Greedy, Level::Random].map(LevelSpec::from);
/// let boards = (0..20).map(|board| play_board(&game, 1, board, &seats));
/// let boards = boards.collect::<Result<Vec<_>, _>>()?;
/// let shares: Vec<f64> = boards.iter().map(|board| board.mean_win_share(0)).collect();
/// let greedy = Estimate::from_samples(&shares);
/// assert!(greedy.low > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When no playable position can be dealt.
///
/// # Panics
/// When the number of seats is not the number of players.
pub fn play_board<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    seed: u64,
    board: u32,
    seats: &[E],
) -> Result<BoardResult, G::SetupError> {
    let key = BoardKey { seed, board };
    let start = game.deal(&mut key.deal_rng())?;
    let terms = GameTerms::default();
    Ok(play_from(game, key, &start, seats, terms, |_, _| {}).0)
}

/// Plays a board from this start position in all rotations.
fn play_from<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    board: BoardKey,
    start: &G::Position,
    seats: &[E],
    terms: GameTerms,
    report: impl Fn(u8, &GameResult),
) -> (BoardResult, Vec<Record<G>>) {
    let players = usize::from(game.players());
    assert_eq!(seats.len(), players, "one seat for each player");
    let key = |rotation| GameKey { board, rotation };
    board::play_rotations(game, start, seats, terms, key, report)
}
