//! The adapters of Trilobite.

mod analysis_board;
mod engine;
mod hint;
mod page;
mod terminal;

use super::RegistrableGame;
use super::cli::GameFlag;
use crate::games::trilobite::Trilobite;

impl RegistrableGame for Trilobite {
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
}
