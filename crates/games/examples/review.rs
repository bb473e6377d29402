//! Measures the agreement of reviews that use a fraction of a hint's simulations with reviews that use four
//! times as many: whether the five largest losses are among the five largest there (or within the noise of the
//! fifth), and how far the players' share breakdowns differ. Also prints the effect of each level's decisions
//! per game.
//!
//! Levels play almost the same game again from the same position. So if every deal is the same, the first two
//! to four plies of a game are random, derived from its seed.
//!
//! `cargo run --release -p dice-of-doom-games --example review -- 40 5 greedy,book,steady,expert`; an optional
//! fourth argument selects a single game.
//! word is the only game to look at.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level};
use dice_of_doom_core::review::{
    self, EvaluatedDecision, EvaluatorInfo, MIN_REPORTED_LOSS, REANALYSIS_FACTOR, Review,
    plan_reanalysis,
};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The settings: the number of games, and the divisor of a hint's simulations for the first analysis of a ply.
struct Comparison {
    games: u64,
    part: u64,
    /// The levels of the players; different strengths make small and large mistakes.
    seats: Vec<Level>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        let argument = arguments.get(index);
        argument.map_or(default, |argument| argument.parse().expect("a number"))
    };
    let seats = arguments
        .get(2)
        .map_or("greedy,book,steady,expert", String::as_str);
    let comparison = Comparison {
        games: number(0, 40),
        part: number(1, 5),
        seats: seats
            .split(',')
            .map(|argument| argument.parse().expect("a level"))
            .collect(),
    };
    let is_selected = |name| arguments.get(3).is_none_or(|argument| argument == name);
    if is_selected(DiceOfDoom::NAME) {
        comparison.print(DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("valid parameters"));
    }
    if is_selected(Trilobite::NAME) {
        comparison.print(Trilobite::new(8, 7, 4).expect("valid parameters"));
    }
}

/// The accumulated results.
#[derive(Default)]
struct ReviewTotals {
    plies: usize,
    took: Duration,
    agreed: usize,
    named: usize,
    same: usize,
    all: usize,
    /// The sum of the differences of own luck, per player of a game.
    apart: f64,
    /// The sum of the effects of a level's own decisions, and the number of games.
    decisions: BTreeMap<Level, (f64, u32)>,
}

impl Comparison {
    fn print<G: SerializableGame + AgentProvider>(&self, game: G) {
        let tally = Mutex::new(ReviewTotals::default());
        let next = AtomicU64::new(0);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= self.games {
                            return;
                        }
                        self.compare(game, seed, &tally);
                    }
                });
            }
        });
        let tally = tally.into_inner().expect("the mutex is not poisoned");
        tally.print(G::NAME, self.games, self.simulations(&game));
    }

    fn simulations<G: AgentProvider>(&self, game: &G) -> u64 {
        let analyser = G::move_analyser().expect("the game has move analysis");
        analyser.default_simulations(game) / self.part
    }

    fn seat(&self, player: Player, seed: u64) -> Level {
        self.seats[(usize::from(player.number()) + seed as usize) % self.seats.len()]
    }

    fn played<G: SerializableGame + AgentProvider>(&self, game: G, seed: u64) -> Session<G> {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut agent_rng = AgentRng::seed_from_u64(seed);
        let start = game.deal(&mut dice).expect("a board is dealt");
        let random_count = random_plies(game, &start, seed);
        let mut session = Session::new(game, start);
        while let Some(mover) = session.status().mover() {
            let level = if session.record().len() < random_count {
                Level::Random
            } else {
                self.seat(mover, seed)
            };
            let action = level.choose_action(&game, session.position(), &mut agent_rng);
            let ply = session
                .prepare_ply(mover, action, &mut dice, 0)
                .expect("levels choose legal actions");
            session = session.with_ply(ply).expect("a prepared ply applies");
        }
        session
    }

    fn compare<G: SerializableGame + AgentProvider>(
        &self,
        game: G,
        seed: u64,
        totals: &Mutex<ReviewTotals>,
    ) {
        let session = self.played(game, seed);
        let start = Instant::now();
        let simulations = self.simulations(&game);
        let quick = reviewed(&session, simulations);
        let duration = start.elapsed();
        let thorough = reviewed(&session, 4 * simulations);
        let mut totals = totals.lock().expect("the mutex is not poisoned");
        totals.took += duration;
        totals.plies += quick.plies.len();
        let (quick_top, thorough_top) = (
            quick.largest_losses(None, 5),
            thorough.largest_losses(None, 5),
        );
        // Decisions with equal losses within the noise may swap places; the fifth one sets the threshold.
        let fifth_loss = thorough_top
            .get(4)
            .map_or(0.0, |&fifth| thorough.decision_loss(fifth));
        let threshold = (fifth_loss - MIN_REPORTED_LOSS).max(f64::EPSILON);
        totals.agreed += quick_top
            .iter()
            .filter(|&&ply| thorough.decision_loss(ply) >= threshold)
            .count();
        totals.named += quick_top.len();
        totals.same += quick_top
            .iter()
            .filter(|ply| thorough_top.contains(ply))
            .count();
        totals.all += quick_top.len().max(thorough_top.len());
        for player in Player::all(game.players()) {
            let number = player.number();
            let (one, other) = (
                quick.share_breakdown(number),
                thorough.share_breakdown(number),
            );
            totals.apart += (one.own_luck - other.own_luck).abs() / f64::from(game.players());
            let of = totals.decisions.entry(self.seat(player, seed)).or_default();
            *of = (of.0 + one.own_decisions, of.1 + 1);
        }
    }
}

