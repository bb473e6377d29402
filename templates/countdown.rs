//! The time left until something happens. It is right at the time of loading; a script keeps it current and adds the
//! reader's own time of day.

use maud::{Markup, html};

use super::localization::{MessageValue, Translations};
use super::page::SiteContext;

/// A time to come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CountdownView {
    /// Unix time in milliseconds.
    pub until_ms: i64,
    /// The minutes until then.
    pub minutes: u32,
}

impl CountdownView {
    /// `None` if that time has passed.
    #[must_use]
    pub fn new(until_ms: i64, now_ms: i64) -> Option<Self> {
        let left_ms = u64::try_from(until_ms.checked_sub(now_ms)?).ok()?;
        let minutes = u32::try_from(left_ms.div_ceil(60_000)).ok()?;
        (minutes > 0).then_some(CountdownView { until_ms, minutes })
    }
}

/// The hours and minutes left.
pub(super) fn countdown(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &CountdownView,
) -> Markup {
    let left = |hours: Option<MessageValue<'_>>, minutes: MessageValue<'_>| match hours {
        Some(hours) => text
            .get_with("time-left", &[("hours", hours), ("minutes", minutes)])
            .into_owned(),
        None => text
            .get_with("time-left-minutes", &[("minutes", minutes)])
            .into_owned(),
    };
    let (hours, minutes) = (view.minutes / 60, view.minutes % 60);
    html! {
        span data-left=(view.minutes) data-hours=(left(Some("|h|".into()), "|m|".into())) data-minutes=(left(None, "|m|".into())) {
            (left((hours > 0).then(|| hours.into()), minutes.into()))
        }
        script type="module" src=(site.assets.url("countdown.js")) {}
    }
}

/// The time of day in UTC.
pub(super) fn local_time(text: &Translations, view: &CountdownView) -> Markup {
    let minute = view.until_ms.div_euclid(60_000).rem_euclid(24 * 60);
    let time = format!("{:02}:{:02}", minute / 60, minute % 60);
    let local = [("time", "|t|".into()), ("day", "|d|".into())];
    html! {
        span data-at=(view.until_ms) data-local=(text.get_with("time-local", &local)) {
            (text.get_with("time-utc", &[("time", time.into())]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_that_has_begun_is_counted() {
        let minutes = |until_ms, now_ms| Some(CountdownView::new(until_ms, now_ms)?.minutes);
        assert_eq!(minutes(60_000, 0), Some(1));
        assert_eq!(minutes(60_000, -1), Some(2));
        assert_eq!(minutes(60_000, 59_999), Some(1));
        assert_eq!(minutes(60_000, 60_000), None);
        assert_eq!(minutes(0, 1), None);
    }
}
