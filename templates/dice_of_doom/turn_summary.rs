//! A summary of what happened since the viewer's last turn, in place of the strip.

use std::sync::Arc;

use maud::{Markup, html};

use crate::controls::{TableComponent, TableContext};
use crate::message::LocalizedMessage;
use crate::page::emphasised;
use crate::svg_symbols::glyph_icon;

/// What happened to a player since the end of that player's last turn.
#[derive(Clone, Debug)]
pub struct TurnSummaryView {
    /// The viewer, who is to move.
    pub reader: u8,
    /// Number of hexes lost.
    pub lost_hexes: u32,
    /// Number of dice that the viewer received at the end of the last turn.
    pub received_dice: u32,
    /// Number of the viewer's dice on the lost hexes.
    pub lost_dice: u32,
    /// The players who captured the hexes, in order of their first capture.
    pub captors: Vec<CaptorView>,
    /// Ply number of the position after the viewer's last ply, for replaying from there.
    pub from: u32,
    /// What is shown after the summary is closed.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// A player who captured hexes of the viewer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptorView {
    /// The player.
    pub player: u8,
    /// The hexes, in order of capture.
    pub hexes: Vec<u8>,
    /// Ply number of the position after the last of these attacks.
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
        // There was no last turn if the viewer has not played yet.
        let key = if self.from == 0 {
            "since-start"
        } else {
            "since"
        };
        let title = table.sentence(&LocalizedMessage::new(key).with_player(self.reader));
        let sub = if self.lost_hexes == 0 {
            "since-kept"
        } else {
            "since-striped"
        };
        let gain = |key, count: u32| {
            let values = [("n", count.into()), ("fell", self.lost_dice.into())];
            emphasised(&text.get_with(key, &values))
        };
        html! {
            div.since {
                section.roll.recap {
                    div.told { h2 { (title) } p aria-hidden=[(self.lost_hexes > 0).then_some("true")] { (table.sentence(&LocalizedMessage::new(sub).with_player(self.reader))) } }
                    @if self.lost_hexes > 0 { p.gain { (gain("since-hexes", self.lost_hexes)) } }
                    @if self.received_dice > 0 { p.gain { (gain("since-dice", self.received_dice)) } }
                    div.takers { @for captor in &self.captors { (captor_link(table, captor)) } }
                    a.again href={ (text.path("/g/")) (table.id) "/" (self.from) "#play" } {
                        svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M5 12a7.5 7.5 0 1 0 2.4-5.5M5 4v4.5h4.5" {} }
                        (text.get("since-again"))
                    }
                    label.ib {
                        // The id contains the ply, so that a browser that restores form state does not close
                        // the next summary.
                        input.vh type="checkbox" id={ "away-" (table.ply) } aria-label=(text.get("since-close"));
                        svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M6 6l12 12M18 6 6 18" {} }
                    }
                }
                @if let Some(strip) = &self.strip { (strip.draw(table)) }
            }
        }
    }
}

fn captor_link(table: &TableContext<'_>, captor: &CaptorView) -> Markup {
    let sentence = LocalizedMessage::new("since-took")
        .with_player(captor.player)
        .with_value("hexes", captor.hexes.len() as u32);
    let hexes = captor.hexes.iter().map(|hex| hex.to_string().into());
    let values = [
        (
            "hexes",
            table.text.join_as_list(hexes).as_str().to_owned().into(),
        ),
        ("count", (captor.hexes.len() as u32).into()),
    ];
    html! {
        a.taker href={ (table.text.path("/g/")) (table.id) "/" (captor.ply) } data-marks=(captor.marks()) {
            (glyph_icon(captor.player)) span { (emphasised(&table.sentence(&sentence))) span.vh { (table.text.get_with("since-taken-hexes", &values)) } }
        }
    }
}
