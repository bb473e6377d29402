"""The module: rules, computer players, records."""

import pickle
import signal
import threading
import time

import numpy as np
import pytest

import dice_of_doom as dod
from dice_of_doom import Game, Record, Rng

GAMES = [
    Game.dice(),
    Game.dice("v2"),
    Game.dice("conquest", size=3, players=3),
    Game.dice("v4", size=8, players=6, max_dice=8),
    Game.trilobite(),
    Game.trilobite(7, 6, 4),
]


def walk(game, seed, plies=60):
    """The positions of a random game, and its last one."""
    rng = Rng(seed)
    position = game.deal(rng)
    for _ in range(plies):
        yield position
        if position.is_over:
            return
        position = position.sample(position.random_action(rng), rng)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_positions_are_values(game):
    assert eval(repr(game), {"Game": Game}) == game == pickle.loads(pickle.dumps(game))
    assert Game(game.name, game.parameters) == game
    for position in walk(game, 1):
        again = game.position(position.setup)
        assert again == position and hash(again) == hash(position)
        assert pickle.loads(pickle.dumps(position)) == position
        assert position.game == game
        assert (position.to_move is None) == position.is_over == (position.legal_actions() == [])


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_actions_have_numbers_and_masks(game):
    for position in walk(game, 2):
        legal = position.legal_actions()
        mask = position.mask()
        assert mask.shape == (game.num_actions,) and mask.dtype == bool
        assert sorted(legal) == np.flatnonzero(mask).tolist()
        for action in legal:
            assert game.string_to_action(game.action_to_string(action)) == action
            outcomes = position.outcomes(action)
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            assert len(outcomes) <= game.max_outcomes
            for outcome, _ in outcomes:
                position.apply(action, outcome)
        for action in set(range(game.num_actions)) - set(legal):
            with pytest.raises(ValueError):
                position.apply(action, 0)


def test_the_encodings_of_dice_never_change():
    game = Game.dice("v4", size=3, players=3, max_dice=5)
    board = [[0, 3], [1, 1], [2, 2], [1, 4], [0, 2], [2, 5], [0, 1], [1, 1], [2, 1]]
    position = game.position({"board": board, "player": 1, "spare": 7, "first_move": False})
    # Planes: the mover, the next player, the one after it, then three constants.
    assert position.observation().reshape(6, 9).tolist() == [
        [0, 1, 0, 4, 0, 0, 0, 1, 0],
        [0, 0, 2, 0, 0, 5, 0, 0, 1],
        [3, 0, 0, 0, 2, 0, 1, 0, 0],
        [0] * 9,
        [7] * 9,
        [0] * 9,
    ]
    assert game.num_actions == 55
    names = {action: game.action_to_string(action) for action in position.legal_actions()}
    # From hex 3: up to 0, down to 6, right to 4; hex 7 is the mover's own.
    assert names == {0: "pass", 19: "3-0", 20: "3-6", 23: "3-4"}
    middle = [game.action_to_string(1 + 6 * 4 + direction) for direction in range(6)]
    assert middle == ["4-1", "4-7", "4-0", "4-3", "4-5", "4-8"]


def test_the_encodings_of_trilobite_never_change():
    game = Game.trilobite(4, 3, 3)
    position = game.deal(Rng()).apply(1).apply(1).apply(3)
    assert position.observation().tolist() == [
        [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]],
    ]
    assert game.string_to_action("d") == 3


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_observations_are_the_movers(game):
    for position in walk(game, 3):
        observation = position.observation()
        assert observation.shape == game.observation_shape and observation.dtype == np.uint8
        if game.name == "dice":
            players, dice = game.players, np.array(position.setup["board"])
            mover = position.setup["player"]
            for ahead in range(players):
                owned = dice[:, 0] == (mover + ahead) % players
                assert (observation[ahead].ravel() == np.where(owned, dice[:, 1], 0)).all()


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_same_seed_gives_the_same_game(game):
    def play(seed):
        return [position.notation for position in walk(game, seed)]

    assert play(5) == play(5)
    if game.name == "dice" or len(play(5)) > 2:
        assert play(5) != play(6)
    assert game.deal(Rng(4)).playout(Rng(5)) == game.deal(Rng(4)).playout(Rng(5))


def test_playouts_use_up_their_generator():
    rng = Rng(1)
    start = Game.dice().deal(rng)
    assert len({start.playout(rng) for _ in range(5)}) == 5


@pytest.mark.parametrize("game", [Game.dice("v4", 2, 2), Game.dice(), Game.trilobite(5, 4, 3)], ids=repr)
def test_levels_play_to_the_end(game):
    for level in game.levels[:6]:
        record = dod.play(game.deal(Rng(1)), [level] * game.players, seed=2)
        assert record.position.is_over
        assert record.to_json() == dod.play(game.deal(Rng(1)), [level] * game.players, seed=2).to_json()
        assert sum(record.position.shares()) >= 1 - 1e-9
    rng = Rng(3)
    assert game.deal(rng).choose("master", rng, simulations=20) in game.deal(Rng(3)).legal_actions()


