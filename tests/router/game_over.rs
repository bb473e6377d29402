//! The page of a finished game, compared with statistics that an independent implementation computes from the record:
//! hexes and dice after every turn, decisive rolls, and luck.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use dice_of_doom::game::Player;
use dice_of_doom::games::{LiveGameRef, Registry};
use dice_of_doom::level::Level;
use dice_of_doom::record::{EndingRow, EntryRow};
use dice_of_doom::seats::{ComputerPace, PersonCredentials, Seat, SeatLevel, SeatOccupant};
use dice_of_doom::secret::{Secret, new_dice_secret, random_bytes};
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::store::{GameHeader, GameId, GameStore, StoredEntry};
use dice_of_doom::templates::message::MessageArg;
use serde_json::Value;

use crate::common::{Server, number};

/// Records of finished games between the first player and levels.
const FINISHED: [&str; 4] = [
    include_str!("../golden/finished/v4.json"),
    include_str!("../golden/finished/v4-another.json"),
    include_str!("../golden/finished/v4-resigned.json"),
    include_str!("../golden/finished/v1.json"),
];

/// Stores a finished game in which this browser has the first seat.
async fn store_game(store: &dyn GameStore, live: &LiveGameRef, browser: &Secret) -> GameId {
    let header = GameHeader {
        id: GameId::random(),
        game: live.configured_game().parameters_text(),
        start: live.position_at(0).setup_json(),
        dice: Some(new_dice_secret(random_bytes(), random_bytes())),
        pace: ComputerPace::AtOnce,
        creator: Some(browser.hash()),
        book_of: None,
        created_ms: 0,
        private: false,
        replace_after_s: None,
        rematch_of: None,
        takebacks: true,
        hints: false,
        turn_s: None,
        origin: None,
    };
    let person = SeatOccupant::Person {
        credentials: PersonCredentials {
            browser: browser.hash(),
            return_link: None,
            joined_by: None,
        },
        name: None,
    };
    let level = SeatOccupant::Level {
        level: SeatLevel::Known(Level::Random.into()),
        replaced: None,
    };
    let levels = std::iter::repeat(level);
    let occupants = std::iter::once(person).chain(levels);
    let seats = occupants.take(live.players().into()).map(|occupant| Seat {
        occupant,
        since_ms: None,
    });
    let rows = (0..live.entry_count()).filter_map(|number| live.entry(number));
    let mut entries: Vec<StoredEntry> = rows
        .map(|row| match row {
            EntryRow::Ply(row) => StoredEntry::Ply(row),
            EntryRow::Takeback(row) => StoredEntry::Takeback(row),
            EntryRow::Contribution(row) => StoredEntry::Contribution(row),
        })
        .collect();
    match (live.ending(), entries.pop()) {
        (Some(ending), last) => {
            entries.extend(last);
            entries.push(StoredEntry::Ending(EndingRow { ending, at_ms: 0 }));
        }
        (None, Some(StoredEntry::Ply(last))) => entries.push(StoredEntry::FinalPly(last)),
        (None, last) => entries.extend(last),
    }
    let id = header.id.clone();
    let stored = store.create_with_entries(header, seats.collect(), entries);
    stored.await.unwrap();
    id
}

/// A game replayed from its record by the rules of the book.
struct ReplayedGame {
    side: usize,
    players: usize,
    rolled: bool,
    /// The owner and the number of dice of each hex.
    board: Vec<(usize, u64)>,
    /// The hexes and dice of each player, at the start and after every turn.
    held: Vec<Vec<(u64, u64)>>,
    /// Rolls, won rolls and the sum of win probabilities, by player.
    luck: Vec<(u64, u64, f64)>,
    /// Of each player: attacks with less than even odds, turns that ended with more than a third of the hexes outside
    /// the largest cluster, turns that ended although an attack with 75 % or more was left, and lost single dice.
    habits: Vec<[u32; 4]>,
    /// Surprising rolls: weight, number of the next ply, turn, and the values of the sentence.
    surprises: Vec<(f64, u64, u64, String)>,
}

