//! Replay of a game, and playing on from any of its positions.

use crate::site::shared::app::App;
use crate::site::shared::form::Form;
use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};

use super::game::context::PageContext;
use super::game::preview_page;
use super::play_on::{self, PlayOnRequest};
use super::shared::identity::enter_new_game;
use crate::games::FormFields;
use crate::games::form::complete_seats;
use crate::http::error::HttpError;
use crate::seats::SeatSpec;
use crate::site::shared::limits::RouteLimits;
use crate::tables::GameCreator;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/play-on", limits.creating(post(play_on)))
        .route("/g/{id}/{ply}", limits.reading(get(replay)))
}

/// `GET /g/{id}/{ply}`
async fn replay(
    Path((id, ply)): Path<(String, String)>,
    visitor: PageContext,
) -> Result<Response, HttpError> {
    let ply: u32 = ply.parse().map_err(|_| HttpError::no_ply())?;
    let snapshot = visitor
        .app
        .viewable_game(&id, &visitor.browser.read_credentials())
        .await?;
    if ply > snapshot.live.entry_count() {
        return Err(HttpError::no_ply());
    }
    let seats = snapshot.seats_of(&visitor.credentials());
    let query = FormFields::default();
    let mut input = preview_page(&visitor, &snapshot, &seats, Some(ply), &query);
    input.share = Some(
        visitor
            .browser
            .link_origin
            .link_base(&visitor.browser.origin),
    );
    Ok(visitor.respond(&input)?)
}

/// `POST /g/{id}/play-on`
async fn play_on(
    Path(id): Path<String>,
    visitor: PageContext,
    Form(form): Form<FormFields>,
) -> Result<Response, HttpError> {
    form.has_only(&["ply", "seats"])?;
    let ply: Option<u32> = form.number("ply")?;
    let ply = ply.ok_or_else(|| HttpError::unprocessable("the field `ply` is missing"))?;
    let credentials = visitor.credentials();
    let snapshot = visitor.app.viewable_game(&id, &credentials).await?;
    let named = form.list("seats");
    let seat_specs = match named.as_slice() {
        [] => None,
        named => Some(parse_seats(named, snapshot.live.players())?),
    };
    let service = visitor.app.service.clone();
    let client_network = Some(visitor.browser.client_network);
    let game = enter_new_game(&visitor.app, visitor.browser, async |secret| {
        let request = PlayOnRequest {
            ply,
            seat_specs,
            creator: GameCreator::Browser(secret),
            client_network,
        };
        let created = play_on::play_on(&service, &snapshot.id, &credentials, request).await?;
        Ok(created.snapshot)
    });
    game.await
}

/// Parses the seats named in a form; the others get the default occupants.
fn parse_seats(named: &[String], players: u8) -> Result<Vec<SeatSpec>, HttpError> {
    let specs = complete_seats(named, players);
    let specs = specs.iter().map(|word| word.parse());
    let specs: Result<_, crate::seats::SeatSpecError> = specs.collect();
    specs.map_err(|unknown| HttpError::unprocessable(unknown.to_string()))
}
