//! The words of Dice of Doom.

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

    const LEVEL_VARIANTS: &'static [&'static str] = &dice_of_doom::WAYS;

    fn level_variant(&self) -> &'static str {
        let [with_net, by_hand] = dice_of_doom::WAYS;
        match nnue_for(self) {
            Some(_) => with_net,
            None => by_hand,
        }
    }
}
