//! The puzzles: `/puzzles`, and a page for each one.

pub(super) mod answers;
pub mod rows;

pub(super) use rows::ROWS;

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::shared::app::App;
use super::shared::identity::BrowserSession;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::day::Day;
use crate::games::puzzle::{Puzzle, PuzzleQuestion};
use crate::games::{FormFields, GameType, LiveGameRef, Registry};
use crate::http::error::HttpError;
use crate::site::shared::form::{Form, Query};
use crate::site::shared::limits::RouteLimits;
use crate::templates::page::NavSection;
use crate::templates::puzzle::{
    DayPuzzleStatus, PuzzleAnswerView, PuzzleStage, PuzzleStanding, PuzzleThemeView, PuzzleView,
    PuzzlesView, puzzle_page, puzzles_page,
};
use crate::templates::start::DayPuzzleView;
pub(super) use answers::PuzzleHistory;
use rows::PuzzleCount;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route(
            "/puzzles/{id}",
            limits.reading(get(show)).merge(limits.moving(post(answer))),
        )
        .route("/puzzles", limits.reading(get(index)))
}

/// `GET /puzzles`: all themes; with `theme` a redirect to the next puzzle of that theme.
async fn index(
    browser: BrowserSession,
    request: PageRequest,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    let app = &request.app;
    let history = history(app, &browser).await?;
    if let Some(theme) = query.single("theme")? {
        let mut kinds = app.games.game_types();
        let kind = kinds.find(|kind| kind.puzzles().iter().any(|puzzle| puzzle.theme == theme));
        let kind = kind.ok_or_else(HttpError::not_found)?;
        let next = answers::next(kind, Some(theme), &history);
        return Ok(app.redirect(&next_address(next)).into_response());
    }
    let today = app.service.today();
    request.respond(&PuzzlesPageInput { history, today })
}

#[derive(Hash)]
struct PuzzlesPageInput {
    history: PuzzleHistory,
    today: Day,
}

impl PageInput for PuzzlesPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let (games, history) = (context.games, &self.history);
        let view = PuzzlesView {
            themes: games
                .game_types()
                .flat_map(|kind| themes(kind, history))
                .collect(),
            today: answers::of_the_day(games.default_game(), self.today)
                .map(|puzzle| (address(puzzle), day_status(puzzle, history, self.today))),
            standing: (!history.solved.is_empty()).then(|| standing(history, None)),
        };
        let site = context.site(NavSection::Puzzles);
        Ok(puzzles_page(&site, context.text(), &view).into_string())
    }
}

/// `GET /puzzles/{id}`: the question, with what was pressed on the board in the game's own parameters; with `answer` the
/// choice with this number from 1, and why it is right or wrong, if the browser has answered the puzzle.
async fn show(
    browser: BrowserSession,
    request: PageRequest,
    Path(id): Path<String>,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    let app = &request.app;
    let (_, puzzle) = answers::find(&app.games, &id).ok_or_else(HttpError::not_found)?;
    let history = history(app, &browser).await?;
    let Some(number) = query.number::<usize>("answer")? else {
        let stage = RequestedStage::Question(query);
        let page = request.respond(&PuzzlePageInput::load(app, puzzle, history, stage).await?)?;
        // A browser that keeps cookies has one when it answers.
        return Ok(match browser.secret {
            None => (browser.ensure_secret().1, page).into_response(),
            Some(_) => page,
        });
    };
    let index = choice_index(puzzle, number).ok_or_else(HttpError::not_found)?;
    if !history.solved.contains_key(&puzzle.id) {
        return Ok(app.redirect(&address(puzzle)).into_response());
    }
    let stage = RequestedStage::Answer {
        index,
        is_stored: true,
    };
    request.respond(&PuzzlePageInput::load(app, puzzle, history, stage).await?)
}

