//! The pairing codes of browsers.

use std::sync::Arc;

use dice_of_doom::secret::SecretHash;
use dice_of_doom::site::device::codes::StoredPairingCode;
use dice_of_doom::store::Store;

use super::browser;

fn code(browser: SecretHash, code: SecretHash, until_ms: i64) -> StoredPairingCode {
    StoredPairingCode {
        browser,
        code,
        secret: vec![1, 2, 3],
        until_ms,
    }
}

pub(crate) async fn a_browser_has_one_code_which_is_used_once(store: Arc<dyn Store>) {
    let (one, other) = (browser(), browser());
    let codes = [browser(), browser(), browser()];
    let [first, second, third] = [(one, 0), (one, 1), (other, 2)]
        .map(|(browser, index)| code(browser, codes[index], 10 + index as i64));
    for code in [&first, &second, &third] {
        store.set_pairing_code(code.clone()).await.unwrap();
    }
    // The second code of a browser replaces the first.
    assert_eq!(store.pairing_code(&codes[0]).await, Ok(None));
    let found = store.pairing_code(&codes[1]).await;
    assert_eq!(found, Ok(Some(second.clone())));
    assert_eq!(store.delete_pairing_code(&codes[0]).await, Ok(false));
    // Of several uses at the same time one succeeds.
    let uses = (0..4).map(|_| store.delete_pairing_code(&codes[1]));
    let uses = futures_util::future::join_all(uses).await;
    assert_eq!(uses.iter().filter(|used| **used == Ok(true)).count(), 1);
    assert_eq!(store.pairing_code(&codes[1]).await, Ok(None));
    store.delete_expired_pairing_codes(11).await.unwrap();
    assert_eq!(store.pairing_code(&codes[2]).await, Ok(Some(third.clone())));
    store.delete_expired_pairing_codes(12).await.unwrap();
    assert_eq!(store.pairing_code(&codes[2]).await, Ok(None));
    // A code goes with the secret that it gives.
    for to in [Some(other), None] {
        store.set_pairing_code(first.clone()).await.unwrap();
        store.move_browser_data(&one, to.as_ref()).await.unwrap();
        assert_eq!(store.pairing_code(&codes[0]).await, Ok(None));
    }
}
