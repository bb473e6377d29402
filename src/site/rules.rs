//! `/rules`: the rules of every game.

use axum::Router;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;

use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::limits::RouteLimits;
use crate::templates::page::NavSection;
use crate::templates::rules_page;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/rules", limits.reading(get(show)))
}

async fn show(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let games: Vec<_> = kinds
        .map(|kind| kind.rules_section(app.text(&display)))
        .collect();
    rules_page(
        &app.site(NavSection::Rules, display),
        app.text(&display),
        &games,
    )
}
