//! The strong levels of Dice of Doom: a network alone in games with a network, otherwise a search.

use std::num::NonZeroU64;

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenAction, Level, LevelSpec, OnePlyAgent, SearchLimit,
};
use dice_of_doom_core::search::{BlendedEvaluator, PositionEvaluator, StopToken};
use dice_of_doom_games::dice_of_doom::handcrafted::HandcraftedEvaluator;
use dice_of_doom_games::dice_of_doom::nnue::builtin::{NnueEvaluator, nnue_for};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

/// A game with a network, and one without.
fn games() -> [DiceOfDoom; 2] {
    let games = [Rules::V4, Rules::V1].map(DiceOfDoom::preset);
    assert!(nnue_for(&games[0]).is_some() && nnue_for(&games[1]).is_none());
    games
}

fn dealt(game: &DiceOfDoom) -> Position {
    game.deal(&mut AgentRng::seed_from_u64(4)).unwrap()
}

fn chosen(
    mut agent: Box<dyn Agent<DiceOfDoom>>,
    game: &DiceOfDoom,
    effort: SearchLimit,
    seed: u64,
) -> ChosenAction<Action> {
    let mut rng = AgentRng::seed_from_u64(seed);
    agent.choose_action(game, &dealt(game), effort, &mut rng, &StopToken::new())
}

fn simulations(number: u64) -> SearchLimit {
    SearchLimit::Simulations(NonZeroU64::new(number).unwrap())
}

fn at(level: Level) -> Box<dyn Agent<DiceOfDoom>> {
    DiceOfDoom::agent(level)
}

#[test]
fn expert_is_the_network_with_one_ply_lookahead() {
    let [known, _] = games();
    for seed in 0..4 {
        let expert = chosen(at(Level::Expert), &known, SearchLimit::Default, seed);
        assert_eq!(
            expert,
            chosen(
                Box::new(OnePlyAgent(NnueEvaluator)),
                &known,
                SearchLimit::Default,
                seed
            )
        );
        assert!(expert.shares.is_some());
    }
}

#[test]
fn levels_search_when_simulations_are_given() {
    let [known, _] = games();
    for level in [Level::Advanced, Level::Expert] {
        let alone = chosen(at(level), &known, SearchLimit::Default, 1);
        let few = chosen(at(level), &known, simulations(100), 1);
        let many = chosen(at(level), &known, simulations(400), 1);
        assert!(alone.nodes < few.nodes && few.nodes < many.nodes, "{level}");
        assert_eq!(many, chosen(at(Level::Master), &known, simulations(400), 1));
    }
    let strength: LevelSpec = "expert:400".parse().unwrap();
    let mut rng = AgentRng::seed_from_u64(1);
    let action = strength.choose_action(&known, &dealt(&known), &mut rng);
    let searched = chosen(at(Level::Expert), &known, simulations(400), 1);
    assert_eq!(action, searched.action);
}

#[test]
fn levels_search_in_games_without_a_network() {
    let [_, unknown] = games();
    let hexes = u64::from(unknown.hexes());
    for (level, each) in [
        (Level::Advanced, 1),
        (Level::Expert, 4),
        (Level::Master, 40),
        (Level::Champion, 640),
    ] {
        let by_default = chosen(at(level), &unknown, SearchLimit::Default, 2);
        let with_limit = chosen(at(level), &unknown, simulations(each * hexes), 2);
        assert_eq!(by_default, with_limit, "{level}");
    }
}

#[test]
fn only_searching_agents_need_memory() {
    let [known, unknown] = games();
    for level in [Level::Advanced, Level::Expert] {
        let agent = DiceOfDoom::agent(level);
        let found = agent.max_memory_bytes(&known, SearchLimit::Default);
        assert_eq!(found, 0, "{level}");
        assert!(
            agent.max_memory_bytes(&known, simulations(9)) > 0,
            "{level}"
        );
        assert!(
            agent.max_memory_bytes(&unknown, SearchLimit::Default) > 0,
            "{level}"
        );
        assert_eq!(agent.thread_count().get(), 1);
    }
}

#[test]
fn a_blend_is_the_weighted_mean_of_two_evaluations() {
    let [known, _] = games();
    let before = dealt(&known);
    let blend = BlendedEvaluator {
        first: NnueEvaluator,
        first_weight: 0.25,
        second: HandcraftedEvaluator,
    };
    for action in known.legal_actions(&before) {
        for (outcome, _) in known.chance_outcomes(&before, action) {
            let after = known.apply(&before, action, outcome);
            if matches!(known.status(&after), Status::Over(_)) {
                continue;
            }
            let (net, hand) = (
                NnueEvaluator.win_shares(&known, &after),
                HandcraftedEvaluator.win_shares(&known, &after),
            );
            let blended = blend.win_shares(&known, &after);
            let mut quick = Vec::new();
            blend.win_shares_after(&known, &before, &[after], &mut quick);
            for player in Player::all(4) {
                let mean = 0.25 * net[player] + 0.75 * hand[player];
                assert!((blended[player] - mean).abs() < 1e-6, "{action}");
                assert!((quick[0][player] - mean).abs() < 1e-5, "{action}");
            }
        }
    }
}

#[test]
fn advanced_differs_from_steady_and_expert() {
    let [known, _] = games();
    let choose = |level| {
        let mut rng = AgentRng::seed_from_u64(1);
        let mut choices = Vec::new();
        let mut agent = at(level);
        for seed in 0..40 {
            let position = known.deal(&mut AgentRng::seed_from_u64(seed)).unwrap();
            let choice = agent.choose_action(
                &known,
                &position,
                SearchLimit::Default,
                &mut rng,
                &StopToken::new(),
            );
            choices.push(choice.action);
        }
        choices
    };
    let advanced = choose(Level::Advanced);
    assert_eq!(advanced, choose(Level::Advanced));
    assert_ne!(advanced, choose(Level::Steady));
    assert_ne!(advanced, choose(Level::Expert));
}
