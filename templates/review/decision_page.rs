//! A decision of a review on its own page: the board before it, with the better and the other action.

use maud::{Markup, html};

use super::{
    BETTER_MARK, DecisionPageView, DecisionView, ReviewedDecisionKind, WORSE_MARK, action_text,
    percent, share_bar, tick,
};
use crate::board::BoardLayout;
use crate::controls::TableContext;
use crate::hint::percent_text;
use crate::localization::Translations;
use crate::message::LocalizedMessage;
use crate::page::{Refresh, SiteContext, emphasised, page, page_title, stylesheet_link};
use crate::players::{PlayerNames, PlayerView, named_player, player_badge};

/// The texts of a page: they depend on what the decision is listed for.
struct PageTexts {
    place: &'static str,
    headline: &'static str,
    line: &'static str,
    other_mark: &'static str,
    previous: &'static str,
    next: &'static str,
}

const BEST: PageTexts = PageTexts {
    place: "review-best-of",
    headline: "review-well-played",
    line: "review-next-best",
    other_mark: "review-mark-next",
    previous: "review-previous-best",
    next: "review-next-best-decision",
};

const MISTAKE: PageTexts = PageTexts {
    place: "review-mistake-of",
    headline: "review-better",
    line: "review-played",
    other_mark: "review-mark-played",
    previous: "review-previous-mistake",
    next: "review-next-mistake",
};

/// The better one of both actions, and the other one; `None` is a resignation.
fn better_and_worse(
    decision: &DecisionView,
) -> (Option<&LocalizedMessage>, Option<&LocalizedMessage>) {
    let (played, other) = (decision.played.as_ref(), Some(&decision.other));
    match decision.kind {
        ReviewedDecisionKind::Best => (played, other),
        ReviewedDecisionKind::Mistake => (other, played),
    }
}

/// Renders the page of a decision of the game `id`.
#[must_use]
pub fn decision_page(
    site: &SiteContext<'_>,
    text: &Translations,
    id: &str,
    players: &[PlayerView],
    view: &DecisionPageView,
) -> Markup {
    let names = PlayerNames::new(text, players);
    let decision = &view.decision;
    let table = TableContext {
        text,
        display: &site.display,
        names: &names,
        id,
        ply: decision.ply,
    };
    let texts = match decision.kind {
        ReviewedDecisionKind::Best => &BEST,
        ReviewedDecisionKind::Mistake => &MISTAKE,
    };
    let index = view.plies.iter().position(|ply| *ply == decision.ply);
    let index = index.unwrap_or(0);
    let place = LocalizedMessage::new(texts.place)
        .with_value("n", index as u32 + 1)
        .with_value("all", view.plies.len() as u32)
        .with_value("points", decision.points());
    let place = table.sentence(&place);
    let (better, worse) = better_and_worse(decision);
    let odds = site.display.preferences.odds;
    let with_odds = |action: Option<&LocalizedMessage>, chance: Option<f64>, place| {
        let action = action_text(&table, action, place);
        match chance.filter(|_| odds) {
            Some(chance) => {
                let values = [
                    ("action", action.as_str().into()),
                    ("odds", percent_text(text, chance).into()),
                ];
                text.get_with("review-with-odds", &values).into_owned()
            }
            None => action,
        }
    };
    let headline = with_odds(better, view.better_odds, "state");
    let headline = text.get_with(texts.headline, &[("action", headline.into())]);
    let line = with_odds(worse, view.worse_odds, "state");
    let line = [("action", line.into()), ("ply", decision.page_ply().into())];
    let (end, gap) = (text.get("sentence-end"), text.get("sentence-gap"));
    let title = page_title(text, &format!("{place}{end}{gap}{headline}"));
    let upright = view.board.layout() == BoardLayout::Upright;
    let player = decision.player;
    let main = html! {
        main #main data-game=(id) data-ply=(decision.ply) data-past {
            (stylesheet_link(site, "hint.css"))
            (stylesheet_link(site, "game-over.css"))
            (stylesheet_link(site, "review.css"))
            div.game.moment.falling[upright] {
                div.stage {
                    div class={ "prompt p" (player % 6) } {
                        p.whose { (player_badge(player)) (place) }
                        h1 { (headline) }
                        p.sub { (text.get_with(texts.line, &line)) }
                    }
                    (view.board.interactive(text, &site.display, None, &names))
                }
                div.under {
                    p.signs {
                        span { b { (BETTER_MARK) } " " (text.get("review-mark-better")) }
                        span { b { (WORSE_MARK) } " " (text.get(texts.other_mark)) }
                    }
                    (steps(&table, view, texts, index))
                }
                div.rail { (comparison(&table, view, texts)) }
            }
        }
    };
    page(site, text, &title, &Refresh::Never, main)
}

