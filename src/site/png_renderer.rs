//! Renders boards as PNG in the compute queue, and caches them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;

use super::shared::app::{App, FeatureState};
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::provably_fair::Sha256Digest;
use crate::raster::{ImageCache, ImageSize, image_cache, png};
use crate::store::GameId;
use crate::tables::{ClientNetwork, ComputeDemand, JobKind, Service};
use crate::templates::social_card;

/// The maximum total size of the cached images, in bytes.
const MAX_CACHE_BYTES: usize = 12 << 20;

/// The longer side of an image that is not a social card, in pixels.
const LONGER_SIDE: u32 = 1200;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum PictureKey {
    Start,
    /// A game after the given number of plies, as a social card.
    Card(GameId, u32),
    /// A game after the given number of plies.
    Ply(GameId, u32),
    /// The drawing with this hash, as a social card.
    Drawing(Sha256Digest),
}

impl PictureKey {
    const fn canvas(&self) -> ImageSize {
        match self {
            PictureKey::Start | PictureKey::Card(..) | PictureKey::Drawing(_) => ImageSize::Card {
                width: social_card::WIDTH,
                height: social_card::HEIGHT,
            },
            PictureKey::Ply(..) => ImageSize::FitContent {
                longest: LONGER_SIDE,
            },
        }
    }
}

/// The expected time to render one image.
const EXPECTED_RENDER_TIME: Duration = Duration::from_millis(80);

pub(super) struct PngRenderer {
    service: Service,
    cache: Arc<ImageCache<PictureKey>>,
}

impl FeatureState for PngRenderer {
    fn new(app: &App) -> Self {
        PngRenderer {
            service: app.service.clone(),
            cache: Arc::new(image_cache(MAX_CACHE_BYTES)),
        }
    }
}

impl PngRenderer {
    /// An SVG as a social card.
    pub(super) async fn drawing(
        &self,
        svg: String,
        client_network: ClientNetwork,
    ) -> Result<Bytes, HttpError> {
        let subject = PictureKey::Drawing(Sha256Digest::compute(svg.as_bytes()));
        self.get_or_render(subject, client_network, || Some(svg))
            .await
    }

    /// Returns the cached image, or renders the SVG from `draw`; the compute time is charged to this network.
    pub(super) async fn get_or_render(
        &self,
        subject: PictureKey,
        client_network: ClientNetwork,
        draw: impl FnOnce() -> Option<String> + Send + 'static,
    ) -> Result<Bytes, HttpError> {
        if let Some(png) = self.cache.get(&subject) {
            return Ok(Bytes::from_owner(png));
        }
        let cache = Arc::clone(&self.cache);
        let render = move |_: &_| {
            // An earlier job may have rendered the same image.
            if let Some(png) = cache.get(&subject) {
                return Some(png);
            }
            let png: Arc<[u8]> = png(&draw()?, subject.canvas())?.into();
            cache.insert(subject, Arc::clone(&png));
            Some(png)
        };
        let demand = ComputeDemand::time(EXPECTED_RENDER_TIME);
        let rendered =
            self.service
                .run_job(JobKind::PictureOrUpload, client_network, demand, render);
        match rendered.await? {
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
    use crate::games::Registry;
    use crate::store::sqlite::SqliteStore;
    use crate::tables::ServiceSettings;

    const DRAWING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>"#;

    fn game(ply: u32) -> PictureKey {
        PictureKey::Ply("abcdefgh23".parse().unwrap(), ply)
    }

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::from_ip([192, 0, 2, number].into())
    }

    fn drawing() -> Option<String> {
        Some(DRAWING.to_owned())
    }

    fn renderer() -> PngRenderer {
        let store = Arc::new(SqliteStore::in_memory());
        let settings = ServiceSettings {
            compute_threads: 1,
            ..ServiceSettings::default()
        };
        PngRenderer::new(&App::of(Service::new(Registry::builtin(), store, settings)))
    }

    #[tokio::test]
    async fn images_are_cached_and_a_broken_svg_is_an_error() {
        let renderer = renderer();
        let home = network(1);
        let first = renderer
            .get_or_render(game(1), home, drawing)
            .await
            .unwrap();
        let again = renderer.get_or_render(game(1), home, || panic!("it is cached"));
        assert_eq!(first.as_ptr(), again.await.unwrap().as_ptr());
        let broken = renderer.get_or_render(game(2), home, || Some("<svg".to_owned()));
        assert_eq!(broken.await.unwrap_err().status().as_u16(), 500);
    }
}
