//! Ratings over all games of a tournament.
//!
//! The model is Luce's choice axiom (*Individual Choice Behavior*, 1959; the Bradley–Terry model for two players, the
//! Plackett–Luce model restricted to the winner): each contestant has a strength θ, and each player of a game wins with
//! probability exp θ / Σ exp θ. Tied winners count as fractions of a game. The ratings are the maximum likelihood
//! estimates, computed with Newton's method. Unlike ratings that are updated game by game (Elo, Glicko; Weng and Lin
//! 2011, the only kind in the crate skillratings), they do not depend on the order of the games, and a contestant may
//! have several seats at a table.
//!
//! Then the ratings are adjusted for luck with the dice: the effect of the luck of all boards on each rating is
//! computed, and a part of it, found by regression as for [shares](super::LuckAdjustment), is subtracted. (Adjusting
//! the shares before the fit could make them negative, and then the likelihood need not have a maximum.)
//!
//! The unit is Elo's: 400 points are odds of ten to one between two players. The first contestant is anchored at
//! [`ANCHOR`]. The intervals serve to compare any two ratings, so errors common to all ratings, such as the anchor's
//! luck, are excluded. They are [quasi-variances](super::quasi_variance), computed from the variances of all
//! differences, which are sandwich estimates clustered by board (Liang and Zeger, 1986). One drawn game between
//! neighbours is added to those that were played, so that a contestant without a win has a finite rating.

use std::f64::consts::LN_10;

use serde::Serialize;

use super::Contestant;
use super::control_variate::{self, Spread};
use super::quasi_variance;

/// The rating of the first contestant.
pub const ANCHOR: f64 = 1000.0;

/// One game as input of the ratings.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedGame {
    /// The players, as indices into the contestants.
    pub players: Vec<usize>,
    /// The share of each player; the sum is 1.
    pub shares: Vec<f64>,
    /// The part of each share that was luck with the dice, already weighted; the sum is 0.
    pub luck: Vec<f64>,
}

/// The rating of a contestant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// The contestant.
    pub contestant: Contestant,
    /// The rating in points.
    pub rating: f64,
    /// The lower end of the 95 % interval for comparisons with another rating.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Computes ratings from games grouped by board.
#[must_use]
pub fn rate(contestants: &[Contestant], boards: &[Vec<RatedGame>]) -> Vec<Rating> {
    let mut strengths = vec![0.0; contestants.len()];
    let neighbours: Vec<RatedGame> = (1..contestants.len())
        .map(|upper| RatedGame {
            players: vec![upper - 1, upper],
            shares: vec![0.5, 0.5],
            luck: vec![0.0, 0.0],
        })
        .collect();
    // Newton's step can overshoot far from the maximum.
    const MAX_STEP: f64 = 2.0;
    const MAX_ITERATIONS: u32 = 200;
    for _ in 0..MAX_ITERATIONS {
        let mut derivatives = LikelihoodDerivatives::from_games(&neighbours, &strengths);
        for games in boards {
            derivatives.add(&LikelihoodDerivatives::from_games(games, &strengths));
        }
        let step_sizes = derivatives.newton_step();
        for (strength, step) in strengths.iter_mut().zip(&step_sizes) {
            *strength += step.clamp(-MAX_STEP, MAX_STEP);
        }
        if step_sizes.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    let points = 400.0 / LN_10;
    let fitted = adjust_for_luck(&neighbours, boards, &strengths);
    let anchor = fitted.first().map_or(0.0, |first| first.strength);
    let rated = contestants.iter().zip(&fitted);
    rated
        .map(|(contestant, fitted)| {
            let rating = ANCHOR + points * (fitted.strength - anchor);
            let half = 1.96 * points * fitted.deviation;
            Rating {
                contestant: contestant.clone(),
                rating,
                low: rating - half,
                high: rating + half,
            }
        })
        .collect()
}

/// The first and second derivatives of the log likelihood of some games.
struct LikelihoodDerivatives {
    gradient: Vec<f64>,
    /// The negative Hessian, which is positive definite.
    curvature: Vec<Vec<f64>>,
}

impl LikelihoodDerivatives {
    fn from_games(games: &[RatedGame], strengths: &[f64]) -> Self {
        let size = strengths.len();
        let mut derivatives = LikelihoodDerivatives {
            gradient: vec![0.0; size],
            curvature: vec![vec![0.0; size]; size],
        };
        for game in games {
            let max_strength = game.players.iter().map(|&player| strengths[player]);
            let max_strength = max_strength.fold(f64::NEG_INFINITY, f64::max);
            let weights = game
                .players
                .iter()
                .map(|&player| (strengths[player] - max_strength).exp());
            let weights: Vec<f64> = weights.collect();
            let total: f64 = weights.iter().sum();
            let mut chances = vec![0.0; size];
            for ((&player, share), weight) in game.players.iter().zip(&game.shares).zip(&weights) {
                derivatives.gradient[player] += share - weight / total;
                chances[player] += weight / total;
            }
            for (row, &chance) in chances.iter().enumerate() {
                derivatives.curvature[row][row] += chance;
                for (column, &other) in chances.iter().enumerate() {
                    derivatives.curvature[row][column] -= chance * other;
                }
            }
        }
        derivatives
    }

    fn add(&mut self, other: &LikelihoodDerivatives) {
        for (sum, value) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += value;
        }
        for (sums, values) in self.curvature.iter_mut().zip(&other.curvature) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
    }

    /// Newton's step for each strength; the first strength is fixed.
    fn newton_step(&self) -> Vec<f64> {
        let inverse = inverse_but_first(&self.curvature);
        matrix_product(&inverse, &self.gradient)
    }
}

