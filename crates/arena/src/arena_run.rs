//! Runs an arena: from its configuration to the boards and the report.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::error::Error;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use rand::seq::IteratorRandom;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::board::GameTerms;
use super::board_result::{BoardResult, GameEndReason, GameResult};
use super::journal::{FORMAT, Journal, JournalError, JournalHeader};
use super::luck::LuckAdjustment;
use super::match_player::PlayerFactory;
use super::match_rules::MatchRules;
use super::players::{ArenaHost, BoxedPlayerFactory, PlayedGame};
use super::progress::ArenaProgress;
use super::records::GameRecordFile;
use super::repeats::distinct_boards;
use super::report::{ArenaReport, ArenaSetting, GameParametersJson, TableReport, TournamentReport};
use super::results::{ResultTable, board_means};
use super::rng_keys::BoardKey;
use super::seating::{Seating, seat_of};
use super::sprt::{Sprt, SprtReport, SprtVerdict};
use super::tournament::{self, Tournament, TournamentFormat};
use super::{ArenaGame, Contestant, ProgramLimits};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::provably_fair::hex;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_formats::record::GameNumber;

/// The configuration of an arena; the game is given when it is run.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ArenaConfig {
    /// The contestants and the kind of comparison.
    pub plan: ArenaPlan,
    /// The number of boards per table; a sequential test may stop earlier.
    pub boards: u32,
    /// The seed of the boards, the dice and the players' random choices.
    pub seed: u64,
    /// The number of threads, each of which plays one board at a time; `None` means one per core.
    pub threads: Option<NonZeroUsize>,
    /// The journal file of finished boards.
    pub resume: Option<PathBuf>,
    /// The limits of external programs.
    pub program_limits: ProgramLimits,
    /// The start positions of the boards, used in rotation, in the JSON form of the game's positions; if empty, boards
    /// are dealt.
    pub openings: Vec<String>,
    /// The number of random plies that are played on each board before its games, the same for all rotations.
    pub opening_plies: u32,
    /// The rules of the games.
    pub rules: MatchRules,
    /// The file of game records.
    pub records: Option<PathBuf>,
}

/// The contestants and the kind of comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum ArenaPlan {
    /// Plays these contestants, one for each seat.
    Table(Vec<Contestant>),
    /// Tests whether the first of these contestants is an improvement, until there is a verdict.
    Change(Vec<Contestant>, Sprt),
    /// Plays contestants in pairs.
    Tournament(Tournament),
}

impl ArenaPlan {
    /// The contestants in the order given.
    #[must_use]
    pub fn contestants(&self) -> &[Contestant] {
        match self {
            ArenaPlan::Table(contestants)
            | ArenaPlan::Change(contestants, _)
            | ArenaPlan::Tournament(Tournament { contestants, .. }) => contestants,
        }
    }
}

