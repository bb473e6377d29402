//! Reviews of finished games, for any game type: their computation ply by ply, their page and their JSON.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::dice_audit::dice_throw;
use super::json::TaggedAnswer;
use super::{BoardPage, LiveGame, RegistrableGame};
use crate::formats::end_reason::{player_numbers, winners};
use crate::formats::to_raw_json;
use crate::game::Player;
use crate::level::Level;
use crate::review::{
    self, EvaluatedDecision, EvaluatorInfo, REANALYSIS_FACTOR, ReanalysisTarget, Review,
    plan_reanalysis,
};
use crate::search::StopToken;
use crate::session::Session;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::review::{
    AgainstOddsView, BreakdownView, DecisionPageView, DecisionView, EvaluatorView,
    FaceHistogramView, NotableDecisionView, NotableDecisionsView, PlyChangeView, ReviewView,
    ReviewedDecisionKind, SmallBoard, printed_review,
};
use crate::templates::{BoardComponent, Translations};

/// The first pass uses the simulations of a hint divided by this number for each position.
const HINT_DIVISOR: u64 = 5;

/// The number of costliest decisions that are listed.
const MAX_MISTAKES: usize = 5;

/// The points that a decision on the page costs at least.
const MIN_MISTAKE_POINTS: u32 = 3;

/// The number of best decisions that are listed.
const MAX_BEST: usize = 2;

/// How reviews and puzzles of a game show its actions.
pub struct ReviewPage<G: BoardPage> {
    /// A small picture of a position with the action played, if any, and a better one.
    pub comparison: fn(&G, &G::Position, Option<G::Action>, G::Action) -> Arc<dyn TableComponent>,
    /// One sentence on why an action is better than the one played, in the words of a hint; `None` if the position
    /// alone does not show it.
    pub why_better: fn(&G, &G::Position, Option<G::Action>, G::Action) -> Option<LocalizedMessage>,
    /// The large board of a position, with marks for the worse one of two actions, if any, and for the better one.
    pub marked_board: fn(&G, &G::Position, Option<G::Action>, G::Action) -> Arc<dyn BoardComponent>,
    /// The probability that an action succeeds; `None` if no dice are rolled.
    pub odds: fn(&G, &G::Position, G::Action) -> Option<f64>,
}

/// One sentence on why an action is better than the one played, if the game gives one.
pub(super) fn why_better<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    played: Option<G::Action>,
    better: G::Action,
) -> Option<LocalizedMessage> {
    (G::PAGES.reviews?.why_better)(game, position, played, better)
}

/// A small picture of a position with the action played and a better one.
fn comparison<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    played: Option<G::Action>,
    better: G::Action,
) -> Arc<dyn TableComponent> {
    match G::PAGES.reviews {
        Some(page) => (page.comparison)(game, position, played, better),
        None => Arc::new(SmallBoard(Arc::new(game.preview(position)))),
    }
}

/// The parameters of a review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewPlan {
    pub evaluator: EvaluatorInfo,
    /// The number of decisions to evaluate: the plies, and a resignation.
    pub decisions: u32,
    /// Simulations for the reanalysis of one action.
    pub reanalysis_simulations: u64,
    /// Upper bound of the memory of an analysis, in bytes.
    pub max_bytes: usize,
}

impl ReviewPlan {
    /// Progress of a review as a number of decisions: the first pass over all decisions is half of the work,
    /// the reanalysis the other half. `reanalysed` is the number of reanalysed actions and their total.
    #[must_use]
    pub fn completed_decisions(&self, evaluated: u32, reanalysed: Option<(usize, usize)>) -> u32 {
        let (done, total) = match reanalysed {
            Some((done, total)) if total > 0 => (done as u64, total as u64),
            _ => (0, 1),
        };
        let both = u64::from(evaluated) * total + u64::from(self.decisions) * done;
        u32::try_from(both / (2 * total)).map_or(self.decisions, |done| done.min(self.decisions))
    }
}

