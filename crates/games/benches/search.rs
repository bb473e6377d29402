//! The cost of searches: `cargo bench --bench search`.
//!
//! Prints simulations and evaluated positions per second in addition to the times of criterion, then the time
//! of one decision of each level, and of sessions and records.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::level::{AgentProvider, AgentRng, Level, RandomAgent, SearchLimit};
use dice_of_doom_core::search::puct::{PuctParameters, PuctSearch, SearchBudget};
use dice_of_doom_core::search::{PositionEvaluator, StopToken};
use dice_of_doom_core::session::Session;
use dice_of_doom_core::tree::{GameTree, LazyTree};
use dice_of_doom_games::dice_of_doom::handcrafted::{HandcraftedEvaluator, features};
use dice_of_doom_games::dice_of_doom::nnue::builtin::NnueEvaluator;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use dice_of_doom_games::trilobite::evaluator::ThreatEvaluator;
use dice_of_doom_games::trilobite::{self, Trilobite};

/// As the levels search: all actions of a node are expanded at its second visit.
const THOROUGH: PuctParameters = PuctParameters {
    c_puct: 0.2,
    full_expansion_visits: 2,
    temperature: 0.03,
    discount: 0.98,
};

/// All actions of a node are expanded only at its fourth visit.
const LIGHT: PuctParameters = PuctParameters {
    full_expansion_visits: 4,
    ..THOROUGH
};

/// As `master` and `champion` search with a network: all actions are expanded at the first visit.
const AT_ONCE: PuctParameters = PuctParameters {
    c_puct: 0.1,
    full_expansion_visits: 1,
    ..THOROUGH
};

/// The number of searches of each position for the printed rates; the fastest counts.
const ROUNDS: usize = 30;

/// Middlegame positions of games in which `greedy` plays against itself, each newly dealt.
fn dice_positions(game: &DiceOfDoom, count: usize) -> Vec<Position> {
    let mut rng = AgentRng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..12 {
            if game.status(&position).is_over() {
                break;
            }
            let action = Level::Greedy.choose_action(game, &position, &mut rng);
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
        if !game.status(&position).is_over() {
            positions.push(position);
        }
    }
    positions
}

/// Positions after eight random chips.
fn trilobite_positions(game: &Trilobite, count: usize) -> Vec<trilobite::Position> {
    let mut rng = AgentRng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.empty();
        for _ in 0..8 {
            if !game.status(&position).is_over() {
                let column = RandomAgent::random_action(game, &position, &mut rng);
                position = game.apply(&position, column, ());
            }
        }
        if !game.status(&position).is_over() {
            positions.push(position);
        }
    }
    positions
}

fn evaluators(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = dice_positions(&game, 256);
    let mut at = positions.iter().cycle();
    let mut next = move || *at.next().expect("the iterator is infinite");
    let mut other = next.clone();
    criterion.bench_function("features, v4 5x5, 4 players", |bencher| {
        bencher.iter_batched(
            &mut next,
            |position| features::features_of_position(&game, black_box(&position)),
            BatchSize::SmallInput,
        );
    });
    criterion.bench_function("forecast by hand, v4 5x5, 4 players", |bencher| {
        bencher.iter_batched(
            &mut other,
            |position| HandcraftedEvaluator.win_shares(&game, black_box(&position)),
            BatchSize::SmallInput,
        );
    });
    let large = DiceOfDoom::new(Rules::V4, 8, 6, 8).expect("the largest board");
    let positions = dice_positions(&large, 256);
    let mut at = positions.iter().cycle();
    criterion.bench_function("forecast by hand, v4 8x8, 6 players", |bencher| {
        bencher.iter_batched(
            || *at.next().expect("the iterator is infinite"),
            |position| HandcraftedEvaluator.win_shares(&large, black_box(&position)),
            BatchSize::SmallInput,
        );
    });
}

