//! The agents of Dice of Doom's levels.

use std::num::NonZeroUsize;

use rand::RngExt;
use rand::seq::IteratorRandom;

use super::handcrafted::HandcraftedEvaluator;
use super::land_of_lisp::score::BookScore;
use super::nnue::builtin::{NnueEvaluator, nnue_for};
use super::opponent_models::models;
use super::{Action, DiceOfDoom, Outcome, Position, land_of_lisp};
use dice_of_doom_core::game::{Game, Status};
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenAction, Level, OnePlyAgent, PolicyAgent, PuctAgent,
    RandomAgent, SearchLimit,
};
use dice_of_doom_core::move_analysis::{MoveAnalyser, SearchAnalyser};
use dice_of_doom_core::search::puct::PuctParameters;
use dice_of_doom_core::search::{BlendedEvaluator, PositionEvaluator, StaticEvaluation, StopToken};

/// The strongest values in arena tests.
const PUCT_PARAMETERS: PuctParameters = PuctParameters {
    c_puct: 0.2,
    full_expansion_visits: 2,
    temperature: 0.03,
    discount: 0.98,
};

/// Parameters for games with a network: evaluating all actions of a position is worth more than another
/// simulation.
pub(super) const NNUE_PUCT_PARAMETERS: PuctParameters = PuctParameters {
    c_puct: 0.1,
    full_expansion_visits: 1,
    ..PUCT_PARAMETERS
};

impl AgentProvider for DiceOfDoom {
    fn agent(level: Level) -> Box<dyn Agent<Self>> {
        match level {
            Level::Novice => Box::new(PolicyAgent(novice)),
            Level::Random => Box::new(RandomAgent),
            Level::Book => Box::new(PolicyAgent(book)),
            Level::Greedy => Box::new(PolicyAgent(greedy)),
            Level::Steady => Box::new(OnePlyAgent(HandcraftedEvaluator)),
            Level::Advanced => Box::new(NnueOrSearchAgent {
                net: blended_nnue(),
                search: search_agent(hex_count),
            }),
            Level::Expert => Box::new(NnueOrSearchAgent {
                net: OnePlyAgent(NnueEvaluator),
                search: search_agent(|game| 4 * hex_count(game)),
            }),
            // With two players more simulations increase the strength without making the step to the next level
            // too large.
            Level::Master => Box::new(opponent_aware_agent(|game| {
                match (nnue_for(game), game.players()) {
                    (Some(_), 2) => 16 * hex_count(game),
                    (Some(_), _) => 10 * hex_count(game),
                    (None, _) => 40 * hex_count(game),
                }
            })),
            // `Level::Champion` and what is above it.
            _ => Box::new(opponent_aware_agent(|game| match nnue_for(game) {
                Some(_) => 160 * hex_count(game),
                None => 640 * hex_count(game),
            })),
        }
    }

    fn evaluator() -> Option<Box<dyn PositionEvaluator<Self>>> {
        Some(Box::new(NnueEvaluator))
    }

    fn move_analyser() -> Option<Box<dyn MoveAnalyser<Self>>> {
        Some(Box::new(SearchAnalyser {
            evaluator: HandcraftedEvaluator,
            parameters: PUCT_PARAMETERS,
            default_simulations: |_: &Self| 60_000,
            max_branching: hex_count,
        }))
    }
}

/// Attacks regardless of win probability; ends the turn, if allowed, with probability 2/5.
fn novice(game: &DiceOfDoom, position: &Position, rng: &mut AgentRng) -> ChosenAction<Action> {
    let may_end = game
        .legal_actions(position)
        .any(|action| action == Action::EndTurn);
    let attacks = game
        .legal_actions(position)
        .filter(|action| *action != Action::EndTurn);
    let stops = may_end && rng.random_range(0..5) < 2;
    let attack = attacks.choose(rng).filter(|_| !stops);
    ChosenAction::without_shares(attack.unwrap_or(Action::EndTurn), 0)
}

/// A one-ply agent whose evaluation blends a quarter of the network with three quarters of the handcrafted
/// evaluator.
pub(super) fn blended_nnue() -> OnePlyAgent<BlendedEvaluator<NnueEvaluator, HandcraftedEvaluator>> {
    OnePlyAgent(BlendedEvaluator {
        first: NnueEvaluator,
        first_weight: 0.25,
        second: HandcraftedEvaluator,
    })
}

/// Uses the one-ply network agent in games with a network and at the default search limit, otherwise a search.
struct NnueOrSearchAgent<N> {
    net: N,
    search: PuctAgent<DiceOfDoom, NnueEvaluator>,
}

/// Whether the network agent chooses without a search.
fn uses_nnue_only(game: &DiceOfDoom, limit: SearchLimit) -> bool {
    limit == SearchLimit::Default && nnue_for(game).is_some()
}

