//! The review page: how good the decisions were, the best and the costliest of them, and how much of a result was luck.

use std::borrow::Cow;

use maud::{Markup, html};

use super::board::ShortDecimal;
use super::controls::TableContext;
use super::levels::level_name;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
use super::players::{PlayerNames, named_player};

mod chances;
mod charts;
mod decision_page;
mod text_report;
mod view;

use chances::chances;
use charts::{histogram, waterfall};
pub use decision_page::decision_page;
pub use text_report::printed_review;
pub use view::{
    AgainstOddsView, BETTER_MARK, BreakdownView, DecisionPageView, DecisionView, EvaluatorView,
    FaceHistogramView, NotableDecisionView, NotableDecisionsView, PlyChangeView, ReviewPageView,
    ReviewStageView, ReviewView, ReviewedDecisionKind, SmallBoard, WORSE_MARK,
};

/// An integer with its sign; 0 has none.
pub(super) fn signed(points: i32) -> String {
    match points {
        0 => "0".to_owned(),
        more if more > 0 => format!("+{more}"),
        less => format!("−{}", less.unsigned_abs()),
    }
}

/// Renders the review page.
#[must_use]
pub fn review_page(site: &SiteContext<'_>, text: &Translations, view: &ReviewPageView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let table = TableContext {
        text,
        display: &site.display,
        names: &names,
        id: &view.id,
        ply: 0,
    };
    let (title, refresh) = match &view.stage {
        ReviewStageView::NotRequested { is_rolled } => {
            (request_title(text, *is_rolled).into_owned(), Refresh::Never)
        }
        ReviewStageView::InProgress { .. } => (
            text.get("review-wait-title").into_owned(),
            Refresh::WithoutScripts(2),
        ),
        ReviewStageView::Ready(made) => (accuracy(&table, made), Refresh::Never),
    };
    let content = match &view.stage {
        ReviewStageView::NotRequested { is_rolled } => request_section(&table, *is_rolled),
        ReviewStageView::InProgress { done, of } => progress_section(site, &table, *done, *of),
        ReviewStageView::Ready(made) => review_sections(&table, view, made, &title),
    };
    page(
        site,
        text,
        &page_title(text, &title),
        &refresh,
        html! {
            main #main.review {
                (stylesheet_link(site, "game-over.css"))
                (stylesheet_link(site, "review.css"))
                (content)
            }
        },
    )
}

fn request_title(text: &Translations, is_rolled: bool) -> Cow<'_, str> {
    text.get(if is_rolled {
        "review-ask-title"
    } else {
        "review-ask-title-sure"
    })
}

fn request_section(table: &TableContext<'_>, is_rolled: bool) -> Markup {
    let text = table.text;
    let lead = if is_rolled {
        "review-ask-lead"
    } else {
        "review-ask-lead-sure"
    };
    html! {
        div.head {
            div {
                h1 { (request_title(text, is_rolled)) }
                p.lead { (text.get(lead)) }
            }
            div.row { (request_form(table, "review-ask", "btn main")) (back(table)) }
        }
    }
}

/// The button on other pages that leads to a review, and requests it if necessary.
pub(super) fn open_button(text: &Translations, id: &str, key: &str) -> Markup {
    html! {
        form method="post" action={ (text.path("/g/")) (id) "/review" } { button.btn.reviewing { (text.get(key)) } }
    }
}

fn request_form(table: &TableContext<'_>, key: &'static str, class: &str) -> Markup {
    html! {
        form method="post" action={ (table.text.path("/g/")) (table.id) "/review" } {
            button class=(class) { (table.text.get(key)) }
        }
    }
}

fn back(table: &TableContext<'_>) -> Markup {
    html! { a.btn href={ (table.text.path("/g/")) (table.id) } { (table.text.get("review-back")) } }
}

fn progress_section(
    site: &SiteContext<'_>,
    table: &TableContext<'_>,
    done: u32,
    of: u32,
) -> Markup {
    let text = table.text;
    let progress_text = text.get_with(
        "review-wait-come",
        &[("done", done.into()), ("of", of.into())],
    );
    html! {
        div.head {
            div {
                h1 { (text.get("review-wait-title")) }
                p.lead { (text.get("review-wait-lead")) }
            }
            div.row { (back(table)) }
        }
        div.panel.come data-wait aria-live="polite" {
            progress value=(done) max=(of.max(1)) aria-label=(text.get("review-wait-title")) {}
            p { (progress_text) }
            p.hint { (text.get("review-wait-about")) " " a href={ (text.path("/g/")) (table.id) "/review" } { (text.get("review-look-again")) } }
        }
        script type="module" src=(site.assets.url("wait.js")) {}
    }
}

