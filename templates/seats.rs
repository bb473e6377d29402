//! Seat management: links to share, names, a computer player for someone who left. All of it is collapsed
//! until it is needed.

use std::borrow::Cow;

use maud::{Markup, html};

use super::game::{GameView, PlayerResult};
use super::levels::{about_levels, level_options};
use super::lobby::LobbyView;
use super::localization::{MessageValue, Translations};
use super::players::{OccupantView, PlayerNames, player_badge};
use super::start::opponents_key;

/// What the viewer can do about the seats of a game, and the rematches.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatsPanelView {
    /// The seats that the viewer can change.
    pub seats: Vec<SeatView>,
    /// Effect of a resignation by the viewer.
    pub resignation: Option<ResignationView>,
    /// The existing rematches.
    pub rematches: Vec<RematchView>,
    /// The rematches with weaker or stronger computers that can be requested.
    pub steps: Vec<RematchStepView>,
    /// Names of the levels that can occupy an open seat.
    pub levels: Vec<String>,
    /// The level variant: selects the descriptions of the levels.
    pub level_variant: &'static str,
    /// What the game waits for before its start.
    pub lobby: Option<LobbyView>,
    /// Whether only players can see the game.
    pub private: bool,
    /// Who can open the links to its seats.
    pub link_reach: LinkReach,
}

/// Who can open the links of a page.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum LinkReach {
    /// Anyone who can open the page itself.
    #[default]
    Internet,
    /// The page was opened at a loopback address; its links use the machine's address in the local network.
    LocalNetwork,
    /// This machine only.
    ThisMachine {
        /// The port, if the server listens on a loopback address only.
        port: Option<u16>,
        /// Addresses of the server once it listens on all interfaces, as far as the viewer may see them.
        addresses: Vec<String>,
    },
}

/// A seat that the viewer can change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeatView {
    /// The player of the seat.
    pub player: u8,
    /// The viewer's relation to the seat.
    pub role: SeatRole,
}

/// The viewer's relation to a seat.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SeatRole {
    /// An open seat; the viewer is the host.
    Open,
    /// The viewer's own seat.
    Own {
        /// The link for opening it on another device.
        link: Option<String>,
        /// Whether a new link can be made.
        renewable: bool,
        /// The current name.
        name: String,
    },
    /// Its player has not moved yet, so that the viewer, the host, may free it.
    Unmoved,
    /// Its player has been inactive for so long that the viewer may have a computer player take over.
    Inactive,
}

/// Effect of a resignation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResignationView {
    /// The player who resigns.
    pub player: u8,
    /// What happens then.
    pub effect: ResignationOutcome,
}

/// What happens after a resignation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResignationOutcome {
    /// The game ends, because no other person plays.
    EndsGame,
    /// A level takes over.
    ReplacedByLevel,
    /// The game has not started, and the seat is free again.
    LeavesTable,
}

/// A rematch with computers of another strength.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RematchStepView {
    /// Weaker or stronger.
    pub kind: RematchOption,
    /// The name of these opponents in forms, if they have one.
    pub opponents: Option<&'static str>,
}

/// How a rematch differs from the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RematchOption {
    /// A new board.
    New,
    /// The same board, with all players moved on by one seat.
    Same,
    /// A new board, and weaker computers.
    Easier,
    /// A new board, and stronger computers.
    Harder,
}

impl RematchOption {
    /// The form field that requests it; `None` for the default.
    const fn field(self) -> Option<(&'static str, &'static str)> {
        match self {
            RematchOption::New => None,
            RematchOption::Same => Some(("board", "same")),
            RematchOption::Easier => Some(("opponents", "easier")),
            RematchOption::Harder => Some(("opponents", "harder")),
        }
    }

    /// Message key of the button that requests it.
    const fn key(self) -> &'static str {
        match self {
            RematchOption::New => "rematch",
            RematchOption::Same => "rematch-same",
            RematchOption::Easier => "rematch-easier",
            RematchOption::Harder => "rematch-harder",
        }
    }

    /// Message key of the link that leads to it.
    const fn key_on(self) -> &'static str {
        match self {
            RematchOption::New => "rematch-on",
            RematchOption::Same => "rematch-on-same",
            RematchOption::Easier => "rematch-on-easier",
            RematchOption::Harder => "rematch-on-harder",
        }
    }
}

/// An existing rematch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RematchView {
    /// How it differs from the game.
    pub kind: RematchOption,
    /// Public id of the rematch.
    pub id: String,
}

