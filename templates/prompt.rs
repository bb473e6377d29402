//! The prompt: whose turn it is and what to do.

use maud::{Markup, html};

use super::game::GameView;
use super::lobby;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::playback::playback_controls;
use super::players::{PlayerNames, player_badge};
use super::preferences::DisplayOptions;
use super::seats::{self, SeatNotice};

/// What the page asks the viewer to do, or what it is waiting for.
#[derive(Clone, PartialEq, Debug)]
pub enum Prompt {
    /// The viewer is to move.
    Move(MovePrompt),
    /// A computer player is thinking.
    Thinking {
        /// The player to move.
        player: u8,
        /// Length of the compute queue before this turn, in turns of other games.
        ahead: u32,
    },
    /// A recent ply is shown on the way to the newest one; this player was to move after it.
    Passing {
        /// The player who was to move.
        player: u8,
    },
    /// Another person is to move.
    Waiting {
        /// The player to move.
        player: u8,
    },
    /// The viewer is a spectator without a seat in this game.
    Watching {
        /// The player to move.
        player: u8,
    },
    /// The seat of the player to move is open.
    Open {
        /// The player to move.
        player: u8,
    },
    /// The game waits for players before its start.
    Lobby,
    /// An uploaded record that ends before the game is over: it cannot be continued here.
    Ends {
        /// The player who would be to move.
        player: u8,
    },
    /// A replay page of an earlier position.
    Replay,
    /// The game is over; [`GameView::result`] has the result.
    Over,
}

/// What the game asks the player to move to do.
#[derive(Clone, PartialEq, Debug)]
pub struct MovePrompt {
    /// The question.
    pub headline: LocalizedMessage,
    /// Further explanation.
    pub sub: LocalizedMessage,
    /// The explanation for viewers who hide the odds, if it differs.
    pub sub_without_odds: Option<LocalizedMessage>,
    /// Link that undoes part of the selection.
    pub back: Option<BackLink>,
}

/// A link to the same position with one selection less.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackLink {
    /// Address of the page.
    pub href: String,
    /// Message key of the link text.
    pub key: &'static str,
}

/// A message above the board: a request was rejected, or something cannot be shown.
#[derive(Clone, PartialEq, Hash, Debug)]
pub enum Notice {
    /// Another ply was played first; nothing was changed.
    StalePly,
    /// It is not the viewer's turn.
    NotYourTurn,
    /// The viewer has no seat in this game.
    NotYourSeat,
    /// The game is over.
    GameOver,
    /// Double click: the request came too soon after the viewer's last ply to be intended.
    Twice,
    /// Explained by the game.
    Rules(LocalizedMessage),
    /// A notice about a seat.
    Seat(SeatNotice),
    /// The browser does not store this server's cookies.
    NoCookies,
    /// The browser has a seat here from before the site moved to TLS, and can carry it over.
    CarryOver {
        /// Public id of the game.
        game: String,
    },
}

struct PromptText {
    player: Option<u8>,
    tag: String,
    headline: String,
    sub: String,
    link: PromptLink,
}

