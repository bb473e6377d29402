//! The command `arena`: from its options to the boards it plays and the report it prints.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::error::Error;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::board::BoardResult;
use super::journal::{FORMAT, Journal, JournalError, JournalHeader};
use super::luck::LuckAdjustment;
use super::match_player::PlayerFactory;
use super::players::{ArenaHost, BoxedPlayerFactory, PlayedGame};
use super::progress::ArenaProgress;
use super::records::{GameNumber, GameRecordFile};
use super::report::{
    ArenaReport, ArenaSetting, GameParametersJson, SprtReport, TableReport, TournamentReport,
};
use super::results::{ResultTable, board_means};
use super::rng_keys::BoardKey;
use super::seating::{Seating, seat_of};
use super::sprt::{Sprt, SprtVerdict};
use super::tournament::{self, Tournament, TournamentFormat};
use super::{ArenaGame, Contestant, ProgramLimits};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::serialization::SerializableGame;

/// An arena as it is asked for; the game comes when it is played.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaConfig {
    /// Who is measured, and how.
    pub plan: ArenaPlan,
    /// How many boards are played; a sequential test may stop earlier.
    pub boards: u32,
    /// The seed of boards, dice and variety.
    pub seed: u64,
    /// How many boards are played at the same time; without it, one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Where finished boards are kept.
    pub resume: Option<PathBuf>,
    /// What programs are told.
    pub terms: ProgramLimits,
    /// Where the boards begin, one after another and then from the first again, as their game writes
    /// positions (JSON); without any, boards are dealt.
    pub openings: Vec<String>,
    /// Where every game is written.
    pub records: Option<PathBuf>,
}

/// Who is measured, and how.
#[derive(Clone, PartialEq, Debug)]
pub enum ArenaPlan {
    /// These contestants, one for each seat.
    Table(Vec<Contestant>),
    /// These contestants, until it is clear whether the first is an improvement.
    Change(Vec<Contestant>, Sprt),
    /// Contestants in pairs.
    Tournament(Tournament),
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
    /// A tournament has fewer than two contestants.
    #[error("{} has at least two contestants", .0.name())]
    Few(TournamentFormat),
    /// A tournament names a contestant twice.
    #[error("{} cannot have {contestant} twice", form.name())]
    Twice {
        /// The tournament.
        form: TournamentFormat,
        /// Who is there twice.
        contestant: Contestant,
    },
    /// Nobody plays for a name.
    #[error("{0}")]
    Nobody(String),
    /// No board can be played.
    #[error("{0}")]
    Deal(Box<dyn Error + Send + Sync>),
    /// An opening is no position of the game.
    #[error("opening {number}: {error}")]
    Opening {
        /// Its number, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: Box<dyn Error + Send + Sync>,
    },
    /// The file of finished boards cannot be used.
    #[error("the arena cannot go on in {}: {error}", path.display())]
    Journal {
        /// The path that was given.
        path: PathBuf,
        /// What is wrong with it.
        error: JournalError,
    },
    /// The games cannot be written.
    #[error("the records cannot be written to {}: {error}", path.display())]
    Records {
        /// The path that was given.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The system cannot start the threads.
    #[error("{0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl ArenaConfig {
    /// A plan on so many boards, dealt from seed 1.
    #[must_use]
    pub fn new(plan: ArenaPlan, boards: u32) -> Self {
        ArenaConfig {
            plan,
            boards,
            seed: 1,
            threads: None,
            resume: None,
            terms: ProgramLimits::default(),
            openings: Vec::new(),
            records: None,
        }
    }

    /// Whether everybody has a seat in a game of so many players.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self, players: u8) -> Result<(), ArenaError> {
        match &self.plan {
            ArenaPlan::Table(seats) | ArenaPlan::Change(seats, _) => {
                if seats.len() != usize::from(players) {
                    let seats = seats.len();
                    return Err(ArenaError::Seats { players, seats });
                }
            }
            ArenaPlan::Tournament(Tournament {
                form, contestants, ..
            }) => {
                let form = *form;
                if contestants.len() < 2 {
                    return Err(ArenaError::Few(form));
                }
                for (at, contestant) in contestants.iter().enumerate() {
                    if contestants[..at].contains(contestant) {
                        let contestant = contestant.clone();
                        return Err(ArenaError::Twice { form, contestant });
                    }
                }
            }
        }
        Ok(())
    }