/// The number of random plies at the start of a game.
fn random_plies<G: SerializableGame>(game: G, start: &G::Position, seed: u64) -> u32 {
    let other = game.deal(&mut ChaCha8Rng::seed_from_u64(seed + 1));
    if other.is_ok_and(|other| other == *start) {
        2 + (seed % 3) as u32
    } else {
        0
    }
}

/// Analyses all decisions, then reanalyses those with the largest losses.
fn reviewed<G: SerializableGame + AgentProvider>(session: &Session<G>, simulations: u64) -> Review {
    let (game, stop) = (session.game(), &StopToken::new());
    let analyser = G::move_analyser().expect("the game has move analysis");
    let result =
        review::game_result(session.record(), session.position()).expect("the game is over");
    let by = EvaluatorInfo {
        level: Level::Champion,
        version: G::EVALUATION_VERSION,
        simulations,
    };
    let summarize = |decisions: &[EvaluatedDecision]| {
        Review::new(by.clone(), game.players(), result, decisions)
    };
    let steps: Vec<_> = session.mainline().collect();
    let evaluate = |step| {
        let step: &dice_of_doom_core::record::ReplayedPly<'_, G> = step;
        let (before, played) = (&step.before, Some(step.ply.action));
        let actions = analyser.analyse_including(game, before, played, simulations, stop);
        EvaluatedDecision::from_analysis(game, step, &actions.expect("it is not stopped"))
            .expect("the analysis has the game's actions")
    };
    let mut decisions: Vec<EvaluatedDecision> = steps.iter().map(evaluate).collect();
    for plan in plan_reanalysis(&summarize(&decisions), &decisions) {
        let number = plan.number as usize;
        let step = &steps[number];
        let reanalysed = decisions[number].reanalysed(plan, Some(step.ply.action), |action| {
            analyser.analyse_action(
                game,
                &step.before,
                action,
                REANALYSIS_FACTOR * simulations,
                stop,
            )
        });
        decisions[number] = reanalysed.expect("the analysis has the game's actions");
    }
    summarize(&decisions)
}

impl ReviewTotals {
    fn print(&self, name: &str, games: u64, simulations: u64) {
        let percent = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let (agreement, overlap) = (
            percent(self.agreed, self.named),
            percent(self.same, self.all),
        );
        println!(
            "{name}: {games} games, {} plies, {simulations} simulations a ply at first, {:.0} ms a ply in all: {} of {} \
             in the very same five ({overlap:.0} %), {} of {} costliest decisions agree ({agreement:.0} %), \
             own luck {:.1} points apart",
            self.plies,
            1000.0 * self.took.as_secs_f64() / self.plies as f64,
            self.same,
            self.all,
            self.agreed,
            self.named,
            100.0 * self.apart / games as f64,
        );
        for (level, (sum, games)) in &self.decisions {
            let each = 100.0 * sum / f64::from(*games);
            println!("  {}: decisions {each:.1} points a game", level.name());
        }
    }
}
