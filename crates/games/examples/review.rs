//! How far reviews with a part of a hint's simulations agree with reviews with four times as many: which of the five
//! costliest decisions are among the five costliest there, or cost as much as the fifth but for the noise,
//! and how far the accounts of players lie apart. And what the decisions of each level come to in a game.
//!
//! Levels play nearly the same again from the same position. So where every deal is the same, the first two to
//! four plies of a game are drawn at random, from its seed.
//!
//! `cargo run --release -p dice-of-doom-games --example review -- 40 5 greedy,book,steady,expert`; a fourth
//! word is the only game to look at.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level};
use dice_of_doom_core::review::{
    self, EvaluatedDecision, EvaluatorInfo, NOISE, REANALYSIS_FACTOR, Review, plan_reanalysis,
};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What is compared: so many games; the first look at a ply takes this part of a hint's simulations.
struct Comparison {
    games: u64,
    part: u64,
    /// Who meets: players of several strengths make small and large mistakes.
    seats: Vec<Level>,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| {
        let word = words.get(place);
        word.map_or(usual, |word| word.parse().expect("a number"))
    };
    let seats = words
        .get(2)
        .map_or("greedy,book,steady,expert", String::as_str);
    let comparison = Comparison {
        games: number(0, 40),
        part: number(1, 5),
        seats: seats
            .split(',')
            .map(|word| word.parse().expect("a level"))
            .collect(),
    };
    let is_meant = |name| words.get(3).is_none_or(|word| word == name);
    if is_meant(DiceOfDoom::NAME) {
        comparison.print(DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the usual numbers"));
    }
    if is_meant(Trilobite::NAME) {
        comparison.print(Trilobite::new(8, 7, 4).expect("the usual numbers"));
    }
}

/// What was found in some games.
#[derive(Default)]
struct Tally {
    plies: usize,
    took: Duration,
    agreed: usize,
    named: usize,
    same: usize,
    all: usize,
    /// By how much own luck differs, a player of a game.
    apart: f64,
    /// What the own decisions of a level came to, and in how many games.
    decisions: BTreeMap<Level, (f64, u32)>,
}

impl Comparison {
    fn print<G: SerializableGame + AgentProvider>(&self, game: G) {
        let tally = Mutex::new(Tally::default());
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
        let tally = tally.into_inner().expect("no thread panicked");
        tally.print(G::NAME, self.games, self.simulations(&game));
    }

    fn simulations<G: AgentProvider>(&self, game: &G) -> u64 {
        let weigher = G::move_analyser().expect("the game is weighed");
        weigher.default_simulations(game) / self.part
    }

    fn seat(&self, player: Player, seed: u64) -> Level {
        self.seats[(usize::from(player.number()) + seed as usize) % self.seats.len()]
    }

    fn played<G: SerializableGame + AgentProvider>(&self, game: G, seed: u64) -> Session<G> {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut variety = AgentRng::seed_from_u64(seed);
        let start = game.deal(&mut dice).expect("a board is dealt");
        let drawn = drawn_plies(game, &start, seed);
        let mut session = Session::new(game, start);
        while let Some(mover) = session.status().mover() {
            let level = if session.record().len() < drawn {
                Level::Random
            } else {
                self.seat(mover, seed)
            };
            let action = level.choose_action(&game, session.position(), &mut variety);
            let ply = session
                .prepare_ply(mover, action, &mut dice, 0)
                .expect("levels know the rules");
            session = session.with_ply(ply).expect("it was decided here");
        }
        session
    }

    fn compare<G: SerializableGame + AgentProvider>(
        &self,
        game: G,
        seed: u64,
        tally: &Mutex<Tally>,
    ) {
        let session = self.played(game, seed);
        let begun = Instant::now();
        let simulations = self.simulations(&game);
        let less = reviewed(&session, simulations);
        let took = begun.elapsed();
        let more = reviewed(&session, 4 * simulations);
        let mut tally = tally.lock().expect("no thread panicked");
        tally.took += took;
        tally.plies += less.plies.len();
        let (few, many) = (less.largest_losses(None, 5), more.largest_losses(None, 5));
        // Decisions that cost the same but for the noise change places; the last one tells what it takes.
        let least = many.get(4).map_or(0.0, |&fifth| more.decision_loss(fifth));
        let enough = (least - NOISE).max(f64::EPSILON);
        tally.agreed += few
            .iter()
            .filter(|&&ply| more.decision_loss(ply) >= enough)
            .count();
        tally.named += few.len();
        tally.same += few.iter().filter(|ply| many.contains(ply)).count();
        tally.all += few.len().max(many.len());
        for player in Player::all(game.players()) {
            let number = player.number();
            let (one, other) = (less.share_breakdown(number), more.share_breakdown(number));
            tally.apart += (one.own_luck - other.own_luck).abs() / f64::from(game.players());
            let of = tally.decisions.entry(self.seat(player, seed)).or_default();
            *of = (of.0 + one.own_decisions, of.1 + 1);
        }
    }
}

/// How many plies of a game are drawn at random.
fn drawn_plies<G: SerializableGame>(game: G, start: &G::Position, seed: u64) -> u32 {
    let other = game.deal(&mut ChaCha8Rng::seed_from_u64(seed + 1));
    if other.is_ok_and(|other| other == *start) {
        2 + (seed % 3) as u32
    } else {
        0
    }
}

/// The first look at all decisions, then closer looks at those that cost most.
fn reviewed<G: SerializableGame + AgentProvider>(session: &Session<G>, simulations: u64) -> Review {
    let (game, stop) = (session.game(), &StopToken::new());
    let weigher = G::move_analyser().expect("the game is weighed");
    let result = review::game_result(session.record(), session.position()).expect("it is over");
    let by = EvaluatorInfo {
        level: Level::Champion,
        version: G::EVALUATION_VERSION,
        simulations,
    };
    let sum =
        |judged: &[EvaluatedDecision]| Review::new(by.clone(), game.players(), result, judged);
    let steps: Vec<_> = session.mainline().collect();
    let judge = |step| {
        let step: &dice_of_doom_core::record::ReplayedPly<'_, G> = step;
        let (before, played) = (&step.before, Some(step.ply.action));
        let weighed = weigher.analyse_including(game, before, played, simulations, stop);
        EvaluatedDecision::from_analysis(game, step, &weighed.expect("nobody stops it"))
            .expect("its own actions")
    };
    let mut judged: Vec<EvaluatedDecision> = steps.iter().map(judge).collect();
    for look in plan_reanalysis(&sum(&judged), &judged) {
        let number = look.number as usize;
        let step = &steps[number];
        let looked = judged[number].reanalysed(look, Some(step.ply.action), |action| {
            weigher.analyse_action(
                game,
                &step.before,
                action,
                REANALYSIS_FACTOR * simulations,
                stop,
            )
        });
        judged[number] = looked.expect("its own actions");
    }
    sum(&judged)
}

impl Tally {
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
