//! The player of a game's replay: steps by ply and by turn, a strip of all turns, and the way on.
//!
//! Everything is a link, so it works without scripts; the slider, play and the speeds are for those who
//! have them.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use super::game::GameView;
use super::localization::Translations;
use super::new_game_form::seat;
use super::page::{emphasised, linked};
use super::playback::speeds;
use super::players::{OccupantView, PlayerNames};
use super::preferences::DisplayOptions;
use super::review;
use super::share::ShareView;
use super::svg_symbols::glyph;

/// A turn of a game: the plies that one player made in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnBand {
    /// Whose turn it was.
    pub player: u8,
    /// How many plies were played before it.
    pub first: u32,
    /// What came of each of its plies.
    pub ticks: Vec<PlyMark>,
}

impl TurnBand {
    /// How many plies were played after it.
    pub(super) fn end(&self) -> u32 {
        self.first + u32::try_from(self.ticks.len()).unwrap_or(u32::MAX)
    }
}

/// What came of a ply, as the strip marks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyMark {
    /// Something was tried, and won.
    Won,
    /// Something was tried, and failed.
    Failed,
    /// Nothing was at stake.
    Quiet,
}

/// What a page needs to replay a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayView {
    /// Every turn, the first one first; together they hold every ply.
    pub bands: Vec<TurnBand>,
    /// The ply that led to the position shown, as a stream of events tells it (JSON): the script moves
    /// the board by it.
    pub event: Option<String>,
    /// Where the pages of the plies are: `/g/{id}`, or the same embedded.
    pub base: String,
    /// Where others find the game.
    pub share: ShareView,
    /// The game goes on and the reader plays in it.
    pub resumes: Option<Resumes>,
}

/// The game goes on, and the reader who looks at its past plays in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resumes {
    /// The reader is to move.
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

    /// Whether anything was tried, so that the marks need an explanation.
    fn has_marks(&self) -> bool {
        let mut ticks = self.bands.iter().flat_map(|band| &band.ticks);
        ticks.any(|tick| *tick != PlyMark::Quiet)
    }
}

