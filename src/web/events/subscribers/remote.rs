//! Those who watch at other servers: once a second the servers that share an archive tell each other their numbers.
//! Streams come and go without any of that; what is told is how it stands then.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::sleep;

use super::SubscriberRegistry;
use crate::store::{GameId, GameStore};

/// How often servers tell each other.
const TELL: Duration = Duration::from_secs(1);

impl SubscriberRegistry {
    /// Counts those at other servers, too, until the server stops.
    pub(in crate::web) async fn share(&self, archive: &dyn GameStore) {
        if !archive.is_shared() {
            return;
        }
        let sharing = async {
            loop {
                sleep(TELL).await;
                match archive.share_watchers(self.here()).await {
                    Ok(elsewhere) => self.heard(elsewhere),
                    // What was known last is told on; it is a number beside the board and nothing hangs on it.
                    Err(error) => {
                        tracing::debug!(%error, "who watches at other servers is not known")
                    }
                }
            }
        };
        self.stop.run_until_cancelled(sharing).await;
    }

    /// How many watch which games here.
    fn here(&self) -> HashMap<GameId, u32> {
        let followers = self.followers();
        let here = followers.by_game.iter().filter_map(|(id, audience)| {
            let watchers = audience.counts().watchers;
            (watchers > 0).then(|| (id.clone(), watchers))
        });
        here.collect()
    }

    fn heard(&self, elsewhere: HashMap<GameId, u32>) {
        let mut followers = self.followers();
        if followers.elsewhere == elsewhere {
            return;
        }
        followers.elsewhere = elsewhere;
        for (id, audience) in &followers.by_game {
            let now = followers.elsewhere(id);
            let before = std::mem::replace(&mut audience.counts().elsewhere, now);
            if before != now {
                audience.tell_soon();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::web::client::Client;
    use crate::web::events::subscribers::{StreamLimits, SubscriberRole};

    #[tokio::test]
    async fn those_at_other_servers_count_and_are_not_told_on() {
        let gallery = Arc::new(SubscriberRegistry::new(
            StreamLimits::default(),
            CancellationToken::new(),
        ));
        let (watched, unwatched) = (GameId::random(), GameId::random());
        let client = Client {
            address: Ipv4Addr::LOCALHOST.into(),
            secure: false,
        };
        let enter = |role| {
            gallery
                .enter(&watched, &client, role)
                .expect("there is room")
        };
        let both = (
            enter(SubscriberRole::Watcher),
            enter(SubscriberRole::Player),
        );
        let elsewhere = [(watched.clone(), 2), (unwatched.clone(), 5)];
        gallery.heard(elsewhere.into());
        assert_eq!(gallery.watchers(&watched), 3);
        assert_eq!(gallery.watchers(&unwatched), 5);
        assert_eq!(gallery.here(), [(watched.clone(), 1)].into());
        // Whoever comes later hears of those elsewhere from the first.
        drop(both);
        let later = enter(SubscriberRole::Watcher);
        assert_eq!(later.audience().watchers(), 3);
        gallery.heard(HashMap::new());
        assert_eq!(gallery.watchers(&watched), 1);
    }
}