fn searches(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = dice_positions(&game, 32);
    print_rate(
        "puct, v4 5x5, light",
        &game,
        HandcraftedEvaluator,
        LIGHT,
        &positions,
    );
    print_rate(
        "puct, v4 5x5, thorough",
        &game,
        HandcraftedEvaluator,
        THOROUGH,
        &positions,
    );
    print_rate(
        "puct, v4 5x5, thorough, network",
        &game,
        NnueEvaluator,
        THOROUGH,
        &positions,
    );
    print_rate(
        "puct, v4 5x5, at once, network",
        &game,
        NnueEvaluator,
        AT_ONCE,
        &positions,
    );
    print_one_ply_rate("by hand", &game, &HandcraftedEvaluator, &positions);
    print_one_ply_rate("by the network", &game, &NnueEvaluator, &positions);
    let mut at = positions.iter().cycle();
    let mut puct = PuctSearch::new(HandcraftedEvaluator, THOROUGH);
    criterion.bench_function("puct, v4 5x5, 1,000 simulations", |bencher| {
        bencher.iter_batched(
            || at.next().expect("the iterator is infinite"),
            |position| run_search(&mut puct, &game, black_box(position)),
            BatchSize::SmallInput,
        );
    });
    let game = Trilobite::new(8, 7, 4).expect("valid parameters");
    let positions = trilobite_positions(&game, 32);
    print_rate(
        "puct, trilobite 8x7, light",
        &game,
        ThreatEvaluator,
        LIGHT,
        &positions,
    );
    let mut at = positions.iter().cycle();
    let mut puct = PuctSearch::new(ThreatEvaluator, LIGHT);
    criterion.bench_function("puct, trilobite 8x7, 1,000 simulations", |bencher| {
        bencher.iter_batched(
            || at.next().expect("the iterator is infinite"),
            |position| run_search(&mut puct, &game, black_box(position)),
            BatchSize::SmallInput,
        );
    });
}

/// Searches with a tree that has searched other positions before, as in a game. Returns the numbers of
/// simulations and evaluated positions.
fn run_search<G: Game + Sync>(
    puct: &mut PuctSearch<G, impl PositionEvaluator<G>>,
    game: &G,
    position: &G::Position,
) -> (u64, u64) {
    let budget = SearchBudget {
        simulations: 1_000,
        trees: NonZeroUsize::MIN,
    };
    let mut rng = AgentRng::seed_from_u64(1);
    let found = puct.search(game, position, budget, &mut rng, &StopToken::new());
    (found.simulations, found.nodes)
}

/// Prints simulations and evaluated positions per second, with the fastest search of each position.
fn print_rate<G: Game + Sync>(
    name: &str,
    game: &G,
    evaluator: impl PositionEvaluator<G>,
    parameters: PuctParameters,
    positions: &[G::Position],
) {
    let mut puct = PuctSearch::new(evaluator, parameters);
    let mut quickest = vec![f64::INFINITY; positions.len()];
    let mut done = vec![(0, 0); positions.len()];
    for _ in 0..ROUNDS {
        for (at, position) in positions.iter().enumerate() {
            let start = Instant::now();
            done[at] = run_search(&mut puct, game, black_box(position));
            quickest[at] = quickest[at].min(start.elapsed().as_secs_f64());
        }
    }
    let seconds: f64 = quickest.iter().sum();
    let simulations: u64 = done.iter().map(|&(simulations, _)| simulations).sum();
    let nodes: u64 = done.iter().map(|&(_, nodes)| nodes).sum();
    println!(
        "{name}: {:.0} thousand simulations/s, {:.2} M positions/s, {:.1} positions a simulation",
        simulations as f64 / seconds / 1e3,
        nodes as f64 / seconds / 1e6,
        nodes as f64 / simulations as f64
    );
}

/// Prints how many successor positions are evaluated per second, with the fastest run of each position: one for
/// every outcome, and each only once, as the levels need them.
fn print_one_ply_rate(
    name: &str,
    game: &DiceOfDoom,
    evaluator: &impl PositionEvaluator<DiceOfDoom>,
    positions: &[Position],
) {
    let outcomes: Vec<Vec<Position>> = positions
        .iter()
        .map(|position| {
            let plies = game.legal_actions(position).flat_map(|action| {
                let outcomes = game.chance_outcomes(position, action);
                outcomes.map(move |(outcome, _)| game.apply(position, action, outcome))
            });
            plies
                .filter(|after| !game.status(after).is_over())
                .map(|mut after| {
                    game.canonicalise(&mut after);
                    after
                })
                .collect()
        })
        .collect();
    let once = outcomes.iter().map(|outcomes| {
        let mut once = Vec::new();
        for &after in outcomes {
            if !once.contains(&after) {
                once.push(after);
            }
        }
        once
    });
    let once: Vec<Vec<Position>> = once.collect();
    let rate = |after: &[Vec<Position>]| {
        let mut shares = Vec::new();
        let seconds = positions.iter().zip(after).map(|(position, after)| {
            let quickest = (0..ROUNDS).map(|_| {
                let start = Instant::now();
                shares.clear();
                evaluator.win_shares_after(game, black_box(position), after, &mut shares);
                black_box(&shares);
                start.elapsed().as_secs_f64()
            });
            quickest.fold(f64::INFINITY, f64::min)
        });
        let seconds: f64 = seconds.sum();
        after.iter().flatten().count() as f64 / seconds / 1e6
    };
    println!(
        "one ply ahead, v4 5x5, {name}: {:.2} M positions/s, {:.2} M where each is asked for once",
        rate(&outcomes),
        rate(&once)
    );
}