/// `POST /puzzles/{id}` with the number of a choice in `answer`: stores the answer and redirects to its page. Without a
/// cookie nothing is stored, and the answer is this page.
async fn answer(
    browser: BrowserSession,
    request: PageRequest,
    Path(id): Path<String>,
    Form(form): Form<FormFields>,
) -> Result<Response, HttpError> {
    let app = &request.app;
    let (_, puzzle) = answers::find(&app.games, &id).ok_or_else(HttpError::not_found)?;
    let number: Option<usize> = form.number("answer")?;
    let index = number.and_then(|number| choice_index(puzzle, number));
    let index = index.ok_or_else(|| {
        HttpError::bad_request(format!(
            "answer is a number from 1 to {}",
            puzzle.choices.len()
        ))
    })?;
    let Some(secret) = browser.secret.clone() else {
        let stage = RequestedStage::Answer {
            index,
            is_stored: false,
        };
        let history = PuzzleHistory::default();
        let page = request.respond(&PuzzlePageInput::load(app, puzzle, history, stage).await?)?;
        return Ok((browser.ensure_secret().1, page).into_response());
    };
    answers::judge_and_store(
        &app.service,
        &secret.hash(),
        browser.client_network,
        puzzle,
        index,
    )
    .await?;
    let to = format!("{}?answer={}", address(puzzle), index + 1);
    Ok((browser.renewed_cookies(), app.redirect(&to)).into_response())
}

/// The index of the choice with this number from 1.
fn choice_index(puzzle: &Puzzle, number: usize) -> Option<usize> {
    let index = number.checked_sub(1)?;
    (index < puzzle.choices.len()).then_some(index)
}

/// The page of a puzzle.
#[derive(Hash)]
struct PuzzlePageInput<'a> {
    id: &'a str,
    today: Day,
    count: Option<PuzzleCount>,
    rating: u32,
    history: PuzzleHistory,
    stage: RequestedStage,
}

#[derive(Hash)]
enum RequestedStage {
    /// The question, with what was pressed on the board.
    Question(FormFields),
    /// The answer.
    Answer {
        /// The index of the choice.
        index: usize,
        /// Whether the browser keeps cookies.
        is_stored: bool,
    },
}

impl<'a> PuzzlePageInput<'a> {
    async fn load(
        app: &App,
        puzzle: &'a Puzzle,
        history: PuzzleHistory,
        stage: RequestedStage,
    ) -> Result<Self, HttpError> {
        let (count, rating) = answers::rating(app, puzzle).await?;
        Ok(PuzzlePageInput {
            id: &puzzle.id,
            today: app.service.today(),
            count,
            rating,
            history,
            stage,
        })
    }

    fn view(&self, context: &RenderContext<'_>) -> Option<PuzzleView> {
        let games = context.games;
        let (kind, puzzle) = answers::find(games, self.id)?;
        let position = games.game_at_position(&puzzle.position)?;
        let mover = position.mover()?;
        let (here, unpressed) = (address(puzzle), FormFields::default());
        let query = match &self.stage {
            RequestedStage::Question(query) => query,
            RequestedStage::Answer { .. } => &unpressed,
        };
        let PuzzleQuestion {
            board,
            strip,
            choices,
            prompt,
            pressed,
        } = position
            .position()
            .puzzle_question(&puzzle.choices, &here, query)?;
        let stage = match self.stage {
            RequestedStage::Question(_) => PuzzleStage::Question {
                board,
                strip,
                prompt,
                pressed,
            },
            RequestedStage::Answer { index, is_stored } => {
                let next = answers::next(kind, None, &self.history);
                let answer = answer_view(&position, puzzle, index, is_stored, next)?;
                PuzzleStage::Answered(answer)
            }
        };
        let shown = match self.stage {
            RequestedStage::Question(_) => None,
            RequestedStage::Answer { .. } => Some(puzzle),
        };
        let today = answers::of_the_day(kind, self.today);
        let is_of_today = today.is_some_and(|today| today.id == puzzle.id);
        let count = self.count.as_ref();
        Some(PuzzleView {
            url: format!("{}{here}", context.origin),
            address: here,
            theme: puzzle.theme.clone(),
            mover: mover.number(),
            day: is_of_today.then(|| day_status(puzzle, &self.history, self.today)),
            standing: standing(&self.history, shown),
            rating: self.rating,
            solved: count.map(|count| (count.right, count.answers)),
            choices,
            right: puzzle.right,
            stage,
        })
    }
}

fn day_status(of_today: &Puzzle, history: &PuzzleHistory, today: Day) -> DayPuzzleStatus {
    DayPuzzleStatus {
        is_solved: history.solved.get(&of_today.id).copied(),
        streak: history.streak(today),
    }
}

