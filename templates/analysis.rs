//! The analysis board: a position, its evaluation, a line of what-if steps, and the possible edits.
//!
//! The whole state is in the URL: every click is a link.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::{BoardComponent, BoardLayout};
use super::game::GameTitle;
use super::hint::{HintRow, HintTag, percent_number, percent_text};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{
    Refresh, SiteContext, emphasised, odds_class, page, page_title, stylesheet_link,
};
use super::players::{PlayerNames, PlayerView, player_badge};
use super::svg_symbols::{glyph, glyph_icon};

/// View of the analysis page.
#[derive(Clone, Debug)]
pub struct AnalysisView {
    /// Title of the game.
    pub game: GameTitle,
    /// The interactive board.
    pub board: Arc<dyn BoardComponent>,
    /// The players.
    pub players: Vec<PlayerView>,
    /// The player to move.
    pub mover: Option<u8>,
    /// The result, if the game is over.
    pub verdict: Option<LocalizedMessage>,
    /// The evaluation of the position.
    pub evaluation: EvaluationView,
    /// Why the first action is the best.
    pub why: Option<LocalizedMessage>,
    /// Address of the position that was set up.
    pub start: String,
    /// The steps of the line, oldest first.
    pub steps: Vec<LineStepView>,
    /// The best actions, each with the address of the page after it.
    pub best_actions: Vec<(String, HintRow)>,
    /// Possible edits of the position.
    pub edits: Vec<EditGroupView>,
    /// Address of this page.
    pub path: String,
    /// The same with the origin, for sharing.
    pub address: String,
    /// Address of the analysis page with another position of this game.
    pub new_position: String,
}

/// The evaluation of a position.
#[derive(Clone, PartialEq, Debug)]
pub enum EvaluationView {
    /// The computation is in progress.
    Pending,
    /// Each player's win probability, 0..=1.
    Ready(Vec<(u8, f32)>),
    /// The position is not evaluated.
    Unavailable,
}

/// A step of a line.
#[derive(Clone, Debug)]
pub struct LineStepView {
    /// The player who acted.
    pub player: u8,
    /// The action.
    pub sentence: LocalizedMessage,
    /// Address of the page after it.
    pub href: String,
    /// Its chance outcomes.
    pub outcomes: Vec<OutcomeView>,
    /// Win probability of the player who acted first in the line, if known.
    pub share: Option<f32>,
}

/// A chance outcome of a step.
#[derive(Clone, Debug)]
pub struct OutcomeView {
    /// Its description, with its probability.
    pub sentence: LocalizedMessage,
    /// Address of the page with this outcome.
    pub href: String,
    /// Whether it is the selected outcome.
    pub is_chosen: bool,
}

/// The possible edits of one part of the position.
#[derive(Clone, Debug)]
pub struct EditGroupView {
    /// The part that is edited.
    pub legend: LocalizedMessage,
    /// The choices, each with the address of its page; one without an address would not be a valid position.
    pub options: Vec<EditView>,
}

/// One possible edit.
#[derive(Clone, Debug)]
pub struct EditView {
    /// Its text.
    pub label: LocalizedMessage,
    /// The player whose glyph precedes the text.
    pub player: Option<u8>,
    /// Whether it is the current state.
    pub is_current: bool,
    /// Address of the page with this edit.
    pub href: Option<String>,
}

/// Renders the analysis page.
#[must_use]
pub fn analysis_page(site: &SiteContext<'_>, text: &Translations, view: &AnalysisView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let refresh = match view.evaluation {
        EvaluationView::Pending => Refresh::To(1, view.path.clone()),
        EvaluationView::Ready(_) | EvaluationView::Unavailable => Refresh::Never,
    };
    let title = page_title(text, &text.get("analysis"));
    let upright = view.board.layout() == BoardLayout::Upright;
    let main = html! {
        main #main {
            (stylesheet_link(site, "hint.css"))
            (stylesheet_link(site, "analysis.css"))
            div.game.lab.falling[upright] {
                div.stage {
                    (prompt(text, view, &names))
                    (view.board.interactive(text, &site.display, view.mover, &names))
                }
                div.under { (edit_panel(text, view, &names)) }
                div.rail {
                    (evaluation_panel(text, view, &names))
                    (line_panel(text, view, &names))
                    (share_panel(text, view))
                }
            }
        }
    };
    page(site, text, &title, &refresh, main)
}

