//! The prompt: whose turn it is and what to do.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::playback::tempo;
use super::players::{OccupantView, PlayerNames, token};
use super::preferences::DisplayOptions;
use super::seats::{self, SeatNotice};

/// What the page asks for, or what it waits for.
#[derive(Clone, PartialEq, Debug)]
pub enum Prompt {
    /// The reader is to move.
    Move(MovePrompt),
    /// A computer thinks.
    Thinking {
        /// Whose turn it is.
        player: u8,
        /// Turns of other games that come before it.
        ahead: u32,
    },
    /// A ply is shown that was played a moment ago; this player was awaited after it.
    Passing {
        /// Whose turn it was.
        player: u8,
    },
    /// Another person is to move.
    Waiting {
        /// Whose turn it is.
        player: u8,
    },
    /// The reader watches: no seat of the reader is in this game.
    Watching {
        /// Whose turn it is.
        player: u8,
    },
    /// The seat of the player to move is open.
    Open {
        /// Whose seat.
        player: u8,
    },
    /// The record of the game was brought here and ends before the game: nobody moves on.
    Ends {
        /// Whose turn it would be.
        player: u8,
    },
    /// A page of the past.
    Replay,
    /// The game is over; [`GameView::result`] says how.
    Over,
}

/// What a game asks of the player to move.
#[derive(Clone, PartialEq, Debug)]
pub struct MovePrompt {
    /// The question.
    pub headline: LocalizedMessage,
    /// What it is about.
    pub sub: LocalizedMessage,
    /// What is said instead to readers who want to see no odds, where that differs.
    pub sub_without_odds: Option<LocalizedMessage>,
    /// The way back.
    pub back: Option<BackLink>,
}

/// The way back from a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackLink {
    /// The page with one choice less.
    pub href: String,
    /// Which sentence says so.
    pub key: &'static str,
}

/// A sentence above the board: something was refused, or cannot be shown.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// Another ply was played first; nothing was changed.
    StalePly,
    /// It is not the reader's turn.
    NotYourTurn,
    /// The reader has no seat here.
    NotYourSeat,
    /// The game is over.
    GameOver,
    /// The press came too soon after the reader's last ply to be meant.
    Twice,
    /// The game says why.
    Rules(LocalizedMessage),
    /// Something about a seat.
    Seat(SeatNotice),
    /// The browser keeps no cookie of this server.
    NoCookies,
    /// The browser has a seat here from before the page came over TLS, and can take it along.
    CarryOver {
        /// Public id of the game.
        game: String,
    },
}

/// The contents of the prompt.
struct PromptText {
    whose: Option<u8>,
    tag: String,
    headline: String,
    sub: String,
    way: PromptLink,
}

