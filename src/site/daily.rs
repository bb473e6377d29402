//! The board of the day: `/daily`, and a page for each day.

use axum::Router;
use axum::routing::{get, post};
use std::collections::HashSet;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, SameSite};
use maud::Markup;
use serde::Deserialize;
use time::Duration;

pub mod boards;
pub mod rows;

use super::game_view;
use super::png_renderer::PngRenderer;
use super::reviews::review_or_request;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::enter_new_game;
use super::shared::identity::{BrowserSession, CookieScope};
use crate::day::{Day, ParseDayError};
use crate::game::Player;
use crate::http::error::HttpError;
use crate::provably_fair::hex;
use crate::seats::Credentials;
use crate::secret::Secret;
use crate::site::shared::form::Form;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobProgress, JobStatus, Snapshot};
use crate::templates::SiteContext;
use crate::templates::daily::{
    AttemptView, CalendarDayView, DailyDecisionsView, DailyResultView, DailyView, DayPhase,
    OwnDayView, ScoreCountView, daily_page, daily_picture,
};
use crate::templates::page::NavSection;
use crate::templates::start::{DayAttempt, DayBoardView};
pub(super) use boards::scores;
use boards::{attempt, attempts, counts, deal_of, start_of};
use rows::DailyScore;
pub(super) use rows::ROWS;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route(
            "/daily",
            limits
                .reading(get(today))
                .merge(limits.creating(post(begin))),
        )
        .route(
            "/daily/{day}",
            limits
                .reading(get(show))
                .merge(limits.creating(post(play_past))),
        )
        .route("/daily/{day}/board.png", limits.reading(get(board_png)))
        .route("/daily/{day}/result.png", limits.reading(get(result_png)))
}

/// The number of days of the calendar.
const CALENDAR_DAYS: u32 = 28;

/// `GET /daily`: the board of today.
async fn today(
    State(app): State<App>,
    browser: BrowserSession,
    display: RequestDisplayOptions,
) -> Result<Markup, HttpError> {
    let day = app.service.today();
    render(&app, &browser, display, day).await
}

/// `GET /daily/{day}`: the board of a day that has begun.
async fn show(
    State(app): State<App>,
    browser: BrowserSession,
    display: RequestDisplayOptions,
    Path(day): Path<String>,
) -> Result<Markup, HttpError> {
    let day = begun_day(&app, &day)?;
    render(&app, &browser, display, day).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeginForm {
    /// The day of the page that the form is on.
    day: String,
}

/// `POST /daily`: begins or continues the scored game of the day that the form names.
async fn begin(
    State(app): State<App>,
    mut browser: BrowserSession,
    Form(form): Form<BeginForm>,
) -> Result<Response, HttpError> {
    let BeginForm { day } = form;
    let day: Day = day.parse().map_err(|error: ParseDayError| {
        HttpError::unprocessable(format!("{error}, and the form names the day"))
    })?;
    let own = browser.secret.as_ref().map(Secret::hash);
    let is_deleted =
        has_begun(&browser, day) && attempt(&app.service, day, own.as_ref()).await?.is_none();
    if is_deleted {
        return Err(HttpError::begun_before());
    }
    let client_network = Some(browser.client_network);
    let cookie = attempt_cookie(day, app.service.now_ms(), &browser.cookies);
    browser.jar = browser.jar.add(cookie);
    let game = enter_new_game(&app, browser, async |secret| {
        let begun = boards::begin(&app.service, day, &secret, client_network);
        begun.await
    });
    Ok(game.await?)
}

fn attempt_cookie_name(day: Day) -> String {
    format!("dod_day_{day}")
}

/// The cookie that this browser has begun the board of a day. It stays when everything is deleted, until the day is over.
fn attempt_cookie(day: Day, now_ms: i64, scope: &CookieScope) -> Cookie<'static> {
    let mut cookie = scope.cookie(attempt_cookie_name(day), "1".to_owned());
    cookie.set_same_site(SameSite::Lax);
    cookie.set_max_age(Duration::milliseconds(day.over_ms() - now_ms));
    cookie
}

fn has_begun(browser: &BrowserSession, day: Day) -> bool {
    browser.jar.get(&attempt_cookie_name(day)).is_some()
}

/// `POST /daily/{day}`: a new unscored game on the board of a past day.
async fn play_past(
    State(app): State<App>,
    browser: BrowserSession,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day: Day = day.parse().map_err(|_| HttpError::not_found())?;
    let client_network = Some(browser.client_network);
    let game = enter_new_game(&app, browser, async |secret| {
        let game = boards::play_past_day(&app.service, day, &secret, client_network);
        game.await
    });
    Ok(game.await?)
}