impl ReplayedGame {
    fn replay(record: &Value) -> ReplayedGame {
        let start = record["start"]["board"].as_array().unwrap().iter();
        let players = record["players"].as_u64().unwrap() as usize;
        let mut game = ReplayedGame {
            side: number(&record["size"]) as usize,
            players,
            rolled: record["rules"] == "v4",
            board: start
                .map(|hex| (number(&hex[0]) as usize, number(&hex[1])))
                .collect(),
            held: Vec::new(),
            luck: vec![(0, 0, 0.0); players],
            habits: vec![[0; 4]; players],
            surprises: Vec::new(),
        };
        let most = record["max_dice"].as_u64().unwrap();
        game.record_counts();
        let (mut captured, mut open) = (0, false);
        for ply in record["plies"].as_array().unwrap() {
            let player = number(&ply["player"]) as usize;
            open = !ply["path"].is_null();
            if open {
                captured += game.attack(player, ply);
            } else {
                game.count_end_of_turn(player);
                let dice = if game.rolled {
                    game.largest_cluster(player)
                } else {
                    u64::max(captured, 1) - 1
                };
                game.reinforce(player, dice, most);
                captured = 0;
                game.record_counts();
            }
        }
        if open {
            game.record_counts();
        }
        game
    }

    fn record_counts(&mut self) {
        let held = (0..self.players).map(|player| {
            let own = self.board.iter().filter(|(owner, _)| *owner == player);
            (own.clone().count() as u64, own.map(|(_, dice)| dice).sum())
        });
        let held = held.collect();
        self.held.push(held);
    }

    /// Plays an attack and returns the number of captured dice.
    fn attack(&mut self, player: usize, ply: &Value) -> u64 {
        let [from, to] = [0, 1].map(|end| number(&ply["path"][end]) as usize);
        let ((_, attack), (defender, defend)) = (self.board[from], self.board[to]);
        let mut won = true;
        if self.rolled {
            let sum = |side: &str| -> u64 {
                let faces = ply["roll"][side].as_array().unwrap();
                faces.iter().map(number).sum()
            };
            won = sum("attack") > sum("defend");
            let odds = win_probability(attack, defend);
            let luck = &mut self.luck[player];
            *luck = (luck.0 + 1, luck.1 + u64::from(won), luck.2 + odds);
            self.habits[player][0] += u32::from(odds < 0.5);
            let probability = if won { odds } else { 1.0 - odds };
            if probability < 0.5 {
                let verb = if won { "beat" } else { "lost to" };
                let sentence = format!("{player} {attack} {verb} {defender} {defend}");
                let weight = -probability.log2() * (attack + defend) as f64;
                // All players have had the same number of turns.
                let turn = (self.held.len() - 1) / self.players + 1;
                let percent = (probability * 100.0).round().max(1.0);
                let sentence = format!("{sentence}, {percent}%");
                let next = number(&ply["ply"]) + 1;
                self.surprises.push((weight, next, turn as u64, sentence));
            }
        }
        self.habits[defender][3] += u32::from(won && defend == 1);
        self.board[from].1 = 1;
        if won {
            self.board[to] = (player, attack - 1);
        }
        if won { defend } else { 0 }
    }

    fn count_end_of_turn(&mut self, player: usize) {
        let (mut hexes, mut is_early) = (0, false);
        for (from, (owner, attack)) in self.board.iter().enumerate() {
            if *owner != player {
                continue;
            }
            hexes += 1;
            is_early |= self.neighbours(from).any(|to| {
                let (defender, defend) = self.board[to];
                let is_attack = self.rolled && defender != player && *attack > 1;
                is_attack && win_probability(*attack, defend) >= 0.75
            });
        }
        let is_split = 3 * self.largest_cluster(player) < 2 * hexes;
        self.habits[player][1] += u32::from(is_split);
        self.habits[player][2] += u32::from(is_early);
    }

