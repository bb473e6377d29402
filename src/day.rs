//! Days of the calendar, in UTC, and when the board of a day is over.

use std::fmt;
use std::str::FromStr;

use time::{Date, Duration, Month, OffsetDateTime};

const DAY_MS: i64 = 86_400_000;

/// How long after the end of a day what was begun on it counts, and its secret stays hidden.
const GRACE_MS: i64 = 30 * 60_000;

/// A day in UTC from 1970 on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Day(u32);

/// The text is not a day from 1970 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a day is written as 2026-11-27")]
pub struct ParseDayError;

impl Day {
    /// The day with this number, counted from 1970-01-01 as 0; `None` after the year 9999.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        let day = Day(number);
        let last = Date::from_calendar_date(9999, Month::December, 31).ok()?;
        let days = (last - OffsetDateTime::UNIX_EPOCH.date()).whole_days();
        (i64::from(number) <= days).then_some(day)
    }

    /// The day of a time in milliseconds since 1970; times before 1970 count as 1970.
    #[must_use]
    pub fn of_ms(at_ms: i64) -> Self {
        let number = u32::try_from(at_ms.max(0) / DAY_MS).ok();
        number.and_then(Day::from_number).unwrap_or(Day(0))
    }

    /// The number of days since 1970-01-01.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Its first millisecond since 1970.
    #[must_use]
    pub fn start_ms(self) -> i64 {
        i64::from(self.0) * DAY_MS
    }

    /// The first millisecond after it: its board cannot be begun any more.
    #[must_use]
    pub fn end_ms(self) -> i64 {
        self.next().start_ms()
    }

    /// The first millisecond, half an hour into the next day, at which its board is over: no later entry counts, and its
    /// secret is disclosed.
    #[must_use]
    pub fn over_ms(self) -> i64 {
        self.end_ms() + GRACE_MS
    }

    /// The day after.
    #[must_use]
    pub const fn next(self) -> Self {
        Day(self.0 + 1)
    }

    /// The day this many days before; 1970-01-01 if there is none.
    #[must_use]
    pub const fn before(self, days: u32) -> Self {
        Day(self.0.saturating_sub(days))
    }

    fn date(self) -> Date {
        OffsetDateTime::UNIX_EPOCH.date() + Duration::days(self.0.into())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date();
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = ParseDayError;

    fn from_str(text: &str) -> Result<Self, ParseDayError> {
        let parse = || {
            let mut parts = text.splitn(3, '-');
            let year: i32 = parts.next()?.parse().ok()?;
            let month: u8 = parts.next()?.parse().ok()?;
            let day: u8 = parts.next()?.parse().ok()?;
            let date = Date::from_calendar_date(year, month.try_into().ok()?, day).ok()?;
            let number = (date - OffsetDateTime::UNIX_EPOCH.date()).whole_days();
            Day::from_number(u32::try_from(number).ok()?)
        };
        // Only one spelling of each day.
        let day = parse().filter(|day| day.to_string() == text);
        day.ok_or(ParseDayError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_and_read() {
        for (number, text) in [
            (0, "1970-01-01"),
            (20_784, "2026-11-27"),
            (11_016, "2000-02-29"),
        ] {
            let day = Day::from_number(number).unwrap();
            assert_eq!(day.to_string(), text);
            assert_eq!(text.parse(), Ok(day));
            assert_eq!(Day::of_ms(day.start_ms()), day);
            assert_eq!(Day::of_ms(day.next().start_ms() - 1), day);
        }
        for wrong in [
            "",
            "2026-11-31",
            "2026-1-01",
            "1969-12-31",
            "+2026-11-27",
            "10000-01-01",
        ] {
            assert_eq!(wrong.parse::<Day>(), Err(ParseDayError), "{wrong}");
        }
    }
}
