//! Replay controls of a game: steps by ply and by turn, a strip of all turns, and starting a new game from a
//! position.
//!
//! Everything works as links without scripts; the slider, playback and its speeds need them.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use super::board::ShortDecimal;
use super::daily::day_in_words;
use super::game::GameView;
use super::localization::Translations;
use super::new_game_form::seat;
use super::page::{emphasised, linked};
use super::playback::speeds;
use super::players::{OccupantView, PlayerNames};
use super::preferences::DisplayOptions;
use super::review;
use super::svg_symbols::glyph;

/// A turn of a game: consecutive plies of one player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnBand {
    /// The player of the turn.
    pub player: u8,
    /// Number of plies played before it.
    pub first: u32,
    /// The results of its plies.
    pub marks: Vec<PlyMark>,
}

impl TurnBand {
    /// Number of plies played at its end.
    pub(super) fn end(&self) -> u32 {
        self.first + u32::try_from(self.marks.len()).unwrap_or(u32::MAX)
    }
}

/// Result of a ply, as marked on the strip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyMark {
    /// An attempt that succeeded.
    Won,
    /// An attempt that failed.
    Failed,
    /// A ply without an attempt.
    Quiet,
}

/// What a page needs to replay a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayView {
    /// All turns in order; together they contain every ply.
    pub bands: Vec<TurnBand>,
    /// The ply that led to the position shown, as the JSON of the event stream; a script animates the board
    /// with it.
    pub event: Option<String>,
    /// Base path of the ply pages: `/g/{id}`, or its embedded form.
    pub base: String,
    /// Set if the game is in progress and the viewer plays in it.
    pub resumes: Option<Resumes>,
}

/// State of a game in progress, for a player who views an earlier position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resumes {
    /// The viewer is to move.
    YourTurn,
    /// Others are to move.
    TheirTurn,
}

impl ReplayView {
    fn address(&self, ply: u32) -> String {
        format!("{}/{ply}", self.base)
    }

    /// The position at which the turn before `ply` began.
    fn turn_before(&self, ply: u32) -> Option<u32> {
        let begun = self.bands.iter().rev().map(|band| band.first);
        begun.into_iter().find(|first| *first < ply)
    }

    /// The position at which the turn at `ply` ended.
    fn turn_after(&self, ply: u32) -> Option<u32> {
        self.bands.iter().map(TurnBand::end).find(|end| *end > ply)
    }

    /// Whether the strip has marks, which then need a legend.
    fn has_marks(&self) -> bool {
        let mut ticks = self.bands.iter().flat_map(|band| &band.marks);
        ticks.any(|tick| *tick != PlyMark::Quiet)
    }
}

pub(super) fn replay_controls(
    text: &Translations,
    display: &DisplayOptions,
    view: &GameView,
    replay: &ReplayView,
    names: &PlayerNames<'_>,
) -> Markup {
    let (ply, newest) = (view.ply, view.newest);
    let values = [("ply", ply.into()), ("newest", newest.into())];
    html! {
        section.replayer aria-label=(text.get("plies")) data-base=(text.path(&replay.base)) {
            div.deck {
                (steps(text, replay, ply, newest))
                p.at { (emphasised(&text.get_with("replay-at", &values))) }
                @if view.may_review { (review::open_button(text, &view.id, "review")) }
                div.seg.scripted role="group" aria-label=(text.get("set-speed")) { (speeds(text, display)) }
            }
            @if newest > 0 {
                (timeline(text, replay, names, StripRange::full(ply, newest)))
                (timeline(text, replay, names, StripRange::compact_strip(ply, newest)))
                input.slider.scripted type="range" min="0" max=(newest) value=(ply) aria-label=(text.get("replay-slider"))
                    aria-valuetext=(text.get_with("replay-at", &values).replace('|', ""));
            }
            p.marks {
                @if replay.has_marks() {
                    span { (mark("won")) (text.get("replay-won")) }
                    span { (mark("failed")) (text.get("replay-failed")) }
                }
                span { (text.get("replay-band")) }
                span.push.scripted aria-hidden="true" {
                    kbd { (text.get("replay-space")) } (text.get("replay-space-does"))
                    kbd { "←" } kbd { "→" } (text.get("replay-arrows-do"))
                    kbd { "[" } kbd { "]" } (text.get("replay-brackets-do"))
                }
            }
        }
    }
}

