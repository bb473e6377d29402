//! A review as plain text, for a terminal.

use std::fmt::Write as _;

use super::{ReviewView, action_text, cost, evaluator_text, summary, verdict};
use crate::controls::TableContext;
use crate::localization::Translations;
use crate::players::PlayerNames;
use crate::preferences::DisplayOptions;

/// The review from every player's viewpoint: the effect of dice and decisions, and the costliest decisions.
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
        let _ = writeln!(
            out,
            "{} {}",
            summary(&table, view),
            text.get("review-point")
        );
        let _ = writeln!(out, "{}", evaluator_text(&table, view));
    }
    for view in sides {
        let _ = writeln!(out, "\n{}", verdict(&table, view));
        for mistake in &view.mistakes {
            let ply = text.get_with("review-go", &[("ply", mistake.page_ply().into())]);
            let played = action_text(&table, mistake.played.as_ref(), "head");
            let cost = table.sentence(&cost(&table, mistake)).replace('|', "");
            let _ = writeln!(out, "  {ply}: {played} {cost}");
        }
    }
    out
}
