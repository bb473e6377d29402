//! Players against each other: who is stronger, by how much, and what a decision costs.
//!
//! An [`Arena`] seats contestants at boards that its seed deals. On each board every seat plays every
//! player once (all rotations), because the place on the board decides more than a small difference
//! in strength. The dice of a game come from its (board, rotation) and the ply, and so does each
//! player's variety. So the same arena gives the same numbers on any number of threads; only the times
//! differ. The statistics count boards, not games ([`Estimate`]).
//!
//! | room | what lives there |
//! |---|---|
//! | `contestant`, `seating` | who sits where, and who plays whom |
//! | `match_player`, `players`, `program_limits` | who chooses for a name, what it is told, and what a fault is |
//! | [`lines`] | lines of bounded length, whatever editor wrote them |
//! | `program`, `group` | programs that answer lines: started, asked, waited for, ended with all that they started |
//! | `rng_keys`, `board` | the streams of randomness; one board in all rotations |
//! | `results`, `estimate` | sums, means and their intervals |
//! | `sprt` | whether a change is an improvement |
//! | `tournament`, `rating` | ladders, round robins, gauntlets; ratings of all |
//! | `journal`, `records` | finished boards in a file, so that an interrupted arena goes on; every game in another |
//! | `arena_run`, `report`, `progress` | the command: what it plays, what it prints, and its progress bar |
//!
//! ```
//! use dice_of_doom_arena::{Arena, Seating, Tally};
//! use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
//! use dice_of_doom_core::level::Level;
//!
//! let seats = [Level::Greedy, Level::Random].map(Into::into).to_vec();
//! let arena = Arena {
//!     game: DiceOfDoom::new(Rules::V4, 3, 2, 5)?,
//!     seating: Seating::Fixed(seats.clone()),
//!     seed: 1,
//! };
//! let boards = (0..20).map(|board| arena.play_board(board));
//! let tally = Tally::of(&seats, &boards.collect::<Result<Vec<_>, _>>()?);
//! assert!(tally.contestants[0].share.low > tally.par);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

use dice_of_doom_core::level::{AgentProvider, LevelSpec};
use dice_of_doom_core::record::Record;
use dice_of_doom_core::serialization::SerializableGame;

mod arena_run;
mod board;
mod contestant;
mod control_variate;
mod estimate;
mod group;
mod journal;
mod ladder;
pub mod lines;
mod luck;
mod match_player;
mod players;
mod program;
mod program_limits;
mod progress;
mod quasi_variance;
mod rating;
mod records;
mod report;
mod results;
mod rng_keys;
mod seating;
mod sprt;
mod tournament;
pub mod train;
pub mod tune;

pub use arena_run::{ArenaConfig, ArenaError, ArenaPlan};
pub use board::{BoardResult, DecisionCost, Forfeit, GameEndReason, GameResult};
pub use contestant::{Contestant, ContestantParseError};
pub use estimate::Estimate;
pub use group::kill_programs;
pub use journal::{FORMAT, Journal, JournalError, JournalHeader};
pub use ladder::{GameRatings, LadderConfig, LevelRating, RatingsFile, RoundedEstimate};
pub use luck::LuckAdjustment;
pub use match_player::{
    AgentFactory, AgentPlayer, FaultKind, MatchPlayer, PlayerFactory, PlayerFault,
};
pub use players::{ArenaHost, BoxedPlayerFactory, CustomPlayers, PlayedGame};
pub use program::{ExternalProgram, MAX_START_ATTEMPTS, ProgramSession, Reply};
pub use program_limits::{ProgramBudget, ProgramLimits};
pub use progress::ArenaProgress;
pub use rating::{ANCHOR, RatedGame, Rating, rate};
pub use records::GameNumber;
pub use report::{
    ArenaReport, ArenaSetting, GameParametersJson, SprtReport, TableReport, TournamentReport,
};
pub use results::{ForfeitedGame, ResultRow, ResultTable};
pub use seating::{Seating, seat_of};
pub use sprt::{Sprt, SprtParseError, SprtVerdict};
pub use tournament::{Pairing, ParComparison, Tournament, TournamentFormat};

use rng_keys::{BoardKey, GameKey};

/// A game that levels play.
pub trait ArenaGame: SerializableGame + AgentProvider {}

impl<G: SerializableGame + AgentProvider> ArenaGame for G {}

/// Contestants, and a seed that deals their boards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arena<G> {
    /// The game that is played.
    pub game: G,
    /// Who sits at each board: one contestant for each player of the game.
    pub seating: Seating,
    /// The seed of boards, dice and variety.
    pub seed: u64,
}

impl<G: ArenaGame> Arena<G> {
    /// Plays a board in all rotations. Boards do not depend on each other: they may be played in any
    /// order, and at the same time.
    ///
    /// # Errors
    /// When the game has no deal that can be played, or somebody is no level.
    ///
    /// # Panics
    /// When there is not one fixed seat for each player.
    pub fn play_board(&self, board: u32) -> Result<BoardResult, ArenaError> {
        let key = BoardKey {
            seed: self.seed,
            board,
        };
        let seats = self.seating.seats_for_board(key, self.game.players()).into_iter();
        let seats = seats.map(|who| match who {
            Contestant::Level(strength) => Ok(strength),
            other => Err(ArenaError::Nobody(format!("{other} is no level"))),
        });
        let seats = seats.collect::<Result<Vec<LevelSpec>, _>>()?;
        let played = play_board(&self.game, self.seed, board, &seats);
        played.map_err(|error| ArenaError::Deal(Box::new(error)))
    }
}

/// Plays board number `board` of a seed in all rotations, between entrants of any kind.
///
/// ```
/// use dice_of_doom_arena::{Estimate, play_board};
/// use dice_of_doom_core::level::{Level, Strength};
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
///
/// let game = DiceOfDoom::new(Rules::V4, 3, 2, 5)?;
/// let seats = [Level::Greedy, Level::Random].map(Strength::from);
/// let boards = (0..20).map(|board| play_board(&game, 1, board, &seats));
/// let boards = boards.collect::<Result<Vec<_>, _>>()?;
/// let shares: Vec<f64> = boards.iter().map(|board| board.mean_share(0)).collect();
/// let greedy = Estimate::of(&shares);
/// assert!(greedy.low > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the game has no deal that can be played.
///
/// # Panics
/// When there is not one seat for each player.
pub fn play_board<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    seed: u64,
    board: u32,
    seats: &[E],
) -> Result<BoardResult, G::SetupError> {
    let key = BoardKey { seed, board };
    let start = game.deal(&mut key.deal())?;
    Ok(play_from(game, key, &start, seats).0)
}

/// Plays a board from this position, in all rotations.
fn play_from<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    board: BoardKey,
    start: &G::Position,
    seats: &[E],
) -> (BoardResult, Vec<Record<G>>) {
    let players = usize::from(game.players());
    assert_eq!(seats.len(), players, "one seat for each player");
    board::play(game, start, seats, |rotation| GameKey { board, rotation })
}
