//! The list of players next to the board, and the names of players in sentences.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::clock;
use super::game::GameView;
use super::levels::level_name;
use super::localization::Translations;
use super::phrases::bubble;
use super::preferences::DisplayOptions;
use super::start::opponents_key;
use super::svg_symbols::glyph_icon;

/// A player's row in the list of players.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PlayerView {
    /// The player's index; it determines colour, glyph and default name.
    pub number: u8,
    /// The name that a person entered, if any.
    pub name: Option<String>,
    /// Who occupies the seat.
    pub occupant: OccupantView,
    /// The common name of this game's computer opponents, if it is one of those in [`super::start`].
    pub opponents: Option<&'static str>,
    /// Who left the seat to the computer that plays there, if anybody did; empty without a name.
    pub former: Option<String>,
    /// The player's counts, in the order of [`CountColumns::headings`].
    pub counts: Vec<u32>,
    /// Whether the player is to move.
    pub on_turn: bool,
    /// Whether the player is among the winners of a finished game.
    pub winner: bool,
}

/// Who occupies a seat, from the viewer's perspective.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum OccupantView {
    /// The viewer's only seat: "You".
    #[default]
    You,
    /// One of several seats of the viewer (hot seat): named by colour.
    YouToo,
    /// Another person.
    Person,
    /// A computer player of this level.
    Level(String),
    /// A program that plays over the API.
    Program,
    /// The seat is open.
    Open,
    /// A program that was invited and has not answered.
    Invited,
    /// The player of an uploaded record.
    FromUpload,
}

impl OccupantView {
    /// Whether somebody plays who is not a computer of this server.
    pub(super) const fn is_person(&self) -> bool {
        matches!(
            self,
            OccupantView::You | OccupantView::YouToo | OccupantView::Person | OccupantView::Program
        )
    }
}

/// Columns of the counts that each player has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountColumns {
    /// Message keys of the column headings, in order.
    pub headings: &'static [&'static str],
    /// Index of the count that is territory: it is rendered as one bar with all players' shares, and a player
    /// without territory is out of the game.
    pub territory: Option<usize>,
}

impl CountColumns {
    /// The player's territory; `None` in a game without territory.
    pub(super) fn territory(&self, player: &PlayerView) -> Option<u32> {
        player.counts.get(self.territory?).copied()
    }
}

/// The names of all players, computed once per page.
pub struct PlayerNames<'a> {
    names: Vec<(u8, Cow<'a, str>)>,
    colours: [Cow<'a, str>; 6],
    you: Option<u8>,
    mine: u8,
}

impl<'a> PlayerNames<'a> {
    /// The names at one table.
    #[must_use]
    pub fn new(text: &'a Translations, players: &'a [PlayerView]) -> PlayerNames<'a> {
        let colours = [
            "player-0", "player-1", "player-2", "player-3", "player-4", "player-5",
        ]
        .map(|key| text.get(key));
        let name = |player: &'a PlayerView| match (&player.occupant, &player.name) {
            (OccupantView::You, _) => text.get("you"),
            // Bars mark emphasis in messages, so a name must not contain any.
            (_, Some(name)) if !name.trim().is_empty() => Cow::Owned(name.replace('|', "¦")),
            _ => colours[usize::from(player.number) % 6].clone(),
        };
        let mine = players
            .iter()
            .filter(|p| matches!(p.occupant, OccupantView::You | OccupantView::YouToo));
        PlayerNames {
            names: players
                .iter()
                .map(|player| (player.number, name(player)))
                .collect(),
            you: players
                .iter()
                .find(|p| p.occupant == OccupantView::You)
                .map(|p| p.number),
            mine: mine.fold(0, |bits, p| {
                bits | 1u8.checked_shl(p.number.into()).unwrap_or(0)
            }),
            colours,
        }
    }

    /// No players, for messages that name none.
    pub(super) fn none(text: &'a Translations) -> PlayerNames<'a> {
        PlayerNames::new(text, &[])
    }

    /// The name of a player.
    #[must_use]
    pub fn name(&self, player: u8) -> &str {
        let named = self.names.iter().find(|(number, _)| *number == player);
        named.map_or(&*self.colours[usize::from(player) % 6], |(_, name)| name)
    }

    /// The name of a player's colour.
    #[must_use]
    pub fn colour(&self, player: u8) -> &str {
        &self.colours[usize::from(player) % 6]
    }

    /// A player's name and, unless it is a person, what occupies the seat.
    pub(super) fn name_and_occupant(&self, text: &Translations, player: &PlayerView) -> String {
        let what = match &player.occupant {
            OccupantView::Open => text.get("who-open").into_owned(),
            OccupantView::Program => text.get("who-program").into_owned(),
            OccupantView::Invited => text.get("who-asked").into_owned(),
            OccupantView::FromUpload => text.get("who-elsewhere").into_owned(),
            OccupantView::Level(level) => level_name(text, level),
            OccupantView::Person | OccupantView::You | OccupantView::YouToo => {
                return self.name(player.number).to_owned();
            }
        };
        let values = [
            ("who", self.name(player.number).into()),
            ("what", what.as_str().into()),
        ];
        text.get_with("join-other", &values).into_owned()
    }

    /// Whether the viewer has this player's seat.
    #[must_use]
    pub fn is_mine(&self, player: u8) -> bool {
        self.mine & 1u8.checked_shl(player.into()).unwrap_or(0) != 0
    }

    /// Grammatical person, `you` or `other`: messages select their verb by it.
    #[must_use]
    pub fn grammatical_person(&self, player: u8) -> &'static str {
        if self.you == Some(player) {
            "you"
        } else {
            "other"
        }
    }
}

