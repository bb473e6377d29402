//! Win shares as differences of strength in points: 400 points are odds of ten to one.

use std::fmt;

use serde::{Serialize, Serializer};

use super::estimate::Estimate;

/// The difference of strength that a share stands for, relative to par, with its 95 % interval.
///
/// Of two players it is the difference between them: 400 · log₁₀(s / (1 − s)). Of more it is the difference between a
/// player and equally strong opponents. A share of 0 or 1 has an infinite difference, which is null in JSON.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EloDifference {
    /// The difference.
    #[serde(serialize_with = "rounded")]
    pub difference: f64,
    /// The lower end of the interval.
    #[serde(serialize_with = "rounded")]
    pub low: f64,
    /// The upper end of the interval.
    #[serde(serialize_with = "rounded")]
    pub high: f64,
}

/// The logarithm of libraries may differ in its last digits between machines; reports are equal.
fn rounded<S: Serializer>(points: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let points = points
        .is_finite()
        .then(|| (points * 10.0).round() / 10.0 + 0.0);
    points.serialize(serializer)
}

impl EloDifference {
    /// The difference of a share from par, the share of equal players.
    ///
    /// ```
    /// use dice_of_doom_arena::{EloDifference, Estimate};
    ///
    /// // Odds of ten to one in a game of two.
    /// let share = Estimate { mean: 10.0 / 11.0, low: 0.5, high: 1.0 };
    /// let elo = EloDifference::from_share(&share, 0.5);
    /// assert!((elo.difference - 400.0).abs() < 1e-9 && elo.low.abs() < 1e-9);
    /// assert_eq!(elo.high, f64::INFINITY);
    /// ```
    #[must_use]
    pub fn from_share(share: &Estimate, par: f64) -> Self {
        let odds = |share: f64| share / (1.0 - share);
        let points = |share: f64| 400.0 * (odds(share.clamp(0.0, 1.0)) / odds(par)).log10();
        EloDifference {
            difference: points(share.mean),
            low: points(share.low),
            high: points(share.high),
        }
    }

    /// The text of the interval.
    #[must_use]
    pub fn interval(&self) -> String {
        format!("{} … {}", points(self.low), points(self.high))
    }
}

/// The difference; if it is infinite, the bound that the interval gives.
impl fmt::Display for EloDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.difference {
            difference if difference.is_finite() => signed(difference),
            f64::INFINITY if self.low.is_finite() => format!("above {}", signed(self.low)),
            f64::NEG_INFINITY if self.high.is_finite() => format!("below {}", signed(self.high)),
            other => points(other),
        })
    }
}

fn points(points: f64) -> String {
    match points {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "-∞".to_owned(),
        // No negative zero.
        points => format!("{:.0}", points.round() + 0.0),
    }
}

fn signed(points: f64) -> String {
    format!("{:+.0}", points.round() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check([mean, low, high]: [f64; 3], par: f64, text: &str, interval: &str, json: &str) {
        let elo = EloDifference::from_share(&Estimate { mean, low, high }, par);
        assert_eq!(elo.to_string(), text);
        assert_eq!(elo.interval(), interval);
        assert_eq!(serde_json::to_string(&elo).unwrap(), json);
    }

    #[test]
    fn differences_of_worked_examples() {
        // Odds of 3 to 1 are 400 · log₁₀ 3 = 190.8 points of two; the same odds against par of four, 1 to 3, are 9.
        let json = r#"{"difference":190.8,"low":0.0,"high":381.7}"#;
        check([0.75, 0.5, 0.9], 0.5, "+191", "0 … 382", json);
        let json = r#"{"difference":381.7,"low":0.0,"high":572.5}"#;
        check([0.75, 0.25, 0.9], 0.25, "+382", "0 … 573", json);
    }

    #[test]
    fn infinite_differences_are_bounds() {
        let json = r#"{"difference":null,"low":190.8,"high":null}"#;
        check([1.0, 0.75, 1.0], 0.5, "above +191", "191 … ∞", json);
        let json = r#"{"difference":null,"low":null,"high":-190.8}"#;
        check([-0.01, 0.0, 0.25], 0.5, "below -191", "-∞ … -191", json);
        let json = r#"{"difference":null,"low":null,"high":null}"#;
        check([1.0, 0.0, 1.0], 0.5, "∞", "-∞ … ∞", json);
    }
}
