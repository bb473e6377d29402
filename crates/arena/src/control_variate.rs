//! Control variates: what is measured, less as much as goes together with something that is zero on the mean.
//!
//! What is measured of each board has a value and a control; the control's true mean is zero, as that of luck is. The value
//! less the weighted control has the value's mean and varies less. The weight is that of a regression over the same
//! boards, which costs a degree of freedom, widens the interval by how far the control's mean is from zero, and leaves
//! an error of the order of one part in the number of boards (Lavenberg and Welch, *A perspective on the use of control
//! variables to increase the efficiency of Monte Carlo simulations*, 1981).

/// With fewer boards than this nothing is taken from a value: they tell too little of the weight.
pub(super) const LEAST_BOARDS: usize = 40;

/// The mean of some numbers, and the sum of the squares of their distances from it.
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl Spread {
    pub(super) fn of(numbers: &[f64]) -> Self {
        let mean = numbers.iter().sum::<f64>() / (numbers.len() as f64).max(1.0);
        let squares = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        Spread { mean, squares }
    }
}

/// The weight of the controls that makes the values vary least, one for all of these values with their controls.
pub(super) fn weight(measured: &[(Vec<f64>, Vec<f64>)]) -> f64 {
    let (mut together, mut alone) = (0.0, 0.0);
    for (values, controls) in measured {
        if values.len() < LEAST_BOARDS {
            return 0.0;
        }
        let [value, control] = [values, controls].map(|numbers| Spread::of(numbers));
        let pairs = values.iter().zip(controls);
        let products = pairs.map(|(one, other)| (one - value.mean) * (other - control.mean));
        together += products.sum::<f64>();
        alone += control.squares;
    }
    if alone > 0.0 { together / alone } else { 0.0 }
}

/// Values less their weighted controls.
pub(super) fn adjusted(values: &[f64], controls: &[f64], weight: f64) -> Vec<f64> {
    let pairs = values.iter().zip(controls);
    pairs
        .map(|(value, control)| value - weight * control)
        .collect()
}

/// How many degrees of freedom the mean of adjusted values has, and its standard error; without a weight those of a
/// plain mean. There must be two values at least.
pub(super) fn error_of_mean(adjusted: &[f64], controls: &[f64], weight: f64) -> (u32, f64) {
    let number = adjusted.len() as f64;
    let fitted = u32::from(weight != 0.0);
    let freedom = adjusted.len() as u32 - 1 - fitted;
    let control = Spread::of(controls);
    let beside = if fitted == 0 {
        0.0
    } else {
        control.mean.powi(2) / control.squares
    };
    let variance = Spread::of(adjusted).squares / f64::from(freedom);
    (freedom, (variance * (1.0 / number + beside)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_weight_by_hand() {
        // Twenty pairs of each: the products sum to 20 · 0.25 · 0.2 · 2 = 2, the squares of the controls to
        // 20 · 0.04 · 2 = 1.6.
        let values = [[0.75; 20], [0.25; 20]].concat();
        let controls = [[0.2; 20], [-0.2; 20]].concat();
        assert!((weight(&[(values.clone(), controls.clone())]) - 1.25).abs() < 1e-12);
        let few = |numbers: &[f64]| numbers[1..].to_vec();
        assert_eq!(weight(&[(few(&values), few(&controls))]), 0.0);
        let none = vec![0.0; 40];
        assert_eq!(weight(&[(values, none.clone())]), 0.0);
        assert_eq!(weight(&[(vec![0.25; 40], controls)]), 0.0);
        assert_eq!(weight(&[(none.clone(), none)]), 0.0);
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_promised() {
        // The truth is 0.3. Of 2,000 intervals of 95 % 100 miss it, with a deviation of √(2000 · 0.05 · 0.95) = 9.7;
        // 100 + 3.3 · 9.7 = 132 is passed by chance once in 2,000 tests.
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut missed = 0;
        for _ in 0..2_000 {
            let mut draw = || rng.random_range(-0.5..0.5);
            let pairs: Vec<(f64, f64)> = (0..LEAST_BOARDS)
                .map(|_| {
                    let control = draw();
                    (0.3 + 0.8 * control + 0.3 * draw(), control)
                })
                .collect();
            let (values, controls): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let weight = weight(&[(values.clone(), controls.clone())]);
            let found = crate::Estimate::adjusted(&values, &controls, weight);
            missed += u32::from(found.low > 0.3 || 0.3 > found.high);
        }
        assert!((68..=132).contains(&missed), "seed 1: {missed}");
    }
}