/// The breakdown of the viewer's win share.
fn own_breakdown(view: &ReviewView) -> BreakdownView {
    let mut breakdowns = view.breakdowns.iter();
    let own = breakdowns.find(|one| one.player == view.viewer);
    own.copied().unwrap_or_default()
}

/// A share in percent, with the sign.
fn percent(text: &Translations, share: f64) -> String {
    let n = text.language().format_percent(share);
    text.get_with("review-percent", &[("n", n.into())])
        .into_owned()
}

/// The accuracy of the viewer's decisions: the headline.
fn accuracy(table: &TableContext<'_>, view: &ReviewView) -> String {
    let percent = percent(table.text, own_breakdown(view).accuracy);
    let message = LocalizedMessage::new("review-accuracy").with_player(view.viewer);
    table.sentence(&message.with_value("percent", percent))
}

/// What the dice gave or cost the viewer, and the explanation of a point, in one sentence.
fn luck_and_point(table: &TableContext<'_>, view: &ReviewView) -> String {
    if !view.is_rolled {
        return table.text.get("review-point").into_owned();
    }
    let luck = own_breakdown(view).points().own_luck;
    let direction = match luck {
        0 => "even",
        more if more > 0 => "gave",
        _ => "cost",
    };
    let message = LocalizedMessage::new("review-luck-point")
        .with_player(view.viewer)
        .with_value("luck", direction)
        .with_value("dice", luck.unsigned_abs());
    table.sentence(&message)
}

/// Who won.
fn summary(table: &TableContext<'_>, view: &ReviewView) -> String {
    let message = match view.winners.as_slice() {
        [] => LocalizedMessage::new("review-lead-draw"),
        [winner] => LocalizedMessage::new("review-lead-one").with_player(*winner),
        winners => LocalizedMessage::new("review-lead-tie").with_players(winners.iter().copied()),
    };
    table.sentence(&message.with_value("plies", view.plies))
}

fn review_sections(
    table: &TableContext<'_>,
    page: &ReviewPageView,
    view: &ReviewView,
    headline: &str,
) -> Markup {
    html! {
        (praise(table, page, view, headline))
        (chances(table, view))
        (best_decisions(table, view))
        (mistakes(table, view))
        @if let Some(swing) = &view.swing { (against_the_odds(table, swing)) }
        div.two-up {
            (luck(table, view))
            @if let Some(rolls) = &view.rolls { (dice(table, view, rolls)) }
        }
        (accounts(table, view))
        (about_figures(table, view))
    }
}

/// The headline, what it means, and the ways on.
fn praise(
    table: &TableContext<'_>,
    page: &ReviewPageView,
    view: &ReviewView,
    headline: &str,
) -> Markup {
    let text = table.text;
    let is_own = table.names.is_mine(view.viewer);
    let average = page.average.filter(|_| is_own);
    html! {
        div.praise {
            p.eyebrow { (text.get("review")) }
            p.whose { (summary(table, view)) }
            h1 { (headline) }
            (share_bar(own_breakdown(view).accuracy, average.map(|(mean, _)| mean)))
            p.lead {
                @if let Some((mean, games)) = average {
                    (text.get_with("review-average", &[("games", games.into()), ("percent", percent(text, mean).into())])) " "
                }
                (text.get("review-best-each")) (text.get("sentence-gap")) (luck_and_point(table, view))
                @if view.mistakes.is_empty() { (text.get("sentence-gap")) (text.get("review-none")) }
            }
            div.row {
                @if let Some(worst) = view.mistakes.first() {
                    a.btn.main href=(look_address(table, worst)) {
                        (text.get_with("review-through", &[("n", (view.mistakes.len() as u32).into())]))
                    }
                } @else if page.may_rematch {
                    form method="post" action={ (text.path("/g/")) (table.id) "/rematch" } { button.btn.main { (text.get("review-play-again")) } }
                } @else { a.btn.main href=(text.path("/")) { (text.get("review-play-again")) } }
                a.btn href={ (text.path("/g/")) (table.id) "/0" } { (text.get("review-replay")) }
                (back(table))
            }
            (viewpoint_links(table, view))
        }
    }
}