/// Why an arena cannot be played.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// The number of seats is not the number of players.
    #[error("{players} players need {players} seats, not {seats}")]
    SeatCount {
        /// The number of players of the game.
        players: u8,
        /// The number of seats given.
        seats: usize,
    },
    /// A tournament has fewer than two contestants.
    #[error("{} has at least two contestants", .0.name_with_article())]
    TooFewContestants(TournamentFormat),
    /// A tournament has the same contestant twice.
    #[error("{} cannot have {contestant} twice", format.name_with_article())]
    DuplicateContestant {
        /// The format of the tournament.
        format: TournamentFormat,
        /// The contestant.
        contestant: Contestant,
    },
    /// A contestant has no player.
    #[error("{0}")]
    NoPlayer(String),
    /// Decided games cannot be recognised.
    #[error("{0} has no evaluation that could tell which games are decided")]
    NoEvaluation(&'static str),
    /// No board can be dealt.
    #[error("{0}")]
    Deal(Box<dyn Error + Send + Sync>),
    /// An opening is not a valid position of the game.
    #[error("opening {number}: {error}")]
    Opening {
        /// The number of the opening, from 1.
        number: usize,
        /// The cause.
        error: Box<dyn Error + Send + Sync>,
    },
    /// The journal cannot be used.
    #[error("the arena cannot go on in {}: {error}", path.display())]
    Journal {
        /// The path that was given.
        path: PathBuf,
        /// The cause.
        error: JournalError,
    },
    /// The game records cannot be written.
    #[error("the records cannot be written to {}: {error}", path.display())]
    Records {
        /// The path that was given.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The threads cannot be started.
    #[error("{0}")]
    Threads(Box<dyn Error + Send + Sync>),
}

impl ArenaConfig {
    /// A configuration with this number of boards, seed 1 and the defaults.
    #[must_use]
    pub fn new(plan: ArenaPlan, boards: u32) -> Self {
        ArenaConfig {
            plan,
            boards,
            seed: 1,
            threads: None,
            resume: None,
            program_limits: ProgramLimits::default(),
            openings: Vec::new(),
            opening_plies: 0,
            rules: MatchRules::default(),
            records: None,
        }
    }

    /// Checks that the contestants fit a game with the given number of players.
    ///
    /// # Errors
    /// The first problem found.
    pub fn check(&self, players: u8) -> Result<(), ArenaError> {
        match &self.plan {
            ArenaPlan::Table(seats) | ArenaPlan::Change(seats, _) => {
                if seats.len() != usize::from(players) {
                    let seats = seats.len();
                    return Err(ArenaError::SeatCount { players, seats });
                }
            }
            ArenaPlan::Tournament(Tournament {
                format,
                contestants,
                ..
            }) => {
                let format = *format;
                if contestants.len() < 2 {
                    return Err(ArenaError::TooFewContestants(format));
                }
                for (at, contestant) in contestants.iter().enumerate() {
                    if contestants[..at].contains(contestant) {
                        let contestant = contestant.clone();
                        return Err(ArenaError::DuplicateContestant { format, contestant });
                    }
                }
            }
        }
        Ok(())
    }

    /// The maximum number of boards over all tables, for a game with the given number of players.
    #[must_use]
    pub fn max_boards(&self, players: u8) -> u64 {
        self.seatings(players).len() as u64 * u64::from(self.boards)
    }

    /// Plays all boards that are not in the journal.
    ///
    /// # Errors
    /// When the contestants do not fit the game, a contestant has no player, or a file cannot be used.
    pub fn run<G: ArenaGame>(
        &self,
        game: G,
        host: &impl ArenaHost<G>,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError> {
        self.check(game.players())?;
        let run = ArenaRun::open(self, game, host, progress)?;
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| ArenaError::Threads(error.into()))?;
        let report = pool.install(|| run.play());
        progress.finish();
        if let Some(records) = &run.records {
            records
                .finish()
                .map_err(|error| self.records_error(error))?;
        }
        report
    }

    fn seatings(&self, players: u8) -> Vec<Seating> {
        match &self.plan {
            ArenaPlan::Table(seats) | ArenaPlan::Change(seats, _) => {
                vec![Seating::Fixed(seats.clone())]
            }
            ArenaPlan::Tournament(tournament) => {
                tournament.format.pairings(&tournament.contestants, players)
            }
        }
    }

    fn open_journal<G: ArenaGame>(&self, game: &G) -> Result<Journal, ArenaError> {
        let Some(path) = &self.resume else {
            return Ok(Journal::default());
        };
        let header = JournalHeader {
            arena: FORMAT,
            parameters: GameParametersJson::from_game(game),
            seed: self.seed,
            tables: self.seatings(game.players()),
            programs: self.program_limits.budget,
            openings: openings_hash(&self.openings),
            opening_plies: self.opening_plies,
            rules: self.rules,
        };
        Journal::open(path, &header, game.players()).map_err(|error| self.journal_error(error))
    }

    fn journal_error(&self, error: JournalError) -> ArenaError {
        let path = self.resume.clone().unwrap_or_default();
        ArenaError::Journal { path, error }
    }

    fn open_records(
        &self,
        players: u8,
        journal: &Journal,
    ) -> Result<Option<GameRecordFile>, ArenaError> {
        let Some(path) = &self.records else {
            return Ok(None);
        };
        let is_known = |table, board| journal.result_of(table, board).is_some();
        let records = match self.resume {
            Some(_) => GameRecordFile::open(path, players, is_known),
            None => GameRecordFile::create(path),
        };
        records.map(Some).map_err(|error| self.records_error(error))
    }

    fn records_error(&self, error: io::Error) -> ArenaError {
        let path = self.records.clone().unwrap_or_default();
        ArenaError::Records { path, error }
    }
}

/// The SHA-256 of all openings in their order; `None` if there are none.
fn openings_hash(openings: &[String]) -> Option<String> {
    let mut digest = Sha256::new();
    for opening in openings {
        digest.update(opening);
        digest.update("\n");
    }
    (!openings.is_empty()).then(|| hex(&digest.finalize()))
}

/// An arena run in progress, with its player factories and open files.
struct ArenaRun<'c, G: SerializableGame, H> {
    config: &'c ArenaConfig,
    game: G,
    host: &'c H,
    factories: HashMap<Contestant, BoxedPlayerFactory<'c, G>>,
    openings: Vec<G::Position>,
    journal: Journal,
    records: Option<GameRecordFile>,
    progress: &'c ArenaProgress,
    /// The number of tables.
    tables: usize,
}

