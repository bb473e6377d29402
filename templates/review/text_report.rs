//! A review as plain text, for a terminal.

use std::fmt::Write as _;

use super::{ReviewView, accuracy, action_text, evaluator_text, luck_and_point, summary};
use crate::controls::TableContext;
use crate::localization::Translations;
use crate::players::PlayerNames;
use crate::preferences::DisplayOptions;

/// The review from every player's viewpoint: accuracy, luck, and the costliest decisions.
#[must_use]
pub fn printed_review(text: &Translations, sides: &[ReviewView]) -> String {
    let (display, names) = (DisplayOptions::default(), PlayerNames::none(text));
    let table = TableContext {
        text,
        display: &display,
        names: &names,
        id: "",
        ply: 0,
    };
    let mut out = String::new();
    if let Some(view) = sides.first() {
        let _ = writeln!(out, "{}", summary(&table, view));
        let _ = writeln!(out, "{}", evaluator_text(&table, view));
    }
    for view in sides {
        let _ = writeln!(out, "\n{}", accuracy(&table, view));
        let _ = writeln!(out, "{}", luck_and_point(&table, view));
        for mistake in &view.mistakes {
            let values = [
                ("ply", mistake.page_ply().into()),
                ("points", mistake.points().into()),
                ("share", ((100.0 * mistake.share).round() as u32).into()),
                (
                    "played",
                    action_text(&table, mistake.played.as_ref(), "head").into(),
                ),
                (
                    "better",
                    action_text(&table, Some(&mistake.other), "within").into(),
                ),
            ];
            let _ = writeln!(out, "  {}", text.get_with("review-cost", &values));
        }
    }
    out
}