/// A share as a bar, with a thin line for another one; text says both.
fn share_bar(share: f64, line: Option<f64>) -> Markup {
    let percent = |share: f64| ShortDecimal((share * 100.0).clamp(0.0, 100.0));
    html! {
        svg.share-bar viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" {
            rect width="100" height="12" {}
            rect.part width=(percent(share)) height="12" {}
            @if let Some(line) = line { path d={ "M" (percent(line)) " -5V17" } {} }
        }
    }
}

/// Links to the same review from the viewpoint of each player.
fn viewpoint_links(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        nav.sides aria-label=(text.get("review-sides")) {
            @for account in &view.breakdowns {
                @let is_current = account.player == view.viewer;
                a class={ "p" (account.player % 6) } href={ (text.path("/g/")) (table.id) "/review?player=" (account.player) } aria-current=[is_current.then_some("true")] {
                    (named_player(table.names, account.player))
                }
            }
        }
    }
}

/// One bar of the waterfall chart. A `|` in the label marks a line break; `is_whole` marks a total instead of
/// a change.
struct WaterfallStep {
    label: String,
    points: i32,
    is_whole: bool,
}

fn luck(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    let points = own_breakdown(view).points();
    let person = table.names.grammatical_person(view.viewer);
    let step = |key: &str, points: i32, is_whole| WaterfallStep {
        label: text
            .get_with(key, &[("person", person.into())])
            .into_owned(),
        points,
        is_whole,
    };
    let mut steps = vec![step("review-at-start", points.start, true)];
    if view.is_rolled {
        steps.push(step("review-own-dice", points.own_luck, false));
    }
    steps.push(step("review-own-decisions", points.own_decisions, false));
    steps.push(step(
        "review-others-decisions",
        points.others_decisions,
        false,
    ));
    if view.is_rolled {
        steps.push(step("review-others-dice", points.others_luck, false));
    }
    steps.push(step("review-at-end", points.end, true));
    let about = LocalizedMessage::new("review-became")
        .with_player(view.viewer)
        .with_value("start", points.start.unsigned_abs())
        .with_value("end", points.end.unsigned_abs());
    html! {
        section class={ "panel p" (view.viewer % 6) } aria-labelledby="luck" {
            header {
                h2 #luck { (text.get(if view.is_rolled { "review-apart" } else { "review-decisions-title" })) }
                small { (table.sentence(&about)) }
            }
            (waterfall(text, &steps))
        }
    }
}