/// Why a change of a seat or a name was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SeatNotice {
    /// The viewer may not change this seat.
    NotYours,
    /// No such seat.
    NoSuchSeat,
    /// The seat is occupied.
    Occupied,
    /// This game does not allow replacing a player.
    ReplacementDisabled,
    /// It is not this seat's turn.
    NotTheirTurn,
    /// The waiting time has not passed yet.
    TooEarly {
        /// Remaining seconds.
        wait_s: u32,
    },
    /// No such level.
    NoSuchLevel,
    /// Unknown request.
    NoSuchChange,
    /// The name has more than 32 characters.
    NameTooLong,
    /// The name contains control or invisible characters.
    NameInvisible,
    /// The name contains a web address.
    NameAddress,
    /// The game has started.
    Started,
    /// The player of the seat has moved, so it cannot be freed.
    HasMoved,
    /// The viewer has the maximum of open tables.
    TooManyTables,
    /// The viewer has the maximum of seats in which they have not moved.
    TooManySeats,
    /// The game is in progress, so there is no rematch.
    GameInProgress,
}

/// What the game is waiting for, next to the board: open seats and inactive players.
pub(super) fn waiting(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> Markup {
    let table = &view.seats_panel;
    let open: Vec<_> = table
        .seats
        .iter()
        .filter(|seat| matches!(seat.role, SeatRole::Open | SeatRole::Inactive))
        .collect();
    let title = text.get("seats");
    html! {
        @if !open.is_empty() {
            section.seats aria-label=(title) {
                @for seat in open {
                    @match &seat.role {
                        SeatRole::Open => { (invited_program(text, view, seat, names)) }
                        _ => { (replacement_form(text, view, seat, names)) }
                    }
                }
            }
        }
    }
}

/// A seat to which a program is invited, as its host sees it.
fn invited_program(
    text: &Translations,
    view: &GameView,
    seat: &SeatView,
    names: &PlayerNames<'_>,
) -> Markup {
    let name = [("name", names.name(seat.player).into())];
    // It is expanded before the first ply, and when it is this seat's turn.
    let awaited = view.newest == 0 || view.mover == Some(seat.player);
    html! {
        details.seat open[awaited] {
            summary { (player_badge(seat.player)) span { (text.get_with("seat-asked", &name)) } }
            div.body {
                p.hint { (text.get("seat-asked-hint")) }
                div.row {
                    (button(text, view, seat.player, "renew", "seat-make-link"))
                    (level_form(text, view, seat, names))
                }
                (about_levels(text, &[view.seats_panel.level_variant], &view.seats_panel.levels))
            }
        }
    }
}

/// Before the start: forms for the host that give an open seat to a computer.
pub(super) fn level_forms(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> Markup {
    let panel = &view.seats_panel;
    let open = panel
        .seats
        .iter()
        .filter(|seat| seat.role == SeatRole::Open);
    let open: Vec<_> = open.collect();
    html! {
        @if !open.is_empty() {
            details.seat.own {
                summary { (text.get("seat-level")) }
                div.body {
                    @for seat in open { (level_form(text, view, seat, names)) }
                    (about_levels(text, &[panel.level_variant], &panel.levels))
                }
            }
        }
    }
}

fn level_form(
    text: &Translations,
    view: &GameView,
    seat: &SeatView,
    names: &PlayerNames<'_>,
) -> Markup {
    let who = [("who", names.colour(seat.player).into())];
    html! {
        form.inline method="post" action={ (text.path("/g/")) (view.id) "/seats" } {
            input type="hidden" name="player" value=(seat.player);
            input type="hidden" name="do" value="level";
            select name="level" aria-label=(text.get_with("seat-level-which", &who)) {
                (level_options(text, &view.seats_panel.levels, "book"))
            }
            button.btn { (text.get("seat-level")) }
        }
    }
}

/// A button that replaces an inactive player with a computer player.
fn replacement_form(
    text: &Translations,
    view: &GameView,
    seat: &SeatView,
    names: &PlayerNames<'_>,
) -> Markup {
    let who = [("who", names.name(seat.player).into())];
    html! {
        div.seat.slow {
            p { (player_badge(seat.player)) span { (text.get_with("seat-slow", &who)) } }
            form method="post" action={ (text.path("/g/")) (view.id) "/seats" } {
                input type="hidden" name="player" value=(seat.player);
                input type="hidden" name="do" value="replace";
                input type="hidden" name="ply" value=(view.newest);
                button.btn { (text.get_with("seat-replace", &who)) }
            }
        }
    }
}

/// The viewer's own seats: name, and link for another device.
pub(super) fn own_seats(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> Markup {
    let seats = view
        .seats_panel
        .seats
        .iter()
        .filter_map(|seat| match &seat.role {
            SeatRole::Own {
                link,
                name,
                renewable,
            } => Some((seat, link.as_deref(), name, *renewable)),
            SeatRole::Open | SeatRole::Unmoved | SeatRole::Inactive => None,
        });
    let seats: Vec<_> = seats.collect();
    let several = seats.len() > 1;
    html! {
        @if view.seats_panel.private { p.hint { (text.get("join-private")) } }
        @for (seat, link, name, renewable) in seats {
            @let who = [("who", names.colour(seat.player).into())];
            @let id = format!("back-{}", seat.player);
            @let named = format!("name-{}", seat.player);
            details.seat.own {
                summary { @if several { (text.get_with("seat-yours-one", &who)) } @else { (text.get("seat-yours")) } }
                div.body {
                    form.inline method="post" action={ (text.path("/g/")) (view.id) "/seats" } {
                        input type="hidden" name="player" value=(seat.player);
                        input type="hidden" name="do" value="name";
                        label for=(named) { (text.get("seat-name")) }
                        input id=(named) type="text" name="name" value=(name) placeholder=(names.colour(seat.player)) autocomplete="nickname" maxlength="64";
                        button.btn { (text.get("seat-name-save")) }
                    }
                    @if let Some(link) = link {
                        label for=(id) { (text.get("seat-back")) }
                        (copyable_link(text, &id, link))
                        p.hint { (text.get("seat-back-hint")) }
                        (link_reach_notice(text, &view.seats_panel.link_reach))
                    }
                    @if renewable {
                        (button(text, view, seat.player, "renew", if link.is_some() { "seat-renew" } else { "seat-back-make" }))
                    }
                }
            }
        }
    }
}

/// Buttons for the host that free the seats of players who have not moved yet.
pub(super) fn unmoved_seats(
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let seats = view.seats_panel.seats.iter();
    let unmoved: Vec<_> = seats
        .filter(|seat| seat.role == SeatRole::Unmoved)
        .collect();
    html! {
        @if !unmoved.is_empty() {
            details.seat.own {
                summary { (text.get("seat-unmoved")) }
                div.body {
                    p.hint { (text.get("seat-unmoved-hint")) }
                    @for seat in unmoved {
                        form method="post" action={ (text.path("/g/")) (view.id) "/seats" } {
                            input type="hidden" name="player" value=(seat.player);
                            input type="hidden" name="do" value="free";
                            button.btn { (text.get_with("seat-free", &[("who", names.name(seat.player).into())])) }
                        }
                    }
                }
            }
        }
    }
}

/// Offers to carry over the browser's seats from before the site moved to TLS.
pub(super) fn carry_over(text: &Translations, game: Option<&str>) -> Markup {
    html! {
        form.notice method="post" action=(text.path("/device")) {
            p { (text.get("carry-over-lead")) }
            @if let Some(game) = game { input type="hidden" name="game" value=(game); }
            button.btn { (text.get("carry-over")) }
        }
    }
}

/// Help for a spectator who has lost access to a seat.
pub(super) fn lost_seat_help(text: &Translations, view: &GameView) -> Markup {
    let has_person = view
        .players
        .iter()
        .any(|player| player.occupant == OccupantView::Person);
    let is_own = |seat: &SeatView| matches!(seat.role, SeatRole::Own { .. });
    html! {
        @if has_person && view.result.is_none() && !view.seats_panel.seats.iter().any(is_own) {
            details.seat.own {
                summary { (text.get("seat-lost")) }
                div.body { p.hint { (text.get("seat-lost-how")) } }
            }
        }
    }
}

/// A link to copy, in a read-only field that shows it in one line and selects it with one tap. With scripts,
/// one button copies it and another opens the system's share sheet, if available.
pub(super) fn copyable_link(text: &Translations, id: &str, link: &str) -> Markup {
    link_to_copy(text, id, link, false)
}

/// Like [`copyable_link`]; copying may be what the viewer does next.
pub(super) fn link_to_copy(text: &Translations, id: &str, link: &str, is_next: bool) -> Markup {
    html! {
        div.hand {
            (copy_field(text, id, link, is_next))
            button.btn.sharing type="button" data-of=(id) data-share { (text.get("seat-share")) }
        }
    }
}

/// Code to copy: a script puts it on the clipboard.
pub(super) fn to_copy(text: &Translations, id: &str, code: &str) -> Markup {
    html! { div.hand { (copy_field(text, id, code, false)) } }
}

fn copy_field(text: &Translations, id: &str, value: &str, is_next: bool) -> Markup {
    html! {
        input.link id=(id) readonly value=(value) autocomplete="off" spellcheck="false";
        button.btn.main[is_next].scripted id={ "copy-" (id) } type="button" data-of=(id) data-done=(text.get("seat-copied")) { (text.get("seat-copy")) }
    }
}

/// Who can open a link, unless that is everyone who sees the page.
pub(super) fn link_reach_notice(text: &Translations, reach: &LinkReach) -> Markup {
    html! {
        @match reach {
            LinkReach::Internet => {}
            LinkReach::LocalNetwork => { p.hint { (text.get("seat-network")) } }
            LinkReach::ThisMachine { port, addresses } => {
                p.hint.here {
                    (text.get("seat-here")) (text.get("sentence-gap"))
                    @match port {
                        Some(port) => {
                            @let port = port.to_string();
                            (command(&text.get_with("seat-here-listen", &[("port", port.into())])))
                        }
                        None => { (text.get("seat-here-elsewhere")) }
                    }
                    @if !addresses.is_empty() {
                        (text.get("sentence-gap")) (text.get_with("seat-here-then", &[("addresses", text.join_with_commas(addresses.iter().map(|address| address.into())).into())]))
                    }
                }
            }
        }
    }
}

/// Renders a sentence; the part between bars is a command.
fn command(sentence: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { code { (part) } } @else { (part) } } }
}

pub(super) fn button(
    text: &Translations,
    view: &GameView,
    player: u8,
    what: &str,
    key: &str,
) -> Markup {
    html! {
        form method="post" action={ (text.path("/g/")) (view.id) "/seats" } {
            input type="hidden" name="player" value=(player);
            input type="hidden" name="do" value=(what);
            button.btn id={ (what) "-" (player) } { (text.get(key)) }
        }
    }
}

/// Resignation, or leaving a table that waits: expanding the element asks for confirmation, so that no script is needed.
pub(super) fn resign(text: &Translations, view: &GameView) -> Markup {
    let summary = match &view.seats_panel.lobby {
        Some(_) => "lobby-leave",
        None => "resign",
    };
    html! {
        details.resign {
            summary { (text.get(summary)) }
            form method="post" action={ (text.path("/g/")) (view.id) "/resign" } {
                input type="hidden" name="ply" value=(view.newest);
                button.btn { (resignation_notice(text, &view.seats_panel)) }
            }
        }
    }
}

fn resignation_notice<'a>(text: &'a Translations, table: &SeatsPanelView) -> Cow<'a, str> {
    match table.resignation {
        Some(leaving) => text.get(match leaving.effect {
            ResignationOutcome::EndsGame => "resign-ends",
            ResignationOutcome::ReplacedByLevel => "resign-level",
            ResignationOutcome::LeavesTable => "resign-leave",
        }),
        None => text.get("resign-sure"),
    }
}

