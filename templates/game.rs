//! The page of a game: the live board, a ply of the past, and the end.

use maud::{Markup, html};

use super::board::{board, picture, table};
use super::log::log;
use super::page::{Refresh, Site, page, titled};
use super::players::{Cast, players, token};
use super::prompt::{actions, attacks, headline, notice, prompt};
use super::roll::roll;
use super::text::Text;
use super::view::{EndReason, GameView, Prompt, ResultView};

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
        main(text, view, &cast),
    )
}

/// The part that the script swaps: the title and `<main>`.
#[must_use]
pub fn game_fragment(_site: &Site<'_>, text: &Text, view: &GameView) -> Markup {
    let cast = Cast::new(text, &view.players);
    html! { title { (title(text, view, &cast)) } (main(text, view, &cast)) }
}

fn title(text: &Text, view: &GameView, cast: &Cast<'_>) -> String {
    let what = match finished(view) {
        Some(result) => verdict(text, result, cast),
        None => headline(text, view, cast),
    };
    titled(text, &what)
}

fn finished(view: &GameView) -> Option<&ResultView> {
    view.result.as_ref().filter(|_| view.prompt == Prompt::Over)
}

fn main(text: &Text, view: &GameView, cast: &Cast<'_>) -> Markup {
    html! {
        main #main data-game=(view.id) data-ply=(view.ply) data-refresh[view.refresh_s.is_some()] {
            (notice(text, view.notice.as_ref()))
            @match finished(view) {
                Some(result) => { (over(text, view, result, cast)) }
                None => { (table_top(text, view, cast)) }
            }
        }
    }
}

fn table_top(text: &Text, view: &GameView, cast: &Cast<'_>) -> Markup {
    html! {
        div.game {
            div.stage {
                (prompt(text, view, cast))
                div class={ "bd s" (view.board.side) } { (board(text, &view.board, cast)) }
                (actions(text, view))
            }
            div.under {
                (attacks(text, view))
                @if let Some(view) = &view.roll { (roll(text, view, cast)) }
            }
            div.rail {
                (players(text, view, cast))
                (log(text, view, cast))
                div.more {
                    (table(text, &view.board, cast))
                    (links(text, view))
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
        }
    }
}

/// Unfolding it is the question, the button the answer: no script needed.
fn resign(text: &Text, view: &GameView) -> Markup {
    html! {
        details.resign {
            summary { (text.say("resign")) }
            form method="post" action={ "/g/" (view.id) "/resign" } {
                input type="hidden" name="ply" value=(view.newest);
                button.btn { (text.say("resign-sure")) }
            }
        }
    }
}

fn over(text: &Text, view: &GameView, result: &ResultView, cast: &Cast<'_>) -> Markup {
    let first = result.winners.first().copied();
    html! {
        div.over {
            section class={ "win" @if let Some(player) = first { " p" (player % 6) } } {
                div.bd { (picture(&view.board, &text.say("board-over"))) }
                div.res {
                    p.whose { @for player in &result.winners { (token(*player)) } (text.say_with("over-tag", &[("plies", result.plies.into())])) }
                    h1 { (verdict(text, result, cast)) }
                    p.lead { @if let Some(you) = your_place(text, result) { (you) " " } (reason(text, result, cast)) }
                    div.row {
                        @if view.may_rematch {
                            form method="post" action={ "/g/" (view.id) "/rematch" } { button.btn.main { (text.say("rematch")) } }
                        }
                        a.btn.main[!view.may_rematch] href="/" { (text.say("new-game")) }
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
pub(super) fn verdict(text: &Text, result: &ResultView, cast: &Cast<'_>) -> String {
    match result.winners[..] {
        [winner] => {
            let values = [
                ("who", cast.name(winner).into()),
                ("person", cast.person(winner)),
                ("hexes", result.hexes.into()),
            ];
            text.say_with("over-one", &values).into_owned()
        }
        _ => {
            let names: Vec<_> = result
                .winners
                .iter()
                .map(|winner| cast.name(*winner))
                .collect();
            let names = match &names[..] {
                [others @ .., last] if !others.is_empty() => {
                    format!("{} {} {last}", others.join(", "), text.say("list-and"))
                }
                _ => names.join(", "),
            };
            text.say_with(
                "over-tie",
                &[
                    ("who", names.as_str().into()),
                    ("hexes", result.hexes.into()),
                ],
            )
            .into_owned()
        }
    }
}

fn your_place(text: &Text, result: &ResultView) -> Option<String> {
    let (place, hexes) = result.you.filter(|(place, _)| *place > 1)?;
    if hexes == 0 {
        return Some(text.say("over-you-none").into_owned());
    }
    Some(
        text.say_with(
            "over-you",
            &[("place", place.into()), ("hexes", hexes.into())],
        )
        .into_owned(),
    )
}

fn reason(text: &Text, result: &ResultView, cast: &Cast<'_>) -> String {
    match result.reason {
        EndReason::Stuck { player } => text
            .say_with(
                "over-stuck",
                &[
                    ("who", cast.name(player).into()),
                    ("person", cast.person(player)),
                ],
            )
            .into_owned(),
        EndReason::Conquered => text.say("over-conquered").into_owned(),
        EndReason::Quiet => text.say("over-quiet").into_owned(),
        EndReason::Resigned => text.say("over-resigned").into_owned(),
        EndReason::Limit => text.say("over-limit").into_owned(),
    }
}
