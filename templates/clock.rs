//! The clock of a turn: how long the player to move has left.

use maud::{Markup, html};
use time::OffsetDateTime;

use super::localization::Translations;
use super::page::{SiteContext, stylesheet_link};

/// The clock of the current turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockView {
    /// The player to move.
    pub player: u8,
    /// Seconds for a turn.
    pub turn_s: u32,
    /// Unix time in milliseconds at which the turn ends by itself.
    pub ends_ms: i64,
    /// Unix time in milliseconds at which the page is made.
    pub now_ms: i64,
}

impl ClockView {
    /// The rest of the turn in seconds.
    #[must_use]
    pub fn left_s(&self) -> u32 {
        let left_ms = self.ends_ms.saturating_sub(self.now_ms);
        u32::try_from((left_ms + 999) / 1000).unwrap_or(0)
    }
}

/// Minutes and seconds, with hours from an hour on. A script writes it in the same form.
fn digits(seconds: u32) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Date and time in UTC, to the second.
fn moment(ms: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000));
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    let month = u8::from(month);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// The seconds until a game starts by itself. A script counts down.
pub(super) fn countdown(site: &SiteContext<'_>, left_s: u32) -> Markup {
    html! {
        (stylesheet_link(site, "clock.css"))
        div.clock data-left=(left_s) { b.time role="timer" { (digits(left_s)) } }
    }
}

/// The clock beside the board, with its rule. A script counts down.
pub(super) fn clock(site: &SiteContext<'_>, text: &Translations, clock: &ClockView) -> Markup {
    let spoken = |seconds: u32| text.get_with("clock-say", &[("n", seconds.into())]);
    let moments = [
        ("now", moment(clock.now_ms).into()),
        ("end", moment(clock.ends_ms).into()),
    ];
    html! {
        (stylesheet_link(site, "clock.css"))
        div.clock data-left=(clock.left_s()) data-turn=(clock.turn_s) data-say-30=(spoken(30)) data-say-10=(spoken(10)) {
            b.time.last[clock.left_s() <= 10] role="timer" { (digits(clock.left_s())) }
            p { (text.get("clock-rule")) noscript { (text.get("sentence-gap")) (text.get_with("clock-moments", &moments)) } }
        }
    }
}

/// The rest of the turn in the row of the player to move: a bar and the time.
pub(super) fn bar(clock: &ClockView) -> Markup {
    html! {
        span.left aria-hidden="true" {
            svg viewBox={ "0 0 " (clock.turn_s) " 1" } preserveAspectRatio="none" { rect width=(clock.left_s().min(clock.turn_s)) height="1" {} }
            b.time.last[clock.left_s() <= 10] { (digits(clock.left_s())) }
        }
    }
}

/// The time for a turn in words.
pub(super) fn turn_time(text: &Translations, turn_s: Option<u32>) -> String {
    let Some(seconds) = turn_s else {
        return text.get("turn-none").into_owned();
    };
    let (key, unit) = match seconds {
        _ if seconds.is_multiple_of(86_400) => ("turn-days", 86_400),
        _ if seconds.is_multiple_of(3_600) => ("turn-hours", 3_600),
        _ if seconds.is_multiple_of(60) => ("turn-minutes", 60),
        _ => ("turn-seconds", 1),
    };
    let number = [("n", (seconds / unit).into())];
    text.get_with(key, &number).into_owned()
}

/// The select for the time for a turn.
pub(super) fn turn_select(text: &Translations, chosen: Option<u32>) -> Markup {
    let mut times = vec![30, 60, 120, 86_400];
    times.extend(chosen.filter(|chosen| !times.contains(chosen)));
    times.sort_unstable();
    let times = [None].into_iter().chain(times.into_iter().map(Some));
    html! {
        label { (text.get("form-turn"))
            select name="turn" {
                @for time in times {
                    option value=(time.map_or_else(String::new, |seconds| seconds.to_string())) selected[time == chosen] { (turn_time(text, time)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_turn_is_rounded_up_and_never_negative() {
        let clock = |left_ms| ClockView {
            player: 0,
            turn_s: 60,
            ends_ms: 1_000_000 + i64::from(left_ms),
            now_ms: 1_000_000,
        };
        for (left_ms, left_s) in [(41_000, 41), (40_001, 41), (1, 1), (0, 0), (-5_000, 0)] {
            assert_eq!(clock(left_ms).left_s(), left_s);
        }
        assert_eq!(digits(41), "0:41");
        assert_eq!(digits(3_599), "59:59");
        assert_eq!(digits(86_400), "24:00:00");
        assert_eq!(moment(1_764_583_200_999), "2025-12-01 10:00:00");
    }
}