/// The link that a prompt offers, on or back.
enum PromptLink {
    None,
    Back(String, &'static str),
    Again,
    Newest,
}

/// The prompt in the board's upper left corner.
pub(super) fn prompt(
    text: &Translations,
    look: &DisplayOptions,
    view: &GameView,
    cast: &PlayerNames<'_>,
) -> Markup {
    let words = words(text, look, view, cast);
    html! {
        div class={ "prompt" @if let Some(player) = words.whose { " p" (player % 6) } } {
            p.whose { @if let Some(player) = words.whose { (token(player)) } (words.tag) }
            h1 { (words.headline) }
            @if !words.sub.is_empty() { p.sub { (words.sub) } }
            @match words.way {
                PromptLink::None => {}
                PromptLink::Back(href, key) => { p.sub.way { a data-back href=(href) { (text.say(key)) } " " kbd.scripted aria-hidden="true" { "Esc" } } }
                PromptLink::Again => { p.sub.way { a href={ "/g/" (view.id) } { (text.say("look-again")) } } }
                PromptLink::Newest => { p.sub.way { a href={ "/g/" (view.id) } { (text.say(if view.result.is_some() { "replay-end" } else { "replay-back" })) } } }
            }
            @if view.replay.is_none() && !matches!(view.prompt, Prompt::Ends { .. }) { (tempo(text, look, view)) }
        }
    }
}

/// The headline alone, for the page's title.
pub(super) fn headline(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> String {
    match view.prompt {
        Prompt::Move(_) => whose(text, view, cast),
        _ => words(text, &DisplayOptions::default(), view, cast).headline,
    }
}

fn words(
    text: &Translations,
    look: &DisplayOptions,
    view: &GameView,
    cast: &PlayerNames<'_>,
) -> PromptText {
    let say = |key: &str| text.say(key).into_owned();
    let who = |key: &str, player: u8| {
        text.say_with(key, &[("who", cast.name(player).into())])
            .into_owned()
    };
    let theirs = |player: u8, headline: &str, sub: &str| PromptText {
        whose: Some(player),
        tag: view.turn.told(text, cast),
        headline: who(headline, player),
        sub: say(sub),
        way: PromptLink::Again,
    };
    match &view.prompt {
        Prompt::Move(asked) => {
            let without_odds = asked.sub_without_odds.as_ref();
            let sub = without_odds.filter(|_| !look.settings.odds);
            PromptText {
                whose: view.mover,
                tag: whose(text, view, cast),
                headline: asked.headline.told(text, cast),
                sub: sub.unwrap_or(&asked.sub).told(text, cast),
                way: match &asked.back {
                    Some(back) => PromptLink::Back(back.href.clone(), back.key),
                    None => PromptLink::None,
                },
            }
        }
        Prompt::Thinking { player, ahead } => {
            let thinking = theirs(*player, "thinking", "thinking-sub");
            match ahead {
                0 => thinking,
                ahead => PromptText {
                    headline: who("thinking-soon", *player),
                    sub: text
                        .say_with("thinking-ahead", &[("n", (*ahead).into())])
                        .into_owned(),
                    ..thinking
                },
            }
        }
        Prompt::Passing { player } => {
            let whose = who("passing", *player);
            PromptText {
                whose: Some(*player),
                tag: whose.clone(),
                headline: whose,
                sub: String::new(),
                way: PromptLink::None,
            }
        }
        Prompt::Waiting { player } => theirs(*player, "waiting", "waiting-sub"),
        Prompt::Open { player } => PromptText {
            headline: text
                .say_with("opened", &[("who", cast.colour(*player).into())])
                .into_owned(),
            ..theirs(*player, "waiting", "opened-sub")
        },
        Prompt::Watching { player } => {
            let watching = PromptText {
                tag: say("watching-tag"),
                ..theirs(*player, "watching", "watching-sub")
            };
            // Perhaps somebody was sent this address instead of the link to a seat.
            match view
                .players
                .iter()
                .find(|one| one.who == OccupantView::Open)
            {
                Some(free) => PromptText {
                    sub: who("watching-open-sub", free.number),
                    ..watching
                },
                None => watching,
            }
        }
        Prompt::Ends { player } => PromptText {
            whose: Some(*player),
            tag: view.turn.told(text, cast),
            headline: say("upload-ends"),
            sub: say("upload-ends-sub"),
            way: PromptLink::None,
        },
        Prompt::Replay | Prompt::Over => PromptText {
            whose: view.mover,
            tag: view.turn.told(text, cast),
            headline: text
                .say_with(
                    "replay",
                    &[("ply", view.ply.into()), ("newest", view.newest.into())],
                )
                .into_owned(),
            sub: say("replay-sub"),
            way: PromptLink::Newest,
        },
    }
}

fn whose(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> String {
    match view.mover {
        // With several people at one screen "your turn" would not say whose.
        Some(player) if cast.name(player) != text.say("you") => text
            .say_with("their-turn", &[("who", cast.name(player).into())])
            .into_owned(),
        _ => text.say("your-turn").into_owned(),
    }
}

/// The sentence above the board.
pub(super) fn notice(
    text: &Translations,
    notice: Option<&Notice>,
    cast: &PlayerNames<'_>,
) -> Markup {
    let Some(notice) = notice else {
        return Markup::default();
    };
    let sentence = match notice {
        Notice::StalePly => text.say("notice-stale").into_owned(),
        Notice::NotYourTurn => text.say("notice-not-your-turn").into_owned(),
        Notice::NotYourSeat => text.say("notice-not-your-seat").into_owned(),
        Notice::Twice => text.say("notice-twice").into_owned(),
        Notice::GameOver => text.say("notice-over").into_owned(),
        Notice::Rules(said) => said.told(text, cast),
        Notice::Seat(notice) => seats::notice(text, *notice),
        Notice::NoCookies => text.say("notice-no-cookies").into_owned(),
        Notice::CarryOver { game } => return seats::carry_over(text, Some(game)),
    };
    html! { p.notice role="alert" { (sentence) } }
}
