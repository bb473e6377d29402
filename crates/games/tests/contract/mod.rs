//! What every game owes, whatever it is, written over the platform's traits alone: a game's own tests
//! call it with positions, or with the start and the seed of a random game.

use std::num::NonZeroU64;
use std::str::FromStr;

use dice_of_doom_core::game::{Payoffs, Roll, Status};
use dice_of_doom_core::housed::Housed;
use dice_of_doom_core::level::{Effort, Level, Levelled, RandomPlayer, SearchRng};
use dice_of_doom_core::record::Step;
use dice_of_doom_core::search::Stop;
use dice_of_doom_core::session::Session;

/// The most plies of one random game.
const PLIES: usize = 400;

/// Plays one random game and holds every position of it to the laws; tells how many plies there
/// were and how it ended.
pub(crate) fn check_laws<G>(
    game: &G,
    start: G::Position,
    rng: &mut SearchRng,
    at: &str,
) -> (usize, Option<Payoffs>)
where
    G: Roll,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let mut position = start;
    for ply in 0..PLIES {
        let at = format!("{at}, ply {ply}");
        let actions: Vec<G::Action> = game.actions(&position).collect();
        match game.status(&position) {
            Status::Turn(player) => {
                assert!(player.number() < game.players(), "{at}");
                assert!(!actions.is_empty(), "{at}: on turn without an action");
            }
            Status::Over(payoffs) => {
                assert!(actions.is_empty(), "{at}: over with an action");
                let mut winners = payoffs.winners().iter();
                assert!(
                    winners.all(|winner| winner.number() < game.players()),
                    "{at}"
                );
                return (ply, Some(payoffs));
            }
        }
        for (index, &action) in actions.iter().enumerate() {
            assert!(!actions[..index].contains(&action), "{at}: {action} twice");
            check_action(game, &position, action, rng, &at);
        }
        let action = RandomPlayer::pick(game, &position, rng);
        let roll = game.roll(&position, action, rng);
        let outcome = game
            .outcome(&position, action, &roll)
            .expect("our own roll fits");
        position = game.play(&position, action, outcome);
    }
    (PLIES, None)
}

fn check_action<G>(
    game: &G,
    position: &G::Position,
    action: G::Action,
    rng: &mut SearchRng,
    at: &str,
) where
    G: Roll,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let lottery: Vec<(G::Outcome, f64)> = game.lottery(position, action).collect();
    let sum: f64 = lottery.iter().map(|&(_, probability)| probability).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{at}: {action} sums to {sum}");
    for &(outcome, probability) in &lottery {
        assert!(
            (0.0..=1.0).contains(&probability),
            "{at}: {action} {outcome:?}"
        );
        assert_ne!(
            game.play(position, action, outcome),
            *position,
            "{at}: {action} does nothing"
        );
    }
    assert_eq!(
        action.to_string().parse::<G::Action>().unwrap(),
        action,
        "{at}"
    );
    let roll = game.roll(position, action, rng);
    assert_eq!(
        roll.to_string().parse::<G::Roll>().unwrap(),
        roll,
        "{at}: {action}"
    );
    let decided = game
        .outcome(position, action, &roll)
        .expect("our own roll fits");
    assert!(
        lottery.iter().any(|&(outcome, _)| outcome == decided),
        "{at}: {action} {roll}"
    );
    let sampled = game.sample(position, action, rng);
    assert!(
        lottery.iter().any(|&(outcome, _)| outcome == sampled),
        "{at}: {action}"
    );
}

/// A session, live or resumed, has the plies of its record; `plies` of a random game are played.
pub(crate) fn check_session<G>(
    game: &G,
    start: G::Position,
    plies: u32,
    rng: &mut SearchRng,
    at: &str,
) where
    G: Roll + Clone + PartialEq + std::fmt::Debug,
{
    let mut session = Session::new(game.clone(), start);
    assert_eq!(session.newest_step(), None, "{at}");
    for _ in 0..plies {
        let Status::Turn(mover) = session.status() else {
            break;
        };
        let action = RandomPlayer::pick(game, session.position(), rng);
        let ply = session.decide(mover, action, rng, 0).unwrap();
        session = session.after(ply).unwrap();
    }
    let record = session.record();
    let steps: Vec<Step<'_, G>> = record.steps().map(Result::unwrap).collect();
    let resumed = Session::resume(record.clone()).unwrap();
    for session in [&session, &resumed] {
        assert_eq!(session.newest_step().as_ref(), steps.last(), "{at}");
        for from in 0..=record.len() {
            let told: Vec<Step<'_, G>> = session.steps(from).collect();
            assert_eq!(told, steps[from as usize..], "{at}, from ply {from}");
        }
    }
}

/// An action is legal exactly when it is listed; `candidates` are actions of either sort, the listed ones
/// among them.
pub(crate) fn check_judging<G: Housed>(
    game: &G,
    position: &G::Position,
    candidates: impl IntoIterator<Item = G::Action>,
    at: &str,
) {
    let listed: Vec<G::Action> = game.actions(position).collect();
    let mut accepted = 0;
    for action in candidates {
        let judged = game.judge(position, action).is_ok();
        assert_eq!(judged, listed.contains(&action), "{at}: {action}");
        accepted += usize::from(judged);
    }
    assert_eq!(accepted, listed.len(), "{at}: not every listed action came");
}

/// A position and the parameters of its game are read back as they were written down.
pub(crate) fn check_writing<G>(game: &G, position: &G::Position, at: &str)
where
    G: Housed + PartialEq,
{
    let setup = serde_json::to_string(&game.setup(position)).unwrap();
    let setup = serde_json::from_str(&setup).unwrap();
    assert_eq!(game.position(&setup).unwrap(), *position, "{at}");
    let parameters = serde_json::to_string(&game.parameters()).unwrap();
    let parameters = serde_json::from_str(&parameters).unwrap();
    assert_eq!(G::build(&parameters).unwrap(), *game, "{at}");
}

/// Every level chooses listed actions, over so many plies from `start`.
pub(crate) fn check_levels<G: Levelled + std::fmt::Debug>(
    game: &G,
    start: &G::Position,
    plies: u32,
) {
    // The levels' own efforts differ from this in nothing but time.
    let effort = Effort::Simulations(NonZeroU64::new(100).unwrap());
    for level in Level::ALL {
        let mut strategy = G::strategy(level);
        let mut rng = SearchRng::seed_from_u64(3);
        let mut position = start.clone();
        for _ in 0..plies {
            if game.status(&position).is_over() {
                break;
            }
            let choice = strategy.choose(game, &position, effort, &mut rng, &Stop::new());
            let action = choice.action;
            let is_listed = game.actions(&position).any(|legal| legal == action);
            assert!(is_listed, "{game:?} {level} {action}");
            let outcome = game.sample(&position, action, &mut rng);
            position = game.play(&position, action, outcome);
        }
    }
}
