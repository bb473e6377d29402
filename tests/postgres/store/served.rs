//! The periods in which a server was ready.

use std::sync::Arc;

use dice_of_doom::store::{MAX_SERVED_PERIODS, ServedPeriod, Store};

pub(crate) async fn served_periods_end_with_a_gap(store: Arc<dyn Store>) {
    let record = async |now_ms, gap_ms| {
        let periods = store.record_served(now_ms, gap_ms).await.unwrap();
        let ends = |period: &ServedPeriod| (period.from_ms, period.until_ms);
        periods.iter().map(ends).collect::<Vec<_>>()
    };
    assert_eq!(record(100, 10).await, [(100, 100)]);
    assert_eq!(record(110, 10).await, [(100, 110)]);
    assert_eq!(record(121, 10).await, [(100, 110), (121, 121)]);
    assert_eq!(record(124, 0).await, [(100, 110), (121, 121), (124, 124)]);
    // The clock was set back, within a period and before all of them.
    assert_eq!(record(122, 10).await, [(100, 110), (121, 122)]);
    assert_eq!(record(105, 10).await, [(100, 105)]);
    assert_eq!(record(90, 10).await, [(90, 90)]);
    for number in 1..=i64::from(MAX_SERVED_PERIODS) {
        record(90 + 10 * number, 9).await;
    }
    let newest = 90 + 10 * i64::from(MAX_SERVED_PERIODS);
    let periods = record(newest + 5, 9).await;
    assert_eq!(periods.len() as u32, MAX_SERVED_PERIODS);
    assert_eq!(periods[0], (100, 100));
    assert_eq!(periods.last(), Some(&(newest, newest + 5)));
}
