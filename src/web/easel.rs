//! Draws boards as PNG in the queue of computers' turns, and keeps them.
//!
//! How many one network may ask for at once is bounded, and so is the number of all that wait: whoever
//! finds no place is told to come back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;

use super::error::Failure;
use super::problem::Problem;
use crate::archive::GameId;
use crate::picture::{Canvas, Shelf, png};
use crate::service::{Household, Service};
use crate::templates::card;

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

/// What drawing one is expected to take.
const EXPECTED: Duration = Duration::from_millis(80);

/// Draws boards as PNG, and keeps them.
pub(super) struct Easel {
    service: Service,
    line: Arc<Line>,
    kept: Arc<Shelf<Subject>>,
}

impl Easel {
    pub(super) fn new(service: &Service) -> Self {
        Easel {
            service: service.clone(),
            line: Arc::default(),
            kept: Arc::new(Shelf::new(MOST_KEPT)),
        }
    }

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
        let kept = Arc::clone(&self.kept);
        let drawing = self.service.in_turn(household, EXPECTED, move || {
            // Whoever hangs up counts until the work is done.
            let _waiting = waiting;
            // Somebody who came before may have asked for the same.
            if let Some(png) = kept.get(&subject) {
                return Some(png);
            }
            let png: Arc<[u8]> = png(&draw()?, subject.canvas())?.into();
            kept.put(subject, Arc::clone(&png));
            Some(png)
        });
        match drawing.await? {
            Some(png) => Ok(Bytes::from_owner(png)),
            None => Err(Failure::new(
                Problem::Internal,
                "this board cannot be drawn",
            )),
        }
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
    use crate::archive::memory::MemoryArchive;
    use crate::faces::Registry;
    use crate::service::Settings;

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

    fn easel() -> Easel {
        let archive = Arc::new(MemoryArchive::new());
        let settings = Settings {
            thinkers: 1,
            ..Settings::default()
        };
        Easel::new(&Service::new(Registry::house(), archive, settings))
    }

    #[tokio::test]
    async fn pictures_are_kept_and_what_is_none_is_not_drawn() {
        let easel = easel();
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
        let easel = Arc::new(easel());
        let (go_on, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let mut waiting = Vec::new();
        let most = u32::try_from(MOST_OF_ONE).unwrap();
        for ply in 0..most {
            let (easel, held) = (Arc::clone(&easel), Arc::clone(&held));
            let draw = move || {
                held.lock().unwrap().recv().unwrap();
                drawing()
            };
            let asked = async move { easel.drawn(game(ply), network(1), draw).await };
            waiting.push(tokio::spawn(asked));
        }
        while easel.line.waiting().get(&network(1)) != Some(&MOST_OF_ONE) {
            tokio::task::yield_now().await;
        }
        let refused = easel.drawn(game(most), network(1), drawing).await;
        assert_eq!(refused.unwrap_err().status().as_u16(), 503);
        // Another network comes after the one that is being drawn, and before all others.
        let other = Arc::clone(&easel);
        let other = async move { other.drawn(game(most), network(2), drawing).await };
        let other = tokio::spawn(other);
        while !easel.line.waiting().contains_key(&network(2)) {
            tokio::task::yield_now().await;
        }
        go_on.send(()).unwrap();
        assert!(other.await.unwrap().is_ok());
        assert!(!waiting.iter().all(tokio::task::JoinHandle::is_finished));
        for _ in 1..most {
            go_on.send(()).unwrap();
        }
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
