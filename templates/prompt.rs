//! The prompt: whose turn it is and what to do.

use maud::{Markup, html};

use super::hexes::chosen;
use super::page::percent;
use super::players::{Cast, token, turn};
use super::seats;
use super::text::{Text, letters};
use super::view::{Board, GameView, Look, Notice, Prompt, Variant, Who};

/// The contents of the prompt.
struct Words {
    whose: Option<u8>,
    tag: String,
    headline: String,
    sub: String,
    way: Way,
}

/// The link that a prompt offers, on or back.
enum Way {
    None,
    Back(String, &'static str),
    Again,
    Newest,
}

/// The prompt in the board's upper left corner.
pub(super) fn prompt(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Markup {
    let words = words(text, look, view, cast);
    html! {
        div class={ "prompt" @if let Some(player) = words.whose { " p" (player % 6) } } {
            p.whose { @if let Some(player) = words.whose { (token(player)) } (words.tag) }
            h1 { (words.headline) }
            @if !words.sub.is_empty() { p.sub { (words.sub) } }
            @match words.way {
                Way::None => {}
                Way::Back(href, key) => { p.sub.way { a data-back href=(href) { (text.say(key)) } " " kbd aria-hidden="true" { "Esc" } } }
                Way::Again => { p.sub.way { a href={ "/g/" (view.id) } { (text.say("look-again")) } } }
                Way::Newest => { p.sub.way { a href={ "/g/" (view.id) } { (text.say(if view.result.is_some() { "replay-end" } else { "replay-back" })) } } }
            }
        }
    }
}

/// The headline alone, for the page's title.
pub(super) fn headline(text: &Text, view: &GameView, cast: &Cast<'_>) -> String {
    match view.prompt {
        Prompt::ChooseSource
        | Prompt::ChooseTarget { .. }
        | Prompt::Confirm { .. }
        | Prompt::ChooseColumn
        | Prompt::ConfirmColumn { .. }
        | Prompt::OnlyEndTurn => whose(text, view, cast),
        _ => words(text, &Look::default(), view, cast).headline,
    }
}

fn words(text: &Text, look: &Look, view: &GameView, cast: &Cast<'_>) -> Words {
    let say = |key: &str| text.say(key).into_owned();
    let who = |key: &str, player: u8| {
        text.say_with(key, &[("who", cast.name(player).into())])
            .into_owned()
    };
    let own = |headline, sub, way| Words {
        whose: view.mover,
        tag: whose(text, view, cast),
        headline,
        sub,
        way,
    };
    let theirs = |player: u8, headline: &str, sub: &str| Words {
        whose: Some(player),
        tag: turn(text, view).into_owned(),
        headline: who(headline, player),
        sub: say(sub),
        way: Way::Again,
    };
    match &view.prompt {
        Prompt::ChooseSource => own(say("choose-source"), say("choose-source-sub"), Way::None),
        Prompt::ChooseTarget {
            dice,
            targets,
            back,
            ..
        } => own(
            say("choose-target"),
            text.say_with(
                "choose-target-sub",
                &[("dice", (*dice).into()), ("targets", (*targets).into())],
            )
            .into_owned(),
            Way::Back(back.clone(), "put-back"),
        ),
        Prompt::Confirm {
            from,
            to,
            odds,
            back,
        } => {
            let dice = |hex: u8| match &view.board {
                Board::Dice(board) => board.hexes.get(usize::from(hex)).map_or(0, |hex| hex.dice),
                Board::Columns(_) => 0,
            };
            let against = [("attack", dice(*from).into()), ("defend", dice(*to).into())];
            let sub = match odds {
                Some(_) if !look.settings.odds => text.say_with("confirm-plain", &against),
                Some(odds) => text.say_with(
                    "confirm-odds",
                    &[against[0], against[1], ("odds", percent(*odds).into())],
                ),
                None => text.say_with("confirm-sure", &against),
            };
            own(
                text.say_with("confirm", &[("from", (*from).into()), ("to", (*to).into())])
                    .into_owned(),
                sub.into_owned(),
                Way::Back(back.clone(), "other-target"),
            )
        }
        Prompt::ChooseColumn => own(
            say("choose-column"),
            match view.variant {
                Variant::Trilobite { win, .. } => text
                    .say_with("choose-column-sub", &[("win", win.into())])
                    .into_owned(),
                Variant::Dice { .. } => String::new(),
            },
            Way::None,
        ),
        Prompt::ConfirmColumn { column, back } => own(
            text.say_with(
                "confirm-column",
                &[("column", letters(*column).as_str().into())],
            )
            .into_owned(),
            say("confirm-column-sub"),
            Way::Back(back.clone(), "other-column"),
        ),
        Prompt::OnlyEndTurn => own(say("only-end"), say("only-end-sub"), Way::None),
        Prompt::Thinking { player, ahead } => {
            let thinking = theirs(*player, "thinking", "thinking-sub");
            match ahead {
                0 => thinking,
                ahead => Words {
                    headline: who("thinking-soon", *player),
                    sub: text
                        .say_with("thinking-ahead", &[("n", (*ahead).into())])
                        .into_owned(),
                    ..thinking
                },
            }
        }
        Prompt::Waiting { player } => theirs(*player, "waiting", "waiting-sub"),
        Prompt::Open { player } => Words {
            headline: text
                .say_with("opened", &[("who", cast.colour(*player).into())])
                .into_owned(),
            ..theirs(*player, "waiting", "opened-sub")
        },
        Prompt::Watching { player } => {
            let watching = Words {
                tag: say("watching-tag"),
                ..theirs(*player, "watching", "watching-sub")
            };
            // Perhaps somebody was sent this address instead of the link to a seat.
            match view.players.iter().find(|one| one.who == Who::Open) {
                Some(free) => Words {
                    sub: who("watching-open-sub", free.number),
                    ..watching
                },
                None => watching,
            }
        }
        Prompt::Replay | Prompt::Over => Words {
            whose: view.mover,
            tag: turn(text, view).into_owned(),
            headline: text
                .say_with(
                    "replay",
                    &[("ply", view.ply.into()), ("newest", view.newest.into())],
                )
                .into_owned(),
            sub: say("replay-sub"),
            way: Way::Newest,
        },
    }
}

fn whose(text: &Text, view: &GameView, cast: &Cast<'_>) -> String {
    match view.mover {
        // With several people at one screen "your turn" would not say whose.
        Some(player) if cast.name(player) != text.say("you") => text
            .say_with("their-turn", &[("who", cast.name(player).into())])
            .into_owned(),
        _ => text.say("your-turn").into_owned(),
    }
}

/// The corner with the buttons: attack, end turn.
pub(super) fn actions(text: &Text, look: &Look, view: &GameView) -> Markup {
    let moves = format!("/g/{}/moves", view.id);
    html! {
        @if let Prompt::Confirm { from, to, odds, .. } = &view.prompt {
            div.acts {
                form method="post" action=(moves) {
                    input type="hidden" name="ply" value=(view.ply);
                    input type="hidden" name="from" value=(from);
                    input type="hidden" name="to" value=(to);
                    button.btn.main autofocus {
                        span { (text.say("attack")) }
                        @if let Some(odds) = look.odds(*odds) { span.pill { (percent(odds)) " %" } }
                    }
                }
            }
        } @else if let Prompt::ConfirmColumn { column, .. } = view.prompt {
            div.acts { (drop(text, view, column, true)) }
        } @else if let Some(pass) = view.pass {
            div.acts {
                form method="post" action=(moves) data-key="e" {
                    input type="hidden" name="ply" value=(view.ply);
                    input type="hidden" name="pass" value="1";
                    button.btn.main {
                        span { (text.say("end-turn")) }
                        span.pill { (text.say_with("end-turn-dice", &[("dice", pass.dice.into())])) }
                    }
                }
                p.why {
                    @match pass.cluster {
                        Some(cluster) => { (text.say_with("end-turn-cluster", &[("cluster", cluster.into())])) }
                        None => { (text.say("end-turn-captured")) }
                    }
                }
            }
        }
    }
}

/// One button for each target of the chosen source.
pub(super) fn attacks(text: &Text, look: &Look, view: &GameView) -> Markup {
    let from = match &view.board {
        Board::Dice(board) => chosen(board).and_then(|hex| u8::try_from(hex).ok()),
        Board::Columns(_) => None,
    };
    let title = text.say_with(
        "attack-buttons",
        &[(
            "from",
            from.or(view.attacks.first().map(|attack| attack.from))
                .unwrap_or(0)
                .into(),
        )],
    );
    html! {
        @if !view.attacks.is_empty() && !matches!(view.prompt, Prompt::Confirm { .. }) {
            section.attacks aria-label=(title) {
                h2 { (title) }
                @for attack in &view.attacks {
                    @let path = [("from", attack.from.into()), ("to", attack.to.into())];
                    form method="post" action={ "/g/" (view.id) "/moves" } {
                        input type="hidden" name="ply" value=(view.ply);
                        input type="hidden" name="from" value=(attack.from);
                        input type="hidden" name="to" value=(attack.to);
                        button.btn {
                            @match look.odds(attack.odds) {
                                Some(odds) => { (text.say_with("attack-button-odds", &[path[0], path[1], ("odds", percent(odds).into())])) }
                                None => { (text.say_with("attack-button", &path)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One button for each column that is open.
pub(super) fn drops(text: &Text, view: &GameView) -> Markup {
    let title = text.say("drop-buttons");
    html! {
        @if !view.drops.is_empty() && !matches!(view.prompt, Prompt::ConfirmColumn { .. }) {
            section.attacks.drops aria-label=(title) {
                h2 { (title) }
                @for column in &view.drops { (drop(text, view, *column, false)) }
            }
        }
    }
}

/// The form that drops a chip; its key is the column's letter.
fn drop(text: &Text, view: &GameView, column: u8, main: bool) -> Markup {
    let letter = letters(column);
    let label = text.say_with("drop", &[("column", letter.as_str().into())]);
    html! {
        form method="post" action={ "/g/" (view.id) "/moves" } data-key=(letter) {
            input type="hidden" name="ply" value=(view.ply);
            input type="hidden" name="column" value=(letter);
            button.btn.main[main] autofocus[main] { (label) }
        }
    }
}

/// The sentence above the board.
pub(super) fn notice(text: &Text, notice: Option<&Notice>) -> Markup {
    let hex = |key, hex: u8| text.say_with(key, &[("hex", hex.into())]).into_owned();
    let sentence = notice.map(|notice| match *notice {
        Notice::StalePly => text.say("notice-stale").into_owned(),
        Notice::NotYourTurn => text.say("notice-not-your-turn").into_owned(),
        Notice::NotYourSeat => text.say("notice-not-your-seat").into_owned(),
        Notice::GameOver => text.say("notice-over").into_owned(),
        Notice::NotYourHex { hex: at } => hex("notice-not-your-hex", at),
        Notice::OneDie { hex: at } => hex("notice-one-die", at),
        Notice::NotNeighbours { from, to } => text
            .say_with(
                "notice-not-neighbours",
                &[("from", from.into()), ("to", to.into())],
            )
            .into_owned(),
        Notice::OwnTarget { to } => text
            .say_with("notice-own-target", &[("to", to.into())])
            .into_owned(),
        Notice::TooFewDice { from, to } => text
            .say_with(
                "notice-too-few",
                &[("from", from.into()), ("to", to.into())],
            )
            .into_owned(),
        Notice::NothingToPass => text.say("notice-nothing-to-pass").into_owned(),
        Notice::NoSuchHex => text.say("notice-no-such-hex").into_owned(),
        Notice::ColumnFull { column } => text
            .say_with(
                "notice-column-full",
                &[("column", letters(column).as_str().into())],
            )
            .into_owned(),
        Notice::NoSuchColumn => text.say("notice-no-such-column").into_owned(),
        Notice::NoTarget { hex: at } => hex("notice-no-target", at),
        Notice::Seat(notice) => seats::notice(text, notice),
    });
    html! { @if let Some(sentence) = sentence { p.notice role="alert" { (sentence) } } }
}