/// The player under the board.
pub(super) fn player(
    text: &Translations,
    look: &DisplayOptions,
    view: &GameView,
    replay: &ReplayView,
    cast: &PlayerNames<'_>,
) -> Markup {
    let (ply, newest) = (view.ply, view.newest);
    let values = [("ply", ply.into()), ("newest", newest.into())];
    html! {
        section.replayer aria-label=(text.say("plies")) data-base=(replay.base) {
            div.deck {
                (steps(text, replay, ply, newest))
                p.at { (emphasised(&text.say_with("replay-at", &values))) }
                @if view.may_review { (review::open_button(text, &view.id, "review")) }
                div.seg.scripted role="group" aria-label=(text.say("set-speed")) { (speeds(text, look)) }
            }
            @if newest > 0 {
                (scrub(text, replay, cast, StripRange::whole(ply, newest)))
                (scrub(text, replay, cast, StripRange::near(ply, newest)))
                input.slider.scripted type="range" min="0" max=(newest) value=(ply) aria-label=(text.say("replay-slider"))
                    aria-valuetext=(text.say_with("replay-at", &values).replace('|', ""));
            }
            p.marks {
                @if replay.has_marks() {
                    span { (mark("won")) (text.say("replay-won")) }
                    span { (mark("failed")) (text.say("replay-failed")) }
                }
                span { (text.say("replay-band")) }
                span.push.scripted aria-hidden="true" {
                    kbd { (text.say("replay-space")) } (text.say("replay-space-does"))
                    kbd { "←" } kbd { "→" } (text.say("replay-arrows-do"))
                    kbd { "[" } kbd { "]" } (text.say("replay-brackets-do"))
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

/// The buttons that lead from ply to ply.
fn steps(text: &Translations, replay: &ReplayView, ply: u32, newest: u32) -> Markup {
    let (back, on) = (ply > 0, ply < newest);
    let step = |icon: &str, key: &str, to: Option<u32>| {
        let label = text.say(key);
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
                Some(to) => { a.kb data-ply=(icon) href=(replay.address(to)) aria-label=(label) title=(label) { (picture) } }
                None => { span.kb.off { (picture) } }
            }
        }
    };
    html! {
        nav.kbs aria-label=(text.say("plies")) {
            (step("first", "ply-first", back.then_some(0)))
            (step("turnback", "replay-turn-back", replay.turn_before(ply)))
            (step("prev", "ply-prev", back.then(|| ply - 1)))
            button.kb.go.scripted type="button" aria-pressed="false" aria-label=(text.say("replay-play")) {
                svg.ico aria-hidden="true" { use.p href="#i-pause" {} use.g href="#i-go" {} }
            }
            (step("next", "ply-next", on.then_some(ply + 1)))
            (step("turnon", "replay-turn-on", replay.turn_after(ply)))
            (step("last", "ply-last", on.then_some(newest)))
        }
    }
}

/// Where a game comes from that was not set up anew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OriginView {
    /// It goes on from a position of another game.
    PlayedOn {
        /// The other game.
        of: String,
        /// Plies played there before.
        ply: u32,
    },
    /// It was played elsewhere, and its record was brought here.
    Uploaded {
        /// Whether its dice are proved; `None` where nothing is rolled.
        proved: Option<bool>,
    },
}

/// Where the game comes from, in a sentence.
pub(super) fn origin(text: &Translations, id: &str, origin: &OriginView) -> Markup {
    match origin {
        OriginView::PlayedOn { of, ply } => {
            let sentence = text.say_with("origin-played-on", &[("ply", (*ply).into())]);
            linked(&sentence, &format!("/g/{of}/{ply}"))
        }
        OriginView::Uploaded { proved } => html! {
            (text.say("origin-uploaded"))
            @if let Some(proved) = proved {
                @let key = if *proved { "origin-proved" } else { "origin-not-proved" };
                " " (linked(&text.say(key), &format!("/g/{id}/dice")))
            }
        },
    }
}

/// The way on from a position of the past: back to the reader's game, or a new game from there. Nothing where the
/// rules have ended it.
pub(super) fn onward(text: &Translations, view: &GameView) -> Markup {
    let resumes = view.replay.as_ref().and_then(|replay| replay.resumes);
    let back = resumes.map(|resumes| match resumes {
        Resumes::YourTurn => "replay-back-turn",
        Resumes::TheirTurn => "replay-back",
    });
    let play_on = html! {
        form method="post" action={ "/g/" (view.id) "/play-on" } {
            input type="hidden" name="ply" value=(view.ply);
            button.btn.main[back.is_none()] { (text.say("play-on")) }
        }
    };
    html! {
        @if let Some(back) = back {
            div.acts { a.btn.main data-back href={ "/g/" (view.id) } { (text.say(back)) } }
            @if view.mover.is_some() { div.aids { (play_on) } }
        } @else if view.mover.is_some() {
            div.acts { (play_on) p.why { (text.say("play-on-why")) } }
        }
    }
}

/// The same with other people and computers in the seats.
pub(super) fn other_seats(text: &Translations, view: &GameView) -> Markup {
    let same = view.players.iter().map(|player| match &player.who {
        OccupantView::You | OccupantView::YouToo => "human".to_owned(),
        OccupantView::Level(level) => level.clone(),
        OccupantView::Open
        | OccupantView::Asked
        | OccupantView::Person
        | OccupantView::Program
        | OccupantView::Elsewhere => "book".to_owned(),
    });
    let mut same: Vec<String> = same.collect();
    // Whoever only looked on plays for the player to move.
    let mover = view.mover.map_or(0, usize::from);
    if let Some(seat) = same.get_mut(mover)
        && !view
            .players
            .iter()
            .any(|player| matches!(player.who, OccupantView::You | OccupantView::YouToo))
    {
        *seat = "human".to_owned();
    }
    html! {
        @if view.mover.is_some() {
            details.others {
                summary { (text.say("play-on-others")) }
                form.form method="post" action={ "/g/" (view.id) "/play-on" } {
                    input type="hidden" name="ply" value=(view.ply);
                    fieldset.seating {
                        legend { (text.say("play-on-who")) }
                        @for player in &view.players { (seat(text, "seats", player.number, &same, &view.table.levels)) }
                    }
                    button.btn { (text.say("play-on-with")) }
                }
            }
        }
    }
}

/// How wide the strip of all plies is drawn, its ends free for half of the slider's thumb.
const WIDTH: f64 = 832.0;
const EDGE: f64 = 9.0;

/// So many plies before and after the shown one stand in the strip of narrow pages.
const NEAR: u32 = 11;

/// The part of a game that a strip shows.
#[derive(Clone, Copy)]
struct StripRange {
    class: &'static str,
    ply: u32,
    from: u32,
    to: u32,
    width: f64,
    /// How high a band is; a finger needs more than a mouse.
    high: f64,
}

impl StripRange {
    fn whole(ply: u32, newest: u32) -> Self {
        StripRange {
            class: "whole",
            ply,
            from: 0,
            to: newest,
            width: WIDTH,
            high: 18.0,
        }
    }

    /// As much around a ply as a phone shows with its glyphs.
    fn near(ply: u32, newest: u32) -> Self {
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

    fn has(&self, ply: u32) -> bool {
        (self.from..self.to).contains(&ply)
    }
}

/// The turns as bands, the plies as marks below them.
fn scrub(
    text: &Translations,
    replay: &ReplayView,
    cast: &PlayerNames<'_>,
    stretch: StripRange,
) -> Markup {
    let at = stretch.x(f64::from(stretch.ply));
    let below = stretch.high;
    html! {
        svg class={ "scrub " (stretch.class) } viewBox={ "0 0 " (stretch.width) " " (below + 32.0) } role="group" aria-label=(text.say("replay-strip")) {
            @for (at, band) in replay.bands.iter().enumerate() {
                @if band.first < stretch.to && band.end() > stretch.from {
                    @let before = replay.bands[..at].iter().filter(|one| one.player == band.player);
                    (drawn(text, replay, cast, stretch, before.count() as u32 + 1, band))
                }
            }
            path.won d=(ticks(replay, stretch, PlyMark::Won)) {}
            path.failed d=(ticks(replay, stretch, PlyMark::Failed)) {}
            path.here d={ "M" (short(at)) " 0V" (below + 24.0) } {}
            path.here-tip d={ "M" (short(at - 5.5)) " " (below + 31.0) "h11l-5.5-8Z" } {}
        }
    }
}

fn drawn(
    text: &Translations,
    replay: &ReplayView,
    cast: &PlayerNames<'_>,
    stretch: StripRange,
    number: u32,
    band: &TurnBand,
) -> Markup {
    let from = stretch.x(f64::from(band.first.max(stretch.from)));
    let to = stretch.x(f64::from(band.end().min(stretch.to)));
    let wide = (to - from - 1.5).max(0.75);
    let values = [
        ("turn", number.into()),
        ("who", cast.name(band.player).into()),
        ("from", (band.first + 1).into()),
        ("to", band.end().into()),
        ("moves", (band.end() - band.first).into()),
    ];
    let label = text.say_with("replay-turn", &values);
    let now = band.first <= stretch.ply && stretch.ply < band.end();
    html! {
        a class={ "p" (band.player % 6) } href=(replay.address(band.first)) aria-label=(label) aria-current=[now.then_some("true")] {
            title { (label) }
            rect.tb x=(short(from + 0.75)) width=(short(wide)) height=(stretch.high) rx="3" {}
            @if wide > 12.0 {
                g.tg transform={ "translate(" (short(from + 0.75 + wide / 2.0)) " " (stretch.high / 2.0) ") scale(.5)" } { (PreEscaped(glyph(band.player))) }
            }
        }
    }
}

/// One path for all marks of a kind: a game may have a thousand plies.
fn ticks(replay: &ReplayView, stretch: StripRange, kind: PlyMark) -> String {
    let shape = match kind {
        PlyMark::Won => "v13",
        PlyMark::Failed | PlyMark::Quiet => "m-1.5 7v6h3v-6Z",
    };
    let mut path = String::new();
    for band in &replay.bands {
        for (ply, tick) in (band.first..).zip(&band.ticks) {
            if *tick == kind && stretch.has(ply) {
                let at = stretch.x(f64::from(ply) + 0.5);
                // Writing to a string cannot fail.
                let _ = write!(path, "M{} {}{shape}", short(at), stretch.high + 5.0);
            }
        }
    }
    path
}

/// A number with at most one decimal.
fn short(number: f64) -> String {
    let written = format!("{number:.1}");
    written
        .strip_suffix(".0")
        .map_or(written.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay() -> ReplayView {
        let band = |player, first, plies| TurnBand {
            player,
            first,
            ticks: vec![PlyMark::Won; plies],
        };
        ReplayView {
            bands: vec![band(0, 0, 3), band(1, 3, 1), band(0, 4, 2)],
            event: None,
            base: "/g/abcdefgh23".to_owned(),
            share: ShareView {
                address: "http://localhost/g/abcdefgh23".to_owned(),
                reach: crate::seats::LinkReach::Everywhere,
                private: false,
            },
            resumes: None,
        }
    }

    #[test]
    fn turns_are_found_from_every_ply() {
        let replay = replay();
        let back: Vec<_> = (0..=6).map(|ply| replay.turn_before(ply)).collect();
        let starts = [None, Some(0), Some(0), Some(0), Some(3), Some(4), Some(4)];
        assert_eq!(back, starts);
        let on: Vec<_> = (0..=6).map(|ply| replay.turn_after(ply)).collect();
        let ends = [Some(3), Some(3), Some(3), Some(4), Some(6), Some(6), None];
        assert_eq!(on, ends);
    }

    #[test]
    fn a_narrow_strip_stays_within_the_game() {
        for newest in [1, 5, 22, 23, 400] {
            for ply in 0..=newest {
                let near = StripRange::near(ply, newest);
                assert!(near.from <= ply && ply <= near.to && near.to <= newest);
                assert_eq!(near.to - near.from, newest.min(2 * NEAR));
            }
        }
    }

    #[test]
    fn every_mark_stands_once() {
        let replay = replay();
        let path = ticks(&replay, StripRange::whole(0, 6), PlyMark::Won);
        assert_eq!(path.matches('M').count(), 6);
        assert!(ticks(&replay, StripRange::whole(0, 6), PlyMark::Failed).is_empty());
    }
}
