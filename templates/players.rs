//! Who plays: the list beside the board, and the names that sentences use.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::levels::level_name;
use super::symbols::glyph_icon;
use super::text::{Text, Value};
use super::view::{GameView, Holdings, PlayerView, Variant, Who};

/// The names of all players, computed once for each page.
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
            // Bars mark emphasis in sentences, so names must not have any.
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

    /// The name of a player.
    pub(super) fn name(&self, player: u8) -> &str {
        let named = self.names.iter().find(|(number, _)| *number == player);
        named.map_or(&*self.colours[usize::from(player) % 6], |(_, name)| name)
    }

    /// A player's colour as a word.
    pub(super) fn colour(&self, player: u8) -> &str {
        &self.colours[usize::from(player) % 6]
    }

    /// A player's name, and who plays.
    pub(super) fn described(&self, text: &Text, player: &PlayerView) -> String {
        let what = match &player.who {
            Who::Open => text.say("who-open").into_owned(),
            Who::Level(level) => level_name(text, level),
            Who::Person | Who::You | Who::YouToo => return self.name(player.number).to_owned(),
        };
        let values = [
            ("who", self.name(player.number).into()),
            ("what", what.as_str().into()),
        ];
        text.say_with("join-other", &values).into_owned()
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

/// The list of players of a game.
pub(super) fn players(text: &Text, view: &GameView, cast: &Cast<'_>) -> Markup {
    let title = turn(text, view);
    let heads = heads(text, &view.variant);
    html! {
        section.players.few[heads.len() == 1] aria-label=(text.say("players")) {
            header { h2 { (title) } span.hd aria-hidden="true" { @for head in &heads { i { (head) } } } }
            ol {
                @for player in &view.players {
                    li class={ "pc p" (player.number % 6) @if player.on_turn { " on" } @if is_out(player) { " out" } } {
                        (token(player.number))
                        span.who { b { (cast.name(player.number)) } small { (who(text, player, cast)) } }
                        @for (count, head) in counts(player).iter().zip(&heads) {
                            span.st { b { (count) } i { " " (head) } }
                        }
                    }
                }
            }
            @if matches!(view.variant, Variant::Dice { .. }) { (share(&view.players)) }
        }
    }
}

/// The number of the turn shown; in a game of chips that of the next chip, at the end of the last one.
pub(super) fn turn<'a>(text: &'a Text, view: &GameView) -> Cow<'a, str> {
    let (key, number) = match view.variant {
        Variant::Dice { .. } => ("turn", view.turn),
        Variant::Trilobite { .. } if view.mover.is_none() => ("turn-chip", view.ply),
        Variant::Trilobite { .. } => ("turn-chip", view.turn),
    };
    text.say_with(key, &[("turn", number.into())])
}

/// The counts of each player.
fn heads<'a>(text: &'a Text, variant: &Variant) -> Vec<Cow<'a, str>> {
    let keys: &[_] = match variant {
        Variant::Dice { .. } => &["players-hexes", "players-dice", "players-cluster"],
        Variant::Trilobite { .. } => &["players-chips"],
    };
    keys.iter().map(|key| text.say(key)).collect()
}

fn counts(player: &PlayerView) -> Vec<u32> {
    match player.holdings {
        Holdings::Dice {
            hexes,
            dice,
            cluster,
        } => vec![hexes, dice, cluster],
        Holdings::Chips { chips } => vec![chips],
    }
}

/// The hexes a player owns; none in a game without land.
fn land(player: &PlayerView) -> u32 {
    match player.holdings {
        Holdings::Dice { hexes, .. } => hexes,
        Holdings::Chips { .. } => 0,
    }
}

fn is_out(player: &PlayerView) -> bool {
    matches!(player.holdings, Holdings::Dice { hexes: 0, .. })
}

fn who(text: &Text, player: &PlayerView, cast: &Cast<'_>) -> String {
    match &player.who {
        _ if player.winner => text.say("winner").into_owned(),
        Who::Open => text.say("who-open").into_owned(),
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

/// One bar with all players' shares of the hexes.
fn share(players: &[PlayerView]) -> Markup {
    let all = players.iter().map(land).sum::<u32>().max(1);
    let mut before = 0;
    html! {
        svg.share viewBox={ "0 0 " (all * 4) " 4" } preserveAspectRatio="none" aria-hidden="true" {
            @for player in players.iter().filter(|player| land(player) > 0) {
                @let x = { before += land(player); before - land(player) };
                rect class={ "p" (player.number % 6) } x=(x * 4) width=(land(player) * 4) height="4" {}
            }
        }
    }
}

/// Small glyph and name, for running text.
pub(super) fn named(cast: &Cast<'_>, player: u8) -> Markup {
    html! { (glyph_icon(player)) b { (cast.name(player)) } }
}
