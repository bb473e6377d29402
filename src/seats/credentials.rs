//! Who sends a request.

use super::SeatCredentials;
use crate::client_network::ClientNetwork;
use crate::secret::{Secret, SecretHash};

/// The hashed credentials of a request: the browser's secrets, a seat's token, both or neither, and the client network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Credentials {
    /// The browser's current secret, used for new seats.
    pub browser: Option<SecretHash>,
    /// Earlier secrets of the same browser, which still give access to seats taken with them.
    pub other_browsers: [Option<SecretHash>; 2],
    /// A seat's or a program's token.
    pub token: Option<SecretHash>,
    /// The client network, if known. It gives no access; it is charged for compute time.
    pub client_network: Option<ClientNetwork>,
}

impl Credentials {
    /// The hashes of all secrets of the browser, the current one first.
    pub fn browsers(&self) -> impl Iterator<Item = &SecretHash> {
        self.browser
            .iter()
            .chain(self.other_browsers.iter().flatten())
    }

    /// The same credentials with a new current browser secret.
    pub(crate) fn with_browser(&self, secret: &Secret) -> Credentials {
        Credentials {
            browser: Some(secret.hash()),
            ..*self
        }
    }

    pub(crate) fn matches_browser(&self, stored: Option<&SecretHash>) -> bool {
        self.browsers()
            .fold(false, |found, own| found | matches_hash(stored, Some(own)))
    }

    pub(crate) fn matches_seat(&self, keys: Option<SeatCredentials>) -> bool {
        keys.is_some_and(|keys| {
            self.matches_browser(keys.browser()) | matches_hash(keys.token(), self.token.as_ref())
        })
    }
}

/// Whether both hashes are present and equal.
pub(crate) fn matches_hash(stored: Option<&SecretHash>, presented: Option<&SecretHash>) -> bool {
    match (stored, presented) {
        (Some(stored), Some(presented)) => stored.matches(presented),
        _ => false,
    }
}
