"""The golden vectors of the repository, which the original Lisp programs wrote, through Python."""

import json
from pathlib import Path

import numpy as np
import pytest

from dice_of_doom import Game, Record, Rng

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"


def rows(file, name, count):
    found = json.loads((GOLDEN / f"{file}.json").read_text())[name]
    assert len(found) == count
    return found


def dice_game(row, rules):
    return Game.dice(rules, row["size"], row["players"], row["max_dice"])


def dice_position(game, row):
    return game.position({name: row[name] for name in ("board", "player", "spare", "first_move")})


def action_of(game, path):
    return game.string_to_action("pass" if path is None else f"{path[0]}-{path[1]}")


@pytest.mark.parametrize("rules, count", [("v2", 500), ("v4", 405)])
def test_moves(rules, count):
    for row in rows(f"moves_{rules}", "positions", count):
        game = dice_game(row, rules)
        position = dice_position(game, row)
        expected = [action_of(game, move["path"]) for move in row["moves"]]
        assert position.legal_actions() == expected
        assert position.is_over == (expected == [])
        for move, action in zip(row["moves"], expected):
            outcomes = [outcome for outcome, _ in position.outcomes(action)]
            after = [position.apply(action, outcome) for outcome in outcomes]
            theirs = [state for state in (move["ok"], move["fail"]) if state is not None]
            assert after == [dice_position(game, state) for state in theirs]


@pytest.mark.parametrize("rules, count", [("v2", 70), ("v4", 76)])
def test_playouts(rules, count):
    for row in rows(f"playouts_{rules}", "games", count):
        game = dice_game(row, rules)
        position = dice_position(game, row["start"])
        for step in row["steps"]:
            action = position.legal_actions()[step["move"]]
            assert action == action_of(game, step["path"])
            outcome = 0 if step["path"] is None else 2 if step["success"] is False else 1
            position = position.apply(action, outcome)
            assert position == dice_position(game, step["after"])
        assert position.is_over == (not row["capped"])
        if not row["capped"]:
            assert position.winners == row["winners"]
            winners = row["winners"]
            expected = [2 / len(winners) - 1 if player in winners else -1 for player in range(game.players)]
            assert position.returns().tolist() == expected


def check(position, search, depth, ratings, chosen):
    actions, values = position.rate(search, depth)
    assert actions == position.legal_actions()
    assert values.tolist() == ratings
    assert (int(np.argmax(values)) if actions else None) == chosen


def test_ratings_v2():
    for row in rows("ratings_v2", "positions", 228):
        game = dice_game(row, "v2")
        position = dice_position(game, row)
        check(position, "expectimax", row["depth"], row["ratings"], row["chosen"])
        check(position, "alphabeta", row["depth"], row["ab_ratings"], row["ab_chosen"])
        assert position.legal_actions() == [action_of(game, path) for path in row["paths"]]


def test_ratings_v4():
    for row in rows("ratings_v4", "positions", 178):
        position = dice_position(dice_game(row, "v4"), row)
        check(position, "expectimax", row["depth"], row["ratings"], row["chosen"])
        if position.legal_actions():
            check(position, "book", row["depth"], row["ratings_single_float"], row["chosen_single_float"])


def test_odds():
    for row in rows("dice_probability", "rows", 100):
        attack, defend = row["attack"], row["defend"]
        if attack == 1 or attack > 8 or defend > 8:
            continue
        game = Game.dice("v4", 2, 2, 8)
        board = [[0, attack], [1, defend], [1, 1], [1, 1]]
        position = game.position({"board": board, "player": 0, "spare": 0, "first_move": True})
        assert position.outcomes(game.string_to_action("0-1"))[0] == (1, row["p"])


def test_trilobite():
    for row in rows("trilobite", "positions", 304):
        game = Game.trilobite(row["width"], row["height"], row["win_len"])
        position = game.position({name: row[name] for name in ("board", "player", "last_move")})
        legal = position.legal_actions()
        assert [game.action_to_string(action) for action in legal] == row["column_letters"]
        assert [position.apply(action).winners != [] for action in legal] == row["child_failp"]
        assert (position.winners != []) == row["failp"]
        if row["ratings"] is not None:
            check(position, "minimax", None, row["ratings"], row["chosen_by_max"])


@pytest.mark.parametrize("file", ["7x6n4_end-easy", "7x6n4_begin-hard", "5x4n4_any", "3x3n3_any", "7x6n5_any"])
def test_solutions(file):
    size, win = file.split("_")[0].split("n")
    width, height = map(int, size.split("x"))
    game = Game.trilobite(width, height, int(win))
    for line in (GOLDEN / "solver" / f"{file}.txt").read_text().splitlines()[:40]:
        columns, score = line.split()
        position = game.deal(Rng())
        for column in columns.replace("-", ""):
            position = position.apply(int(column) - 1)
        lower, upper = position.solve(max_nodes=200_000)
        assert lower <= int(score) <= upper
        assert lower == upper or "hard" in file
        if not position.is_over and "hard" not in file:
            actions, lower, upper = position.solve_moves(max_nodes=2_000_000)
            assert actions == position.legal_actions()
            assert (lower <= upper).all() and lower.max() == upper.max() == int(score)


@pytest.mark.parametrize("file", sorted((GOLDEN / "finished").glob("*.json")), ids=lambda path: path.stem)
def test_records_are_written_as_read(file):
    text = file.read_text()
    record = Record.from_json(text)
    written = json.loads(record.to_json())
    assert len(bytes.fromhex(written.pop("seal"))) == 32
    assert written == json.loads(text)
    assert record.position.game == record.game and record.winners == json.loads(text)["winners"]
    for player, payoff in enumerate(record.returns()):
        expected = 2 * (player in record.winners) / len(record.winners) - 1 if record.winners else 0
        assert payoff == expected
    position = record.start
    for player, action, outcome in record.plies:
        assert position.to_move == player
        position = position.apply(action, outcome)
    assert position == record.position


def test_a_changed_record_is_refused():
    text = (GOLDEN / "finished" / "v4.json").read_text()
    for change in [
        lambda record: record["plies"].pop(0),
        lambda record: record["plies"][0].update(player=3),
        lambda record: record["plies"][0].update(roll=None),
        lambda record: record["plies"][0].update(path=[0, 99]),
        lambda record: record.update(ending=None),
        lambda record: record.update(winners=[3, 0]),
        lambda record: record.update(format=1),
        lambda record: record.update(format=9),
        lambda record: record["start"].update(player=9),
        lambda record: record.pop("size"),
    ]:
        record = json.loads(text)
        change(record)
        with pytest.raises(ValueError):
            Record.from_json(json.dumps(record))


def test_a_record_is_played_with_dice():
    rng = Rng(3)
    record = Record(Game.dice().deal(rng))
    while not record.position.is_over:
        record.append(record.position.choose("greedy", rng), rng)
    again = Record.from_json(record.to_json())
    assert again.position == record.position and again.plies == record.plies and len(again) == len(record)
    with pytest.raises(ValueError):
        record.append(0, rng)
