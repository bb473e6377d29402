//! Laws that every game must satisfy, written over the traits of the core crate. A game's tests call them with
//! positions, or with a start position and the seed of a random game.

use std::num::NonZeroU64;
use std::str::FromStr;

use dice_of_doom_core::game::{Payoffs, Player, RecordableGame, Status};
use dice_of_doom_core::level::{AgentProvider, AgentRng, RandomAgent, SearchLimit};
use dice_of_doom_core::record::{
    EntropyContribution, Entry, MAX_CONTRIBUTIONS, Record, ReplayErrorKind, ReplayedEntry,
    ReplayedPly, Takeback,
};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_core::session::Session;
use rand::RngExt as _;

/// The maximum number of plies of a random game.
const PLIES: usize = 400;

/// Plays a random game and checks every position; returns the number of plies and the result.
pub(crate) fn check_laws<G>(
    game: &G,
    start: G::Position,
    rng: &mut AgentRng,
    at: &str,
) -> (usize, Option<Payoffs>)
where
    G: RecordableGame,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let mut position = start;
    for ply in 0..PLIES {
        let at = format!("{at}, ply {ply}");
        let actions: Vec<G::Action> = game.legal_actions(&position).collect();
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
        let action = RandomAgent::random_action(game, &position, rng);
        let roll = game.roll(&position, action, rng);
        let outcome = game
            .outcome_of_roll(&position, action, &roll)
            .expect("the game's own roll is valid");
        position = game.apply(&position, action, outcome);
    }
    (PLIES, None)
}

fn check_action<G>(
    game: &G,
    position: &G::Position,
    action: G::Action,
    rng: &mut AgentRng,
    at: &str,
) where
    G: RecordableGame,
    <G::Action as FromStr>::Err: std::fmt::Debug,
    <G::Roll as FromStr>::Err: std::fmt::Debug,
{
    let outcomes: Vec<(G::Outcome, f64)> = game.chance_outcomes(position, action).collect();
    let sum: f64 = outcomes.iter().map(|&(_, probability)| probability).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{at}: {action} sums to {sum}");
    for &(outcome, probability) in &outcomes {
        assert!(
            (0.0..=1.0).contains(&probability),
            "{at}: {action} {outcome:?}"
        );
        assert_ne!(
            game.apply(position, action, outcome),
            *position,
            "{at}: {action} does nothing"
        );
    }
    let found = action.to_string().parse::<G::Action>().unwrap();
    assert_eq!(found, action, "{at}");
    let roll = game.roll(position, action, rng);
    let found = roll.to_string().parse::<G::Roll>().unwrap();
    assert_eq!(found, roll, "{at}: {action}");
    let rolled = game
        .outcome_of_roll(position, action, &roll)
        .expect("the game's own roll is valid");
    assert!(
        outcomes.iter().any(|&(outcome, _)| outcome == rolled),
        "{at}: {action} {roll}"
    );
    let sampled = game.sample_outcome(position, action, rng);
    assert!(
        outcomes.iter().any(|&(outcome, _)| outcome == sampled),
        "{at}: {action}"
    );
}

/// Checks that a session, live or resumed, has the entries of its record, and that its mainline is the game
/// without the plies taken back. Plays a random game of the given number of entries, including takebacks and
/// entropy contributions.
pub(crate) fn check_session<G>(
    game: &G,
    start: G::Position,
    entries: u32,
    rng: &mut AgentRng,
    at: &str,
) where
    G: RecordableGame + Clone + PartialEq + std::fmt::Debug,
{
    let mut session = Session::new(game.clone(), start.clone());
    assert_eq!(session.last_entry(), None, "{at}");
    let mut positions = vec![start.clone()];
    // Without takebacks a replay may begin in the middle.
    let has_takebacks: bool = rng.random();
    for _ in 0..entries {
        let Status::Turn(mover) = session.status() else {
            break;
        };
        session = match rng.random_range(0..10) {
            0 | 1 if has_takebacks && session.record().mainline().count() > 0 => {
                take_back(&session, rng)
            }
            2 => contribute(&session, rng),
            _ => {
                let action = RandomAgent::random_action(game, session.position(), rng);
                let ply = session.prepare_ply(mover, action, rng, 0).unwrap();
                session.with_ply(ply).unwrap()
            }
        };
        // A contribution over the limit adds no entry.
        if session.record().len() as usize == positions.len() {
            positions.push(session.position().clone());
        }
    }
    let record = session.record();
    let replayed: Vec<ReplayedEntry<'_, G>> = record.replay().map(Result::unwrap).collect();
    let resumed = Session::from_record(record.clone()).unwrap();
    for session in [&session, &resumed] {
        assert_eq!(session.position(), positions.last().unwrap(), "{at}");
        assert_eq!(session.last_entry().as_ref(), replayed.last(), "{at}");
        for from in 0..=record.len() {
            let listed_entries: Vec<ReplayedEntry<'_, G>> = session.replay_from(from).collect();
            assert_eq!(
                listed_entries,
                replayed[from as usize..],
                "{at}, from entry {from}"
            );
            let position = session.position_at(from);
            assert_eq!(position, positions[from as usize], "{at}, entry {from}");
        }
    }
    check_mainline(&session, start, at);
}