fn mark(class: &str) -> Markup {
    html! {
        svg.mark-of viewBox="0 0 12 14" aria-hidden="true" {
            path class=(class) d=(if class == "won" { "M6 1v12" } else { "M4.5 6.500h3v6h-3Z" }) {}
        }
    }
}

fn steps(text: &Translations, replay: &ReplayView, ply: u32, newest: u32) -> Markup {
    let (back, forward) = (ply > 0, ply < newest);
    let step = |icon: &str, key: &str, to: Option<u32>| {
        let label = text.get(key);
        let path = match icon {
            "turnback" => Some("M12 6l-7 6 7 6ZM20 6l-7 6 7 6Z"),
            "turnon" => Some("M4 6l7 6-7 6ZM12 6l7 6-7 6Z"),
            _ => None,
        };
        let picture = html! {
            svg.ico viewBox="0 0 24 24" aria-hidden="true" {
                @match path {
                    Some(path) => { path d=(path) {} }
                    None => { use href={ "#i-" (icon) } {} }
                }
            }
        };
        html! {
            @match to {
                Some(to) => { a.kb data-ply=(icon) href=(text.path(&replay.address(to))) aria-label=(label) title=(label) { (picture) } }
                None => { span.kb.off { (picture) } }
            }
        }
    };
    html! {
        nav.kbs aria-label=(text.get("plies")) {
            (step("first", "ply-first", back.then_some(0)))
            (step("turnback", "replay-turn-back", replay.turn_before(ply)))
            (step("prev", "ply-prev", back.then(|| ply - 1)))
            button.kb.go.scripted type="button" aria-pressed="false" aria-label=(text.get("replay-play")) {
                svg.ico aria-hidden="true" { use.p href="#i-pause" {} use.g href="#i-go" {} }
            }
            (step("next", "ply-next", forward.then_some(ply + 1)))
            (step("turnon", "replay-turn-on", replay.turn_after(ply)))
            (step("last", "ply-last", forward.then_some(newest)))
        }
    }
}

/// Origin of a game that was not started from the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OriginView {
    /// It continues a position of another game.
    PlayedOn {
        /// Public id of the other game.
        of: String,
        /// Number of plies of that game before the position.
        ply: u32,
    },
    /// It is the scored game of a day.
    Daily {
        /// The day, such as `2026-11-27`.
        day: String,
    },
    /// It is an uploaded record.
    Uploaded {
        /// Whether its dice are verified; `None` if no dice were rolled.
        proved: Option<bool>,
    },
}

/// The origin of a game, in a sentence.
pub(super) fn origin(text: &Translations, id: &str, origin: &OriginView) -> Markup {
    match origin {
        OriginView::PlayedOn { of, ply } => {
            let sentence = text.get_with("origin-played-on", &[("ply", (*ply).into())]);
            linked(&sentence, html! { (text.path("/g/")) (of) "/" (ply) })
        }
        OriginView::Daily { day } => {
            let in_words = day_in_words(text, day);
            let sentence = text.get_with("origin-daily", &[("day", in_words.into())]);
            linked(&sentence, html! { (text.path("/daily/")) (day) })
        }
        OriginView::Uploaded { proved } => html! {
            (text.get("origin-uploaded"))
            @if let Some(proved) = proved {
                @let key = if *proved { "origin-proved" } else { "origin-not-proved" };
                (text.get("sentence-gap")) (linked(&text.get(key), html! { (text.path("/g/")) (id) "/dice" }))
            }
        },
    }
}

