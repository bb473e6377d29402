//! The open tables: games with a free seat that anybody may join.

use maud::{Markup, html};

use super::clock::{turn_select, turn_time};
use super::game::GameTitle;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, linked, page, page_title, stylesheet_link};
use super::players::{OccupantView, PlayerNames, PlayerView, player_badge};

/// Seconds after which a computer may replace an absent player of a table that a form of these pages opens.
const REPLACE_AFTER_S: u32 = 300;

/// View of the page with the open tables.
#[derive(Clone, Debug, Default)]
pub struct TablesView {
    /// The tables, in the order of the list.
    pub tables: Vec<OpenTableView>,
    /// The games that a table can be opened for, the default first.
    pub games: Vec<GameTitle>,
    /// Whether the viewer is asked for a name, because none is known.
    pub asks_name: bool,
    /// The initial value of the name fields.
    pub name: String,
    /// Why the viewer did not get a seat.
    pub notice: Option<TablesNotice>,
}

/// An open table.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct OpenTableView {
    /// Public id of its game.
    pub id: String,
    /// The rules, as a noun phrase.
    pub rules: LocalizedMessage,
    /// All seats.
    pub players: Vec<PlayerView>,
    /// Seconds for a turn; `None` without a clock.
    pub turn_s: Option<u32>,
    /// Minutes since it was opened.
    pub minutes: u32,
    /// Whether the viewer has a seat in it.
    pub is_own: bool,
}

/// Why a viewer did not get a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TablesNotice {
    /// All seats are taken, or the table is closed.
    Started,
    /// A name is needed.
    NameMissing,
    /// The name has more than 32 characters.
    NameTooLong,
    /// The name contains control or invisible characters.
    NameInvisible,
    /// The name contains a web address.
    NameAddress,
    /// The viewer has the maximum of seats in which they have not moved.
    TooManySeats,
}

impl TablesNotice {
    const fn key(self) -> &'static str {
        match self {
            TablesNotice::Started => "tables-started",
            TablesNotice::NameMissing => "tables-name-missing",
            TablesNotice::NameTooLong => "notice-name-long",
            TablesNotice::NameInvisible => "notice-name-invisible",
            TablesNotice::NameAddress => "notice-name-address",
            TablesNotice::TooManySeats => "tables-seats-many",
        }
    }
}

