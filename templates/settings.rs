//! The page of settings: all choices, and an example that shows them.
//!
//! In browsers that know `:has()` the example shows a choice before it is saved; in others it shows both
//! boards, and the other settings only after saving.

use maud::{Markup, html};

use super::page::{Refresh, Site, page, titled};
use super::text::Text;
use super::view::{
    BoardView, CellView, Choice, ColumnsView, Drawing, HexState, HexView, Look, SettingsView,
};
use super::{columns, hexes};

/// The page `/settings`.
#[must_use]
pub fn settings_page(site: &Site<'_>, text: &Text, view: &SettingsView) -> Markup {
    let title = text.say("set-title");
    let [looks, plays] = [0..5, 5..8].map(|range| site.look.settings.choices()[range].to_vec());
    let main = html! {
        main #main.page.wide {
            h1 { (title) }
            p.lead { (text.say("set-lead")) }
            @if view.saved { p.notice role="status" { (text.say("set-saved")) } }
            form.form.look method="post" action="/settings" {
                @if let Some(back) = &view.back { input type="hidden" name="back" value=(back); }
                div.choices {
                    @for choice in &looks { (question(text, choice)) }
                    @for choice in &plays { (question(text, choice)) }
                    p.hint { (text.say("set-keys-hint")) }
                    p.row {
                        button.btn.main { (text.say("set-save")) }
                        @if let Some(back) = &view.back {
                            button.btn name="next" value=(back) { (text.say("set-save-back")) }
                        }
                    }
                }
                section.try aria-label=(text.say("set-example")) { (example(text, &site.look)) }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

/// One thing to choose, as radio buttons.
fn question(text: &Text, choice: &Choice) -> Markup {
    html! {
        fieldset.pick {
            legend { (text.say(&format!("set-{}", choice.name))) }
            @for word in choice.words {
                label {
                    input type="radio" id={ (choice.name) "-" (word) } name=(choice.name) value=(word) checked[choice.word == *word];
                    (text.say(&format!("set-{}-{word}", choice.name)))
                }
            }
        }
    }
}

/// Both drawings of one board, and a corner of Trilobite.
fn example(text: &Text, look: &Look) -> Markup {
    // The example always has odds, which are hidden if the reader does not want them.
    let shown = |drawing| {
        let mut look = Look { drawing, ..*look };
        look.settings.odds = true;
        hexes::picture(&look, &hexes_example(), &text.say("set-example-dice"))
    };
    html! {
        div.example {
            div.bd.ex-book { (shown(Drawing::Book)) }
            div.bd.ex-flat { (shown(Drawing::Flat)) }
            div.bd.cols { (columns::picture(&columns_example(), &text.say("set-example-chips"))) }
        }
    }
}

/// Six players, a chosen source, targets with good, even and bad odds.
fn hexes_example() -> BoardView {
    let target = |percent: f64| HexState::Target {
        odds: Some(percent / 100.0),
    };
    let hexes = [
        (1, 3, target(74.0)),
        (4, 2, target(94.0)),
        (5, 3, HexState::Resting),
        (2, 2, target(94.0)),
        (0, 4, HexState::Chosen),
        (1, 5, target(22.0)),
        (0, 2, HexState::Choosable),
        (3, 3, target(74.0)),
        (2, 4, target(46.0)),
    ];
    let hexes = hexes.map(|(owner, dice, state)| HexView {
        owner,
        dice,
        state,
        ..HexView::default()
    });
    BoardView {
        side: 3,
        max_dice: 5,
        hexes: hexes.to_vec(),
        last_attack: Some((5, 2)),
    }
}

/// A few chips, the last one marked.
fn columns_example() -> ColumnsView {
    let rows = ["......", "..b...", "..rb..", ".brrb."];
    let mut cells: Vec<CellView> = rows
        .concat()
        .chars()
        .map(|cell| CellView {
            chip: match cell {
                'r' => Some(0),
                'b' => Some(1),
                _ => None,
            },
            ..CellView::default()
        })
        .collect();
    cells[8].last = true;
    ColumnsView {
        width: 6,
        height: 4,
        win: 4,
        cells,
        columns: Vec::new(),
    }
}