/// How a browser does; `shown` is the puzzle whose answer is shown.
fn standing(history: &PuzzleHistory, shown: Option<&Puzzle>) -> PuzzleStanding {
    let is_last = shown.is_some_and(|puzzle| history.is_last(puzzle));
    PuzzleStanding {
        rating: history.rating,
        rating_before: is_last.then_some(history.rating_before),
        row: history.row,
        longest_row: history.longest_row,
    }
}

impl PageInput for PuzzlePageInput<'_> {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let view = self.view(context).ok_or_else(HttpError::not_found)?;
        let site = context.site(NavSection::Puzzles);
        Ok(puzzle_page(&site, context.text(), &view).into_string())
    }
}

/// The puzzle of the day, or the next one if the browser has answered it: address and theme. `None` if the browser has
/// answered all puzzles of the game.
pub(super) async fn suggested_puzzle(
    app: &App,
    kind: &dyn GameType,
    browser: &BrowserSession,
) -> Result<Option<(String, String)>, HttpError> {
    let history = history(app, browser).await?;
    let today = answers::of_the_day(kind, app.service.today());
    let today = today.filter(|puzzle| !history.solved.contains_key(&puzzle.id));
    let next = today.or_else(|| answers::next(kind, None, &history));
    Ok(next.map(|puzzle| (address(puzzle), puzzle.theme.clone())))
}

/// The puzzle of a day in a game, for its start page.
pub(super) fn day_puzzle(
    games: &Registry,
    kind: &dyn GameType,
    day: Day,
    history: &PuzzleHistory,
) -> Option<DayPuzzleView> {
    let puzzle = answers::of_the_day(kind, day)?;
    Some(DayPuzzleView {
        address: address(puzzle),
        theme: puzzle.theme.clone(),
        board: games.game_at_position(&puzzle.position)?.preview().board,
        is_solved: history.solved.get(&puzzle.id).copied(),
        streak: history.streak(day),
    })
}

/// The answers of a browser.
pub(super) async fn history(
    app: &App,
    browser: &BrowserSession,
) -> Result<PuzzleHistory, HttpError> {
    let secret = browser.secret.as_ref().map(|secret| secret.hash());
    Ok(answers::history(&app.service, secret.as_ref()).await?)
}

fn address(puzzle: &Puzzle) -> String {
    format!("/puzzles/{}", puzzle.id)
}

fn next_address(next: Option<&Puzzle>) -> String {
    next.map_or_else(|| "/puzzles".to_owned(), address)
}

/// The themes of a game, with the number of puzzles and of those that the browser has solved.
fn themes(kind: &dyn GameType, history: &PuzzleHistory) -> Vec<PuzzleThemeView> {
    let mut themes: Vec<PuzzleThemeView> = Vec::new();
    for puzzle in kind.puzzles() {
        let known = themes.iter().position(|theme| theme.theme == puzzle.theme);
        let index = known.unwrap_or_else(|| {
            themes.push(PuzzleThemeView {
                game: kind.page_name().title,
                theme: puzzle.theme.clone(),
                puzzles: 0,
                answered: 0,
                solved: 0,
            });
            themes.len() - 1
        });
        let theme = &mut themes[index];
        theme.puzzles += 1;
        if let Some(is_solved) = history.solved.get(&puzzle.id) {
            theme.answered += 1;
            theme.solved += u32::from(*is_solved);
        }
    }
    themes
}

fn answer_view(
    position: &LiveGameRef,
    puzzle: &Puzzle,
    index: usize,
    is_stored: bool,
    next: Option<&Puzzle>,
) -> Option<PuzzleAnswerView> {
    let right = &puzzle.choices[puzzle.right];
    let choice = &puzzle.choices[index];
    let chosen = (index != puzzle.right).then_some(&*choice.action);
    let mut steps = Vec::new();
    let mut live = LiveGameRef::clone(position);
    for step in right.line.split(',') {
        let (action, outcome) = step.rsplit_once('.')?;
        let step = live.position().line_step(action, outcome.parse().ok()?)?;
        steps.push(step.view);
        live = step.live;
    }
    Some(PuzzleAnswerView {
        chosen: index,
        played: position.position().play_choice(choice)?,
        why: position.position().why_right(&right.action, chosen),
        steps,
        is_stored,
        next: next_address(next),
        analysis: format!("/analysis?pos={}", puzzle.position),
    })
}
