//! The page of a review: what was luck and what were decisions.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::controls::{TableComponent, TableContext};
use super::levels::level_name;
use super::line_chart::{self, ChartMarker, ChartSeries, ChartUnit};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, emphasised, page, sheet, titled};
use super::players::{PlayerNames, PlayerView, named};

mod charts;
mod text_report;

use charts::{histogram, waterfall};
pub use text_report::printed_review;

/// What stands on the page of a review.
#[derive(Clone, Debug)]
pub struct ReviewPageView {
    /// Public id of the game.
    pub id: String,
    /// Who played.
    pub players: Vec<PlayerView>,
    /// How far the review has come.
    pub stage: ReviewStageView,
}

/// How far a review has come.
#[derive(Clone, Debug)]
pub enum ReviewStageView {
    /// Nobody asked for it.
    Unasked {
        /// Whether anything was rolled in the game.
        is_rolled: bool,
    },
    /// It waits or is being made: so many decisions of so many are judged.
    UnderWay {
        /// How many.
        done: u32,
        /// Of how many.
        of: u32,
    },
    /// It is made.
    Made(Box<ReviewView>),
}

/// A review, from the side of one player.
#[derive(Clone, Debug)]
pub struct ReviewView {
    /// Whose side.
    pub viewer: u8,
    /// Who won; none is a draw.
    pub winners: Vec<u8>,
    /// Plies played.
    pub plies: u32,
    /// Every player's share at the deal and after every decision, 0..=1.
    pub shares: Vec<Vec<f64>>,
    /// What every decision and its dice changed for the viewer.
    pub course: Vec<PlyChangeView>,
    /// Where each player's change came from.
    pub accounts: Vec<BreakdownView>,
    /// The viewer's decisions that cost most, the costliest first.
    pub mistakes: Vec<MistakeView>,
    /// Whether dice were rolled in the game.
    pub is_rolled: bool,
    /// The viewer's dice, where some have six faces.
    pub rolls: Option<FaceHistogramView>,
    /// By whom it was made.
    pub by: EvaluatorView,
    /// Another evaluation says something else by now.
    pub is_outdated: bool,
}

/// By whom a review was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluatorView {
    /// The name of the level.
    pub level: &'static str,
    /// The version of its evaluation.
    pub version: u32,
    /// Simulations for each ply.
    pub simulations: u64,
}

/// What one decision and its dice changed for the viewer, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlyChangeView {
    /// The position after it, which is its page.
    pub page: u32,
    /// Who decided.
    pub player: u8,
    /// What the decision changed.
    pub decision: f64,
    /// What the dice changed.
    pub luck: f64,
}

/// Where a player's change of win share came from, -1..=1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BreakdownView {
    /// Whose.
    pub player: u8,
    /// The share at the deal.
    pub start: f64,
    /// What the own dice changed.
    pub own_luck: f64,
    /// What the own decisions changed.
    pub own_decisions: f64,
    /// What the others' decisions changed.
    pub others_decisions: f64,
    /// What the others' dice changed.
    pub others_luck: f64,
}

/// The same in whole points, a hundredth each: start, the four changes and the end, which sum exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BreakdownPoints {
    start: i32,
    own_luck: i32,
    own_decisions: i32,
    others_decisions: i32,
    others_luck: i32,
    end: i32,
}

impl BreakdownView {
    /// Where the sum stands is rounded, not the parts, so that they add up.
    fn points(&self) -> BreakdownPoints {
        let mut sum = self.start;
        let mut at = (100.0 * sum).round() as i32;
        let mut step = |part: f64| {
            sum += part;
            let before = std::mem::replace(&mut at, (100.0 * sum).round() as i32);
            at - before
        };
        BreakdownPoints {
            start: (100.0 * self.start).round() as i32,
            own_luck: step(self.own_luck),
            own_decisions: step(self.own_decisions),
            others_decisions: step(self.others_decisions),
            others_luck: step(self.others_luck),
            end: at,
        }
    }
}