/// Renders the page `/tables`.
#[must_use]
pub fn tables_page(site: &SiteContext<'_>, text: &Translations, view: &TablesView) -> Markup {
    let title = text.get("tables");
    let main = html! {
        main #main.page.wide {
            (stylesheet_link(site, "tables.css"))
            @if let Some(notice) = view.notice { p.notice role="alert" tabindex="-1" autofocus { (text.get(notice.key())) } }
            div #tables data-plain {
                div.tables-head {
                    div { h1 { (title) } p.sub { (text.get("tables-lead")) } }
                    @if !view.tables.is_empty() { (open_form(text, view)) }
                }
                @if view.tables.is_empty() {
                    section.tables-none {
                        h2 { (text.get("tables-none")) }
                        p { (text.get("tables-none-lead")) }
                        div.ways {
                            (open_form(text, view))
                            @if let Some(game) = view.games.first() {
                                a.btn href={ (text.path("/?game=")) (game.game) "&seats=human&seats=open&replace_after=" (REPLACE_AFTER_S) "#setup" } { (text.get("tables-invite")) }
                                form method="post" action=(text.path("/games")) {
                                    input type="hidden" name="game" value=(game.game);
                                    input type="hidden" name="opponents" value="easy";
                                    button.btn { (text.get("tables-computers")) }
                                }
                            }
                        }
                    }
                } @else {
                    (table_list(text, &view.tables, (view.asks_name, &view.name)))
                    section.tables-how { h2 { (text.get("tables-how")) } p { (text.get("tables-how-lead")) } }
                }
            }
            p.sub #refresh-tables { (linked(&text.get("tables-refresh"), text.path("/tables"))) }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

/// The tables on the start page, and a link to all of them.
pub(super) fn start_page_tables(
    site: &SiteContext<'_>,
    text: &Translations,
    (tables, count): (&[OpenTableView], u32),
    asks_name: bool,
) -> Markup {
    html! {
        (stylesheet_link(site, "tables.css"))
        section.mine.open-tables {
            h2 { (text.get("tables")) }
            (table_list(text, tables, (asks_name, "")))
            p { a href=(text.path("/tables")) { (text.get_with("tables-all", &[("n", count.into())])) } }
        }
    }
}

/// One row for each table. A viewer without a name enters one in the row of the table.
fn table_list(
    text: &Translations,
    tables: &[OpenTableView],
    (asks_name, name): (bool, &str),
) -> Markup {
    html! {
        ul.tables {
            @for table in tables {
                @let names = PlayerNames::new(text, &table.players);
                @let free = free_seats(table);
                li.table {
                    span.toks aria-hidden="true" {
                        @for player in &table.players {
                            @if player.occupant == OccupantView::Open { span.tok.free {} } @else { (player_badge(player.number)) }
                        }
                    }
                    span.who {
                        b { (people(text, table, &names)) }
                        small { (text.get_with("tables-free", &[("n", free.into())])) (text.get("sentence-gap")) (text.get_with("tables-waiting", &[("n", table.minutes.into())])) }
                    }
                    span.rules { (table.rules.render(text, &names)) }
                    small.turn { (turn_time(text, table.turn_s)) }
                    @let action = format!("{}{}", text.path("/tables/"), table.id);
                    @if table.is_own {
                        a.btn href={ (text.path("/g/")) (table.id) } { (text.get("tables-own")) }
                    } @else if asks_name {
                        details.ask {
                            summary.btn { (text.get("tables-join")) }
                            form method="post" action=(action) {
                                (name_field(text, &format!("name-{}", table.id), name))
                                button.btn { (text.get("tables-join")) }
                            }
                        }
                    } @else {
                        form method="post" action=(action) { button.btn { (text.get("tables-join")) } }
                    }
                }
            }
        }
    }
}

fn free_seats(table: &OpenTableView) -> u32 {
    let free = table.players.iter();
    let free = free.filter(|player| player.occupant == OccupantView::Open);
    u32::try_from(free.count()).unwrap_or(0)
}

/// The people who wait.
fn people(text: &Translations, table: &OpenTableView, names: &PlayerNames<'_>) -> String {
    let people = table.players.iter().filter(|player| {
        !matches!(
            player.occupant,
            OccupantView::Open | OccupantView::Invited | OccupantView::Level(_)
        )
    });
    text.join_as_list(people.map(|player| names.name(player.number).to_owned().into()))
}

/// The form that opens a table, collapsed.
fn open_form(text: &Translations, view: &TablesView) -> Markup {
    html! {
        details.ask.open-table {
            summary.btn.main { (text.get("tables-open")) }
            form.form method="post" action=(text.path("/games")) {
                input type="hidden" name="listed" value="1";
                // A player who does not come back must not end the game of the others.
                input type="hidden" name="replace_after" value=(REPLACE_AFTER_S);
                fieldset.pick {
                    legend { (text.get("form-game")) }
                    @for (index, game) in view.games.iter().enumerate() {
                        label { input type="radio" name="game" value=(game.game) checked[index == 0]; (text.get(game.title)) }
                    }
                }
                (turn_select(text, None))
                @if view.asks_name { (name_field(text, "name-open", &view.name)) }
                @else { input type="hidden" name="name" value=(view.name); }
                button.btn.main { (text.get("tables-open-now")) }
                @if let Some(game) = view.games.first() {
                    p.sub { a href={ (text.path("/?game=")) (game.game) "&seats=human&seats=open&listed=1&replace_after=" (REPLACE_AFTER_S) "#setup" } { (text.get("tables-more")) } }
                }
            }
        }
    }
}

fn name_field(text: &Translations, id: &str, name: &str) -> Markup {
    html! {
        label for=(id) { (text.get("tables-name")) }
        input id=(id) type="text" name="name" value=(name) autocomplete="nickname" maxlength="64" required;
    }
}