    fn neighbours(&self, hex: usize) -> impl Iterator<Item = usize> {
        let side = self.side as i64;
        let (x, y) = ((hex as i64) % side, (hex as i64) / side);
        [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1)]
            .map(|(dx, dy)| (x + dx, y + dy))
            .into_iter()
            .filter(move |(x, y)| (0..side).contains(x) && (0..side).contains(y))
            .map(move |(x, y)| (x + y * side) as usize)
    }

    fn largest_cluster(&self, player: usize) -> u64 {
        let mut seen = vec![false; self.board.len()];
        let mut largest = 0;
        for first in 0..self.board.len() {
            let (mut waiting, mut size) = (vec![first], 0);
            while let Some(hex) = waiting.pop() {
                if self.board[hex].0 != player || std::mem::replace(&mut seen[hex], true) {
                    continue;
                }
                size += 1;
                waiting.extend(self.neighbours(hex));
            }
            largest = largest.max(size);
        }
        largest
    }

    fn reinforce(&mut self, player: usize, mut dice: u64, most: u64) {
        for hex in &mut self.board {
            if dice > 0 && hex.0 == player && hex.1 < most {
                hex.1 += 1;
                dice -= 1;
            }
        }
    }

    /// The four surprising rolls with the largest weights, in chronological order.
    fn swings(&self) -> Vec<(u64, u64, String)> {
        let mut swings = self.surprises.clone();
        swings.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        swings.truncate(4);
        swings.sort_by_key(|swing| swing.1);
        let swings = swings.into_iter();
        swings
            .map(|(_, ply, turn, sentence)| (ply, turn, sentence))
            .collect()
    }
}

/// The probability that `attack` dice show a larger sum than `defend` dice, from the distributions of both sums.
fn win_probability(attack: u64, defend: u64) -> f64 {
    let sums = |dice: u64| {
        (0..dice).fold(vec![1.0], |ways: Vec<f64>, _| {
            let mut next = vec![0.0; ways.len() + 6];
            for (sum, way) in ways.iter().enumerate() {
                (1..=6).for_each(|face| next[sum + face] += way / 6.0);
            }
            next
        })
    };
    let (ours, theirs) = (sums(attack), sums(defend));
    let beaten = |sum: usize| theirs.iter().take(sum).sum::<f64>();
    let ours = ours.iter().enumerate();
    ours.map(|(sum, way)| way * beaten(sum)).sum()
}