/// A decision that cost something.
#[derive(Clone, Debug)]
pub struct MistakeView {
    /// The number of the decision among all of them, counted from 0.
    pub number: usize,
    /// The position at which it was made.
    pub ply: u32,
    /// Who decided.
    pub player: u8,
    /// What it cost, 0..=1.
    pub cost: f64,
    /// What the player could expect before it, 0..=1.
    pub share: f64,
    /// What was played; `None`: the player gave up.
    pub played: Option<LocalizedMessage>,
    /// What was better.
    pub better: LocalizedMessage,
    /// Why it was better, said to the player.
    pub why: Option<LocalizedMessage>,
    /// A small picture of both.
    pub board: Arc<dyn TableComponent>,
}

impl MistakeView {
    /// The page on which it is seen: where something was played, that shows what it came to.
    fn shown(&self) -> u32 {
        self.ply + u32::from(self.played.is_some())
    }
}

/// A player's dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaceHistogramView {
    /// How often each face came, from 1 to 6.
    pub faces: [u32; 6],
}

/// A small board with nothing marked on it.
#[derive(Clone, Debug)]
pub struct SmallBoard(pub Arc<dyn BoardComponent>);

impl TableComponent for SmallBoard {
    fn draw(&self, _: &TableContext<'_>) -> Markup {
        self.0.small()
    }
}

/// A whole number with its sign; nothing is neither more nor less.
fn signed(points: i32) -> String {
    match points {
        0 => "0".to_owned(),
        more if more > 0 => format!("+{more}"),
        less => format!("−{}", less.unsigned_abs()),
    }
}

/// The page of a review, as far as it has come.
#[must_use]
pub fn review_page(site: &SiteContext<'_>, text: &Translations, view: &ReviewPageView) -> Markup {
    let cast = PlayerNames::new(text, &view.players);
    let table = TableContext {
        text,
        look: &site.look,
        cast: &cast,
        id: &view.id,
        ply: 0,
    };
    let (title, refresh) = match &view.stage {
        ReviewStageView::Unasked { is_rolled } => {
            (asked_title(text, *is_rolled).into_owned(), Refresh::Never)
        }
        ReviewStageView::UnderWay { .. } => (
            text.say("review-wait-title").into_owned(),
            Refresh::WithoutScripts(2),
        ),
        ReviewStageView::Made(made) => (verdict(&table, made), Refresh::Never),
    };
    let content = match &view.stage {
        ReviewStageView::Unasked { is_rolled } => asked(&table, *is_rolled),
        ReviewStageView::UnderWay { done, of } => under_way(site, &table, *done, *of),
        ReviewStageView::Made(made) => reviewed(&table, made, &title),
    };
    page(
        site,
        text,
        &titled(text, &title),
        &refresh,
        html! {
            main #main.review {
                (sheet(site, "over.css"))
                (sheet(site, "review.css"))
                (content)
            }
        },
    )
}

fn asked_title(text: &Translations, is_rolled: bool) -> Cow<'_, str> {
    text.say(if is_rolled {
        "review-ask-title"
    } else {
        "review-ask-title-sure"
    })
}

fn asked(table: &TableContext<'_>, is_rolled: bool) -> Markup {
    let text = table.text;
    let lead = if is_rolled {
        "review-ask-lead"
    } else {
        "review-ask-lead-sure"
    };
    html! {
        div.head {
            div {
                h1 { (asked_title(text, is_rolled)) }
                p.lead { (text.say(lead)) }
            }
            div.row { (ask(table, "review-ask", "btn main")) (back(table)) }
        }
    }
}

/// The button elsewhere that leads to a review, and asks for it where nobody has.
pub(super) fn open_button(text: &Translations, id: &str, key: &str) -> Markup {
    html! {
        form method="post" action={ "/g/" (id) "/review" } { button.btn.reviewing { (text.say(key)) } }
    }
}

/// The form that asks for a review.
fn ask(table: &TableContext<'_>, key: &'static str, class: &str) -> Markup {
    html! {
        form method="post" action={ "/g/" (table.id) "/review" } {
            button class=(class) { (table.text.say(key)) }
        }
    }
}

fn back(table: &TableContext<'_>) -> Markup {
    html! { a.btn href={ "/g/" (table.id) } { (table.text.say("review-back")) } }
}

