//! Boards as PNG, for the cards that chats and other sites make of a link.
//!
//! A board is drawn off the async threads, few at a time, and kept for a while: a link that is handed on
//! is looked at by many within a minute. Pictures need no font, because boards draw their digits as
//! strokes; letters beside a board are left out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use tokio::sync::Semaphore;

use super::App;
use super::error::Failure;
use super::pages::Visitor;
use super::play;
use super::problem::Problem;
use super::views;
use crate::archive::GameId;
use crate::faces::Form;
use crate::templates::card::{HEIGHT, WIDTH};
use crate::templates::{Board, board_svg};

/// The least free room around the board, in pixels.
const MARGIN: f32 = 30.0;

/// So many are drawn at the same time; whoever asks for one more is told to come back.
const DRAWN_AT_ONCE: usize = 2;

/// So many are kept, of at most about a quarter of a megabyte each.
const KEPT: usize = 48;

/// What a picture shows.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Subject {
    /// The board of the start page.
    Start,
    /// A game after so many plies.
    Game(GameId, u32),
}

/// Draws boards as PNG, and keeps them.
pub(super) struct Easel {
    places: Arc<Semaphore>,
    /// The one that was asked for last stands at the end.
    kept: Mutex<VecDeque<(Subject, Bytes)>>,
}

impl Default for Easel {
    fn default() -> Self {
        Easel {
            places: Arc::new(Semaphore::new(DRAWN_AT_ONCE)),
            kept: Mutex::new(VecDeque::with_capacity(KEPT)),
        }
    }
}

impl Easel {
    async fn drawn(&self, subject: Subject, board: Arc<dyn Board>) -> Result<Bytes, Failure> {
        if let Some(png) = self.kept(&subject) {
            return Ok(png);
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Err(Failure::busy("too many pictures are being drawn"));
        };
        let drawing = tokio::task::spawn_blocking(move || {
            let _place = place;
            png(&board_svg(&*board).into_string())
        });
        let Ok(Some(png)) = drawing.await else {
            return Err(Failure::new(
                Problem::Internal,
                "this board cannot be drawn",
            ));
        };
        let png = Bytes::from(png);
        self.keep(subject, png.clone());
        Ok(png)
    }

    fn kept(&self, subject: &Subject) -> Option<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(own, _)| own == subject)?;
        let found = kept.remove(at)?;
        let png = found.1.clone();
        kept.push_back(found);
        Some(png)
    }

    fn keep(&self, subject: Subject, png: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(own, _)| *own != subject);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((subject, png));
    }
}

/// `GET /board.png`: the board of the start page.
pub(super) async fn start(State(app): State<App>) -> Result<Response, Failure> {
    let hero = app.service.games().kinds().find_map(|kind| kind.hero());
    let hero = hero.ok_or_else(Failure::not_found)?;
    Ok(answer(app.easel.drawn(Subject::Start, hero).await?))
}

/// `GET /g/{id}/board.png`; private games have no picture, for nobody may hand it on.
pub(super) async fn board(Path(id): Path<String>, visitor: Visitor) -> Result<Response, Failure> {
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    if snapshot.private {
        return Err(Failure::not_found());
    }
    let nothing = Form::default();
    let view = views::game_view(&play::still(&visitor, &snapshot, &[], None, &nothing))?;
    let subject = Subject::Game(snapshot.id.clone(), view.ply);
    Ok(answer(visitor.app.easel.drawn(subject, view.board).await?))
}

fn answer(png: Bytes) -> Response {
    let kind = HeaderValue::from_static("image/png");
    // A card may be a few moves behind.
    let fresh = HeaderValue::from_static("public, max-age=60");
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, fresh)];
    (headers, png).into_response()
}

/// A picture that stands alone, in the middle of a card; `None` where it is no picture.
fn png(svg: &str) -> Option<Vec<u8>> {
    let tree = Tree::from_str(svg, &Options::default()).ok()?;
    let mut card = Pixmap::new(WIDTH, HEIGHT)?;
    card.fill(Color::from_rgba8(0xf3, 0xea, 0xd9, 0xff));
    let [w, h] = [tree.size().width(), tree.size().height()];
    let [wide, high] = [WIDTH as f32, HEIGHT as f32];
    let scale = ((wide - 2.0 * MARGIN) / w).min((high - 2.0 * MARGIN) / h);
    let [right, down] = [(wide - w * scale) / 2.0, (high - h * scale) / 2.0];
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, right, down);
    resvg::render(&tree, transform, &mut card.as_mut());
    card.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::Registry;

    fn game(ply: u32) -> Subject {
        Subject::Game("abcdefgh23".parse().unwrap(), ply)
    }

    #[tokio::test]
    async fn pictures_are_kept_and_few_are_drawn_at_once() {
        let easel = Easel::default();
        let house = Registry::house();
        let board = house.kinds().find_map(|kind| kind.hero()).unwrap();
        let first = easel.drawn(Subject::Start, board.clone()).await.unwrap();
        let all = u32::try_from(DRAWN_AT_ONCE).unwrap();
        let busy = easel.places.acquire_many(all).await.unwrap();
        let again = easel.drawn(Subject::Start, board.clone()).await.unwrap();
        assert_eq!(first.as_ptr(), again.as_ptr(), "it is not drawn again");
        let refused = easel.drawn(game(1), board.clone()).await.unwrap_err();
        assert_eq!(refused.status().as_u16(), 503);
        drop(busy);
        let other = easel.drawn(game(1), board).await.unwrap();
        assert_eq!(first, other, "the same board");
    }

    #[test]
    fn the_picture_that_nobody_asks_for_gives_way() {
        let easel = Easel::default();
        easel.keep(Subject::Start, Bytes::from_static(b"start"));
        easel.keep(game(0), Bytes::new());
        assert!(easel.kept(&Subject::Start).is_some());
        let others = u32::try_from(KEPT).unwrap() - 1;
        for ply in 1..=others {
            easel.keep(game(ply), Bytes::new());
        }
        assert_eq!(easel.kept.lock().unwrap().len(), KEPT);
        assert_eq!(easel.kept(&game(0)), None);
        assert!(easel.kept(&Subject::Start).is_some());
    }

    #[test]
    fn what_is_no_picture_is_not_drawn() {
        assert_eq!(png("<svg"), None);
    }
}
