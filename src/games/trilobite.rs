//! The adapters of Trilobite.

mod analysis_board;
mod engine;
mod form;
mod hint;
mod lessons;
mod log;
mod page;
mod puzzles;
mod review;
mod terminal;

use std::sync::Arc;

use super::analysis_board::{AnalysisPage, numbered_outcome};
use super::cli::GameFlag;
use super::exercise::LessonPage;
use super::form::SettingsForm;
use super::hint::HintPage;
use super::log::LogPage;
use super::page::{PlayerCounts, StartOffer};
use super::puzzle::{ChoiceDescription, PuzzlePage};
use super::review::ReviewPage;
use super::{BoardPage, GamePages, RegistrableGame};
use crate::level::Level;
use crate::templates::players::CountColumns;
use crate::templates::trilobite::TrilobiteSettingsExample;
use dice_of_doom_games::trilobite::Trilobite;

impl RegistrableGame for Trilobite {
    const PAGES: GamePages<Self> = GamePages {
        form: Some(SettingsForm {
            title_key: "form-trilobite",
            seat_fields: form::SEAT_FIELDS,
            fields: form::settings_form,
            parse: form::parse_form,
            error_text: form::setup_error_text,
        }),
        start: Some(StartOffer {
            about_key: "form-trilobite-about",
            opponents: &[
                ("opponents-easy", Level::Novice),
                ("opponents-medium", Level::Greedy),
                ("opponents-hard", Level::Steady),
                ("level-perfect", Level::Perfect),
            ],
        }),
        settings_example: Some(|| Arc::new(TrilobiteSettingsExample)),
        counts: Some(PlayerCounts {
            columns: CountColumns {
                headings: &["players-chips"],
                territory: None,
            },
            of: page::chip_counts,
        }),
        log: Some(LogPage {
            describe_ply: log::describe_ply,
            takeback_label: log::takeback_label,
            takeback_text: log::takeback_text,
            has_turns: false,
        }),
        hints: Some(HintPage {
            // The letters in lower case are the shortcuts of the columns.
            key: "H",
            content: hint::hint_content,
        }),
        reviews: Some(ReviewPage {
            comparison: review::comparison,
            why_better: review::why_better,
            marked_board: review::marked_board,
            odds: |_, _, _| None,
        }),
        lessons: Some(LessonPage {
            json: include_str!("trilobite/lessons.json"),
            add_links: lessons::add_links,
            highlight_element: |_, _| {},
            advice: None,
        }),
        puzzles: Some(PuzzlePage {
            json: include_str!("trilobite/puzzles.json"),
            draft: puzzles::draft,
            symmetric_positions: puzzles::symmetric_positions,
            mark_choices: None,
            action_query: |column| Some(format!("column={column}")),
            describe_action: |game, position, column| ChoiceDescription {
                name: game.action_text(position, column),
                detail: None,
            },
            outcome_of_share: Some(puzzles::outcome_of_share),
            played_picture: |game, before, column, _| {
                review::comparison(game, before, None, column)
            },
        }),
        analysis: Some(AnalysisPage {
            edit_groups: analysis_board::edit_groups,
            action_sentence: analysis_board::action_sentence,
            outcome_sentence: numbered_outcome,
        }),
        ..GamePages::NONE
    };

    const FLAGS: &'static [GameFlag] = &[
        GameFlag::number("width", "width", "Columns [default: 8]"),
        GameFlag::number("height", "height", "Chips that a column holds [default: 7]"),
        GameFlag::number("win", "win", "Chips in a line that win [default: 4]"),
    ];

    const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[
        ("en", include_str!("../../templates/text/trilobite.en.ftl")),
        ("ja", include_str!("../../templates/text/trilobite.ja.ftl")),
        ("ru", include_str!("../../templates/text/trilobite.ru.ftl")),
    ];

    fn rated_games() -> Vec<Self> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Trilobite::new(width, height, win).into_iter().collect()
    }
}
