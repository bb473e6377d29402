//! The reader's own games, as cards with a small board.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::game::ResultView;
use super::levels::level_name;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, titled};
use super::players::{OccupantView, PlayerNames, PlayerView};
use super::seats;
use super::start::opponents_key;

/// A card of "your games".
#[derive(Clone, Debug)]
pub struct CardView {
    /// Public id of the game.
    pub id: String,
    /// The board as it stands (no links): drawn small and flat.
    pub board: Arc<dyn BoardComponent>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// How far the game has come.
    pub stage: LocalizedMessage,
    /// The reader is to move.
    pub your_turn: bool,
    /// Its record was brought here.
    pub uploaded: bool,
    /// It rests, because nobody looks at it.
    pub paused: bool,
    /// How it ended, for finished games.
    pub result: Option<ResultView>,
    /// When it was begun, in milliseconds since 1970.
    pub created_ms: i64,
}

/// The reader's own games.
#[derive(Clone, Debug, Default)]
pub struct GamesView {
    /// The newest first.
    pub games: Vec<CardView>,
    /// The reader has seats from before the page came over TLS, and can take them along.
    pub carry_over: bool,
    /// The name of the game that the button begins.
    pub game: &'static str,
}

/// The page `/games`.
#[must_use]
pub fn games_page(site: &SiteContext<'_>, text: &Translations, view: &GamesView) -> Markup {
    let games = &view.games;
    let title = text.say("games-title");
    let main = html! {
        main #main.page.wide {
            h1 { (title) }
            @if view.carry_over { (seats::carry_over(text, None)) }
            @if games.is_empty() { p.lead { (text.say("games-none")) } } @else { (cards(text, games)) }
            form.now method="post" action="/games" {
                input type="hidden" name="game" value=(view.game);
                input type="hidden" name="opponents" value="easy";
                button.btn.main { (text.say("start-play")) }
            }
            p.links { a href="/upload" { (text.say("upload-ask")) } }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// A list of cards.
pub(super) fn cards(text: &Translations, games: &[CardView]) -> Markup {
    html! { ul.cards { @for game in games { li { (card(text, game)) } } } }
}

impl CardView {
    /// Whether the reader can play on, now or after others.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        let mut players = self.players.iter();
        let plays =
            players.any(|player| matches!(player.who, OccupantView::You | OccupantView::YouToo));
        plays && self.result.is_none() && !self.uploaded
    }
}

/// One game with a small board.
pub(super) fn card(text: &Translations, game: &CardView) -> Markup {
    let cast = PlayerNames::new(text, &game.players);
    let watching = !game
        .players
        .iter()
        .any(|player| matches!(player.who, OccupantView::You | OccupantView::YouToo));
    let place = if watching { "level" } else { "within" };
    let others = others(text, &cast, &game.players, place);
    let title = if watching {
        text.say_with("card-between", &[("who", text.row(others).into())])
    } else if others.is_empty() {
        text.say_with("card-alone", &[("id", game.id.as_str().into())])
    } else {
        text.say_with("card-against", &[("who", text.row(others).into())])
    };
    let when = game.stage.told(text, &cast);
    let status = match &game.result {
        Some(result) if result.winners.is_empty() => "card-draw",
        Some(result) => match game
            .players
            .iter()
            .find(|player| player.who == OccupantView::You)
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
        a.gcard.me[game.your_turn] href={ "/g/" (game.id) } {
            (game.board.small())
            span.cardtext { b { (title) } small { (when) } @if !watching || game.result.is_some() { small { (moment(text, game.created_ms)) } } em { (text.say(status)) }
                @if game.uploaded && status != "card-uploaded" { small { (text.say("card-uploaded")) } }
                @if let Some(n) = game.result.as_ref().map(|result| result.takebacks).filter(|n| *n > 0) {
                    small { (text.say_with("card-takebacks", &[("n", n.into())])) }
                }
            }
        }
    }
}

/// Everybody but the reader: people by name, computers by level and how many there are. `place` is where the
/// name of opponents stands: `within` after "against", `level` in a list.
fn others(
    text: &Translations,
    cast: &PlayerNames<'_>,
    players: &[PlayerView],
    place: &str,
) -> Vec<Cow<'static, str>> {
    let mut others: Vec<(String, u32)> = Vec::new();
    for player in players
        .iter()
        .filter(|player| player.who != OccupantView::You)
    {
        let named = player.opponents.and_then(opponents_key);
        let (name, counted) = match &player.who {
            // Under one name for all of them they are not counted.
            OccupantView::Level(_) if let Some(key) = named => {
                let name = text.say_with(key, &[("place", place.into())]);
                let name = name.into_owned();
                if others.iter().all(|(known, _)| *known != name) {
                    others.push((name, 1));
                }
                continue;
            }
            OccupantView::Level(level) => (level_name(text, level), true),
            OccupantView::Open => (text.say("who-open").into_owned(), true),
            OccupantView::You
            | OccupantView::YouToo
            | OccupantView::Person
            | OccupantView::Program
            | OccupantView::Asked
            | OccupantView::Elsewhere => (cast.name(player.number).to_owned(), false),
        };
        match others
            .iter_mut()
            .find(|(known, _)| counted && *known == name)
        {
            Some((_, count)) => *count += 1,
            None => others.push((name, 1)),
        }
    }
    let said = |(name, count): (String, u32)| match count {
        1 => name.into(),
        count => {
            let values = [("who", name.as_str().into()), ("count", count.into())];
            text.say_with("card-several", &values).into_owned().into()
        }
    };
    others.into_iter().map(said).collect()
}

/// A moment in universal time; the script says which day it was where the reader is.
fn moment(text: &Translations, ms: i64) -> Markup {
    let seconds = ms.div_euclid(1000);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let name = text.say(MONTHS[usize::from(month - 1) % 12]);
    let values = [
        ("day", day.into()),
        ("month", (&*name).into()),
        ("year", u32::try_from(year).unwrap_or(0).into()),
        ("time", format!("{hour:02}:{minute:02}").into()),
    ];
    let exact = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
    html! { time datetime=(exact) { (text.say_with("card-date", &values)) } }
}

const MONTHS: [&str; 12] = [
    "month-1", "month-2", "month-3", "month-4", "month-5", "month-6", "month-7", "month-8",
    "month-9", "month-10", "month-11", "month-12",
];

/// Year, month and day of a day counted from 1970, by eras of 400 years that begin in March (Howard
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(days: i64) -> (i64, u8, u8) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let first = (153 * month + 2) / 5;
    let (late, month) = if month < 10 {
        (0, month + 3)
    } else {
        (1, month - 9)
    };
    (
        era * 400 + year + late,
        month as u8,
        (day - first + 1) as u8,
    )
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(-1), (1969, 12, 31));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_779), (2026, 11, 22));
        assert_eq!(civil(47_540), (2100, 2, 28));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }
}