fn under_way(site: &SiteContext<'_>, table: &TableContext<'_>, done: u32, of: u32) -> Markup {
    let text = table.text;
    let come = text.say_with(
        "review-wait-come",
        &[("done", done.into()), ("of", of.into())],
    );
    html! {
        div.head {
            div {
                h1 { (text.say("review-wait-title")) }
                p.lead { (text.say("review-wait-lead")) }
            }
            div.row { (back(table)) }
        }
        div.panel.come data-wait aria-live="polite" {
            progress value=(done) max=(of.max(1)) aria-label=(text.say("review-wait-title")) {}
            p { (come) }
            p.hint { (text.say("review-wait-about")) " " a href={ "/g/" (table.id) "/review" } { (text.say("review-look-again")) } }
        }
        script type="module" src=(site.assets.url("wait.js")) {}
    }
}

/// What the dice and the decisions of the viewer came to, in one sentence.
fn verdict(table: &TableContext<'_>, view: &ReviewView) -> String {
    let own = view.accounts.iter().find(|one| one.player == view.viewer);
    let points = own.copied().unwrap_or_default().points();
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
    let said = LocalizedMessage::new(key)
        .of(view.viewer)
        .with("luck", direction)
        .with("dice", points.own_luck.unsigned_abs())
        .with("cost", cost);
    table.told(&said)
}

/// Who won, and what a point is.
fn lead(table: &TableContext<'_>, view: &ReviewView) -> String {
    let said = match view.winners.as_slice() {
        [] => LocalizedMessage::new("review-lead-draw"),
        [winner] => LocalizedMessage::new("review-lead-one").of(*winner),
        winners => LocalizedMessage::new("review-lead-tie").of_all(winners.iter().copied()),
    };
    table.told(&said.with("plies", view.plies))
}

fn reviewed(table: &TableContext<'_>, view: &ReviewView, verdict: &str) -> Markup {
    let text = table.text;
    html! {
        div.head {
            div {
                h1 { (verdict) }
                p.lead { (lead(table, view)) " " (text.say("review-point")) }
            }
            div.row {
                @if let Some(worst) = view.mistakes.first() {
                    a.btn.main href={ "/g/" (table.id) "/" (worst.shown()) } {
                        (text.say_with("review-look", &[("ply", worst.shown().into())]))
                    }
                }
                a.btn href={ "/g/" (table.id) "/0" } { (text.say("review-replay")) }
            }
        }
        (sides(table, view))
        (chances(table, view))
        div.two-up {
            (luck(table, view))
            @if let Some(rolls) = &view.rolls { (dice(table, view, rolls)) }
        }
        (mistakes(table, view))
        (accounts(table, view))
        (made(table, view))
    }
}

/// The same review from the side of each player.
fn sides(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        nav.sides aria-label=(text.say("review-sides")) {
            @for account in &view.accounts {
                @let is_current = account.player == view.viewer;
                a class={ "p" (account.player % 6) } href={ "/g/" (table.id) "/review?player=" (account.player) } aria-current=[is_current.then_some("true")] {
                    (named(table.cast, account.player))
                }
            }
        }
    }
}