def test_evaluations_and_analyses():
    for game in GAMES:
        position = game.deal(Rng(7))
        values, priors = position.evaluate()
        assert values.dtype == priors.dtype == np.float32
        assert values.sum() == pytest.approx(1, abs=1e-4) and priors.sum() == pytest.approx(1, abs=1e-4)
        assert (priors[~position.mask()] == 0).all()
    actions, shares = position.analyse(simulations=300)
    assert actions == position.legal_actions() and shares.shape == (len(actions), 2)
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-4)
    over = list(walk(Game.trilobite(3, 3, 3), 1))[-1]
    assert over.is_over and over.evaluate()[0].tolist() == over.shares().tolist()
    assert over.rate()[0] == [] and over.analyse()[0] == []


def test_wrong_values_are_value_errors():
    game = Game.dice()
    position = game.deal(Rng())
    for wrong in [
        lambda: Game.dice("v9"),
        lambda: Game.dice(size=9),
        lambda: Game.dice("v4", 2, 6),
        lambda: Game.trilobite(64, 64, 4),
        lambda: Game("chess"),
        lambda: Game("dice", {"sides": 3}),
        lambda: game.position({"board": []}),
        lambda: position.apply(-1),
        lambda: position.apply(2**40),
        lambda: position.apply(position.legal_actions()[0]),
        lambda: position.apply(position.legal_actions()[0], 0),
        lambda: position.choose("nobody", Rng()),
        lambda: position.choose("perfect", Rng()),
        lambda: position.choose("master", Rng(), simulations=0),
        lambda: position.rate("minimax"),
        lambda: position.rate("expectimax"),
        lambda: position.rate("expectimax", 99),
        lambda: position.rate("expectimax", 6, max_nodes=100),
        lambda: position.solve(),
        lambda: game.string_to_action("0-99"),
        lambda: game.action_to_string(999),
        lambda: dod.play(position, ["greedy"]),
        lambda: dod.Batch(game, 0),
        lambda: Record.from_json("{}"),
    ]:
        with pytest.raises(ValueError):
            wrong()
    for wrong in [lambda: position.apply("pass"), lambda: Game.dice(4), lambda: position.sample(0, 1)]:
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(OverflowError):
        Game.dice(size=-1)


def test_the_lock_is_released_during_a_search():
    position, done = Game.trilobite().deal(Rng()), threading.Event()
    search = threading.Thread(target=lambda: (position.analyse(200_000), done.set()))
    begin = last = time.perf_counter()
    longest = 0.0
    search.start()
    while not done.is_set():
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    search.join()
    # If the lock were held, this thread would stand still for the whole search.
    assert longest < (time.perf_counter() - begin) / 2


class Interrupted(Exception):
    pass


@pytest.mark.parametrize(
    "search",
    [
        lambda position: position.choose("champion", Rng(1), simulations=10_000_000),
        lambda position: position.analyse(10_000_000),
        lambda position: position.rate("minimax", max_nodes=2**62),
        lambda position: position.rate("alphabeta", 12, max_nodes=2**62),
        lambda position: position.solve(2**62),
        lambda position: position.solve_moves(2**62),
        lambda position: dod.play(position, ["champion:10000000"] * 2),
        lambda position: dod.Batch(Game.dice(), 5000).choose("champion", np.empty(5000, np.int64)),
    ],
)
def test_a_signal_ends_a_search(search):
    """As Ctrl-C does, whose handler raises KeyboardInterrupt."""

    def interrupt(*_):
        raise Interrupted

    position = Game.trilobite(15, 7).deal(Rng())
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Interrupted):
            search(position)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_levels_learn_from_the_history():
    record = dod.play(Game.dice().deal(Rng(3)), ["book"] * 4, seed=1)
    decisions = record.decisions
    assert [action for _, action in decisions] == [action for _, action, _ in record.plies]
    changed = 0
    for ply in range(10, len(decisions), 2):
        position, _ = decisions[ply]
        with_history, with_none, without = (
            position.choose("master", Rng(ply), history=history) for history in (decisions[:ply], [], None)
        )
        assert with_none == without
        changed += with_history != without
    assert changed > 0
    other, _ = decisions[0]
    with pytest.raises(ValueError, match="history: decision 0: its position is of another game"):
        Game.dice(size=4).deal(Rng()).choose("book", Rng(), history=[(other, 0)])
    with pytest.raises(ValueError, match="history: decision 1: "):
        other.choose("book", Rng(), history=[decisions[0], (other, 10_000)])
