//! Control variates: reduces the variance of measured values by subtracting a correlated quantity with mean zero.
//!
//! Each board has a value and a control; the true mean of the control is zero, as that of luck is. The value minus the
//! weighted control has the same mean as the value and a smaller variance. The weight comes from a regression over the
//! same boards. This costs one degree of freedom, widens the interval by the distance of the control's mean from zero,
//! and leaves a bias of the order of 1/boards (Lavenberg and Welch, *A perspective on the use of control variables to
//! increase the efficiency of Monte Carlo simulations*, 1981).

/// With fewer boards than this the weight is 0: it could not be estimated well.
pub(super) const MIN_BOARDS: usize = 40;

/// The mean of some numbers, and the sum of squared deviations from it.
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) sum_of_squares: f64,
}

impl Spread {
    pub(super) fn from_values(numbers: &[f64]) -> Self {
        let mean = numbers.iter().sum::<f64>() / (numbers.len() as f64).max(1.0);
        let sum_of_squares = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        Spread {
            mean,
            sum_of_squares,
        }
    }
}

/// The regression weight that minimises the variance of the values; one weight for all of these series of values and
/// controls.
pub(super) fn fit_weight(measured: &[(Vec<f64>, Vec<f64>)]) -> f64 {
    let (mut products_sum, mut squares_sum) = (0.0, 0.0);
    for (values, controls) in measured {
        if values.len() < MIN_BOARDS {
            return 0.0;
        }
        let [value, control] = [values, controls].map(|numbers| Spread::from_values(numbers));
        let pairs = values.iter().zip(controls);
        let products = pairs.map(|(one, other)| (one - value.mean) * (other - control.mean));
        products_sum += products.sum::<f64>();
        squares_sum += control.sum_of_squares;
    }
    if squares_sum > 0.0 {
        products_sum / squares_sum
    } else {
        0.0
    }
}

/// The values minus their weighted controls.
pub(super) fn adjusted(values: &[f64], controls: &[f64], weight: f64) -> Vec<f64> {
    let pairs = values.iter().zip(controls);
    pairs
        .map(|(value, control)| value - weight * control)
        .collect()
}

/// The degrees of freedom and the standard error of the mean of adjusted values; with weight 0 those of a plain mean.
/// At least two values are required, three if the weight is not 0.
pub(super) fn error_of_mean(adjusted: &[f64], controls: &[f64], weight: f64) -> (u32, f64) {
    let count = adjusted.len() as f64;
    let fitted = u32::from(weight != 0.0);
    let freedom = adjusted.len() as u32 - 1 - fitted;
    let control = Spread::from_values(controls);
    let control_term = if fitted == 0 {
        0.0
    } else {
        control.mean.powi(2) / control.sum_of_squares
    };
    let variance = Spread::from_values(adjusted).sum_of_squares / f64::from(freedom);
    (freedom, (variance * (1.0 / count + control_term)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn weight_of_a_worked_example() {
        // Twenty pairs of each kind: the products sum to 20 · 0.25 · 0.2 · 2 = 2, the squares of the controls to 20 ·
        // 0.04 · 2 = 1.6.
        let values = [[0.75; 20], [0.25; 20]].concat();
        let controls = [[0.2; 20], [-0.2; 20]].concat();
        assert!((fit_weight(&[(values.clone(), controls.clone())]) - 1.25).abs() < 1e-12);
        let few = |numbers: &[f64]| numbers[1..].to_vec();
        assert_eq!(fit_weight(&[(few(&values), few(&controls))]), 0.0);
        let none = vec![0.0; 40];
        assert_eq!(fit_weight(&[(values, none.clone())]), 0.0);
        assert_eq!(fit_weight(&[(vec![0.25; 40], controls)]), 0.0);
        assert_eq!(fit_weight(&[(none.clone(), none)]), 0.0);
    }

    #[test]
    fn intervals_have_their_nominal_coverage() {
        // The true mean is 0.3. Of 2,000 intervals of 95 % 100 are expected to miss it, with a standard deviation of
        // √(2000 · 0.05 · 0.95) = 9.7; 100 + 3.3 · 9.7 = 132 is exceeded by chance once in 2,000 tests.
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut missed = 0;
        for _ in 0..2_000 {
            let mut draw = || rng.random_range(-0.5..0.5);
            let pairs: Vec<(f64, f64)> = (0..MIN_BOARDS)
                .map(|_| {
                    let control = draw();
                    (0.3 + 0.8 * control + 0.3 * draw(), control)
                })
                .collect();
            let (values, controls): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let weight = fit_weight(&[(values.clone(), controls.clone())]);
            let found = crate::Estimate::adjusted(&values, &controls, weight);
            missed += u32::from(found.low > 0.3 || 0.3 > found.high);
        }
        assert!((68..=132).contains(&missed), "seed 1: {missed}");
    }
}