/// Takes back a random ply of the mainline, and checks that other takebacks are rejected.
fn take_back<G: RecordableGame + Clone>(session: &Session<G>, rng: &mut AgentRng) -> Session<G> {
    let record = session.record();
    let line = record.mainline_at(record.len());
    let to = line[rng.random_range(0..line.len())];
    let player = record.entries[to as usize].player();
    let takeback = Takeback {
        player,
        to,
        at_ms: 0,
    };
    let taken_back = (0..record.len()).filter(|number| !line.contains(number));
    for to in taken_back.chain([record.len()]) {
        let rejected = session.with_takeback(Takeback { to, ..takeback });
        assert_eq!(rejected.err(), Some(ReplayErrorKind::NothingToTakeBack));
    }
    let other = player.next(session.game().players());
    let rejected = session.with_takeback(Takeback {
        player: other,
        ..takeback
    });
    assert_eq!(rejected.err(), Some(ReplayErrorKind::NothingToTakeBack));
    session.with_takeback(takeback).unwrap()
}

/// A random player contributes entropy text, unless the limit is reached.
fn contribute<G: RecordableGame + Clone>(session: &Session<G>, rng: &mut AgentRng) -> Session<G> {
    let player = Player::new(rng.random_range(0..session.game().players()));
    let contribution = EntropyContribution {
        player,
        text: format!("words {}", session.record().len()).parse().unwrap(),
        at_ms: 0,
    };
    let contributions = session.record().entropy_before(session.record().len());
    let contributions = contributions.filter(|words| words.player == player).count();
    match session.with_entropy(contribution) {
        Ok(next) => {
            assert_eq!(next.position(), session.position());
            next
        }
        Err(error) => {
            assert_eq!(error, ReplayErrorKind::TooManyContributions);
            assert_eq!(contributions, MAX_CONTRIBUTIONS as usize);
            session.clone()
        }
    }
}

/// Checks that the mainline alone is a game with the same positions.
fn check_mainline<G>(session: &Session<G>, start: G::Position, at: &str)
where
    G: RecordableGame + Clone + PartialEq + std::fmt::Debug,
{
    let mut copy = Record::new(session.game().clone(), start);
    let plies = session.record().mainline();
    copy.entries = plies.map(|(_, ply)| Entry::Ply(ply.clone())).collect();
    let steps: Vec<ReplayedPly<'_, G>> = session.mainline().collect();
    let others: Vec<ReplayedPly<'_, G>> = copy.replayed_plies().map(Result::unwrap).collect();
    assert_eq!(steps.len(), others.len(), "{at}");
    for (step, other) in steps.iter().zip(&others) {
        assert_eq!(step.before, other.before, "{at}, ply {}", step.number);
        assert_eq!(step.after, other.after, "{at}, ply {}", step.number);
        assert_eq!(step.ply, other.ply, "{at}, ply {}", step.number);
    }
    let end = others.last().map_or(&copy.start, |step| &step.after);
    assert_eq!(session.position(), end, "{at}");
}

/// Checks that an action is legal exactly if it is listed; `candidates` contains legal and illegal actions,
/// including all listed ones.
pub(crate) fn check_legality<G: SerializableGame>(
    game: &G,
    position: &G::Position,
    candidates: impl IntoIterator<Item = G::Action>,
    at: &str,
) {
    let listed: Vec<G::Action> = game.legal_actions(position).collect();
    let mut accepted = 0;
    for action in candidates {
        let is_legal = game.check_action(position, action).is_ok();
        assert_eq!(is_legal, listed.contains(&action), "{at}: {action}");
        accepted += usize::from(is_legal);
    }
    assert_eq!(accepted, listed.len(), "{at}: a listed action is missing");
}

/// Checks that a position and the parameters of its game survive serialization.
pub(crate) fn check_serialization<G>(game: &G, position: &G::Position, at: &str)
where
    G: SerializableGame + PartialEq,
{
    let setup = serde_json::to_string(&game.to_setup(position)).unwrap();
    let setup = serde_json::from_str(&setup).unwrap();
    assert_eq!(game.position_from_setup(&setup).unwrap(), *position, "{at}");
    let parameters = serde_json::to_string(&game.parameters()).unwrap();
    let parameters = serde_json::from_str(&parameters).unwrap();
    assert_eq!(G::from_parameters(&parameters).unwrap(), *game, "{at}");
}

/// Checks that every level chooses legal actions, for `plies` plies from `start`.
pub(crate) fn check_levels<G: AgentProvider + std::fmt::Debug>(
    game: &G,
    start: &G::Position,
    plies: u32,
) {
    // The levels' default limits differ only in search time.
    let limit = SearchLimit::Simulations(NonZeroU64::new(100).unwrap());
    for &level in G::LEVELS {
        let mut agent = G::agent(level);
        let mut rng = AgentRng::seed_from_u64(3);
        let mut position = start.clone();
        for _ in 0..plies {
            if game.status(&position).is_over() {
                break;
            }
            let choice = agent.choose_action(game, &position, limit, &mut rng, &StopToken::new());
            let action = choice.action;
            let is_listed = game.legal_actions(&position).any(|legal| legal == action);
            assert!(is_listed, "{game:?} {level} {action}");
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
}
