//! The page of a game: the live board, an earlier ply, and the end.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::{BoardComponent, BoardLayout};
use super::controls::{TableComponent, TableContext, key_name};
use super::dice_audit;
use super::display_switches::switches;
use super::hint::{self, HintPanel};
use super::localization::Translations;
use super::log::{LogEntry, log};
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page_with_card, sheet};
use super::playback::seated;
use super::players::{CountColumns, PlayerNames, PlayerView, players, token};
use super::preferences::DisplayOptions;
use super::prompt::{Notice, Prompt, headline, notice, prompt};
use super::replay::{self, OriginView, ReplayView};
use super::review;
use super::seats::{self, SeatsPanelView};
use super::share;
use super::social_card::SocialCard;

/// What is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTitle {
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
    pub turn: LocalizedMessage,
    /// What is played.
    pub game: GameTitle,
    /// The board.
    pub board: Arc<dyn BoardComponent>,
    /// What to do.
    pub prompt: Prompt,
    /// Whose turn it is, while the game goes on.
    pub mover: Option<u8>,
    /// The corner with the way on.
    pub corner: Option<Arc<dyn TableComponent>>,
    /// What can be played, as buttons under the board.
    pub buttons: Option<Arc<dyn TableComponent>>,
    /// What the last ply looked like, or its empty place.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// The counts of each player.
    pub tally: CountColumns,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Newest first: at most the last 20 plies.
    pub log: Vec<LogEntry>,
    /// A hint that can be asked for, or was.
    pub hint: Option<HintPanel>,
    /// Something was refused.
    pub notice: Option<Notice>,
    /// Others are to move: without scripts the page asks again after this many seconds.
    pub refresh_s: Option<u32>,
    /// How it ended.
    pub result: Option<ResultView>,
    /// How it came to that, on the page of the end.
    pub course: Option<Arc<dyn TableComponent>>,
    /// What it takes to go through the plies, on a page of the past.
    pub replay: Option<ReplayView>,
    /// Where it comes from, unless it was set up anew.
    pub origin: Option<OriginView>,
    /// How many follow the game without a seat in it.
    pub watchers: u32,
    /// The revision of the seats: a newer one makes the page look again.
    pub seats: u32,
    /// The commitment of the dice in hexadecimal digits, where they are sealed.
    pub commitment: Option<String>,
    /// The game is over, whatever ply is shown.
    pub is_over: bool,
    /// What the reader can take back, as the button says it.
    pub takeback: Option<LocalizedMessage>,
    /// The reader has a seat and may resign.
    pub may_resign: bool,
    /// The reader had a seat and may ask for a rematch.
    pub may_rematch: bool,
    /// People play against each other here, and everybody gets hints.
    pub hints_for_all: bool,
    /// The game is over and can be reviewed.
    pub may_review: bool,
    /// Whether anything was rolled so far.
    pub is_rolled: bool,
    /// What can be done about the seats, and what comes after the game.
    pub table: SeatsPanelView,
}

/// How a game ended.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultView {
    /// The winners' numbers; several tie, none is a draw.
    pub winners: Vec<u8>,
    /// Plies that stand.
    pub plies: u32,
    /// How often something was taken back.
    pub takebacks: u32,
    /// How the reader did, who has one seat.
    pub did: Option<PlayerResult>,
    /// Who won.
    pub verdict: LocalizedMessage,
    /// How the reader did in a sentence, where that is another heading than who won.
    pub place: Option<LocalizedMessage>,
    /// Why it is over.
    pub reason: LocalizedMessage,
}

impl ResultView {
    /// What stands above everything else.
    fn heading(&self) -> &LocalizedMessage {
        self.place.as_ref().unwrap_or(&self.verdict)
    }
}

/// How a reader did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayerResult {
    /// Nobody else did as well.
    Won,
    /// Others did as well, or nobody won.
    Tied,
    /// Somebody else did better.
    Lost,
}

impl PlayerResult {
    /// The class for its looks.
    const fn class(self) -> &'static str {
        match self {
            PlayerResult::Won => "won",
            PlayerResult::Tied => "tied",
            PlayerResult::Lost => "lost",
        }
    }
}

/// The whole page of a game.
#[must_use]
pub fn game_page(site: &SiteContext<'_>, text: &Translations, view: &GameView) -> Markup {
    let cast = PlayerNames::new(text, &view.players);
    let refresh = view
        .refresh_s
        .map_or(Refresh::Never, Refresh::WithoutScripts);
    page_with_card(
        site,
        text,
        &title(text, view, &cast),
        &refresh,
        Some(&card(text, view, &cast)),
        main(site, text, view, &cast),
    )
}