async fn render(
    app: &App,
    browser: &BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
    day: Day,
) -> Result<Markup, HttpError> {
    let view = day_view(app, browser, day).await?;
    let site = SiteContext {
        origin: Some(&browser.origin),
        ..app.site(NavSection::Daily, display)
    };
    Ok(daily_page(&site, app.text(&display), &view))
}

/// `GET /daily/{day}/board.png`: the board at the start, for previews of links.
async fn board_png(
    State(app): State<App>,
    browser: BrowserSession,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day = begun_day(&app, &day)?;
    let deal = deal_of(&app.service, day).await?;
    let deal = deal.ok_or_else(HttpError::not_found)?;
    let start = start_of(&app, &deal)?;
    let board = start.board_svgs(&[0]).pop();
    let board = board.ok_or_else(HttpError::not_found)?;
    let renderer = app.state::<PngRenderer>();
    let png = renderer.drawing(board, browser.client_network);
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    Ok((headers, png.await?).into_response())
}

/// `GET /daily/{day}/result.png`: the picture of the viewer's own result. Nobody else can request it: its board tells
/// what the dice of the day allow.
async fn result_png(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day = begun_day(&app, &day)?;
    let view = day_view(&app, &browser, day).await?;
    let picture = daily_picture(app.text(&display), &view);
    let picture = picture.ok_or_else(HttpError::not_found)?;
    let renderer = app.state::<PngRenderer>();
    let png = renderer.drawing(picture, browser.client_network);
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, png.await?).into_response())
}

fn begun_day(app: &App, day: &str) -> Result<Day, HttpError> {
    let day = day.parse().ok();
    let day = day.filter(|day| *day <= app.service.today());
    day.ok_or_else(HttpError::not_found)
}

async fn day_view(app: &App, browser: &BrowserSession, day: Day) -> Result<DailyView, HttpError> {
    let service = &app.service;
    let today = service.today();
    let deal = deal_of(service, day).await?;
    let deal = deal.ok_or_else(HttpError::not_found)?;
    let secret = browser.secret.as_ref().map(Secret::hash);
    let attempt = attempt(service, day, secret.as_ref()).await?;
    let scores = scores(app, secret.as_ref()).await?;
    let first_day = today.before(CALENDAR_DAYS);
    let known_days = service.store().daily_days(first_day).await?;
    let attempts = attempts(service, secret.as_ref(), first_day);
    let attempts = attempts.await?;
    let start = start_of(app, &deal)?;
    let hexes = Player::all(start.players()).filter_map(|player| start.territory(player));
    let next = match day == today {
        true => deal_of(service, day.next()).await?,
        false => None,
    };
    let phase = match (day == today, service.is_day_over(day)) {
        (true, _) => DayPhase::Open,
        (false, false) => DayPhase::Closing,
        (false, true) => DayPhase::Over,
    };
    let has_score = scores.iter().any(|score| score.day == day);
    let state = attempt
        .as_ref()
        .map(|game| AttemptState::new(game, phase, has_score));
    let board = match &attempt {
        Some(game) if state == Some(AttemptState::Over) => game.live.preview().board,
        _ => start.preview().board,
    };
    Ok(DailyView {
        day: day.to_string(),
        phase,
        end_ms: day.end_ms(),
        over_ms: day.over_ms(),
        board,
        hexes: hexes.sum(),
        attempt: match attempt.zip(state) {
            None if has_begun(browser, day) => AttemptView::Deleted,
            None => AttemptView::None,
            Some((game, AttemptState::Begun)) => AttemptView::Begun {
                id: game.id.to_string(),
            },
            Some((game, AttemptState::Unfinished)) => AttemptView::Unfinished {
                id: game.id.to_string(),
            },
            Some((game, AttemptState::Over)) => {
                AttemptView::Over(Box::new(result_view(app, &game, browser, day).await?))
            }
        },
        counts: counts(app, day)
            .await?
            .into_iter()
            .map(|count| ScoreCountView {
                hexes: count.hexes,
                is_won: count.is_won,
                games: count.games,
            })
            .collect(),
        streak: streak(&scores, day, service.first_open_day()),
        calendar: (1..=CALENDAR_DAYS)
            .map(|days| today.before(days))
            .map(|day| CalendarDayView {
                day: day.to_string(),
                exists: known_days.contains(&day),
                own: own_day(&scores, &attempts, day),
            })
            .collect(),
        commitment: deal.secret.commitment().to_string(),
        next_commitment: next.map(|deal| deal.secret.commitment().to_string()),
        is_late: deal.committed_ms >= day.start_ms(),
        secret: (phase == DayPhase::Over).then(|| {
            let secret = &deal.secret;
            (hex(secret.seed.as_bytes()), hex(secret.salt.as_bytes()))
        }),
    })
}

