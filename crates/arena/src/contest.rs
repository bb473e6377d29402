//! The command `arena`: from its options to the boards it plays and the report it prints.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;
use thiserror::Error;

use super::board::BoardResult;
use super::journal::{FORMAT, Header, Journal, JournalError};
use super::ladder;
use super::progress::Progress;
use super::report::{LadderReport, Played, Report, Setting, SprtReport, TableReport};
use super::seating::Seating;
use super::sprt::{Sprt, Verdict};
use super::tally::{Tally, board_means};
use super::{Arena, Contestant, Contested};

/// An arena as it is asked for; the game comes when it is played.
#[derive(Clone, PartialEq, Debug)]
pub struct Contest {
    /// Who is measured, and how.
    pub plan: Plan,
    /// How many boards are played; a sequential test may stop earlier.
    pub boards: u32,
    /// The seed of boards, dice and variety.
    pub seed: u64,
    /// How many boards are played at the same time; without it, one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Where finished boards are kept.
    pub resume: Option<PathBuf>,
}

/// Who is measured, and how.
#[derive(Clone, PartialEq, Debug)]
pub enum Plan {
    /// These contestants, one for each seat.
    Table(Vec<Contestant>),
    /// These contestants, until it is clear whether the first is an improvement.
    Change(Vec<Contestant>, Sprt),
    /// Each contestant against the one before, and then all of them mixed.
    Ladder(Vec<Contestant>),
}

/// Why an arena cannot be played.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// There is not one seat for each player.
    #[error("{players} players need {players} seats, not {seats}")]
    Seats {
        /// How many players the game has.
        players: u8,
        /// How many seats were given.
        seats: usize,
    },
    /// The ladder has fewer than two contestants.
    #[error("a ladder has at least two contestants")]
    ShortLadder,
    /// The ladder names a contestant twice.
    #[error("{0} stands on the ladder twice")]
    Twice(Contestant),
    /// No board can be played.
    #[error("{0}")]
    Deal(Box<dyn Error + Send + Sync>),
    /// The file of finished boards cannot be used.
    #[error("the arena cannot go on in {}: {error}", path.display())]
    Journal {
        /// The path that was given.
        path: PathBuf,
        /// What is wrong with it.
        error: JournalError,
    },
    /// The system cannot start the threads.
    #[error("{0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl Contest {
    /// Whether everybody has a seat in a game of so many players.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self, players: u8) -> Result<(), ArenaError> {
        match &self.plan {
            Plan::Table(seats) | Plan::Change(seats, _) => {
                if seats.len() != usize::from(players) {
                    let seats = seats.len();
                    return Err(ArenaError::Seats { players, seats });
                }
            }
            Plan::Ladder(contestants) => {
                if contestants.len() < 2 {
                    return Err(ArenaError::ShortLadder);
                }
                for (at, contestant) in contestants.iter().enumerate() {
                    if contestants[..at].contains(contestant) {
                        return Err(ArenaError::Twice(*contestant));
                    }
                }
            }
        }
        Ok(())
    }

    /// How many boards a game of so many players is played on if no test stops earlier.
    #[must_use]
    pub fn most_boards(&self, players: u8) -> u64 {
        self.tables(players).len() as u64 * u64::from(self.boards)
    }

    /// Plays all boards that are not in the journal yet.
    ///
    /// # Errors
    /// When the contest does not fit the game, or its journal cannot be used.
    pub fn run<G: Contested>(&self, game: G, progress: &Progress) -> Result<Report, ArenaError> {
        self.check(game.players())?;
        let journal = self.journal(&game)?;
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let report = pool
            .build()?
            .install(|| self.play(game, &journal, progress));
        progress.end();
        report
    }

    fn tables(&self, players: u8) -> Vec<Seating> {
        match &self.plan {
            Plan::Table(seats) | Plan::Change(seats, _) => vec![Seating::Fixed(seats.clone())],
            Plan::Ladder(contestants) => ladder::tables(contestants, players),
        }
    }

    fn journal<G: Contested>(&self, game: &G) -> Result<Journal, ArenaError> {
        let Some(path) = &self.resume else {
            return Ok(Journal::default());
        };
        let header = Header {
            arena: FORMAT,
            parameters: Played::of(game),
            seed: self.seed,
            tables: self.tables(game.players()),
        };
        Journal::open(path, &header, game.players()).map_err(|error| self.in_journal(error))
    }

    fn in_journal(&self, error: JournalError) -> ArenaError {
        let path = self.resume.clone().unwrap_or_default();
        ArenaError::Journal { path, error }
    }

    fn play<G: Contested>(
        &self,
        game: G,
        journal: &Journal,
        progress: &Progress,
    ) -> Result<Report, ArenaError> {
        let stands = (0..)
            .zip(self.tables(game.players()))
            .map(|(number, seating)| Stand {
                contest: self,
                arena: Arena {
                    game,
                    seating,
                    seed: self.seed,
                },
                number,
                journal,
                progress,
            });
        let stands: Vec<Stand<'_, G>> = stands.collect();
        let setting = Setting {
            parameters: Played::of(&game),
            rotations: game.players(),
            seed: self.seed,
        };
        match &self.plan {
            Plan::Table(seats) => {
                let boards = stands[0].play(0..self.boards)?;
                Ok(table(setting, seats, &boards, None))
            }
            Plan::Change(seats, sprt) => {
                let (boards, verdict) = stands[0].test(seats, sprt)?;
                Ok(table(setting, seats, &boards, Some(verdict)))
            }
            Plan::Ladder(contestants) => {
                let tables = stands.into_iter().map(|stand| {
                    let boards = stand.play(0..self.boards)?;
                    Ok((stand.arena.seating, boards))
                });
                let tables = tables.collect::<Result<Vec<_>, ArenaError>>()?;
                let steps = tables.iter().filter_map(|(seating, boards)| match seating {
                    Seating::Fixed(seats) => Some(ladder::step(seats, boards)),
                    Seating::Drawn(_) => None,
                });
                Ok(Report::Ladder(LadderReport {
                    setting,
                    boards: self.boards,
                    steps: steps.collect(),
                    ratings: ladder::ratings(contestants, self.seed, &tables),
                }))
            }
        }
    }
}

