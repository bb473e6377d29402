//! Draws boards as PNG in the queue of computers' turns, and keeps them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;

use super::error::HttpError;
use super::problem::ProblemKind;
use crate::raster::{ImageCache, ImageSize, png};
use crate::service::{ClientNetwork, Service};
use crate::store::GameId;
use crate::templates::social_card;

/// The most bytes of pictures that are kept.
const MOST_KEPT: usize = 12 << 20;

/// The longer side of a picture that is no card, in pixels.
const LONGEST: u32 = 1200;

/// What a picture shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PictureKey {
    /// The board of the start page, on a card.
    Start,
    /// A game after so many plies, on a card.
    Card(GameId, u32),
    /// A game after so many plies.
    Ply(GameId, u32),
}

impl PictureKey {
    const fn canvas(&self) -> ImageSize {
        match self {
            PictureKey::Start | PictureKey::Card(..) => ImageSize::Card {
                width: social_card::WIDTH,
                height: social_card::HEIGHT,
            },
            PictureKey::Ply(..) => ImageSize::Fitted { longest: LONGEST },
        }
    }
}

/// What drawing one is expected to take.
const EXPECTED: Duration = Duration::from_millis(80);

/// Draws boards as PNG, and keeps them.
pub(super) struct PngRenderer {
    service: Service,
    kept: Arc<ImageCache<PictureKey>>,
}

impl PngRenderer {
    pub(super) fn new(service: &Service) -> Self {
        PngRenderer {
            service: service.clone(),
            kept: Arc::new(ImageCache::new(MOST_KEPT)),
        }
    }

    /// The picture of a subject, asked for from this network, which `draw` draws (SVG).
    pub(super) async fn drawn(
        &self,
        subject: PictureKey,
        household: ClientNetwork,
        draw: impl FnOnce() -> Option<String> + Send + 'static,
    ) -> Result<Bytes, HttpError> {
        if let Some(png) = self.kept.get(&subject) {
            return Ok(Bytes::from_owner(png));
        }
        let kept = Arc::clone(&self.kept);
        let drawing = self.service.in_turn(household, EXPECTED, move || {
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
            None => Err(HttpError::new(
                ProblemKind::Internal,
                "this board cannot be drawn",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::Registry;
    use crate::service::ServiceSettings;
    use crate::store::memory::MemoryStore;

    const DRAWING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>"#;

    fn game(ply: u32) -> PictureKey {
        PictureKey::Ply("abcdefgh23".parse().unwrap(), ply)
    }

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::of([192, 0, 2, number].into())
    }

    fn drawing() -> Option<String> {
        Some(DRAWING.to_owned())
    }

    fn easel() -> PngRenderer {
        let archive = Arc::new(MemoryStore::new());
        let settings = ServiceSettings {
            thinkers: 1,
            ..ServiceSettings::default()
        };
        PngRenderer::new(&Service::new(Registry::builtin(), archive, settings))
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
    }
}