/// A strength with its error.
struct Fitted {
    strength: f64,
    /// The square root of its quasi-variance.
    deviation: f64,
}

/// The strengths adjusted for luck, with quasi-variances clustered by board.
fn adjust_for_luck(
    neighbours: &[RatedGame],
    boards: &[Vec<RatedGame>],
    strengths: &[f64],
) -> Vec<Fitted> {
    let size = strengths.len();
    let mut sum = LikelihoodDerivatives::from_games(neighbours, strengths);
    let by_board = boards
        .iter()
        .map(|games| LikelihoodDerivatives::from_games(games, strengths));
    let by_board: Vec<LikelihoodDerivatives> = by_board.collect();
    for derivatives in &by_board {
        sum.add(derivatives);
    }
    let inverse = inverse_but_first(&sum.curvature);
    // For each strength: the effect of each board on it, and the part of that effect that was luck.
    let steps = by_board
        .iter()
        .map(|derivatives| centred_step(&inverse, &derivatives.gradient));
    let steps = transpose(steps, size);
    let lucks = boards
        .iter()
        .map(|games| centred_step(&inverse, &luck_sums(games, size)));
    let lucks = transpose(lucks, size);
    let pairs = steps.into_iter().zip(lucks);
    let parts = pairs.map(|(steps, lucks)| {
        let pairs = [(steps, lucks)];
        let weight = control_variate::fit_weight(&pairs);
        let [(steps, lucks)] = pairs;
        let adjusted_steps = control_variate::adjusted(&steps, &lucks, weight);
        let removed = weight * lucks.iter().sum::<f64>();
        (adjusted_steps, removed)
    });
    let (adjusted_steps, removed): (Vec<Vec<f64>>, Vec<f64>) = parts.unzip();
    let variance = |one: &Vec<f64>, other: &Vec<f64>| {
        let distances: Vec<f64> = one
            .iter()
            .zip(other)
            .map(|(one, other)| one - other)
            .collect();
        let count = distances.len() as f64;
        // One degree of freedom is used by the mean and one by the luck weight.
        Spread::from_values(&distances).sum_of_squares * count / (count - 2.0).max(1.0)
    };
    let differences = adjusted_steps.iter().map(|one| {
        let row = adjusted_steps.iter().map(|other| variance(one, other));
        row.collect()
    });
    let variances = quasi_variance::quasi_variances(&differences.collect::<Vec<_>>());
    let fitted = strengths.iter().zip(removed).zip(variances);
    let fitted = fitted.map(|((strength, removed), variance)| Fitted {
        strength: strength - removed,
        deviation: variance.sqrt(),
    });
    fitted.collect()
}

/// The change of the strengths for this gradient (one Newton step), relative to the mean change.
fn centred_step(inverse: &[Vec<f64>], gradient: &[f64]) -> Vec<f64> {
    let steps = matrix_product(inverse, gradient);
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    steps.into_iter().map(|step| step - mean).collect()
}

fn transpose(rows: impl Iterator<Item = Vec<f64>>, size: usize) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); size];
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    columns
}

