//! Cache of images with bounded memory.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Caches images by key within a number of bytes; those that are used least are evicted.
pub type ImageCache<K> = Cache<K, Arc<[u8]>, ImageBytes>;

/// An empty cache of this size.
#[must_use]
pub fn image_cache<K: Eq + Hash>(max_bytes: usize) -> ImageCache<K> {
    // So few that the cache is one shard: an image may take almost all of it.
    const EXPECTED_IMAGES: usize = 48;
    Cache::with_weighter(EXPECTED_IMAGES, max_bytes as u64, ImageBytes)
}

/// Weighs an image by its size.
#[derive(Clone, Debug)]
pub struct ImageBytes;

impl<K> Weighter<K, Arc<[u8]>> for ImageBytes {
    fn weight(&self, _: &K, image: &Arc<[u8]>) -> u64 {
        image.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_one_image_may_take_almost_all_of_it() {
        let cache = image_cache(30);
        for key in 0..100 {
            cache.insert(key, vec![0; 10].into());
        }
        assert_eq!((cache.len(), cache.weight()), (3, 30));
        cache.insert(100, vec![0; 31].into());
        assert!(cache.get(&100).is_none(), "larger than the cache");
        let cache = image_cache(30);
        cache.insert(0, vec![0; 29].into());
        assert!(cache.get(&0).is_some());
    }
}
