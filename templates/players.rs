//! Who plays: the list beside the board, and the names that sentences use.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::game::GameView;
use super::levels::level_name;
use super::localization::Translations;
use super::start::opponents_key;
use super::svg_symbols::glyph_icon;

/// A seat as its row in the list of players shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlayerView {
    /// The player's number: colour, glyph and default name come from it.
    pub number: u8,
    /// The name a person gave, if any.
    pub name: Option<String>,
    /// Who sits there.
    pub who: OccupantView,
    /// What people call the computers of this table, where it is one of the names of [`super::start`].
    pub opponents: Option<&'static str>,
    /// What the player has on the board, as [`CountColumns::heads`] say.
    pub counts: Vec<u32>,
    /// It is this player's turn.
    pub on_turn: bool,
    /// Among the winners of a finished game.
    pub winner: bool,
}

/// Who sits in a seat, seen from the reader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum OccupantView {
    /// The reader's only seat: "You".
    #[default]
    You,
    /// One of several seats of the reader (hot-seat): named by colour.
    YouToo,
    /// Another person.
    Person,
    /// A computer of this level.
    Level(String),
    /// A program that plays over the API.
    Program,
    /// Nobody yet.
    Open,
    /// A program that is asked to play and has not answered.
    Asked,
    /// Whoever played it elsewhere, before the record was brought here.
    Elsewhere,
}

/// The counts of each player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountColumns {
    /// Which sentences say what is counted, in order.
    pub heads: &'static [&'static str],
    /// Which of the counts is land: it is drawn as one bar of everybody's shares, and who has none is
    /// out of the game.
    pub land: Option<usize>,
}

impl CountColumns {
    /// The land of a player; none in a game without land.
    fn land(&self, player: &PlayerView) -> Option<u32> {
        player.counts.get(self.land?).copied()
    }
}

/// The names of all players, computed once for each page.
pub struct PlayerNames<'a> {
    names: Vec<(u8, Cow<'a, str>)>,
    colours: [Cow<'a, str>; 6],
    you: Option<u8>,
    mine: u8,
}

impl<'a> PlayerNames<'a> {
    /// Everybody at a table.
    #[must_use]
    pub fn new(text: &'a Translations, players: &'a [PlayerView]) -> PlayerNames<'a> {
        let colours = [
            "player-0", "player-1", "player-2", "player-3", "player-4", "player-5",
        ]
        .map(|key| text.say(key));
        let name = |player: &'a PlayerView| match (&player.who, &player.name) {
            (OccupantView::You, _) => text.say("you"),
            // Bars mark emphasis in sentences, so names must not have any.
            (_, Some(name)) if !name.trim().is_empty() => Cow::Owned(name.replace('|', "¦")),
            _ => colours[usize::from(player.number) % 6].clone(),
        };
        let mine = players
            .iter()
            .filter(|p| matches!(p.who, OccupantView::You | OccupantView::YouToo));
        PlayerNames {
            names: players
                .iter()
                .map(|player| (player.number, name(player)))
                .collect(),
            you: players
                .iter()
                .find(|p| p.who == OccupantView::You)
                .map(|p| p.number),
            mine: mine.fold(0, |bits, p| {
                bits | 1u8.checked_shl(p.number.into()).unwrap_or(0)
            }),
            colours,
        }
    }

    /// Nobody, where sentences name no player.
    pub(super) fn nobody(text: &'a Translations) -> PlayerNames<'a> {
        PlayerNames::new(text, &[])
    }

    /// The name of a player.
    #[must_use]
    pub fn name(&self, player: u8) -> &str {
        let named = self.names.iter().find(|(number, _)| *number == player);
        named.map_or(&*self.colours[usize::from(player) % 6], |(_, name)| name)
    }

    /// A player's colour as a word.
    #[must_use]
    pub fn colour(&self, player: u8) -> &str {
        &self.colours[usize::from(player) % 6]
    }

    /// A player's name, and who plays.
    pub(super) fn described(&self, text: &Translations, player: &PlayerView) -> String {
        let what = match &player.who {
            OccupantView::Open => text.say("who-open").into_owned(),
            OccupantView::Program => text.say("who-program").into_owned(),
            OccupantView::Asked => text.say("who-asked").into_owned(),
            OccupantView::Elsewhere => text.say("who-elsewhere").into_owned(),
            OccupantView::Level(level) => level_name(text, level),
            OccupantView::Person | OccupantView::You | OccupantView::YouToo => {
                return self.name(player.number).to_owned();
            }
        };
        let values = [
            ("who", self.name(player.number).into()),
            ("what", what.as_str().into()),
        ];
        text.say_with("join-other", &values).into_owned()
    }

    /// Whether the reader plays this player.
    #[must_use]
    pub fn is_mine(&self, player: u8) -> bool {
        self.mine & 1u8.checked_shl(player.into()).unwrap_or(0) != 0
    }

    /// `you` or `other`: sentences choose their verb by it.
    #[must_use]
    pub fn person(&self, player: u8) -> &'static str {
        if self.you == Some(player) {
            "you"
        } else {
            "other"
        }
    }
}

