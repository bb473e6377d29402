//! Hints: what the actions of a position are worth, best first.

use std::sync::Arc;

use maud::{Markup, html};

use super::controls::{Button, TableComponent, TableContext, key_name};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{band, emphasised};
use super::svg_symbols::glyph_icon;

/// A hint is asked for at a table.
#[derive(Clone, Debug)]
pub enum HintPanel {
    /// It can be asked for; this key does it.
    Offered(&'static str),
    /// The computer still thinks.
    Thinking,
    /// It is known.
    Known(HintView),
}

/// The weighed actions of a position.
#[derive(Clone, Debug)]
pub struct HintView {
    /// Whose chances come first.
    pub mover: u8,
    /// One sentence why the first is the best.
    pub why: LocalizedMessage,
    /// Does the first.
    pub first: Button,
    /// What stands in the place of that button, where the first has consequences that are asked about or told.
    pub corner: Option<Arc<dyn TableComponent>>,
    /// Every action, best first.
    pub rows: Vec<HintRow>,
    /// Everything in it is proven.
    pub is_exact: bool,
    /// With how many simulations it was found.
    pub simulations: u32,
}

/// One action with what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct HintRow {
    /// Plays it.
    pub button: Button,
    /// How likely it is to succeed, or how it ends.
    pub tag: HintTag,
    /// The ids of the elements of the board that it concerns, with blanks between them.
    pub marks: Option<String>,
    /// It ends the turn: a list that is cut short shows it all the same.
    pub ends_turn: bool,
    /// A field of the game's address that leads to a question before it is played, with its value.
    pub asked: Option<(&'static str, &'static str)>,
    /// The mover's chance to win after it.
    pub share: f32,
    /// Everybody's.
    pub shares: Vec<(u8, f32)>,
}

/// What stands in the tag of an action.
#[derive(Clone, PartialEq, Debug)]
pub enum HintTag {
    /// The chance that it succeeds.
    Odds(f64),
    /// Nothing is left to chance.
    Sure,
    /// A proven result.
    Result {
        /// In words.
        said: LocalizedMessage,
        /// Whether it is won, drawn or lost: 1, a half or 0.
        share: f32,
    },
    /// Nothing beside the chance of winning.
    None,
}

impl HintTag {
    /// Whether it is a good, a middling or a bad one, as a class.
    fn band(&self) -> &'static str {
        match self {
            HintTag::Odds(odds) => band(*odds),
            HintTag::Sure | HintTag::None => "hi",
            HintTag::Result { share, .. } => band(f64::from(*share)),
        }
    }
}

/// So many actions are shown at first.
const SHOWN: usize = 5;

/// The button at the table that asks for a hint, or says that it is on.
pub(super) fn ask(table: &TableContext<'_>, panel: &HintPanel) -> Markup {
    let home = format!("/g/{}", table.id);
    let bulb = html! { svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M9 17.500h6M10 21h4M12 3a6.500 6.500 0 0 0-3.500 12v2.500h7V15A6.500 6.500 0 0 0 12 3Z" {} } };
    html! {
        @match panel {
            HintPanel::Offered(key) => {
                a.btn href={ (home) "/hint" } data-key=(key) { (bulb) (table.text.say("hint-ask")) kbd.scripted aria-hidden="true" { (key_name(key)) } }
            }
            HintPanel::Thinking | HintPanel::Known(_) => {
                a.btn data-hint="on" href=(home) { (bulb) (table.text.say("hint-close")) }
            }
        }
    }
}

/// The panel in the place of the log.
pub(super) fn panel(table: &TableContext<'_>, panel: &HintPanel) -> Markup {
    let text = table.text;
    html! {
        @match panel {
            HintPanel::Offered(_) => {}
            HintPanel::Thinking => {
                section.advice aria-label=(text.say("hint")) aria-busy="true" {
                    header { h2 { (text.say("hint")) } }
                    p.because role="status" { (text.say("hint-thinking")) }
                    p.links { a href={ "/g/" (table.id) "/hint" } { (text.say("look-again")) } }
                }
            }
            HintPanel::Known(view) => { (known(table, view)) }
        }
    }
}

fn known(table: &TableContext<'_>, view: &HintView) -> Markup {
    let text = table.text;
    let about = if view.is_exact {
        "hint-exact"
    } else {
        "hint-chance"
    };
    let (short, rest) = split(&view.rows);
    html! {
        section.advice aria-label=(text.say("hint")) {
            header { h2 { (text.say("hint")) } small { (text.say(about)) } }
            p.because { (emphasised(&table.told(&view.why))) }
            (list(table, view, &short))
            @if !rest.is_empty() {
                details.rest {
                    summary { (text.say_with("hint-all", &[("count", (view.rows.len() as u32).into())])) }
                    (list(table, view, &rest))
                }
            }
            @if !view.is_exact {
                p.made { (text.say_with("hint-made", &[("thousands", (view.simulations / 1000).max(1).into())])) }
            }
        }
    }
}

/// Rows with their ranks.
type RankedRows<'a> = Vec<(usize, &'a HintRow)>;

