//! Hints: the values of the legal actions, best first.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::controls::{Button, TableComponent, TableContext, key_name};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{emphasised, odds_class};
use super::svg_symbols::glyph_icon;

/// State of a hint on the page of a game.
#[derive(Clone, Debug)]
pub enum HintPanel {
    /// A hint can be requested, also with this keyboard shortcut.
    Offered(&'static str),
    /// The computation is in progress.
    Pending,
    /// The hint is ready.
    Ready(HintView),
}

/// The analysed actions of a position.
#[derive(Clone, Debug)]
pub struct HintView {
    /// The player to move, whose win probability comes first.
    pub mover: u8,
    /// A sentence that explains why the first action is the best.
    pub why: LocalizedMessage,
    /// The button that plays the first action.
    pub first: Button,
    /// Replaces that button if the consequences of the first action must be confirmed or are announced.
    pub primary_action: Option<Arc<dyn TableComponent>>,
    /// Every action, best first.
    pub rows: Vec<HintRow>,
    /// Whether all values are proven.
    pub is_exact: bool,
    /// Number of simulations of the search.
    pub simulations: u32,
}

/// An action with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct HintRow {
    /// The button that plays the action.
    pub button: Button,
    /// Its probability of success, or its proven result.
    pub tag: HintTag,
    /// Ids of the board elements that it concerns, separated by spaces.
    pub marks: Option<String>,
    /// Whether it ends the turn: such an action is shown even in a shortened list.
    pub ends_turn: bool,
    /// Name and value of the query parameter that asks for confirmation before the action is played.
    pub confirmation: Option<(&'static str, &'static str)>,
    /// Win probability of the player to move after the action.
    pub share: f32,
    /// Win probabilities of all players.
    pub shares: Vec<(u8, f32)>,
}

/// The tag of an action.
#[derive(Clone, PartialEq, Debug)]
pub enum HintTag {
    /// Probability of success.
    Odds(f64),
    /// Deterministic: no chance is involved.
    Deterministic,
    /// A proven result.
    Result {
        /// Its text.
        sentence: LocalizedMessage,
        /// Value for the player to move: 1 for a win, 0.5 for a draw, 0 for a loss.
        share: f32,
    },
    /// No tag; only the win probability is shown.
    None,
}

impl HintTag {
    /// The CSS class for good, middling or bad.
    fn band(&self) -> &'static str {
        match self {
            HintTag::Odds(odds) => odds_class(*odds),
            HintTag::Deterministic | HintTag::None => "hi",
            HintTag::Result { share, .. } => odds_class(f64::from(*share)),
        }
    }
}

/// Number of actions that are shown initially.
const SHOWN: usize = 5;

/// The button that requests a hint, or closes it.
pub(super) fn request_button(table: &TableContext<'_>, panel: &HintPanel) -> Markup {
    let home = format!("{}{}", table.text.path("/g/"), table.id);
    let bulb = html! { svg.ico viewBox="0 0 24 24" aria-hidden="true" { path d="M9 17.500h6M10 21h4M12 3a6.500 6.500 0 0 0-3.500 12v2.500h7V15A6.500 6.500 0 0 0 12 3Z" {} } };
    html! {
        @match panel {
            HintPanel::Offered(key) => {
                a.btn href={ (home) "/hint" } data-key=(key) { (bulb) (table.text.get("hint-ask")) kbd.scripted aria-hidden="true" { (key_name(key)) } }
            }
            HintPanel::Pending | HintPanel::Ready(_) => {
                a.btn data-hint="on" href=(home) { (bulb) (table.text.get("hint-close")) }
            }
        }
    }
}

/// The panel that replaces the log.
pub(super) fn panel(table: &TableContext<'_>, panel: &HintPanel) -> Markup {
    let text = table.text;
    html! {
        @match panel {
            HintPanel::Offered(_) => {}
            HintPanel::Pending => {
                section.advice aria-label=(text.get("hint")) aria-busy="true" {
                    header { h2 { (text.get("hint")) } }
                    p.because role="status" { (text.get("hint-thinking")) }
                    p.links { a href={ (text.path("/g/")) (table.id) "/hint" } { (text.get("look-again")) } }
                }
            }
            HintPanel::Ready(view) => { (hint_section(table, view)) }
        }
    }
}

fn hint_section(table: &TableContext<'_>, view: &HintView) -> Markup {
    let text = table.text;
    let label_key = if view.is_exact {
        "hint-exact"
    } else {
        "hint-chance"
    };
    let (short, rest) = split(&view.rows);
    html! {
        section.advice aria-label=(text.get("hint")) {
            header { h2 { (text.get("hint")) } small { (text.get(label_key)) } }
            p.because { (emphasised(&table.sentence(&view.why))) }
            (list(table, view, &short))
            @if !rest.is_empty() {
                details.rest {
                    summary { (text.get_with("hint-all", &[("count", (view.rows.len() as u32).into())])) }
                    (list(table, view, &rest))
                }
            }
            @if !view.is_exact {
                p.made { (text.get_with("hint-made", &[("thousands", (view.simulations / 1000).max(1).into())])) }
            }
        }
    }
}

