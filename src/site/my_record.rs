//! The reader's own record: statistics, all games with a filter, and the deletion of everything.

use axum::Router;
use axum::routing::{get, post};
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use maud::Markup;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

pub(super) mod statistics;

use statistics::{FinishedGame, Opponents, PlayerStatistics, RECENT_GAMES, month_of};

use super::browser_data::delete_browser;
use super::daily::rows::DailyScore;
use super::daily::{self, streak};
use super::game::context::PageContext;
use super::game_view::{ListedGame, listed_games};
use super::puzzles;
use super::puzzles::answers::PuzzleHistory;
use super::reviews::{breakdowns, is_reviewing, request_review};
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::{BrowserSession, SecretCookie};
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::day::Day;
use crate::games::{FormFields, Registry};
use crate::http::error::HttpError;
use crate::review::ShareBreakdown;
use crate::seats::Credentials;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{GameSummary, MAX_SUMMARIES, ServiceError};
use crate::templates::my_record::{
    DeleteRecordView, MonthView, MyRecordView, OpponentResultsView, RecordFilterView,
    delete_record_page, my_record_page,
};
use crate::templates::page::NavSection;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route(
            "/me/delete",
            limits
                .reading(get(ask_delete))
                .merge(limits.moving(post(delete))),
        )
        .route("/me/reviews", limits.moving(post(review)))
        .route("/me", limits.reading(get(show)))
}

/// The number of games on each page of the list.
const LISTED_GAMES: usize = 24;

/// The number of games that one press on the button reviews: as many reviews as a client may have in progress.
const REVIEWED_AT_ONCE: usize = 3;

/// What the reader chose; empty texts do not filter.
#[derive(Hash)]
struct Filter {
    rules: String,
    month: String,
    name: String,
    result: String,
    opponents: String,
}

impl Filter {
    fn from_query(query: &FormFields) -> Result<Self, HttpError> {
        let text = |name| Ok::<_, HttpError>(query.single(name)?.unwrap_or_default().to_owned());
        Ok(Filter {
            rules: text("rules")?,
            month: text("month")?,
            name: text("name")?.trim().to_lowercase(),
            result: text("result")?,
            opponents: text("opponents")?,
        })
    }

    /// Whether a game belongs to the chosen rules and month.
    fn has_period(&self, game: &GameSummary) -> bool {
        (self.rules.is_empty() || game.game.parameters_text() == self.rules)
            && (self.month.is_empty() || month_of(game) == self.month)
    }

    /// Whether a game is listed.
    fn has_game(&self, game: &GameSummary, credentials: &Credentials) -> bool {
        let played = FinishedGame::new(game, credentials);
        let result = match (&played, &game.winners) {
            (Some(played), _) => played.result.name(),
            (None, None) => "open",
            (None, Some(_)) => "",
        };
        let opponents = || match game.own_seat(credentials) {
            Some(own) => Opponents::of(game, own.player).name(),
            None => "",
        };
        let has_name = || {
            let mut seats = game.newest.seats.seats.iter();
            seats.any(|seat| {
                let former = || seat.occupant.former().and_then(|left| left.name.as_deref());
                let name = seat.occupant.name().or_else(former);
                name.is_some_and(|name| name.to_lowercase().contains(&self.name))
            })
        };
        self.has_period(game)
            && (self.result.is_empty() || result == self.result)
            && (self.opponents.is_empty() || opponents() == self.opponents)
            && (self.name.is_empty() || has_name())
    }

    /// Address of a page of the list with this filter.
    fn address(&self, page: usize) -> String {
        let fields = [
            ("rules", &self.rules),
            ("month", &self.month),
            ("name", &self.name),
            ("result", &self.result),
            ("opponents", &self.opponents),
        ];
        let mut address = format!("/me?page={page}");
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            address.push_str(&format!("&{name}={value}"));
        }
        address + "#games"
    }

    fn view(&self, games: &[Arc<GameSummary>], credentials: &Credentials) -> RecordFilterView {
        let mut rules = Vec::new();
        for game in games {
            let parameters = game.game.parameters_text();
            if rules.iter().all(|(known, _)| *known != parameters) {
                rules.push((parameters, game.game.heading()));
            }
        }
        let mut months: Vec<String> = games.iter().map(|game| month_of(game)).collect();
        months.sort_unstable_by(|a, b| b.cmp(a));
        months.dedup();
        let opponents = games.iter().filter_map(|game| {
            let own = game.own_seat(credentials)?;
            Some(Opponents::of(game, own.player))
        });
        let mut opponents: Vec<Opponents> = opponents.collect();
        opponents.sort_unstable();
        opponents.dedup();
        RecordFilterView {
            rules,
            chosen_rules: self.rules.clone(),
            months,
            month: self.month.clone(),
            name: self.name.clone(),
            result: self.result.clone(),
            opponents: opponents.into_iter().map(Opponents::name).collect(),
            chosen_opponents: self.opponents.clone(),
        }
    }
}

