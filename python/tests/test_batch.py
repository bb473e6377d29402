"""Batches: the same games as single ones, in arrays that are written in place."""

import numpy as np
import pytest

from dice_of_doom import Batch, Game, Rng

GAMES = [Game.dice(), Game.dice("v2"), Game.dice("conquest", size=3, players=3), Game.trilobite(4, 4, 3)]


def check(batch):
    """The arrays say what the positions say."""
    for index in range(len(batch)):
        position = batch.position(index)
        assert not position.is_over and batch.to_move[index] == position.to_move
        assert (batch.masks[index] == position.mask()).all()
        assert (batch.observations[index] == position.observation()).all()


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_arrays_follow_the_positions(game):
    batch = Batch(game, 16, seed=3)
    arrays = [batch.observations, batch.masks, batch.to_move, batch.rewards, batch.terminated, batch.actors]
    addresses = [array.ctypes.data for array in arrays]
    assert batch.observations.shape == (16, *game.observation_shape)
    assert batch.masks.shape == (16, game.num_actions) and batch.rewards.shape == (16, game.players)
    check(batch)
    actions, ended = np.zeros(16, np.int64), 0
    for _ in range(120):
        batch.random_actions(actions)
        assert batch.masks[np.arange(16), actions].all()
        before, movers = [batch.position(index) for index in range(16)], batch.to_move.copy()
        batch.step(actions)
        assert (batch.actors == movers).all()
        check(batch)
        for index in range(16):
            outcomes = [outcome for outcome, _ in before[index].outcomes(actions[index])]
            after = [before[index].apply(actions[index], outcome) for outcome in outcomes]
            if batch.terminated[index]:
                ended += 1
                assert any((one.returns() == batch.rewards[index]).all() for one in after if one.is_over)
            else:
                assert batch.position(index) in after
                assert (batch.rewards[index] == 0).all()
    assert ended > 3
    arrays = [batch.observations, batch.masks, batch.to_move, batch.rewards, batch.terminated, batch.actors]
    assert [array.ctypes.data for array in arrays] == addresses


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_game_depends_on_the_seed_and_its_number_alone(game):
    def play(count, seed):
        batch, actions, seen = Batch(game, count, seed), np.zeros(count, np.int64), []
        for _ in range(50):
            batch.random_actions(actions)
            batch.step(actions)
            seen.append((batch.position(2).notation, batch.rewards[2].tolist()))
        return seen

    assert play(3, 1) == play(9, 1)
    assert play(3, 1) != play(3, 2)


def test_outcomes_have_their_probabilities():
    game = Game.dice("v4", 2, 2)
    start = game.position({"board": [[0, 3], [1, 2], [1, 1], [1, 4]], "player": 0, "spare": 0, "first_move": True})
    attack = game.string_to_action("0-1")
    (won, chance), _ = start.outcomes(attack)
    batch, count = Batch(game, 4000, seed=9), 0
    for index in range(4000):
        batch.set_position(index, start)
    batch.step(np.full(4000, attack))
    after = start.apply(attack, won)
    count = sum(batch.position(index) == after for index in range(4000))
    assert abs(count / 4000 - chance) < 4 * (chance * (1 - chance) / 4000) ** 0.5


def test_long_games_are_truncated():
    batch = Batch(Game.dice(), 8, seed=1, max_plies=5)
    actions = np.zeros(8, np.int64)
    truncated = np.zeros(8, int)
    for _ in range(10):
        batch.random_actions(actions)
        batch.step(actions)
        truncated += batch.truncated
        assert (batch.rewards[batch.truncated].max(axis=1) > -1).all()
    assert (truncated == 2).all()


def test_an_illegal_action_changes_nothing():
    batch = Batch(Game.dice(), 4, seed=1)
    before = [batch.position(index) for index in range(4)]
    actions = np.zeros(4, np.int64)
    batch.random_actions(actions)
    actions[3] = 0  # Nothing has been attacked yet.
    for wrong in [actions, actions[:3], np.full(4, -1), np.full(4, 10**12)]:
        with pytest.raises(ValueError):
            batch.step(wrong)
    with pytest.raises(TypeError):
        batch.step(actions.astype(np.float64))
    assert [batch.position(index) for index in range(4)] == before
    with pytest.raises(ValueError):
        batch.position(4)
    with pytest.raises(ValueError):
        batch.set_position(0, Game.dice("v2").deal(Rng()))
    with pytest.raises(ValueError):
        batch.choose("perfect", actions)
    batch.masks.flags.writeable = False
    with pytest.raises(ValueError):
        batch.reset()


def test_levels_choose_where_they_are_asked_to():
    batch = Batch(Game.dice(), 8, seed=1)
    actions = np.full(8, -1)
    which = np.arange(8) % 2 == 0
    batch.choose("greedy", actions, which)
    assert (actions[~which] == -1).all() and batch.masks[which, actions[which]].all()
    batch.choose("expert", actions)
    assert batch.masks[np.arange(8), actions].all()


def test_evaluations_are_those_of_the_positions():
    batch = Batch(Game.dice(), 8, seed=1, observations=False)
    assert batch.observations is None
    values = np.zeros((8, 4), np.float32)
    batch.evaluate(values)
    for index in range(8):
        assert (batch.position(index).evaluate()[0] == values[index]).all()
    with pytest.raises(ValueError):
        batch.evaluate(values[:2].copy())


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_successors_are_all_positions_one_ply_ahead(game):
    batch, actions = Batch(game, 6, seed=5), np.zeros(6, np.int64)
    for _ in range(20):
        batch.random_actions(actions)
        batch.step(actions)
        expected = []
        for index in (0, 1, 2, 4, 5):
            position = batch.position(index)
            for action in position.legal_actions():
                for outcome, odds in position.outcomes(action):
                    expected.append((index, action, odds, position.apply(action, outcome)))
        games, played, odds, to_move, observations, shares = batch.successors(np.arange(6) != 3)
        assert [(row[0], row[1]) for row in expected] == list(zip(games.tolist(), played.tolist()))
        assert np.allclose([row[2] for row in expected], odds)
        for (_, _, _, after), player, observation, share in zip(expected, to_move, observations, shares):
            assert (player == -1) == after.is_over and (observation == after.observation()).all()
            assert (share == (after.shares() if after.is_over else 0)).all()
            assert after.canonical() == after.canonical().canonical()