type RankedRows<'a> = Vec<(usize, &'a HintRow)>;

/// The best few actions together with the end of the turn, and all others; each with its rank.
fn split(rows: &[HintRow]) -> (RankedRows<'_>, RankedRows<'_>) {
    let ranked = rows.iter().enumerate();
    ranked.partition(|(rank, row)| *rank < SHOWN || row.ends_turn)
}

fn list(table: &TableContext<'_>, view: &HintView, rows: &[(usize, &HintRow)]) -> Markup {
    html! {
        ol.hints {
            @for (rank, row) in rows {
                li class=[(*rank == 0).then_some("top1")] data-marks=[&row.marks] { (action_row(table, view, *rank, row)) }
            }
        }
    }
}

fn action_row(table: &TableContext<'_>, view: &HintView, rank: usize, row: &HintRow) -> Markup {
    let is_proven = matches!(row.tag, HintTag::Result { .. });
    let button = html! {
        button {
            span.no.best[rank == 0] aria-hidden="true" { (rank + 1) }
            span.what aria-hidden="true" { (emphasised(&table.sentence(&row.button.label))) }
            @if row.tag != HintTag::None { span class={ "tag " (row.tag.band()) } aria-hidden="true" { (tag(table, &row.tag)) } }
            @else { span {} }
            @if !is_proven { span.win-n aria-hidden="true" { (percent_text(table.text, row.share.into())) } }
            @if !is_proven && !view.is_exact { (win_probabilities(table, view, row)) }
            span.vh { (spoken(table, rank, row, is_proven)) }
        }
    };
    let fields: Vec<_> = row
        .button
        .fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    html! {
        div.act.proven[is_proven] {
            @match row.confirmation {
                Some((name, value)) => { form action={ (table.text.path("/g/")) (table.id) } { input type="hidden" name=(name) value=(value); (button) } }
                None => { (table.form(&fields, row.button.key.as_deref(), &button)) }
            }
        }
    }
}

/// A row in words: what is not visible beside its figures.
fn spoken(table: &TableContext<'_>, rank: usize, row: &HintRow, is_proven: bool) -> String {
    let text = table.text;
    let what = table.sentence(&row.button.label).replace('|', "");
    let share = percent_text(text, row.share.into());
    let values = [
        ("rank", (rank as u32 + 1).into()),
        ("what", what.as_str().into()),
        ("share", share.as_str().into()),
    ];
    let key = if is_proven {
        "hint-row"
    } else {
        "hint-row-chance"
    };
    let words = text.get_with(key, &values);
    let odds = match row.tag {
        HintTag::Odds(_) => {
            let odds = tag(table, &row.tag);
            Some(
                text.get_with("hint-row-odds", &[("odds", odds.as_str().into())])
                    .into_owned(),
            )
        }
        HintTag::Result { .. } => Some(tag(table, &row.tag)),
        HintTag::Deterministic | HintTag::None => None,
    };
    text.join_with_commas([Some(words), odds.map(Cow::from)].into_iter().flatten())
}

fn tag(table: &TableContext<'_>, tag: &HintTag) -> String {
    match tag {
        HintTag::Odds(odds) => percent_text(table.text, *odds),
        HintTag::Deterministic => table.text.get("hint-sure").into_owned(),
        HintTag::Result { sentence, .. } => table.sentence(sentence),
        HintTag::None => String::new(),
    }
}

/// The win probabilities of all players: glyph, bar and number.
fn win_probabilities(table: &TableContext<'_>, view: &HintView, row: &HintRow) -> Markup {
    html! {
        span.quarters aria-hidden="true" {
            @for (player, share) in &row.shares {
                span class={ "q p" (player % 6) @if *player == view.mover { " me" } } {
                    (glyph_icon(*player))
                    svg.qb viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" { rect width=((share.clamp(0.0, 1.0) * 100.0).round()) height="6" {} }
                    b { (percent_number(table.text, *share)) }
                }
            }
        }
    }
}

/// A probability with a percent sign.
pub(super) fn percent_text(text: &Translations, chance: f64) -> String {
    let chance = text.language().format_percent(chance);
    text.get_with("odds", &[("odds", chance.into())])
        .into_owned()
}

/// A share in percent, without the sign.
pub(super) fn percent_number(text: &Translations, share: f32) -> String {
    text.language()
        .format_percent(f64::from(share.clamp(0.0, 1.0)))
}

/// The primary action while a hint is shown: plays the first action of the hint.
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
        let button = html! { button.btn.main { (table.sentence(&self.0.label)) } };
        html! {
            div.acts {
                (table.form(&fields, self.0.key.as_deref(), &button))
                p.why { (table.text.get("hint-first")) }
            }
        }
    }
}
