//! The review page: how much of a result was luck, and how much were decisions.

use std::borrow::Cow;

use maud::{Markup, html};

use super::controls::TableContext;
use super::levels::level_name;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, emphasised, page, page_title, stylesheet_link};
use super::players::{PlayerNames, named_player};

mod chances;
mod charts;
mod text_report;
mod view;

use chances::chances;
use charts::{histogram, waterfall};
pub use text_report::printed_review;
pub use view::{
    BreakdownView, EvaluatorView, FaceHistogramView, MistakeView, NotableDecisionView,
    NotableDecisionsView, PlyChangeView, ReviewPageView, ReviewStageView, ReviewView, SmallBoard,
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
        ReviewStageView::Ready(made) => (verdict(&table, made), Refresh::Never),
    };
    let content = match &view.stage {
        ReviewStageView::NotRequested { is_rolled } => request_section(&table, *is_rolled),
        ReviewStageView::InProgress { done, of } => progress_section(site, &table, *done, *of),
        ReviewStageView::Ready(made) => review_sections(&table, made, &title),
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

/// The effect of the viewer's dice and decisions, in one sentence.
fn verdict(table: &TableContext<'_>, view: &ReviewView) -> String {
    let breakdown = view.breakdowns.iter().find(|one| one.player == view.viewer);
    let points = breakdown.copied().unwrap_or_default().points();
    let cost = points.own_decisions.unsigned_abs();
    let direction = match points.own_luck {
        0 => "even",
        more if more > 0 => "gave",
        _ => "cost",
    };
    let key = match (view.is_rolled, cost) {
        (true, 0) => "review-verdict-dice",
        (true, _) => "review-verdict",
        (false, 0) => "review-verdict-flawless",
        (false, _) => "review-verdict-decisions",
    };
    let message = LocalizedMessage::new(key)
        .with_player(view.viewer)
        .with_value("luck", direction)
        .with_value("dice", points.own_luck.unsigned_abs())
        .with_value("cost", cost);
    table.sentence(&message)
}

/// Who won, and the explanation of a point.
fn summary(table: &TableContext<'_>, view: &ReviewView) -> String {
    let message = match view.winners.as_slice() {
        [] => LocalizedMessage::new("review-lead-draw"),
        [winner] => LocalizedMessage::new("review-lead-one").with_player(*winner),
        winners => LocalizedMessage::new("review-lead-tie").with_players(winners.iter().copied()),
    };
    table.sentence(&message.with_value("plies", view.plies))
}

fn review_sections(table: &TableContext<'_>, view: &ReviewView, verdict: &str) -> Markup {
    let text = table.text;
    html! {
        div.head {
            div {
                h1 { (verdict) }
                p.lead { (summary(table, view)) " " (text.get("review-point")) }
            }
            div.row {
                @if let Some(worst) = view.mistakes.first() {
                    a.btn.main href={ (text.path("/g/")) (table.id) "/" (worst.page_ply()) } {
                        (text.get_with("review-look", &[("ply", worst.page_ply().into())]))
                    }
                }
                a.btn href={ (text.path("/g/")) (table.id) "/0" } { (text.get("review-replay")) }
            }
        }
        (viewpoint_links(table, view))
        (chances(table, view))
        div.two-up {
            (luck(table, view))
            @if let Some(rolls) = &view.rolls { (dice(table, view, rolls)) }
        }
        (mistakes(table, view))
        (accounts(table, view))
        (about_figures(table, view))
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
    let breakdown = view.breakdowns.iter().find(|one| one.player == view.viewer);
    let points = breakdown.copied().unwrap_or_default().points();
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

/// The costliest decisions, each with a board, a link to its ply, and a button that plays on from there.
fn mistakes(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    let label = table.sentence(&LocalizedMessage::new("review-worst").with_player(view.viewer));
    html! {
        div.worst role="group" aria-label=(label) {
            @for (mistake, number) in view.mistakes.iter().zip(1_u32..) {
                div.decision {
                    a.turnp href={ (text.path("/g/")) (table.id) "/" (mistake.page_ply()) } {
                        (mistake.board.draw(table))
                        div {
                            h3 { span.no { (number) } (action_text(table, mistake.played.as_ref(), "head")) }
                            span {
                                (emphasised(&table.sentence(&cost(table, mistake)))) " "
                                @if let Some(why) = mistake.why.as_ref().filter(|_| table.names.is_mine(mistake.player)) { (emphasised(&table.sentence(why))) " " }
                                span.go { (text.get_with("review-look", &[("ply", mistake.page_ply().into())])) }
                            }
                        }
                    }
                    (play_on(table, mistake))
                }
            }
            @if view.mistakes.is_empty() { p.panel.none { (table.sentence(&LocalizedMessage::new("review-none").with_player(view.viewer))) } }
        }
    }
}

/// The button that starts a new game from the position of a decision.
fn play_on(table: &TableContext<'_>, mistake: &MistakeView) -> Markup {
    let ply = mistake.ply;
    html! {
        form method="post" action={ (table.text.path("/g/")) (table.id) "/play-on" } {
            input type="hidden" name="ply" value=(ply);
            button.btn { (table.text.get_with("review-play-on", &[("ply", ply.into())])) }
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

fn cost(table: &TableContext<'_>, mistake: &MistakeView) -> LocalizedMessage {
    let points = (100.0 * mistake.cost).round().max(1.0) as u32;
    LocalizedMessage::new("review-cost")
        .with_value("points", points)
        .with_value("share", (100.0 * mistake.share).round() as u32)
        .with_value(
            "better",
            action_text(table, Some(&mistake.better), "within"),
        )
}

fn accounts(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.accounts {
            table {
                caption.vh { (text.get("review-accounts")) }
                thead {
                    tr {
                        th scope="col" { (text.get("review-player")) }
                        @if view.is_rolled { th scope="col" { (text.get("review-luck-points")) } }
                        th scope="col" { (text.get("review-decision-points")) }
                    }
                }
                tbody {
                    @for account in &view.breakdowns {
                        @let points = account.points();
                        tr class={ "p" (account.player % 6) } {
                            th scope="row" { (named_player(table.names, account.player)) }
                            @if view.is_rolled { td { (signed(points.own_luck)) } }
                            td { (signed(points.own_decisions)) }
                        }
                    }
                }
            }
        }
    }
}

/// An explanation of the figures, and what they were made with.
fn about_figures(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.made {
            p.hint { (text.get("review-sum-about")) @if view.is_rolled { " " (text.get("review-luck-about")) } }
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