/// Reviews a game on the current thread, calling `progress` with the number of completed decisions and their
/// total. `None` if the game cannot be reviewed.
pub fn review(
    live: &dyn LiveGame,
    simulations: Option<u64>,
    progress: impl Fn(u32, u32),
) -> Option<Review> {
    let plan = live.review_plan(simulations)?;
    let stop = StopToken::new();
    let mut evaluated = Vec::with_capacity(plan.decisions as usize);
    for number in 0..plan.decisions {
        evaluated.push(live.evaluate_decision(number, plan.evaluator.simulations, &stop)?);
        progress(plan.completed_decisions(number + 1, None), plan.decisions);
    }
    let first = live.combine_decisions(plan.evaluator.clone(), &evaluated)?;
    let targets = plan_reanalysis(&first, &evaluated);
    for (done, &target) in targets.iter().enumerate() {
        let decision = evaluated.get_mut(target.number as usize)?;
        *decision = live.reanalyse(target, decision, plan.reanalysis_simulations, &stop)?;
        let completed = plan.completed_decisions(plan.decisions, Some((done + 1, targets.len())));
        progress(completed, plan.decisions);
    }
    if targets.is_empty() {
        progress(plan.decisions, plan.decisions);
    }
    live.combine_decisions(plan.evaluator, &evaluated)
}

/// A review as plain text, one section per player; `None` if it does not belong to this game.
#[must_use]
pub fn text_report(live: &dyn LiveGame, review: &Review, text: &Translations) -> Option<String> {
    let sides = Player::all(live.players()).map(|player| live.review_page(review, player));
    let sides: Vec<ReviewView> = sides.collect::<Option<_>>()?;
    Some(printed_review(text, &sides))
}

/// Whether a review belongs to this game: it has the same players, and each decision the same player as in the
/// record.
fn is_review_of<G: RegistrableGame>(session: &Session<G>, review: &Review) -> bool {
    let record = session.record();
    let resigned = review::resigned_player(record);
    let players = record.mainline().map(|(_, ply)| ply.player).chain(resigned);
    let reviewed = review.plies.iter().map(|ply| ply.player);
    let seats = usize::from(session.game().players());
    let has_all_shares = |shares: &Vec<f64>| shares.len() == seats;
    let mut plies = review.plies.iter();
    session.status().is_over()
        && players.map(Player::number).eq(reviewed)
        && has_all_shares(&review.start)
        && plies.all(|ply| has_all_shares(&ply.expected) && has_all_shares(&ply.after))
}

pub(super) fn review_plan<G: RegistrableGame>(
    session: &Session<G>,
    simulations: Option<u64>,
) -> Option<ReviewPlan> {
    if !session.status().is_over() {
        return None;
    }
    let analyser = G::move_analyser()?;
    let default_simulations = || analyser.default_simulations(session.game()) / HINT_DIVISOR;
    let simulations = simulations.unwrap_or_else(default_simulations).max(1);
    let resigned = review::resigned_player(session.record()).is_some();
    Some(ReviewPlan {
        evaluator: EvaluatorInfo {
            level: Level::Champion,
            version: G::EVALUATION_VERSION,
            simulations,
        },
        decisions: ply_count(session) + u32::from(resigned),
        reanalysis_simulations: REANALYSIS_FACTOR.saturating_mul(simulations),
        max_bytes: analyser
            .max_bytes(session.game(), simulations)
            .max(analyser.max_action_bytes(
                session.game(),
                REANALYSIS_FACTOR.saturating_mul(simulations),
            )),
    })
}

pub(super) fn separates_luck<G: RegistrableGame>(session: &Session<G>) -> bool {
    let mut line = session.mainline();
    line.any(|step| dice_throw(session.game(), &step).is_some())
}

pub(super) fn evaluate_decision<G: RegistrableGame>(
    session: &Session<G>,
    number: u32,
    simulations: u64,
    stop: &StopToken,
) -> Option<EvaluatedDecision> {
    let (analyser, game) = (G::move_analyser()?, session.game());
    if let Some(step) = session.mainline().nth(number as usize) {
        let played = Some(step.ply.action);
        let analysed = analyser.analyse_including(game, &step.before, played, simulations, stop)?;
        return EvaluatedDecision::from_analysis(game, &step, &analysed);
    }
    let player = review::resigned_player(session.record())?;
    let mover = game.status(session.position()).mover()?;
    let result = review::game_result(session.record(), session.position())?;
    let analysed = analyser.analyse(game, session.position(), simulations, stop)?;
    Some(EvaluatedDecision::from_resignation(
        player, mover, result, &analysed,
    ))
}

