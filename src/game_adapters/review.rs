//! Reviews of finished games, whatever the kind: how one is made ply by ply, what its page shows, and
//! its JSON.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::json::{TaggedAnswer, raw};
use super::{LiveGame, RegistrableGame};
use crate::game::Player;
use crate::level::Level;
use crate::review::{
    self, REANALYSIS_FACTOR, EvaluatedDecision, EvaluatorInfo, ReanalysisTarget, Review, plan_reanalysis,
};
use crate::search::StopToken;
use crate::session::Session;
use crate::templates::Translations;
use crate::templates::review::{
    BreakdownView, EvaluatorView, FaceHistogramView, MistakeView, PlyChangeView, ReviewView,
    printed_review,
};

/// At first a review takes this part of the simulations for a position that a hint takes.
const PART: u64 = 5;

/// The costliest decisions that are named.
const MOST_MISTAKES: usize = 5;

/// How a game is reviewed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewPlan {
    /// By whom.
    pub by: EvaluatorInfo,
    /// How many decisions are judged: the plies, and that somebody gave up.
    pub decisions: u32,
    /// The simulations of a closer look at one action.
    pub closer: u64,
    /// The most bytes that a look takes while it works.
    pub most_bytes: usize,
}

impl ReviewPlan {
    /// How many decisions count as done when this part of all closer looks is done: the first look at all
    /// decisions is half of the work.
    #[must_use]
    pub fn completed_decisions(&self, judged: u32, closer: Option<(usize, usize)>) -> u32 {
        let (done, of) = match closer {
            Some((done, of)) if of > 0 => (done as u64, of as u64),
            _ => (0, 1),
        };
        let both = u64::from(judged) * of + u64::from(self.decisions) * done;
        u32::try_from(both / (2 * of)).map_or(self.decisions, |done| done.min(self.decisions))
    }
}

/// What a review asks of a game that is played.
pub trait LiveReview {
    /// How this game is reviewed, with the usual number of simulations a ply or another one; `None` while
    /// it goes on, and where nothing weighs its actions.
    fn review_plan(&self, simulations: Option<u64>) -> Option<ReviewPlan>;

    /// Whether anything was rolled, so that there is luck to tell from skill.
    fn is_rolled(&self) -> bool;

    /// Judges one decision, counted from 0. Slow: never on an async thread. `None` where there is none,
    /// and when it was stopped.
    fn judge(&self, number: u32, simulations: u64, stop: &StopToken) -> Option<EvaluatedDecision>;

