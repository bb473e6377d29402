//! Who plays: the list beside the board, and the names that sentences use.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::symbols::glyph_icon;
use super::text::{Text, Value};
use super::view::{GameView, PlayerView, Who};

/// The names of everybody at the table, said once a page.
pub(super) struct Cast<'a> {
    names: Vec<(u8, Cow<'a, str>)>,
    colours: [Cow<'a, str>; 6],
    you: Option<u8>,
    mine: u8,
}

impl<'a> Cast<'a> {
    pub(super) fn new(text: &'a Text, players: &'a [PlayerView]) -> Cast<'a> {
        let colours = [
            "player-0", "player-1", "player-2", "player-3", "player-4", "player-5",
        ]
        .map(|key| text.say(key));
        let name = |player: &'a PlayerView| match (&player.who, &player.name) {
            (Who::You, _) => text.say("you"),
            // Bars are the marks of emphasis in sentences.
            (_, Some(name)) if !name.trim().is_empty() => Cow::Owned(name.replace('|', "¦")),
            _ => colours[usize::from(player.number) % 6].clone(),
        };
        let mine = players
            .iter()
            .filter(|p| matches!(p.who, Who::You | Who::YouToo));
        Cast {
            names: players
                .iter()
                .map(|player| (player.number, name(player)))
                .collect(),
            you: players.iter().find(|p| p.who == Who::You).map(|p| p.number),
            mine: mine.fold(0, |bits, p| {
                bits | 1u8.checked_shl(p.number.into()).unwrap_or(0)
            }),
            colours,
        }
    }

    /// What a player is called.
    pub(super) fn name(&self, player: u8) -> &str {
        let named = self.names.iter().find(|(number, _)| *number == player);
        named.map_or(&*self.colours[usize::from(player) % 6], |(_, name)| name)
    }

    /// A player's colour as a word.
    pub(super) fn colour(&self, player: u8) -> &str {
        &self.colours[usize::from(player) % 6]
    }

    /// Whether the reader plays this player.
    pub(super) fn is_mine(&self, player: u8) -> bool {
        self.mine & 1u8.checked_shl(player.into()).unwrap_or(0) != 0
    }

    /// `you` or `other`: sentences choose their verb by it.
    pub(super) fn person(&self, player: u8) -> Value<'static> {
        Value::Words(if self.you == Some(player) {
            "you"
        } else {
            "other"
        })
    }
}

/// A player's glyph on a tile of the player's colour.
pub(super) fn token(player: u8) -> Markup {
    let player = player % 6;
    PreEscaped(format!(
        r##"<span class="tok p{player}"><svg class="gl" aria-hidden="true"><use href="#gl{player}"/></svg></span>"##
    ))
}

/// A level as people call it.
pub(super) fn level_name(text: &Text, level: &str) -> String {
    let key = format!("level-{level}");
    if text.has(&key) {
        return text.say(&key).into_owned();
    }
    let mut letters = level.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The list of players of a game.
pub(super) fn players(text: &Text, view: &GameView, cast: &Cast<'_>) -> Markup {
    let turn = text.say_with("turn", &[("turn", view.turn.into())]);
    let [hexes, dice, cluster] =
        ["players-hexes", "players-dice", "players-cluster"].map(|key| text.say(key));
    html! {
        section.players aria-label=(text.say("players")) {
            header { h2 { (turn) } span.hd aria-hidden="true" { i { (hexes) } i { (dice) } i { (cluster) } } }
            ol {
                @for player in &view.players {
                    li class={ "pc p" (player.number % 6) @if player.on_turn { " on" } @if player.hexes == 0 { " out" } } {
                        (token(player.number))
                        span.who { b { (cast.name(player.number)) } small { (who(text, player, cast)) } }
                        span.st { b { (player.hexes) } i { " " (hexes) } }
                        span.st { b { (player.dice) } i { " " (dice) } }
                        span.st { b { (player.cluster) } i { " " (cluster) } }
                    }
                }
            }
            (share(&view.players))
        }
    }
}

fn who(text: &Text, player: &PlayerView, cast: &Cast<'_>) -> String {
    match &player.who {
        _ if player.winner => text.say("winner").into_owned(),
        Who::You | Who::YouToo if player.on_turn => text.say("your-turn").into_owned(),
        _ if player.on_turn => text
            .say_with("their-turn", &[("who", cast.colour(player.number).into())])
            .into_owned(),
        Who::You => text.say("who-you").into_owned(),
        Who::YouToo => text.say("who-you-too").into_owned(),
        Who::Person => text.say("who-person").into_owned(),
        Who::Level(level) => text
            .say_with(
                "who-level",
                &[("level", level_name(text, level).as_str().into())],
            )
            .into_owned(),
    }
}

/// One bar of everybody's hexes.
fn share(players: &[PlayerView]) -> Markup {
    let all = players
        .iter()
        .map(|player| player.hexes)
        .sum::<u32>()
        .max(1);
    let mut before = 0;
    html! {
        svg.share viewBox={ "0 0 " (all * 4) " 4" } preserveAspectRatio="none" aria-hidden="true" {
            @for player in players.iter().filter(|player| player.hexes > 0) {
                @let x = { before += player.hexes; before - player.hexes };
                rect class={ "p" (player.number % 6) } x=(x * 4) width=(player.hexes * 4) height="4" {}
            }
        }
    }
}

/// Small glyph and name, for running text.
pub(super) fn named(cast: &Cast<'_>, player: u8) -> Markup {
    html! { (glyph_icon(player)) b { (cast.name(player)) } }
}
