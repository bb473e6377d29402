//! Command-line flags of Trilobite.

use crate::game_adapters::cli::{CliAdapter, GameFlag};
use crate::games::trilobite::Trilobite;

impl CliAdapter for Trilobite {
    const TITLE: &'static str = "Trilobite";

    const FLAGS: &'static [GameFlag] = &[
        GameFlag::number("width", "width", "Columns [default: 8]"),
        GameFlag::number("height", "height", "Chips that a column holds [default: 7]"),
        GameFlag::number("win", "win", "Chips in a line that win [default: 4]"),
    ];
}
