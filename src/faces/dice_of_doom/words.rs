//! The words of Dice of Doom.

use crate::faces::Worded;
use crate::games::dice_of_doom::DiceOfDoom;

impl Worded for DiceOfDoom {
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("en", include_str!("../../../templates/text/dice.en.ftl")),
        ("ja", include_str!("../../../templates/text/dice.ja.ftl")),
        ("ru", include_str!("../../../templates/text/dice.ru.ftl")),
    ];
}
