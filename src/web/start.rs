//! The start page, the form that sets up a game, and "your games".

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::{Form, FormRejection};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Deserialize;

use super::App;
use super::api::REPLACE_AFTER_S;
use super::error::Failure;
use super::identity::Browser;
use super::play::{own_seats, site, text};
use super::views;
use crate::archive::GameId;
use crate::faces::{DealError, Setting, Start};
use crate::game::{Game, MOST_PLAYERS, Roll};
use crate::games::dice_of_doom::{DiceOfDoom, Rules, SetupError};
use crate::games::trilobite::{self, Trilobite};
use crate::games::{AnyGame, AnySetupError, GameKind, Parameters};
use crate::level::{Level, SearchRng};
use crate::seats::SeatWord;
use crate::service::{Claim, Creator, Name, NameError, NewGame, ServiceError, Snapshot};
use crate::templates::view::{
    BoardView, CardView, FormProblem, FormView, Look, Section, StartView,
};
use crate::templates::{games_page, start_page};

/// How many of one's own games the start page shows.
const SHELF: u32 = 4;

/// How many games of others the start page shows.
const WINDOW: u32 = 6;

/// How many games the page "your games" shows.
const LIBRARY: u32 = 60;

/// `GET /`
pub(super) async fn start(
    State(app): State<App>,
    browser: Browser,
    look: Look,
) -> Result<Response, Failure> {
    shown(
        &app,
        &browser.claim(),
        look,
        FormView::from(&Asked::default()),
        StatusCode::OK,
    )
    .await
}

async fn shown(
    app: &App,
    claim: &Claim,
    look: Look,
    form: FormView,
    status: StatusCode,
) -> Result<Response, Failure> {
    let view = StartView {
        hero: HERO.clone(),
        games: cards(app, claim, SHELF).await?,
        watch: watchable(app, claim).await?,
        form,
    };
    Ok((
        status,
        start_page(&site(Section::Play, look), text(), &view),
    )
        .into_response())
}

/// `GET /games`
pub(super) async fn games(
    State(app): State<App>,
    browser: Browser,
    look: Look,
) -> Result<Response, Failure> {
    let cards = cards(&app, &browser.claim(), LIBRARY).await?;
    Ok(games_page(&site(Section::Games, look), text(), &cards).into_response())
}

async fn cards(app: &App, claim: &Claim, most: u32) -> Result<Vec<CardView>, Failure> {
    let Some(browser) = &claim.browser else {
        return Ok(Vec::new());
    };
    let ids = app
        .service
        .archive()
        .games_of(browser, most)
        .await
        .map_err(ServiceError::from)?;
    cards_of(app, claim, ids, |_| true).await
}

/// Games of others that are not over.
async fn watchable(app: &App, claim: &Claim) -> Result<Vec<CardView>, Failure> {
    let ids = app
        .service
        .archive()
        .watchable(claim.browser.as_ref(), WINDOW)
        .await
        .map_err(ServiceError::from)?;
    // A game may have ended, or its people may have left it, since the archive was read.
    cards_of(app, claim, ids, |snapshot| !snapshot.live.is_over()).await
}

