//! The rules of Dice of Doom: actions, reinforcement, end of the game, odds; then the rule presets.

use maud::{Markup, html};

use super::form::presets;
use super::rule_diagrams;
use crate::localization::Translations;
use crate::page::{emphasised, odds_class};

/// Number of rolls, out of all rolls of 2 to 5 attacking dice (rows) against 1 to 5 defending ones (columns),
/// in which the attacker's sum is strictly greater.
const CAPTURES: [[u32; 5]; 4] = [
    [181, 575, 1_182, 1_674, 1_709],
    [1_261, 6_054, 21_162, 53_664, 101_974],
    [7_755, 43_821, 207_945, 771_831, 2_221_551],
    [46_649, 276_560, 1_527_354, 7_236_576, 28_035_360],
];

/// Probability of capture with 2 to 5 dice against 1 to 5, 0..=1.
pub(super) fn chance(attack: u8, defend: u8) -> f64 {
    let [row, column] = [attack - 2, defend - 1].map(usize::from);
    let rolls = 6_f64.powi(i32::from(attack + defend));
    f64::from(CAPTURES[row][column]) / rolls
}

/// Renders the section on the rules page.
#[must_use]
pub fn rules(text: &Translations) -> Markup {
    let say = |key| emphasised(&text.get(key));
    html! {
        h2 { (text.get("rules-do-title")) }
        ol.steps {
            @for key in ["rules-do-choose", "rules-do-attack", "rules-do-won", "rules-do-lost", "rules-do-again"] { li { (say(key)) } }
        }
        (rule_diagrams::attack(text))
        h2 { (text.get("rules-new-title")) }
        p { (say("rules-new-text")) }
        (rule_diagrams::new_dice(text))
        p { (say("rules-new-tip")) }
        h2 { (text.get("rules-end-title")) }
        p { (say("rules-end-text")) }
        p { (say("rules-end-stuck")) }
        (rule_diagrams::stuck(text))
        h2 { (text.get("rules-odds-title")) }
        p { (text.get("rules-odds-text")) }
        (odds(text))
        h2 { (text.get("rules-plain-title")) }
        p { (say("rules-plain-text")) }
        ul.points {
            @for key in ["rules-plain-win", "rules-plain-back", "rules-plain-two", "rules-plain-computer"] { li { (say(key)) } }
        }
        h2 { (text.get("rules-presets-title")) }
        (presets(text))
        form.now method="post" action=(text.path("/games")) {
            input type="hidden" name="game" value="dice";
            input type="hidden" name="opponents" value="easy";
            button.btn.main { (text.get("rules-play")) }
        }
    }
}

fn odds(text: &Translations) -> Markup {
    html! {
        div.scrolls tabindex="0" role="group" aria-label=(text.get("rules-odds-caption")) {
            table.odds {
                caption { (text.get("rules-odds-caption")) }
                thead { tr {
                    th scope="col" { (text.get("rules-odds-attack")) }
                    @for dice in 1u8..=5 { th scope="col" { (text.get_with("rules-odds-theirs", &[("dice", dice.into())])) } }
                } }
                tbody {
                    @for attack in 2..=5 {
                        tr {
                            th scope="row" { (attack) }
                            @for defend in 1..=5 {
                                @let chance = chance(attack, defend);
                                td class=(odds_class(chance)) { (text.language().format_percent(chance)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPTURES, chance};

    /// Number of rolls of `dice` dice for each sum.
    fn sums(dice: usize) -> Vec<u32> {
        let mut sums = vec![1];
        for _ in 0..dice {
            let mut next = vec![0; sums.len() + 6];
            for (sum, rolls) in sums.iter().enumerate() {
                for face in 1..=6 {
                    next[sum + face] += rolls;
                }
            }
            sums = next;
        }
        sums
    }

    #[test]
    fn captures_table_counts_all_rolls() {
        for (row, captures) in CAPTURES.iter().enumerate() {
            for (column, expected) in captures.iter().enumerate() {
                let (attack, defend) = (sums(row + 2), sums(column + 1));
                let counted: u32 = attack
                    .iter()
                    .enumerate()
                    .map(|(sum, rolls)| rolls * defend.iter().take(sum).sum::<u32>())
                    .sum();
                assert_eq!(counted, *expected, "{} against {}", row + 2, column + 1);
                let all: u32 = attack.iter().sum::<u32>() * defend.iter().sum::<u32>();
                let exact = f64::from(counted) / f64::from(all);
                let shown = chance(row as u8 + 2, column as u8 + 1);
                assert!((shown - exact).abs() < 1e-12);
            }
        }
    }
}