    /// Judges a decision again after a closer look at one of its actions; `simulations` are for this look.
    /// Slow: never on an async thread. `None` where there is no such action, and when it was stopped.
    fn look_closer(
        &self,
        look: ReanalysisTarget,
        judged: &EvaluatedDecision,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision>;

    /// What the judgements of all decisions come to; `None` where the game goes on.
    fn reviewed(&self, by: EvaluatorInfo, judged: &[EvaluatedDecision]) -> Option<Review>;

    /// What the page of a review shows to somebody who sits there, or looks from there. `None` where it
    /// is no review of this game.
    fn review_page(&self, review: &Review, viewer: Player) -> Option<ReviewView>;

    /// The review for programs: [`ReviewJson`]. `None` where it is no review of this game.
    fn review_json(&self, review: &Review) -> Option<Box<RawValue>>;
}

/// Reviews a game on this thread; `told` hears how many decisions are judged of how many. `None` where
/// the game has no review.
pub fn review(
    live: &dyn LiveGame,
    simulations: Option<u64>,
    told: impl Fn(u32, u32),
) -> Option<Review> {
    let plan = live.review_plan(simulations)?;
    let stop = StopToken::new();
    let mut judged = Vec::with_capacity(plan.decisions as usize);
    for number in 0..plan.decisions {
        judged.push(live.judge(number, plan.by.simulations, &stop)?);
        told(plan.completed_decisions(number + 1, None), plan.decisions);
    }
    let first = live.reviewed(plan.by.clone(), &judged)?;
    let looks = plan_reanalysis(&first, &judged);
    for (done, &look) in looks.iter().enumerate() {
        let one = judged.get_mut(look.number as usize)?;
        *one = live.look_closer(look, one, plan.closer, &stop)?;
        let come = plan.completed_decisions(plan.decisions, Some((done + 1, looks.len())));
        told(come, plan.decisions);
    }
    if looks.is_empty() {
        told(plan.decisions, plan.decisions);
    }
    live.reviewed(plan.by, &judged)
}

/// A review as the terminal shows it, every player's side after the other. `None` where it is no review
/// of this game.
#[must_use]
pub fn text_report(live: &dyn LiveGame, review: &Review, text: &Translations) -> Option<String> {
    let sides = Player::all(live.players()).map(|player| live.review_page(review, player));
    let sides: Vec<ReviewView> = sides.collect::<Option<_>>()?;
    Some(printed_review(text, &sides))
}

/// Whether a review is one of this game: as many players and decisions, each by whom the record says.
fn fits<G: RegistrableGame>(session: &Session<G>, review: &Review) -> bool {
    let record = session.record();
    let gave_up = review::resigned_player(record);
    let players = record.mainline().map(|(_, ply)| ply.player).chain(gave_up);
    let reviewed = review.plies.iter().map(|ply| ply.player);
    let seats = usize::from(session.game().players());
    let shares = |shares: &Vec<f64>| shares.len() == seats;
    let mut plies = review.plies.iter();
    session.status().is_over()
        && players.map(Player::number).eq(reviewed)
        && shares(&review.start)
        && plies.all(|ply| shares(&ply.expected) && shares(&ply.after))
}

impl<G: RegistrableGame> LiveReview for Session<G> {
    fn review_plan(&self, simulations: Option<u64>) -> Option<ReviewPlan> {
        if !self.status().is_over() {
            return None;
        }
        let weigher = G::move_analyser()?;
        let usual = || weigher.usual_simulations(self.game()) / PART;
        let simulations = simulations.unwrap_or_else(usual).max(1);
        let gave_up = review::resigned_player(self.record()).is_some();
        Some(ReviewPlan {
            by: EvaluatorInfo {
                level: Level::Champion,
                version: G::EVALUATION_VERSION,
                simulations,
            },
            decisions: plies_of(self) + u32::from(gave_up),
            closer: REANALYSIS_FACTOR.saturating_mul(simulations),
            most_bytes: weigher
                .most_bytes(self.game(), simulations)
                .max(weigher.closer_bytes(self.game(), REANALYSIS_FACTOR.saturating_mul(simulations))),
        })
    }

    fn is_rolled(&self) -> bool {
        let mut line = self.line();
        line.any(|step| !self.game().rolled_faces(&step).is_empty())
    }

    fn judge(&self, number: u32, simulations: u64, stop: &StopToken) -> Option<EvaluatedDecision> {
        let (weigher, game) = (G::move_analyser()?, self.game());
        if let Some(step) = self.line().nth(number as usize) {
            let played = Some(step.ply.action);
            let weighed = weigher.weigh_beside(game, &step.before, played, simulations, stop)?;
            return EvaluatedDecision::of(game, &step, &weighed);
        }
        let player = review::resigned_player(self.record())?;
        let mover = game.status(self.position()).mover()?;
        let result = review::game_result(self.record(), self.position())?;
        let weighed = weigher.analyse(game, self.position(), simulations, stop)?;
        Some(EvaluatedDecision::resigned(player, mover, result, &weighed))
    }