async fn cards_of(
    app: &App,
    claim: &Claim,
    ids: Vec<GameId>,
    wanted: impl Fn(&Snapshot) -> bool,
) -> Result<Vec<CardView>, Failure> {
    let mut cards = Vec::with_capacity(ids.len());
    for id in ids {
        match app.service.peek(&id).await {
            Ok(snapshot) if !wanted(&snapshot) || !snapshot.may_watch(claim) => {}
            Ok(snapshot) => cards.push(views::card(&snapshot, &own_seats(&snapshot, claim))),
            // One damaged game must not hide the others.
            Err(ServiceError::Damaged | ServiceError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(cards)
}

/// The picture of the start page: the book's computers, ten turns into a fixed game.
static HERO: LazyLock<BoardView> = LazyLock::new(|| {
    let game = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the book's own numbers");
    let mut rng = ChaCha20Rng::seed_from_u64(20);
    let mut position = game.deal(&mut rng).expect("this seed deals a board");
    let mut variety = SearchRng::seed_from_u64(20);
    let mut last = None;
    for _ in 0..22 {
        if game.status(&position).is_over() {
            break;
        }
        let action = Level::Book.choose(&game, &position, &mut variety);
        let roll = game.roll(&position, action, &mut rng);
        let Some(outcome) = game.outcome(&position, action, &roll) else {
            break;
        };
        if let crate::games::dice_of_doom::Action::Attack { from, to } = action {
            last = Some((from.number(), to.number()));
        }
        position = game.play(&position, action, outcome);
    }
    let mut board = views::dice::still_board(&game, &position);
    board.last_attack = last;
    board
});

/// The form as it came: every field but `game` may be missing or empty, and fields of the other game
/// may come along.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Asked {
    game: Option<String>,
    rules: Option<String>,
    size: Option<String>,
    players: Option<String>,
    max_dice: Option<String>,
    #[serde(default)]
    seats: Vec<String>,
    seed: Option<String>,
    width: Option<String>,
    height: Option<String>,
    win: Option<String>,
    /// The seats of Trilobite, where `seats` are there for Dice of Doom too.
    #[serde(default)]
    chips: Vec<String>,
    name: Option<String>,
    private: Option<String>,
    replace_after: Option<String>,
}

impl From<&Asked> for FormView {
    fn from(asked: &Asked) -> Self {
        let number =
            |field: &Option<String>| field.as_deref().and_then(|text| text.trim().parse().ok());
        let word = |field: &Option<String>, default: &str| {
            let word = field.as_deref().filter(|word| !word.is_empty());
            word.unwrap_or(default).to_owned()
        };
        let levels: Vec<String> = Level::ALL
            .iter()
            .map(|level| level.name().to_owned())
            .collect();
        FormView {
            game: word(&asked.game, GameKind::Dice.name()),
            rules: word(&asked.rules, Rules::V4.name()),
            size: number(&asked.size),
            players: number(&asked.players),
            max_dice: number(&asked.max_dice),
            seats: seats(&asked.seats, MOST_PLAYERS as u8),
            seed: asked.seed.clone().unwrap_or_default(),
            width: number(&asked.width),
            height: number(&asked.height),
            win: number(&asked.win),
            chips: seats(asked.chips(), 2),
            chip_levels: levels.clone(),
            levels,
            problem: None,
            open: false,
            name: asked.name.clone().unwrap_or_default(),
            private: asked.is_private(),
            replace_after_s: asked
                .replace_after
                .as_deref()
                .and_then(|text| text.trim().parse().ok()),
        }
    }
}

/// The seats named, then those nobody named: a person in the first one, computers in the others.
fn seats(named: &[String], players: u8) -> Vec<String> {
    let usual = SeatWord::usual(players).enumerate();
    usual
        .map(|(seat, usual)| match named.get(seat) {
            Some(word) => word.clone(),
            None => usual.to_string(),
        })
        .collect()
}

/// A field that may be left empty.
fn field<T: std::str::FromStr>(
    field: &Option<String>,
    problem: FormProblem,
) -> Result<Option<T>, FormProblem> {
    match field.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| problem),
    }
}

impl Asked {
    /// Who plays Trilobite: a script that knows nothing of our form may say `seats`.
    fn chips(&self) -> &[String] {
        if self.chips.is_empty() {
            &self.seats
        } else {
            &self.chips
        }
    }

    /// Whether the box is ticked; browsers do not send a box that is not.
    fn is_private(&self) -> bool {
        let private = self.private.as_deref();
        private.is_some_and(|private| !matches!(private, "" | "0" | "false" | "off"))
    }

