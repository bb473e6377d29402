//! Ratings over all games of a ladder.
//!
//! The model is Luce's choice axiom (*Individual Choice Behavior*, 1959; for two players it is Bradley
//! and Terry's, for the winner alone Plackett and Luce's): everybody has a strength θ, and of the
//! players of a game each wins with probability exp θ / Σ exp θ. Tied winners count as parts of a game.
//! The ratings are those that make the games most probable, found by Newton's method. They do not
//! depend on the order of the games, as ratings that are updated game by game do (Elo, Glicko; Weng
//! and Lin 2011), and whoever sits at a table several times is no difficulty. They are computed here,
//! because the crate of the field, skillratings, knows only ratings that are updated.
//!
//! Then the luck with the dice is taken from them: how far the luck of all boards has moved a rating is known, and a
//! part of it is taken back, by regression as for [shares](super::Adjustment). (Shares that are adjusted before they
//! are rated can be negative, and then nothing need be most probable.)
//!
//! The unit is Elo's: 400 points are odds of ten to one in a game of two. The first contestant is
//! anchored at [`ANCHOR`]. Intervals are for comparing any two ratings: what all of them share, such as the
//! anchor's luck, is in none. They come from the variances of all differences, sandwich estimates
//! clustered by board (Liang and Zeger, 1986), as [quasi-variances](super::quasi_variance). One drawn game between
//! neighbours is added to those that were played, so that a contestant who never won has a rating, too.

use std::f64::consts::LN_10;

use serde::Serialize;

use super::Contestant;
use super::control_variate::{self, Spread};
use super::quasi_variance;

/// The rating of the first contestant.
pub const ANCHOR: f64 = 1000.0;

/// What the ratings need of one game.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedGame {
    /// The players, as indices among the contestants.
    pub who: Vec<usize>,
    /// What each of them got; it sums to 1.
    pub shares: Vec<f64>,
    /// How much of it was luck; it sums to 0.
    pub luck: Vec<f64>,
}

/// The rating of a contestant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// The contestant.
    pub contestant: Contestant,
    /// The rating in points.
    pub rating: f64,
    /// The lower end of the 95 % interval, which is for comparing it with another rating.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Rates contestants over games that are grouped by their boards.
#[must_use]
pub fn rate(contestants: &[Contestant], boards: &[Vec<RatedGame>]) -> Vec<Rating> {
    let mut strengths = vec![0.0; contestants.len()];
    let neighbours: Vec<RatedGame> = (1..contestants.len())
        .map(|upper| RatedGame {
            who: vec![upper - 1, upper],
            shares: vec![0.5, 0.5],
            luck: vec![0.0, 0.0],
        })
        .collect();
    // Far from the maximum Newton's step may be too long.
    const LONGEST_STEP: f64 = 2.0;
    const MOST_STEPS: u32 = 200;
    for _ in 0..MOST_STEPS {
        let mut slope = Slope::of(&neighbours, &strengths);
        for games in boards {
            slope.add(&Slope::of(games, &strengths));
        }
        let steps = slope.steps();
        for (strength, step) in strengths.iter_mut().zip(&steps) {
            *strength += step.clamp(-LONGEST_STEP, LONGEST_STEP);
        }
        if steps.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    let points = 400.0 / LN_10;
    let found = without_luck(&neighbours, boards, &strengths);
    let anchor = found.first().map_or(0.0, |first| first.strength);
    let rated = contestants.iter().zip(&found);
    rated
        .map(|(contestant, found)| {
            let rating = ANCHOR + points * (found.strength - anchor);
            let half = 1.96 * points * found.deviation;
            Rating {
                contestant: contestant.clone(),
                rating,
                low: rating - half,
                high: rating + half,
            }
        })
        .collect()
}

/// The first and second derivatives of the games' log likelihood.
struct Slope {
    gradient: Vec<f64>,
    /// The negative Hessian, which is positive definite.
    curvature: Vec<Vec<f64>>,
}

impl Slope {
    fn of(games: &[RatedGame], strengths: &[f64]) -> Self {
        let size = strengths.len();
        let mut slope = Slope {
            gradient: vec![0.0; size],
            curvature: vec![vec![0.0; size]; size],
        };
        for game in games {
            let strongest = game.who.iter().map(|&who| strengths[who]);
            let strongest = strongest.fold(f64::NEG_INFINITY, f64::max);
            let weights = game
                .who
                .iter()
                .map(|&who| (strengths[who] - strongest).exp());
            let weights: Vec<f64> = weights.collect();
            let all: f64 = weights.iter().sum();
            let mut chances = vec![0.0; size];
            for ((&who, share), weight) in game.who.iter().zip(&game.shares).zip(&weights) {
                slope.gradient[who] += share - weight / all;
                chances[who] += weight / all;
            }
            for (row, &chance) in chances.iter().enumerate() {
                slope.curvature[row][row] += chance;
                for (column, &other) in chances.iter().enumerate() {
                    slope.curvature[row][column] -= chance * other;
                }
            }
        }
        slope
    }

    fn add(&mut self, other: &Slope) {
        for (sum, value) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += value;
        }
        for (sums, values) in self.curvature.iter_mut().zip(&other.curvature) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
    }

    /// Newton's step; the first contestant's strength is fixed.
    fn steps(&self) -> Vec<f64> {
        let inverse = inverse_but_first(&self.curvature);
        product(&inverse, &self.gradient)
    }
}

