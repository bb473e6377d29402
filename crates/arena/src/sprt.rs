//! Whether a change is an improvement: a sequential test that stops as soon as the boards decide it.
//!
//! It is the generalised sequential probability ratio test (GSPRT) as chess engines use it (Michel Van
//! den Bergh, *A practical introduction to the GSPRT*, 2017; Wald 1945 for the plain test). There are
//! two hypotheses: the mean win share is `low`, or it is `high`. The unit is the board's mean over its
//! rotations, adjusted for luck by what all boards so far say of it, taken as normal with an unknown variance.
//! So the ratio compares the greatest likelihoods under both hypotheses: N/2 · ln(s²(low) / s²(high)), where s²(m) is
//! the mean square distance of the boards from m. Wald's bounds with 5 % for either error decide.
//!
//! The estimate of a variance needs some boards, so nothing is decided before
//! [`Sprt::LEAST_BOARDS`]. The test looks at the boards in the order of their numbers, after whole
//! batches and at the end, so the verdict does not depend on threads or timing.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The two win shares that are told apart.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// No improvement.
    pub low: f64,
    /// The improvement that is worth finding.
    pub high: f64,
}

/// What the boards have shown so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// The share is high: keep the change.
    Accepted,
    /// The share is low: drop it.
    Rejected,
    /// More boards are needed.
    Open,
}

impl Sprt {
    /// How often either verdict may be wrong.
    pub const ERROR: f64 = 0.05;
    /// No verdict before so many boards.
    pub const LEAST_BOARDS: usize = 20;
    /// Boards between two looks.
    pub const BATCH: u32 = 20;

    /// The verdict over the boards' mean shares, all of them.
    #[must_use]
    pub fn verdict(&self, boards: &[f64]) -> SprtVerdict {
        let bound = ((1.0 - Sprt::ERROR) / Sprt::ERROR).ln();
        let ratio = self.log_likelihood_ratio(boards);
        if boards.len() < Sprt::LEAST_BOARDS {
            SprtVerdict::Open
        } else if ratio >= bound {
            SprtVerdict::Accepted
        } else if ratio <= -bound {
            SprtVerdict::Rejected
        } else {
            SprtVerdict::Open
        }
    }

    /// The log likelihood ratio of the high share to the low one; 0 while all boards are the same, as
    /// their variance is unknown then.
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
            SprtVerdict::Open => "open",
        })
    }
}

/// Two shares that cannot be told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write two win shares from 0 to 1, the lower first, for example 0.25,0.30")]
pub struct SprtParseError;

impl FromStr for Sprt {
    type Err = SprtParseError;
    fn from_str(text: &str) -> Result<Self, SprtParseError> {
        let (low, high) = text.split_once(',').ok_or(SprtParseError)?;
        let share = |text: &str| text.trim().parse::<f64>().map_err(|_| SprtParseError);
        let (low, high) = (share(low)?, share(high)?);
        // Comparisons with NaN are false.
        if low >= 0.0 && low < high && high <= 1.0 {
            Ok(Sprt { low, high })
        } else {
            Err(SprtParseError)
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_ratio_by_hand() {
        // Ten boards at 0.2 and ten at 0.6: the squares from 0.3 sum to 10 · 0.01 + 10 · 0.09 = 1,
        // from 0.4 to 0.8; 20/2 · ln(1 / 0.8) = 2.231436.
        let boards = [[0.2; 10], [0.6; 10]].concat();
        let sprt: Sprt = "0.3,0.4".parse().expect("two shares");
        let ratio = sprt.log_likelihood_ratio(&boards);
        assert!((ratio - 2.231_436).abs() < 1e-6, "{ratio}");
        assert_eq!(
            sprt.verdict(&boards),
            SprtVerdict::Open,
            "below ln 19 = 2.944"
        );
    }

    #[test]
    fn boards_that_do_not_differ_prove_nothing() {
        let sprt: Sprt = "0.25,0.3".parse().expect("two shares");
        assert_eq!(sprt.verdict(&[1.0; 100]), SprtVerdict::Open);
        assert_eq!(sprt.verdict(&[]), SprtVerdict::Open);
    }

    #[test]
    fn nothing_is_decided_by_a_few_boards() {
        let sprt: Sprt = "0.25,0.6".parse().expect("two shares");
        let boards: Vec<f64> = (0..20).map(|board| 0.8 + 0.01 * f64::from(board)).collect();
        assert_eq!(sprt.verdict(&boards[..19]), SprtVerdict::Open);
        assert_eq!(sprt.verdict(&boards), SprtVerdict::Accepted);
    }

    #[test]
    fn shares_that_do_not_fit() {
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

    /// How 400 tests end whose true share is this.
    fn verdicts(share: f64) -> [u32; 3] {
        let sprt: Sprt = "0.25,0.35".parse().expect("two shares");
        let mut counts = [0; 3];
        for seed in 0..400 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut boards = Vec::new();
            let verdict = loop {
                boards.extend((0..Sprt::BATCH).map(|_| board(share, &mut rng)));
                let verdict = sprt.verdict(&boards);
                if verdict != SprtVerdict::Open || boards.len() >= 2_000 {
                    break verdict;
                }
            };
            counts[verdict as usize] += 1;
        }
        counts
    }

    #[test]
    fn errors_are_as_rare_as_promised() {
        // Of 400 tests 5 % are 20, with a deviation of √(400 · 0.05 · 0.95) = 4.36; 20 + 3.3 · 4.36
        // = 34 is passed by chance once in 2,000 tests.
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
