//! The page of the levels: how each of them chooses moves, and how strong it is.

use std::convert::Infallible;

use axum::Router;
use axum::response::Response;
use axum::routing::get;

mod api;

use super::shared::app::App;
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::formats::JsonFields;
use crate::games::level_ratings::{RoundedEstimate, ratings_for};
use crate::games::{ConfiguredGame, GameType};
use crate::site::shared::limits::RouteLimits;
use crate::templates::levels::{GameLevelsView, IntervalView, LevelView, LevelsView, levels_page};
use crate::templates::page::NavSection;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/levels", limits.reading(get(show)))
        .merge(api::routes(limits))
}

/// `GET /levels`
async fn show(request: PageRequest) -> Result<Response, Infallible> {
    request.respond(&LevelsPageInput)
}

#[derive(Hash)]
struct LevelsPageInput;

impl PageInput for LevelsPageInput {
    type Error = Infallible;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, Infallible> {
        let games = context.games.game_types().flat_map(game_type_views);
        let view = LevelsView {
            games: games.collect(),
        };
        let site = context.site(NavSection::Elsewhere);
        Ok(levels_page(&site, context.text(), &view).into_string())
    }
}

/// The game types' settings with measured levels, or else the default setting.
fn game_type_views(kind: &dyn GameType) -> Vec<GameLevelsView> {
    let mut settings = kind.rated_games();
    if settings.is_empty() {
        settings.extend(kind.configure(JsonFields::default()));
    }
    settings
        .iter()
        .map(|setting| game_view(&**setting))
        .collect()
}

fn game_view(setting: &dyn ConfiguredGame) -> GameLevelsView {
    let ratings = ratings_for(setting);
    let levels = setting.levels().iter().map(|&level| {
        let rating = ratings.and_then(|ratings| ratings.level_rating(level));
        LevelView {
            level: level.name(),
            rating: rating.and_then(|rating| rating.rating).map(range),
            book: rating.and_then(|rating| rating.book).map(share),
        }
    });
    GameLevelsView {
        setting: setting.heading(),
        level_variant: setting.level_variant_name(),
        players: setting.players(),
        boards: ratings.map(|ratings| ratings.boards),
        levels: levels.collect(),
    }
}

/// Like `range`, clamped to 0..1.
fn share(estimate: RoundedEstimate) -> IntervalView {
    IntervalView {
        low: estimate.low.max(0.0),
        high: estimate.high.min(1.0),
        ..range(estimate)
    }
}

fn range(estimate: RoundedEstimate) -> IntervalView {
    IntervalView {
        mean: estimate.mean,
        low: estimate.low,
        high: estimate.high,
    }
}