/// A strength, and how far it may be from others.
struct Fitted {
    strength: f64,
    /// The root of its quasi-variance, from how much the boards differ.
    deviation: f64,
}

/// The strengths less what luck has to do with them.
fn without_luck(
    neighbours: &[RatedGame],
    boards: &[Vec<RatedGame>],
    strengths: &[f64],
) -> Vec<Fitted> {
    let size = strengths.len();
    let mut sum = Slope::of(neighbours, strengths);
    let slopes = boards.iter().map(|games| Slope::of(games, strengths));
    let slopes: Vec<Slope> = slopes.collect();
    for slope in &slopes {
        sum.add(slope);
    }
    let inverse = inverse_but_first(&sum.curvature);
    // By how much each board moves the strengths, and how much of it was luck: a list for each strength.
    let pulls = slopes
        .iter()
        .map(|slope| from_mean(&inverse, &slope.gradient));
    let pulls = columns(pulls, size);
    let lucks = boards
        .iter()
        .map(|games| from_mean(&inverse, &luck(games, size)));
    let lucks = columns(lucks, size);
    let measured = pulls.into_iter().zip(lucks);
    let parts = measured.map(|(pulls, lucks)| {
        let measured = [(pulls, lucks)];
        let weight = control_variate::weight(&measured);
        let [(pulls, lucks)] = measured;
        let own = control_variate::adjusted(&pulls, &lucks, weight);
        let taken = weight * lucks.iter().sum::<f64>();
        (own, taken)
    });
    let (own, taken): (Vec<Vec<f64>>, Vec<f64>) = parts.unzip();
    let variance = |one: &Vec<f64>, other: &Vec<f64>| {
        let apart: Vec<f64> = one
            .iter()
            .zip(other)
            .map(|(one, other)| one - other)
            .collect();
        let number = apart.len() as f64;
        // One degree of freedom is the mean's, one that of the weight of luck.
        Spread::of(&apart).squares * number / (number - 2.0).max(1.0)
    };
    let differences = own.iter().map(|one| {
        let row = own.iter().map(|other| variance(one, other));
        row.collect()
    });
    let variances = quasi_variance::variances(&differences.collect::<Vec<_>>());
    let found = strengths.iter().zip(taken).zip(variances);
    let found = found.map(|((strength, taken), variance)| Fitted {
        strength: strength - taken,
        deviation: variance.sqrt(),
    });
    found.collect()
}

/// How far a slope pulls the strengths away from their mean.
fn from_mean(inverse: &[Vec<f64>], gradient: &[f64]) -> Vec<f64> {
    let pulls = product(inverse, gradient);
    let mean = pulls.iter().sum::<f64>() / pulls.len() as f64;
    pulls.into_iter().map(|pull| pull - mean).collect()
}

fn columns(rows: impl Iterator<Item = Vec<f64>>, size: usize) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); size];
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    columns
}

/// The luck of all who played these games.
fn luck(games: &[RatedGame], contestants: usize) -> Vec<f64> {
    let mut sums = vec![0.0; contestants];
    for game in games {
        for (&who, luck) in game.who.iter().zip(&game.luck) {
            sums[who] += luck;
        }
    }
    sums
}

fn product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let row = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(row).collect()
}

