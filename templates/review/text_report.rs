//! A review in plain lines, for a terminal.

use std::fmt::Write as _;

use super::{ReviewView, cost, lead, made_by, told, verdict};
use crate::controls::Table;
use crate::localization::Text;
use crate::players::Cast;
use crate::preferences::Look;

/// Every player's side of a review: what the dice and the decisions came to, and what cost most.
#[must_use]
pub fn printed_review(text: &Text, sides: &[ReviewView]) -> String {
    let (look, cast) = (Look::default(), Cast::nobody(text));
    let table = Table {
        text,
        look: &look,
        cast: &cast,
        id: "",
        ply: 0,
    };
    let mut out = String::new();
    if let Some(view) = sides.first() {
        let _ = writeln!(out, "{} {}", lead(&table, view), text.say("review-point"));
        let _ = writeln!(out, "{}", made_by(&table, view));
    }
    for view in sides {
        let _ = writeln!(out, "\n{}", verdict(&table, view));
        for mistake in &view.mistakes {
            let ply = text.say_with("review-go", &[("ply", mistake.shown().into())]);
            let played = told(&table, mistake.played.as_ref(), "head");
            let cost = table.told(&cost(&table, mistake)).replace('|', "");
            let _ = writeln!(out, "  {ply}: {played} {cost}");
        }
    }
    out
}