impl<'c, G: ArenaGame, H: ArenaHost<G>> ArenaRun<'c, G, H> {
    fn open(
        config: &'c ArenaConfig,
        game: G,
        host: &'c H,
        progress: &'c ArenaProgress,
    ) -> Result<Self, ArenaError> {
        if config.rules.adjudication.is_some() && G::evaluator().is_none() {
            return Err(ArenaError::NoEvaluation(G::NAME));
        }
        let openings = (1..).zip(&config.openings).map(|(number, text)| {
            let opening_error = |error| ArenaError::Opening { number, error };
            let setup =
                serde_json::from_str(text).map_err(|error| opening_error(Box::new(error)))?;
            let position = game.position_from_setup(&setup);
            position.map_err(|error| opening_error(Box::new(error)))
        });
        let openings = openings.collect::<Result<Vec<_>, ArenaError>>()?;
        let mut factories = HashMap::new();
        for contestant in config
            .seatings(game.players())
            .iter()
            .flat_map(Seating::contestants)
        {
            if let MapEntry::Vacant(entry) = factories.entry(contestant) {
                let factory = host.player_factory(entry.key(), &config.program_limits);
                entry.insert(factory.map_err(ArenaError::NoPlayer)?);
            }
        }
        let journal = config.open_journal(&game)?;
        let records = config.open_records(game.players(), &journal)?;
        Ok(ArenaRun {
            config,
            game,
            host,
            factories,
            openings,
            journal,
            records,
            progress,
            tables: config.seatings(game.players()).len(),
        })
    }

    fn play(&self) -> Result<ArenaReport, ArenaError> {
        let boards = self.config.boards;
        let setting = ArenaSetting {
            parameters: GameParametersJson::from_game(&self.game),
            rotations: self.game.players(),
            seed: self.config.seed,
            openings: self.openings.len(),
            opening_plies: self.config.opening_plies,
            rules: self.config.rules,
        };
        let table_runs = (0..).zip(self.config.seatings(self.game.players()));
        let table_runs = table_runs.map(|(number, seating)| TableRun {
            run: self,
            seating,
            number,
        });
        let mut table_runs = table_runs.collect::<Vec<_>>().into_iter();
        match &self.config.plan {
            ArenaPlan::Table(seats) => {
                let table_run = table_runs.next().expect("the plan has one table");
                Ok(table_report(
                    setting,
                    seats,
                    &table_run.play(0..boards)?,
                    None,
                ))
            }
            ArenaPlan::Change(seats, sprt) => {
                let table_run = table_runs.next().expect("the plan has one table");
                let (boards, verdict) = table_run.run_sprt(seats, sprt)?;
                Ok(table_report(setting, seats, &boards, Some(verdict)))
            }
            ArenaPlan::Tournament(Tournament {
                format,
                contestants,
                sprt,
            }) => {
                let tables = table_runs.map(|table_run| {
                    let (boards, verdict) = match (&table_run.seating, sprt) {
                        (Seating::Fixed(seats), Some(sprt)) => {
                            let (boards, verdict) = table_run.run_sprt(seats, sprt)?;
                            (boards, Some(verdict))
                        }
                        _ => (table_run.play(0..boards)?, None),
                    };
                    Ok((table_run.seating, boards, verdict))
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
                    format: *format,
                    boards,
                    steps,
                    ratings: tournament::ratings(contestants, self.config.seed, &tables),
                }))
            }
        }
    }
}

