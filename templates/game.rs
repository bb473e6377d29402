//! The page of a game: the live board, an earlier ply, and the end.

use maud::{Markup, html};

use super::board::{board, picture, table};
use super::log::log;
use super::page::{Refresh, Site, page, titled};
use super::players::{Cast, players, token};
use super::prompt::{actions, attacks, drops, headline, notice, prompt};
use super::roll::{no_roll, roll};
use super::seats;
use super::text::Text;
use super::view::{Board, EndReason, GameView, Holdings, Look, Prompt, ResultView, Variant};

/// The whole page of a game.
#[must_use]
pub fn game_page(site: &Site<'_>, text: &Text, view: &GameView) -> Markup {
    let cast = Cast::new(text, &view.players);
    let refresh = view
        .refresh_s
        .map_or(Refresh::Never, Refresh::WithoutScripts);
    page(
        site,
        text,
        &title(text, view, &cast),
        &refresh,
        main(text, &site.look, view, &cast),
    )
}

/// The part that the script swaps: the title and `<main>`.
#[must_use]
pub fn game_fragment(site: &Site<'_>, text: &Text, view: &GameView) -> Markup {
    let cast = Cast::new(text, &view.players);
    html! { title { (title(text, view, &cast)) } (main(text, &site.look, view, &cast)) }
}

fn title(text: &Text, view: &GameView, cast: &Cast<'_>) -> String {
    let what = match finished(view) {
        Some(result) => verdict(text, view, result, cast),
        None => headline(text, view, cast),
    };
    match view.variant {
        Variant::Dice { .. } => titled(text, &what),
        Variant::Trilobite { .. } => format!("{what} · {}", text.say("trilobite")),
    }
}

fn finished(view: &GameView) -> Option<&ResultView> {
    view.result.as_ref().filter(|_| view.prompt == Prompt::Over)
}

