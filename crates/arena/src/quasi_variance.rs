//! Quasi-variances: one variance per estimate, such that intervals can be compared pairwise (Firth and de Menezes,
//! *Quasi-variances*, 2004).
//!
//! Ratings are known only up to a constant: the data determine their differences. An interval relative to one rating,
//! or to the mean of all, includes that reference's error, so two such intervals overlap even if their difference is
//! significant. Quasi-variances are chosen so that the sum of any two approximates the variance of their difference as
//! well as possible.

/// Computes the quasi-variances from the matrix of the variances of all pairwise differences.
///
/// They minimise Σ (ratio − ln ratio) over all pairs, where the ratio is that of the variance to the sum of the two
/// quasi-variances. The updates are multiplicative, so no value becomes negative. Each is bounded below by a quarter of
/// the smallest variance of its differences (half of its value if all were equal), so that no rating appears to be
/// known exactly.
pub(super) fn quasi_variances(differences: &[Vec<f64>]) -> Vec<f64> {
    const STEPS: u32 = 1_000;
    let size = differences.len();
    let others = |one: usize| (0..size).filter(move |&other| other != one);
    let mean = |one: usize| {
        let sum = others(one)
            .map(|other| differences[one][other])
            .sum::<f64>();
        sum / (2 * (size - 1)).max(1) as f64
    };
    let lower_bound = |one: usize| {
        let lower_bound = others(one).map(|other| differences[one][other] / 4.0);
        lower_bound.fold(f64::INFINITY, f64::min)
    };
    let mut estimates: Vec<f64> = (0..size).map(mean).collect();
    for _ in 0..STEPS {
        let updated = (0..size).map(|one| {
            let (mut numerator, mut denominator) = (0.0, 0.0);
            for other in others(one) {
                let sum = estimates[one] + estimates[other];
                if sum > 0.0 {
                    numerator += differences[one][other] / sum.powi(2);
                    denominator += 1.0 / sum;
                }
            }
            if denominator > 0.0 {
                (estimates[one] * (numerator / denominator).sqrt()).max(lower_bound(one))
            } else {
                0.0
            }
        });
        estimates = updated.collect();
    }
    estimates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_estimates_have_their_own_variances() {
        let own = [1.0, 4.0, 2.0, 0.5];
        let differences = own.map(|one| own.map(|other| one + other).to_vec());
        let found = quasi_variances(&differences);
        for (found, own) in found.iter().zip(own) {
            assert!((found - own).abs() < 1e-3, "{found} {own}");
        }
    }

    #[test]
    fn common_errors_are_excluded() {
        // Two estimates with a common error: the variances of their differences are 9 from the third and 1 from each
        // other.
        let differences = [
            vec![0.0, 1.0, 9.0],
            vec![1.0, 0.0, 9.0],
            vec![9.0, 9.0, 0.0],
        ];
        let found = quasi_variances(&differences);
        assert!((found[0] - 0.5).abs() < 1e-2 && (found[1] - 0.5).abs() < 1e-2);
        assert!((found[2] - 8.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn quasi_variances_have_a_positive_lower_bound() {
        // The first two vary in opposite directions relative to the third, whose unbounded quasi-variance would be
        // negative.
        let differences = [
            vec![0.0, 9.0, 2.0],
            vec![9.0, 0.0, 2.0],
            vec![2.0, 2.0, 0.0],
        ];
        assert_eq!(quasi_variances(&differences)[2], 0.5);
    }

    #[test]
    fn two_estimates_have_half_the_variance_each_and_a_single_one_has_zero() {
        assert_eq!(
            quasi_variances(&[vec![0.0, 3.0], vec![3.0, 0.0]]),
            [1.5, 1.5]
        );
        assert_eq!(quasi_variances(&[vec![0.0]]), [0.0]);
        assert!(quasi_variances(&[]).is_empty());
        assert_eq!(quasi_variances(&[vec![0.0; 2], vec![0.0; 2]]), [0.0, 0.0]);
    }
}