/// A player's glyph on a tile of the player's colour.
pub(super) fn token(player: u8) -> Markup {
    let player = player % 6;
    PreEscaped(format!(
        r##"<span class="tok p{player}"><svg class="gl" aria-hidden="true"><use href="#gl{player}"/></svg></span>"##
    ))
}

/// Heads of columns stand for many.
const MANY: u32 = 0;

/// The list of players of a game.
pub(super) fn players(text: &Translations, view: &GameView, cast: &PlayerNames<'_>) -> Markup {
    let title = view.turn.told(text, cast);
    let heads = view.tally.heads;
    let head = |key: &str, count: u32| text.say_with(key, &[("count", count.into())]).into_owned();
    let is_out = |player| view.tally.land(player) == Some(0);
    html! {
        section.players.few[heads.len() == 1] aria-label=(text.say("players")) {
            header { h2 { (title) } span.hd aria-hidden="true" { @for key in heads { i { (head(key, MANY)) } } } }
            ol {
                @for player in &view.players {
                    li class={ "pc p" (player.number % 6) @if player.on_turn { " on" } @if is_out(player) { " out" } } {
                        (token(player.number))
                        span.who { b { (cast.name(player.number)) } small { (who(text, player, cast, view.ply == view.newest)) } }
                        @for (count, key) in player.counts.iter().zip(heads) {
                            span.st { b { (count) } i { " " (head(key, *count)) } }
                        }
                    }
                }
            }
            @if view.tally.land.is_some() { (share(view)) }
        }
    }
}

/// What is said below a player's name.
fn who(
    text: &Translations,
    player: &PlayerView,
    cast: &PlayerNames<'_>,
    is_newest: bool,
) -> String {
    let who = role(text, player, cast, is_newest);
    match (player.winner, &player.who) {
        (false, _) => who,
        (true, OccupantView::You | OccupantView::YouToo) => text.say("winner").into_owned(),
        (true, _) => text
            .say_with("winner-who", &[("who", who.as_str().into())])
            .into_owned(),
    }
}

/// Who plays, or whose turn it is; whose turn it once was is not the reader's turn now.
fn role(
    text: &Translations,
    player: &PlayerView,
    cast: &PlayerNames<'_>,
    is_newest: bool,
) -> String {
    match &player.who {
        OccupantView::Open => text.say("who-open").into_owned(),
        OccupantView::Asked => text.say("who-asked").into_owned(),
        OccupantView::Elsewhere => text.say("who-elsewhere").into_owned(),
        OccupantView::You | OccupantView::YouToo if player.on_turn && is_newest => {
            text.say("your-turn").into_owned()
        }
        _ if player.on_turn => text.say("to-move").into_owned(),
        OccupantView::You => cast.colour(player.number).to_owned(),
        OccupantView::YouToo => text.say("who-you-too").into_owned(),
        OccupantView::Person => text.say("who-person").into_owned(),
        OccupantView::Program => text.say("who-program").into_owned(),
        OccupantView::Level(level) => {
            let level = ("level", level_name(text, level).into());
            match player.opponents.and_then(opponents_key) {
                Some(key) => {
                    let name = text.say_with(key, &[("place", "level".into())]);
                    text.say_with("who-opponents", &[("name", (&*name).into()), level])
                }
                None => text.say_with("who-level", &[level]),
            }
            .into_owned()
        }
    }
}

/// One bar of everybody's land.
fn share(view: &GameView) -> Markup {
    let land = |player| view.tally.land(player).unwrap_or(0);
    let all = view.players.iter().map(land).sum::<u32>().max(1);
    let mut before = 0;
    html! {
        svg.share viewBox={ "0 0 " (all * 4) " 4" } preserveAspectRatio="none" aria-hidden="true" {
            @for player in view.players.iter().filter(|player| land(player) > 0) {
                @let x = { before += land(player); before - land(player) };
                rect class={ "p" (player.number % 6) } x=(x * 4) width=(land(player) * 4) height="4" {}
            }
        }
    }
}

/// Small glyph and name, for running text.
pub(super) fn named(cast: &PlayerNames<'_>, player: u8) -> Markup {
    html! { (glyph_icon(player)) b { (cast.name(player)) } }
}