fn main(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Markup {
    html! {
        main #main data-game=(view.id) data-ply=(view.ply) data-seats=(view.seats) data-watchers=(view.watchers)
            data-refresh[view.refresh_s.is_some()] data-past[view.prompt == Prompt::Replay]
            data-yours[is_asked(&view.prompt)] data-ahead=[ahead(&view.prompt)] data-reconnecting=(text.say("reconnecting")) {
            (notice(text, view.notice.as_ref()))
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

/// Whether the reader is to move.
fn is_asked(prompt: &Prompt) -> bool {
    match prompt {
        Prompt::ChooseSource
        | Prompt::ChooseTarget { .. }
        | Prompt::Confirm { .. }
        | Prompt::ChooseColumn
        | Prompt::ConfirmColumn { .. }
        | Prompt::OnlyEndTurn => true,
        Prompt::Thinking { .. }
        | Prompt::Waiting { .. }
        | Prompt::Watching { .. }
        | Prompt::Open { .. }
        | Prompt::Replay
        | Prompt::Over => false,
    }
}

fn table_top(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Markup {
    html! {
        div.game.falling[matches!(view.board, Board::Columns(_))] {
            div.stage {
                (prompt(text, look, view, cast))
                (board(text, look, &view.board, view.mover, cast))
                (actions(text, look, view))
                // It is shown while plies are played one after another, at the place of the buttons.
                button.btn.now hidden { (text.say("skip-now")) " " kbd aria-hidden="true" { "n" } }
            }
            div.under {
                (seats::waiting(text, view, cast))
                @if let Some(view) = &view.roll { (roll(text, view, cast)) }
                @else if matches!(view.variant, Variant::Dice { .. }) { (no_roll()) }
                (attacks(text, look, view))
                (drops(text, view))
            }
            div.rail {
                (players(text, view, cast))
                (log(text, view, cast))
                div.more {
                    (table(text, &view.board, cast))
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
    html! {
        div.over {
            section class={ "win" @if let Some(player) = first { " p" (player % 6) } } {
                (picture(text, look, &view.board, &text.say("board-over")))
                div.res {
                    p.whose { @for player in &result.winners { (token(*player)) } (text.say_with("over-tag", &[("plies", result.plies.into())])) }
                    h1 { (verdict(text, view, result, cast)) }
                    p.lead { @if let Some(you) = your_place(text, result) { (you) " " } (reason(text, view, result, cast)) }
                    div.row {
                        (seats::rematch(text, view))
                        a.btn.main[!view.may_rematch && view.table.rematches.is_empty()] href="/" { (text.say("new-game")) }
                    }
                    p.links {
                        a href={ "/g/" (view.id) "/0" } { (text.say("replay-watch")) }
                        a href={ "/g/" (view.id) "/log" } { (text.say("log-all")) }
                        a href={ "/g/" (view.id) "/record.json" } download={ (view.id) ".json" } { (text.say("record-download")) }
                        a href={ "/g/" (view.id) "/board.svg" } { (text.say("picture")) }
                    }
                }
            }
            div.after {
                (players(text, view, cast))
                (log(text, view, cast))
            }
            div.more { (table(text, &view.board, cast)) }
        }
    }
}

/// Who won, in one sentence.
fn verdict(text: &Text, view: &GameView, result: &ResultView, cast: &Cast<'_>) -> String {
    let hexes = result.hexes.unwrap_or(0).into();
    match (&result.winners[..], &view.variant) {
        ([winner], variant) => {
            let who = ("who", cast.name(*winner).into());
            let person = ("person", cast.person(*winner));
            match (variant, result.reason) {
                (Variant::Trilobite { win, .. }, EndReason::Line { .. }) => text.say_with(
                    "over-line",
                    &[
                        who,
                        person,
                        ("win", (*win).into()),
                        ("chips", result.plies.into()),
                    ],
                ),
                (Variant::Trilobite { .. }, _) => text.say_with("over-won", &[who, person]),
                (Variant::Dice { .. }, _) => {
                    text.say_with("over-one", &[who, person, ("hexes", hexes)])
                }
            }
        }
        ([], _) if result.reason == EndReason::Full => text.say("over-full"),
        ([], _) => text.say("over-draw"),
        (winners, _) => {
            let names: Vec<_> = winners.iter().map(|winner| cast.name(*winner)).collect();
            let names = match &names[..] {
                [others @ .., last] if !others.is_empty() => {
                    format!("{} {} {last}", others.join(", "), text.say("list-and"))
                }
                _ => names.join(", "),
            };
            text.say_with(
                "over-tie",
                &[("who", names.as_str().into()), ("hexes", hexes)],
            )
        }
    }
    .into_owned()
}

fn your_place(text: &Text, result: &ResultView) -> Option<String> {
    let you = result.you.filter(|you| you.place > 1)?;
    let hexes = you.hexes?;
    if hexes == 0 {
        return Some(text.say("over-you-none").into_owned());
    }
    Some(
        text.say_with(
            "over-you",
            &[("place", you.place.into()), ("hexes", hexes.into())],
        )
        .into_owned(),
    )
}

fn has_nothing(view: &GameView, player: u8) -> bool {
    let player = view.players.iter().find(|one| one.number == player);
    player.is_some_and(|one| matches!(one.holdings, Holdings::Dice { hexes: 0, .. }))
}

/// Why the game is over, in one sentence.
fn reason(text: &Text, view: &GameView, result: &ResultView, cast: &Cast<'_>) -> String {
    let told = |key, player| {
        let values = [
            ("who", cast.name(player).into()),
            ("person", cast.person(player)),
        ];
        text.say_with(key, &values)
    };
    let counted = matches!(view.variant, Variant::Dice { .. });
    match result.reason {
        EndReason::Stuck { player } if has_nothing(view, player) => told("over-lost", player),
        EndReason::Stuck { player } => told("over-stuck", player),
        EndReason::Line { player } => told("over-line-reason", player),
        EndReason::Full => text.say("over-full-reason"),
        EndReason::Conquered => text.say("over-conquered"),
        EndReason::Quiet => text.say("over-quiet"),
        EndReason::Resigned if counted => text.say("over-resigned"),
        EndReason::Resigned => text.say("over-resigned-chips"),
        EndReason::Limit if counted => text.say("over-limit"),
        EndReason::Limit => text.say("over-limit-chips"),
    }
    .into_owned()
}
