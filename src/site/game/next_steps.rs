//! What a player is told and offered after a game: a milestone, a lesson or a puzzle, and the board of the day.

use quick_cache::sync::Cache;

use super::milestone;
use crate::game::Player;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::site::shared::app::{App, FeatureState};
use crate::site::shared::identity::BrowserSession;
use crate::site::{daily, learn, puzzles};
use crate::store::GameId;
use crate::tables::Snapshot;
use crate::templates::game_over::{
    DailyCardView, LessonCardView, MilestoneView, NextStepsView, PuzzleCardView,
};

/// The number of a browser's newest games in which its lost games are counted.
const GAMES_CONSIDERED: u32 = 8;

/// After this many lost games in a row, a lesson is recommended.
const MIN_LOSSES: u32 = 3;

/// The number of cached games.
const CACHED_GAMES: usize = 10_000;

/// What follows from how a finished game was played. Games that end later do not change it.
#[derive(Clone)]
enum Outcome {
    /// The milestone of a won game.
    Won(Option<MilestoneView>),
    /// The lesson that fits a game that was not won.
    NotWon(Option<LessonCardView>),
}

/// Cache of the outcomes of games, by game and browser.
pub(super) struct OutcomeCache(Cache<(GameId, SecretHash), Outcome>);

impl FeatureState for OutcomeCache {
    fn new(_: &App) -> Self {
        OutcomeCache(Cache::new(CACHED_GAMES))
    }
}

/// What a visitor who has these seats of a finished game is offered.
pub(super) async fn load(
    app: &App,
    browser: &BrowserSession,
    snapshot: &Snapshot,
    own: &[Player],
) -> Result<NextStepsView, HttpError> {
    let credentials = browser.credentials();
    let outcome = match (own, credentials.browser) {
        (&[player], Some(browser_hash)) => {
            let key = (snapshot.id.clone(), browser_hash);
            let OutcomeCache(outcomes) = &*app.state();
            match outcomes.get(&key) {
                Some(known) => known,
                None => {
                    let outcome = match is_won(snapshot, player) {
                        true => Outcome::Won(milestone::load(app, browser, snapshot).await?),
                        false => {
                            Outcome::NotWon(lesson_card(app, snapshot, player, &credentials).await?)
                        }
                    };
                    outcomes.insert(key, outcome.clone());
                    outcome
                }
            }
        }
        _ => Outcome::NotWon(None),
    };
    let (milestone, lesson) = match outcome {
        Outcome::Won(milestone) => (milestone, None),
        Outcome::NotWon(lesson) => (None, lesson),
    };
    let puzzle = match &lesson {
        Some(_) => None,
        None => {
            let kind = app
                .service
                .games()
                .game_type(snapshot.live.configured_game().page_name().game);
            match kind {
                Ok(kind) => puzzles::suggested_puzzle(app, kind, browser).await?,
                Err(_) => None,
            }
        }
    };
    let today = app.service.today();
    let scores = daily::scores(app, credentials.browser.as_ref()).await?;
    let is_played = snapshot.day() == Some(today) || scores.iter().any(|score| score.day == today);
    Ok(NextStepsView {
        milestone,
        daily_result: daily::result_path(app, snapshot, &credentials).await?,
        lesson,
        puzzle: puzzle.map(|(address, theme)| PuzzleCardView { address, theme }),
        daily: (!is_played).then(|| DailyCardView {
            streak: daily::streak(&scores, today, app.service.first_open_day()),
        }),
    })
}

fn is_won(snapshot: &Snapshot, player: Player) -> bool {
    snapshot.live.winners() == [player]
}

fn is_lost(snapshot: &Snapshot, player: Player) -> bool {
    let winners = snapshot.live.winners();
    !winners.is_empty() && !winners.contains(&player)
}

/// The lesson for a player who has not won: that which fits the game, or the first one after several lost games.
async fn lesson_card(
    app: &App,
    snapshot: &Snapshot,
    player: Player,
    credentials: &Credentials,
) -> Result<Option<LessonCardView>, HttpError> {
    let name = snapshot.live.configured_game().page_name().game;
    let losses = match is_lost(snapshot, player) {
        true => lost_in_a_row(app, snapshot, credentials).await?,
        false => 0,
    };
    let losses = Some(losses).filter(|losses| *losses >= MIN_LOSSES);
    let advice = snapshot.live.lesson_advice(player).and_then(|advice| {
        let address = learn::lesson_address(app, advice.lesson)?;
        Some(LessonCardView {
            address,
            title: Some(format!("learn-{}-name", advice.lesson)),
            reason: Some(advice.reason),
            losses,
        })
    });
    let has_lessons = name == app.service.games().default_game().name();
    let first = (losses.is_some() && has_lessons).then(|| LessonCardView {
        address: "/learn".to_owned(),
        title: None,
        reason: None,
        losses,
    });
    Ok(advice.or(first))
}

/// How many games the browser has lost in a row, this one included and games that ended later not.
async fn lost_in_a_row(
    app: &App,
    snapshot: &Snapshot,
    credentials: &Credentials,
) -> Result<u32, HttpError> {
    let mut losses = 1;
    let Some(browser) = credentials.browser else {
        return Ok(losses);
    };
    let ids = app
        .service
        .store()
        .list_games_of(&browser, GAMES_CONSIDERED)
        .await?;
    for game in app
        .service
        .summaries(&ids, credentials.client_network)
        .await?
    {
        let is_earlier = game.winners.is_some()
            && game.newest.id != snapshot.id
            && game.last_ms <= last_activity_ms(snapshot);
        match game.newest.seats_of(credentials)[..] {
            [player] if is_earlier && is_lost(&game.newest, player) => losses += 1,
            [_] if is_earlier => break,
            _ => {}
        }
    }
    Ok(losses)
}

fn last_activity_ms(snapshot: &Snapshot) -> i64 {
    let played_ms = snapshot.live.last_entry_ms();
    played_ms.unwrap_or(snapshot.created_ms)
}