/// The links to the other decisions; the outer ones stay where they are when there is none.
fn steps(
    table: &TableContext<'_>,
    view: &DecisionPageView,
    texts: &PageTexts,
    index: usize,
) -> Markup {
    let text = table.text;
    let address = |ply: u32| format!("{}{}/review/{ply}", text.path("/g/"), table.id);
    let outer = |key: &str, step: &str, to: Option<&u32>| {
        html! {
            @match to {
                Some(ply) => a.btn data-ply=(step) href=(address(*ply)) { (text.get(key)) },
                None => span.btn.off role="link" aria-disabled="true" { (text.get(key)) },
            }
        }
    };
    let before = index.checked_sub(1).and_then(|index| view.plies.get(index));
    html! {
        nav.hops aria-label=(text.get("review-decisions")) {
            (outer(texts.previous, "prev", before))
            ol {
                @for (at, ply) in view.plies.iter().enumerate() {
                    li { a href=(address(*ply)) aria-current=[(at == index).then_some("page")] { (at + 1) } }
                }
            }
            (outer(texts.next, "next", view.plies.get(index + 1)))
        }
    }
}

/// What both actions are worth, why, and the ways on.
fn comparison(table: &TableContext<'_>, view: &DecisionPageView, texts: &PageTexts) -> Markup {
    let (text, decision) = (table.text, &view.decision);
    let (better, worse) = better_and_worse(decision);
    let row = |action, key: &str, share: f64, is_better: bool| {
        html! {
            li.fine[is_better] {
                span.sign aria-hidden="true" { @if is_better { (tick()) } @else { (WORSE_MARK) } }
                span { (action_text(table, action, "head")) " " small { (text.get(key)) } }
                b { (percent(text, share)) }
                (share_bar(share, None))
            }
        }
    };
    let review = format!("{}{}/review", text.path("/g/"), table.id);
    html! {
        section.compared aria-labelledby="compared" {
            h2 #compared { (text.get("review-chances")) }
            p.hint { (named_player(table.names, decision.player)) }
            ol {
                (row(better, "review-mark-better", decision.share, true))
                (row(worse, texts.other_mark, decision.share - decision.difference, false))
            }
            @if let Some(why) = decision.why.as_ref().filter(|_| table.names.is_mine(decision.player)) { p { (emphasised(&table.sentence(why))) } }
            form method="post" action={ (text.path("/g/")) (table.id) "/play-on" } data-key="t" {
                input type="hidden" name="ply" value=(decision.ply);
                button.btn.main { (text.get("review-try")) kbd.scripted aria-hidden="true" { "t" } }
            }
            p.hint { (text.get("play-on-why")) }
            p.links {
                a data-back href={ (review) "?player=" (decision.player) "#d" (decision.ply) } { (text.get("review-to-review")) }
                @if view.has_analysis_board {
                    a href={ (text.path("/analysis?game=")) (table.id) "&ply=" (decision.ply) } { (text.get("analysis-ask")) }
                }
            }
        }
    }
}