/// The best few, with the end of the turn among them, and all others; each with its rank.
fn split(rows: &[HintRow]) -> (RankedRows<'_>, RankedRows<'_>) {
    let ranked = rows.iter().enumerate();
    ranked.partition(|(rank, row)| *rank < SHOWN || row.ends_turn)
}

fn list(table: &TableContext<'_>, view: &HintView, rows: &[(usize, &HintRow)]) -> Markup {
    html! {
        ol.hints {
            @for (rank, row) in rows {
                li class=[(*rank == 0).then_some("top1")] data-marks=[&row.marks] { (line(table, view, *rank, row)) }
            }
        }
    }
}

fn line(table: &TableContext<'_>, view: &HintView, rank: usize, row: &HintRow) -> Markup {
    let proven = matches!(row.tag, HintTag::Result { .. });
    let button = html! {
        button {
            span.no.best[rank == 0] { (rank + 1) }
            span.what { (emphasised(&table.told(&row.button.label))) }
            @if row.tag != HintTag::None { span class={ "tag " (row.tag.band()) } { (tag(table, &row.tag)) } }
            @else { span {} }
            @if !proven { span.win-n { (chance(table.text, row.share.into())) } }
            @if !proven && !view.is_exact { (quarters(table, view, row)) }
        }
    };
    let fields: Vec<_> = row
        .button
        .fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    html! {
        div.act.proven[proven] {
            @match row.asked {
                Some((name, value)) => { form action={ "/g/" (table.id) } { input type="hidden" name=(name) value=(value); (button) } }
                None => { (table.form(&fields, row.button.key.as_deref(), &button)) }
            }
        }
    }
}

fn tag(table: &TableContext<'_>, tag: &HintTag) -> String {
    match tag {
        HintTag::Odds(odds) => chance(table.text, *odds),
        HintTag::Sure => table.text.say("hint-sure").into_owned(),
        HintTag::Result { said, .. } => table.told(said),
        HintTag::None => String::new(),
    }
}

/// Everybody's chance: glyph, bar and number.
fn quarters(table: &TableContext<'_>, view: &HintView, row: &HintRow) -> Markup {
    html! {
        span.quarters {
            @for (player, share) in &row.shares {
                span class={ "q p" (player % 6) @if *player == view.mover { " me" } } {
                    (glyph_icon(*player))
                    span.vh { (table.cast.name(*player)) }
                    svg.qb viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" { rect width=((share.clamp(0.0, 1.0) * 100.0).round()) height="6" {} }
                    b { (whole(table.text, *share)) }
                }
            }
        }
    }
}

/// A chance with its sign.
pub(super) fn chance(text: &Translations, chance: f64) -> String {
    let chance = text.language().percent(chance);
    text.say_with("odds", &[("odds", chance.into())])
        .into_owned()
}

/// A share in percent, without the sign.
pub(super) fn whole(text: &Translations, share: f32) -> String {
    text.language().percent(f64::from(share.clamp(0.0, 1.0)))
}

/// The main button: it does the first of the hint.
#[derive(Clone, PartialEq, Debug)]
pub struct HintAction(pub Button);

impl TableComponent for HintAction {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let fields: Vec<_> = self
            .0
            .fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let button = html! { button.btn.main { (table.told(&self.0.label)) } };
        html! {
            div.acts {
                (table.form(&fields, self.0.key.as_deref(), &button))
                p.why { (table.text.say("hint-first")) }
            }
        }
    }
}