pub(super) fn reanalyse<G: RegistrableGame>(
    session: &Session<G>,
    target: ReanalysisTarget,
    evaluated: &EvaluatedDecision,
    simulations: u64,
    stop: &StopToken,
) -> Option<EvaluatedDecision> {
    let step = session.mainline().nth(target.number as usize);
    let step = step.as_ref();
    let position = step.map_or(session.position(), |step| &step.before);
    let played = step.map(|step| step.ply.action);
    let analyser = G::move_analyser()?;
    evaluated.reanalysed(target, played, |action| {
        analyser.analyse_action(session.game(), position, action, simulations, stop)
    })
}

pub(super) fn combine_decisions<G: RegistrableGame>(
    session: &Session<G>,
    by: EvaluatorInfo,
    evaluated: &[EvaluatedDecision],
) -> Option<Review> {
    let result = review::game_result(session.record(), session.position())?;
    Some(Review::new(by, session.game().players(), result, evaluated))
}

pub(super) fn review_page<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    viewer: Player,
) -> Option<ReviewView> {
    if !is_review_of(session, review) {
        return None;
    }
    let seats = || Player::all(session.game().players());
    let resigned = review::resigned_player(session.record());
    let pages = session.record().mainline().map(|(number, _)| number + 1);
    let pages = pages.chain(resigned.map(|_| session.record().len()));
    let rolls = rolls(session);
    let mistakes = review.largest_losses(Some(viewer.number()), MAX_MISTAKES);
    let mistakes = decisions(session, review, mistakes, ReviewedDecisionKind::Mistake);
    let best = review.best_decisions(viewer.number(), MAX_BEST);
    let separates_luck = separates_luck(session);
    let own = rolls.get(usize::from(viewer.number()));
    Some(ReviewView {
        viewer: viewer.number(),
        winners: player_numbers(&winners(session)),
        plies: session.record().len(),
        shares: (0..=review.plies.len())
            .map(|number| review.shares_before(number).to_vec())
            .collect(),
        changes: pages
            .enumerate()
            .map(|(number, page)| ply_change_view(review, number, page, viewer.number()))
            .collect(),
        breakdowns: seats()
            .map(|player| breakdown_view(review, player))
            .collect(),
        best: decisions(session, review, best, ReviewedDecisionKind::Best),
        mistakes: mistakes
            .into_iter()
            .filter(|mistake| mistake.points() >= MIN_MISTAKE_POINTS)
            .collect(),
        swing: swing(session, review, viewer),
        is_rolled: separates_luck,
        rolls: own
            .filter(|_| separates_luck)
            .map(|faces| FaceHistogramView { faces: *faces }),
        evaluator: EvaluatorView {
            level: review.by.level.name(),
            version: review.by.version,
            simulations: review.by.simulations,
        },
        is_outdated: review.by.version != G::EVALUATION_VERSION,
    })
}

pub(super) fn notable_decisions<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    player: Player,
) -> Option<NotableDecisionsView> {
    if !is_review_of(session, review) {
        return None;
    }
    let best = review.best_decisions(player.number(), 1);
    let costliest = review.largest_losses(Some(player.number()), 1);
    Some(NotableDecisionsView {
        best: best.first().and_then(|&number| {
            notable_decision(session, review, number, ReviewedDecisionKind::Best)
        }),
        costliest: costliest.first().and_then(|&number| {
            notable_decision(session, review, number, ReviewedDecisionKind::Mistake)
        }),
    })
}

pub(super) fn review_json<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
) -> Option<Box<RawValue>> {
    is_review_of(session, review).then(|| {
        to_raw_json(&TaggedAnswer::from_answer::<G>(ReviewJson::from_review(
            session, review,
        )))
    })
}

/// The number of plies on the mainline.
fn ply_count<G: RegistrableGame>(session: &Session<G>) -> u32 {
    session.record().mainline().count() as u32
}