impl<N: Agent<DiceOfDoom>> Agent<DiceOfDoom> for NnueOrSearchAgent<N> {
    fn choose_action(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        limit: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenAction<Action> {
        match uses_nnue_only(game, limit) {
            true => self.net.choose_action(game, position, limit, rng, stop),
            false => self.search.choose_action(game, position, limit, rng, stop),
        }
    }

    fn thread_count(&self) -> NonZeroUsize {
        self.net.thread_count().max(self.search.thread_count())
    }

    fn max_memory_bytes(&self, game: &DiceOfDoom, limit: SearchLimit) -> usize {
        match uses_nnue_only(game, limit) {
            true => self.net.max_memory_bytes(game, limit),
            false => self.search.max_memory_bytes(game, limit),
        }
    }
}

/// A search agent with the given number of simulations (more on larger boards). It uses a single tree, so that
/// other games can use the other cores.
fn search_agent(simulations: fn(&DiceOfDoom) -> u64) -> PuctAgent<DiceOfDoom, NnueEvaluator> {
    let trees = NonZeroUsize::MIN;
    PuctAgent::new(NnueEvaluator, PUCT_PARAMETERS, simulations, trees)
        .with_max_branching(hex_count)
        .with_parameters(|game| match nnue_for(game) {
            Some(_) => NNUE_PUCT_PARAMETERS,
            None => PUCT_PARAMETERS,
        })
}

/// A search agent that infers whether opponents play like weaker levels.
fn opponent_aware_agent(
    simulations: fn(&DiceOfDoom) -> u64,
) -> PuctAgent<DiceOfDoom, NnueEvaluator> {
    search_agent(simulations).with_opponent_models(models())
}

fn hex_count(game: &DiceOfDoom) -> u64 {
    u64::from(game.hexes())
}

/// Plays like the book's computer player.
fn book(game: &DiceOfDoom, position: &Position, _: &mut AgentRng) -> ChosenAction<Action> {
    ChosenAction::from_search(&land_of_lisp::analyse(game, position))
}

/// Prefers attacks with a win probability above 0.5: first those against the player with the most hexes, then
/// the most likely one. Otherwise ends the turn; it ends the turn at once if that wins the game.
///
/// With `MoreDice` combat every attack succeeds: it captures the most dice, and breaks ties by the book's
/// score.
fn greedy(game: &DiceOfDoom, position: &Position, rng: &mut AgentRng) -> ChosenAction<Action> {
    let candidates = greedy_actions(game, position);
    let nodes = game.legal_actions(position).count() as u64;
    ChosenAction::without_shares(candidates[rng.random_range(0..candidates.len())], nodes)
}

/// The actions that [`greedy`] prefers, all equally good.
pub(super) fn greedy_actions(game: &DiceOfDoom, position: &Position) -> Vec<Action> {
    let preferences: Vec<(Action, (f64, f64))> = game
        .legal_actions(position)
        .map(|action| (action, preference(game, position, action)))
        .collect();
    let values = preferences.iter().map(|&(_, preference)| preference);
    let best = values.fold((f64::NEG_INFINITY, 0.0), |best, preference| {
        if preference > best { preference } else { best }
    });
    let candidates = preferences
        .iter()
        .filter(|(_, preference)| *preference >= best);
    candidates.map(|&(action, _)| action).collect()
}

/// The preference for an action, with a second number to break ties. Order: an end of turn that wins the game,
/// attacks with better than even odds, any other end of turn, all other attacks.
fn preference(game: &DiceOfDoom, position: &Position, action: Action) -> (f64, f64) {
    const END_OF_TURN: f64 = 1.0;
    match action {
        Action::EndTurn => {
            let after = game.apply(position, action, Outcome::Certain);
            match game.status(&after) {
                Status::Over(payoffs) if payoffs.win_share(position.player()) == 1.0 => {
                    (f64::INFINITY, 0.0)
                }
                Status::Over(payoffs) => (payoffs.win_share(position.player()), 0.0),
                Status::Turn(_) => (END_OF_TURN, 0.0),
            }
        }
        Action::Attack { from, to } => match game.attack_win_probability(position, from, to) {
            Some(probability) if probability > EVEN => {
                let (hexes, _) = game.hex_and_dice_count(position, position.owner(to));
                (END_OF_TURN + f64::from(hexes), probability)
            }
            Some(probability) => (probability, 0.0),
            None => {
                let after = game.apply(position, action, Outcome::Won);
                let score = BookScore.evaluate(game, &after, position.player());
                (END_OF_TURN + f64::from(position.dice(to)), score)
            }
        },
    }
}

/// Attacks with a higher win probability are preferred to ending the turn.
const EVEN: f64 = 0.5;
