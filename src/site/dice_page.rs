//! The page of a game's dice, and the form for entropy text.

use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

mod counters;
pub mod statistics;

use statistics::DiceStatistics;

use super::game::context::PageContext;
use super::game_view;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::rejections::entropy_rejection_key;
use crate::chi_squared::{p_value, pooled_attack_p_value};
use crate::game::Player;
use crate::games::GameType;
use crate::games::dice_audit::{AddedEntropy, RecordedRoll};
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::provably_fair::{
    DiceDisclosure, EntropyRejection, GameDice, RollContext, hex, is_revealed_entropy,
};
use crate::record::{EntropyText, EntropyTextError};
use crate::site::shared::form::{Form, Query};
use crate::site::shared::limits::RouteLimits;
use crate::tables::{ServiceError, Snapshot};
use crate::templates::dice_audit::{
    AddedEntropyView, AttackOddsView, DiceAuditState, DiceAuditView, EntropyFormView, EntropyTerms,
    FaceCountsView, GameDiceView, RollRow, ServerDiceView, SideView,
};
use crate::templates::page::NavSection;
use crate::templates::{all_dice_page, fair_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/entropy", limits.moving(post(add)))
        .route("/g/{id}/dice", limits.reading(get(show)))
        .route("/dice", limits.reading(get(all)))
        .route("/fair-dice", limits.reading(get(all)))
        .route("/verify.py", limits.reading(get(script)))
}

/// The face probabilities of fair dice.
const FAIR_PROBABILITIES: [f64; 6] = [1.0 / 6.0; 6];

/// The script that verifies the dice of a record independently.
const SCRIPT: &str = include_str!("../../docs/verify.py");

#[derive(Deserialize)]
pub(super) struct DiceQuery {
    rolls: Option<String>,
}

/// `GET /g/{id}/dice`
async fn show(
    Path(id): Path<String>,
    visitor: PageContext,
    Query(query): Query<DiceQuery>,
) -> Result<Response, HttpError> {
    let DiceQuery { rolls } = query;
    let all = match rolls.as_deref() {
        None => false,
        Some("all") => true,
        Some(_) => return Err(HttpError::bad_request("rolls is all or nothing")),
    };
    let snapshot = visitor
        .app
        .viewable_game(&id, &visitor.browser.read_credentials())
        .await?;
    render_page(&visitor, snapshot, all, None).await
}

/// The page of a game's dice; `problem` is the message key if the entropy text was not accepted.
async fn render_page(
    visitor: &PageContext,
    snapshot: Arc<Snapshot>,
    all: bool,
    problem: Option<&'static str>,
) -> Result<Response, HttpError> {
    let seats = snapshot.seats_of(&visitor.credentials());
    // Rendering a long game takes some milliseconds, which would delay other requests.
    let view = tokio::task::spawn_blocking(move || DiceAuditView {
        problem,
        shows_all_rolls: all,
        ..view(&snapshot, &seats)
    });
    let view = view.await;
    let view =
        view.map_err(|_| HttpError::new(ProblemKind::Internal, "the dice were not checked"))?;
    let site = visitor.app.site(NavSection::Elsewhere, visitor.display);
    Ok(fair_page(&site, visitor.app.text(&visitor.display), &view).into_response())
}