fn prompt(text: &Translations, view: &AnalysisView, names: &PlayerNames<'_>) -> Markup {
    let headline = match (&view.verdict, view.steps.is_empty()) {
        (Some(verdict), _) => verdict.render(text, names),
        (None, true) => text.get("analysis").into_owned(),
        (None, false) => text.get("analysis-what-if").into_owned(),
    };
    html! {
        div class={ "prompt" @if let Some(player) = view.mover { " p" (player % 6) } } {
            p.whose {
                @if let Some(player) = view.mover {
                    (player_badge(player))
                    (text.get_with("analysis-to-move", &[("who", names.name(player).into())]))
                }
            }
            h1 { (headline) }
            p.sub { (text.get("analysis-sub")) }
        }
    }
}

fn edit_panel(text: &Translations, view: &AnalysisView, names: &PlayerNames<'_>) -> Markup {
    html! {
        section.palette aria-label=(text.get("analysis-edit")) {
            @for group in &view.edits {
                @let legend = group.legend.render(text, names);
                div.edit role="group" aria-label=(legend) {
                    p.legend { (legend) }
                    p.opts { @for option in &group.options { (edit(text, option, names)) } }
                }
            }
            div.edit { p.opts { a.opt.wide href=(text.path(&view.new_position)) { (text.get("analysis-deal")) } } }
        }
    }
}

fn edit(text: &Translations, option: &EditView, names: &PlayerNames<'_>) -> Markup {
    let content = html! {
        @if let Some(player) = option.player { (player_badge(player)) }
        (option.label.render(text, names))
    };
    let wide = option.player.is_some();
    html! {
        @match &option.href {
            Some(href) => { a.opt.wide[wide] href=(text.path(href)) aria-current=[option.is_current.then_some("true")] { (content) } }
            None => { span.opt.wide[wide].off { (content) } }
        }
    }
}

fn evaluation_panel(text: &Translations, view: &AnalysisView, names: &PlayerNames<'_>) -> Markup {
    html! {
        section.study.worth aria-label=(text.get("analysis-worth")) {
            h2 { (text.get("analysis-worth")) }
            @match &view.evaluation {
                EvaluationView::Pending => { p.note role="status" { (text.get("hint-thinking")) } }
                EvaluationView::Unavailable => { p.note { (text.get("analysis-over")) } }
                EvaluationView::Ready(shares) => {
                    (bar(text, shares))
                    ul.each {
                        @for (player, share) in shares {
                            li { (glyph_icon(*player)) (names.name(*player)) " " b { (percent_text(text, (*share).into())) } }
                        }
                    }
                }
            }
            @if let Some(why) = &view.why { p.note { (emphasised(&why.render(text, names))) } }
        }
    }
}

/// Width of the bar, in SVG units.
const WIDE: f32 = 320.0;