    /// How many boards a game of so many players is played on if no test stops earlier.
    #[must_use]
    pub fn max_boards(&self, players: u8) -> u64 {
        self.tables(players).len() as u64 * u64::from(self.boards)
    }

    /// Plays all boards that are not in the journal yet.
    ///
    /// # Errors
    /// When the contest does not fit the game, nobody plays for a name, or a file cannot be used.
    pub fn run<G: ArenaGame>(
        &self,
        game: G,
        host: &impl ArenaHost<G>,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError> {
        self.check(game.players())?;
        let hall = ArenaRun::open(self, game, host, progress)?;
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let report = pool.build()?.install(|| hall.play());
        progress.end();
        if let Some(records) = &hall.records {
            records.finish().map_err(|error| self.in_records(error))?;
        }
        report
    }

    fn tables(&self, players: u8) -> Vec<Seating> {
        match &self.plan {
            ArenaPlan::Table(seats) | ArenaPlan::Change(seats, _) => {
                vec![Seating::Fixed(seats.clone())]
            }
            ArenaPlan::Tournament(asked) => asked.form.pairings(&asked.contestants, players),
        }
    }

    fn journal<G: ArenaGame>(&self, game: &G) -> Result<Journal, ArenaError> {
        let Some(path) = &self.resume else {
            return Ok(Journal::default());
        };
        let header = JournalHeader {
            arena: FORMAT,
            parameters: GameParametersJson::of(game),
            seed: self.seed,
            tables: self.tables(game.players()),
            programs: self.terms.budget,
            openings: fingerprint(&self.openings),
        };
        Journal::open(path, &header, game.players()).map_err(|error| self.in_journal(error))
    }

    fn in_journal(&self, error: JournalError) -> ArenaError {
        let path = self.resume.clone().unwrap_or_default();
        ArenaError::Journal { path, error }
    }

    fn records(
        &self,
        players: u8,
        journal: &Journal,
    ) -> Result<Option<GameRecordFile>, ArenaError> {
        let Some(path) = &self.records else {
            return Ok(None);
        };
        let known = |table, board| journal.result_of(table, board).is_some();
        let records = match self.resume {
            Some(_) => GameRecordFile::open(path, players, known),
            None => GameRecordFile::create(path),
        };
        records.map(Some).map_err(|error| self.in_records(error))
    }

    fn in_records(&self, error: io::Error) -> ArenaError {
        let path = self.records.clone().unwrap_or_default();
        ArenaError::Records { path, error }
    }
}

/// The SHA-256 of all openings in their order; `None` where there are none.
fn fingerprint(openings: &[String]) -> Option<String> {
    let mut digest = Sha256::new();
    for opening in openings {
        digest.update(opening);
        digest.update("\n");
    }
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    (!openings.is_empty()).then(|| digits(&digest.finalize()))
}

/// A contest under way: everybody is there, and the files are open.
struct ArenaRun<'c, G: SerializableGame, H> {
    contest: &'c ArenaConfig,
    game: G,
    host: &'c H,
    entrants: HashMap<Contestant, BoxedPlayerFactory<'c, G>>,
    openings: Vec<G::Position>,
    journal: Journal,
    records: Option<GameRecordFile>,
    progress: &'c ArenaProgress,
}

