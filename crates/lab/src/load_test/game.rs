//! A game in progress, as shared by its player and its watchers.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A game in progress with the times of its plies.
pub(super) struct LoadedGame {
    pub(super) id: String,
    plies: Mutex<Vec<PlyTiming>>,
    /// Cancelled when no more plies will be played: the game or the test is over.
    pub(super) done: CancellationToken,
}

#[derive(Clone, Copy)]
struct PlyTiming {
    sent: Instant,
    acknowledged: Option<Instant>,
}

/// The latencies of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EventLatency {
    /// From when the ply was sent.
    pub(super) since_sent: Duration,
    /// From when the ply was acknowledged; zero if the event came first.
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

    /// Records that the next ply was sent.
    pub(super) fn record_sent(&self, at: Instant) {
        let ply = PlyTiming {
            sent: at,
            acknowledged: None,
        };
        self.plies.lock().push(ply);
    }

    /// Records that the last ply sent was acknowledged.
    pub(super) fn record_acknowledged(&self, at: Instant) {
        if let Some(ply) = self.plies.lock().last_mut() {
            ply.acknowledged = Some(at);
        }
    }

    /// The number of acknowledged plies.
    pub(super) fn acknowledged_plies(&self) -> u32 {
        let plies = self.plies.lock();
        plies
            .iter()
            .filter(|ply| ply.acknowledged.is_some())
            .count() as u32
    }

    /// The latencies of a ply's event that arrives at `now` on a stream opened at `opened_at`; `None` if the ply was
    /// sent before that.
    pub(super) fn event_latency(
        &self,
        number: u32,
        opened_at: Instant,
        now: Instant,
    ) -> Option<EventLatency> {
        let ply = *self.plies.lock().get(number as usize)?;
        (ply.sent >= opened_at).then(|| EventLatency {
            since_sent: now.saturating_duration_since(ply.sent),
            since_acknowledged: ply
                .acknowledged
                .map_or(Duration::ZERO, |at| now.saturating_duration_since(at)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_timed_for_streams_opened_before_the_ply_was_sent() {
        let game = LoadedGame::new("k3v9x0q2mz".into());
        let start = Instant::now();
        let ms = |ms| start + Duration::from_millis(ms);
        game.record_sent(ms(10));
        let early = game.event_latency(0, start, ms(12)).unwrap();
        assert_eq!(early.since_sent, Duration::from_millis(2));
        assert_eq!(early.since_acknowledged, Duration::ZERO);
        assert_eq!(game.acknowledged_plies(), 0);
        game.record_acknowledged(ms(13));
        let late = game.event_latency(0, start, ms(20)).unwrap();
        assert_eq!(late.since_acknowledged, Duration::from_millis(7));
        assert_eq!(game.event_latency(0, ms(11), ms(20)), None);
        assert_eq!(game.event_latency(1, start, ms(20)), None);
        assert_eq!(game.acknowledged_plies(), 1);
    }
}