/// One bar with the players' shares; the list below it has the same numbers as text.
fn bar(text: &Translations, shares: &[(u8, f32)]) -> Markup {
    let all: f32 = shares
        .iter()
        .map(|(_, share)| share)
        .sum::<f32>()
        .max(f32::EPSILON);
    let mut before = 0.0;
    html! {
        svg.evalb viewBox="0 0 320 34" aria-hidden="true" {
            @for (player, share) in shares {
                @let width = share / all * WIDE;
                @let x = { before += width; before - width };
                g class={ "p" (player % 6) } {
                    rect x=(x) width=(width) height="34" {}
                    @if width >= 44.0 {
                        g.g transform={ "translate(" (x + width / 2.0 - 14.0) " 17) scale(.7)" } { (maud::PreEscaped(glyph(*player))) }
                        text x=(x + width / 2.0 + 8.0) y="22" { (percent_number(text, *share)) }
                    }
                    @else if width >= 16.0 {
                        g.g transform={ "translate(" (x + width / 2.0) " 10) scale(.5)" } { (maud::PreEscaped(glyph(*player))) }
                        text.sm x=(x + width / 2.0) y="28" { (percent_number(text, *share)) }
                    }
                }
            }
        }
    }
}

fn line_panel(text: &Translations, view: &AnalysisView, names: &PlayerNames<'_>) -> Markup {
    let last = view.steps.len();
    html! {
        section.study.lines aria-label=(text.get("analysis-line")) {
            h2 { (text.get("analysis-line")) }
            ol.whatif {
                li.here[last == 0] { a href=(text.path(&view.start)) aria-current=[(last == 0).then_some("step")] { (text.get("analysis-start")) } }
                @for (number, step) in (1..).zip(&view.steps) {
                    li.here[number == last] { (step_line(text, step, names, number == last)) }
                }
            }
            @if let Some(step) = view.steps.len().checked_sub(1) {
                @let back = step.checked_sub(1).map_or(&view.start, |before| &view.steps[before].href);
                p.links { a href=(text.path(back)) { (text.get("analysis-back")) } }
            }
            @if !view.best_actions.is_empty() {
                h3 { (text.get_with("analysis-next", &[("who", view.mover.map_or("", |player| names.name(player)).into())])) }
                ol.next {
                    @for (rank, (href, row)) in (1..).zip(&view.best_actions) { li { (best_action(text, rank, href, row, names)) } }
                }
            }
        }
    }
}

fn step_line(
    text: &Translations,
    step: &LineStepView,
    names: &PlayerNames<'_>,
    is_current: bool,
) -> Markup {
    html! {
        div.step {
            (player_badge(step.player))
            a href=(text.path(&step.href)) aria-current=[is_current.then_some("step")] {
                span.vh { (names.name(step.player)) (text.get("label-colon")) }
                (emphasised(&step.sentence.render(text, names)))
            }
            @if let Some(share) = step.share { b.share-n { (percent_text(text, share.into())) } }
        }
        @if step.outcomes.len() > 1 {
            p.outc {
                @for outcome in &step.outcomes {
                    a href=(text.path(&outcome.href)) aria-current=[outcome.is_chosen.then_some("true")] {
                        (outcome.sentence.render(text, names))
                    }
                }
            }
        }
    }
}

fn best_action(
    text: &Translations,
    rank: u32,
    href: &str,
    row: &HintRow,
    names: &PlayerNames<'_>,
) -> Markup {
    html! {
        a href=(text.path(href)) data-marks=[&row.marks] {
            span.no.best[rank == 1] { (rank) }
            span.what { (emphasised(&row.button.label.render(text, names))) }
            @match &row.tag {
                HintTag::Odds(odds) => { span class={ "tag " (odds_class(*odds)) } { (percent_text(text, *odds)) } }
                HintTag::Result { sentence, share } => { span class={ "tag " (odds_class(f64::from(*share))) } { (sentence.render(text, names)) } }
                HintTag::Deterministic | HintTag::None => { span {} }
            }
            b.win-n { (percent_text(text, row.share.into())) }
        }
    }
}

fn share_panel(text: &Translations, view: &AnalysisView) -> Markup {
    html! {
        section.study.addr aria-label=(text.get("analysis-share")) {
            h2 { (text.get("analysis-share")) }
            input.link readonly aria-label=(text.get("analysis-share")) value=(view.address);
            p.links { a href=(text.path("/upload")) { (text.get("upload-ask")) } }
        }
    }
}
