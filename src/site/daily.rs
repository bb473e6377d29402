//! The board of the day: `/daily`, and a page for each day.

use axum::Router;
use axum::routing::{get, post};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Deserialize;
use time::Duration;

pub mod boards;
pub mod rows;

use super::game_view;
use super::png_renderer::PngRenderer;
use super::reviews::{ReviewStatus, review_or_request};
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::enter_new_game;
use super::shared::identity::{BrowserSession, CookieScope};
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::day::{Day, ParseDayError};
use crate::game::Player;
use crate::http::error::HttpError;
use crate::provably_fair::hex;
use crate::seats::Credentials;
use crate::secret::Secret;
use crate::site::shared::form::Form;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobProgress, JobStatus, Snapshot};
use crate::templates::countdown::CountdownView;
use crate::templates::daily::{
    AttemptView, CalendarDayView, DailyDecisionsView, DailyResultView, DailyScoreView, DailyView,
    DayPhase, OwnDayView, ScoreCountView, YesterdayView, daily_page, daily_picture,
};
use crate::templates::page::NavSection;
use crate::templates::start::{DayAttempt, DayBoardView};
pub(super) use boards::scores;
use boards::{CALENDAR_DAYS, DayBoard, attempt, attempts, board_of};
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
                .merge(limits.creating(post(play_unscored))),
        )
        .route("/daily/{day}/shown", limits.moving(post(set_shown)))
        .route("/daily/{day}/board.png", limits.reading(get(board_png)))
        .route("/daily/{day}/result.png", limits.reading(get(result_png)))
}

/// `GET /daily`: the board of today.
async fn today(browser: BrowserSession, request: PageRequest) -> Result<Response, HttpError> {
    let day = request.app.service.today();
    let page = DailyPageInput::load(&request.app, &browser, day).await?;
    request.respond(&page)
}