/// Primary actions on a page of the past: back to the viewer's game, or a new game from the position. Empty
/// if the rules have ended the game there.
pub(super) fn play_on_form(text: &Translations, view: &GameView) -> Markup {
    let resumes = view.replay.as_ref().and_then(|replay| replay.resumes);
    let back = resumes.map(|resumes| match resumes {
        Resumes::YourTurn => "replay-back-turn",
        Resumes::TheirTurn => "replay-back",
    });
    let play_on = html! {
        form method="post" action={ (text.path("/g/")) (view.id) "/play-on" } {
            input type="hidden" name="ply" value=(view.ply);
            button.btn.main[back.is_none()] { (text.get("play-on")) }
        }
    };
    html! {
        @if let Some(back) = back {
            div.acts { a.btn.main data-back href={ (text.path("/g/")) (view.id) } { (text.get(back)) } }
            @if view.mover.is_some() { div.aids { (play_on) } }
        } @else if view.mover.is_some() {
            div.acts { (play_on) p.why { (text.get("play-on-why")) } }
        }
    }
}

/// A form that starts a new game from the position with other players.
pub(super) fn seat_choices(text: &Translations, view: &GameView) -> Markup {
    let occupants = view.players.iter().map(|player| match &player.occupant {
        OccupantView::You | OccupantView::YouToo => "human".to_owned(),
        OccupantView::Level(level) => level.clone(),
        OccupantView::Open
        | OccupantView::Invited
        | OccupantView::Person
        | OccupantView::Program
        | OccupantView::FromUpload => "book".to_owned(),
    });
    let mut occupants: Vec<String> = occupants.collect();
    // A spectator gets the seat of the player to move.
    let mover = view.mover.map_or(0, usize::from);
    if let Some(seat) = occupants.get_mut(mover)
        && !view
            .players
            .iter()
            .any(|player| matches!(player.occupant, OccupantView::You | OccupantView::YouToo))
    {
        *seat = "human".to_owned();
    }
    html! {
        @if view.mover.is_some() {
            details.others {
                summary { (text.get("play-on-others")) }
                form.form method="post" action={ (text.path("/g/")) (view.id) "/play-on" } {
                    input type="hidden" name="ply" value=(view.ply);
                    fieldset.seating {
                        legend { (text.get("play-on-who")) }
                        @for player in &view.players { (seat(text, "seats", player.number, &occupants, &view.seats_panel.levels)) }
                    }
                    button.btn { (text.get("play-on-with")) }
                }
            }
        }
    }
}

/// Width of the strip of all plies, and its margins, each half as wide as the slider's thumb.
const WIDTH: f64 = 832.0;
const EDGE: f64 = 9.0;

/// Number of plies before and after the shown one in the strip of narrow pages.
const NEAR: u32 = 11;

/// The plies that a strip shows.
#[derive(Clone, Copy)]
struct StripRange {
    class: &'static str,
    ply: u32,
    from: u32,
    to: u32,
    width: f64,
    /// Height of a band: larger for touch input.
    high: f64,
}

impl StripRange {
    fn full(ply: u32, newest: u32) -> Self {
        StripRange {
            class: "whole",
            ply,
            from: 0,
            to: newest,
            width: WIDTH,
            high: 18.0,
        }
    }

    /// The plies around the current one, as many as fit on a phone with their glyphs.
    fn compact_strip(ply: u32, newest: u32) -> Self {
        let from = ply
            .saturating_sub(NEAR)
            .min(newest.saturating_sub(2 * NEAR));
        StripRange {
            class: "near",
            ply,
            from,
            to: newest.min(from + 2 * NEAR),
            width: 352.0,
            high: 28.0,
        }
    }

    fn x(&self, ply: f64) -> f64 {
        let plies = f64::from((self.to - self.from).max(1));
        EDGE + (self.width - 2.0 * EDGE) * (ply - f64::from(self.from)) / plies
    }

    fn contains(&self, ply: u32) -> bool {
        (self.from..self.to).contains(&ply)
    }
}

/// A strip with the turns as bands and the plies as marks below them.
fn timeline(
    text: &Translations,
    replay: &ReplayView,
    names: &PlayerNames<'_>,
    range: StripRange,
) -> Markup {
    let at = range.x(f64::from(range.ply));
    let below = range.high;
    html! {
        svg class={ "scrub " (range.class) } viewBox={ "0 0 " (range.width) " " (below + 32.0) } role="group" aria-label=(text.get("replay-strip")) {
            @for (at, band) in replay.bands.iter().enumerate() {
                @if band.first < range.to && band.end() > range.from {
                    @let before = replay.bands[..at].iter().filter(|one| one.player == band.player);
                    (band_link(text, replay, names, range, before.count() as u32 + 1, band))
                }
            }
            path.won d=(ply_marks(replay, range, PlyMark::Won)) {}
            path.failed d=(ply_marks(replay, range, PlyMark::Failed)) {}
            path.here d={ "M" (ShortDecimal(at)) " 0V" (below + 24.0) } {}
            path.here-tip d={ "M" (ShortDecimal(at - 5.5)) " " (below + 31.0) "h11l-5.5-8Z" } {}
        }
    }
}