/// The sum of each contestant's luck over these games.
fn luck_sums(games: &[RatedGame], contestants: usize) -> Vec<f64> {
    let mut sums = vec![0.0; contestants];
    for game in games {
        for (&player, luck) in game.players.iter().zip(&game.luck) {
            sums[player] += luck;
        }
    }
    sums
}

fn matrix_product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let row = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(row).collect()
}

/// The inverse of a positive definite matrix without its first row and column, which become zero (Gauss–Jordan
/// elimination; no pivoting is needed).
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
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use dice_of_doom_core::level::Level;

    fn contestants(number: usize) -> Vec<Contestant> {
        let levels = Level::ALL.iter().take(number);
        levels.map(|&level| level.into()).collect()
    }

    /// A game between two contestants, won by the first.
    fn won(players: [usize; 2]) -> RatedGame {
        RatedGame {
            players: players.to_vec(),
            shares: vec![1.0, 0.0],
            luck: vec![0.0, 0.0],
        }
    }

    #[test]
    fn odds_of_ten_to_one_are_400_points() {
        // With the added draw: 99.5 + 0.5 wins against 9.5 + 0.5.
        let mut games = vec![won([1, 0]); 99];
        games.extend(vec![won([0, 1]); 9]);
        let half = RatedGame {
            players: vec![0, 1],
            shares: vec![0.5, 0.5],
            luck: vec![0.0, 0.0],
        };
        games.push(half);
        let boards: Vec<Vec<RatedGame>> = games.into_iter().map(|game| vec![game]).collect();
        let [first, second] = &rate(&contestants(2), &boards)[..] else {
            panic!("expected two ratings");
        };
        assert_eq!(first.rating, ANCHOR);
        // With two contestants both intervals have the same width.
        let half = |rating: &Rating| rating.high - rating.rating;
        assert!(
            (half(first) - half(second)).abs() < 1e-6,
            "{first:?} {second:?}"
        );
        assert!(half(first) > 1.0, "{first:?}");
        assert!((second.rating - ANCHOR - 400.0).abs() < 1e-6, "{second:?}");
    }

    #[test]
    fn contestant_without_a_win_has_a_finite_rating() {
        let boards = vec![vec![won([1, 0]); 50]];
        let ratings = rate(&contestants(2), &boards);
        assert!(
            ratings[1].rating.is_finite() && ratings[1].rating > ANCHOR + 500.0,
            "{ratings:?}"
        );
    }

    #[test]
    fn contestant_without_a_win_but_with_luck_has_a_finite_rating() {
        // Two contestants win half of the games each; the third has more good luck than its share.
        let board = |number: usize| {
            let first = (number % 2) as f64;
            RatedGame {
                players: vec![0, 1, 2],
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
    fn ratings_are_adjusted_for_luck() {
        // Two equal contestants: the lucky one wins, so the whole difference of the shares is luck.
        let board = |number: usize| {
            let won = f64::from(u8::from(number.is_multiple_of(3)));
            vec![RatedGame {
                players: vec![0, 1],
                shares: vec![won, 1.0 - won],
                luck: vec![won - 0.5, 0.5 - won],
            }]
        };
        let boards: Vec<Vec<RatedGame>> = (0..99).map(board).collect();
        let [first, second] = &rate(&contestants(2), &boards)[..] else {
            panic!("expected two ratings");
        };
        assert_eq!(first.rating, ANCHOR);
        // The log likelihood is not quadratic, so one step is not exact: it removes 129 of 119 points.
        assert!((second.rating - ANCHOR).abs() < 10.0, "{second:?}");
        assert!(second.high - second.low < 1.0, "{second:?}");
    }

    #[test]
    fn without_games_all_ratings_are_the_anchor() {
        assert_eq!(rate(&contestants(1), &[])[0].rating, ANCHOR);
        assert_eq!(rate(&contestants(3), &[])[2].rating, ANCHOR);
    }

    #[test]
    fn known_strengths_are_recovered() {
        // Four contestants 200 points apart at tables of three. Each true distance from the mean lies in the interval
        // with probability 95 %, and within twice its width except once in 10,000.
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let boards: Vec<Vec<RatedGame>> = (0..1500)
            .map(|_| {
                let players: Vec<usize> = (0..3).map(|_| rng.random_range(0..4)).collect();
                let weights = players
                    .iter()
                    .map(|&player| 10_f64.powf(player as f64 / 2.0));
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
                vec![RatedGame {
                    players,
                    shares,
                    luck,
                }]
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