fn view(snapshot: &Snapshot, seats: &[Player]) -> DiceAuditView {
    let live = &snapshot.live;
    let contributions = live.entropy_entries();
    let revealed = match &snapshot.dice {
        DiceDisclosure::Revealed(sealed) => {
            let (game, deal) = (
                snapshot.dice_game_id().to_string(),
                live.position_at(0).digest(),
            );
            Some((sealed, RollContext { game, deal }))
        }
        DiceDisclosure::Nothing | DiceDisclosure::Committed(_) => None,
    };
    let dice = revealed
        .as_ref()
        .map(|(seed, context)| GameDice::Committed((*seed).clone(), context.clone()));
    let rolls = live.rolls(dice.as_ref());
    let state = match (&snapshot.dice, &revealed) {
        (DiceDisclosure::Nothing, _) => DiceAuditState::NoCommitment,
        (_, None) => DiceAuditState::InProgress,
        (_, Some((sealed, _))) => DiceAuditState::Revealed {
            seed: hex(sealed.seed.as_bytes()),
            salt: hex(sealed.salt.as_bytes()),
            message: rolls.first().and_then(|roll| {
                let again = roll.verification.as_ref()?;
                Some((roll.entry, again.message.clone()))
            }),
            wrong: rolls
                .iter()
                .find(|roll| agrees(roll) == Some(false))
                .map(|roll| roll.entry),
        },
    };
    DiceAuditView {
        id: snapshot.id.to_string(),
        uploaded: snapshot.is_uploaded(),
        players: game_view::named_players(snapshot, seats),
        state,
        commitment: snapshot
            .dice
            .commitment()
            .map(|commitment| commitment.to_string()),
        entropy_form: entropy_form(snapshot, seats, &contributions),
        problem: None,
        faces: face_counts(&rolls),
        rolls: rolls.into_iter().map(roll_row).collect(),
        entropy: contributions.into_iter().map(entropy_view).collect(),
        shows_all_rolls: false,
    }
}

fn agrees(roll: &RecordedRoll) -> Option<bool> {
    roll.verification.as_ref().map(|again| again.agrees)
}

fn entropy_form(snapshot: &Snapshot, seats: &[Player], given: &[AddedEntropy]) -> EntropyFormView {
    let live = &snapshot.live;
    // The dice of a day are the same for everybody.
    let is_fixed = snapshot.dice == DiceDisclosure::Nothing || snapshot.day().is_some();
    if is_fixed || live.is_over() {
        return EntropyFormView::Closed;
    }
    if let Some(why) = snapshot.entropy_ban() {
        return EntropyFormView::Refused(entropy_rejection_key(why));
    }
    let terms = seats.iter().map(|player| terms(snapshot, *player, given));
    let (accepted, rejected): (Vec<_>, Vec<_>) = terms.partition(Result::is_ok);
    if let Some(terms) = accepted.into_iter().flatten().next() {
        return EntropyFormView::Open {
            next: live.entry_count(),
            terms,
        };
    }
    match rejected.into_iter().find_map(Result::err) {
        None => EntropyFormView::NoSeat,
        Some(why) => EntropyFormView::Refused(entropy_rejection_key(why)),
    }
}

/// The terms for a player's entropy text.
fn terms(
    snapshot: &Snapshot,
    player: Player,
    given: &[AddedEntropy],
) -> Result<EntropyTerms, EntropyRejection> {
    let people = snapshot.people();
    // Tests an ordinary text, and one that commits to other text; the content does not matter.
    let [ordinary, committing] =
        ["words", &"0".repeat(64)].map(|words| snapshot.live.admit_entropy(&people, player, words));
    let has_acted = |player| given.iter().any(|given| given.player == player);
    match (ordinary, committing) {
        (Ok(()), _) => Ok(EntropyTerms::Once),
        (_, Ok(())) => Ok(EntropyTerms::CommitFirst),
        (Err(EntropyRejection::CommitmentMismatch), _) => {
            let mut others = people.into_iter().filter(|other| *other != player);
            match others.all(has_acted) {
                true => Ok(EntropyTerms::Reveal),
                false => Err(EntropyRejection::AwaitingOthers),
            }
        }
        (Err(why), _) => Err(why),
    }
}

fn entropy_view(given: AddedEntropy) -> AddedEntropyView {
    AddedEntropyView {
        entry: given.entry,
        player: given.player.number(),
        is_revealed: is_revealed_entropy(&given.text),
        text: given.text,
    }
}

