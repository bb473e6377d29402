"""The win share of a level against others, one seat against the rest, with an interval.

    python evaluate_level.py expert --against greedy --games 400 --size 5 --players 4

Every board is played once from each seat, so that the deal favours nobody; the games run on all cores. `dice-of-doom
arena` does more.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import dice_of_doom as dod


def board_share(game, level, against, seed):
    """The mean share of `level` over the seats of one board."""
    start = game.deal(dod.Rng(seed))
    shares = []
    for seat in range(game.players):
        levels = [level if player == seat else against for player in range(game.players)]
        payoff = dod.play(start, levels, seed=seed * game.players + seat).returns()[seat]
        shares.append((payoff + 1) / 2)
    return float(np.mean(shares))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("level")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = dod.Game.dice("v4", options.size, options.players)
    boards = max(2, options.games // game.players)
    seeds = range(options.seed, options.seed + boards)
    # Threads are enough: the module releases the interpreter's lock while it plays.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        shares = list(pool.map(lambda seed: board_share(game, options.level, options.against, seed), seeds))
    # Bootstrap over boards, because the games of one board depend on each other.
    generator = np.random.default_rng(options.seed)
    means = generator.choice(shares, (10_000, boards)).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    print(
        f"{options.level} against {options.against}: {np.mean(shares):.1%} ({low:.1%} … {high:.1%}) "
        f"in {boards * game.players} games on {boards} boards; a fair share is {1 / game.players:.1%}"
    )


if __name__ == "__main__":
    main()