/// `GET /me`
async fn show(
    browser: BrowserSession,
    request: PageRequest,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    let filter = Filter::from_query(&query)?;
    let page = query.number::<usize>("page")?.unwrap_or(1).max(1);
    let (app, credentials) = (&request.app, browser.credentials());
    let service = &app.service;
    let mut games = service
        .own_games(&credentials, browser.client_network)
        .await?;
    games.retain(|game| !game.is_abandoned(service.now_ms()));
    let listed: Vec<Arc<GameSummary>> = games
        .iter()
        .filter(|game| filter.has_game(game, &credentials))
        .cloned()
        .collect();
    let first = (page - 1).saturating_mul(LISTED_GAMES).min(listed.len());
    let last = (first + LISTED_GAMES).min(listed.len());
    let listed_here = listed[first..last].iter().cloned();
    request.respond(&MyRecordPageInput {
        page,
        listed: listed.len(),
        cards: listed_games(service, &credentials, listed_here),
        reviews: Reviews::of(app, &games).await?,
        reviewing: games
            .iter()
            .map(|game| is_reviewing(app, &game.newest.id))
            .collect(),
        scores: daily::scores(app, credentials.browser.as_ref()).await?,
        history: puzzles::answers::history(service, credentials.browser.as_ref()).await?,
        today: service.today(),
        first_open_day: service.first_open_day(),
        carry_over: browser.has_games_to_move(app).await?,
        filter,
        credentials,
        games,
    })
}

#[derive(Hash)]
struct MyRecordPageInput {
    filter: Filter,
    credentials: Credentials,
    games: Vec<Arc<GameSummary>>,
    /// For each game whether its review is being made.
    reviewing: Vec<bool>,
    reviews: Reviews,
    /// The page of the list from 1, its games, and the number of games on all pages.
    page: usize,
    cards: Vec<ListedGame>,
    listed: usize,
    scores: Vec<DailyScore>,
    history: PuzzleHistory,
    today: Day,
    first_open_day: Day,
    carry_over: bool,
}

impl PageInput for MyRecordPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let view = self.view(context.games);
        let site = context.site(NavSection::Record);
        Ok(my_record_page(&site, context.text(), &view).into_string())
    }
}

impl MyRecordPageInput {
    fn view(&self, registry: &Registry) -> MyRecordView {
        let (filter, games, scores, history) =
            (&self.filter, &self.games, &self.scores, &self.history);
        let in_period = |game: &&Arc<GameSummary>| filter.has_period(game);
        let played = games.iter().filter(in_period);
        let played = self.reviews.finished_games(played, &self.credentials);
        let statistics = PlayerStatistics::new(&played);
        let reviewing = games.iter().zip(&self.reviewing).filter(|(game, is)| {
            **is && in_period(game) && FinishedGame::new(game, &self.credentials).is_some()
        });
        let solved = history.solved.values().filter(|is_right| **is_right);
        let points = |share: f64| (share * 100.0).round() as i32;
        let first = (self.page - 1)
            .saturating_mul(LISTED_GAMES)
            .min(self.listed);
        MyRecordView {
            filter: filter.view(games, &self.credentials),
            all_games: games.len() as u32,
            is_truncated: games.len() == MAX_SUMMARIES as usize,
            since: games.last().map(|game| month_of(game)).unwrap_or_default(),
            played: statistics.games,
            won: statistics.won,
            share: (statistics.share, statistics.expected),
            accuracy: statistics.recent_accuracy,
            accuracy_games: statistics.reviewed.min(RECENT_GAMES as u32),
            days: (
                streak(scores, self.today, self.first_open_day),
                longest_streak(scores),
                scores.len() as u32,
            ),
            puzzles: (
                solved.count() as u32,
                history.solved.len() as u32,
                history.rating,
            ),
            by_opponents: statistics
                .by_opponents
                .iter()
                .map(|results| OpponentResultsView {
                    opponents: results.opponents.name(),
                    games: results.games,
                    share: results.share,
                    expected: results.expected,
                })
                .collect(),
            months: statistics
                .months
                .into_iter()
                .map(|month| MonthView {
                    luck: points(month.luck),
                    decisions: points(month.decisions),
                    month: month.month,
                    games: month.games,
                    accuracy: month.accuracy,
                })
                .collect(),
            reviewing: reviewing.count() as u32,
            to_review: unreviewed(&played).count() as u32,
            cards: self.cards.iter().map(ListedGame::view).collect(),
            listed: (first as u32 + 1, self.listed as u32),
            newer: (first > 0).then(|| filter.address(self.page - 1)),
            older: (first + LISTED_GAMES < self.listed).then(|| filter.address(self.page + 1)),
            carry_over: self.carry_over,
            game: registry.default_game().name(),
        }
    }
}

/// What the reviews of games say about each player.
struct Reviews(HashMap<GameId, Arc<[ShareBreakdown]>>);