impl<'c, G: ArenaGame, H: ArenaHost<G>> ArenaRun<'c, G, H> {
    fn open(
        contest: &'c ArenaConfig,
        game: G,
        host: &'c H,
        progress: &'c ArenaProgress,
    ) -> Result<Self, ArenaError> {
        let openings = (1..).zip(&contest.openings).map(|(number, text)| {
            let wrong = |error| ArenaError::Opening { number, error };
            let setup = serde_json::from_str(text).map_err(|error| wrong(Box::new(error)))?;
            let position = game.position_from_setup(&setup);
            position.map_err(|error| wrong(Box::new(error)))
        });
        let openings = openings.collect::<Result<Vec<_>, ArenaError>>()?;
        let mut entrants = HashMap::new();
        for who in contest
            .tables(game.players())
            .iter()
            .flat_map(Seating::contestants)
        {
            if let Place::Vacant(place) = entrants.entry(who) {
                let entrant = host.player_factory(place.key(), &contest.terms);
                place.insert(entrant.map_err(ArenaError::Nobody)?);
            }
        }
        let journal = contest.journal(&game)?;
        let records = contest.records(game.players(), &journal)?;
        Ok(ArenaRun {
            contest,
            game,
            host,
            entrants,
            openings,
            journal,
            records,
            progress,
        })
    }

    fn play(&self) -> Result<ArenaReport, ArenaError> {
        let boards = self.contest.boards;
        let setting = ArenaSetting {
            parameters: GameParametersJson::of(&self.game),
            rotations: self.game.players(),
            seed: self.contest.seed,
            openings: self.openings.len(),
        };
        let stands = (0..).zip(self.contest.tables(self.game.players()));
        let stands = stands.map(|(number, seating)| TableRun {
            hall: self,
            seating,
            number,
        });
        let mut stands = stands.collect::<Vec<_>>().into_iter();
        match &self.contest.plan {
            ArenaPlan::Table(seats) => {
                let stand = stands.next().expect("a table");
                Ok(table(setting, seats, &stand.play(0..boards)?, None))
            }
            ArenaPlan::Change(seats, sprt) => {
                let stand = stands.next().expect("a table");
                let (boards, verdict) = stand.run_sprt(seats, sprt)?;
                Ok(table(setting, seats, &boards, Some(verdict)))
            }
            ArenaPlan::Tournament(Tournament {
                form,
                contestants,
                sprt,
            }) => {
                let tables = stands.map(|stand| {
                    let (boards, verdict) = match (&stand.seating, sprt) {
                        (Seating::Fixed(seats), Some(sprt)) => {
                            let (boards, verdict) = stand.run_sprt(seats, sprt)?;
                            (boards, Some(verdict))
                        }
                        _ => (stand.play(0..boards)?, None),
                    };
                    Ok((stand.seating, boards, verdict))
                });
                let tables = tables.collect::<Result<Vec<_>, ArenaError>>()?;
                let steps = tables
                    .iter()
                    .filter_map(|(seating, boards, verdict)| match seating {
                        Seating::Fixed(seats) => {
                            Some(tournament::pair_result(seats, boards, verdict.clone()))
                        }
                        Seating::Drawn(_) => None,
                    });
                let steps = steps.collect();
                let tables = tables.into_iter();
                let tables: Vec<_> = tables
                    .map(|(seating, boards, _)| (seating, boards))
                    .collect();
                Ok(ArenaReport::Tournament(TournamentReport {
                    setting,
                    form: *form,
                    boards,
                    steps,
                    ratings: tournament::ratings(contestants, self.contest.seed, &tables),
                }))
            }
        }
    }
}

fn table(
    setting: ArenaSetting,
    seats: &[Contestant],
    boards: &[BoardResult],
    sprt: Option<SprtReport>,
) -> ArenaReport {
    ArenaReport::Table(TableReport {
        setting,
        tally: ResultTable::of(seats, boards),
        sprt,
    })
}

/// One table of a contest, with its part of the journal.
struct TableRun<'h, 'c, G: SerializableGame, H> {
    hall: &'h ArenaRun<'c, G, H>,
    seating: Seating,
    number: u32,
}