/// That another player has started a rematch.
pub(super) fn rematch_news<'t>(text: &'t Translations, view: &GameView) -> Option<Cow<'t, str>> {
    let is_started = view.has_others && !view.seats_panel.rematches.is_empty();
    (is_started && view.result.is_some()).then(|| text.get("rematch-started"))
}

/// After the game: a link to each existing rematch, and a button for each that can be requested, in this order: the same
/// opponents, those of another strength that fit the result, the same board, and other ones. The first is the primary
/// action. Several people are not offered a second rematch.
pub(super) fn rematches(
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
    is_main: bool,
) -> Vec<Markup> {
    let result = view.result.as_ref().and_then(|result| result.own_result);
    let (fitting, other) = match result {
        Some(PlayerResult::Lost) => (RematchOption::Easier, None),
        Some(PlayerResult::Won) => (RematchOption::Harder, None),
        _ => (RematchOption::Harder, Some(RematchOption::Easier)),
    };
    let existing = view.seats_panel.rematches.iter();
    let offered = [RematchOption::New, fitting, RematchOption::Same];
    let others = existing
        .map(|rematch| rematch.kind)
        .filter(|kind| !offered.contains(kind) && Some(*kind) != other);
    let kinds: Vec<_> = offered.into_iter().chain(other).chain(others).collect();
    let may_request = !view.has_others || view.seats_panel.rematches.is_empty();
    let mut shown = Vec::new();
    for kind in kinds {
        let is_first = is_main && shown.is_empty();
        let class = if is_first { "btn main" } else { "btn" };
        // It keeps the focus when the button becomes a link.
        let id = is_first.then_some("again");
        let mut existing = view.seats_panel.rematches.iter();
        if let Some(rematch) = existing.find(|rematch| rematch.kind == kind) {
            shown.push(html! { a class=(class) id=[id] href={ (text.path("/g/")) (rematch.id) } { (text.get(kind.key_on())) } });
        } else if let Some(label) = rematch_label(text, view, names, kind).filter(|_| may_request) {
            shown.push(html! {
                form method="post" action={ (text.path("/g/")) (view.id) "/rematch" } {
                    @if let Some((name, value)) = kind.field() { input type="hidden" name=(name) value=(value); }
                    button class=(class) id=[id] { (label) }
                }
            });
        }
    }
    shown
}

