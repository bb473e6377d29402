//! A shelf of pictures: those that were asked for last, in bounded memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps pictures by what they show; the one that nobody asked for for the longest time gives way.
#[derive(Debug)]
pub struct ImageCache<K> {
    most_bytes: usize,
    /// The one that was asked for last stands at the end.
    kept: Mutex<VecDeque<(K, Arc<[u8]>)>>,
}

impl<K: PartialEq> ImageCache<K> {
    /// An empty shelf for so many bytes of pictures. They are looked for one by one: there should be room
    /// for some hundreds.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        ImageCache {
            most_bytes,
            kept: Mutex::default(),
        }
    }

    /// The picture of this, if it is kept.
    #[must_use]
    pub fn get(&self, of: &K) -> Option<Arc<[u8]>> {
        let mut kept = self.kept();
        let at = kept.iter().position(|(own, _)| own == of)?;
        let found = kept.remove(at)?;
        let picture = Arc::clone(&found.1);
        kept.push_back(found);
        Some(picture)
    }

    /// Keeps a picture, unless it is larger than the shelf.
    pub fn put(&self, of: K, picture: Arc<[u8]>) {
        if picture.len() > self.most_bytes {
            return;
        }
        let mut kept = self.kept();
        kept.retain(|(own, _)| *own != of);
        kept.push_back((of, picture));
        let mut bytes: usize = kept.iter().map(|(_, picture)| picture.len()).sum();
        while bytes > self.most_bytes
            && let Some((_, gone)) = kept.pop_front()
        {
            bytes -= gone.len();
        }
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(K, Arc<[u8]>)>> {
        // Pictures that were put down half way are kept or not, and both are right.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(shelf: &ImageCache<u32>) -> Vec<u32> {
        shelf.kept().iter().map(|(of, _)| *of).collect()
    }

    #[test]
    fn the_picture_that_nobody_asks_for_gives_way() {
        let shelf = ImageCache::new(30);
        for of in 0..3 {
            shelf.put(of, vec![0; 10].into());
        }
        assert!(shelf.get(&0).is_some());
        shelf.put(3, vec![0; 10].into());
        assert_eq!(kept(&shelf), [2, 0, 3]);
        shelf.put(0, vec![0; 15].into());
        assert_eq!(kept(&shelf), [3, 0]);
        shelf.put(4, vec![0; 31].into());
        assert_eq!(kept(&shelf), [3, 0], "it would not fit");
        assert!(shelf.get(&4).is_none());
    }
}
