//! The page of a game: the live board, an earlier ply, and the end.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::{Board, Stance};
use super::buttons::{OnTable, Table};
use super::card::Card;
use super::log::{LogEntry, log};
use super::look::Look;
use super::page::{Refresh, Site, page_with_card};
use super::players::{Cast, PlayerView, Tally, players, token};
use super::prompt::{Notice, Prompt, headline, notice, prompt};
use super::said::Said;
use super::seats::{self, TableView};
use super::switches::switches;
use super::tempo::{seated, tempo};
use super::text::Text;

/// What is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameName {
    /// The name in addresses and forms.
    pub game: &'static str,
    /// Which sentence says what people call it.
    pub title: &'static str,
}

/// A page of one game: the live board, or a ply of the past.
#[derive(Clone, Debug)]
pub struct GameView {
    /// Public id of the game.
    pub id: String,
    /// The position shown: plies played so far.
    pub ply: u32,
    /// The newest position.
    pub newest: u32,
    /// The turn shown.
    pub turn: Said,
    /// What is played.
    pub game: GameName,
    /// The board.
    pub board: Arc<dyn Board>,
    /// What to do.
    pub prompt: Prompt,
    /// Whose turn it is, while the game goes on.
    pub mover: Option<u8>,
    /// The corner with the way on.
    pub corner: Option<Arc<dyn OnTable>>,
    /// What can be played, as buttons under the board.
    pub buttons: Option<Arc<dyn OnTable>>,
    /// What the last ply looked like, or its empty place.
    pub strip: Option<Arc<dyn OnTable>>,
    /// The counts of each player.
    pub tally: Tally,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Newest first: at most the last 20 plies.
    pub log: Vec<LogEntry>,
    /// Something was refused.
    pub notice: Option<Notice>,
    /// Others are to move: without scripts the page asks again after this many seconds.
    pub refresh_s: Option<u32>,
    /// How it ended.
    pub result: Option<ResultView>,
    /// How it came to that, on the page of the end.
    pub course: Option<Arc<dyn OnTable>>,
    /// How many follow the game without a seat in it.
    pub watchers: u32,
    /// The revision of the seats: a newer one makes the page look again.
    pub seats: u32,
    /// The reader has a seat and may resign.
    pub may_resign: bool,
    /// The reader had a seat and may ask for a rematch.
    pub may_rematch: bool,
    /// What can be done about the seats, and what comes after the game.
    pub table: TableView,
}

/// How a game ended.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultView {
    /// The winners' numbers; several tie, none is a draw.
    pub winners: Vec<u8>,
    /// Plies played.
    pub plies: u32,
    /// How the reader did, who has one seat.
    pub did: Option<Did>,
    /// Who won.
    pub verdict: Said,
    /// How the reader did in a sentence, where that is another heading than who won.
    pub place: Option<Said>,
    /// Why it is over.
    pub reason: Said,
}

impl ResultView {
    /// What stands above everything else.
    fn heading(&self) -> &Said {
        self.place.as_ref().unwrap_or(&self.verdict)
    }
}

/// How a reader did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Did {
    /// Nobody else did as well.
    Won,
    /// Others did as well, or nobody won.
    Tied,
    /// Somebody else did better.
    Lost,
}

impl Did {
    /// The class for its looks.
    const fn class(self) -> &'static str {
        match self {
            Did::Won => "won",
            Did::Tied => "tied",
            Did::Lost => "lost",
        }
    }
}

/// The whole page of a game.
#[must_use]
pub fn game_page(site: &Site<'_>, text: &Text, view: &GameView) -> Markup {
    let cast = Cast::new(text, &view.players);
    let refresh = view
        .refresh_s
        .map_or(Refresh::Never, Refresh::WithoutScripts);
    page_with_card(
        site,
        text,
        &title(text, view, &cast),
        &refresh,
        Some(&card(text, view, &cast)),
        main(text, &site.look, view, &cast),
    )
}

/// What chats show of a link to the game.
fn card(text: &Text, view: &GameView, cast: &Cast<'_>) -> Card {
    let names: Vec<_> = view.players.iter().map(|p| cast.name(p.number)).collect();
    let who = names.join(", ");
    let game = text.say(view.game.title);
    let values = [("who", who.as_str().into()), ("game", (&*game).into())];
    let description = match &view.result {
        Some(result) => {
            let verdict = result.verdict.told(text, cast);
            text.say_with("card-link-over", &[("verdict", verdict.into())])
        }
        None => {
            let turn = view.turn.told(text, cast);
            text.say_with("card-link-live", &[("turn", turn.into())])
        }
    };
    Card {
        title: text.say_with("card-link", &values).into_owned(),
        description: description.into_owned(),
        path: Some(format!("/g/{}", view.id)),
        picture: format!("/g/{}/board.png", view.id),
    }
}

/// The part that the script swaps: the title and `<main>`.
#[must_use]
pub fn game_fragment(site: &Site<'_>, text: &Text, view: &GameView) -> Markup {
    let cast = Cast::new(text, &view.players);
    html! { title { (title(text, view, &cast)) } (main(text, &site.look, view, &cast)) }
}