fn band_link(
    text: &Translations,
    replay: &ReplayView,
    names: &PlayerNames<'_>,
    range: StripRange,
    number: u32,
    band: &TurnBand,
) -> Markup {
    let from = range.x(f64::from(band.first.max(range.from)));
    let to = range.x(f64::from(band.end().min(range.to)));
    let wide = (to - from - 1.5).max(0.75);
    let values = [
        ("turn", number.into()),
        ("who", names.name(band.player).into()),
        ("from", (band.first + 1).into()),
        ("to", band.end().into()),
        ("moves", (band.end() - band.first).into()),
    ];
    let label = text.get_with("replay-turn", &values);
    let now = band.first <= range.ply && range.ply < band.end();
    html! {
        a class={ "p" (band.player % 6) } href=(text.path(&replay.address(band.first))) aria-label=(label) aria-current=[now.then_some("true")] {
            title { (label) }
            rect.tb x=(ShortDecimal(from + 0.75)) width=(ShortDecimal(wide)) height=(range.high) rx="3" {}
            @if wide > 12.0 {
                g.tg transform={ "translate(" (ShortDecimal(from + 0.75 + wide / 2.0)) " " (range.high / 2.0) ") scale(.5)" } { (PreEscaped(glyph(band.player))) }
            }
        }
    }
}

/// One path for all marks of a kind, because a game may have a thousand plies.
fn ply_marks(replay: &ReplayView, range: StripRange, kind: PlyMark) -> String {
    let shape = match kind {
        PlyMark::Won => "v13",
        PlyMark::Failed | PlyMark::Quiet => "m-1.5 7v6h3v-6Z",
    };
    let mut path = String::new();
    for band in &replay.bands {
        for (ply, tick) in (band.first..).zip(&band.marks) {
            if *tick == kind && range.contains(ply) {
                let at = range.x(f64::from(ply) + 0.5);
                // Writing to a string cannot fail.
                let _ = write!(path, "M{} {}{shape}", ShortDecimal(at), range.high + 5.0);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay() -> ReplayView {
        let band = |player, first, plies| TurnBand {
            player,
            first,
            marks: vec![PlyMark::Won; plies],
        };
        ReplayView {
            bands: vec![band(0, 0, 3), band(1, 3, 1), band(0, 4, 2)],
            event: None,
            base: "/g/abcdefgh23".to_owned(),
            resumes: None,
        }
    }

    #[test]
    fn turn_before_and_after_work_at_every_ply() {
        let replay = replay();
        let back: Vec<_> = (0..=6).map(|ply| replay.turn_before(ply)).collect();
        let starts = [None, Some(0), Some(0), Some(0), Some(3), Some(4), Some(4)];
        assert_eq!(back, starts);
        let on: Vec<_> = (0..=6).map(|ply| replay.turn_after(ply)).collect();
        let ends = [Some(3), Some(3), Some(3), Some(4), Some(6), Some(6), None];
        assert_eq!(on, ends);
    }

    #[test]
    fn narrow_strip_stays_within_the_game() {
        for newest in [1, 5, 22, 23, 400] {
            for ply in 0..=newest {
                let near = StripRange::compact_strip(ply, newest);
                assert!(near.from <= ply && ply <= near.to && near.to <= newest);
                assert_eq!(near.to - near.from, newest.min(2 * NEAR));
            }
        }
    }

    #[test]
    fn every_ply_has_one_mark() {
        let replay = replay();
        let path = ply_marks(&replay, StripRange::full(0, 6), PlyMark::Won);
        assert_eq!(path.matches('M').count(), 6);
        assert!(ply_marks(&replay, StripRange::full(0, 6), PlyMark::Failed).is_empty());
    }
}