/// The text of an HTML fragment, with a space for each tag.
fn plain_text(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        let words = part.split_once('>').map_or(part, |(_, words)| words);
        let _ = write!(text, "{words} ");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of each row of the first table after a mark.
fn rows(page: &str, mark: &str) -> Vec<String> {
    let after = page.split(mark).nth(1).unwrap_or_default();
    let body = after.split("<tbody>").nth(1).unwrap_or_default();
    let body = body.split("</tbody>").next().unwrap_or_default();
    body.split("<tr")
        .skip(1)
        .map(|row| plain_text(&format!("<tr{row}")))
        .collect()
}

/// The page's name of a player: Ada has the first seat.
fn player_name(player: usize, first: &str, others: &str) -> String {
    match player {
        0 => first.to_owned(),
        player => format!("{}{others}", ["Red", "Blue", "Green", "Purple"][player]),
    }
}

fn check(page: &str, game: &ReplayedGame, which: &str) {
    let column = |held: &[(u64, u64)], what: fn(&(u64, u64)) -> u64| -> String {
        let values: Vec<_> = held.iter().map(|held| what(held).to_string()).collect();
        values.join(" ")
    };
    for (mark, what) in [
        (
            "class=\"of-hexes\"",
            (|held: &(u64, u64)| held.0) as fn(&(u64, u64)) -> u64,
        ),
        ("class=\"of-dice\"", |held| held.1),
    ] {
        let expected = game.held.iter().enumerate().map(|(turn, held)| {
            let turn = match turn.checked_sub(1) {
                None => "start".to_owned(),
                // The players move in the order of their seats.
                Some(before) => {
                    let player = player_name(before % game.players, "You", "");
                    format!("{} {player}", before / game.players + 1)
                }
            };
            format!("{turn} {}", column(held, what))
        });
        assert_eq!(rows(page, mark), expected.collect::<Vec<_>>(), "{which}");
    }
    let expected: Vec<_> = if game.rolled {
        let luck = game.luck.iter().enumerate();
        let luck = luck.map(|(player, (rolls, won, odds))| {
            let name = player_name(player, "You", "");
            let luck = format!("{:+.1}", *won as f64 - odds).replace('-', "−");
            let luck = if luck.ends_with("0.0") {
                "0.0".to_owned()
            } else {
                luck
            };
            format!("{name} {rolls} {won} {odds:.1} {luck}")
        });
        luck.collect()
    } else {
        Vec::new()
    };
    assert_eq!(rows(page, "class=\"luck\""), expected, "{which}");
    let swings = page
        .split("<ol class=\"worst\">")
        .nth(1)
        .unwrap_or_default();
    let swings = swings.split("</ol>").next().unwrap_or_default();
    let found: Vec<_> = swings
        .split("<li>")
        .skip(1)
        .map(|line| {
            let ply = line
                .split("href=\"/g/")
                .nth(1)
                .unwrap()
                .split(['/', '"'])
                .nth(1)
                .unwrap();
            (ply.to_owned(), plain_text(line))
        })
        .collect();
    let expected = game.swings().into_iter().zip(1..).map(|((ply, turn, sentence), number)| {
        let words: Vec<_> = sentence.split(' ').collect();
        let [attacker, attack, verb @ .., defender, defend, odds] = &words[..] else {
            panic!("{sentence}");
        };
        let attacker = player_name(attacker.parse().unwrap(), "Your", "’s");
        let defender = player_name(defender.parse().unwrap(), "your", "’s");
        let (verb, defend) = (verb.join(" "), defend.trim_end_matches(','));
        let text = format!(
            "{number} {attacker} {attack} {verb} {defender} {defend} , {odds} likely turn {turn}"
        );
        (ply.to_string(), text)
    });
    assert_eq!(found, expected.collect::<Vec<_>>(), "{which}");
}

/// The lesson, and the count that leads to it.
fn expected_lesson(habits: &[u32; 4]) -> Option<(&'static str, u32)> {
    let lessons = ["odds", "cluster", "stop", "border"].into_iter();
    lessons.zip(*habits).find(|(_, count)| *count > 2)
}

#[tokio::test]
async fn the_page_matches_an_independent_replay() {
    let store = Arc::new(SqliteStore::in_memory());
    let server = Server::on(store.clone()).await;
    let browser = Secret::random();
    let cookie = format!("dod={}", browser.to_text());
    let (mut swings, mut lessons) = (0, BTreeSet::new());
    for (which, text) in FINISHED.into_iter().enumerate() {
        let live = Registry::builtin().read_record(text).unwrap().live;
        let id = store_game(&*store, &live, &browser).await;
        let which = which.to_string();
        let game = ReplayedGame::replay(&serde_json::from_str(text).unwrap());
        let client = &server.api().client;
        let request = client.get(server.url(&format!("/g/{id}")));
        let answer = request.header("cookie", &cookie).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{which}");
        check(&answer.text().await.unwrap(), &game, &which);
        swings += game.swings().len();
        let live = server.service.snapshot(&id).await.unwrap();
        for (player, habits) in Player::all(live.live.players()).zip(&game.habits) {
            let advice = live.live.lesson_advice(player);
            let found = advice.map(|advice| (advice.lesson, advice.reason.values[0].1.clone()));
            let expected = expected_lesson(habits);
            let expected = expected.map(|(lesson, count)| (lesson, MessageArg::Number(count)));
            assert_eq!(found, expected, "{which}: {habits:?}");
            lessons.extend(found.map(|(lesson, _)| lesson));
        }
    }
    assert!(swings > 4, "{swings}");
    assert!(lessons.len() > 1, "{lessons:?}");
}

#[test]
fn the_win_probabilities_match_known_values() {
    // One die against one wins in 15 of 36 cases, two against two in 575 of 1296.
    assert!((win_probability(1, 1) - 15.0 / 36.0).abs() < 1e-12);
    assert!((win_probability(2, 2) - 575.0 / 1296.0).abs() < 1e-12);
}