/// How often each player rolled each face.
fn rolls<G: RegistrableGame>(session: &Session<G>) -> Vec<[u32; 6]> {
    let mut rolls = vec![[0; 6]; usize::from(session.game().players())];
    let throws = session
        .mainline()
        .filter_map(|step| dice_throw(session.game(), &step));
    for side in throws.flat_map(|throw| throw.sides) {
        let Some(counts) = rolls.get_mut(usize::from(side.player.number())) else {
            continue;
        };
        for face in side.faces {
            if let Some(count) = counts.get_mut(usize::from(face).wrapping_sub(1)) {
                *count += 1;
            }
        }
    }
    rolls
}

fn ply_change_view(review: &Review, number: usize, page: u32, viewer: u8) -> PlyChangeView {
    PlyChangeView {
        page,
        player: review.plies[number].player,
        decision: review.decision_change(number, viewer),
        luck: review.luck_change(number, viewer),
    }
}

fn breakdown_view(review: &Review, player: Player) -> BreakdownView {
    let account = review.share_breakdown(player.number());
    BreakdownView {
        player: player.number(),
        start: account.start,
        own_luck: account.own_luck,
        own_decisions: account.own_decisions,
        others_decisions: account.others_decisions,
        others_luck: account.others_luck,
        accuracy: account.accuracy,
    }
}

/// What was decided at a ply, in the notation of the game.
struct ComparedActions<'a, G: RegistrableGame> {
    /// The number of the ply; after the last one for a resignation.
    ply: u32,
    position: Cow<'a, G::Position>,
    /// `None` for a resignation.
    played: Option<G::Action>,
    /// The better action than a mistake, or the best other one than a best decision.
    other: G::Action,
}

impl<G: RegistrableGame> ComparedActions<'_, G> {
    /// The worse action and the better one.
    fn worse_and_better(
        &self,
        kind: ReviewedDecisionKind,
    ) -> Option<(Option<G::Action>, G::Action)> {
        match kind {
            ReviewedDecisionKind::Mistake => Some((self.played, self.other)),
            ReviewedDecisionKind::Best => Some((Some(self.other), self.played?)),
        }
    }
}

/// The actions of a decision that is of this kind.
fn compared_actions<'a, G: RegistrableGame>(
    session: &'a Session<G>,
    review: &Review,
    number: usize,
    kind: ReviewedDecisionKind,
) -> Option<ComparedActions<'a, G>> {
    let ply = review.plies.get(number)?;
    let other = match kind {
        ReviewedDecisionKind::Mistake => ply.better.as_ref()?,
        ReviewedDecisionKind::Best => &ply.second.as_ref()?.action,
    };
    let other = other.parse().ok()?;
    Some(match session.mainline().nth(number) {
        Some(step) => ComparedActions {
            ply: step.number,
            played: Some(step.ply.action),
            position: Cow::Owned(step.before),
            other,
        },
        // In a resignation no action was played, and the better action may be another player's.
        None => ComparedActions {
            ply: session.record().len(),
            played: None,
            position: Cow::Borrowed(session.position()),
            other,
        },
    })
}

fn decisions<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    numbers: Vec<usize>,
    kind: ReviewedDecisionKind,
) -> Vec<DecisionView> {
    let numbers = numbers.into_iter();
    let decisions = numbers.filter_map(|number| decision(session, review, number, kind));
    decisions.collect()
}

/// A decision, as its card shows it.
fn decision<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    number: usize,
    kind: ReviewedDecisionKind,
) -> Option<DecisionView> {
    let game = session.game();
    let compared = compared_actions(session, review, number, kind)?;
    let (worse, better) = compared.worse_and_better(kind)?;
    let (position, ply) = (&*compared.position, review.plies.get(number)?);
    let shares = review.shares_before(number);
    Some(DecisionView {
        kind,
        number,
        ply: compared.ply,
        player: ply.player,
        difference: match kind {
            ReviewedDecisionKind::Mistake => review.decision_loss(number),
            ReviewedDecisionKind::Best => ply.second.as_ref()?.gap,
        },
        share: shares.get(usize::from(ply.player)).copied()?,
        played: compared
            .played
            .map(|action| game.action_text(position, action)),
        other: game.action_text(position, compared.other),
        why: why_better(game, position, worse, better),
        // A best decision is shown alone.
        board: comparison(
            game,
            position,
            worse.filter(|_| kind == ReviewedDecisionKind::Mistake),
            better,
        ),
    })
}