fn roll_row(roll: RecordedRoll) -> RollRow {
    let agrees = agrees(&roll);
    let sides = roll.dice_throw.into_iter().flat_map(|thrown| thrown.sides);
    RollRow {
        entry: roll.entry,
        block: roll.verification.map(|again| again.block),
        sides: sides
            .map(|side| SideView {
                player: side.player.number(),
                faces: side.faces,
            })
            .collect(),
        agrees,
    }
}

fn face_counts(rolls: &[RecordedRoll]) -> FaceCountsView {
    let thrown = rolls.iter().filter_map(|roll| roll.dice_throw.as_ref());
    let faces = thrown
        .flat_map(|thrown| &thrown.sides)
        .flat_map(|side| &side.faces);
    let mut counts = [0; 6];
    for face in faces {
        if let Some(count) = usize::from(*face)
            .checked_sub(1)
            .and_then(|at| counts.get_mut(at))
        {
            *count += 1;
        }
    }
    FaceCountsView {
        counts,
        p_value: p_value(&counts, &FAIR_PROBABILITIES),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntropyFormFields {
    ply: u32,
    words: String,
}

/// `POST /g/{id}/entropy`: adds entropy text of the visitor.
async fn add(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<EntropyFormFields>,
) -> Result<Response, HttpError> {
    let EntropyFormFields { ply, words } = form;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    if let Err(error) = snapshot.check_can_play(&credentials) {
        return visitor.redirect_to_game(Err(error)).await;
    }
    let words = match words.parse::<EntropyText>() {
        Ok(words) => words,
        Err(error) => {
            let problem = match error {
                EntropyTextError::Empty => "fair-add-empty",
                EntropyTextError::TooLong => "fair-add-long",
                EntropyTextError::Invisible => "fair-add-unseen",
            };
            return render_rejection(&visitor, snapshot, problem).await;
        }
    };
    let service = &visitor.app.service;
    match service
        .add_entropy(&snapshot.id, credentials, ply, words)
        .await
    {
        Ok(_) => Ok(visitor
            .app
            .redirect(&format!("/g/{id}/dice"))
            .into_response()),
        Err(ServiceError::EntropyRejected { why, snapshot }) => {
            render_rejection(&visitor, snapshot, entropy_rejection_key(why)).await
        }
        Err(error) => visitor.redirect_to_game(Err(error)).await,
    }
}

async fn render_rejection(
    visitor: &PageContext,
    snapshot: Arc<Snapshot>,
    problem: &'static str,
) -> Result<Response, HttpError> {
    let page = render_page(visitor, snapshot, false, Some(problem)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// `GET /dice`: statistics of all rolls on this server.
async fn all(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let mut games = Vec::new();
    for kind in app.service.games().game_types() {
        let statistics = statistics::statistics(&app, kind.name()).await?;
        games.extend(game_dice_view(kind, &statistics));
    }
    let site = app.site(NavSection::Elsewhere, display);
    let view = ServerDiceView { games };
    Ok(all_dice_page(&site, app.text(&display), &view).into_response())
}

fn game_dice_view(kind: &dyn GameType, statistics: &DiceStatistics) -> Option<GameDiceView> {
    let further = p_value(&statistics.faces, &FAIR_PROBABILITIES);
    let cells = statistics.attempts.iter();
    let cells: Vec<AttackOddsView> = cells
        .filter_map(|(dice, (won, lost))| {
            Some(AttackOddsView {
                dice: *dice,
                won: *won,
                attacks: won + lost,
                odds: kind.throw_win_probability(*dice)?,
            })
        })
        .collect();
    let faces = FaceCountsView {
        counts: statistics.faces,
        p_value: further,
    };
    (faces.dice() > 0).then(|| GameDiceView {
        title: kind.page_name().title,
        faces,
        p_value: pooled_attack_p_value(
            cells.iter().map(|cell| (cell.won, cell.attacks, cell.odds)),
        ),
        cells,
    })
}

/// `GET /verify.py`
async fn script() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/x-python; charset=utf-8")];
    (kind, SCRIPT).into_response()
}
