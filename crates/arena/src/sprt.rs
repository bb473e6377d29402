//! Sequential test of whether a change is an improvement; it stops as soon as the boards decide.
//!
//! It is the generalised sequential probability ratio test (GSPRT) of chess engine testing (Michel Van den Bergh, *A
//! practical introduction to the GSPRT*, 2017; Wald 1945 for the simple test). The two hypotheses are that the mean win
//! share is `low` and that it is `high`. The unit is the board's mean over its rotations, adjusted for luck with the
//! weight from all boards so far, and modelled as normal with unknown variance. The ratio compares the maximum
//! likelihoods under both hypotheses: N/2 · ln(s²(low) / s²(high)), where s²(m) is the mean squared distance of the
//! boards from m. The decision uses Wald's bounds with error rates of 5 %.
//!
//! Estimating a variance requires some boards, so there is no verdict before [`Sprt::MIN_BOARDS`]. The test is
//! evaluated on the boards in the order of their numbers, after complete batches and at the end, so the verdict does
//! not depend on threads or timing.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::Contestant;

/// The hypotheses: two mean win shares, 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The share without the improvement.
    pub low: f64,
    /// The share with the smallest improvement that is worth detecting.
    pub high: f64,
}

/// The state of the test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// The share is high: accept the change.
    Accepted,
    /// The share is low: reject the change.
    Rejected,
    /// More boards are needed.
    Unknown,
}

/// The result of a sequential test.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SprtReport {
    /// The hypotheses.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The contestant whose share was tested.
    pub contestant: Contestant,
    /// The verdict.
    pub verdict: SprtVerdict,
    /// The log likelihood ratio of the high share to the low one.
    pub log_likelihood_ratio: f64,
}

impl Sprt {
    /// The error rate of each verdict.
    pub const ERROR_RATE: f64 = 0.05;
    /// The minimum number of boards for a verdict.
    pub const MIN_BOARDS: usize = 20;
    /// The number of boards between two evaluations.
    pub const BATCH: u32 = 20;

    /// The verdict for the mean shares of all boards.
    #[must_use]
    pub fn verdict(&self, boards: &[f64]) -> SprtVerdict {
        let bound = ((1.0 - Sprt::ERROR_RATE) / Sprt::ERROR_RATE).ln();
        let ratio = self.log_likelihood_ratio(boards);
        if boards.len() < Sprt::MIN_BOARDS {
            SprtVerdict::Unknown
        } else if ratio >= bound {
            SprtVerdict::Accepted
        } else if ratio <= -bound {
            SprtVerdict::Rejected
        } else {
            SprtVerdict::Unknown
        }
    }

    /// The log likelihood ratio of the high share to the low one; 0 if all boards are equal, because then the variance
    /// cannot be estimated.
    #[must_use]
    pub fn log_likelihood_ratio(&self, boards: &[f64]) -> f64 {
        let differs = |share: &f64| (share - boards[0]).abs() > 1e-12;
        if !boards.iter().any(differs) {
            return 0.0;
        }
        let square = |from: f64| -> f64 {
            let squares = boards.iter().map(|share| (share - from).powi(2));
            squares.sum()
        };
        boards.len() as f64 / 2.0 * (square(self.low) / square(self.high)).ln()
    }
}

impl fmt::Display for SprtVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SprtVerdict::Accepted => "accepted",
            SprtVerdict::Rejected => "rejected",
            SprtVerdict::Unknown => "open",
        })
    }
}

/// The text is not a pair of shares `LOW,HIGH` with 0 ≤ low < high ≤ 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write two win shares from 0 to 1, the lower first, for example 0.25,0.30")]
pub struct SprtParseError;

impl FromStr for Sprt {
    type Err = SprtParseError;
    fn from_str(text: &str) -> Result<Self, SprtParseError> {
        let (low, high) = text.split_once(',').ok_or(SprtParseError)?;
        let share = |text: &str| text.trim().parse::<f64>().map_err(|_| SprtParseError);
        let (low, high) = (share(low)?, share(high)?);
        // NaN fails every comparison.
        if low >= 0.0 && low < high && high <= 1.0 {
            Ok(Sprt { low, high })
        } else {
            Err(SprtParseError)
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn log_likelihood_ratio_of_a_worked_example() {
        // Ten boards at 0.2 and ten at 0.6: the squares from 0.3 sum to 10 · 0.01 + 10 · 0.09 = 1,
        // from 0.4 to 0.8; 20/2 · ln(1 / 0.8) = 2.231436.
        let boards = [[0.2; 10], [0.6; 10]].concat();
        let sprt: Sprt = "0.3,0.4".parse().expect("two shares");
        let ratio = sprt.log_likelihood_ratio(&boards);
        assert!((ratio - 2.231_436).abs() < 1e-6, "{ratio}");
        assert_eq!(
            sprt.verdict(&boards),
            SprtVerdict::Unknown,
            "below ln 19 = 2.944"
        );
    }

    #[test]
    fn equal_boards_give_no_verdict() {
        let sprt: Sprt = "0.25,0.3".parse().expect("two shares");
        assert_eq!(sprt.verdict(&[1.0; 100]), SprtVerdict::Unknown);
        assert_eq!(sprt.verdict(&[]), SprtVerdict::Unknown);
    }

    #[test]
    fn too_few_boards_give_no_verdict() {
        let sprt: Sprt = "0.25,0.6".parse().expect("two shares");
        let boards: Vec<f64> = (0..20).map(|board| 0.8 + 0.01 * f64::from(board)).collect();
        assert_eq!(sprt.verdict(&boards[..19]), SprtVerdict::Unknown);
        assert_eq!(sprt.verdict(&boards), SprtVerdict::Accepted);
    }

    #[test]
    fn invalid_shares_are_rejected() {
        for text in [
            "", "0.3", "0.3,0.3", "0.4,0.3", "-1,0", "0,1.5", "nan,1", "a,b",
        ] {
            assert_eq!(text.parse::<Sprt>(), Err(SprtParseError), "{text}");
        }
    }

    /// A board of four rotations, won independently.
    fn board(share: f64, rng: &mut ChaCha8Rng) -> f64 {
        let wins = (0..4).filter(|_| rng.random_bool(share)).count();
        wins as f64 / 4.0
    }

    /// The numbers of verdicts (accepted, rejected, open) of 400 tests with this true share.
    fn verdicts(share: f64) -> [u32; 3] {
        let sprt: Sprt = "0.25,0.35".parse().expect("two shares");
        let mut counts = [0; 3];
        for seed in 0..400 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut boards = Vec::new();
            let verdict = loop {
                boards.extend((0..Sprt::BATCH).map(|_| board(share, &mut rng)));
                let verdict = sprt.verdict(&boards);
                if verdict != SprtVerdict::Unknown || boards.len() >= 2_000 {
                    break verdict;
                }
            };
            counts[verdict as usize] += 1;
        }
        counts
    }

    #[test]
    fn error_rates_are_within_the_bound() {
        // Of 400 tests 5 % are 20, with a standard deviation of √(400 · 0.05 · 0.95) = 4.36; 20 + 3.3 · 4.36 = 34 is
        // exceeded by chance once in 2,000 tests.
        let [accepted, _, open] = verdicts(0.25);
        assert!(
            accepted <= 34 && open == 0,
            "seeds 0..400: {accepted} wrong, {open} open"
        );
        let [_, rejected, open] = verdicts(0.35);
        assert!(
            rejected <= 34 && open == 0,
            "seeds 0..400: {rejected} wrong, {open} open"
        );
    }
}
