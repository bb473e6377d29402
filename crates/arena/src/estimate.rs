//! A mean with its 95 % confidence interval, clustered by board.
//!
//! Games on one board are not independent: a start with many dice helps its player in every rotation. The unit is
//! therefore the board's mean over its rotations. Boards are dealt independently, so their mean has Student's interval:
//! mean ± t(0.975, boards − 1) · s / √boards. If shares are adjusted for luck, the weight is estimated from the same
//! boards and the interval is that of a regression.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::control_variate;

/// A mean with its confidence interval, which contains the true mean in 95 % of arenas.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The mean of the boards.
    #[serde(rename = "share")]
    pub mean: f64,
    /// The lower end of the interval; 0 for a single board, which does not determine a variance.
    pub low: f64,
    /// The upper end of the interval; 1 for a single board.
    pub high: f64,
}

impl Estimate {
    /// The estimate from samples, one for each board. They are summed in order, so that equal arenas give bit-identical
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
        let half = student_t_quantile(freedom) * error;
        Estimate {
            mean,
            low: mean - half,
            high: mean + half,
        }
    }

    /// Half the width of the interval.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The 0.975 quantile of Student's t distribution with this number of degrees of freedom.
fn student_t_quantile(freedom: u32) -> f64 {
    StudentsT::new(0.0, 1.0, f64::from(freedom))
        .expect("there is at least one degree of freedom")
        .inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
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
        // Mean 0.3; squares 0.04 + 0.01 + 0 + 0.01 + 0.04 = 0.1; s = √(0.1 / 4) = 0.158114; half width 2.776445 ·
        // 0.158114 / √5 = 0.196324.
        let estimate = Estimate::from_samples(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        assert!((estimate.mean - 0.3).abs() < 1e-12, "{estimate:?}");
        assert!(
            (estimate.half_width() - 0.196_324).abs() < 1e-6,
            "{estimate:?}"
        );
        assert!((estimate.low - 0.103_676).abs() < 1e-6, "{estimate:?}");
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
