//! The start page and the form for a new game.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};

use super::daily::TodayCard;
use super::featured_game::{FeaturedGame, featured_game_view};
use super::game_view::{self, ListedGame};
use super::learn;
use super::open_tables::{self, listing};
use super::puzzles::{self, PuzzleHistory};
use super::shared::app::{App, FeatureState};
use super::shared::cached_value::StoredValue;
use super::shared::display_options::{RequestDisplayOptions, is_lesson_known};
use super::shared::identity::BrowserSession;
use super::shared::identity::enter_new_game;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::day::Day;
use crate::games::form::{NO_SEED, UNKNOWN_CHOICE, complete_seats};
use crate::games::{FormError, FormFields, GameType, Registry, StartPosition};
use crate::http::error::HttpError;
use crate::seats::{ComputerPace, Credentials, OpponentPreset, SeatSpec, replace_after, turn_time};
use crate::site::shared::form::{Form, Query};
use crate::site::shared::limits::RouteLimits;
use crate::store::GameList;
use crate::tables::{
    DisplayName, DisplayNameError, GameCreator, GameSummary, NewGame, ServiceError, Snapshot,
};
use crate::templates::countdown::CountdownView;
use crate::templates::games::CardView;
use crate::templates::message::LocalizedMessage;
use crate::templates::new_game_form::NewGameFormView;
use crate::templates::page::NavSection;
use crate::templates::start::{GameStartView, StartView};
use crate::templates::tables::OpenTableView;
use crate::templates::{featured_game, game_start_page, setup_page, start_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/games", limits.creating(post(create)))
        .route("/", limits.reading(get(start)))
        .route("/onair", limits.reading(get(featured)))
}

/// The number of the reader's games on the start page.
const OWN_GAMES_SHOWN: u32 = 4;

/// The number of the reader's newest games from which those are selected.
const OWN_GAMES_CONSIDERED: u32 = 16;

/// The number of other players' games on the start page.
const OTHER_GAMES_SHOWN: usize = 6;

/// The number of games from which those are selected: enough for a reader with many games.
const WATCHABLE_CONSIDERED: u32 = 24;

/// A game counts as active if its last ply is younger than this: 10 minutes.
const RECENT_MS: i64 = 10 * 60_000;

/// `GET /`
async fn start(
    featured: Option<Extension<FeaturedGame>>,
    browser: BrowserSession,
    request: PageRequest,
    Query(sent): Query<FormFields>,
) -> Result<Response, HttpError> {
    if let Some(game) = sent.first("game") {
        let game = request.app.games.game_type(game);
        let game = game.unwrap_or_else(|_| request.app.games.default_game());
        return match game.start_offer() {
            Some(_) if !is_filled_in(&sent, game) => {
                let today = request.app.service.today();
                request.respond(&GameStartPageInput {
                    game: game.name(),
                    today,
                })
            }
            _ => request.respond(&SetupPageInput {
                sent,
                problem: None,
            }),
        };
    }
    let mut page = StartPageInput::load(&request.app, &browser).await?;
    if let Some(Extension(featured)) = featured {
        page.featured = featured.current_game().await;
    }
    request.respond(&page)
}