fn notable_decision<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    number: usize,
    kind: ReviewedDecisionKind,
) -> Option<NotableDecisionView> {
    let decision = decision(session, review, number, kind)?;
    Some(NotableDecisionView {
        page: decision.page_ply(),
        points: decision.points(),
        played: decision.played,
        other: decision.other,
        why: decision.why,
        board: decision.board,
    })
}

/// The unlikely outcome that cost the viewer most, if it cost as much as a mistake.
fn swing<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    viewer: Player,
) -> Option<AgainstOddsView> {
    let number = review.worst_luck(viewer.number())?;
    let points = (-100.0 * review.luck_change(number, viewer.number())).round() as u32;
    let (step, game) = (session.mainline().nth(number)?, session.game());
    let action = step.ply.action;
    (points >= MIN_MISTAKE_POINTS).then(|| AgainstOddsView {
        page: step.number + 1,
        player: step.ply.player.number(),
        points,
        chance: review.plies[number].chance,
        action: game.action_text(&step.before, action),
        board: comparison(game, &step.before, Some(action), action),
    })
}

/// The page of the decision before which so many entries were recorded.
pub(super) fn decision_page<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    ply: u32,
) -> Option<DecisionPageView> {
    let number = session.mainline().position(|step| step.number == ply);
    let number = number.or_else(|| {
        let is_last = ply == session.record().len();
        is_last.then(|| review.plies.len().checked_sub(1)).flatten()
    })?;
    let player = Player::try_new(review.plies.get(number)?.player, session.game().players())?;
    let view = review_page(session, review, player)?;
    let of_kind = [view.best, view.mistakes];
    let listed = of_kind
        .into_iter()
        .find(|listed| listed.iter().any(|one| one.ply == ply))?;
    let plies = listed.iter().map(|one| one.ply).collect();
    let decision = listed.into_iter().find(|one| one.ply == ply)?;
    let (game, page) = (session.game(), G::PAGES.reviews.as_ref());
    let compared = compared_actions(session, review, number, decision.kind)?;
    let (worse, better) = compared.worse_and_better(decision.kind)?;
    let position = &*compared.position;
    let odds = |action| page.and_then(|page| (page.odds)(game, position, action));
    Some(DecisionPageView {
        plies,
        board: match page {
            Some(page) => (page.marked_board)(game, position, worse, better),
            None => Arc::new(game.preview(position)),
        },
        better_odds: odds(better),
        worse_odds: worse.and_then(odds),
        has_analysis_board: G::PAGES.analysis.is_some(),
        decision,
    })
}

/// The result of one player in a reviewed game.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewedPlayerJson {
    /// The number of the player, counted from 0.
    player: u8,
    /// The expected win share at the start, 0 to 1.
    start: f64,
    /// The change in the expected win share due to the player's own rolls.
    own_luck: f64,
    /// The change in the expected win share due to the player's own decisions, never positive.
    own_decisions: f64,
    /// The change in the expected win share due to the decisions of the other players.
    others_decisions: f64,
    /// The change in the expected win share due to the rolls of the other players.
    others_luck: f64,
    /// The final win share, 0 to 1: the sum of `start` and the four changes.
    end: f64,
    /// The fraction of the expected win share that the player's own decisions kept, 0 to 1.
    accuracy: f64,
    /// How often the player rolled each face, from 1 to 6.
    faces: [u32; 6],
}

/// A decision in a reviewed game.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewedPlyJson {
    /// The number of the ply, counted from 0. A resignation has the number after the last entry.
    ply: u32,
    /// The player who decided, counted from 0.
    player: u8,
    /// The action that was played; null for a resignation.
    played: Option<Value>,
    /// The best action, if it is clearly better than the one that was played; otherwise null.
    better: Option<Value>,
    /// The expected win share that the decision cost the player, 0 to 1.
    cost: f64,
    /// The probability of the outcome that occurred, 0 to 1.
    chance: f64,
    /// The change in the expected win share of each player due to the decision, -1 to 1.
    decision: Vec<f64>,
    /// The change in the expected win share of each player due to the roll, -1 to 1.
    luck: Vec<f64>,
    /// The expected win share of each player after the outcome, 0 to 1.
    after: Vec<f64>,
}

