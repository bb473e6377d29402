//! What people do about the seats of a game: links to pass on, names, a computer for somebody who left.
//! All of it is folded away until it is needed.

use maud::{Markup, html};

use super::game::{GameView, PlayerResult};
use super::levels::{about_levels, level_options};
use super::localization::{MessageValue, Translations};
use super::players::{OccupantView, PlayerNames, token};
use super::qr::qr;
use super::start::opponents_key;

/// What the reader can do about the seats of a table, and what comes after the game.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatsPanelView {
    /// The seats about which the reader can do something.
    pub seats: Vec<SeatView>,
    /// What follows when the reader gives up.
    pub leaving: Option<LeavingView>,
    /// The rematches there are.
    pub rematches: Vec<RematchView>,
    /// The rematches with weaker or stronger computers that can be asked for.
    pub steps: Vec<RematchStepView>,
    /// The levels that can take an open seat, by name.
    pub levels: Vec<String>,
    /// The way in which its levels think: it chooses the sentences that describe them.
    pub way: &'static str,
    /// Only people with a seat see the game.
    pub private: bool,
    /// Who can open the links to its seats.
    pub reach: LinkReach,
}

/// Who can open the links of a page.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum LinkReach {
    /// Whoever can open the page itself.
    #[default]
    Everywhere,
    /// The page was opened at an address of this machine alone; its links name the machine as its network
    /// does.
    Network,
    /// Nobody elsewhere.
    Here {
        /// The port of a server that listens to this machine alone.
        listens: Option<u16>,
        /// Where an open server would be found, as far as the reader may know.
        addresses: Vec<String>,
    },
}

/// A seat about which the reader can do something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeatView {
    /// Whose seat it is.
    pub player: u8,
    /// What the reader has to do with it.
    pub role: SeatRole,
}

/// What the reader has to do with a seat.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SeatRole {
    /// It is open, and the reader is the host.
    Open {
        /// The link to hand on; `None` where there is none yet.
        link: Option<String>,
        /// A program is asked to take it.
        is_asked: bool,
    },
    /// The reader sits there.
    Own {
        /// The link to come back on another device.
        link: Option<String>,
        /// Whether a new link can be made.
        renewable: bool,
        /// The name given so far.
        name: String,
    },
    /// Its sitter has not moved for so long that the reader may let a computer play.
    Slow,
}

/// What follows when the reader gives up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeavingView {
    /// Whose seat is given up.
    pub player: u8,
    /// Nobody else sits there: the game is over. Otherwise a level plays on.
    pub ends: bool,
}

/// A rematch with computers of another strength.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RematchStepView {
    /// Which way.
    pub kind: RematchOption,
    /// The name of these opponents in forms, where people have one for them.
    pub opponents: Option<&'static str>,
}

/// What a rematch begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RematchOption {
    /// A new board.
    New,
    /// The same board, everybody one seat on.
    Same,
    /// A new board, and weaker computers.
    Easier,
    /// A new board, and stronger computers.
    Harder,
}

impl RematchOption {
    /// The field of the form that asks for it, where it is not what a form without fields asks for.
    const fn field(self) -> Option<(&'static str, &'static str)> {
        match self {
            RematchOption::New => None,
            RematchOption::Same => Some(("board", "same")),
            RematchOption::Easier => Some(("opponents", "easier")),
            RematchOption::Harder => Some(("opponents", "harder")),
        }
    }

    /// Which sentence asks for it.
    const fn key(self) -> &'static str {
        match self {
            RematchOption::New => "rematch",
            RematchOption::Same => "rematch-same",
            RematchOption::Easier => "rematch-easier",
            RematchOption::Harder => "rematch-harder",
        }
    }

    /// Which sentence leads to it.
    const fn key_on(self) -> &'static str {
        match self {
            RematchOption::New => "rematch-on",
            RematchOption::Same => "rematch-on-same",
            RematchOption::Easier => "rematch-on-easier",
            RematchOption::Harder => "rematch-on-harder",
        }
    }
}

/// A rematch that somebody asked for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RematchView {
    /// What it begins with.
    pub kind: RematchOption,
    /// Public id of the game.
    pub id: String,
}