/// `GET /daily/{day}`: the board of a day that has begun.
async fn show(
    browser: BrowserSession,
    request: PageRequest,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day = begun_day(&request.app, &day)?;
    let page = DailyPageInput::load(&request.app, &browser, day).await?;
    request.respond(&page)
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

/// `POST /daily/{day}`: a new unscored game on the board of a day.
async fn play_unscored(
    State(app): State<App>,
    browser: BrowserSession,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day: Day = day.parse().map_err(|_| HttpError::not_found())?;
    let client_network = Some(browser.client_network);
    let game = enter_new_game(&app, browser, async |secret| {
        let game = boards::play_unscored(&app.service, day, &secret, client_network);
        game.await
    });
    Ok(game.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShownForm {
    shown: GameVisibility,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameVisibility {
    On,
    Off,
}

/// `POST /daily/{day}/shown`: whether everybody may watch the browser's scored game once the day is over.
async fn set_shown(
    State(app): State<App>,
    browser: BrowserSession,
    Path(day): Path<String>,
    Form(form): Form<ShownForm>,
) -> Result<Response, HttpError> {
    let day = begun_day(&app, &day)?;
    let own = browser.secret.as_ref().map(Secret::hash);
    let scores = scores(&app, own.as_ref()).await?;
    let score = scores.iter().find(|score| score.day == day);
    let score = score.ok_or_else(HttpError::not_found)?;
    let is_shown = matches!(form.shown, GameVisibility::On);
    boards::set_shown(&app, day, &score.browser, is_shown).await?;
    Ok(app.redirect(&format!("/daily/{day}")).into_response())
}

/// `GET /daily/{day}/board.png`: the board at the start, for previews of links.
async fn board_png(
    State(app): State<App>,
    browser: BrowserSession,
    Path(day): Path<String>,
) -> Result<Response, HttpError> {
    let day = begun_day(&app, &day)?;
    let board = board_of(&app, day).await?;
    let board = board.ok_or_else(HttpError::not_found)?;
    let board = board.start.board_svgs(&[0]).pop();
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
    let page = DailyPageInput::load(&app, &browser, day).await?;
    let picture = daily_picture(app.text(&display), &page.view(&browser.origin));
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

/// The page of a day.
#[derive(Hash)]
struct DailyPageInput {
    day: Day,
    today: Day,
    first_open_day: Day,
    phase: DayPhase,
    /// When the next board comes, on the page of today.
    next: Option<CountdownView>,
    board: Arc<DayBoard>,
    /// Whether the browser has begun the day, even if it deleted its game since.
    has_begun: bool,
    attempt: Option<(Arc<Snapshot>, AttemptState)>,
    decisions: Decisions,
    scores: Vec<DailyScore>,
    attempts: Vec<Day>,
}

/// The review of the browser's scored game, if it is over.
struct Decisions(Option<ReviewStatus>);

/// Each evaluator makes one review of a game.
impl Hash for Decisions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let progress = self.0.as_ref().map(|status| match status {
            JobStatus::Ready(review) => Ok(&review.by),
            JobStatus::InProgress(JobProgress { done, of }) => Err((done, of)),
        });
        progress.hash(state);
    }
}

impl DailyPageInput {
    async fn load(app: &App, browser: &BrowserSession, day: Day) -> Result<Self, HttpError> {
        let service = &app.service;
        let today = service.today();
        let secret = browser.secret.as_ref().map(Secret::hash);
        // First, because this waits for the result that the board counts.
        let scores = scores(app, secret.as_ref()).await?;
        let board = board_of(app, day).await?;
        let board = board.ok_or_else(HttpError::not_found)?;
        let phase = match (day == today, service.is_day_over(day)) {
            (true, _) => DayPhase::Open,
            (false, false) => DayPhase::Closing,
            (false, true) => DayPhase::Over,
        };
        let has_score = scores.iter().any(|score| score.day == day);
        let attempt = attempt(service, day, secret.as_ref()).await?.map(|game| {
            let state = AttemptState::new(&game, phase, has_score);
            (game, state)
        });
        Ok(DailyPageInput {
            day,
            today,
            first_open_day: service.first_open_day(),
            phase,
            next: match phase {
                DayPhase::Open => CountdownView::new(day.end_ms(), service.now_ms()),
                DayPhase::Closing | DayPhase::Over => None,
            },
            board,
            has_begun: has_begun(browser, day),
            decisions: Decisions(match &attempt {
                // The review is requested when the result is first viewed.
                Some((game, AttemptState::Over)) => {
                    review_or_request(app, game, &browser.credentials()).await?
                }
                _ => None,
            }),
            attempt,
            attempts: attempts(service, secret.as_ref(), today.before(CALENDAR_DAYS)).await?,
            scores,
        })
    }

    fn view(&self, origin: &str) -> DailyView {
        let (day, board) = (self.day, &self.board);
        let (start, deal) = (&board.start, &board.deal);
        let hexes = Player::all(start.players()).filter_map(|player| start.territory(player));
        DailyView {
            day: day.to_string(),
            phase: self.phase,
            next: self.next,
            over_ms: day.over_ms(),
            board: match &self.attempt {
                Some((game, AttemptState::Over)) => game.live.preview().board,
                _ => start.preview().board,
            },
            hexes: hexes.sum(),
            attempt: match &self.attempt {
                None if self.has_begun => AttemptView::Deleted,
                None => AttemptView::None,
                Some((game, AttemptState::Begun)) => AttemptView::Begun {
                    id: game.id.to_string(),
                },
                Some((game, AttemptState::Unfinished)) => AttemptView::Unfinished {
                    id: game.id.to_string(),
                },
                Some((game, AttemptState::Over)) => {
                    AttemptView::Over(Box::new(self.result_view(game, origin)))
                }
            },
            counts: board
                .counts
                .iter()
                .map(|count| ScoreCountView {
                    hexes: count.hexes,
                    is_won: count.is_won,
                    games: count.games,
                })
                .collect(),
            streak: streak(&self.scores, day, self.first_open_day),
            yesterday: yesterday(&self.board, &self.scores, self.first_open_day),
            calendar: (1..=CALENDAR_DAYS)
                .map(|days| self.today.before(days))
                .map(|day| CalendarDayView {
                    day: day.to_string(),
                    exists: board.known_days.contains(&day),
                    own: own_day(&self.scores, &self.attempts, day),
                })
                .collect(),
            commitment: deal.secret.commitment().to_string(),
            next_commitment: board.next.map(|next| next.to_string()),
            is_late: deal.committed_ms >= day.start_ms(),
            secret: (self.phase == DayPhase::Over).then(|| {
                let secret = &deal.secret;
                (hex(secret.seed.as_bytes()), hex(secret.salt.as_bytes()))
            }),
        }
    }

    /// The result of a game that is over.
    fn result_view(&self, game: &Snapshot, origin: &str) -> DailyResultView {
        let live = &game.live;
        let players = Player::all(live.players());
        let mut players: Vec<(u8, u32)> = players
            .filter_map(|player| Some((player.number(), live.territory(player)?)))
            .filter(|(_, hexes)| *hexes > 0)
            .collect();
        players.sort_by_key(|(player, hexes)| (std::cmp::Reverse(*hexes), *player));
        let score = self.scores.iter().find(|score| score.day == self.day);
        DailyResultView {
            id: game.id.to_string(),
            hexes: live.territory(Player::FIRST).unwrap_or(0),
            is_won: live.winners() == [Player::FIRST],
            by_turn: live.territories_by_turn(Player::FIRST),
            is_shown: score.is_some_and(|score| score.is_shown),
            players,
            address: format!("{origin}/daily/{}", self.day),
            seats: game_view::named_players(game, &[Player::FIRST]),
            decisions: match &self.decisions.0 {
                None => DailyDecisionsView::Unavailable,
                Some(JobStatus::InProgress(JobProgress { done, of })) => {
                    let (done, of) = (*done, *of);
                    DailyDecisionsView::InProgress { done, of }
                }
                Some(JobStatus::Ready(review)) => live
                    .notable_decisions(review, Player::FIRST)
                    .map_or(DailyDecisionsView::Unavailable, |found| {
                        DailyDecisionsView::Ready(Box::new(found))
                    }),
            },
        }
    }
}

impl PageInput for DailyPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let site = context.site_with_preview(NavSection::Daily);
        let view = self.view(context.origin);
        Ok(daily_page(&site, context.text(), &view).into_string())
    }
}

/// How far a browser's scored game has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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

/// The page with the result of a scored game that is over, if the browser has begun it.
pub(super) async fn result_path(
    app: &App,
    snapshot: &Snapshot,
    credentials: &Credentials,
) -> Result<Option<String>, HttpError> {
    let Some(day) = snapshot.day().filter(|_| snapshot.live.is_over()) else {
        return Ok(None);
    };
    let player = app.service.store().daily_player(&snapshot.id).await?;
    let is_own = player.is_some() && player == credentials.browser;
    Ok(is_own.then(|| format!("/daily/{day}")))
}

/// What was played the day before the newest board.
fn yesterday(board: &DayBoard, own: &[DailyScore], first_open_day: Day) -> Option<YesterdayView> {
    let best = board.best_yesterday.as_ref()?;
    let is_over = best.day < first_open_day;
    let own = own.iter().find(|score| score.day == best.day);
    Some(YesterdayView {
        best: score_view(best),
        best_game: (is_over && best.is_shown).then(|| best.game.to_string()),
        own: own.map(score_view),
    })
}

/// The board of today on the start page.
#[derive(Hash)]
pub(super) struct TodayCard {
    board: Arc<DayBoard>,
    streak: u32,
    attempt: DayAttempt,
    yesterday: Option<YesterdayView>,
}

impl TodayCard {
    /// `None` if the board cannot be dealt.
    pub(super) async fn load(
        app: &App,
        credentials: &Credentials,
    ) -> Result<Option<Self>, HttpError> {
        let (service, browser) = (&app.service, credentials.browser.as_ref());
        let today = service.today();
        let scores = scores(app, browser).await?;
        let Some(board) = board_of(app, today).await? else {
            return Ok(None);
        };
        Ok(Some(TodayCard {
            yesterday: yesterday(&board, &scores, service.first_open_day()),
            board,
            streak: streak(&scores, today, service.first_open_day()),
            attempt: match attempt(service, today, browser).await? {
                None => DayAttempt::None,
                Some(game) if game.live.is_over() => DayAttempt::Over {
                    hexes: game.live.territory(Player::FIRST).unwrap_or(0),
                    is_won: game.live.winners() == [Player::FIRST],
                },
                Some(_) => DayAttempt::Begun,
            },
        }))
    }

    pub(super) fn view(&self) -> DayBoardView {
        DayBoardView {
            board: self.board.start.preview().board,
            people: self.board.counts.iter().map(|count| count.games).sum(),
            streak: self.streak,
            attempt: self.attempt,
            yesterday: self.yesterday.clone(),
        }
    }
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
        Some(score) => OwnDayView::Scored(score_view(score)),
        None if attempts.contains(&day) => OwnDayView::Begun,
        None => OwnDayView::None,
    }
}

fn score_view(score: &DailyScore) -> DailyScoreView {
    DailyScoreView {
        hexes: score.hexes,
        is_won: score.is_won,
    }
}