/// `GET /onair`: the current state of the featured game, or 204 if there is none.
async fn featured(
    State(app): State<App>,
    featured: Option<Extension<FeaturedGame>>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Response {
    let Some(Extension(featured)) = featured else {
        return StatusCode::NO_CONTENT.into_response();
    };
    let game = featured.current_game().await;
    match game.and_then(|game| featured_game_view(&game)) {
        Some(view) => featured_game(app.text(&display), &display, &view).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

#[derive(Hash)]
struct StartPageInput {
    featured: Option<Arc<Snapshot>>,
    carry_over: bool,
    today: Day,
    /// When the next day begins; `None` while the first lesson is offered.
    next_day: Option<CountdownView>,
    puzzles: PuzzleHistory,
    daily: Option<TodayCard>,
    tables: (Vec<OpenTableView>, u32),
    asks_name: bool,
    own: Vec<ListedGame>,
    watch: Vec<ListedGame>,
}

impl StartPageInput {
    async fn load(app: &App, browser: &BrowserSession) -> Result<Self, HttpError> {
        let credentials = &browser.credentials();
        let (open_tables, count, asks_name) = listing::on_start_page(app, credentials).await?;
        let today = app.service.today();
        let next_day = CountdownView::new(today.end_ms(), app.service.now_ms());
        Ok(StartPageInput {
            featured: None,
            carry_over: browser.has_games_to_move(app).await?,
            today,
            next_day: next_day.filter(|_| is_lesson_known(&browser.jar)),
            puzzles: puzzles::history(app, browser).await?,
            daily: TodayCard::load(app, credentials).await?,
            tables: (open_tables, count),
            asks_name,
            own: own_games(app, credentials, OWN_GAMES_CONSIDERED).await?,
            watch: watchable_games(app, credentials).await?,
        })
    }
}

impl PageInput for StartPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let games = context.games;
        let view = StartView {
            hero: games.game_types().find_map(|kind| kind.hero_board()),
            featured: self.featured.as_deref().and_then(featured_game_view),
            game: games.default_game().name(),
            others: games.other_games().collect(),
            carry_over: self.carry_over,
            opponents: self.own.iter().find_map(ListedGame::chosen_opponents),
            lesson: match self.next_day {
                None => learn::first_board(games),
                Some(_) => None,
            },
            daily: self.daily.as_ref().map(TodayCard::view),
            puzzle: puzzles::day_puzzle(games, games.default_game(), self.today, &self.puzzles),
            next_day: self.next_day,
            tables: self.tables.clone(),
            asks_name: self.asks_name,
            games: select_own_games(self.own.iter().map(ListedGame::view).collect()),
            watch: self.watch.iter().map(ListedGame::view).collect(),
        };
        let site = context.site_with_preview(NavSection::Play);
        Ok(start_page(&site, context.text(), &view).into_string())
    }
}

/// The form of a new game, on a page of its own.
#[derive(Hash)]
struct SetupPageInput {
    /// The fields of the form, and what is wrong with them.
    sent: FormFields,
    problem: Option<LocalizedMessage>,
}

impl PageInput for SetupPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let view = form_view(context.games, &self.sent, self.problem.clone());
        let site = context.site(NavSection::Play);
        Ok(setup_page(&site, context.text(), &view).into_string())
    }
}

/// The start page of a game other than the default one.
#[derive(Hash)]
struct GameStartPageInput {
    game: &'static str,
    /// The board is that of the game's puzzle of the day.
    today: Day,
}

impl PageInput for GameStartPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let games = context.games;
        let kind = games
            .game_type(self.game)
            .map_err(|_| HttpError::not_found())?;
        let offer = kind.start_offer().ok_or_else(HttpError::not_found)?;
        let puzzle = puzzles::day_puzzle(games, kind, self.today, &PuzzleHistory::default());
        let sent = FormFields(vec![("game".to_owned(), self.game.to_owned())]);
        let view = GameStartView {
            game: kind.page_name(),
            about: offer.about_key,
            opponents: offer
                .opponents
                .iter()
                .map(|(name, level)| (*name, level.name()))
                .collect(),
            puzzle: puzzle.map(|puzzle| (puzzle.board, puzzle.address)),
            form: form_view(games, &sent, None),
        };
        let site = context.site(NavSection::Play);
        Ok(game_start_page(&site, context.text(), &view).into_string())
    }
}

/// The games on the start page: first those in which it is the reader's turn, then other unfinished ones, then the
/// newest; those that are set aside come last.
fn select_own_games(mut cards: Vec<CardView>) -> Vec<CardView> {
    cards.sort_by_key(|card| (card.is_aside, !card.your_turn, !card.can_continue()));
    cards.truncate(OWN_GAMES_SHOWN as usize);
    cards
}