/// A player's glyph on a tile of the player's colour.
pub(super) fn player_badge(player: u8) -> Markup {
    let player = player % 6;
    PreEscaped(format!(
        r##"<span class="tok p{player}"><svg class="gl" aria-hidden="true"><use href="#gl{player}"/></svg></span>"##
    ))
}

pub(super) fn players(
    text: &Translations,
    display: &DisplayOptions,
    view: &GameView,
    names: &PlayerNames<'_>,
) -> Markup {
    let muted = !display.preferences.phrases;
    let title = view.turn.render(text, names);
    let heads = view.count_columns.headings;
    let head = |key: &str| text.get_with(key, &[("place", "head".into())]).into_owned();
    let is_out = |player| view.count_columns.territory(player) == Some(0);
    html! {
        section.players.few[heads.len() == 1] aria-label=(text.get("players")) {
            header { h2 { (title) } span.hd aria-hidden="true" { @for key in heads { i { (head(key)) } } } }
            ol {
                @for player in &view.players {
                    li class={ "pc p" (player.number % 6) @if player.on_turn { " on" } @if is_out(player) { " out" } } {
                        (player_badge(player.number))
                        span.who { b { (names.name(player.number)) } small { (occupant_text(text, player, names, view.ply == view.newest)) } @if let Some(bubble) = bubble(text, view, player.number, muted) { (bubble) } }
                        @for (count, key) in player.counts.iter().zip(heads) {
                            (player_count(text, key, *count))
                        }
                        @if let Some(clock) = view.clock.filter(|clock| clock.player == player.number) { (clock::bar(&clock)) }
                    }
                }
            }
            @if view.count_columns.territory.is_some() { (territory_bar(view)) }
        }
    }
}

/// A count of a player in words, "5 hexes" or "cluster of 3"; where there are headings, only the number is visible.
fn player_count(text: &Translations, key: &str, count: u32) -> Markup {
    let words = text.get_with(key, &[("place", "within".into()), ("count", count.into())]);
    html! {
        span.st {
            @for (i, part) in words.split('|').enumerate() {
                @if i % 2 == 1 { b { (part) } } @else if !part.is_empty() { i { (part) } }
            }
        }
    }
}

fn occupant_text(
    text: &Translations,
    player: &PlayerView,
    names: &PlayerNames<'_>,
    is_newest: bool,
) -> String {
    let who = role(text, player, names, is_newest);
    match (player.winner, &player.occupant) {
        (false, _) => who,
        (true, OccupantView::You | OccupantView::YouToo) => text.get("winner").into_owned(),
        (true, _) => text
            .get_with("winner-who", &[("who", who.as_str().into())])
            .into_owned(),
    }
}

/// What occupies the seat, or that the player is to move; on a page of the past, a seat of the viewer is not
/// marked "your turn".
pub(super) fn role(
    text: &Translations,
    player: &PlayerView,
    names: &PlayerNames<'_>,
    is_newest: bool,
) -> String {
    match &player.occupant {
        OccupantView::Open => text.get("who-open").into_owned(),
        OccupantView::Invited => text.get("who-asked").into_owned(),
        OccupantView::FromUpload => text.get("who-elsewhere").into_owned(),
        OccupantView::You | OccupantView::YouToo if player.on_turn && is_newest => {
            text.get("your-turn").into_owned()
        }
        _ if player.on_turn => text.get("to-move").into_owned(),
        OccupantView::You => names.colour(player.number).to_owned(),
        OccupantView::YouToo => text.get("who-you-too").into_owned(),
        OccupantView::Person => text.get("who-person").into_owned(),
        OccupantView::Program => text.get("who-program").into_owned(),
        OccupantView::Level(_) if player.former.is_some() => {
            let who = former_name(names, player);
            text.get_with("who-former", &[("who", who.into())])
                .into_owned()
        }
        OccupantView::Level(level) => {
            let level = ("level", level_name(text, level).into());
            match player.opponents.and_then(opponents_key) {
                Some(key) => {
                    let name = text.get_with(key, &[("place", "level".into())]);
                    text.get_with("who-opponents", &[("name", (&*name).into()), level])
                }
                None => text.get_with("who-level", &[level]),
            }
            .into_owned()
        }
    }
}

/// Who left the seat to a computer: the name, or else the colour.
pub(super) fn former_name<'n>(names: &'n PlayerNames<'_>, player: &'n PlayerView) -> &'n str {
    let name = player.former.as_deref().filter(|name| !name.is_empty());
    name.unwrap_or_else(|| names.colour(player.number))
}

/// One bar with all players' territory.
fn territory_bar(view: &GameView) -> Markup {
    let land = |player| view.count_columns.territory(player).unwrap_or(0);
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

pub(super) fn named_player(names: &PlayerNames<'_>, player: u8) -> Markup {
    html! { (glyph_icon(player)) b { (names.name(player)) } }
}
