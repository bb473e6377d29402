//! Puzzles: answers, ratings, and which puzzle comes next.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::rows::{PuzzleAnswer, PuzzleCount};
use crate::client_network::ClientNetwork;
use crate::day::Day;
use crate::games::puzzle::{FIRST_RATING, Puzzle, expected_share, rating_of_share};
use crate::games::{GameType, Registry};
use crate::secret::SecretHash;
use crate::site::shared::app::{App, FeatureState};
use crate::site::shared::cached_value::CachedValue;
use crate::site::shared::networks::network_hash;
use crate::tables::{Service, ServiceError};

/// How long counted answers are reused.
const COUNTS_LIFETIME: Duration = Duration::from_secs(60);

/// The number of answers that the rating at publication counts as.
const PRIOR_ANSWERS: f64 = 10.0;

/// The most that one answer changes a browser's rating (Elo's K).
const RATING_STEP: f64 = 32.0;

/// The counted answers to all puzzles, by puzzle.
pub(in crate::site) struct PuzzleCounts(CachedValue<Arc<HashMap<String, PuzzleCount>>>);

impl FeatureState for PuzzleCounts {
    fn new(_: &App) -> Self {
        PuzzleCounts(CachedValue::new(COUNTS_LIFETIME))
    }
}

/// The answers of a browser.
#[derive(Clone, Hash, Debug)]
pub(in crate::site) struct PuzzleHistory {
    /// Whether each answered puzzle was solved.
    pub(in crate::site) solved: BTreeMap<String, bool>,
    /// The rating on the Elo scale, rounded.
    pub(in crate::site) rating: u32,
    /// The rating before the last answer.
    pub(in crate::site) rating_before: u32,
    /// The number of the last answers in a row that were right.
    pub(in crate::site) row: u32,
    /// The longest such row.
    pub(in crate::site) longest_row: u32,
    /// The puzzle that was answered last.
    last: Option<String>,
    /// The days on which the puzzle of the day was answered right.
    days: BTreeSet<Day>,
}

impl Default for PuzzleHistory {
    fn default() -> Self {
        PuzzleHistory {
            solved: BTreeMap::new(),
            rating: rounded(FIRST_RATING),
            rating_before: rounded(FIRST_RATING),
            row: 0,
            longest_row: 0,
            last: None,
            days: BTreeSet::new(),
        }
    }
}

impl PuzzleHistory {
    /// Whether this puzzle was answered last.
    pub(in crate::site) fn is_last(&self, puzzle: &Puzzle) -> bool {
        self.last.as_ref() == Some(&puzzle.id)
    }

    /// The number of days in a row, up to today or yesterday, on which the puzzle of the day was answered right.
    pub(in crate::site) fn streak(&self, today: Day) -> u32 {
        let skipped = u32::from(!self.days.contains(&today));
        let days = (skipped..=today.number()).map(|before| today.before(before));
        days.take_while(|day| self.days.contains(day)).count() as u32
    }
}

fn rounded(rating: f64) -> u32 {
    rating.max(0.0).round() as u32
}

/// The puzzle with this id, and its game.
pub(super) fn find<'g>(games: &'g Registry, id: &str) -> Option<(&'g dyn GameType, &'g Puzzle)> {
    let mut kinds = games.game_types();
    kinds.find_map(|kind| {
        let mut puzzles = kind.puzzles().iter();
        Some((kind, puzzles.find(|puzzle| puzzle.id == id)?))
    })
}

/// The puzzle of the day in a game: the same for everybody, from midnight UTC.
pub(super) fn of_the_day(kind: &dyn GameType, day: Day) -> Option<&Puzzle> {
    let puzzles = kind.puzzles();
    puzzles.get((day.number() as usize).checked_rem(puzzles.len())?)
}

