//! χ² tests (K. Pearson, 1900).

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

/// Returns the p-value of the χ² test of `counts` against the expected `shares`, which sum to 1. It is 1 with fewer
/// than two categories or without counts.
///
/// ```
/// use dice_of_doom::chi_squared::p_value;
///
/// let even = [1.0 / 6.0; 6];
/// assert!(p_value(&[100, 100, 100, 100, 100, 100], &even) > 0.999);
/// assert!(p_value(&[100, 100, 100, 100, 100, 190], &even) < 0.001);
/// // The sum is 17.04, at five degrees of freedom.
/// let p = p_value(&[133, 81, 106, 87, 93, 100], &even);
/// assert!((p - 0.004_425).abs() < 1e-6, "{p}");
/// ```
#[must_use]
pub fn p_value(counts: &[u64], shares: &[f64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let categories = counts.iter().zip(shares);
    let categories = categories.filter(|(count, share)| **share > 0.0 || **count > 0);
    let (mut statistic, mut degrees_of_freedom) = (0.0, -1.0);
    for (count, share) in categories {
        let expected = share * total;
        statistic += (*count as f64 - expected).powi(2) / expected;
        degrees_of_freedom += 1.0;
    }
    match ChiSquared::new(degrees_of_freedom) {
        Ok(distribution) if total > 0.0 => distribution.sf(statistic),
        _ => 1.0,
    }
}

/// Returns the p-value for binomial counts: for each kind of attempt the number of wins, the number of attempts and the
/// probability of a win. Kinds with too few attempts are skipped.
///
/// ```
/// use dice_of_doom::chi_squared::pooled_attack_p_value;
///
/// assert!(pooled_attack_p_value([(50, 100, 0.5), (25, 100, 0.25)]) > 0.999);
/// assert!(pooled_attack_p_value([(50, 100, 0.5), (75, 100, 0.25)]) < 1e-9);
/// assert_eq!(pooled_attack_p_value([(0, 1, 0.9998)]), 1.0);
/// ```
#[must_use]
pub fn pooled_attack_p_value(attempts: impl IntoIterator<Item = (u64, u64, f64)>) -> f64 {
    let (mut statistic, mut degrees_of_freedom) = (0.0, 0.0);
    for (won, all, odds) in attempts {
        let variance = all as f64 * odds * (1.0 - odds);
        // With few attempts the χ² approximation fails: one unlikely loss would make all dice look unfair.
        if variance >= 5.0 {
            statistic += (won as f64 - all as f64 * odds).powi(2) / variance;
            degrees_of_freedom += 1.0;
        }
    }
    ChiSquared::new(degrees_of_freedom).map_or(1.0, |distribution| distribution.sf(statistic))
}