/// Why a seat stays as it is, or a name is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatNotice {
    /// It is another's to change.
    NotYours,
    /// The table has no such seat.
    NoSuchSeat,
    /// Somebody sits there already.
    Taken,
    /// This table waits for everybody.
    Never,
    /// The others are not waiting for this seat.
    NotAwaited,
    /// The others have not waited long enough.
    TooEarly {
        /// Seconds left.
        wait_s: u32,
    },
    /// No such level.
    NoSuchLevel,
    /// An unknown wish.
    NoSuchChange,
    /// More than 32 characters.
    NameTooLong,
    /// Control characters, or some that cannot be seen.
    NameInvisible,
    /// The game is not over yet, so there is no rematch.
    GoesOn,
}

/// What the game waits for, beside the board: open seats and people who do not move.
pub(super) fn waiting(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> Markup {
    let table = &view.table;
    let open: Vec<_> = table
        .seats
        .iter()
        .filter(|seat| matches!(seat.role, SeatRole::Open { .. } | SeatRole::Slow))
        .collect();
    let title = text.say("seats");
    html! {
        @if !open.is_empty() {
            section.seats aria-label=(title) {
                @for seat in open {
                    @match &seat.role {
                        SeatRole::Open { link, is_asked } => { (open_seat(text, view, seat, (link.as_deref(), *is_asked), cast)) }
                        _ => { (slow(text, view, seat, cast)) }
                    }
                }
            }
        }
    }
}

/// An open seat, as its host sees it.
fn open_seat(
    text: &Translations,
    view: &GameView,
    seat: &SeatView,
    (link, is_asked): (Option<&str>, bool),
    cast: &PlayerNames<'_>,
) -> Markup {
    let who = [("who", cast.colour(seat.player).into())];
    let asked = [("name", cast.name(seat.player).into())];
    let id = format!("link-{}", seat.player);
    // Before the first ply, and while everybody waits for this seat, its link is unfolded.
    let awaited = view.newest == 0 || view.mover == Some(seat.player);
    html! {
        details.seat open[awaited] {
            summary { (token(seat.player)) span { @if is_asked { (text.say_with("seat-asked", &asked)) } @else { (text.say_with("seat-open", &who)) } } }
            div.body {
                @if is_asked { p.hint { (text.say("seat-asked-hint")) } }
                @if let Some(link) = link {
                    label for=(id) { (text.say_with("seat-link", &who)) }
                    (handed_on(text, &id, link))
                    p.hint { (text.say("seat-link-hint")) }
                    (reach(text, &view.table.reach))
                    details.scan {
                        summary { (text.say("seat-qr")) }
                        (qr(link, &text.say_with("seat-qr-of", &who)))
                    }
                } @else if !is_asked { p.hint { (text.say("seat-link-none")) } }
                div.row {
                    (button(text, view, seat, "renew", if link.is_some() { "seat-renew" } else { "seat-make-link" }))
                    form.inline method="post" action={ "/g/" (view.id) "/seats" } {
                        input type="hidden" name="player" value=(seat.player);
                        input type="hidden" name="do" value="level";
                        select name="level" aria-label=(text.say_with("seat-level-which", &who)) {
                            (level_options(text, &view.table.levels, "book"))
                        }
                        button.btn { (text.say("seat-level")) }
                    }
                }
                (about_levels(text, &[view.table.way], &view.table.levels))
            }
        }
    }
}

/// Lets the others decide whether a computer plays for somebody who has not moved for too long.
fn slow(text: &Translations, view: &GameView, seat: &SeatView, cast: &PlayerNames<'_>) -> Markup {
    let who = [("who", cast.name(seat.player).into())];
    html! {
        div.seat.slow {
            p { (token(seat.player)) span { (text.say_with("seat-slow", &who)) } }
            form method="post" action={ "/g/" (view.id) "/seats" } {
                input type="hidden" name="player" value=(seat.player);
                input type="hidden" name="do" value="replace";
                input type="hidden" name="ply" value=(view.newest);
                button.btn { (text.say_with("seat-replace", &who)) }
            }
        }
    }
}

/// The reader's own seats: a link to come back, a name.
pub(super) fn own(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> Markup {
    let seats = view.table.seats.iter().filter_map(|seat| match &seat.role {
        SeatRole::Own {
            link,
            name,
            renewable,
        } => Some((seat, link.as_deref(), name, *renewable)),
        SeatRole::Open { .. } | SeatRole::Slow => None,
    });
    let seats: Vec<_> = seats.collect();
    let several = seats.len() > 1;
    html! {
        @if view.table.private { p.hint { (text.say("join-private")) } }
        @for (seat, link, name, renewable) in seats {
            @let who = [("who", cast.colour(seat.player).into())];
            @let id = format!("back-{}", seat.player);
            @let named = format!("name-{}", seat.player);
            details.seat.own {
                summary { @if several { (text.say_with("seat-yours-one", &who)) } @else { (text.say("seat-yours")) } }
                div.body {
                    form.inline method="post" action={ "/g/" (view.id) "/seats" } {
                        input type="hidden" name="player" value=(seat.player);
                        input type="hidden" name="do" value="name";
                        label for=(named) { (text.say("seat-name")) }
                        input id=(named) type="text" name="name" value=(name) placeholder=(cast.colour(seat.player)) autocomplete="nickname" maxlength="64";
                        button.btn { (text.say("seat-name-save")) }
                    }
                    @if let Some(link) = link {
                        label for=(id) { (text.say("seat-back")) }
                        (handed_on(text, &id, link))
                        p.hint { (text.say("seat-back-hint")) }
                        (reach(text, &view.table.reach))
                    }
                    @if renewable {
                        (button(text, view, seat, "renew", if link.is_some() { "seat-renew" } else { "seat-back-make" }))
                    }
                }
            }
        }
    }
}

/// Offers to take along the seats that the browser took before the page came over TLS.
pub(super) fn carry_over(text: &Translations, game: Option<&str>) -> Markup {
    html! {
        form.notice method="post" action="/carry-over" {
            p { (text.say("carry-over-lead")) }
            @if let Some(game) = game { input type="hidden" name="game" value=(game); }
            button.btn { (text.say("carry-over")) }
        }
    }
}

/// What a watcher reads who has lost a seat.
pub(super) fn lost(text: &Translations, view: &GameView) -> Markup {
    let has_person = view
        .players
        .iter()
        .any(|player| player.who == OccupantView::Person);
    let is_own = |seat: &SeatView| matches!(seat.role, SeatRole::Own { .. });
    html! {
        @if has_person && view.result.is_none() && !view.table.seats.iter().any(is_own) {
            details.seat.own {
                summary { (text.say("seat-lost")) }
                div.body { p.hint { (text.say("seat-lost-how")) } }
            }
        }
    }
}

/// A link to copy: a field keeps it in one line, and one tap selects it. With scripts a button copies it,
/// another hands it to the system's share sheet where there is one.
pub(super) fn handed_on(text: &Translations, id: &str, link: &str) -> Markup {
    html! {
        div.hand {
            (copied(text, id, link))
            button.btn.sharing type="button" data-of=(id) data-share { (text.say("seat-share")) }
        }
    }
}

/// Code to copy: scripts put it on the clipboard.
pub(super) fn to_copy(text: &Translations, id: &str, code: &str) -> Markup {
    html! { div.hand { (copied(text, id, code)) } }
}

fn copied(text: &Translations, id: &str, words: &str) -> Markup {
    html! {
        input.link id=(id) readonly value=(words) autocomplete="off" spellcheck="false";
        button.btn.scripted type="button" data-of=(id) data-done=(text.say("seat-copied")) { (text.say("seat-copy")) }
    }
}

/// Who can open a link, where that is not everybody who sees the page.
pub(super) fn reach(text: &Translations, reach: &LinkReach) -> Markup {
    html! {
        @match reach {
            LinkReach::Everywhere => {}
            LinkReach::Network => { p.hint { (text.say("seat-network")) } }
            LinkReach::Here { listens, addresses } => {
                p.hint.here {
                    (text.say("seat-here")) " "
                    @match listens {
                        Some(port) => {
                            @let port = port.to_string();
                            (command(&text.say_with("seat-here-listen", &[("port", port.into())])))
                        }
                        None => { (text.say("seat-here-elsewhere")) }
                    }
                    @if !addresses.is_empty() {
                        " " (text.say_with("seat-here-then", &[("addresses", text.row(addresses.iter().map(|address| address.into())).into())]))
                    }
                }
            }
        }
    }
}

/// A sentence whose part between bars is a command.
fn command(sentence: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { code { (part) } } @else { (part) } } }
}