/// Every player's chance of winning, as a graph and as a table.
fn chances(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let (text, cast) = (table.text, table.cast);
    let label = text.say("review-chances-label");
    let parts = |share: f64| (1000.0 * share).round().clamp(0.0, 1000.0) as u32;
    let line = |account: &BreakdownView| ChartSeries {
        player: account.player,
        values: view
            .shares
            .iter()
            .map(|shares| {
                parts(
                    shares
                        .get(usize::from(account.player))
                        .copied()
                        .unwrap_or(0.0),
                )
            })
            .collect(),
    };
    let lines: Vec<ChartSeries> = view.accounts.iter().map(line).collect();
    let pins = view
        .mistakes
        .iter()
        .zip(1..)
        .map(|(mistake, number)| ChartMarker {
            number,
            player: mistake.player,
            turn: u32::try_from(mistake.number).unwrap_or(u32::MAX),
        });
    let pins: Vec<ChartMarker> = pins.collect();
    html! {
        section.panel.chances aria-labelledby="chances" {
            header { h2 #chances { (text.say("review-chances")) } }
            (line_chart::graph(text, cast, &lines, &pins, &label, ChartUnit::Chance))
            (by_ply(table, view))
        }
    }
}

/// Every decision in a table: the shares after it, and what it and its dice changed for the viewer.
fn by_ply(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let (text, cast) = (table.text, table.cast);
    let caption = text.say("review-chances-label");
    let percent = |share: &f64| {
        text.say_with(
            "review-percent",
            &[("n", tenths(text, 100.0 * share).into())],
        )
        .into_owned()
    };
    html! {
        details.astable {
            summary { (text.say("review-table")) }
            div.wide tabindex="0" role="group" aria-label=(caption) {
                table {
                    caption.vh { (caption) }
                    thead {
                        tr {
                            th scope="col" { (text.say("review-ply")) }
                            th scope="col" { (text.say("review-who")) }
                            @for account in &view.accounts { th scope="col" { (named(cast, account.player)) } }
                            th scope="col" { (text.say("review-decision")) }
                            @if view.is_rolled { th scope="col" { (text.say("review-luck")) } }
                        }
                    }
                    tbody {
                        @for (number, shares) in view.shares.iter().enumerate() {
                            @let ply = number.checked_sub(1).and_then(|before| view.course.get(before));
                            tr {
                                th scope="row" { a href={ "/g/" (table.id) "/" (ply.map_or(0, |ply| ply.page)) } { (number) } }
                                td { @if let Some(ply) = ply { (cast.name(ply.player)) } @else { (text.say("review-start")) } }
                                @for share in shares { td { (percent(share)) } }
                                td { @if let Some(ply) = ply { (signed_tenths(text, 100.0 * ply.decision)) } }
                                @if view.is_rolled { td { @if let Some(ply) = ply { (signed_tenths(text, 100.0 * ply.luck)) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A number with one decimal, as the language writes it.
fn tenths(text: &Translations, number: f64) -> String {
    text.language().decimal(format!("{number:.1}"))
}

/// The same with its sign; nothing is neither more nor less.
fn signed_tenths(text: &Translations, number: f64) -> String {
    let size = tenths(text, number.abs());
    match size.as_str() {
        "0.0" | "0,0" => "0".to_owned(),
        _ if number > 0.0 => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

/// One bar of the waterfall: its label, of which a bar marks where the line breaks, and how far it goes.
struct WaterfallStep {
    label: String,
    points: i32,
    is_whole: bool,
}

fn luck(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    let own = view.accounts.iter().find(|one| one.player == view.viewer);
    let points = own.copied().unwrap_or_default().points();
    let person = table.cast.person(view.viewer);
    let step = |key: &str, points: i32, is_whole| WaterfallStep {
        label: text
            .say_with(key, &[("person", person.into())])
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
        .of(view.viewer)
        .with("start", points.start.unsigned_abs())
        .with("end", points.end.unsigned_abs());
    html! {
        section class={ "panel p" (view.viewer % 6) } aria-labelledby="luck" {
            header {
                h2 #luck { (text.say(if view.is_rolled { "review-apart" } else { "review-decisions-title" })) }
                small { (table.told(&about)) }
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
        .of(view.viewer)
        .with("n", all);
    let about = LocalizedMessage::new("review-sixes")
        .with("n", rolls.faces[5])
        .with("expected", expected.round() as u32);
    html! {
        section class={ "panel p" (view.viewer % 6) } aria-labelledby="dice" {
            header { h2 #dice { (table.told(&title)) } small { (table.told(&about)) } }
            (histogram(text, rolls, expected))
        }
    }
}

/// The decisions that cost most, each with a picture, a link to its ply, and a game from there.
fn mistakes(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    let label = table.told(&LocalizedMessage::new("review-worst").of(view.viewer));
    html! {
        div.worst role="group" aria-label=(label) {
            @for (mistake, number) in view.mistakes.iter().zip(1_u32..) {
                div.decision {
                    a.turnp href={ "/g/" (table.id) "/" (mistake.shown()) } {
                        (mistake.board.draw(table))
                        div {
                            h3 { span.no { (number) } (told(table, mistake.played.as_ref(), "head")) }
                            span {
                                (emphasised(&table.told(&cost(table, mistake)))) " "
                                @if let Some(why) = mistake.why.as_ref().filter(|_| table.cast.is_mine(mistake.player)) { (emphasised(&table.told(why))) " " }
                                span.go { (text.say_with("review-look", &[("ply", mistake.shown().into())])) }
                            }
                        }
                    }
                    (play_on(table, mistake))
                }
            }
            @if view.mistakes.is_empty() { p.panel.none { (table.told(&LocalizedMessage::new("review-none").of(view.viewer))) } }
        }
    }
}

/// The way to another game from where a decision was made.
fn play_on(table: &TableContext<'_>, mistake: &MistakeView) -> Markup {
    let ply = mistake.ply;
    html! {
        form method="post" action={ "/g/" (table.id) "/play-on" } {
            input type="hidden" name="ply" value=(ply);
            button.btn { (table.text.say_with("review-play-on", &[("ply", ply.into())])) }
        }
    }
}

/// An action in a few words; nothing was played by who gave up.
fn told(
    table: &TableContext<'_>,
    action: Option<&LocalizedMessage>,
    place: &'static str,
) -> String {
    let said = action
        .cloned()
        .unwrap_or(LocalizedMessage::new("review-gave-up"));
    table.told(&said.with("place", place))
}

fn cost(table: &TableContext<'_>, mistake: &MistakeView) -> LocalizedMessage {
    let points = (100.0 * mistake.cost).round().max(1.0) as u32;
    LocalizedMessage::new("review-cost")
        .with("points", points)
        .with("share", (100.0 * mistake.share).round() as u32)
        .with("better", told(table, Some(&mistake.better), "within"))
}

fn accounts(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.accounts {
            table {
                caption.vh { (text.say("review-accounts")) }
                thead {
                    tr {
                        th scope="col" { (text.say("review-player")) }
                        @if view.is_rolled { th scope="col" { (text.say("review-luck-points")) } }
                        th scope="col" { (text.say("review-decision-points")) }
                    }
                }
                tbody {
                    @for account in &view.accounts {
                        @let points = account.points();
                        tr class={ "p" (account.player % 6) } {
                            th scope="row" { (named(table.cast, account.player)) }
                            @if view.is_rolled { td { (signed(points.own_luck)) } }
                            td { (signed(points.own_decisions)) }
                        }
                    }
                }
            }
        }
    }
}

/// What the figures mean, and by whom they are.
fn made(table: &TableContext<'_>, view: &ReviewView) -> Markup {
    let text = table.text;
    html! {
        div.panel.made {
            p.hint { (text.say("review-sum-about")) @if view.is_rolled { " " (text.say("review-luck-about")) } }
            details { summary { (text.say("review-details")) } p.hint { (made_by(table, view)) } }
            @if view.is_outdated {
                p.hint { (text.say("review-outdated")) }
                (ask(table, "review-again", "btn"))
            }
        }
    }
}

/// By whom a review is.
fn made_by(table: &TableContext<'_>, view: &ReviewView) -> String {
    let text = table.text;
    let level = level_name(text, view.by.level);
    let values = [
        ("level", level.as_str().into()),
        ("version", view.by.version.into()),
        (
            "simulations",
            u32::try_from(view.by.simulations)
                .unwrap_or(u32::MAX)
                .into(),
        ),
    ];
    text.say_with("review-by", &values).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn points_add_up_however_they_are_rounded() {
        let parts = [0.004, -0.006, 0.049_9, -0.123_4, 0.333_33];
        for a in parts {
            for b in parts {
                for c in parts {
                    let account = BreakdownView {
                        start: 0.25,
                        own_luck: a,
                        own_decisions: -b.abs(),
                        others_decisions: c.abs(),
                        others_luck: -a,
                        ..BreakdownView::default()
                    };
                    let points = account.points();
                    let sum = points.start + points.own_luck + points.own_decisions;
                    let sum = sum + points.others_decisions + points.others_luck;
                    assert_eq!(sum, points.end, "{account:?}");
                    assert!(points.own_decisions <= 0 && points.others_decisions >= 0);
                }
            }
        }
    }

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!([3, 0, -12].map(signed), ["+3", "0", "−12"]);
        let text = Translations::new(Language::English, |_| [], None);
        let shown = [0.04, -0.06, 2.0].map(|number| signed_tenths(&text, number));
        assert_eq!(shown, ["0", "−0.1", "+2.0"]);
    }
}
