//! The page of the levels: how each of them thinks, and how strong it is.

use axum::extract::State;
use axum::response::IntoResponse;

use super::App;
use super::page_context::site;
use super::preferences::RequestLook;
use crate::game_adapters::level_ratings::{RoundedEstimate, measured};
use crate::game_adapters::{ConfiguredGame, GameType, JsonFields};
use crate::level::Level;
use crate::templates::levels::{GameLevelsView, IntervalView, LevelView, LevelsView, levels_page};
use crate::templates::view::NavSection;

/// `GET /levels`
pub(super) async fn show(
    State(app): State<App>,
    RequestLook(look): RequestLook,
) -> impl IntoResponse {
    let games = app.service.games().game_types().flat_map(of_kind);
    let view = LevelsView {
        games: games.collect(),
    };
    levels_page(&site(NavSection::Elsewhere, look), app.text(&look), &view)
}

/// The games of a kind whose levels were measured, or else the usual one.
fn of_kind(kind: &dyn GameType) -> Vec<GameLevelsView> {
    let mut settings = kind.measured();
    if settings.is_empty() {
        settings.extend(kind.setting(JsonFields::default()));
    }
    settings.iter().map(|setting| of_game(&**setting)).collect()
}

fn of_game(setting: &dyn ConfiguredGame) -> GameLevelsView {
    let measured = measured(setting);
    let levels = Level::ALL.map(|level| {
        let rung = measured.and_then(|measured| measured.level_rating(level));
        LevelView {
            level: level.name(),
            rating: rung.and_then(|rung| rung.rating).map(range),
            book: rung.and_then(|rung| rung.book).map(share),
        }
    });
    GameLevelsView {
        numbers: setting.numbers(),
        way: setting.way(),
        players: setting.players(),
        boards: measured.map(|measured| measured.boards),
        levels: levels.to_vec(),
    }
}

/// A share, whose interval ends where shares end.
fn share(found: RoundedEstimate) -> IntervalView {
    IntervalView {
        low: found.low.max(0.0),
        high: found.high.min(1.0),
        ..range(found)
    }
}

fn range(found: RoundedEstimate) -> IntervalView {
    IntervalView {
        mean: found.mean,
        low: found.low,
        high: found.high,
    }
}
