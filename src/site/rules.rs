//! `/rules`: the rules of every game.

use std::convert::Infallible;

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use super::shared::app::App;
use super::shared::limits::RouteLimits;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::templates::page::NavSection;
use crate::templates::rules_page;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/rules", limits.reading(get(show)))
}

async fn show(request: PageRequest) -> Result<Response, Infallible> {
    request.respond(&RulesPageInput)
}

#[derive(Hash)]
struct RulesPageInput;

impl PageInput for RulesPageInput {
    type Error = Infallible;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, Infallible> {
        let (site, text) = (context.site(NavSection::Elsewhere), context.text());
        let kinds = context.games.game_types();
        let games: Vec<_> = kinds.map(|kind| kind.rules_section(text)).collect();
        Ok(rules_page(&site, text, &games).into_string())
    }
}
