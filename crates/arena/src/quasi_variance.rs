//! Intervals of which any two can be compared: quasi-variances (Firth and de Menezes, *Quasi-variances*, 2004).
//!
//! What is known of ratings are their differences. An interval measured from one of them, or from the mean of all, holds
//! the luck of that, too, and two such intervals overlap long after the two are known to be apart. Quasi-variances
//! are one number for each, such that the sum of any two is as near to the variance of their difference as it can be.

/// The quasi-variances of some numbers from the variances of the differences of each two.
///
/// They minimise Σ (ratio − ln ratio) over all pairs, where the ratio is that of a variance to the sum of the two
/// quasi-variances, by multiplication: nothing becomes negative. None is less than a quarter of the smallest variance
/// of its differences, half of what it would be between equals: nobody's rating is known exactly.
pub(super) fn variances(differences: &[Vec<f64>]) -> Vec<f64> {
    const STEPS: u32 = 1_000;
    let size = differences.len();
    let others = |one: usize| (0..size).filter(move |&other| other != one);
    let mean = |one: usize| {
        let sum = others(one)
            .map(|other| differences[one][other])
            .sum::<f64>();
        sum / (2 * (size - 1)).max(1) as f64
    };
    let least = |one: usize| {
        let least = others(one).map(|other| differences[one][other] / 4.0);
        least.fold(f64::INFINITY, f64::min)
    };
    let mut found: Vec<f64> = (0..size).map(mean).collect();
    for _ in 0..STEPS {
        let better = (0..size).map(|one| {
            let (mut wanted, mut had) = (0.0, 0.0);
            for other in others(one) {
                let sum = found[one] + found[other];
                if sum > 0.0 {
                    wanted += differences[one][other] / sum.powi(2);
                    had += 1.0 / sum;
                }
            }
            if had > 0.0 {
                (found[one] * (wanted / had).sqrt()).max(least(one))
            } else {
                0.0
            }
        });
        found = better.collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_numbers_have_their_own_variances() {
        let own = [1.0, 4.0, 2.0, 0.5];
        let differences = own.map(|one| own.map(|other| one + other).to_vec());
        let found = variances(&differences);
        for (found, own) in found.iter().zip(own) {
            assert!((found - own).abs() < 1e-3, "{found} {own}");
        }
    }

    #[test]
    fn what_is_shared_does_not_count() {
        // Two that are known from the same third, 9 from it and 1 from each other.
        let differences = [
            vec![0.0, 1.0, 9.0],
            vec![1.0, 0.0, 9.0],
            vec![9.0, 9.0, 0.0],
        ];
        let found = variances(&differences);
        assert!((found[0] - 0.5).abs() < 1e-2 && (found[1] - 0.5).abs() < 1e-2);
        assert!((found[2] - 8.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn nobody_is_known_exactly() {
        // The first two differ from the third in opposite ways, so that it would have less than nothing.
        let differences = [
            vec![0.0, 9.0, 2.0],
            vec![9.0, 0.0, 2.0],
            vec![2.0, 2.0, 0.0],
        ];
        assert_eq!(variances(&differences)[2], 0.5);
    }

    #[test]
    fn of_two_each_has_a_half_and_one_alone_nothing() {
        assert_eq!(variances(&[vec![0.0, 3.0], vec![3.0, 0.0]]), [1.5, 1.5]);
        assert_eq!(variances(&[vec![0.0]]), [0.0]);
        assert!(variances(&[]).is_empty());
        assert_eq!(variances(&[vec![0.0; 2], vec![0.0; 2]]), [0.0, 0.0]);
    }
}
