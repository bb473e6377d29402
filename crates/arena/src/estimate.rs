//! A mean share with its 95 % confidence interval, clustered by board.
//!
//! Games on one board are not independent: a start with many dice helps its player in every rotation. The unit is
//! therefore the board's mean over its rotations. Boards are dealt independently, so their mean m has the standard error
//! s / √boards. If shares are adjusted for luck, the weight is estimated from the same boards, and the error and its
//! degrees of freedom are those of a regression.
//!
//! The interval is Wilson's score interval, which stays within 0 and 1 and has a width even if all boards are equal
//! (*Probable inference, the law of succession, and statistical inference*, 1927), with Kish's effective sample size
//! m(1 − m) / error² in place of the number of trials (*Survey Sampling*, 1965), and Student's quantile in place of the
//! normal one.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::control_variate;

/// A mean share with its confidence interval, which contains the true mean in 95 % of arenas.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The mean of the boards. If it is adjusted for luck, it may be slightly below 0 or above 1.
    #[serde(rename = "share")]
    pub mean: f64,
    /// The lower end of the interval; 0 for a single board, which does not determine a variance.
    pub low: f64,
    /// The upper end of the interval; 1 for a single board.
    pub high: f64,
}

impl Estimate {
    /// The estimate from shares, 0 to 1, one for each board. They are summed in order, so that equal arenas give bit-identical
    /// results.
    #[must_use]
    pub fn from_samples(boards: &[f64]) -> Self {
        Estimate::adjusted(boards, &vec![0.0; boards.len()], 0.0)
    }

    /// The estimate from values minus their weighted controls, one of each per board: see [`control_variate`].
    pub(super) fn adjusted(values: &[f64], controls: &[f64], weight: f64) -> Self {
        let boards = control_variate::adjusted(values, controls, weight);
        let mean = boards.iter().sum::<f64>() / (boards.len() as f64).max(1.0);
        if boards.len() < 2 {
            let (low, high) = (0.0, 1.0);
            return Estimate { mean, low, high };
        }
        let (freedom, error) = control_variate::error_of_mean(&boards, controls, weight);
        let size = effective_sample_size(mean, error, boards.len());
        let (low, high) = score_interval(mean, size, student_t_quantile(freedom));
        Estimate { mean, low, high }
    }

    /// Half the width of the interval.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The maximum number of independent trials that a board counts as, however little the boards differ.
const MAX_TRIALS_PER_BOARD: f64 = 100.0;

/// The number of independent trials, each won or lost, whose mean would have this standard error.
fn effective_sample_size(mean: f64, error: f64, boards: usize) -> f64 {
    let boards = boards as f64;
    let variance = mean * (1.0 - mean);
    if variance > 0.0 {
        (variance / error.powi(2)).min(MAX_TRIALS_PER_BOARD * boards)
    } else {
        boards
    }
}

/// Wilson's interval for a mean of this many trials.
fn score_interval(mean: f64, trials: f64, quantile: f64) -> (f64, f64) {
    let mean = mean.clamp(0.0, 1.0);
    let square = quantile.powi(2) / trials;
    let centre = mean + square / 2.0;
    let half = (square * (mean * (1.0 - mean) + square / 4.0)).sqrt();
    let end = |sum: f64| (sum / (1.0 + square)).clamp(0.0, 1.0);
    (end(centre - half), end(centre + half))
}

/// The 0.975 quantile of Student's t distribution with this number of degrees of freedom.
fn student_t_quantile(freedom: u32) -> f64 {
    StudentsT::new(0.0, 1.0, f64::from(freedom))
        .expect("there is at least one degree of freedom")
        .inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn quantiles_match_published_tables() {
        // Abramowitz and Stegun, table 26.10.
        for (freedom, quantile) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (10, 2.228),
            (29, 2.045),
            (60, 2.000),
            (120, 1.980),
            (100_000, 1.960),
        ] {
            let found = student_t_quantile(freedom);
            assert!((found - quantile).abs() < 6e-4, "{freedom}: {found}");
        }
    }

    #[test]
    fn interval_of_a_worked_example() {
        // Mean 0.3; squares 0.04 + 0.01 + 0 + 0.01 + 0.04 = 0.1; error² = 0.1 / 4 / 5 = 0.005; 0.21 / 0.005 = 42 trials;
        // t²/n = 2.776445² / 42 = 0.183540; (0.3 + 0.091770 ± √(0.183540 · (0.21 + 0.045885))) / 1.183540.
        let estimate = Estimate::from_samples(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        assert!((estimate.mean - 0.3).abs() < 1e-12, "{estimate:?}");
        assert!((estimate.low - 0.147_907).abs() < 1e-5, "{estimate:?}");
        assert!((estimate.high - 0.514_123).abs() < 1e-5, "{estimate:?}");
    }

    #[test]
    fn intervals_have_a_width_and_stay_within_0_and_1() {
        for boards in [2, 5, 50] {
            for share in [0.0, 0.25, 0.5, 1.0] {
                let Estimate { mean, low, high } = Estimate::from_samples(&vec![share; boards]);
                assert!(0.0 <= low && low <= mean && mean <= high && high <= 1.0);
                assert!(high - low > 1e-3, "{boards} {share}: {low} {high}");
            }
        }
        // An interval of Student's would be −35.7 … 123.2 %, and an adjusted mean may be below 0.
        for boards in [[0.25, 0.6], [-0.1, 0.05]] {
            let Estimate { low, high, .. } = Estimate::from_samples(&boards);
            assert!(0.0 <= low && low < high && high <= 1.0, "{low} {high}");
        }
    }

    /// The number of 10,000 simulated matches whose interval contains the true share.
    fn covered(share: f64, boards: usize, games: u32, with_board_effects: bool, seed: u64) -> u32 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Pólya's urn gives beta-binomial wins: each game of a board makes its result likelier in the next.
        let weight = 10.0;
        let mut covered = 0;
        let mut shares = vec![0.0; boards];
        for _ in 0..10_000 {
            for board in &mut shares {
                let mut won = 0.0;
                for game in 0..games {
                    let chance = match with_board_effects {
                        true => (weight * share + won) / (weight + f64::from(game)),
                        false => share,
                    };
                    won += f64::from(u8::from(rng.random::<f32>() < chance as f32));
                }
                *board = won / f64::from(games);
            }
            let found = Estimate::from_samples(&shares);
            covered += u32::from(found.low <= share && share <= found.high);
        }
        covered
    }

    /// `DOD_ARENA_COVERAGE=1 cargo test --release -p dice-of-doom-arena coverage` simulates all combinations;
    /// otherwise there are fewer.
    #[test]
    fn intervals_have_a_coverage_of_93_to_97_per_cent() {
        let all = std::env::var_os("DOD_ARENA_COVERAGE").is_some();
        let mut number = 0;
        for boards in [50, 100, 400] {
            for games in [2, 4] {
                for with_board_effects in [false, true] {
                    for share in [0.1, 0.25, 0.5, 0.75, 0.9] {
                        number += 1;
                        if !all && number % 13 != 1 {
                            continue;
                        }
                        let found = covered(share, boards, games, with_board_effects, number);
                        assert!(
                            (9_300..=9_700).contains(&found),
                            "{share}, {boards} × {games}, board effects {with_board_effects}: {found}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_single_board_has_the_widest_interval() {
        let estimate = Estimate::from_samples(&[0.7]);
        assert_eq!(
            (estimate.low, estimate.mean, estimate.high),
            (0.0, 0.7, 1.0)
        );
    }
}
