//! Measures the cost of positions, moves and records as JSON: `cargo bench --bench json`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dice_of_doom::formats::{GameFormat, RecordMetadata};
use dice_of_doom::games::LiveGame;
use dice_of_doom::level::{AgentRng, RandomAgent};
use dice_of_doom::serialization::SerializableGame;
use dice_of_doom::session::Session;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

fn json(criterion: &mut Criterion) {
    let game = DiceOfDoom::preset(Rules::Conquest);
    let mut rng = AgentRng::seed_from_u64(3);
    let start = game.deal(&mut rng).expect("a board with an attack");
    let mut session = Session::new(game, start);
    criterion.bench_function("a position as JSON, 5x5", |bencher| {
        bencher
            .iter(|| serde_json::to_string(&SerializableGame::to_setup(&game, black_box(&start))));
    });
    let moves = |session: &Session<DiceOfDoom>| {
        let moves = DiceOfDoom::moves_json(&session.tree(), None);
        serde_json::to_string(&moves).expect("plain values").len()
    };
    criterion.bench_function("all moves as JSON, remembered", |bencher| {
        bencher.iter(|| moves(black_box(&session)));
    });
    for _ in 0..200 {
        let Some(mover) = session.status().mover() else {
            break;
        };
        let action = RandomAgent::random_action(&game, session.position(), &mut rng);
        let ply = session.prepare_ply(mover, action, &mut rng, 0);
        session = session
            .with_ply(ply.expect("a listed action"))
            .expect("decided here");
    }
    let plies = session.record().len();
    criterion.bench_function(&format!("a record of {plies} plies as JSON"), |bencher| {
        bencher.iter(|| black_box(&session).record_json(&RecordMetadata::EMPTY));
    });
}

criterion_group!(benches, json);
criterion_main!(benches);
