//! A game that is played: what its player and its watchers know of it together.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A game that is played, and when each of its plies was.
pub(super) struct LoadedGame {
    pub(super) id: String,
    plies: Mutex<Vec<PlyTiming>>,
    /// No more plies come: the game is over, or the run is.
    pub(super) done: CancellationToken,
}

#[derive(Clone, Copy)]
struct PlyTiming {
    sent: Instant,
    acknowledged: Option<Instant>,
}

/// How long an event took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EventLatency {
    /// From when the ply was sent.
    pub(super) since_sent: Duration,
    /// From its acknowledgement; nothing where the event came first.
    pub(super) since_acknowledged: Duration,
}

impl LoadedGame {
    pub(super) fn new(id: String) -> Self {
        LoadedGame {
            id,
            plies: Mutex::default(),
            done: CancellationToken::new(),
        }
    }

    /// The next ply is on its way.
    pub(super) fn sent(&self, at: Instant) {
        let ply = PlyTiming {
            sent: at,
            acknowledged: None,
        };
        self.plies().push(ply);
    }

    /// The ply that was sent last is acknowledged.
    pub(super) fn acknowledged(&self, at: Instant) {
        if let Some(ply) = self.plies().last_mut() {
            ply.acknowledged = Some(at);
        }
    }

    /// How many plies were acknowledged.
    pub(super) fn length(&self) -> u32 {
        let plies = self.plies();
        plies
            .iter()
            .filter(|ply| ply.acknowledged.is_some())
            .count() as u32
    }

    /// How long the event of a ply took that arrives now, for whoever listens since a time; nothing for what was played
    /// before that.
    pub(super) fn travelled(
        &self,
        number: u32,
        listens_since: Instant,
        now: Instant,
    ) -> Option<EventLatency> {
        let ply = *self.plies().get(number as usize)?;
        (ply.sent >= listens_since).then(|| EventLatency {
            since_sent: now.saturating_duration_since(ply.sent),
            since_acknowledged: ply
                .acknowledged
                .map_or(Duration::ZERO, |at| now.saturating_duration_since(at)),
        })
    }

    fn plies(&self) -> std::sync::MutexGuard<'_, Vec<PlyTiming>> {
        // A panic between lock and unlock leaves a list of times that is as true as before.
        self.plies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_timed_for_those_who_listened_when_its_ply_was_sent() {
        let table = LoadedGame::new("k3v9x0q2mz".into());
        let begin = Instant::now();
        let ms = |ms| begin + Duration::from_millis(ms);
        table.sent(ms(10));
        let early = table.travelled(0, begin, ms(12)).unwrap();
        assert_eq!(early.since_sent, Duration::from_millis(2));
        assert_eq!(early.since_acknowledged, Duration::ZERO);
        assert_eq!(table.length(), 0);
        table.acknowledged(ms(13));
        let late = table.travelled(0, begin, ms(20)).unwrap();
        assert_eq!(late.since_acknowledged, Duration::from_millis(7));
        assert_eq!(table.travelled(0, ms(11), ms(20)), None);
        assert_eq!(table.travelled(1, begin, ms(20)), None);
        assert_eq!(table.length(), 1);
    }
}
