//! A cache of images with bounded memory.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Images by key, weighed by their bytes.
pub type ImageCache<K> = Cache<K, Arc<[u8]>, ByteWeighter>;

#[derive(Clone, Copy, Debug)]
pub struct ByteWeighter;

impl<K> Weighter<K, Arc<[u8]>> for ByteWeighter {
    fn weight(&self, _: &K, image: &Arc<[u8]>) -> u64 {
        image.len() as u64
    }
}

/// An empty cache of this many bytes, for about `images` images.
#[must_use]
pub fn image_cache<K: Eq + Hash>(max_bytes: u64, images: usize) -> ImageCache<K> {
    Cache::with_weighter(images, max_bytes, ByteWeighter)
}
