//! Cards of games, with a small board.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};
use time::OffsetDateTime;

use super::board::BoardComponent;
use super::game::ResultView;
use super::levels::level_name;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::players::{OccupantView, PlayerNames, PlayerView};
use super::start::opponents_key;

/// A card of one game.
#[derive(Clone, Debug)]
pub struct CardView {
    /// Public id of the game.
    pub id: String,
    /// The current board, without links: rendered small and flat.
    pub board: Arc<dyn BoardComponent>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// How far the game has progressed.
    pub stage: LocalizedMessage,
    /// Whether the viewer is to move.
    pub your_turn: bool,
    /// Whether the game is an uploaded record.
    pub uploaded: bool,
    /// Whether it is not offered as the game to continue: it was played on from another one, or is the scored game of a
    /// day that is over.
    pub is_aside: bool,
    /// Whether the game is paused, because nobody views it.
    pub paused: bool,
    /// The result of a finished game.
    pub result: Option<ResultView>,
    /// Time of creation, in milliseconds since 1970.
    pub created_ms: i64,
}

pub(super) fn cards(text: &Translations, games: &[CardView]) -> Markup {
    html! { ul.cards { @for game in games { li { (card(text, game)) } } } }
}

impl CardView {
    /// Whether the game is in progress and the viewer has a seat in it.
    #[must_use]
    pub fn can_continue(&self) -> bool {
        is_player(self) && self.result.is_none() && !self.uploaded
    }
}

/// The other players of a game as a title: "against Blue and Green".
pub(super) fn card_title(text: &Translations, game: &CardView) -> String {
    title_of(text, &game.id, &game.players)
}

/// The other players of the game with this id as a title: "against Blue and Green".
pub(super) fn title_of(text: &Translations, id: &str, players: &[PlayerView]) -> String {
    let names = PlayerNames::new(text, players);
    let watching = !has_own_seat(players);
    let place = if watching { "level" } else { "within" };
    let others = others(text, &names, players, place);
    let title = if watching {
        text.get_with(
            "card-between",
            &[("who", text.join_with_commas(others).into())],
        )
    } else if others.is_empty() {
        text.get_with("card-alone", &[("id", id.into())])
    } else {
        text.get_with(
            "card-against",
            &[("who", text.join_with_commas(others).into())],
        )
    };
    title.into_owned()
}

/// Whether the viewer has a seat in the game.
fn is_player(game: &CardView) -> bool {
    has_own_seat(&game.players)
}

fn has_own_seat(players: &[PlayerView]) -> bool {
    let mut players = players.iter();
    players.any(|player| matches!(player.occupant, OccupantView::You | OccupantView::YouToo))
}

pub(super) fn card(text: &Translations, game: &CardView) -> Markup {
    let names = PlayerNames::new(text, &game.players);
    let watching = !is_player(game);
    let title = card_title(text, game);
    let when = game.stage.render(text, &names);
    let status = match &game.result {
        Some(result) if result.winners.is_empty() => "card-draw",
        Some(result) => match game
            .players
            .iter()
            .find(|player| player.occupant == OccupantView::You)
        {
            None => "card-over",
            Some(you) if !result.winners.contains(&you.number) => "card-lost",
            Some(_) if result.winners.len() > 1 => "card-tie",
            Some(_) => "card-won",
        },
        None if game.your_turn => "card-your-turn",
        None if game.paused => "card-paused",
        None if game.uploaded => "card-uploaded",
        None if watching => "card-watch",
        None => "card-waiting",
    };
    html! {
        a.gcard.me[game.your_turn] href={ (text.path("/g/")) (game.id) } {
            (game.board.small())
            span.cardtext { b { (title) } small { (when) } @if !watching || game.result.is_some() { small { (created_time(text, game.created_ms)) } } em { (text.get(status)) }
                @if game.uploaded && status != "card-uploaded" { small { (text.get("card-uploaded")) } }
                @if let Some(n) = game.result.as_ref().map(|result| result.takebacks).filter(|n| *n > 0) {
                    small { (text.get_with("card-takebacks", &[("n", n.into())])) }
                }
            }
        }
    }
}