fn title(text: &Text, view: &GameView, cast: &Cast<'_>) -> String {
    let what = match finished(view) {
        Some(result) => result.heading().told(text, cast),
        None => headline(text, view, cast),
    };
    format!("{what} · {}", text.say(view.game.title))
}

fn finished(view: &GameView) -> Option<&ResultView> {
    view.result.as_ref().filter(|_| view.prompt == Prompt::Over)
}

fn main(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Markup {
    html! {
        main #main data-game=(view.id) data-ply=(view.ply) data-seats=(view.seats) data-watchers=(view.watchers)
            data-mine=(seated(view)) data-refresh[view.refresh_s.is_some()] data-past[view.prompt == Prompt::Replay]
            data-yours[matches!(view.prompt, Prompt::Move(_))] data-ahead=[ahead(&view.prompt)] data-reconnecting=(text.say("reconnecting")) {
            (notice(text, view.notice.as_ref(), cast))
            @match finished(view) {
                Some(result) => { (over(text, look, view, result, cast)) }
                None => { (table_top(text, look, view, cast)) }
            }
        }
    }
}

/// How many turns of other games come before the awaited one; the script keeps the number current.
fn ahead(prompt: &Prompt) -> Option<u32> {
    match prompt {
        Prompt::Thinking { ahead, .. } => Some(*ahead).filter(|ahead| *ahead > 0),
        _ => None,
    }
}

fn table_top(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Markup {
    let table = Table {
        text,
        look,
        cast,
        id: &view.id,
        ply: view.ply,
    };
    let drawn = |part: &Option<Arc<dyn OnTable>>| part.as_ref().map(|part| part.draw(&table));
    html! {
        div.game.falling[view.board.stance() == Stance::Upright] {
            div.stage {
                (prompt(text, look, view, cast))
                (view.board.playable(text, look, view.mover, cast))
                @if let Some(corner) = drawn(&view.corner) { (corner) }
                (tempo(text, look, view))
            }
            div.under {
                (seats::waiting(text, view, cast))
                @if let Some(strip) = drawn(&view.strip) { (strip) }
                @if let Some(buttons) = drawn(&view.buttons) { (buttons) }
            }
            div.rail {
                (players(text, view, cast))
                (log(text, view, cast))
                (switches(text, look, view))
                div.more {
                    (view.board.table(text, cast))
                    (links(text, view))
                    (seats::own(text, view, cast))
                    @if view.may_resign { (resign(text, view)) }
                }
            }
        }
    }
}

fn links(text: &Text, view: &GameView) -> Markup {
    html! {
        p.links {
            a href={ "/g/" (view.id) "/log" } { (text.say("log-all")) }
            a href={ "/g/" (view.id) "/record.json" } download={ (view.id) ".json" } { (text.say("record")) }
            a href={ "/g/" (view.id) "/board.svg" } { (text.say("picture")) }
            button.keys hidden { (text.say("keys")) }
        }
    }
}

/// Giving up: unfolding it asks for confirmation and the button confirms, so that it needs no script.
fn resign(text: &Text, view: &GameView) -> Markup {
    html! {
        details.resign {
            summary { (text.say("resign")) }
            form method="post" action={ "/g/" (view.id) "/resign" } {
                input type="hidden" name="ply" value=(view.newest);
                button.btn { (seats::leaving(text, &view.table)) }
            }
        }
    }
}

fn over(text: &Text, look: &Look, view: &GameView, result: &ResultView, cast: &Cast<'_>) -> Markup {
    let first = result.winners.first().copied();
    let table = Table {
        text,
        look,
        cast,
        id: &view.id,
        ply: view.ply,
    };
    let did = result.did.map(Did::class);
    let again = view.may_rematch || !view.table.rematches.is_empty();
    html! {
        div class={ "over" @if let Some(did) = did { " " (did) } } {
            section class={ "win" @if let Some(player) = first { " p" (player % 6) } } {
                (view.board.picture(text, look, &text.say("board-over")))
                div.res {
                    p.whose {
                        @for player in &result.winners { (token(*player)) }
                        // What is not the heading stands above it.
                        @if result.place.is_some() { (result.verdict.told(text, cast)) }
                        @else { (text.say_with("over-tag", &[("plies", result.plies.into())])) }
                    }
                    h1 { (result.heading().told(text, cast)) }
                    p.lead { (result.reason.told(text, cast)) }
                    div.row {
                        (seats::rematch(text, view))
                        @if !again { a.btn.main href="/" { (text.say("new-game")) } }
                    }
                    p.links {
                        @if again { a href="/" { (text.say("new-game")) } }
                        a href={ "/g/" (view.id) "/0" } { (text.say("replay-watch")) }
                        a href={ "/g/" (view.id) "/log" } { (text.say("log-all")) }
                        a href={ "/g/" (view.id) "/record.json" } download={ (view.id) ".json" } { (text.say("record-download")) }
                        a href={ "/g/" (view.id) "/board.svg" } { (text.say("picture")) }
                    }
                }
            }
            @if let Some(course) = &view.course { (course.draw(&table)) }
            div.after {
                (players(text, view, cast))
                (log(text, view, cast))
            }
            div.more { (view.board.table(text, cast)) }
        }
    }
}