fn level_decisions(_: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    print_decision_times("v4 5x5", &game, &dice_positions(&game, 64));
    let game = Trilobite::new(8, 7, 4).expect("valid parameters");
    print_decision_times("trilobite 8x7", &game, &trilobite_positions(&game, 64));
}

/// Prints the median and maximum time of a decision of each level without a tree; the slowest level decides
/// fewer positions.
fn print_decision_times<G: AgentProvider>(name: &str, game: &G, positions: &[G::Position]) {
    for &level in G::LEVELS {
        let positions = if level >= Level::Champion {
            &positions[..8]
        } else {
            positions
        };
        let mut times: Vec<f64> = positions
            .iter()
            .map(|position| {
                let mut rng = AgentRng::seed_from_u64(1);
                let mut agent = G::agent(level);
                let start = Instant::now();
                black_box(agent.choose_action(
                    game,
                    black_box(position),
                    SearchLimit::Default,
                    &mut rng,
                    &StopToken::new(),
                ));
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "one decision of {level}, {name}: median {:.1} µs, longest {:.1} µs",
            times[times.len() / 2],
            times[times.len() - 1]
        );
    }
}

fn sessions(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::Conquest);
    let mut rng = AgentRng::seed_from_u64(3);
    let start = game.deal(&mut rng).expect("a board with an attack");
    let mut session = Session::new(game, start);
    let first_session = session.clone();
    for _ in 0..200 {
        let Some(mover) = session.status().mover() else {
            break;
        };
        let action = RandomAgent::random_action(&game, session.position(), &mut rng);
        let ply = session.prepare_ply(mover, action, &mut rng, 0);
        session = session
            .with_ply(ply.expect("a listed action"))
            .expect("a prepared ply applies");
    }
    let record = session.record().clone();
    let plies = record.len();
    let (_, first) = record.mainline().next().expect("a ply was played");
    let action = first.action;
    criterion.bench_function("a session decides and applies a ply", |bencher| {
        bencher.iter_batched(
            || first_session.clone(),
            |session| {
                let ply = session.prepare_ply(Player::FIRST, black_box(action), &mut rng, 0);
                session.with_ply(ply.expect("a listed action"))
            },
            BatchSize::SmallInput,
        );
    });
    criterion.bench_function(&format!("a record of {plies} plies replays"), |bencher| {
        bencher.iter(|| {
            black_box(&record)
                .replayed_plies()
                .filter(Result::is_ok)
                .count()
        });
    });
}

/// The time saved by a session's cached tree, and its memory.
fn cached_trees(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::V4);
    let position = dice_positions(&game, 1)[0];
    let session = Session::new(game, position);
    follow(&session.tree());
    let tree = session.tree();
    let bytes = tree.node().map_or(0, |root| root.memory_bytes());
    println!(
        "a session: all moves looked at once are {} positions, {bytes} bytes",
        session.cached_positions()
    );
    criterion.bench_function("a session lists its branches", |bencher| {
        bencher.iter(|| black_box(&session).tree().branches().count());
    });
    criterion.bench_function("a session: all that can follow, remembered", |bencher| {
        bencher.iter(|| follow(&black_box(&session).tree()));
    });
    criterion.bench_function(
        "a session: all that can follow, at the first look",
        |bencher| {
            bencher.iter_batched_ref(
                || Session::new(game, position),
                |session| follow(&session.tree()),
                BatchSize::SmallInput,
            );
        },
    );
    criterion.bench_function("all that can follow, computed", |bencher| {
        bencher.iter(|| follow(&LazyTree::new(&game, black_box(position))));
    });
}

/// Visits every successor position.
fn follow(tree: &impl GameTree<Game = DiceOfDoom>) -> usize {
    let chances = tree.branches().flat_map(|(_, chances)| chances);
    chances
        .map(|chance| usize::from(chance.tree.position().first_move()))
        .sum()
}

criterion_group!(
    search,
    evaluators,
    searches,
    level_decisions,
    sessions,
    cached_trees
);
criterion_main!(search);