    fn look_closer(
        &self,
        look: ReanalysisTarget,
        judged: &EvaluatedDecision,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<EvaluatedDecision> {
        let step = self.line().nth(look.number as usize);
        let step = step.as_ref();
        let position = step.map_or(self.position(), |step| &step.before);
        let played = step.map(|step| step.ply.action);
        let weigher = G::move_analyser()?;
        judged.reanalysed(look, played, |action| {
            weigher.look_closer(self.game(), position, action, simulations, stop)
        })
    }

    fn reviewed(&self, by: EvaluatorInfo, judged: &[EvaluatedDecision]) -> Option<Review> {
        let result = review::game_result(self.record(), self.position())?;
        Some(Review::new(by, self.game().players(), result, judged))
    }

    fn review_page(&self, review: &Review, viewer: Player) -> Option<ReviewView> {
        if !fits(self, review) {
            return None;
        }
        let seats = || Player::all(self.game().players());
        let gave_up = review::resigned_player(self.record());
        let pages = self.record().mainline().map(|(number, _)| number + 1);
        let pages = pages.chain(gave_up.map(|_| self.record().len()));
        let rolls = rolls(self);
        let numbers = review.largest_losses(Some(viewer.number()), MOST_MISTAKES);
        let mistakes = numbers
            .iter()
            .filter_map(|&number| mistake(self, review, number));
        let is_rolled = LiveReview::is_rolled(self);
        let own = rolls.get(usize::from(viewer.number()));
        Some(ReviewView {
            viewer: viewer.number(),
            winners: super::json::numbers(&LiveGame::winners(self)),
            plies: plies_of(self),
            shares: (0..=review.plies.len())
                .map(|number| review.shares_before(number).to_vec())
                .collect(),
            course: pages
                .enumerate()
                .map(|(number, page)| course(review, number, page, viewer.number()))
                .collect(),
            accounts: seats().map(|player| account(review, player)).collect(),
            mistakes: mistakes.collect(),
            is_rolled,
            rolls: own
                .filter(|_| is_rolled)
                .map(|of| FaceHistogramView { faces: *of }),
            by: EvaluatorView {
                level: review.by.level.name(),
                version: review.by.version,
                simulations: review.by.simulations,
            },
            is_outdated: review.by.version != G::EVALUATION_VERSION,
        })
    }

    fn review_json(&self, review: &Review) -> Option<Box<RawValue>> {
        fits(self, review).then(|| raw(&TaggedAnswer::named::<G>(ReviewJson::of(self, review))))
    }
}

/// How many plies stand.
fn plies_of<G: RegistrableGame>(session: &Session<G>) -> u32 {
    session.record().mainline().count() as u32
}

/// How often each player rolled each face.
fn rolls<G: RegistrableGame>(session: &Session<G>) -> Vec<[u32; 6]> {
    let mut rolls = vec![[0; 6]; usize::from(session.game().players())];
    for step in session.line() {
        for (player, faces) in session.game().rolled_faces(&step) {
            let Some(of) = rolls.get_mut(usize::from(player.number())) else {
                continue;
            };
            for face in faces {
                if let Some(count) = of.get_mut(usize::from(face).wrapping_sub(1)) {
                    *count += 1;
                }
            }
        }
    }
    rolls
}

fn course(review: &Review, number: usize, page: u32, viewer: u8) -> PlyChangeView {
    PlyChangeView {
        page,
        player: review.plies[number].player,
        decision: review.decision_change(number, viewer),
        luck: review.luck_change(number, viewer),
    }
}

fn account(review: &Review, player: Player) -> BreakdownView {
    let account = review.share_breakdown(player.number());
    BreakdownView {
        player: player.number(),
        start: account.start,
        own_luck: account.own_luck,
        own_decisions: account.own_decisions,
        others_decisions: account.others_decisions,
        others_luck: account.others_luck,
    }
}

/// A decision that cost something, as its card shows it.
fn mistake<G: RegistrableGame>(
    session: &Session<G>,
    review: &Review,
    number: usize,
) -> Option<MistakeView> {
    let (game, ply) = (session.game(), review.plies.get(number)?);
    let better: G::Action = ply.better.as_ref()?.parse().ok()?;
    let step = session.line().nth(number);
    let position = step
        .as_ref()
        .map_or(session.position(), |step| &step.before);
    let played = step.as_ref().map(|step| step.ply.action);
    // Whoever gave up played nothing, and the other action may be another player's.
    Some(MistakeView {
        ply: step
            .as_ref()
            .map_or(session.record().len(), |step| step.number),
        number,
        player: ply.player,
        cost: review.decision_loss(number),
        share: review
            .shares_before(number)
            .get(usize::from(ply.player))
            .copied()?,
        played: played.map(|action| game.action_text(position, action)),
        better: game.action_text(position, better),
        why: game.why_better(position, played, better),
        board: game.comparison_picture(position, played, better),
    })
}

/// What one player's part in a game came to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ReviewedPlayer)]
pub struct ReviewedPlayerJson {
    player: u8,
    /// What the player could expect at the deal, 0..=1.
    start: f64,
    /// What the player's own dice changed, in win share.
    own_luck: f64,
    /// What the player's own decisions cost.
    own_decisions: f64,
    /// What the decisions of the others changed.
    others_decisions: f64,
    /// What the dice of the others changed.
    others_luck: f64,
    /// What the player got: start and the four changes together.
    end: f64,
    /// Which part of the best chances the own decisions kept, 0..=1.
    accuracy: f64,
    /// How often each face was rolled, from 1 to 6.
    faces: [u32; 6],
}

/// One decision of a reviewed game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReviewedPlyJson {
    /// The number of the ply, counted from 0; that somebody gave up takes the next number.
    ply: u32,
    player: u8,
    /// What was played, as its game writes actions; null where the player gave up.
    #[schema(value_type = Option<Object>)]
    played: Option<Value>,
    /// What was better, where something was.
    #[schema(value_type = Option<Object>)]
    better: Option<Value>,
    /// What the decision cost the player, 0..=1.
    cost: f64,
    /// How likely was what the dice said, 0..=1.
    chance: f64,
    /// What the decision changed for each player.
    decision: Vec<f64>,
    /// What the dice changed for each player.
    luck: Vec<f64>,
    /// What each player could expect afterwards, 0..=1.
    after: Vec<f64>,
}

/// A reviewed game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReviewJson {
    /// The level whose search it was.
    level: String,
    /// The version of its evaluation.
    version: u32,
    /// The simulations for each ply.
    simulations: u64,
    /// What each player could expect at the deal, 0..=1.
    start: Vec<f64>,
    players: Vec<ReviewedPlayerJson>,
    /// The numbers of the five decisions that cost most, the costliest first.
    costliest: Vec<usize>,
    /// Every decision, in order.
    #[schema(value_type = Vec<Object>)]
    plies: Vec<ReviewedPlyJson>,
}

