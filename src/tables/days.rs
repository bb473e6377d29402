//! The clock that decides about days: the database's if servers share one, otherwise that of this process.

use super::state::{Service, ServiceState};
use crate::day::Day;
use crate::store::DatabaseTime;

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