/// The inverse of a positive definite matrix without its first row and column, which become zeros
/// (Gauss and Jordan; such a matrix needs no pivots).
fn inverse_but_first(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut left = matrix.to_vec();
    let mut inverse = vec![vec![0.0; size]; size];
    for (at, row) in inverse.iter_mut().enumerate().skip(1) {
        row[at] = 1.0;
    }
    for at in 1..size {
        let pivot = left[at][at];
        for column in 1..size {
            left[at][column] /= pivot;
            inverse[at][column] /= pivot;
        }
        for row in (1..size).filter(|&row| row != at) {
            let factor = left[row][at];
            for column in 1..size {
                left[row][column] -= factor * left[at][column];
                inverse[row][column] -= factor * inverse[at][column];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use dice_of_doom_core::level::Level;

    fn contestants(number: usize) -> Vec<Contestant> {
        let levels = Level::ALL.into_iter().take(number);
        levels.map(Contestant::from).collect()
    }

    /// A game that the first of these won.
    fn won(who: [usize; 2]) -> RatedGame {
        RatedGame {
            who: who.to_vec(),
            shares: vec![1.0, 0.0],
            luck: vec![0.0, 0.0],
        }
    }

    #[test]
    fn ten_to_one_is_400_points() {
        // With the drawn game: 99.5 + 0.5 wins against 9.5 + 0.5.
        let mut games = vec![won([1, 0]); 99];
        games.extend(vec![won([0, 1]); 9]);
        let half = RatedGame {
            who: vec![0, 1],
            shares: vec![0.5, 0.5],
            luck: vec![0.0, 0.0],
        };
        games.push(half);
        let boards: Vec<Vec<RatedGame>> = games.into_iter().map(|game| vec![game]).collect();
        let [first, second] = &rate(&contestants(2), &boards)[..] else {
            panic!("two ratings");
        };
        assert_eq!(first.rating, ANCHOR);
        // Of two, each is as far from their mean as the other.
        let half = |rating: &Rating| rating.high - rating.rating;
        assert!(
            (half(first) - half(second)).abs() < 1e-6,
            "{first:?} {second:?}"
        );
        assert!(half(first) > 1.0, "{first:?}");
        assert!((second.rating - ANCHOR - 400.0).abs() < 1e-6, "{second:?}");
    }

    #[test]
    fn who_never_won_has_a_rating() {
        let boards = vec![vec![won([1, 0]); 50]];
        let ratings = rate(&contestants(2), &boards);
        assert!(
            ratings[1].rating.is_finite() && ratings[1].rating > ANCHOR + 500.0,
            "{ratings:?}"
        );
    }

    #[test]
    fn who_never_won_has_a_rating_with_bad_luck_too() {
        // Two who win half of the games each, and a third whose luck would be below all that was won.
        let board = |number: usize| {
            let first = (number % 2) as f64;
            RatedGame {
                who: vec![0, 1, 2],
                shares: vec![first, 1.0 - first, 0.0],
                luck: vec![first - 0.51, 0.5 - first, 0.01],
            }
        };
        let boards: Vec<Vec<RatedGame>> = (0..100).map(|number| vec![board(number)]).collect();
        for rating in rate(&contestants(3), &boards) {
            let numbers = [rating.rating, rating.low, rating.high];
            let near = |number: &f64| (number - ANCHOR).abs() < 3000.0;
            assert!(numbers.iter().all(near), "{rating:?}");
        }
    }

    #[test]
    fn luck_is_taken_from_ratings() {
        // Two equals: who has the luck wins. All of what one is ahead was luck.
        let board = |number: usize| {
            let won = f64::from(u8::from(number.is_multiple_of(3)));
            vec![RatedGame {
                who: vec![0, 1],
                shares: vec![won, 1.0 - won],
                luck: vec![won - 0.5, 0.5 - won],
            }]
        };
        let boards: Vec<Vec<RatedGame>> = (0..99).map(board).collect();
        let [first, second] = &rate(&contestants(2), &boards)[..] else {
            panic!("two ratings");
        };
        assert_eq!(first.rating, ANCHOR);
        // The likelihood is no line, so the step is not exact: of 119 points it takes 129.
        assert!((second.rating - ANCHOR).abs() < 10.0, "{second:?}");
        assert!(second.high - second.low < 1.0, "{second:?}");
    }

    #[test]
    fn nobody_played() {
        assert_eq!(rate(&contestants(1), &[])[0].rating, ANCHOR);
        assert_eq!(rate(&contestants(3), &[])[2].rating, ANCHOR);
    }

    #[test]
    fn strengths_are_found_again() {
        // Four contestants 200 points apart, tables of three; each true distance from the mean lies in its
        // interval with 95 %, and within twice its width but once in 10,000.
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let boards: Vec<Vec<RatedGame>> = (0..1500)
            .map(|_| {
                let who: Vec<usize> = (0..3).map(|_| rng.random_range(0..4)).collect();
                let weights = who.iter().map(|&who| 10_f64.powf(who as f64 / 2.0));
                let weights: Vec<f64> = weights.collect();
                let mut drawn = rng.random_range(0.0..weights.iter().sum());
                let mut shares = vec![0.0; 3];
                for (share, weight) in shares.iter_mut().zip(weights) {
                    if drawn >= 0.0 && drawn < weight {
                        *share = 1.0;
                    }
                    drawn -= weight;
                }
                let luck = vec![0.0; 3];
                vec![RatedGame { who, shares, luck }]
            })
            .collect();
        let ratings = rate(&contestants(4), &boards);
        let mean = ratings.iter().map(|rating| rating.rating).sum::<f64>() / 4.0;
        for (number, rating) in ratings.iter().enumerate() {
            let truth = mean + 200.0 * (number as f64 - 1.5);
            let half = rating.high - rating.rating;
            assert!(half < 40.0, "seed 5: {rating:?}");
            assert!(
                (rating.rating - truth).abs() <= 2.0 * half,
                "seed 5: {rating:?}"
            );
        }
    }
}
