//! The page of a game: the current board, an earlier ply, or the result.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::board::{BoardComponent, BoardLayout};
use super::clock::{self, ClockView};
use super::controls::{TableComponent, TableContext, key_name};
use super::dice_audit;
use super::display_switches::switches;
use super::game_over::{self, NextStepsView};
use super::hint::{self, HintPanel};
use super::lobby;
use super::localization::Translations;
use super::log::{LogEntry, SeatEvent, departure, departure_notices, departures, log};
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page_with_card, stylesheet_link};
use super::phrases::{self, PhrasesView};
use super::playback::reader_seats;
use super::players::{CountColumns, PlayerNames, PlayerView, players};

use super::prompt::{Notice, Prompt, headline, notice, prompt};
use super::replay::{self, OriginView, ReplayView};
use super::seats::{self, SeatsPanelView};
use super::share::{self, ShareView};
use super::social_card::SocialCard;

/// Internal and displayed name of a game type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTitle {
    /// The name in URLs and forms.
    pub game: &'static str,
    /// Message key of the displayed name.
    pub title: &'static str,
}

/// View of a game's page: the current board, or an earlier ply.
#[derive(Clone, Debug)]
pub struct GameView {
    /// Public id of the game.
    pub id: String,
    /// The position shown, as the number of plies played.
    pub ply: u32,
    /// The newest position.
    pub newest: u32,
    /// The turn shown.
    pub turn: LocalizedMessage,
    /// The game type.
    pub game: GameTitle,
    /// The board.
    pub board: Arc<dyn BoardComponent>,
    /// The prompt.
    pub prompt: Prompt,
    /// The player to move; `None` when the game is over.
    pub mover: Option<u8>,
    /// The primary action, in the corner of the board.
    pub primary_action: Option<Arc<dyn TableComponent>>,
    /// The legal actions, as buttons under the board.
    pub buttons: Option<Arc<dyn TableComponent>>,
    /// The last ply, or a placeholder for it.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// Columns of the counts that each player has.
    pub count_columns: CountColumns,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// The last 20 plies at most, newest first.
    pub log: Vec<LogEntry>,
    /// Who joined or left among these plies, newest first.
    pub seat_events: Vec<SeatEvent>,
    /// A hint that is offered, pending or shown.
    pub hint: Option<HintPanel>,
    /// The clock of the current turn.
    pub clock: Option<ClockView>,
    /// What the players say; `None` where nobody can talk.
    pub phrases: Option<PhrasesView>,
    /// Why a request was rejected.
    pub notice: Option<Notice>,
    /// While other players are to move: the reload interval in seconds for browsers without scripts.
    pub refresh_s: Option<u32>,
    /// The result.
    pub result: Option<ResultView>,
    /// The course of the game, on the page of its result.
    pub history: Option<Arc<dyn TableComponent>>,
    /// The replay controls, on a page of the past.
    pub replay: Option<ReplayView>,
    /// How others can open the game, where it can be shared.
    pub share: Option<ShareView>,
    /// The origin of the game, unless it was started from the beginning.
    pub origin: Option<OriginView>,
    /// Number of spectators.
    pub watchers: u32,
    /// Revision of the seats: a newer one makes the page reload.
    pub seats_revision: u32,
    /// Commitment to the dice in hexadecimal digits, if there is one.
    pub commitment: Option<String>,
    /// Whether the game is over, regardless of the ply shown.
    pub is_over: bool,
    /// What the viewer can take back, as the button's caption.
    pub takeback: Option<LocalizedMessage>,
    /// Whether the viewer has a seat and may resign.
    pub may_resign: bool,
    /// Whether the viewer had a seat and may request a rematch.
    pub may_rematch: bool,
    /// Whether the viewer has a seat, and other people or programs play, too.
    pub has_others: bool,
    /// Whether people play against each other and all of them get hints.
    pub hints_for_all: bool,
    /// Whether the game is over and can be reviewed.
    pub may_review: bool,
    /// Whether positions of the game can be opened on the analysis board.
    pub has_analysis_board: bool,
    /// Seat management and rematches.
    pub seats_panel: SeatsPanelView,
    /// What the viewer is offered after the game.
    pub next_steps: Option<NextStepsView>,
}

/// The result of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultView {
    /// The winners; several for a tie, none for a draw.
    pub winners: Vec<u8>,
    /// Number of plies on the mainline.
    pub plies: u32,
    /// Number of takebacks.
    pub takebacks: u32,
    /// The viewer's result, if the viewer has exactly one seat.
    pub own_result: Option<PlayerResult>,
    /// Who won.
    pub verdict: LocalizedMessage,
    /// The viewer's placement as a sentence, if it makes a better heading than the winner.
    pub placement: Option<LocalizedMessage>,
    /// Why the game is over.
    pub reason: LocalizedMessage,
}

impl ResultView {
    /// The title of the page.
    pub(super) fn heading(&self) -> &LocalizedMessage {
        self.placement.as_ref().unwrap_or(&self.verdict)
    }
}

