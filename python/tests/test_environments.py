"""The environments pass the tests of PettingZoo and Gymnasium."""

import random

import numpy as np
import pytest

from dice_of_doom import Game, Rng, openspiel_like

GAMES = [Game.dice(), Game.dice("conquest", size=3, players=3), Game.trilobite()]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_pettingzoo(game):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    from dice_of_doom import pettingzoo_env

    def parallel():
        return turn_based_aec_to_parallel(pettingzoo_env.env(game))

    api_test(pettingzoo_env.env(game), num_cycles=300)
    seed_test(lambda: pettingzoo_env.env(game), num_cycles=50)
    parallel_api_test(parallel(), num_cycles=300)
    parallel_seed_test(parallel, num_cycles=50)


def test_pettingzoo_pays_everybody_once():
    pytest.importorskip("pettingzoo")
    from dice_of_doom import pettingzoo_env

    env = pettingzoo_env.env(Game.dice())
    env.reset(seed=4)
    choices, sums = random.Random(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        sums[agent] += reward
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        env.step(None if terminated or truncated else choices.choice(legal))
    assert list(sums.values()) == env.unwrapped.position.returns().tolist()
    assert max(sums.values()) > -1


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize("seat", [0, None])
def test_gymnasium(game, seat):
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from dice_of_doom.gymnasium_env import SeatEnv

    # check_env plays any action of the space, so the illegal ones become legal here.
    class Masked(SeatEnv):
        def step(self, action):
            legal = self.position.legal_actions()
            return super().step(action if action in legal else legal[action % len(legal)])

    check_env(Masked(game, seat=seat), skip_render_check=True)
    env = SeatEnv(game, opponents="random", seat=seat)

    def episode(seed):
        choices = random.Random(seed)
        observation, info = env.reset(seed=seed)
        seen, reward = [observation.tobytes()], 0.0
        while True:
            assert env.position.to_move == info["seat"]
            action = choices.choice(np.flatnonzero(info["action_mask"]).tolist())
            observation, reward, terminated, truncated, info = env.step(action)
            seen.append(observation.tobytes())
            if terminated or truncated:
                return seen, reward

    assert episode(3) == episode(3) and episode(3) != episode(5)
    env.reset(seed=1)
    with pytest.raises(ValueError):
        env.step(game.num_actions)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_openspiel_like(game):
    game = openspiel_like.load_game(game)
    choices = np.random.default_rng(1)
    state = game.new_initial_state(seed=2)
    chances = 0
    for _ in range(2000):
        if state.is_terminal():
            break
        legal = state.legal_actions()
        if state.is_chance_node():
            chances += 1
            assert state.current_player() == openspiel_like.CHANCE
            outcomes, odds = zip(*state.chance_outcomes())
            action = int(choices.choice(outcomes, p=odds))
        else:
            assert 0 <= state.current_player() < game.num_players()
            assert state.observation_tensor().shape == (np.prod(game.observation_tensor_shape()),)
            assert np.flatnonzero(state.legal_actions_mask()).tolist() == legal
            action = int(choices.choice(legal))
        before = str(state)
        child = state.child(action)
        assert str(state) == before
        state.apply_action(action)
        assert str(child) == str(state) and child.history() == state.history()
    assert state.is_terminal() and state.current_player() == openspiel_like.TERMINAL
    assert len(state.returns()) == game.num_players()
    assert (chances > 0) == (game.native.max_outcomes == 2)
    assert Rng(2).next() == Rng(2).next()