impl<G: ArenaGame, H: ArenaHost<G>> TableRun<'_, '_, G, H> {
    /// The results of these boards in order, played on all threads.
    fn play(&self, boards: Range<u32>) -> Result<Vec<BoardResult>, ArenaError> {
        let boards = boards.into_par_iter().with_max_len(1);
        boards.map(|board| self.board(board)).collect()
    }

    fn board(&self, board: u32) -> Result<BoardResult, ArenaError> {
        let ArenaRun {
            contest,
            journal,
            records,
            progress,
            ..
        } = self.hall;
        let is_written = |records: &GameRecordFile| records.contains_board(self.number, board);
        let known = journal.result_of(self.number, board);
        let known = known.filter(|_| records.as_ref().is_none_or(is_written));
        let result = match known {
            Some(known) => known.clone(),
            None => {
                let (played, games) = self.play_board(board)?;
                if let Some(records) = records {
                    let kept = records.append(&games);
                    kept.map_err(|error| contest.in_records(error))?;
                }
                let kept = journal.append(self.number, board, &played);
                kept.map_err(|error| contest.in_journal(error))?;
                played
            }
        };
        progress.count();
        Ok(result)
    }

    /// Plays a board; the second is each game in a line, where records are written.
    fn play_board(
        &self,
        board: u32,
    ) -> Result<(BoardResult, Vec<(GameNumber, String)>), ArenaError> {
        let hall = self.hall;
        let (game, seed) = (&hall.game, hall.contest.seed);
        let key = BoardKey { seed, board };
        let seats = self.seating.seats_for_board(key, game.players());
        let entrants = seats.iter().map(|who| &*hall.entrants[who]);
        let entrants: Vec<&(dyn PlayerFactory<G> + Send + Sync)> = entrants.collect();
        let start = match hall.openings.len() {
            0 => {
                let dealt = game.deal(&mut key.deal());
                dealt.map_err(|error| ArenaError::Deal(Box::new(error)))?
            }
            openings => hall.openings[board as usize % openings].clone(),
        };
        let (result, games) = super::play_from(game, key, &start, &entrants);
        if hall.records.is_none() {
            return Ok((result, Vec::new()));
        }
        let players = game.players();
        let games = (0..).zip(games).zip(&result.games);
        let lines = games.filter_map(|((rotation, record), ended)| {
            let number = GameNumber {
                table: self.number,
                board,
                rotation,
            };
            let seated =
                Player::all(players).map(|player| &seats[seat_of(player, rotation, players)]);
            let line = hall.host.record(&PlayedGame {
                seed,
                number,
                players: seated.collect(),
                terms: &hall.contest.terms,
                record,
                forfeit: ended.end.forfeit(),
            });
            Some((number, line?))
        });
        let lines = lines.collect();
        Ok((result, lines))
    }

    /// Plays boards until the test has a verdict, which is looked at after each batch.
    fn run_sprt(
        &self,
        seats: &[Contestant],
        sprt: &Sprt,
    ) -> Result<(Vec<BoardResult>, SprtReport), ArenaError> {
        let own = sprt_result(seats);
        let most = self.hall.contest.boards;
        let mut boards = Vec::new();
        loop {
            let next = boards.len() as u32;
            boards.extend(self.play(next..most.min(next.saturating_add(Sprt::BATCH)))?);
            let means = board_means(&own, &boards, LuckAdjustment::fit(&boards));
            let verdict = sprt.verdict(&means);
            if verdict != SprtVerdict::Open || boards.len() as u32 == most {
                let report = SprtReport {
                    sprt: *sprt,
                    contestant: seats[0].clone(),
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
fn sprt_result(seats: &[Contestant]) -> Vec<usize> {
    let own: Vec<usize> = (0..seats.len())
        .filter(|&seat| seats[seat] == seats[0])
        .collect();
    if own.len() == seats.len() {
        vec![0]
    } else {
        own
    }
}
