//! The words of Dice of Doom.

use crate::game_adapters::LocalizationAdapter;
use crate::games::dice_of_doom::DiceOfDoom;
use crate::games::dice_of_doom::nnue::builtin::net_of;
use crate::templates::dice_of_doom;

impl LocalizationAdapter for DiceOfDoom {
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("en", include_str!("../../../templates/text/dice.en.ftl")),
        ("ja", include_str!("../../../templates/text/dice.ja.ftl")),
        ("ru", include_str!("../../../templates/text/dice.ru.ftl")),
    ];

    const WAYS: &'static [&'static str] = &dice_of_doom::WAYS;

    fn way(&self) -> &'static str {
        let [with_net, by_hand] = dice_of_doom::WAYS;
        match net_of(self) {
            Some(_) => with_net,
            None => by_hand,
        }
    }
}
