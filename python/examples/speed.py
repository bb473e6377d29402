"""Steps a second of random games on one thread: 5 × 5, four players, rules of v4.

    python speed.py [--engine target/release/dice-of-doom] [--seconds 3]
"""

import argparse
import json
import random
import subprocess
import time

import numpy as np

import dice_of_doom as dod


def measure(seconds, run):
    """Calls `run`, which returns a number of steps, for so long; the steps a second of the best fifth of the time."""
    rates, end = [], time.perf_counter() + seconds
    for _ in range(5):
        steps, begin = 0, time.perf_counter()
        while time.perf_counter() < min(end, begin + seconds / 5):
            steps += run()
        rates.append(steps / (time.perf_counter() - begin))
    return max(rates)


def single(game, choose):
    rng = dod.Rng(1)

    def play():
        position, steps = game.deal(rng), 0
        while not position.is_over:
            position = position.sample(choose(position, rng), rng)
            steps += 1
        return steps

    return play


def batch(game, n, observations):
    games, actions = dod.Batch(game, n, seed=1, observations=observations), np.zeros(n, np.int64)

    def step():
        for _ in range(20):
            games.random_actions(actions)
            games.step(actions)
        return 20 * n

    return step


def batch_with_numpy_actions(game, n):
    games, generator = dod.Batch(game, n, seed=1), np.random.default_rng(1)

    def step():
        scores = generator.random(games.masks.shape, dtype=np.float32)
        games.step((scores * games.masks).argmax(axis=1))
        return n

    return step


def pipe(program, game):
    engine = subprocess.Popen([program, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    choices = random.Random(1)

    def ask(**request):
        print(json.dumps(request), file=engine.stdin, flush=True)
        return json.loads(engine.stdout.readline())["ok"]

    def play():
        position, steps = ask(op="new", game="dice", **game.parameters)["position"], 0
        while not (now := ask(op="moves", position=position, successors=False))["over"]:
            index = choices.randrange(len(now["moves"]))
            position = ask(op="step", position=position, index=index)["position"]
            steps += 1
        return steps

    return play


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", help="the program, to compare with its pipe")
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    game = dod.Game.dice("v4", size=5, players=4, max_dice=5)
    rows = [
        ("single: random_action, sample", single(game, lambda position, rng: position.random_action(rng))),
        ("single: legal_actions, random.choice, sample", single(game, lambda position, rng: random.choice(position.legal_actions()))),
        ("batch of 1,024: masks and observations, random actions", batch(game, 1024, True)),
        ("batch of 1,024: masks, random actions", batch(game, 1024, False)),
        ("batch of 1,024: masks and observations, actions by numpy", batch_with_numpy_actions(game, 1024)),
    ]
    if options.engine:
        rows.append(("engine over a pipe: moves, step", pipe(options.engine, game)))
    for name, run in rows:
        print(f"{name:60} {measure(options.seconds, run):12,.0f} steps/s", flush=True)


if __name__ == "__main__":
    main()