/// The label of the button that requests a rematch; `None` if it cannot be requested.
fn rematch_label(
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
    kind: RematchOption,
) -> Option<String> {
    if !view.may_rematch {
        return None;
    }
    let label = match kind {
        RematchOption::New => text.get(kind.key()),
        RematchOption::Same => text.get_with(kind.key(), &next_seat(view, names)),
        RematchOption::Easier | RematchOption::Harder => {
            let mut steps = view.seats_panel.steps.iter().copied();
            let step = steps.find(|step| step.kind == kind)?;
            let label = text.get(kind.key());
            match opponents_name(text, step) {
                Some(name) => {
                    let values = [("step", (&*label).into()), ("name", (&*name).into())];
                    text.get_with("rematch-to", &values)
                }
                None => label,
            }
        }
    };
    Some(label.into_owned())
}

fn opponents_name(text: &Translations, step: RematchStepView) -> Option<Cow<'_, str>> {
    let key = opponents_key(step.opponents?)?;
    Some(text.get_with(key, &[("place", "within".into())]))
}

/// The number of the viewer's seats, and the colour of the seat after the first of them: all players move on
/// by one seat.
fn next_seat<'v>(
    view: &GameView,
    names: &'v PlayerNames<'_>,
) -> [(&'static str, MessageValue<'v>); 2] {
    let numbers = || view.players.iter().map(|player| player.number);
    let own: Vec<u8> = numbers().filter(|number| names.is_mine(*number)).collect();
    let next = own
        .first()
        .and_then(|first| numbers().find(|number| number > first));
    [
        ("seats", (own.len() as u32).into()),
        ("who", names.colour(next.unwrap_or(0)).into()),
    ]
}