impl ReviewJson {
    fn of<G: RegistrableGame>(session: &Session<G>, review: &Review) -> Self {
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
            costliest: review.largest_losses(None, MOST_MISTAKES),
            plies: plies(session, review),
        }
    }
}

/// To a millionth, as shares are kept.
fn round_share(share: f64) -> f64 {
    let parts = (share * 1e6).round();
    // No answer says minus nothing.
    if parts == 0.0 { 0.0 } else { parts / 1e6 }
}

fn plies<G: RegistrableGame>(session: &Session<G>, review: &Review) -> Vec<ReviewedPlyJson> {
    let game = session.game();
    let seats = || Player::all(game.players()).map(Player::number);
    let mut steps = session.line();
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
    fn what_is_done_comes_to_all_of_it() {
        for decisions in 1..8 {
            let plan = ReviewPlan {
                by: EvaluatorInfo {
                    level: Level::Champion,
                    version: 1,
                    simulations: 1,
                },
                decisions,
                closer: 1,
                most_bytes: 0,
            };
            let first = (0..=decisions).map(|judged| plan.completed_decisions(judged, None));
            let closer = (1..=3).map(|done| plan.completed_decisions(decisions, Some((done, 3))));
            let come: Vec<u32> = first.chain(closer).collect();
            assert!(come.is_sorted(), "{come:?}");
            assert_eq!((come.first(), come.last()), (Some(&0), Some(&decisions)));
        }
    }
}