/// The review of a finished game.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewJson {
    /// The level whose search evaluated the decisions.
    level: String,
    /// The version of the evaluation.
    version: u32,
    /// The number of simulations for each position.
    simulations: u64,
    /// The expected win share of each player at the start, 0 to 1.
    start: Vec<f64>,
    /// The results, one for each player.
    players: Vec<ReviewedPlayerJson>,
    /// The indices in `plies` of the decisions that cost most, at most five, the costliest first.
    costliest: Vec<usize>,
    /// All decisions, in order.
    plies: Vec<ReviewedPlyJson>,
}

impl ReviewJson {
    fn from_review<G: RegistrableGame>(session: &Session<G>, review: &Review) -> Self {
        let seats = || Player::all(session.game().players());
        let players = seats().zip(rolls(session)).map(|(player, faces)| {
            let account = review.share_breakdown(player.number());
            ReviewedPlayerJson {
                player: player.number(),
                start: round_share(account.start),
                own_luck: round_share(account.own_luck),
                own_decisions: round_share(account.own_decisions),
                others_decisions: round_share(account.others_decisions),
                others_luck: round_share(account.others_luck),
                end: round_share(account.end),
                accuracy: round_share(account.accuracy),
                faces,
            }
        });
        ReviewJson {
            level: review.by.level.name().to_owned(),
            version: review.by.version,
            simulations: review.by.simulations,
            start: review.start.clone(),
            players: players.collect(),
            costliest: review.largest_losses(None, MAX_MISTAKES),
            plies: plies(session, review),
        }
    }
}

/// Rounds to six decimals, the precision of stored shares.
fn round_share(share: f64) -> f64 {
    let parts = (share * 1e6).round();
    // Avoid negative zero.
    if parts == 0.0 { 0.0 } else { parts / 1e6 }
}

fn plies<G: RegistrableGame>(session: &Session<G>, review: &Review) -> Vec<ReviewedPlyJson> {
    let game = session.game();
    let seats = || Player::all(game.players()).map(Player::number);
    let mut steps = session.mainline();
    let decisions = review.plies.iter().enumerate();
    let plies = decisions.map(|(number, ply)| {
        let step = steps.next();
        let position = step
            .as_ref()
            .map_or(session.position(), |step| &step.before);
        let action = |action| serde_json::to_value(game.action_json(action, position)).ok();
        let better = ply.better.as_ref().and_then(|better| better.parse().ok());
        ReviewedPlyJson {
            ply: step
                .as_ref()
                .map_or(session.record().len(), |step| step.number),
            player: ply.player,
            played: step.as_ref().and_then(|step| action(step.ply.action)),
            better: better.and_then(action),
            cost: round_share(review.decision_loss(number)),
            chance: ply.chance,
            decision: seats()
                .map(|player| round_share(review.decision_change(number, player)))
                .collect(),
            luck: seats()
                .map(|player| round_share(review.luck_change(number, player)))
                .collect(),
            after: ply.after.clone(),
        }
    });
    plies.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;

    #[test]
    fn progress_is_monotone_and_reaches_the_total() {
        for decisions in 1..8 {
            let plan = ReviewPlan {
                evaluator: EvaluatorInfo {
                    level: Level::Champion,
                    version: 1,
                    simulations: 1,
                },
                decisions,
                reanalysis_simulations: 1,
                max_bytes: 0,
            };
            let first = (0..=decisions).map(|evaluated| plan.completed_decisions(evaluated, None));
            let second = (1..=3).map(|done| plan.completed_decisions(decisions, Some((done, 3))));
            let completed: Vec<u32> = first.chain(second).collect();
            assert!(completed.is_sorted(), "{completed:?}");
            assert_eq!(
                (completed.first(), completed.last()),
                (Some(&0), Some(&decisions))
            );
        }
    }
}