impl Hash for Reviews {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let reviews: BTreeMap<&GameId, &Arc<[ShareBreakdown]>> = self.0.iter().collect();
        reviews.hash(state);
    }
}

impl Reviews {
    async fn of(app: &App, games: &[Arc<GameSummary>]) -> Result<Self, HttpError> {
        let finished = games.iter().filter(|game| game.winners.is_some());
        let reviews = breakdowns(app, finished.map(|game| &game.newest.id));
        Ok(Reviews(reviews.await?))
    }

    /// The client's finished games among these.
    fn finished_games<'g>(
        &self,
        games: impl Iterator<Item = &'g Arc<GameSummary>>,
        credentials: &Credentials,
    ) -> Vec<FinishedGame<'g>> {
        let finished = games.filter_map(|game| FinishedGame::new(game, credentials));
        let with_review = finished.map(|game| {
            let review = self.0.get(&game.summary.newest.id);
            let own = review.and_then(|players| players.get(usize::from(game.player.number())));
            FinishedGame {
                review: own.cloned(),
                ..game
            }
        });
        with_review.collect()
    }
}

/// The mean accuracy of the reader's newest reviewed games and their number, up to [`RECENT_GAMES`]; `None` for fewer
/// than two.
///
/// # Errors
/// If the store fails.
pub(super) async fn average_accuracy(
    visitor: &PageContext,
) -> Result<Option<(f64, u32)>, HttpError> {
    let (app, credentials) = (&visitor.app, visitor.credentials());
    let network = visitor.browser.client_network;
    let games = app.service.own_games(&credentials, network).await?;
    let reviews = Reviews::of(app, &games).await?;
    let played = reviews.finished_games(games.iter(), &credentials);
    let statistics = PlayerStatistics::new(&played);
    let count = statistics.reviewed.min(RECENT_GAMES as u32);
    let mean = statistics.recent_accuracy.filter(|_| count > 1);
    Ok(mean.map(|mean| (mean, count)))
}

/// The newest games without a review, as many as one press on the button reviews.
fn unreviewed<'g>(played: &'g [FinishedGame<'g>]) -> impl Iterator<Item = &'g FinishedGame<'g>> {
    let unreviewed = played.iter().filter(|game| game.review.is_none());
    unreviewed.take(REVIEWED_AT_ONCE)
}

/// The largest number of days in a row with a score.
fn longest_streak(scores: &[DailyScore]) -> u32 {
    let (mut longest, mut length) = (0, 0);
    let mut last = None;
    // The oldest day comes first.
    for score in scores {
        length = match last {
            Some(day) if score.day == Day::next(day) => length + 1,
            _ => 1,
        };
        longest = longest.max(length);
        last = Some(score.day);
    }
    longest
}

/// `POST /me/reviews`: requests the reviews of the newest games without one.
async fn review(State(app): State<App>, browser: BrowserSession) -> Result<Response, HttpError> {
    let credentials = browser.credentials();
    let games = app
        .service
        .own_games(&credentials, browser.client_network)
        .await?;
    let reviews = Reviews::of(&app, &games).await?;
    let played = reviews.finished_games(games.iter(), &credentials);
    let mut has_requested = false;
    for game in unreviewed(&played) {
        let snapshot = app
            .service
            .snapshot_unloaded(&game.summary.newest.id)
            .await?;
        match request_review(&app, &snapshot, &credentials).await {
            Ok(_) => has_requested = true,
            Err(ServiceError::NotFound) => {}
            // The others can be requested when these are done.
            Err(ServiceError::Busy) if has_requested => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(app.redirect("/me").into_response())
}

/// `GET /me/delete`: asks before everything is deleted.
async fn ask_delete(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Markup, HttpError> {
    let (credentials, service) = (browser.credentials(), &app.service);
    let games = service
        .own_games(&credentials, browser.client_network)
        .await?;
    let scores = daily::scores(&app, credentials.browser.as_ref()).await?;
    let history = puzzles::answers::history(service, credentials.browser.as_ref()).await?;
    let view = DeleteRecordView {
        games: games.len() as u32,
        days: scores.len() as u32,
        puzzles: history.solved.len() as u32,
    };
    let site = app.site(NavSection::Record, display);
    Ok(delete_record_page(&site, app.text(&display), &view))
}

/// `POST /me/delete`
async fn delete(
    State(app): State<App>,
    browser: BrowserSession,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let credentials = browser.credentials();
    delete_browser(&app.service, &credentials).await?;
    for secret in credentials.browsers() {
        app.limits.subscribers.close_streams_of(secret);
    }
    if let Some(book) = SecretCookie::Book.read(&headers, &browser.cookies) {
        let book = Credentials {
            browser: Some(book.hash()),
            ..Credentials::default()
        };
        delete_browser(&app.service, &book).await?;
    }
    Ok((browser.without_secrets(), app.redirect("/me")).into_response())
}