fn dice(table: &TableContext<'_>, view: &ReviewView, rolls: &FaceHistogramView) -> Markup {
    let text = table.text;
    let all: u32 = rolls.faces.iter().sum();
    let expected = f64::from(all) / 6.0;
    let title = LocalizedMessage::new("review-dice")
        .with_player(view.viewer)
        .with_value("n", all);
    let about = LocalizedMessage::new("review-sixes")
        .with_value("n", rolls.faces[5])
        .with_value("expected", expected.round() as u32);
    html! {
        section class={ "panel p" (view.viewer % 6) } aria-labelledby="dice" {
            header { h2 #dice { (table.sentence(&title)) } small { (table.sentence(&about)) } }
            (histogram(text, rolls, expected))
        }
    }
}

/// The address of a decision's own page.
fn look_address(table: &TableContext<'_>, decision: &DecisionView) -> String {
    let games = table.text.path("/g/");
    format!("{games}{}/review/{}", table.id, decision.ply)
}

fn best_decisions(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let n = view.best.len() as u32;
    html! {
        @if n > 0 {
            section.picks aria-labelledby="best" {
                h2 #best { span.tick aria-hidden="true" { (tick()) } (table.text.get_with("review-best-title", &[("n", n.into())])) }
                div.pair { @for decision in &view.best { (decision_card(table, decision, None)) } }
            }
        }
    }
}

fn tick() -> Markup {
    html! { svg.ico viewBox="0 0 24 24" { path d="M5 12.500l5 5L19 7.500" {} } }
}

/// The costliest decisions, numbered as in the chart.
fn mistakes(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let n = view.mistakes.len() as u32;
    html! {
        @if n > 0 {
            section.picks aria-labelledby="mistakes" {
                h2 #mistakes { (table.text.get_with("review-mistakes-title", &[("n", n.into())])) }
                div.triple { @for (decision, number) in view.mistakes.iter().zip(1..) { (decision_card(table, decision, Some(number))) } }
            }
        }
    }
}

/// The small board of a decision, what was played, and the link to its own page.
fn decision_card(table: &TableContext<'_>, decision: &DecisionView, number: Option<u32>) -> Markup {
    let text = table.text;
    let (line, is_best, points) = match decision.kind {
        ReviewedDecisionKind::Best => ("review-best-line", true, decision.points() as i32),
        ReviewedDecisionKind::Mistake => {
            ("review-mistake-line", false, -(decision.points() as i32))
        }
    };
    let played = action_text(table, decision.played.as_ref(), "head");
    let line = LocalizedMessage::new(line)
        .with_value("ply", decision.page_ply())
        .with_value("other", action_text(table, Some(&decision.other), "within"));
    html! {
        div.decision.fine[is_best] id={ "d" (decision.ply) } {
            (decision.board.draw(table))
            div {
                p.pts { (points_text(text, points)) }
                h3 { @if let Some(number) = number { span.no { (number) } } (played) }
                p { (table.sentence(&line)) }
                a.btn href=(look_address(table, decision)) { (text.get("review-look")) span.vh { (text.get("label-colon")) (played) } }
            }
        }
    }
}

/// Points with their sign and unit.
fn points_text(text: &Translations, points: i32) -> String {
    let values = [
        ("points", points.unsigned_abs().into()),
        ("signed", signed(points).into()),
    ];
    text.get_with("review-points", &values).into_owned()
}

/// The dice that cost most against the odds, which is nobody's mistake.
fn against_the_odds(table: &TableContext<'_>, swing: &AgainstOddsView) -> Markup {
    let text = table.text;
    let action = action_text(table, Some(&swing.action), "head");
    let line = LocalizedMessage::new("review-swing-line")
        .with_player(swing.player)
        .with_value("ply", swing.page)
        .with_value("chance", percent(text, swing.chance));
    html! {
        section.picks aria-labelledby="odds" {
            h2 #odds { (text.get("review-swing-title")) }
            div.pair {
                div.decision {
                    (swing.board.draw(table))
                    div {
                        p.pts { (points_text(text, -(swing.points as i32))) }
                        h3 { (action) }
                        p { (table.sentence(&line)) }
                        a.btn href={ (text.path("/g/")) (table.id) "/" (swing.page) } { (text.get("review-look")) span.vh { (text.get("label-colon")) (action) } }
                    }
                }
            }
        }
    }
}

/// An action in a few words; `None` is a resignation.
pub(super) fn action_text(
    table: &TableContext<'_>,
    action: Option<&LocalizedMessage>,
    place: &'static str,
) -> String {
    let message = action
        .cloned()
        .unwrap_or(LocalizedMessage::new("review-gave-up"));
    table.sentence(&message.with_value("place", place))
}

fn accounts(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.accounts {
            div.scrolls tabindex="0" role="group" aria-label=(text.get("review-accounts")) {
                table {
                    thead {
                        tr {
                            th scope="col" { (text.get("review-player")) }
                            @if view.is_rolled { th scope="col" { (text.get("review-luck-points")) } }
                            th scope="col" { (text.get("review-decision-points")) }
                            th scope="col" { (text.get("me-accuracy")) }
                        }
                    }
                    tbody {
                        @for account in &view.breakdowns {
                            @let points = account.points();
                            tr class={ "p" (account.player % 6) } {
                                th scope="row" { (named_player(table.names, account.player)) }
                                @if view.is_rolled { td { (signed(points.own_luck)) } }
                                td { (signed(points.own_decisions)) }
                                td { (percent(text, account.accuracy)) }
                            }
                        }
                    }
                }
            }
            p.hint { (text.get("review-accuracy-about")) }
        }
    }
}

/// An explanation of the figures, and what they were made with.
fn about_figures(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.made {
            p.hint { (text.get("review-sum-about")) @if view.is_rolled { (text.get("sentence-gap")) (text.get("review-luck-about")) } }
            details { summary { (text.get("review-details")) } p.hint { (evaluator_text(table, view)) } }
            @if view.is_outdated {
                p.hint { (text.get("review-outdated")) }
                (request_form(table, "review-again", "btn"))
            }
        }
    }
}

fn evaluator_text(table: &TableContext<'_>, view: &ReviewView) -> String {
    let text = table.text;
    let level = level_name(text, view.evaluator.level);
    let values = [
        ("level", level.as_str().into()),
        ("version", view.evaluator.version.into()),
        (
            "simulations",
            u32::try_from(view.evaluator.simulations)
                .unwrap_or(u32::MAX)
                .into(),
        ),
    ];
    text.get_with("review-by", &values).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!([3, 0, -12].map(signed), ["+3", "0", "−12"]);
    }
}
