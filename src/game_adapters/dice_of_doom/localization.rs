//! Translations of Dice of Doom.

use crate::game_adapters::LocalizationAdapter;
use crate::games::dice_of_doom::DiceOfDoom;
use crate::games::dice_of_doom::nnue::builtin::nnue_for;
use crate::templates::dice_of_doom;

impl LocalizationAdapter for DiceOfDoom {
    const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[
        ("en", include_str!("../../../templates/text/dice.en.ftl")),
        ("ja", include_str!("../../../templates/text/dice.ja.ftl")),
        ("ru", include_str!("../../../templates/text/dice.ru.ftl")),
    ];

    const LEVEL_VARIANTS: &'static [&'static str] = &dice_of_doom::LEVEL_VARIANTS;

    fn level_variant(&self) -> &'static str {
        let [with_nnue, handcrafted] = dice_of_doom::LEVEL_VARIANTS;
        match nnue_for(self) {
            Some(_) => with_nnue,
            None => handcrafted,
        }
    }
}
