//! The Atom feeds of browsers.

use std::sync::Arc;

use dice_of_doom::secret::{Nonce, Secret, SecretHash};
use dice_of_doom::site::feed::StoredFeed;
use dice_of_doom::store::Store;

use super::browser;

fn feed(browser: SecretHash, language: &str, created_ms: i64) -> StoredFeed {
    StoredFeed {
        browser,
        token: Secret::random().hash(),
        nonce: Nonce::random(),
        language: language.to_owned(),
        created_ms,
        fetched_ms: created_ms,
    }
}

pub(crate) async fn a_browser_has_one_feed(store: Arc<dyn Store>) {
    let (one, other) = (browser(), browser());
    let (first, second, mut another) =
        (feed(one, "en", 1), feed(one, "ru", 2), feed(other, "ja", 3));
    for feed in [&first, &another] {
        store.set_feed(feed.clone()).await.unwrap();
    }
    assert_eq!(store.feed_of(&one).await.unwrap(), Some(first.clone()));
    let found = store.feed_by_token(&another.token).await.unwrap();
    assert_eq!(found, Some(another.clone()));
    // A new feed replaces the old one, and its token opens nothing any more.
    store.set_feed(second.clone()).await.unwrap();
    assert_eq!(store.feed_of(&one).await.unwrap(), Some(second.clone()));
    let found = store.feed_by_token(&second.token).await.unwrap();
    assert_eq!(found, Some(second));
    assert_eq!(store.feed_by_token(&first.token).await.unwrap(), None);
    for (at_ms, fetched_ms) in [(9, 9), (7, 9)] {
        let token = another.token;
        store.mark_feed_fetched(&token, at_ms).await.unwrap();
        another.fetched_ms = fetched_ms;
        let found = store.feed_of(&other).await.unwrap();
        assert_eq!(found.as_ref(), Some(&another));
    }
    // A feed does not move to another browser, because its address follows from the browser's secret.
    store
        .move_browser_data(&one, Some(&browser()))
        .await
        .unwrap();
    assert_eq!(store.feed_of(&one).await.unwrap(), None);
    assert_eq!(store.feed_of(&other).await.unwrap(), Some(another));
    assert_eq!(store.feed_of(&browser()).await.unwrap(), None);
}