    /// The game that was asked for; computers fill the seats that nobody named.
    fn game(&self) -> Result<NewGame, FormProblem> {
        let number = |text| field(text, FormProblem::OutOfRange);
        let kind = field(&self.game, FormProblem::UnknownChoice)?.unwrap_or(GameKind::Dice);
        let (parameters, named) = match kind {
            GameKind::Dice => {
                let rules: Rules =
                    field(&self.rules, FormProblem::UnknownChoice)?.unwrap_or(Rules::V4);
                let (players, max_dice, size) = rules.defaults();
                let parameters = Parameters::Dice {
                    rules,
                    size: number(&self.size)?.unwrap_or(size),
                    players: number(&self.players)?.unwrap_or(players),
                    max_dice: number(&self.max_dice)?.unwrap_or(max_dice),
                };
                (parameters, self.seats.as_slice())
            }
            GameKind::Trilobite => {
                let (width, height, win) = Trilobite::DEFAULTS;
                let parameters = Parameters::Trilobite {
                    width: number(&self.width)?.unwrap_or(width),
                    height: number(&self.height)?.unwrap_or(height),
                    win: number(&self.win)?.unwrap_or(win),
                };
                (parameters, self.chips())
            }
        };
        let game: Result<Arc<dyn Setting>, DealError> = match parameters.build() {
            Ok(AnyGame::Dice(game)) => Ok(Arc::new(game)),
            Ok(AnyGame::Trilobite(game)) => Ok(Arc::new(game)),
            Err(AnySetupError::Dice(error)) => Err(DealError::Setup(Arc::new(error))),
            Err(AnySetupError::Trilobite(error)) => Err(DealError::Setup(Arc::new(error))),
        };
        let game = game.map_err(|error| problem(&error))?;
        let seed = field(&self.seed, FormProblem::OutOfRange)?;
        let start = Start::Deal(seed.unwrap_or_else(rand::random));
        let sitters = seats(named, parameters.players());
        let sitters = sitters.iter().map(|word| word.parse());
        let sitters = sitters
            .collect::<Result<_, _>>()
            .map_err(|_| FormProblem::UnknownChoice)?;
        let replace_after_s = field(&self.replace_after, FormProblem::UnknownChoice)?;
        if replace_after_s.is_some_and(|after| !REPLACE_AFTER_S.contains(&after)) {
            return Err(FormProblem::UnknownChoice);
        }
        let name = Name::optional(self.name.as_deref().unwrap_or_default());
        let name = name.map_err(|error| match error {
            NameError::TooLong => FormProblem::NameTooLong,
            NameError::Empty | NameError::Invisible => FormProblem::NameInvisible,
        })?;
        Ok(NewGame {
            name,
            private: self.is_private(),
            replace_after_s,
            ..NewGame::of(game, start, sitters)
        })
    }
}

/// What the rules say about a form's numbers.
fn problem(error: &DealError) -> FormProblem {
    let DealError::Setup(error) = error else {
        return FormProblem::OutOfRange;
    };
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(SetupError::NoDeal), _) => FormProblem::NoDeal,
        (Some(SetupError::TooFewHexes { .. }), _) => FormProblem::TooManyPlayers,
        (_, Some(trilobite::SetupError::Win { .. })) => FormProblem::WinTooLong,
        (_, Some(trilobite::SetupError::Size { .. })) => FormProblem::BoardTooLarge,
        _ => FormProblem::OutOfRange,
    }
}

/// `POST /games`
pub(super) async fn create(
    State(app): State<App>,
    browser: Browser,
    look: Look,
    form: Result<Form<Asked>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(asked) = form?;
    let claim = browser.claim();
    let refused = |problem| FormView {
        problem: Some(problem),
        open: true,
        ..FormView::from(&asked)
    };
    let new = match asked.game() {
        Ok(game) => game,
        Err(problem) => {
            return shown(
                &app,
                &claim,
                look,
                refused(problem),
                StatusCode::UNPROCESSABLE_ENTITY,
            )
            .await;
        }
    };
    let (secret, jar) = browser.introduced();
    let created = app
        .service
        .create(NewGame {
            creator: Creator::Browser(secret),
            ..new
        })
        .await;
    match created {
        Ok(created) => {
            Ok((jar, Redirect::to(&format!("/g/{}", created.snapshot.id))).into_response())
        }
        Err(ServiceError::Deal(error)) => {
            shown(
                &app,
                &claim,
                look,
                refused(problem(&error)),
                StatusCode::UNPROCESSABLE_ENTITY,
            )
            .await
        }
        Err(error) => Err(error.into()),
    }
}
