//! A ladder: does each contestant beat the one below, and how far are they apart?
//!
//! Each step is an arena of its own on the same boards: one upper contestant, and the lower contestant
//! in all other seats. Mixed tables, drawn from the whole ladder, connect the ratings.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Contestant;
use super::board::BoardResult;
use super::interval::Estimate;
use super::keys::BoardKey;
use super::rating::{RatedGame, Rating, rate};
use super::seating::{Seating, seat_of};
use super::tally::Tally;
use dice_of_doom_core::game::Player;

/// One contestant against the one below.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// The contestant who should win.
    pub upper: Contestant,
    /// The contestant in all other seats.
    pub lower: Contestant,
    /// Whether the upper one's share is above par.
    pub verdict: Standing,
    /// The sums over all boards of the step.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Where the interval of a share lies compared with par.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The whole interval is above par.
    AbovePar,
    /// Par is in the interval.
    NotShown,
    /// The whole interval is below par.
    BelowPar,
}

impl Standing {
    /// Where the interval of a share lies.
    #[must_use]
    pub fn of(share: &Estimate, par: f64) -> Self {
        if share.low > par {
            Standing::AbovePar
        } else if share.high < par {
            Standing::BelowPar
        } else {
            Standing::NotShown
        }
    }

    /// The words of the table.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Standing::AbovePar => "above par",
            Standing::NotShown => "not shown",
            Standing::BelowPar => "below par",
        }
    }
}

/// The arenas of a ladder: its steps from below, then the mixed tables.
pub(super) fn tables(contestants: &[Contestant], players: u8) -> Vec<Seating> {
    let steps = contestants.windows(2).map(|pair| {
        let mut seats = vec![pair[0]; usize::from(players)];
        seats[0] = pair[1];
        Seating::Fixed(seats)
    });
    let mixed = Seating::Drawn(contestants.to_vec());
    steps.chain([mixed]).collect()
}

/// The result of a step from its boards.
pub(super) fn step(seats: &[Contestant], boards: &[BoardResult]) -> Step {
    let tally = Tally::of(seats, boards);
    Step {
        upper: seats[0],
        lower: seats[1],
        verdict: Standing::of(&tally.seats[0].share, tally.par),
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
        for (board, result) in (0..).zip(results) {
            let players = result.games.len() as u8;
            let seats = seating.at(BoardKey { seed, board }, players);
            let games = (0..players).zip(&result.games).map(|(rotation, game)| {
                let all = || Player::all(players);
                let who = all().map(|player| number(&seats[seat_of(player, rotation, players)]));
                RatedGame {
                    who: who.collect(),
                    shares: all().map(|player| game.share(player)).collect(),
                }
            });
            boards.entry(board).or_default().extend(games);
        }
    }
    let boards: Vec<Vec<RatedGame>> = boards.into_values().collect();
    rate(contestants, &boards)
}