pub(super) fn notice(text: &Translations, notice: SeatNotice) -> String {
    match notice {
        SeatNotice::NotYours => text.get("notice-seat-not-yours"),
        SeatNotice::NoSuchSeat => text.get("notice-seat-none"),
        SeatNotice::Occupied => text.get("notice-seat-taken"),
        SeatNotice::ReplacementDisabled => text.get("notice-seat-never"),
        SeatNotice::NotTheirTurn => text.get("notice-seat-not-awaited"),
        SeatNotice::TooEarly { wait_s } => {
            let (key, number) = match wait_s {
                0..=99 => ("notice-seat-early-s", wait_s),
                100..=5999 => ("notice-seat-early-m", wait_s.div_ceil(60)),
                _ => ("notice-seat-early-h", wait_s.div_ceil(3600)),
            };
            text.get_with(key, &[("n", number.into())])
        }
        SeatNotice::NoSuchLevel => text.get("notice-seat-level"),
        SeatNotice::NoSuchChange => text.get("notice-seat-change"),
        SeatNotice::NameTooLong => text.get("notice-name-long"),
        SeatNotice::NameInvisible => text.get("notice-name-invisible"),
        SeatNotice::NameAddress => text.get("notice-name-address"),
        SeatNotice::Started => text.get("notice-seat-started"),
        SeatNotice::HasMoved => text.get("notice-seat-moved"),
        SeatNotice::TooManyTables => text.get("notice-tables-many"),
        SeatNotice::TooManySeats => text.get("tables-seats-many"),
        SeatNotice::GameInProgress => text.get("notice-rematch-goes-on"),
    }
    .into_owned()
}
