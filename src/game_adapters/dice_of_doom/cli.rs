//! Command-line flags of Dice of Doom.

use crate::game_adapters::cli::{CliAdapter, FlagValue, GameFlag};
use crate::games::dice_of_doom::{DiceOfDoom, Rules};

impl CliAdapter for DiceOfDoom {
    const TITLE: &'static str = "Dice of Doom";

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
