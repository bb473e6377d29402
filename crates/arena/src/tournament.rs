//! Tournaments: who beats whom, and how far are they apart?
//!
//! Each pair has an arena of its own on the same boards. On a ladder each contestant meets the one below,
//! in a gauntlet the first meets everybody else: one of the upper, the lower in all other seats. In a
//! round robin everybody meets everybody, in alternate seats. Mixed tables, drawn from the whole ladder,
//! connect its ratings; the other forms need none.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Contestant;
use super::board::BoardResult;
use super::estimate::Estimate;
use super::luck::LuckAdjustment;
use super::rating::{RatedGame, Rating, rate};
use super::report::SprtReport;
use super::results::ResultTable;
use super::rng_keys::BoardKey;
use super::seating::{Seating, seat_of};
use super::sprt::Sprt;
use dice_of_doom_core::game::Player;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TournamentFormat {
    /// Each contestant against the one before, and then all of them mixed.
    Ladder,
    /// Everybody against everybody.
    RoundRobin,
    /// The first against each of the others.
    Gauntlet,
}

/// A tournament as it is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Tournament {
    /// Who meets whom.
    pub form: TournamentFormat,
    /// Everybody who plays, each once.
    pub contestants: Vec<Contestant>,
    /// A pair stops as soon as this test of its upper contestant has a verdict.
    pub sprt: Option<Sprt>,
}

/// One contestant against another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pairing {
    /// The contestant who should win.
    pub upper: Contestant,
    /// The contestant in the other seats.
    pub lower: Contestant,
    /// Whether the upper one's adjusted share is above par.
    pub verdict: ParComparison,
    /// The verdict of the test, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
    /// The sums over all boards of the step.
    #[serde(flatten)]
    pub tally: ResultTable,
}

/// Where the interval of a share lies compared with par.
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
    /// Where the interval of a share lies.
    #[must_use]
    pub fn of(share: &Estimate, par: f64) -> Self {
        if share.low > par {
            ParComparison::AbovePar
        } else if share.high < par {
            ParComparison::BelowPar
        } else {
            ParComparison::NotShown
        }
    }

    /// The words of the table.
    #[must_use]
    pub const fn table_rows(self) -> &'static str {
        match self {
            ParComparison::AbovePar => "above par",
            ParComparison::NotShown => "not shown",
            ParComparison::BelowPar => "below par",
        }
    }
}

impl TournamentFormat {
    /// The arenas of a tournament: one for each pair, whose first seat is the upper contestant's and whose
    /// second the lower one's; on a ladder then the mixed tables.
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
    pub const fn name(self) -> &'static str {
        match self {
            TournamentFormat::Ladder => "a ladder",
            TournamentFormat::RoundRobin => "a round robin",
            TournamentFormat::Gauntlet => "a gauntlet",
        }
    }
}

/// The result of a pair from its boards.
pub(super) fn pair_result(
    seats: &[Contestant],
    boards: &[BoardResult],
    sprt: Option<SprtReport>,
) -> Pairing {
    let tally = ResultTable::of(seats, boards);
    Pairing {
        upper: seats[0].clone(),
        lower: seats[1].clone(),
        verdict: ParComparison::of(&tally.contestants[0].adjusted, tally.par),
        sprt,
        tally,
    }
}

/// Ratings over all games of these tables; games on one board belong together.
pub(super) fn ratings(
    contestants: &[Contestant],
    seed: u64,
    tables: &[(Seating, Vec<BoardResult>)],
) -> Vec<Rating> {
    let number = |who: &Contestant| {
        let number = contestants.iter().position(|contestant| contestant == who);
        number.expect("tables seat whom the ladder has")
    };
    let mut boards: BTreeMap<u32, Vec<RatedGame>> = BTreeMap::new();
    for (seating, results) in tables {
        let weight = LuckAdjustment::fit(results).weight();
        for (board, result) in (0..).zip(results) {
            let players = result.games.len() as u8;
            let seats = seating.seats_for_board(BoardKey { seed, board }, players);
            let games = (0..players).zip(&result.games).map(|(rotation, game)| {
                let all = || Player::all(players);
                let who = all().map(|player| number(&seats[seat_of(player, rotation, players)]));
                RatedGame {
                    who: who.collect(),
                    shares: all().map(|player| game.share(player)).collect(),
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
    fn seats(form: TournamentFormat, players: u8, expected: &[&str]) {
        let names = ["random", "book", "own:me"];
        let contestants = names.map(|name| name.parse().expect(name));
        let tables = form.pairings(&contestants, players).into_iter();
        let told = tables.map(|table| match table {
            Seating::Fixed(seats) => {
                let seats: Vec<String> = seats.iter().map(Contestant::to_string).collect();
                seats.join(" ")
            }
            Seating::Drawn(_) => "mixed".to_owned(),
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn everybody_meets_whom_the_form_says() {
        let ladder = ["book random random", "own:me book book", "mixed"];
        seats(TournamentFormat::Ladder, 3, &ladder);
        let gauntlet = ["random book book", "random own:me own:me"];
        seats(TournamentFormat::Gauntlet, 3, &gauntlet);
        let robin = ["random book", "random own:me", "book own:me"];
        seats(TournamentFormat::RoundRobin, 2, &robin);
        seats(
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
