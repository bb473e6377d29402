"""Solves a 2 × 2 game of two players exactly: the win share of every position with best play, by value iteration.

    python solve_2x2.py [--max-dice 3]

A failed attack and a turn later the same position may stand again, so the values are a fixed point, not one pass.
"""

import argparse
import itertools
import time

import numpy as np

import dice_of_doom as dod


def explore(starts):
    """All positions that can follow, numbered, and every action as a row of outcomes."""
    numbers, positions, rows = {}, [], []

    def number(position):
        position = position.canonical()
        if position not in numbers:
            numbers[position] = len(positions)
            positions.append(position)
        return numbers[position]

    for start in starts:
        number(start)
    done = 0
    while done < len(positions):
        position = positions[done]
        for action in position.legal_actions():
            outcomes = position.outcomes(action)
            after = [(number(position.apply(action, outcome)), odds) for outcome, odds in outcomes]
            rows.append((done, action, *after[0], *after[-1][:1], 1 - after[0][1]))
        done += 1
    return positions, rows


def solve(positions, rows, tolerance=1e-12):
    """Player 0's win share in each position, and the value of each row."""
    owner, _, first, first_odds, second, second_odds = map(np.array, zip(*rows))
    values = np.array([position.shares()[0] for position in positions])
    first_player = np.array([position.to_move == 0 for position in positions])
    # The rows of a position follow one another, in its order.
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    open_positions = owner[starts]
    for sweeps in itertools.count(1):
        worth = first_odds * values[first] + second_odds * values[second]
        best, worst = np.maximum.reduceat(worth, starts), np.minimum.reduceat(worth, starts)
        new = np.where(first_player[open_positions], best, worst)
        change = np.abs(new - values[open_positions]).max()
        values[open_positions] = new
        if change < tolerance:
            return values, worth, sweeps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-dice", type=int, default=3)
    options = parser.parse_args()
    begin = time.monotonic()
    game = dod.Game.dice("v4", size=2, players=2, max_dice=options.max_dice)
    hexes = itertools.product(range(2), range(1, options.max_dice + 1))
    boards = itertools.product(list(hexes), repeat=4)
    deals = [
        game.position({"board": list(board), "player": 0, "spare": 0, "first_move": True})
        for board in boards
    ]
    deals = [position for position in deals if not position.is_over]  # As the program deals.
    positions, rows = explore(deals)
    values, worth, sweeps = solve(positions, rows)
    numbers = {position: number for number, position in enumerate(positions)}
    start_values = np.array([values[numbers[deal]] for deal in deals])
    print(f"{len(positions):,} positions, {len(rows):,} actions, {sweeps} sweeps, {time.monotonic() - begin:.1f} s")
    print(f"{len(deals):,} deals; the first player wins {start_values.mean():.2%} of them with best play on both sides")
    closest = int(np.abs(start_values - 0.5).argmin())
    print(f"closest to even: {deals[closest].notation} ({start_values[closest]:.2%})")

    # What the computer players give away: the share that a decision costs, over all positions with a choice.
    value_of = {(row[0], row[1]): share for row, share in zip(rows, worth)}
    choices = [number for number, position in enumerate(positions) if len(position.legal_actions()) > 1]
    rng = dod.Rng(1)
    for level in ("random", "book", "greedy", "steady", "expert", "master"):
        costs = []
        for number in choices[:: max(1, len(choices) // 2000)]:
            position = positions[number]
            chosen = value_of[number, position.choose(level, rng)]
            costs.append(abs(values[number] - chosen))
        costs = np.array(costs)
        print(f"{level:8} costs {costs.mean():6.2%} a decision, best in {(costs < 1e-9).mean():6.1%}, at worst {costs.max():.1%}")


if __name__ == "__main__":
    main()
