//! How far counts are from what is expected, by the χ² test (K. Pearson, 1900).

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

/// The probability, 0..=1, that chance alone brings these counts further off than they are, where
/// `shares` says which part of them all is expected in each place; they sum to 1. Without a choice, and
/// without anything counted, it is 1.
///
/// ```
/// use dice_of_doom::chi_squared::further_off;
///
/// let even = [1.0 / 6.0; 6];
/// assert!(further_off(&[100, 100, 100, 100, 100, 100], &even) > 0.999);
/// assert!(further_off(&[100, 100, 100, 100, 100, 190], &even) < 0.001);
/// // The sum is 17.04, at five degrees of freedom.
/// let p = further_off(&[133, 81, 106, 87, 93, 100], &even);
/// assert!((p - 0.004_425).abs() < 1e-6, "{p}");
/// ```
#[must_use]
pub fn p_value(counts: &[u64], shares: &[f64]) -> f64 {
    let all = counts.iter().sum::<u64>() as f64;
    let places = counts.iter().zip(shares);
    let places = places.filter(|(count, share)| **share > 0.0 || **count > 0);
    let (mut statistic, mut free) = (0.0, -1.0);
    for (count, share) in places {
        let expected = share * all;
        statistic += (*count as f64 - expected).powi(2) / expected;
        free += 1.0;
    }
    match ChiSquared::new(free) {
        Ok(distribution) if all > 0.0 => distribution.sf(statistic),
        _ => 1.0,
    }
}

/// The same for attempts that each have their own odds: of each kind how many were won, how many there were,
/// and the probability to win one. Kinds of which there were too few are left out.
///
/// ```
/// use dice_of_doom::chi_squared::attacks_further_off;
///
/// assert!(attacks_further_off([(50, 100, 0.5), (25, 100, 0.25)]) > 0.999);
/// assert!(attacks_further_off([(50, 100, 0.5), (75, 100, 0.25)]) < 1e-9);
/// assert_eq!(attacks_further_off([(0, 1, 0.9998)]), 1.0);
/// ```
#[must_use]
pub fn binomial_p_value(attempts: impl IntoIterator<Item = (u64, u64, f64)>) -> f64 {
    let (mut statistic, mut free) = (0.0, 0.0);
    for (won, all, odds) in attempts {
        let variance = all as f64 * odds * (1.0 - odds);
        // Of a few attempts the distribution is not yet that of the test: one that was lost against
        // long odds would say that all dice are wrong.
        if variance >= 5.0 {
            statistic += (won as f64 - all as f64 * odds).powi(2) / variance;
            free += 1.0;
        }
    }
    ChiSquared::new(free).map_or(1.0, |distribution| distribution.sf(statistic))
}