/// The next puzzle for a browser: of those of the theme that it has not answered, the one whose rating is closest
/// to its own.
pub(super) fn next<'g>(
    kind: &'g dyn GameType,
    theme: Option<&str>,
    history: &PuzzleHistory,
) -> Option<&'g Puzzle> {
    let puzzles = kind.puzzles().iter().filter(|puzzle| {
        theme.is_none_or(|theme| puzzle.theme == theme) && !history.solved.contains_key(&puzzle.id)
    });
    puzzles.min_by_key(|puzzle| puzzle.rating.abs_diff(history.rating))
}

/// Stores the answer to a puzzle unless the browser has answered it before.
pub(super) async fn judge_and_store(
    service: &Service,
    browser: &SecretHash,
    client_network: ClientNetwork,
    puzzle: &Puzzle,
    choice: usize,
) -> Result<(), ServiceError> {
    let history = history(service, Some(browser)).await?;
    if history.solved.contains_key(&puzzle.id) {
        return Ok(());
    }
    let at_ms = service.now_ms();
    let network = network_hash(service, client_network, Day::of_ms(at_ms));
    let network = network.await?;
    let answer = PuzzleAnswer {
        browser: *browser,
        puzzle: puzzle.id.clone(),
        is_right: choice == puzzle.right,
        at_ms,
        is_counted: true,
    };
    Ok(service.store().add_puzzle_answer(answer, network).await?)
}

/// The answers of a browser to puzzles that still exist.
pub(in crate::site) async fn history(
    service: &Service,
    browser: Option<&SecretHash>,
) -> Result<PuzzleHistory, ServiceError> {
    let Some(browser) = browser else {
        return Ok(PuzzleHistory::default());
    };
    let mut history = PuzzleHistory::default();
    let mut rating = FIRST_RATING;
    for answer in service.store().puzzle_answers(browser).await? {
        let Some((_, puzzle)) = find(service.games(), &answer.puzzle) else {
            continue;
        };
        let expected = expected_share(rating, puzzle.rating.into());
        let result = f64::from(u8::from(answer.is_right));
        history.rating_before = rounded(rating);
        rating += RATING_STEP * (result - expected);
        history.rating = rounded(rating);
        history.last = Some(puzzle.id.clone());
        history.solved.insert(puzzle.id.clone(), answer.is_right);
        history.row = if answer.is_right { history.row + 1 } else { 0 };
        history.longest_row = history.longest_row.max(history.row);
        let day = Day::of_ms(answer.at_ms);
        let of_the_day = of_the_day(service.games().default_game(), day);
        if answer.is_right && of_the_day.is_some_and(|of_the_day| of_the_day.id == puzzle.id) {
            history.days.insert(day);
        }
    }
    Ok(history)
}

/// How often a puzzle was answered, and its rating from that: on the Elo scale, so that a player with this rating
/// solves it in half of all cases. Up to a minute old.
pub(super) async fn rating(
    app: &App,
    puzzle: &Puzzle,
) -> Result<(Option<PuzzleCount>, u32), ServiceError> {
    let counts = counts(app).await?;
    let count = counts.get(&puzzle.id);
    let rating = count.map_or(puzzle.rating, |count| {
        let prior = expected_share(FIRST_RATING, puzzle.rating.into());
        let solved = f64::from(count.right) + PRIOR_ANSWERS * prior;
        let share = solved / (f64::from(count.answers) + PRIOR_ANSWERS);
        rating_of_share(share)
    });
    Ok((count.cloned(), rating))
}

async fn counts(app: &App) -> Result<Arc<HashMap<String, PuzzleCount>>, ServiceError> {
    let PuzzleCounts(cache) = &*app.state();
    if let Some(counts) = cache.get() {
        return Ok(counts);
    }
    let stored = app.service.store().puzzle_counts().await?.into_iter();
    let counts = stored.map(|count| (count.puzzle.clone(), count)).collect();
    let counts = Arc::new(counts);
    cache.set(Arc::clone(&counts));
    Ok(counts)
}