fn table(
    setting: Setting,
    seats: &[Contestant],
    boards: &[BoardResult],
    sprt: Option<SprtReport>,
) -> Report {
    Report::Table(TableReport {
        setting,
        tally: Tally::of(seats, boards),
        sprt,
    })
}

/// One arena of a contest, with its part of the journal.
struct Stand<'c, G> {
    contest: &'c Contest,
    arena: Arena<G>,
    number: u32,
    journal: &'c Journal,
    progress: &'c Progress,
}

impl<G: Contested> Stand<'_, G> {
    /// The results of these boards in order, played on all threads.
    fn play(&self, boards: Range<u32>) -> Result<Vec<BoardResult>, ArenaError> {
        let boards = boards.into_par_iter().with_max_len(1);
        boards.map(|board| self.board(board)).collect()
    }

    fn board(&self, board: u32) -> Result<BoardResult, ArenaError> {
        let result = match self.journal.known(self.number, board) {
            Some(known) => known.clone(),
            None => {
                let played = self.arena.play_board(board);
                let played = played.map_err(|error| ArenaError::Deal(Box::new(error)))?;
                let kept = self.journal.keep(self.number, board, &played);
                kept.map_err(|error| self.contest.in_journal(error))?;
                played
            }
        };
        self.progress.count();
        Ok(result)
    }

    /// Plays boards until the test has a verdict, which is looked at after each batch.
    fn test(
        &self,
        seats: &[Contestant],
        sprt: &Sprt,
    ) -> Result<(Vec<BoardResult>, SprtReport), ArenaError> {
        let own = tested(seats);
        let most = self.contest.boards;
        let mut boards = Vec::new();
        loop {
            let next = boards.len() as u32;
            boards.extend(self.play(next..most.min(next.saturating_add(Sprt::BATCH)))?);
            let means = board_means(&own, &boards);
            let verdict = sprt.verdict(&means);
            if verdict != Verdict::Open || boards.len() as u32 == most {
                let report = SprtReport {
                    sprt: *sprt,
                    contestant: seats[0],
                    verdict,
                    log_likelihood_ratio: sprt.log_likelihood_ratio(&means),
                };
                return Ok((boards, report));
            }
        }
    }
}

/// The seats whose share is tested: all seats of the first contestant. Where all contestants are the
/// same, their mean share is par by construction, so only the first seat is tested.
fn tested(seats: &[Contestant]) -> Vec<usize> {
    let own: Vec<usize> = (0..seats.len())
        .filter(|&seat| seats[seat] == seats[0])
        .collect();
    if own.len() == seats.len() {
        vec![0]
    } else {
        own
    }
}
