//! The adapters of Dice of Doom.

mod advice;
mod analysis_board;
mod book_page;
mod end_turn_preview;
mod engine;
mod form;
mod hint;
mod history;
mod lessons;
mod log;
mod move_options;
mod page;
mod puzzles;
mod replay;
mod result_text;
mod review;
mod start_board;
mod terminal;
mod throws;
mod turn_summary;

use std::sync::Arc;

use super::analysis_board::AnalysisPage;
use super::book_page::BookPages;
use super::cli::{FlagValue, GameFlag};
use super::dice_audit::DicePage;
use super::exercise::LessonPage;
use super::form::SettingsForm;
use super::hint::HintPage;
use super::log::{LogPage, ReplayPage};
use super::page::PlayerCounts;
use super::puzzle::PuzzlePage;
use super::review::ReviewPage;
use super::{GamePages, RegistrableGame};
use crate::game::Player;
use crate::templates::dice_of_doom::roll::EmptyDiceStrip;
use crate::templates::dice_of_doom::{DiceSettingsExample, LEVEL_VARIANTS};
use crate::templates::players::CountColumns;
use dice_of_doom_games::dice_of_doom::nnue::builtin::nnue_for;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};

impl RegistrableGame for DiceOfDoom {
    const PAGES: GamePages<Self> = GamePages {
        form: Some(SettingsForm {
            title_key: "form-dice",
            seat_fields: &["seats"],
            fields: form::settings_form,
            parse: form::parse_form,
            error_text: form::setup_error_text,
        }),
        start: None,
        hero_board: Some(|| start_board::HERO.clone()),
        settings_example: Some(|| Arc::new(DiceSettingsExample)),
        counts: Some(PlayerCounts {
            columns: CountColumns {
                headings: &["players-hexes", "players-dice", "players-cluster"],
                territory: Some(0),
            },
            of: page::hex_counts,
        }),
        log: Some(LogPage {
            describe_ply: log::describe_ply,
            takeback_label: log::takeback_label,
            takeback_text: log::takeback_text,
            has_turns: true,
        }),
        replay: Some(ReplayPage {
            ply_mark: replay::ply_mark,
            highlight_last_ply: replay::highlight_last_ply,
            roll_sentences: log::roll_sentences,
            highlight_end: replay::highlight_end,
            empty_strip: || Arc::new(EmptyDiceStrip),
            turn_summary: |game, since, board| {
                Some(Arc::new(turn_summary::turn_summary(game, since, board)?))
            },
            history: |session| Arc::new(history::history(session)),
        }),
        dice: Some(DicePage {
            throw: throws::throw,
            win_probability: throws::probability_of,
        }),
        hints: Some(HintPage {
            key: "h",
            content: hint::hint_content,
        }),
        reviews: Some(ReviewPage {
            comparison: review::comparison,
            why_better: review::why_better,
            marked_board: review::marked_board,
            odds: review::odds,
        }),
        lessons: Some(LessonPage {
            json: include_str!("dice_of_doom/lessons.json"),
            add_links: lessons::add_links,
            highlight_element: |hex, board| board.attack_to_confirm = Some((hex, hex)),
            advice: Some(advice::lesson_advice),
        }),
        puzzles: Some(PuzzlePage {
            json: include_str!("dice_of_doom/puzzles.json"),
            draft: puzzles::draft,
            symmetric_positions: puzzles::symmetric_positions,
            mark_choices: Some(puzzles::mark_choices),
            action_query: puzzles::action_query,
            describe_action: puzzles::describe_action,
            outcome_of_share: None,
            played_picture: |game, _, action, after| review::comparison(game, after, None, action),
        }),
        analysis: Some(AnalysisPage {
            edit_groups: analysis_board::edit_groups,
            action_sentence: analysis_board::action_sentence,
            outcome_sentence: analysis_board::outcome_sentence,
        }),
        book: Some(BookPages {
            game: || DiceOfDoom::preset(Rules::V4),
            entry_page: book_page::entry_page,
            of: |session| session,
        }),
    };

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

    fn rated_games() -> Vec<Self> {
        let measured = [
            (Rules::V4, 5, 4),
            (Rules::V4, 5, 2),
            (Rules::V4, 7, 4),
            (Rules::Conquest, 5, 4),
            (Rules::V3, 5, 2),
        ];
        let games = measured.into_iter().map(|(rules, side, players)| {
            let (_, max_dice, _) = rules.defaults();
            DiceOfDoom::new(rules, side, players, max_dice)
        });
        games.filter_map(Result::ok).collect()
    }

    /// Each player's hexes and dice are within a third of an equal share.
    fn is_balanced(&self, start: &Position) -> bool {
        let players = u32::from(self.players());
        let (hexes, dice): (Vec<u32>, Vec<u32>) = Player::all(self.players())
            .map(|player| self.hex_and_dice_count(start, player))
            .unzip();
        [hexes, dice].iter().all(|counts| {
            let all: u32 = counts.iter().sum();
            counts
                .iter()
                .all(|count| 3 * all.abs_diff(players * count) <= all)
        })
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
