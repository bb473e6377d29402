//! The command `book`.

use std::fs;
use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use dice_of_doom::cli::BoardArgs;
use dice_of_doom::search::StopToken;
use dice_of_doom_games::trilobite::opening_book::OpeningBook;
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solver};
use dice_of_doom_games::trilobite::{Position, Trilobite};

/// Shown by `--help` below the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab book 7x6n4.book --plies 1
  dice-of-doom-lab book 7x6n4.book --plies 1 --replies 8       extends the book of the first example
  dice-of-doom-lab book 6x5n4.book --width 6 --height 5 --plies 6
  dice-of-doom-lab book 8x7n4.book --width 8 --height 7 --plies 1 --nodes 400000000";

/// The options of the command `book`.
#[derive(Args, Clone, Debug)]
pub struct BookArgs {
    /// The book, which is created or extended
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub board: BoardArgs,

    /// Solve all positions of at most so many chips
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=20))]
    pub plies: u32,

    /// Also solve the positions of at most so many chips that a player meets who plays a best move each time
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=42))]
    pub replies: u32,

    /// Maximum number of positions to search for one of them, whose bounds are stored if it is not solved [default: no
    /// limit]
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroU64>,

    /// Positions solved in parallel [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Maximum size of each thread's table in MiB
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub table_mib: u32,
}

/// The time between two writes of the file and reports of the progress.
const SAVE_INTERVAL: Duration = Duration::from_secs(15);

/// The number of jobs of a thread. Each is a run of consecutive positions, because the table helps most with similar ones.
const JOBS_PER_THREAD: usize = 8;

/// A book that is being made.
struct BookBuilder<'a> {
    options: &'a BookArgs,
    book: OpeningBook,
    solvers: Vec<Solver>,
    start: Instant,
    saved: Instant,
    report: &'a mut dyn FnMut(&str),
}

impl BookArgs {
    /// Makes the book or continues it; `report` gets lines about the progress.
    ///
    /// # Errors
    /// If there is no such board, the file belongs to another one, or it cannot be read or written.
    pub fn run(&self, report: &mut dyn FnMut(&str)) -> Result<(), String> {
        let BoardArgs { width, height, win } = self.board;
        let game = Trilobite::new(width, height, win);
        let game = game.map_err(|error| error.to_string())?;
        let file_error =
            |error: &dyn std::fmt::Display| format!("{}: {error}", self.file.display());
        let book = match fs::read(&self.file) {
            Ok(file) => OpeningBook::from_bytes(&file).map_err(|error| file_error(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                OpeningBook::new(&game).map_err(|error| error.to_string())?
            }
            Err(error) => return Err(file_error(&error)),
        };
        if *book.game() != game {
            return Err(file_error(&"this is the book of another board"));
        }
        let threads = self.threads.map_or_else(thread::available_parallelism, Ok);
        let threads = threads.map_or(1, NonZeroUsize::get);
        let table_bytes = (self.table_mib as usize) << 20;
        let mut builder = BookBuilder {
            options: self,
            book,
            solvers: (0..threads)
                .map(|_| Solver::new(&game, table_bytes))
                .collect(),
            start: Instant::now(),
            saved: Instant::now(),
            report,
        };
        builder.solve_all(self.plies)?;
        // Positions that one player meets can be best replies of the other, too.
        let mut entries = 0;
        while self.replies > self.plies && builder.book.len() > entries {
            entries = builder.book.len();
            for first_turn in 0..2 {
                builder.solve_replies(first_turn)?;
            }
        }
        builder.save()
    }
}

impl BookBuilder<'_> {
    /// Solves all positions of at most so many chips.
    fn solve_all(&mut self, plies: u32) -> Result<(), String> {
        let levels = self.book.positions(plies);
        self.solve(levels.last().map_or(&[], Vec::as_slice), Question::Score)?;
        for position in levels.iter().rev().skip(1).flatten() {
            self.book.insert_from_moves(position);
        }
        for (ply, positions) in levels.iter().enumerate() {
            self.report_solved(&format!("{ply} chips"), positions);
        }
        Ok(())
    }

    /// Solves the positions at the turns of a player who plays a best move each time, and has the first turn after
    /// `first_turn` chips. Where the book knows several best moves, it follows each of them.
    fn solve_replies(&mut self, first_turn: u32) -> Result<(), String> {
        let mut positions = self.book.positions(first_turn).pop().unwrap_or_default();
        for ply in (first_turn..=self.options.replies).step_by(2) {
            self.solve(&positions, Question::ScoreAndReply)?;
            self.report_solved(
                &format!("{ply} chips, player {}", first_turn + 1),
                &positions,
            );
            let replies = positions.iter();
            let replies = replies.flat_map(|position| best_replies(&self.book, position));
            let next = replies.flat_map(|reply| self.book.successors(&reply));
            positions = self.book.without_duplicates(next.collect::<Vec<_>>());
        }
        Ok(())
    }