fn table_report(
    setting: ArenaSetting,
    seats: &[Contestant],
    boards: &[BoardResult],
    sprt: Option<SprtReport>,
) -> ArenaReport {
    ArenaReport::Table(TableReport {
        setting,
        results: ResultTable::from_boards(seats, boards),
        sprt,
    })
}

/// One table of an arena run.
struct TableRun<'h, 'c, G: SerializableGame, H> {
    run: &'h ArenaRun<'c, G, H>,
    seating: Seating,
    number: u32,
}

impl<G: ArenaGame, H: ArenaHost<G>> TableRun<'_, '_, G, H> {
    /// Plays these boards in parallel; the results are in order.
    fn play(&self, boards: Range<u32>) -> Result<Vec<BoardResult>, ArenaError> {
        let boards = boards.into_par_iter().with_max_len(1);
        boards.map(|board| self.board_result(board)).collect()
    }

    fn board_result(&self, board: u32) -> Result<BoardResult, ArenaError> {
        let ArenaRun {
            config,
            journal,
            records,
            progress,
            ..
        } = self.run;
        let is_written = |records: &GameRecordFile| records.contains_board(self.number, board);
        let known = journal.result_of(self.number, board);
        let known = known.filter(|_| records.as_ref().is_none_or(is_written));
        let result = match known {
            Some(known) => known.clone(),
            None => {
                let (played, games) = self.play_board(board)?;
                if let Some(records) = records {
                    let appended = records.append(&games);
                    appended.map_err(|error| config.records_error(error))?;
                }
                let appended = journal.append(self.number, board, &played);
                appended.map_err(|error| config.journal_error(error))?;
                played
            }
        };
        progress.add_board();
        Ok(result)
    }

    /// Plays a board. Also returns the record line of each game, if records are written.
    fn play_board(
        &self,
        board: u32,
    ) -> Result<(BoardResult, Vec<(GameNumber, String)>), ArenaError> {
        let run = self.run;
        let (game, seed) = (&run.game, run.config.seed);
        let key = BoardKey { seed, board };
        let seats = self.seating.seats_for_board(key, game.players());
        let factories = seats.iter().map(|contestant| &*run.factories[contestant]);
        let factories: Vec<&(dyn PlayerFactory<G> + Send + Sync)> = factories.collect();
        let start = match run.openings.len() {
            0 => {
                let dealt = game.deal(&mut key.deal_rng());
                dealt.map_err(|error| ArenaError::Deal(Box::new(error)))?
            }
            openings => run.openings[board as usize % openings].clone(),
        };
        let start = after_random_plies(game, start, run.config.opening_plies, key);
        let terms = GameTerms {
            rules: run.config.rules,
            grace: run.config.program_limits.grace,
        };
        let report = |rotation, result: &GameResult| {
            let number = self.game_number(board, rotation);
            run.progress
                .add_game(|| game_line(number, run.tables > 1, &seats, result));
        };
        let (result, games) = super::play_from(game, key, &start, &factories, terms, report);
        if run.records.is_none() {
            return Ok((result, Vec::new()));
        }
        let players = game.players();
        let games = (0..).zip(games).zip(&result.games);
        let lines = games.filter_map(|((rotation, record), ended)| {
            let number = self.game_number(board, rotation);
            let seated =
                Player::all(players).map(|player| &seats[seat_of(player, rotation, players)]);
            let line = run.host.record(&PlayedGame {
                seed,
                number,
                players: seated.collect(),
                program_limits: &run.config.program_limits,
                record,
                forfeit: ended.end.forfeit(),
            });
            Some((number, line?))
        });
        let lines = lines.collect();
        Ok((result, lines))
    }

