//! LRU cache of images with bounded memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Caches images by key; the least recently used one is evicted.
#[derive(Debug)]
pub struct ImageCache<K> {
    max_bytes: usize,
    /// The most recently used entry is last.
    entries: Mutex<VecDeque<(K, Arc<[u8]>)>>,
}

impl<K: PartialEq> ImageCache<K> {
    /// An empty cache of this size. Lookup is linear, so it should hold no more than some hundreds of images.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        ImageCache {
            max_bytes,
            entries: Mutex::default(),
        }
    }

    /// The cached image with this key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<Arc<[u8]>> {
        let mut entries = self.lock_entries();
        let index = entries.iter().position(|(own, _)| own == key)?;
        let entry = entries.remove(index)?;
        let picture = Arc::clone(&entry.1);
        entries.push_back(entry);
        Some(picture)
    }

    /// Caches an image, unless it is larger than the cache.
    pub fn insert(&self, key: K, picture: Arc<[u8]>) {
        if picture.len() > self.max_bytes {
            return;
        }
        let mut entries = self.lock_entries();
        entries.retain(|(own, _)| *own != key);
        entries.push_back((key, picture));
        let mut bytes: usize = entries.iter().map(|(_, picture)| picture.len()).sum();
        while bytes > self.max_bytes
            && let Some((_, evicted)) = entries.pop_front()
        {
            bytes -= evicted.len();
        }
    }

    fn lock_entries(&self) -> MutexGuard<'_, VecDeque<(K, Arc<[u8]>)>> {
        // Every state between two operations is valid, so a poisoned lock can be used.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(cache: &ImageCache<u32>) -> Vec<u32> {
        cache.lock_entries().iter().map(|(key, _)| *key).collect()
    }

    #[test]
    fn the_least_recently_used_image_is_evicted() {
        let cache = ImageCache::new(30);
        for key in 0..3 {
            cache.insert(key, vec![0; 10].into());
        }
        assert!(cache.get(&0).is_some());
        cache.insert(3, vec![0; 10].into());
        assert_eq!(keys(&cache), [2, 0, 3]);
        cache.insert(0, vec![0; 15].into());
        assert_eq!(keys(&cache), [3, 0]);
        cache.insert(4, vec![0; 31].into());
        assert_eq!(keys(&cache), [3, 0], "larger than the cache");
        assert!(cache.get(&4).is_none());
    }
}
