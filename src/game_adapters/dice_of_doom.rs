//! The adapters of Dice of Doom.

mod advice;
mod analysis_board;
mod book_page;
mod end_turn_preview;
mod engine;
mod hint;
mod history;
mod move_options;
mod page;
mod result_text;
mod terminal;
mod turn_summary;

use super::RegistrableGame;
use super::cli::{FlagValue, GameFlag};
use crate::games::dice_of_doom::nnue::builtin::nnue_for;
use crate::games::dice_of_doom::{DiceOfDoom, Rules};
use crate::templates::dice_of_doom::LEVEL_VARIANTS;

impl RegistrableGame for DiceOfDoom {
    const FLAGS: &'static [GameFlag] = &[
        GameFlag {
            name: "rules",
            field: "rules",
            value_name: "RULES",
            help: "The rules: v1, v2, v3, v4 or conquest; they choose the usual side, players and dice",
            value: FlagValue::Word {
                words: || Rules::ALL.map(Rules::name).to_vec(),
                check: |word| {
                    let rules = word.parse::<Rules>();
                    rules.map(drop).map_err(|error| error.to_string())
                },
            },
        },
        GameFlag::number("side", "size", "Hexes along each side, 2 to 8"),
        GameFlag::number("players", "players", "Players, 2 to 6"),
        GameFlag::number("max-dice", "max_dice", "The most dice on a hex, 2 to 8"),
    ];

    const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[
        ("en", include_str!("../../templates/text/dice.en.ftl")),
        ("ja", include_str!("../../templates/text/dice.ja.ftl")),
        ("ru", include_str!("../../templates/text/dice.ru.ftl")),
    ];

    const LEVEL_VARIANTS: &'static [&'static str] = &LEVEL_VARIANTS;

    fn level_variant(&self) -> &'static str {
        let [with_nnue, handcrafted] = LEVEL_VARIANTS;
        match nnue_for(self) {
            Some(_) => with_nnue,
            None => handcrafted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_all_rules() {
        let rules = DiceOfDoom::FLAGS.iter().find(|flag| flag.name == "rules");
        let start = format!("The rules: {};", Rules::joined_names("or"));
        assert!(rules.unwrap().help.starts_with(&start));
    }
}