/// How far a browser's scored game has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AttemptState {
    /// It can be continued and counts.
    Begun,
    /// It did not end before its day was over, whether or not it was played on.
    Unfinished,
    Over,
}

impl AttemptState {
    fn new(game: &Snapshot, phase: DayPhase, has_score: bool) -> Self {
        match (game.live.is_over(), phase) {
            (false, DayPhase::Over) => AttemptState::Unfinished,
            (false, DayPhase::Open | DayPhase::Closing) => AttemptState::Begun,
            (true, DayPhase::Over) if !has_score => AttemptState::Unfinished,
            (true, _) => AttemptState::Over,
        }
    }
}

/// The result of a game that is over.
async fn result_view(
    app: &App,
    game: &Snapshot,
    browser: &BrowserSession,
    day: Day,
) -> Result<DailyResultView, HttpError> {
    let live = &game.live;
    let players = Player::all(live.players());
    let mut players: Vec<(u8, u32)> = players
        .filter_map(|player| Some((player.number(), live.territory(player)?)))
        .filter(|(_, hexes)| *hexes > 0)
        .collect();
    players.sort_by_key(|(player, hexes)| (std::cmp::Reverse(*hexes), *player));
    Ok(DailyResultView {
        id: game.id.to_string(),
        hexes: live.territory(Player::FIRST).unwrap_or(0),
        is_won: live.winners() == [Player::FIRST],
        by_turn: live.territory_by_turn(Player::FIRST),
        players,
        address: format!("{}/daily/{day}", browser.origin),
        seats: game_view::named_players(game, &[Player::FIRST]),
        decisions: decisions_view(app, game, browser).await?,
    })
}

/// The best and the costliest decision, from the game's review, which is requested when its result is first viewed.
async fn decisions_view(
    app: &App,
    game: &Snapshot,
    browser: &BrowserSession,
) -> Result<DailyDecisionsView, HttpError> {
    let credentials = browser.credentials();
    let review = review_or_request(app, game, &credentials).await?;
    Ok(match review {
        None => DailyDecisionsView::Unavailable,
        Some(JobStatus::InProgress(JobProgress { done, of })) => {
            DailyDecisionsView::InProgress { done, of }
        }
        Some(JobStatus::Ready(review)) => game
            .live
            .notable_decisions(&review, Player::FIRST)
            .map_or(DailyDecisionsView::Unavailable, |found| {
                DailyDecisionsView::Ready(Box::new(found))
            }),
    })
}

/// The board of today on the start page; `None` if it cannot be dealt.
pub(super) async fn day_board(
    app: &App,
    credentials: &Credentials,
) -> Result<Option<DayBoardView>, HttpError> {
    let (service, browser) = (&app.service, credentials.browser.as_ref());
    let today = service.today();
    let Some(deal) = deal_of(service, today).await? else {
        return Ok(None);
    };
    let attempt = attempt(service, today, browser).await?;
    let counts = counts(app, today).await?;
    Ok(Some(DayBoardView {
        board: start_of(app, &deal)?.preview().board,
        people: counts.iter().map(|count| count.games).sum(),
        streak: streak(
            &scores(app, browser).await?,
            today,
            service.first_open_day(),
        ),
        attempt: match attempt {
            None => DayAttempt::None,
            Some(game) if game.live.is_over() => DayAttempt::Over,
            Some(_) => DayAttempt::Begun,
        },
    }))
}

/// The number of days in a row with a score, up to `day`. Days without a score that are not over yet, which are those from
/// `first_open` on, interrupt nothing.
pub(super) fn streak(scores: &[DailyScore], day: Day, first_open: Day) -> u32 {
    let played: HashSet<Day> = scores.iter().map(|score| score.day).collect();
    let mut last = day;
    while last >= first_open && !played.contains(&last) && last.number() > 0 {
        last = last.before(1);
    }
    let days = (0..).take_while(|days| played.contains(&last.before(*days)));
    days.take(scores.len()).count() as u32
}

fn own_day(scores: &[DailyScore], attempts: &[Day], day: Day) -> OwnDayView {
    let score = scores.iter().find(|score| score.day == day);
    match score {
        Some(score) => OwnDayView::Scored {
            hexes: score.hexes,
            is_won: score.is_won,
        },
        None if attempts.contains(&day) => OwnDayView::Begun,
        None => OwnDayView::None,
    }
}