async fn own_games(
    app: &App,
    credentials: &Credentials,
    max: u32,
) -> Result<Vec<ListedGame>, HttpError> {
    let mut ids = Vec::new();
    for browser in credentials.browsers() {
        for id in app.service.store().list_games_of(browser, max).await? {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids.truncate(max as usize);
    let mut games = app
        .service
        .summaries(&ids, credentials.client_network)
        .await?;
    games.retain(|game| !game.is_abandoned(app.service.now_ms()));
    Ok(game_view::listed_games(&app.service, credentials, games))
}

/// Unfinished games that anybody may watch, newest activity first.
#[derive(Default)]
struct WatchableGames(StoredValue<Vec<Arc<GameSummary>>>);

impl FeatureState for WatchableGames {
    fn new(_: &App) -> Self {
        WatchableGames::default()
    }
}

/// Active unfinished games of other players.
async fn watchable_games(
    app: &App,
    credentials: &Credentials,
) -> Result<Vec<ListedGame>, HttpError> {
    let service = &app.service;
    let WatchableGames(games) = &*app.state();
    let games = games.get_or_read(service, service.store().commits(), async || {
        let newest = service
            .store()
            .list_games(GameList::Watchable, None, WATCHABLE_CONSIDERED)
            .await?;
        service
            .summaries(&newest.games, credentials.client_network)
            .await
    });
    // The game may have ended, or its players may have left, since the store was read.
    let now_ms = service.now_ms();
    let is_listed = |game: &Arc<GameSummary>| {
        let played_ms = game.counts.last_entry_ms;
        let is_active = played_ms.is_some_and(|then_ms| now_ms.saturating_sub(then_ms) < RECENT_MS);
        is_active
            && game.winners.is_none()
            && game.newest.seats_of(credentials).is_empty()
            && !game.newest.is_host(credentials)
    };
    let games = games.await?.into_iter().filter(is_listed);
    let games = games.take(OTHER_GAMES_SHOWN);
    Ok(game_view::listed_games(service, credentials, games))
}

/// The form with the submitted values: every field except `game` may be missing or empty, and fields of other games may
/// be present.
fn form_view(
    games: &Registry,
    sent: &FormFields,
    problem: Option<LocalizedMessage>,
) -> NewGameFormView {
    let game_type = sent
        .first("game")
        .and_then(|name| games.game_type(name).ok());
    NewGameFormView {
        game: game_type.unwrap_or_else(|| games.default_game()).name(),
        parts: games
            .game_types()
            .map(|kind| kind.new_game_form(sent))
            .collect(),
        problem,
        name: sent.first("name").unwrap_or_default().to_owned(),
        listed: is_checked(sent, "listed"),
        private: is_checked(sent, "private"),
        strict: is_checked(sent, "strict"),
        hints: is_checked(sent, "hints"),
        replace_after_s: sent.redisplayed("replace_after"),
        turn_s: sent.redisplayed("turn"),
    }
}

/// Whether any field besides the game has a value.
fn is_filled_in(sent: &FormFields, kind: &dyn GameType) -> bool {
    let of_game = kind.form_fields();
    let is_field =
        |name| name != "game" && (TABLE_FIELDS.contains(&name) || of_game.contains(&name));
    sent.0.iter().any(|(name, _)| is_field(name))
}

/// Whether a checkbox is checked; browsers omit unchecked boxes.
fn is_checked(sent: &FormFields, name: &str) -> bool {
    let value = sent.first(name);
    value.is_some_and(|value| !matches!(value, "" | "0" | "false" | "off"))
}

/// The form fields that all games share; each game has additional ones.
const TABLE_FIELDS: [&str; 10] = [
    "game",
    "name",
    "listed",
    "private",
    "strict",
    "hints",
    "replace_after",
    "turn",
    "seed",
    "opponents",
];

/// The game that a form requests; computers take unspecified seats.
fn parse_new_game(games: &Registry, sent: &FormFields) -> Result<NewGame, FormError> {
    let unknown = || FormError::from(LocalizedMessage::new(UNKNOWN_CHOICE));
    let of_games = games.game_types().flat_map(|kind| kind.form_fields());
    let known: Vec<&str> = TABLE_FIELDS.into_iter().chain(of_games).collect();
    sent.has_only(&known)?;
    let name: Option<String> = sent.non_empty("game", UNKNOWN_CHOICE)?;
    let kind: &dyn GameType = match &name {
        None => games.default_game(),
        Some(name) => games.game_type(name).map_err(|_| unknown())?,
    };
    let table = kind.parse_new_game_form(sent)?;
    let listed = is_checked(sent, "listed");
    let private = is_checked(sent, "private");
    let problem = |key| Err(LocalizedMessage::new(key).into());
    if listed && private {
        return problem("form-problem-listed-private");
    }
    let seed: Option<u64> = sent.non_empty("seed", NO_SEED)?;
    let players = table.setting.players();
    let opponents: Option<OpponentPreset> = sent.non_empty("opponents", UNKNOWN_CHOICE)?;
    let seed = match (seed, opponents) {
        (Some(seed), _) => seed,
        // A game that is started without a choice of its board gets an even deal, so that nobody loses because of it.
        _ if opponents.is_some() || table.seats.is_empty() && listed => {
            table.setting.balanced_seed(rand::random())
        }
        _ => rand::random(),
    };
    let start = StartPosition::Dealt(seed);
    let seat_specs: Vec<SeatSpec> = match opponents {
        // An explicit seat list overrides the preset.
        Some(opponents) if table.seats.is_empty() => opponents.seats(players).collect(),
        _ if table.seats.is_empty() && listed => SeatSpec::two_people(players).collect(),
        _ => {
            let seat_specs = complete_seats(&table.seats, players);
            let seat_specs = seat_specs.iter().map(|word| word.parse());
            seat_specs
                .collect::<Result<_, _>>()
                .map_err(|_| unknown())?
        }
    };
    if listed && !seat_specs.contains(&SeatSpec::Open) {
        return problem("form-problem-listed-full");
    }
    let replace_after_s = sent.non_empty("replace_after", UNKNOWN_CHOICE)?;
    let replace_after_s = replace_after(replace_after_s).map_err(|_| unknown())?;
    let turn_s = sent.non_empty("turn", UNKNOWN_CHOICE)?;
    let turn_s = turn_time(turn_s, ComputerPace::AtOnce).map_err(|_| unknown())?;
    let name = DisplayName::optional(sent.single("name")?.unwrap_or_default());
    let name = name.map_err(|error| {
        LocalizedMessage::new(match error {
            DisplayNameError::TooLong => "form-problem-name-long",
            DisplayNameError::Address => "notice-name-address",
            DisplayNameError::Empty | DisplayNameError::Invisible => "form-problem-name-invisible",
        })
    })?;
    Ok(NewGame {
        name,
        private,
        takebacks: !is_checked(sent, "strict"),
        // A strict game has no hints.
        hints: is_checked(sent, "hints") && !is_checked(sent, "strict"),
        replace_after_s,
        turn_s,
        ..NewGame::new(table.setting, start, seat_specs)
    })
}

/// `POST /games`
async fn create(
    browser: BrowserSession,
    request: PageRequest,
    Form(sent): Form<FormFields>,
) -> Result<Response, HttpError> {
    let app = &request.app;
    let problem = match parse_new_game(&app.games, &sent) {
        Err(FormError::Invalid(sentence)) => return Err(HttpError::unprocessable(sentence)),
        Err(FormError::Explained(problem)) => problem,
        Ok(new) => {
            let client_network = Some(browser.client_network);
            let created = enter_new_game(app, browser, async |secret| {
                let new = NewGame {
                    creator: GameCreator::Browser(secret),
                    client_network,
                    ..new
                };
                let service = &app.service;
                let created = match is_checked(&sent, "listed") {
                    true => open_tables::create_listed(service, new).await?,
                    false => service.create(new).await?,
                };
                Ok(created.snapshot)
            });
            match created.await {
                Ok(game) => return Ok(game),
                Err(ServiceError::TooManyOpenTables) => LocalizedMessage::new("notice-tables-many"),
                Err(ServiceError::Deal(error)) => error.localized_message(),
                Err(ServiceError::Level(missing)) => LocalizedMessage::new("form-problem-level")
                    .with_value("level", missing.level.name().to_owned()),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let rejected = SetupPageInput {
        sent,
        problem: Some(problem),
    };
    let page = Html(request.render(&rejected)?);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}