/// What chats show of a link to the game.
fn card(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> SocialCard {
    let names = view.players.iter().map(|player| cast.name(player.number));
    let who = text.row(names.map(Into::into));
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
    SocialCard {
        title: text.say_with("card-link", &values).into_owned(),
        description: description.into_owned(),
        path: Some(format!("/g/{}", view.id)),
        picture: format!("/g/{}/board.png", view.id),
    }
}

/// The part that the script swaps: the title and `<main>`.
#[must_use]
pub fn game_fragment(site: &SiteContext<'_>, text: &Translations, view: &GameView) -> Markup {
    let cast = PlayerNames::new(text, &view.players);
    html! { title { (title(text, view, &cast)) } (main(site, text, view, &cast)) }
}

fn title(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> String {
    let what = match finished(view) {
        Some(result) => result.heading().told(text, cast),
        None => headline(text, view, cast),
    };
    format!("{what} · {}", text.say(view.game.title))
}

fn finished(view: &GameView) -> Option<&ResultView> {
    view.result.as_ref().filter(|_| view.prompt == Prompt::Over)
}

fn main(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    cast: &PlayerNames<'_>,
) -> Markup {
    let look = &site.look;
    html! {
        main #main data-game=(view.id) data-ply=(view.ply) data-seats=(view.seats) data-watchers=(view.watchers)
            data-mine=(seated(view)) data-refresh[view.refresh_s.is_some()] data-past[view.prompt == Prompt::Replay]
            data-yours[matches!(view.prompt, Prompt::Move(_))] data-ahead=[ahead(view)] data-reconnecting=(text.say("reconnecting"))
            data-event=[view.replay.as_ref().and_then(|replay| replay.event.as_deref())] {
            (notice(text, view.notice.as_ref(), cast))
            @match finished(view) {
                Some(result) => {
                    (sheet(site, "over.css"))
                    (over(text, look, view, result, cast))
                }
                None => {
                    @if view.replay.is_some() || ends(view) { (sheet(site, "replay.css")) }
                    @if view.hint.is_some() { (sheet(site, "hint.css")) }
                    (table_top(text, look, view, cast))
                }
            }
        }
    }
}

/// How many turns of other games come before the awaited one; the script keeps the number current.
fn ahead(view: &GameView) -> Option<u32> {
    match (&view.prompt, &view.hint) {
        // The page is asked for again until the hint is known.
        (_, Some(HintPanel::Thinking)) => Some(0),
        (Prompt::Thinking { ahead, .. }, _) => Some(*ahead).filter(|ahead| *ahead > 0),
        _ => None,
    }
}

fn table_top(
    text: &Translations,
    look: &DisplayOptions,
    view: &GameView,
    cast: &PlayerNames<'_>,
) -> Markup {
    let table = TableContext {
        text,
        look,
        cast,
        id: &view.id,
        ply: view.ply,
    };
    let drawn =
        |part: &Option<Arc<dyn TableComponent>>| part.as_ref().map(|part| part.draw(&table));
    html! {
        div.game.falling[view.board.stance() == BoardLayout::Upright].replay[view.replay.is_some()] {
            div.stage {
                (prompt(text, look, view, cast))
                (view.board.playable(text, look, view.mover, cast))
                div.actions {
                    @if let Some(corner) = drawn(&view.corner) { (corner) }
                    @if view.replay.is_some() || ends(view) { (replay::onward(text, view)) }
                    @else { (aids(&table, view)) }
                }
            }
            div.under {
                (seats::waiting(text, view, cast))
                @if let Some(strip) = drawn(&view.strip) { (strip) }
                @if let Some(buttons) = drawn(&view.buttons) { (buttons) }
                @if let Some(replay) = &view.replay { (replay::player(text, look, view, replay, cast)) }
            }
            div.rail {
                (players(text, view, cast))
                @match &view.hint {
                    Some(panel @ (HintPanel::Thinking | HintPanel::Known(_))) => { (hint::panel(&table, panel)) }
                    Some(HintPanel::Offered(_)) | None => { (log(text, view, cast)) }
                }
                @if view.hints_for_all && view.replay.is_none() { p.sub { (text.say("hint-for-all")) } }
                (switches(text, look, view))
                div.more {
                    @if let Some(origin) = &view.origin { p.sub { (replay::origin(text, &view.id, origin)) } }
                    @if let Some(replay) = &view.replay { (share::share(text, view, replay)) }
                    @if view.replay.is_some() || ends(view) { (replay::other_seats(text, view)) }
                    (view.board.table(text, look, cast))
                    (links(text, view))
                    (seats::own(text, view, cast))
                    (seats::lost(text, view))
                    @if view.may_resign { (resign(text, view)) }
                }
            }
        }
    }
}

fn links(text: &Translations, view: &GameView) -> Markup {
    html! {
        p.links {
            a href={ "/g/" (view.id) "/log" } { (text.say("log-all")) }
            a href={ "/g/" (view.id) "/record.json" } download={ (view.id) ".json" } { (text.say("record")) }
            a href={ "/g/" (view.id) "/board.svg" @if view.replay.is_some() { "?ply=" (view.ply) } } { (text.say("picture")) }
            @if view.may_review || is_uploaded(view) || view.prompt == Prompt::Replay && !seated(view).is_empty() { (analyse(text, view, view.ply)) }
            @if is_uploaded(view) { a href={ "/g/" (view.id) "/0#play" } { (text.say("replay-watch")) } }
            (dice_audit::line(text, &view.id, view.commitment.as_deref(), view.is_over))
            button.keys hidden { (text.say("keys")) }
        }
    }
}

/// Whether its record was brought here.
fn is_uploaded(view: &GameView) -> bool {
    matches!(view.origin, Some(OriginView::Uploaded { .. }))
}

/// Whether a record that was brought here ends here, before the game.
fn ends(view: &GameView) -> bool {
    matches!(view.prompt, Prompt::Ends { .. })
}

/// The way to the analysis board, for games that are over and one's own.
fn analyse(text: &Translations, view: &GameView, ply: u32) -> Markup {
    html! { a href={ "/analysis?game=" (view.id) "&ply=" (ply) } { (text.say("analysis-ask")) } }
}

/// What helps the reader beside the main button: a hint, and taking back the last move.
fn aids(table: &TableContext<'_>, view: &GameView) -> Markup {
    html! {
        div.aids {
            @if let Some(panel) = &view.hint { (hint::ask(table, panel)) }
            @if let Some(what) = &view.takeback { (take_back(table, view, what)) }
        }
    }
}

/// Taking back: the label is short, the name says what.
fn take_back(table: &TableContext<'_>, view: &GameView, what: &LocalizedMessage) -> Markup {
    let key = view.board.command_key('u');
    let what = table.told(what);
    html! {
        form.takeback method="post" action={ "/g/" (view.id) "/undo" } data-key=(key) {
            input type="hidden" name="ply" value=(view.newest);
            button.btn #undo title=(what) {
                svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M9 6l-5 5 5 5M4 11h10a5 5 0 0 1 0 10h-2" {} }
                span { (table.text.say("take-back-button")) span.vh { ": " (what) } } kbd.scripted aria-hidden="true" { (key_name(&key)) }
            }
        }
    }
}

/// Giving up: unfolding it asks for confirmation and the button confirms, so that it needs no script.
fn resign(text: &Translations, view: &GameView) -> Markup {
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

fn over(
    text: &Translations,
    look: &DisplayOptions,
    view: &GameView,
    result: &ResultView,
    cast: &PlayerNames<'_>,
) -> Markup {
    let first = result.winners.first().copied();
    let table = TableContext {
        text,
        look,
        cast,
        id: &view.id,
        ply: view.ply,
    };
    let did = result.did.map(PlayerResult::class);
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
                    @if let Some(origin) = &view.origin { p.sub { (replay::origin(text, &view.id, origin)) } }
                    @if result.takebacks > 0 {
                        p.sub { (text.say_with("over-takebacks", &[("n", result.takebacks.into())])) }
                    }
                    div.row {
                        (seats::rematch(text, view, cast))
                        @if !again { a.btn.main href="/" { (text.say("new-game")) } }
                        @if view.may_review { (review::open_button(text, &view.id, if view.is_rolled { "review-over" } else { "review-over-sure" })) }
                    }
                    p.links {
                        @if again { a href="/" { (text.say("new-game")) } }
                        a href={ "/g/" (view.id) "/0#play" } { (text.say("replay-watch")) }
                        // The last move can still be chosen otherwise.
                        (analyse(text, view, view.ply.saturating_sub(1)))
                        a href={ "/g/" (view.id) "/log" } { (text.say("log-all")) }
                        a href={ "/g/" (view.id) "/record.json" } download={ (view.id) ".json" } { (text.say("record-download")) }
                        a href={ "/g/" (view.id) "/record.txt" } { (text.say("record-text")) }
                        a href={ "/g/" (view.id) "/board.svg" } { (text.say("picture")) }
                        (dice_audit::line(text, &view.id, view.commitment.as_deref(), true))
                    }
                }
            }
            @if let Some(course) = &view.course { (course.draw(&table)) }
            div.after {
                (players(text, view, cast))
                (log(text, view, cast))
            }
            div.more { (view.board.table(text, look, cast)) }
        }
    }
}