/// All players except the viewer: people by name, also those who left, computer players by level and number. `place` is
/// the position of the name in a sentence: `within` after "against", `level` in a list.
fn others(
    text: &Translations,
    names: &PlayerNames<'_>,
    players: &[PlayerView],
    place: &str,
) -> Vec<Cow<'static, str>> {
    let mut others: Vec<(String, u32)> = Vec::new();
    for player in players
        .iter()
        .filter(|player| player.occupant != OccupantView::You)
    {
        let common_name_key = player.opponents.and_then(opponents_key);
        let former = player.former.as_deref().filter(|name| !name.is_empty());
        let (name, counted) = match &player.occupant {
            OccupantView::Level(_) if let Some(name) = former => (name.to_owned(), false),
            // Computer players with a common name are not counted.
            OccupantView::Level(_) if let Some(key) = common_name_key => {
                let name = text.get_with(key, &[("place", place.into())]);
                let name = name.into_owned();
                if others.iter().all(|(known, _)| *known != name) {
                    others.push((name, 1));
                }
                continue;
            }
            OccupantView::Level(level) => (level_name(text, level), true),
            OccupantView::Open => (text.get("who-open").into_owned(), true),
            OccupantView::You
            | OccupantView::YouToo
            | OccupantView::Person
            | OccupantView::Program
            | OccupantView::Invited
            | OccupantView::FromUpload => (names.name(player.number).to_owned(), false),
        };
        match others
            .iter_mut()
            .find(|(known, _)| counted && *known == name)
        {
            Some((_, count)) => *count += 1,
            None => others.push((name, 1)),
        }
    }
    let with_count = |(name, count): (String, u32)| match count {
        1 => name.into(),
        count => {
            let values = [("who", name.as_str().into()), ("count", count.into())];
            text.get_with("card-several", &values).into_owned().into()
        }
    };
    others.into_iter().map(with_count).collect()
}

/// A date and time in UTC; a script replaces it by the local date.
fn created_time(text: &Translations, ms: i64) -> Markup {
    html! { time datetime=(utc_time(ms)) { (utc_moment(text, ms)) } }
}

/// A sentence with times in UTC; a script replaces them by the local dates and times.
pub(super) fn sentence_with_times(
    text: &Translations,
    key: &str,
    times: &[(&'static str, i64)],
) -> Markup {
    let marked = |(name, ms): &(&'static str, i64)| (*name, format!("|{ms}|").into());
    let values: Vec<_> = times.iter().map(marked).collect();
    let sentence = text.get_with(key, &values);
    // No text has bars, so every second part is a time.
    html! {
        @for (i, part) in sentence.split('|').enumerate() {
            @match part.parse() {
                Ok(ms) if i % 2 == 1 => time data-clock datetime=(utc_time(ms)) { (utc_moment(text, ms)) },
                _ => (part),
            }
        }
    }
}

/// A date and time in UTC, in words.
fn utc_moment(text: &Translations, ms: i64) -> String {
    let at = date_time(ms);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, _) = at.to_hms();
    let month = u8::from(month);
    let name = text.get(MONTHS[usize::from(month - 1)]);
    let values = [
        ("day", day.into()),
        ("month", (&*name).into()),
        ("year", u32::try_from(year).unwrap_or(0).into()),
        ("time", format!("{hour:02}:{minute:02}").into()),
    ];
    text.get_with("card-date", &values).into_owned()
}

fn date_time(ms: i64) -> OffsetDateTime {
    let at = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000));
    at.unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// A time in UTC as in RFC 3339, in seconds.
pub(super) fn utc_time(ms: i64) -> String {
    let at = date_time(ms);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    let month = u8::from(month);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

pub(super) const MONTHS: [&str; 12] = [
    "month-1", "month-2", "month-3", "month-4", "month-5", "month-6", "month-7", "month-8",
    "month-9", "month-10", "month-11", "month-12",
];