/// The result of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayerResult {
    /// The only winner.
    Won,
    /// One of several winners, or a draw.
    Tied,
    /// Another player won.
    Lost,
}

impl PlayerResult {
    /// The class of the page's content.
    pub(super) const fn class(self) -> &'static str {
        match self {
            PlayerResult::Won => "won",
            PlayerResult::Tied => "tied",
            PlayerResult::Lost => "lost",
        }
    }
}

/// Renders the page of a game.
#[must_use]
pub fn game_page(site: &SiteContext<'_>, text: &Translations, view: &GameView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let refresh = view
        .refresh_s
        .map_or(Refresh::Never, Refresh::WithoutScripts);
    page_with_card(
        site,
        text,
        &title(text, view, &names),
        &refresh,
        Some(&link_preview(text, view, &names)),
        main_section(site, text, view, &names),
    )
}

fn link_preview(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> SocialCard {
    let player_names = view.players.iter().map(|player| names.name(player.number));
    let who = text.join_with_commas(player_names.map(Into::into));
    let game = text.get(view.game.title);
    let values = [("who", who.as_str().into()), ("game", (&*game).into())];
    let description = match &view.result {
        Some(result) => {
            let verdict = result.verdict.render(text, names);
            text.get_with("card-link-over", &[("verdict", verdict.into())])
        }
        None => {
            let turn = view.turn.render(text, names);
            text.get_with("card-link-live", &[("turn", turn.into())])
        }
    };
    SocialCard {
        title: text.get_with("card-link", &values).into_owned(),
        description: description.into_owned(),
        path: Some(format!("/g/{}", view.id)),
        picture: format!("/g/{}/board.png", view.id),
    }
}

/// The part that a script swaps in: the title and `<main>`.
#[must_use]
pub fn game_fragment(site: &SiteContext<'_>, text: &Translations, view: &GameView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    html! { title { (title(text, view, &names)) } (main_section(site, text, view, &names)) }
}

fn title(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> String {
    let what = match finished(view) {
        Some(result) => result.heading().render(text, names),
        None => headline(text, view, names),
    };
    let what = match (&view.seats_panel.lobby, departures(view).next()) {
        (Some(lobby), _) => format!("{what} {}", lobby::count(text, lobby)),
        (None, Some(event)) => format!("{} {what}", departure(text, view, event, names)),
        (None, None) => match seats::rematch_news(text, view) {
            Some(news) => format!("{news} {what}"),
            None => what,
        },
    };
    format!("{what} · {}", text.get(view.game.title))
}

fn finished(view: &GameView) -> Option<&ResultView> {
    view.result.as_ref().filter(|_| view.prompt == Prompt::Over)
}

fn main_section(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    html! {
        main #main data-game=(view.id) data-ply=(view.ply) data-seats=(view.seats_revision) data-watchers=(view.watchers)
            data-said=[view.phrases.as_ref().and_then(|phrases| phrases.said.first()).map(|said| said.at_ms)] data-mine=(reader_seats(view)) data-refresh[view.refresh_s.is_some()] data-past[view.prompt == Prompt::Replay]
            data-yours[matches!(view.prompt, Prompt::Move(_))] data-shared[view.has_others] data-ahead=[queue_position(view)] data-reconnecting=(text.get("reconnecting")) data-news=[news(text, view, names)]
            data-event=[view.replay.as_ref().and_then(|replay| replay.event.as_deref())] {
            (notice(text, view.notice.as_ref(), names))
            (departure_notices(text, view, names))
            @match (finished(view), &view.seats_panel.lobby) {
                (_, Some(waiting)) => { (lobby::lobby(site, text, view, waiting, names)) }
                (Some(result), None) => {
                    (stylesheet_link(site, "game-over.css"))
                    (game_over::result_section(site, text, view, result, names))
                }
                (None, None) => {
                    @if view.replay.is_some() || record_ends(view) { (stylesheet_link(site, "replay.css")) }
                    @if let Some(HintPanel::Pending | HintPanel::Ready(_)) = view.hint { (stylesheet_link(site, "hint.css")) }
                    (table_top(site, text, view, names))
                }
            }
        }
    }
}

/// What is announced once: who joined or left, or that there is a rematch.
fn news(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> Option<String> {
    let departed = departures(view).next();
    let departed = departed.map(|event| departure(text, view, event, names));
    let news = departed.or_else(|| lobby::news(text, view, names));
    news.or_else(|| seats::rematch_news(text, view).map(Cow::into_owned))
}

/// Length of the compute queue before the awaited turn; a script keeps it current.
fn queue_position(view: &GameView) -> Option<u32> {
    match (&view.prompt, &view.hint) {
        // The script reloads the page until the hint is ready.
        (_, Some(HintPanel::Pending)) => Some(0),
        (Prompt::Thinking { ahead, .. }, _) => Some(*ahead).filter(|ahead| *ahead > 0),
        _ => None,
    }
}

fn table_top(
    site: &SiteContext<'_>,
    text: &Translations,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let display = &site.display;
    let table = TableContext {
        text,
        display,
        names,
        id: &view.id,
        ply: view.ply,
    };
    let render =
        |part: &Option<Arc<dyn TableComponent>>| part.as_ref().map(|part| part.draw(&table));
    html! {
        div.game.falling[view.board.layout() == BoardLayout::Upright].replay[view.replay.is_some()] {
            div.stage {
                (prompt(text, display, view, names))
                (view.board.interactive(text, display, view.mover, names))
                div.actions {
                    @if let Some(corner) = render(&view.primary_action) { (corner) }
                    @if let Some(clock) = &view.clock { (clock::clock(site, text, clock)) }
                    @if view.replay.is_some() || record_ends(view) { (replay::play_on_form(text, view)) }
                    @else { (assistance_buttons(&table, view)) }
                }
            }
            div.under {
                (seats::waiting(text, view, names))
                @if let Some(strip) = render(&view.strip) { (strip) }
                @if let Some(buttons) = render(&view.buttons) { (buttons) }
                @if let Some(replay) = &view.replay { (replay::replay_controls(text, display, view, replay, names)) }
            }
            div.rail {
                (players(text, display, view, names))
                @if let Some(origin) = &view.origin { p.sub.origin { (replay::origin(text, &view.id, origin)) } }
                (phrases::panel(site, text, view, names))
                @match &view.hint {
                    Some(panel @ (HintPanel::Pending | HintPanel::Ready(_))) => { (hint::panel(&table, panel)) }
                    Some(HintPanel::Offered(_)) | None => { (log(text, view, names)) }
                }
                @if view.hints_for_all && view.replay.is_none() { p.sub { (text.get("hint-for-all")) } }
                (switches(text, display, view))
                details.more #more open[view.replay.is_some() || record_ends(view)] {
                    summary { (text.get("more")) }
                    div {
                        @if let (Some(replay), Some(reach)) = (&view.replay, &view.share) { (share::share(text, view, &replay.bands, reach)) }
                        @if view.replay.is_some() || record_ends(view) { (replay::seat_choices(text, view)) }
                        (links(text, view))
                        (view.board.as_table(text, display, names))
                        (seats::own_seats(text, view, names))
                        (seats::unmoved_seats(text, view, names))
                        (seats::lost_seat_help(text, view))
                        @if view.may_resign { (seats::resign(text, view)) }
                    }
                }
            }
        }
    }
}

fn links(text: &Translations, view: &GameView) -> Markup {
    html! {
        p.links {
            a href={ (text.path("/g/")) (view.id) "/log" } { (text.get("log-all")) }
            a href={ (text.path("/g/")) (view.id) "/record.json" } download={ (view.id) ".json" } { (text.get("record")) }
            a href={ (text.path("/g/")) (view.id) "/board.svg" @if view.replay.is_some() { "?ply=" (view.ply) } } { (text.get("picture")) }
            @if view.may_review || is_uploaded(view) || view.prompt == Prompt::Replay && !reader_seats(view).is_empty() { (analysis_link(text, view, view.ply)) }
            @if is_uploaded(view) { a href={ (text.path("/g/")) (view.id) "/0#play" } { (text.get("replay-watch")) } }
            (dice_audit::dice_link(text, &view.id, view.commitment.as_deref(), view.is_over))
            button.keys hidden { (text.get("keys")) }
        }
    }
}

/// Whether the game is an uploaded record.
fn is_uploaded(view: &GameView) -> bool {
    matches!(view.origin, Some(OriginView::Uploaded { .. }))
}

/// Whether an uploaded record ends here, before the game is over.
fn record_ends(view: &GameView) -> bool {
    matches!(view.prompt, Prompt::Ends { .. })
}

pub(super) fn analysis_link(text: &Translations, view: &GameView, ply: u32) -> Markup {
    html! {
        @if view.has_analysis_board {
            a href={ (text.path("/analysis?game=")) (view.id) "&ply=" (ply) } { (text.get("analysis-ask")) }
        }
    }
}

/// Assistance next to the primary action: a hint, and a takeback.
fn assistance_buttons(table: &TableContext<'_>, view: &GameView) -> Markup {
    html! {
        div.aids {
            @if let Some(panel) = &view.hint { (hint::request_button(table, panel)) }
            @if let Some(what) = &view.takeback { (take_back(table, view, what)) }
        }
    }
}

/// The takeback button: a short caption, and what would be taken back as its accessible name.
fn take_back(table: &TableContext<'_>, view: &GameView, what: &LocalizedMessage) -> Markup {
    let key = view.board.command_key('u');
    let what = table.sentence(what);
    html! {
        form.takeback method="post" action={ (table.text.path("/g/")) (view.id) "/undo" } data-key=(key) {
            input type="hidden" name="ply" value=(view.newest);
            button.btn #undo {
                svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M9 6l-5 5 5 5M4 11h10a5 5 0 0 1 0 10h-2" {} }
                span aria-hidden="true" { (table.text.get("take-back-button")) } span.vh { (what) } kbd.scripted aria-hidden="true" { (key_name(&key)) }
            }
        }
    }
}
