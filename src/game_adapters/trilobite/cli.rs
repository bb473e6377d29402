//! The flags of Trilobite.

use crate::game_adapters::cli::{Flag, Flagged};
use crate::games::trilobite::Trilobite;

impl Flagged for Trilobite {
    const TITLE: &'static str = "Trilobite";

    const FLAGS: &'static [Flag] = &[
        Flag::number("width", "width", "Columns [default: 8]"),
        Flag::number("height", "height", "Chips that a column holds [default: 7]"),
        Flag::number("win", "win", "Chips in a line that win [default: 4]"),
    ];
}