enum PromptLink {
    None,
    Back(String, &'static str),
    Again,
    Newest,
}

/// The prompt in the board's upper left corner.
pub(super) fn prompt(
    text: &Translations,
    display: &DisplayOptions,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let content = prompt_text(text, display, view, names);
    html! {
        div class={ "prompt" @if let Some(player) = content.player { " p" (player % 6) } } {
            p.whose { @if let Some(player) = content.player { (player_badge(player)) } (content.tag) }
            h1 { (content.headline) }
            @if !content.sub.is_empty() { p.sub { (content.sub) } }
            @match content.link {
                PromptLink::None => {}
                PromptLink::Back(href, key) => { p.sub.way { a data-back href=(text.path(&href)) { (text.get(key)) } " " kbd.scripted aria-hidden="true" { "Esc" } } }
                PromptLink::Again => { p.sub.way { a href={ (text.path("/g/")) (view.id) } { (text.get("look-again")) } } }
                PromptLink::Newest => { p.sub.way { a href={ (text.path("/g/")) (view.id) } { (text.get(if view.result.is_some() { "replay-end" } else { "replay-back" })) } } }
            }
            @if view.replay.is_none() && !matches!(view.prompt, Prompt::Ends { .. }) { (playback_controls(text, display, view)) }
        }
    }
}

/// The headline alone, for the page title.
pub(super) fn headline(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> String {
    match view.prompt {
        Prompt::Move(_) => turn_text(text, view, names),
        Prompt::Passing { player } => text
            .get_with("passing", &[("who", names.name(player).into())])
            .into_owned(),
        _ => prompt_text(text, &DisplayOptions::default(), view, names).headline,
    }
}

fn prompt_text(
    text: &Translations,
    display: &DisplayOptions,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> PromptText {
    let say = |key: &str| text.get(key).into_owned();
    let who = |key: &str, player: u8| {
        text.get_with(key, &[("who", names.name(player).into())])
            .into_owned()
    };
    let waiting_for = |player: u8, headline: &str, sub: &str| PromptText {
        player: Some(player),
        tag: view.turn.render(text, names),
        headline: who(headline, player),
        sub: say(sub),
        link: PromptLink::Again,
    };
    match &view.prompt {
        Prompt::Move(requested) => {
            let without_odds = requested.sub_without_odds.as_ref();
            let sub = without_odds.filter(|_| !display.preferences.odds);
            PromptText {
                player: view.mover,
                tag: turn_text(text, view, names),
                headline: requested.headline.render(text, names),
                sub: sub.unwrap_or(&requested.sub).render(text, names),
                link: match &requested.back {
                    Some(back) => PromptLink::Back(back.href.clone(), back.key),
                    None => PromptLink::None,
                },
            }
        }
        Prompt::Thinking { player, ahead } => {
            let thinking = waiting_for(*player, "thinking", "thinking-sub");
            match ahead {
                0 => thinking,
                ahead => PromptText {
                    headline: who("thinking-soon", *player),
                    sub: text
                        .get_with("thinking-ahead", &[("n", (*ahead).into())])
                        .into_owned(),
                    ..thinking
                },
            }
        }
        Prompt::Passing { player } => PromptText {
            player: Some(*player),
            tag: who("passing", *player),
            headline: view.turn.render(text, names),
            sub: String::new(),
            link: PromptLink::None,
        },
        Prompt::Waiting { player } => waiting_for(*player, "waiting", "waiting-sub"),
        Prompt::Open { player } => PromptText {
            headline: text
                .get_with("opened", &[("who", names.colour(*player).into())])
                .into_owned(),
            ..waiting_for(*player, "waiting", "opened-sub")
        },
        Prompt::Lobby => PromptText {
            player: None,
            tag: String::new(),
            headline: lobby::headline(text, view, names),
            sub: String::new(),
            link: PromptLink::None,
        },
        Prompt::Watching { player } => PromptText {
            tag: say("watching-tag"),
            ..waiting_for(*player, "watching", "watching-sub")
        },
        Prompt::Ends { player } => PromptText {
            player: Some(*player),
            tag: view.turn.render(text, names),
            headline: say("upload-ends"),
            sub: say("upload-ends-sub"),
            link: PromptLink::None,
        },
        Prompt::Replay | Prompt::Over => PromptText {
            player: view.mover,
            tag: view.turn.render(text, names),
            headline: text
                .get_with(
                    "replay",
                    &[("ply", view.ply.into()), ("newest", view.newest.into())],
                )
                .into_owned(),
            sub: say("replay-sub"),
            link: PromptLink::Newest,
        },
    }
}

fn turn_text(text: &Translations, view: &GameView, names: &PlayerNames<'_>) -> String {
    match view.mover {
        // With several people at one screen "your turn" would be ambiguous.
        Some(player) if names.name(player) != text.get("you") => text
            .get_with("their-turn", &[("who", names.name(player).into())])
            .into_owned(),
        _ => text.get("your-turn").into_owned(),
    }
}

pub(super) fn notice(
    text: &Translations,
    notice: Option<&Notice>,
    names: &PlayerNames<'_>,
) -> Markup {
    let Some(notice) = notice else {
        return Markup::default();
    };
    let sentence = match notice {
        Notice::StalePly => text.get("notice-stale").into_owned(),
        Notice::NotYourTurn => text.get("notice-not-your-turn").into_owned(),
        Notice::NotYourSeat => text.get("notice-not-your-seat").into_owned(),
        Notice::Twice => text.get("notice-twice").into_owned(),
        Notice::GameOver => text.get("notice-over").into_owned(),
        Notice::Rules(message) => message.render(text, names),
        Notice::Seat(notice) => seats::notice(text, *notice),
        Notice::NoCookies => text.get("notice-no-cookies").into_owned(),
        Notice::CarryOver { game } => return seats::carry_over(text, Some(game)),
    };
    html! { p.notice role="alert" { (sentence) } }
}