fn button(text: &Translations, view: &GameView, seat: &SeatView, what: &str, key: &str) -> Markup {
    html! {
        form method="post" action={ "/g/" (view.id) "/seats" } {
            input type="hidden" name="player" value=(seat.player);
            input type="hidden" name="do" value=(what);
            button.btn { (text.say(key)) }
        }
    }
}

/// What happens when the reader gives up.
pub(super) fn leaving<'a>(
    text: &'a Translations,
    table: &SeatsPanelView,
) -> std::borrow::Cow<'a, str> {
    match table.leaving {
        Some(leaving) if leaving.ends => text.say("resign-ends"),
        Some(_) => text.say("resign-level"),
        None => text.say("resign-sure"),
    }
}

/// What comes after the game: links to the rematches there are, and buttons that ask for one.
pub(super) fn rematch(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> Markup {
    let made = &view.table.rematches;
    let ask = |kind: RematchOption, opponents: Option<&str>| {
        let word = match kind {
            RematchOption::Same => text.say_with(kind.key(), &next_seat(view, cast)),
            RematchOption::New | RematchOption::Easier | RematchOption::Harder => {
                text.say(kind.key())
            }
        };
        let named = opponents.and_then(opponents_key);
        let name = named.map(|key| text.say_with(key, &[("place", "within".into())]));
        let label = match name {
            Some(name) => text
                .say_with(
                    "rematch-to",
                    &[("step", (&*word).into()), ("name", (&*name).into())],
                )
                .into_owned(),
            None => word.into_owned(),
        };
        let main = kind == RematchOption::New;
        let field = kind.field();
        html! {
            form method="post" action={ "/g/" (view.id) "/rematch" } {
                @if let Some((name, value)) = field { input type="hidden" name=(name) value=(value); }
                button.btn.main[main] { (label) }
            }
        }
    };
    let wanted = |kind: &RematchOption| made.iter().all(|rematch| rematch.kind != *kind);
    let did = view.result.as_ref().and_then(|result| result.did);
    let suits = |kind| match kind {
        RematchOption::Harder => did != Some(PlayerResult::Lost),
        RematchOption::Easier => did != Some(PlayerResult::Won),
        RematchOption::New | RematchOption::Same => true,
    };
    let steps = view.table.steps.iter();
    let steps: Vec<_> = steps
        .filter(|step| suits(step.kind) && wanted(&step.kind))
        .collect();
    // One button is the main one: a rematch that can be asked for, else the one there is.
    let asks = view.may_rematch && wanted(&RematchOption::New);
    let is_main = |number, kind| {
        !asks && (kind == RematchOption::New || number == 0 && wanted(&RematchOption::New))
    };
    html! {
        @for (number, rematch) in made.iter().enumerate() {
            a.btn.main[is_main(number, rematch.kind)] href={ "/g/" (rematch.id) } { (text.say(rematch.kind.key_on())) }
        }
        @if view.may_rematch {
            @for kind in [RematchOption::New, RematchOption::Same].into_iter().filter(wanted) { (ask(kind, None)) }
            @if !steps.is_empty() {
                div.steps-pair role="group" aria-label=(text.say("rematch-steps")) { @for step in steps { (ask(step.kind, step.opponents)) } }
            }
        }
    }
}

/// How many seats the reader has, and the colour that follows the first of them: everybody moves one seat on.
fn next_seat<'v>(
    view: &GameView,
    cast: &'v PlayerNames<'_>,
) -> [(&'static str, MessageValue<'v>); 2] {
    let numbers = || view.players.iter().map(|player| player.number);
    let own: Vec<u8> = numbers().filter(|number| cast.is_mine(*number)).collect();
    let next = own
        .first()
        .and_then(|first| numbers().find(|number| number > first));
    [
        ("seats", (own.len() as u32).into()),
        ("who", cast.colour(next.unwrap_or(0)).into()),
    ]
}

