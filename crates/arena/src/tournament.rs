//! Tournaments: pairs of contestants and ratings of all.
//!
//! Each pair plays at a table of its own, on the same boards. On a ladder each contestant plays the one below it, in a
//! gauntlet the first plays all others: the upper contestant has one seat, the lower one all others. In a round robin
//! all play all, in alternate seats. On a ladder, mixed tables drawn from all contestants connect the ratings; the
//! other formats need none.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Contestant;
use super::board_result::BoardResult;
use super::estimate::Estimate;
use super::luck::LuckAdjustment;
use super::rating::{RatedGame, Rating, rate};
use super::repeats::distinct_boards;
use super::results::ResultTable;
use super::rng_keys::BoardKey;
use super::seating::{Seating, seat_of};
use super::sprt::{Sprt, SprtReport};
use dice_of_doom_core::game::Player;

/// Which contestants play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TournamentFormat {
    /// Each contestant against the one before, then all of them at mixed tables.
    Ladder,
    /// All against all.
    RoundRobin,
    /// The first against each of the others.
    Gauntlet,
}

/// A tournament to be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Tournament {
    /// Which contestants play each other.
    pub format: TournamentFormat,
    /// The contestants; no two are equal.
    pub contestants: Vec<Contestant>,
    /// If given, a pair stops as soon as this test of its upper contestant has a verdict.
    pub sprt: Option<Sprt>,
}

/// The results of one contestant against another.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Pairing {
    /// The contestant that is expected to win.
    pub upper: Contestant,
    /// The contestant in the other seats.
    pub lower: Contestant,
    /// The upper contestant's adjusted share compared with par.
    pub verdict: ParComparison,
    /// The verdict of the sequential test, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
    /// The results of all boards of the pair.
    #[serde(flatten)]
    pub results: ResultTable,
}

/// The position of a share's 95 % interval relative to par.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParComparison {
    /// The whole interval is above par.
    AbovePar,
    /// Par is in the interval.
    NotShown,
    /// The whole interval is below par.
    BelowPar,
}

impl ParComparison {
    /// Compares the interval of a share with par.
    #[must_use]
    pub fn from_share(share: &Estimate, par: f64) -> Self {
        if share.low > par {
            ParComparison::AbovePar
        } else if share.high < par {
            ParComparison::BelowPar
        } else {
            ParComparison::NotShown
        }
    }

    /// The text in the table of results.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            ParComparison::AbovePar => "above par",
            ParComparison::NotShown => "not shown",
            ParComparison::BelowPar => "below par",
        }
    }
}

impl TournamentFormat {
    /// The seatings of a tournament: one for each pair, with the upper contestant in the first seat and the lower one
    /// in the second, and on a ladder the mixed tables at the end.
    pub(super) fn pairings(self, contestants: &[Contestant], players: u8) -> Vec<Seating> {
        let one_of = |upper: &Contestant, lower: &Contestant| {
            let mut seats = vec![lower.clone(); usize::from(players)];
            seats[0] = upper.clone();
            Seating::Fixed(seats)
        };
        match self {
            TournamentFormat::Ladder => {
                let steps = contestants.windows(2);
                let steps = steps.map(|pair| one_of(&pair[1], &pair[0]));
                let mixed = Seating::Drawn(contestants.to_vec());
                steps.chain([mixed]).collect()
            }
            TournamentFormat::Gauntlet => match contestants {
                [first, others @ ..] => others.iter().map(|other| one_of(first, other)).collect(),
                [] => Vec::new(),
            },
            TournamentFormat::RoundRobin => {
                let pairs = contestants.iter().enumerate();
                let pairs = pairs.flat_map(|(at, one)| {
                    let others = contestants[at + 1..].iter();
                    others.map(move |other| [one.clone(), other.clone()])
                });
                let seats = pairs.map(|pair| {
                    let seats = pair.into_iter().cycle();
                    Seating::Fixed(seats.take(usize::from(players)).collect())
                });
                seats.collect()
            }
        }
    }

    /// The name with its article.
    #[must_use]
    pub const fn name_with_article(self) -> &'static str {
        match self {
            TournamentFormat::Ladder => "a ladder",
            TournamentFormat::RoundRobin => "a round robin",
            TournamentFormat::Gauntlet => "a gauntlet",
        }
    }
}

/// The result of a pair.
pub(super) fn pair_result(
    seats: &[Contestant],
    boards: &[BoardResult],
    sprt: Option<SprtReport>,
) -> Pairing {
    let results = ResultTable::from_boards(seats, boards);
    Pairing {
        upper: seats[0].clone(),
        lower: seats[1].clone(),
        verdict: ParComparison::from_share(&results.contestants[0].adjusted, results.par),
        sprt,
        results,
    }
}

/// Ratings over all games of these tables, clustered by board number.
pub(super) fn ratings(
    contestants: &[Contestant],
    seed: u64,
    tables: &[(Seating, Vec<BoardResult>)],
) -> Vec<Rating> {
    let index_of = |seated: &Contestant| {
        let index = contestants
            .iter()
            .position(|contestant| contestant == seated);
        index.expect("the tables seat only contestants of the tournament")
    };
    let mut boards: BTreeMap<u32, Vec<RatedGame>> = BTreeMap::new();
    for (seating, results) in tables {
        let weight = LuckAdjustment::fit(results).weight();
        let counted: Vec<(u32, &BoardResult)> = match seating {
            Seating::Fixed(_) => distinct_boards(results),
            Seating::Drawn(_) => (0..).zip(results).collect(),
        };
        for (board, result) in counted {
            let players = result.games.len() as u8;
            let seats = seating.seats_for_board(BoardKey { seed, board }, players);
            let games = (0..players).zip(&result.games).map(|(rotation, game)| {
                let all = || Player::all(players);
                let indices =
                    all().map(|player| index_of(&seats[seat_of(player, rotation, players)]));
                RatedGame {
                    players: indices.collect(),
                    shares: all().map(|player| game.win_share(player)).collect(),
                    luck: all().map(|player| weight * game.luck(player)).collect(),
                }
            });
            boards.entry(board).or_default().extend(games);
        }
    }
    let boards: Vec<Vec<RatedGame>> = boards.into_values().collect();
    rate(contestants, &boards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_seats(format: TournamentFormat, players: u8, expected: &[&str]) {
        let names = ["random", "book", "own:me"];
        let contestants = names.map(|name| name.parse().expect(name));
        let tables = format.pairings(&contestants, players).into_iter();
        let found = tables.map(|table| match table {
            Seating::Fixed(seats) => {
                let seats: Vec<String> = seats.iter().map(Contestant::to_string).collect();
                seats.join(" ")
            }
            Seating::Drawn(_) => "mixed".to_owned(),
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn pairings_follow_the_format() {
        let ladder = ["book random random", "own:me book book", "mixed"];
        check_seats(TournamentFormat::Ladder, 3, &ladder);
        let gauntlet = ["random book book", "random own:me own:me"];
        check_seats(TournamentFormat::Gauntlet, 3, &gauntlet);
        let robin = ["random book", "random own:me", "book own:me"];
        check_seats(TournamentFormat::RoundRobin, 2, &robin);
        check_seats(
            TournamentFormat::RoundRobin,
            3,
            &[
                "random book random",
                "random own:me random",
                "book own:me book",
            ],
        );
    }
}