    const fn game_number(&self, board: u32, rotation: u8) -> GameNumber {
        GameNumber {
            table: self.number,
            board,
            rotation,
        }
    }

    /// Plays boards in batches until the test has a verdict or the maximum is reached.
    fn run_sprt(
        &self,
        seats: &[Contestant],
        sprt: &Sprt,
    ) -> Result<(Vec<BoardResult>, SprtReport), ArenaError> {
        let tested = tested_seats(seats);
        let max_boards = self.run.config.boards;
        let mut boards = Vec::new();
        loop {
            let next = boards.len() as u32;
            boards.extend(self.play(next..max_boards.min(next.saturating_add(Sprt::BATCH)))?);
            let distinct = distinct_boards(&boards).into_iter();
            let distinct: Vec<_> = distinct.map(|(_, board)| board.clone()).collect();
            let means = board_means(&tested, &distinct, LuckAdjustment::fit(&distinct));
            let verdict = sprt.verdict(&means);
            if verdict != SprtVerdict::Unknown || boards.len() as u32 == max_boards {
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

/// The position after this number of random plies from a start position; fewer if the game ends before.
fn after_random_plies<G: ArenaGame>(
    game: &G,
    start: G::Position,
    plies: u32,
    key: BoardKey,
) -> G::Position {
    let mut rng = key.opening_rng();
    let mut longest = (0, start.clone());
    for _ in 0..MAX_OPENING_ATTEMPTS {
        let (mut position, mut played) = (start.clone(), 0);
        while played < plies
            && let Some(action) = game.legal_actions(&position).choose(&mut rng)
        {
            let outcome = game.sample_outcome(&position, action, &mut rng);
            let after = game.apply(&position, action, outcome);
            if game.status(&after).is_over() {
                break;
            }
            (position, played) = (after, played + 1);
        }
        if played == plies {
            return position;
        }
        if played > longest.0 {
            longest = (played, position);
        }
    }
    longest.1
}

/// How often random plies are drawn again because they ended the game.
const MAX_OPENING_ATTEMPTS: u32 = 100;

/// The line that reports a finished game.
fn game_line(
    number: GameNumber,
    with_table: bool,
    seats: &[Contestant],
    result: &GameResult,
) -> String {
    let players = seats.len() as u8;
    let seated = |player| &seats[seat_of(player, number.rotation, players)];
    let names: Vec<_> = Player::all(players)
        .map(|player| seated(player).to_string())
        .collect();
    let scores: Vec<_> = Player::all(players)
        .map(|player| format!("{}", (1e3 * result.win_share(player)).round() / 1e3))
        .collect();
    let table = match with_table {
        true => format!(" of table {}", number.table + 1),
        false => String::new(),
    };
    let game = u64::from(number.board) * u64::from(players) + u64::from(number.rotation) + 1;
    let reason = match &result.end {
        GameEndReason::Rules => "by the rules".to_owned(),
        GameEndReason::Limit => "ply limit".to_owned(),
        GameEndReason::Decided => "decided".to_owned(),
        GameEndReason::Forfeit(forfeit) => format!(
            "{} ({}) forfeits: {}",
            forfeit.player,
            seated(forfeit.player),
            forfeit.why.fault.name()
        ),
    };
    format!(
        "Finished game {game}{table} ({}): {} {{{reason}, {} plies}}",
        names.join(" vs "),
        scores.join("-"),
        result.plies
    )
}

/// The seats whose share is tested: all seats of the first contestant. If all contestants are equal, their mean share
/// is par by construction, so only the first seat is tested.
fn tested_seats(seats: &[Contestant]) -> Vec<usize> {
    let own: Vec<usize> = (0..seats.len())
        .filter(|&seat| seats[seat] == seats[0])
        .collect();
    if own.len() == seats.len() {
        vec![0]
    } else {
        own
    }
}