    /// Solves those of the positions that the book has no answer for, and inserts what has been proven.
    fn solve(&mut self, positions: &[Position], question: Question) -> Result<(), String> {
        let known = &self.book.clone();
        let open = positions
            .iter()
            .filter(|position| !question.is_answered(known, position));
        let open: &Vec<&Position> = &open.collect();
        let max_nodes = self.options.nodes.map_or(u64::MAX, NonZeroU64::get);
        let mut solvers = std::mem::take(&mut self.solvers);
        let job_positions = open.len().div_ceil(JOBS_PER_THREAD * solvers.len()).max(1);
        let (next, (sender, answers)) = (&AtomicUsize::new(0), mpsc::channel());
        let done = thread::scope(|scope| {
            for solver in &mut solvers {
                let sender = sender.clone();
                scope.spawn(move || {
                    loop {
                        let first = next.fetch_add(job_positions, Ordering::Relaxed);
                        let Some(positions) = open.get(first..) else {
                            break;
                        };
                        for position in positions.iter().take(job_positions) {
                            let answer = question.answer(known, solver, position, max_nodes);
                            // Nobody receives it after a failed write.
                            let _ = sender.send(answer);
                        }
                    }
                });
            }
            drop(sender);
            let mut nodes = 0;
            for (count, answer) in (1..).zip(answers) {
                nodes += answer.nodes;
                for (position, bounds) in answer.proven {
                    self.book.insert(&position, bounds);
                }
                if self.saved.elapsed() >= SAVE_INTERVAL {
                    self.save()?;
                    let seconds = self.start.elapsed().as_secs();
                    (self.report)(&format!(
                        "{seconds} s: {count} of {}, {} million positions searched for each",
                        open.len(),
                        nodes / count / 1_000_000
                    ));
                }
            }
            Ok(())
        });
        self.solvers = solvers;
        done
    }

    fn report_solved(&mut self, of: &str, positions: &[Position]) {
        let scores = positions
            .iter()
            .map(|position| self.book.bounds(position).score());
        let solved = scores.flatten().count();
        let seconds = self.start.elapsed().as_secs();
        (self.report)(&format!(
            "{seconds} s: {of}: {solved} of {} solved",
            positions.len()
        ));
    }

    /// Writes the file.
    fn save(&mut self) -> Result<(), String> {
        let file = &self.options.file;
        let new_file = file.with_extension("new");
        let written = fs::write(&new_file, self.book.to_bytes());
        let renamed = written.and_then(|()| fs::rename(&new_file, file));
        self.saved = Instant::now();
        renamed.map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// What is asked about a position.
#[derive(Clone, Copy)]
enum Question {
    Score,
    /// The score, and a move that reaches it.
    ScoreAndReply,
}

/// What has been proven for one position.
struct Answer {
    proven: Vec<(Position, ScoreBounds)>,
    nodes: u64,
}

impl Question {
    fn is_answered(self, book: &OpeningBook, position: &Position) -> bool {
        match self {
            Question::Score => book.bounds(position).score().is_some(),
            Question::ScoreAndReply => !best_replies(book, position).is_empty(),
        }
    }

    /// Searches at most `max_nodes` positions for each of the positions to be proven.
    fn answer(
        self,
        book: &OpeningBook,
        solver: &mut Solver,
        position: &Position,
        max_nodes: u64,
    ) -> Answer {
        let (stop, known) = (StopToken::new(), book.bounds(position));
        let solution = solver.solve_within(position, known, max_nodes, &stop);
        let (mut proven, mut nodes) = (vec![(*position, solution.bounds)], solution.nodes);
        if let (Question::ScoreAndReply, Some(score)) = (self, solution.bounds.score()) {
            // No move leads to a lower score for the opponent.
            let (lower, upper) = (-score, 1 - score);
            for reply in book.successors(position) {
                let known = ScoreBounds { lower, upper };
                let solution = solver.solve_within(&reply, known, max_nodes, &stop);
                nodes += solution.nodes;
                if solution.bounds.score() == Some(lower) {
                    proven.push((reply, solution.bounds));
                    break;
                }
            }
        }
        Answer { proven, nodes }
    }
}

/// The positions after those moves that the book knows to be best.
fn best_replies(book: &OpeningBook, position: &Position) -> Vec<Position> {
    let Some(score) = book.bounds(position).score() else {
        return Vec::new();
    };
    let mut replies = book.successors(position);
    replies.retain(|reply| book.bounds(reply).score() == Some(-score));
    replies
}
