//! The page of the levels: how each of them thinks, and how strong it is.

use axum::extract::State;
use axum::response::IntoResponse;

use super::App;
use super::page_context::site;
use super::preferences::RequestLook;
use crate::game_adapters::level_ratings::{Found, measured};
use crate::game_adapters::{Fields, Kind, Setting};
use crate::level::Level;
use crate::templates::levels::{LevelRow, LevelsOfGame, LevelsView, Range, levels_page};
use crate::templates::view::Section;

/// `GET /levels`
pub(super) async fn show(
    State(app): State<App>,
    RequestLook(look): RequestLook,
) -> impl IntoResponse {
    let games = app.service.games().kinds().flat_map(of_kind);
    let view = LevelsView {
        games: games.collect(),
    };
    levels_page(&site(Section::Elsewhere, look), app.text(&look), &view)
}

/// The games of a kind whose levels were measured, or else the usual one.
fn of_kind(kind: &dyn Kind) -> Vec<LevelsOfGame> {
    let mut settings = kind.measured();
    if settings.is_empty() {
        settings.extend(kind.setting(Fields::default()));
    }
    settings.iter().map(|setting| of_game(&**setting)).collect()
}

fn of_game(setting: &dyn Setting) -> LevelsOfGame {
    let measured = measured(setting);
    let levels = Level::ALL.map(|level| {
        let rung = measured.and_then(|measured| measured.rung(level));
        LevelRow {
            level: level.name(),
            rating: rung.and_then(|rung| rung.rating).map(range),
            book: rung.and_then(|rung| rung.book).map(share),
        }
    });
    LevelsOfGame {
        numbers: setting.numbers(),
        way: setting.way(),
        players: setting.players(),
        boards: measured.map(|measured| measured.boards),
        levels: levels.to_vec(),
    }
}

/// A share, whose interval ends where shares end.
fn share(found: Found) -> Range {
    Range {
        low: found.low.max(0.0),
        high: found.high.min(1.0),
        ..range(found)
    }
}

fn range(found: Found) -> Range {
    Range {
        mean: found.mean,
        low: found.low,
        high: found.high,
    }
}
