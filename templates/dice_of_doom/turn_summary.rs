//! What happened since the reader's last turn, in the place of the strip.

use std::sync::Arc;

use maud::{Markup, html};

use crate::controls::{TableComponent, TableContext};
use crate::message::LocalizedMessage;
use crate::page::emphasised;
use crate::svg_symbols::glyph_icon;

/// What happened to a player since the end of that player's last turn.
#[derive(Clone, Debug)]
pub struct TurnSummaryView {
    /// Whose turn it is.
    pub reader: u8,
    /// Hexes lost.
    pub lost: u32,
    /// Dice that came at the end of the reader's last turn.
    pub dice: u32,
    /// The reader's dice that stood on them.
    pub fell: u32,
    /// Who took the hexes, the first taker first.
    pub takers: Vec<CaptorView>,
    /// The position after the reader's last ply, from which it can be watched again.
    pub from: u32,
    /// What stands there once the card is put away.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// Who took hexes from the reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptorView {
    /// The player.
    pub player: u8,
    /// The hexes, in the order in which they were taken.
    pub hexes: Vec<u8>,
    /// The position after the last of these attacks.
    pub ply: u32,
}

impl CaptorView {
    /// The ids of the hexes on the board.
    fn marks(&self) -> String {
        let ids: Vec<_> = self.hexes.iter().map(|hex| format!("h{hex}")).collect();
        ids.join(" ")
    }
}

impl TableComponent for TurnSummaryView {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let text = table.text;
        // Before the reader's first turn there was none that it could be since.
        let key = if self.from == 0 {
            "since-start"
        } else {
            "since"
        };
        let title = table.told(&LocalizedMessage::new(key).of(self.reader));
        let sub = if self.lost == 0 {
            "since-kept"
        } else {
            "since-striped"
        };
        let gain = |key, count: u32| {
            let values = [("n", count.into()), ("fell", self.fell.into())];
            emphasised(&text.say_with(key, &values))
        };
        html! {
            div.since {
                section.roll.recap aria-label=(title) {
                    div.told { h2 { (title) } p { (table.told(&LocalizedMessage::new(sub).of(self.reader))) } }
                    @if self.lost > 0 { p.gain { (gain("since-hexes", self.lost)) } }
                    @if self.dice > 0 { p.gain { (gain("since-dice", self.dice)) } }
                    div.takers { @for taker in &self.takers { (taken(table, taker)) } }
                    a.again href={ "/g/" (table.id) "/" (self.from) "#play" } {
                        svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M5 12a7.5 7.5 0 1 0 2.4-5.5M5 4v4.5h4.5" {} }
                        (text.say("since-again"))
                    }
                    label.ib {
                        // A browser that remembers what was ticked knows the next card by its own name.
                        input.vh type="checkbox" id={ "away-" (table.ply) } aria-label=(text.say("since-close"));
                        svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M6 6l12 12M18 6 6 18" {} }
                    }
                }
                @if let Some(strip) = &self.strip { (strip.draw(table)) }
            }
        }
    }
}

fn taken(table: &TableContext<'_>, taker: &CaptorView) -> Markup {
    let said = LocalizedMessage::new("since-took")
        .of(taker.player)
        .with("hexes", taker.hexes.len() as u32);
    let hexes = taker.hexes.iter().map(|hex| hex.to_string().into());
    let values = [
        ("hexes", table.text.list(hexes).as_str().to_owned().into()),
        ("count", (taker.hexes.len() as u32).into()),
    ];
    html! {
        a.taker href={ "/g/" (table.id) "/" (taker.ply) } data-marks=(taker.marks()) {
            (glyph_icon(taker.player)) span { (emphasised(&table.told(&said))) span.vh { (table.text.say_with("since-taken-hexes", &values)) } }
        }
    }
}
