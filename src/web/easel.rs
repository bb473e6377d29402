//! Draws boards as PNG off the async threads, and keeps them.
//!
//! Few are drawn at the same time, in the order in which they were asked for. How many one network may
//! ask for at once is bounded, and so is the line of all who wait: whoever finds no place in it is told
//! to come back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::Semaphore;

use super::error::Failure;
use super::problem::Problem;
use crate::archive::GameId;
use crate::picture::{Canvas, Shelf, png};
use crate::service::Household;
use crate::templates::card;

/// So many are drawn at the same time.
const DRAWN_AT_ONCE: usize = 2;

/// So many may be drawn or wait.
const MOST: usize = 64;

/// So many of them for one network.
const MOST_OF_ONE: usize = 8;

/// The most bytes of pictures that are kept.
const MOST_KEPT: usize = 12 << 20;

/// The longer side of a picture that is no card, in pixels.
const LONGEST: u32 = 1200;

/// What a picture shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// The board of the start page, on a card.
    Start,
    /// A game after so many plies, on a card.
    Card(GameId, u32),
    /// A game after so many plies.
    Ply(GameId, u32),
}

impl Subject {
    const fn canvas(&self) -> Canvas {
        match self {
            Subject::Start | Subject::Card(..) => Canvas::Card {
                width: card::WIDTH,
                height: card::HEIGHT,
            },
            Subject::Ply(..) => Canvas::Fitted { longest: LONGEST },
        }
    }
}

/// Draws boards as PNG, and keeps them.
pub(super) struct Easel {
    places: Arc<Semaphore>,
    line: Arc<Line>,
    kept: Shelf<Subject>,
}

impl Default for Easel {
    fn default() -> Self {
        Easel {
            places: Arc::new(Semaphore::new(DRAWN_AT_ONCE)),
            line: Arc::default(),
            kept: Shelf::new(MOST_KEPT),
        }
    }
}

impl Easel {
    /// The picture of a subject, asked for from this network, which `draw` draws (SVG).
    pub(super) async fn drawn(
        &self,
        subject: Subject,
        household: Household,
        draw: impl FnOnce() -> Option<String> + Send + 'static,
    ) -> Result<Bytes, Failure> {
        if let Some(png) = self.kept.get(&subject) {
            return Ok(Bytes::from_owner(png));
        }
        let Some(waiting) = Line::join(&self.line, household) else {
            return Err(Failure::busy("too many pictures are being drawn"));
        };
        let place = Arc::clone(&self.places).acquire_owned().await;
        // Somebody who came before may have asked for the same.
        if let Some(png) = self.kept.get(&subject) {
            return Ok(Bytes::from_owner(png));
        }
        let canvas = subject.canvas();
        let drawing = tokio::task::spawn_blocking(move || {
            // Whoever hangs up counts until the work is done.
            let _held = (waiting, place);
            png(&draw()?, canvas)
        });
        let Ok(Some(png)) = drawing.await else {
            return Err(Failure::new(
                Problem::Internal,
                "this board cannot be drawn",
            ));
        };
        let png: Arc<[u8]> = png.into();
        self.kept.put(subject, Arc::clone(&png));
        Ok(Bytes::from_owner(png))
    }
}

/// For whom pictures are being drawn: how many for each network.
#[derive(Default)]
struct Line(Mutex<HashMap<Household, usize>>);

impl Line {
    /// A place in the line, unless it is full or this network has enough of it.
    fn join(line: &Arc<Line>, household: Household) -> Option<Waiting> {
        let mut waiting = line.waiting();
        let own = waiting.get(&household).copied().unwrap_or(0);
        if own >= MOST_OF_ONE || waiting.values().sum::<usize>() >= MOST {
            return None;
        }
        waiting.insert(household, own + 1);
        Some(Waiting {
            line: Arc::clone(line),
            household,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Household, usize>> {
        // Every change of the map is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the line; dropping it gives it back.
struct Waiting {
    line: Arc<Line>,
    household: Household,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waiting = self.line.waiting();
        if let Some(own) = waiting.get_mut(&self.household) {
            *own -= 1;
            if *own == 0 {
                waiting.remove(&self.household);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>"#;

    fn game(ply: u32) -> Subject {
        Subject::Ply("abcdefgh23".parse().unwrap(), ply)
    }

    fn network(number: u8) -> Household {
        Household::of([192, 0, 2, number].into())
    }

    fn drawing() -> Option<String> {
        Some(DRAWING.to_owned())
    }

    #[tokio::test]
    async fn pictures_are_kept_and_what_is_none_is_not_drawn() {
        let easel = Easel::default();
        let home = network(1);
        let first = easel.drawn(game(1), home, drawing).await.unwrap();
        let again = easel.drawn(game(1), home, || panic!("it is kept"));
        assert_eq!(first.as_ptr(), again.await.unwrap().as_ptr());
        let broken = easel.drawn(game(2), home, || Some("<svg".to_owned()));
        assert_eq!(broken.await.unwrap_err().status().as_u16(), 500);
        assert!(easel.line.waiting().is_empty());
    }

    #[tokio::test]
    async fn one_network_leaves_room_for_others() {
        let easel = Arc::new(Easel::default());
        let all = u32::try_from(DRAWN_AT_ONCE).unwrap();
        let busy = easel.places.acquire_many(all).await.unwrap();
        let mut waiting = Vec::new();
        let most = u32::try_from(MOST_OF_ONE).unwrap();
        for ply in 0..most {
            let easel = Arc::clone(&easel);
            let asked = async move { easel.drawn(game(ply), network(1), drawing).await };
            waiting.push(tokio::spawn(asked));
        }
        while easel.line.waiting().get(&network(1)) != Some(&MOST_OF_ONE) {
            tokio::task::yield_now().await;
        }
        let refused = easel.drawn(game(most), network(1), drawing).await;
        assert_eq!(refused.unwrap_err().status().as_u16(), 503);
        let other = easel.drawn(game(most), network(2), drawing);
        let other = async {
            let (other, ()) = tokio::join!(other, async { drop(busy) });
            other
        };
        assert!(other.await.is_ok());
        for one in waiting {
            assert!(one.await.unwrap().is_ok());
        }
        assert!(easel.line.waiting().is_empty());
    }

    #[test]
    fn the_line_is_bounded() {
        let line = Arc::new(Line::default());
        let full: Vec<_> = (0..=u8::MAX)
            .map_while(|number| Line::join(&line, network(number)))
            .collect();
        assert_eq!(full.len(), MOST);
        drop(full);
        assert!(line.waiting().is_empty());
    }
}