/// Why a seat stays as it is.
pub(super) fn notice(text: &Translations, notice: SeatNotice) -> String {
    match notice {
        SeatNotice::NotYours => text.say("notice-seat-not-yours"),
        SeatNotice::NoSuchSeat => text.say("notice-seat-none"),
        SeatNotice::Taken => text.say("notice-seat-taken"),
        SeatNotice::Never => text.say("notice-seat-never"),
        SeatNotice::NotAwaited => text.say("notice-seat-not-awaited"),
        SeatNotice::TooEarly { wait_s } => {
            let (key, number) = match wait_s {
                0..=99 => ("notice-seat-early-s", wait_s),
                100..=5999 => ("notice-seat-early-m", wait_s.div_ceil(60)),
                _ => ("notice-seat-early-h", wait_s.div_ceil(3600)),
            };
            text.say_with(key, &[("n", number.into())])
        }
        SeatNotice::NoSuchLevel => text.say("notice-seat-level"),
        SeatNotice::NoSuchChange => text.say("notice-seat-change"),
        SeatNotice::NameTooLong => text.say("notice-name-long"),
        SeatNotice::NameInvisible => text.say("notice-name-invisible"),
        SeatNotice::GoesOn => text.say("notice-rematch-goes-on"),
    }
    .into_owned()
}
