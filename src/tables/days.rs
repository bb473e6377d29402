//! The clock that decides about days: the database's if servers share one, otherwise that of this process.

use std::time::Duration;

use super::state::{Service, ServiceState};
use crate::day::Day;
use crate::store::DatabaseTime;

/// The difference between a server's clock and the database's from which on the server warns.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 60_000;
const CLOCK_COMPARISON_INTERVAL: Duration = Duration::from_secs(60);

impl ServiceState {
    fn today(&self) -> Day {
        let clock = self.store.clock();
        let now_ms = clock.map_or_else(|| self.environment.now_ms(), DatabaseTime::now_ms);
        Day::of_ms(now_ms)
    }

    pub(super) fn is_day_over(&self, day: Day) -> bool {
        let clock = self.store.clock();
        let passed_ms = clock.map_or_else(|| self.environment.now_ms(), |clock| clock.passed_ms);
        passed_ms >= day.over_ms()
    }
}

impl Service {
    /// The current day.
    #[must_use]
    pub fn today(&self) -> Day {
        self.shared.today()
    }

    /// Whether a day is over: nothing that is played counts for it any more, and its secret is public.
    #[must_use]
    pub fn is_day_over(&self, day: Day) -> bool {
        self.shared.is_day_over(day)
    }

    /// The first day that is not over: today, or the day before until what was begun on it counts no more.
    #[must_use]
    pub fn first_open_day(&self) -> Day {
        let today = self.today();
        let yesterday = today.before(1);
        match self.is_day_over(yesterday) {
            true => today,
            false => yesterday,
        }
    }
}

/// Warns when this server's clock differs much from that of the database, which decides about days.
pub(super) async fn compare_clocks(service: &Service) {
    let mut has_warned = false;
    loop {
        let Some(clock) = service.shared.store.clock() else {
            return;
        };
        let ahead_ms = service.now_ms().saturating_sub(clock.now_ms());
        let differs = ahead_ms.abs() > MAX_CLOCK_DIFFERENCE_MS;
        if differs && !has_warned {
            tracing::warn!(
                ahead_s = ahead_ms / 1000,
                "this server's clock differs from the database's by more than a minute: the database's decides when the board of the day changes, this one's is in the records of games"
            );
        }
        has_warned = differs;
        tokio::time::sleep(CLOCK_COMPARISON_INTERVAL).await;
    }
}
