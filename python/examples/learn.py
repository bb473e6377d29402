"""Learns to play from nothing but its own games, with numpy alone, and beats `greedy`.

    python learn.py [--rounds 300] [--seed 1] [--save weights.npz]

The learner is a network of one hidden layer, which tells each player's expected win share at a position. It plays against
itself, looks one ply ahead, and moves its values towards those that follow (temporal differences, TD(λ), as in Tesauro's
TD-Gammon). The same seed and rounds give the same learner on the same machine.
"""

import argparse
import os
import time

# On a busy machine the threads of matrix products wait for each other longer than they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import dice_of_doom as dod

GAMES = 512  # Games that are played at once.
STEPS = 32  # Plies of each game between two updates.
HIDDEN = 96
TRACE = 0.8  # λ
EXPLORE = 0.04  # The share of random actions in its own games.


class Network:
    """Features → hidden layer → win shares, the player to move first."""

    def __init__(self, game, generator):
        self.players = game.players
        self.max_dice = game.parameters["max_dice"]
        hexes = game.parameters["size"] ** 2
        inputs = 2 * self.players * hexes + 1
        self.weights = [
            generator.normal(0, inputs**-0.5, (inputs, HIDDEN)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            np.zeros((HIDDEN, self.players), np.float32),
            np.zeros(self.players, np.float32),
        ]
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.updates = 0

    def features(self, observations):
        """Where the hexes of each player are, their dice, and whether the turn has just begun."""
        count = len(observations)
        dice = observations[:, : self.players].reshape(count, -1)
        begun = observations[:, self.players, 0, :1]
        return np.concatenate([dice > 0, dice * np.float32(1 / self.max_dice), begun], axis=1, dtype=np.float32)

    def forward(self, features):
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(features @ first + first_bias, 0)
        scores = hidden @ second + second_bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, shares / shares.sum(axis=1, keepdims=True)

    def shares(self, observations, to_move):
        """Expected win shares by player, from player 0."""
        _, ahead = self.forward(self.features(observations))
        return by_player(ahead, to_move, self.players)

    def learn(self, observations, targets, rate):
        """A step of Adam on the cross-entropy between shares and targets."""
        features = self.features(observations)
        hidden, shares = self.forward(features)
        error = (shares - targets) / len(targets)
        back = (error @ self.weights[2].T) * (hidden > 0)
        gradients = [features.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self.updates += 1
        for weight, gradient, (mean, square) in zip(self.weights, gradients, self.moments):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            corrected = mean / (1 - 0.9**self.updates)
            scale = np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8
            weight -= rate * corrected / scale


def by_player(ahead, to_move, players):
    """Turns columns `k turns after the mover` into columns `player k`."""
    columns = (np.arange(players)[None] - to_move[:, None].astype(int)) % players
    return np.take_along_axis(ahead, columns, axis=1)


def from_mover(shares, to_move, players):
    """The inverse of `by_player`."""
    columns = (np.arange(players)[None] + to_move[:, None].astype(int)) % players
    return np.take_along_axis(shares, columns, axis=1)


def choose(batch, network, which=None):
    """The action with the best expected share of the mover, for each game."""
    games, actions, odds, to_move, observations, final = batch.successors(which)
    values = network.shares(observations, to_move)
    over = to_move < 0
    values[over] = final[over]
    worth = odds * values[np.arange(len(games)), batch.to_move[games]]
    # The rows of an action follow one another.
    starts = np.flatnonzero(np.r_[True, (games[1:] != games[:-1]) | (actions[1:] != actions[:-1])])
    worth = np.add.reduceat(worth, starts)
    games, actions = games[starts], actions[starts]
    order = np.lexsort((worth, games))
    last = np.r_[games[order][1:] != games[order][:-1], True]
    chosen = np.full(len(batch), -1)
    chosen[games[order][last]] = actions[order][last]
    return chosen


def play_and_learn(batch, network, generator, rate):
    """A round of plies in all games, then updates towards the values that followed."""
    players, count = network.players, len(batch)
    seen, movers, shares, finals, ended = [], [], [], [], []
    for _ in range(STEPS):
        seen.append(batch.observations.copy())
        movers.append(batch.to_move.copy())
        actions = choose(batch, network)
        explored = np.zeros(count, np.int64)
        batch.random_actions(explored)
        batch.step(np.where(generator.random(count) < EXPLORE, explored, actions))
        ended.append((batch.terminated | batch.truncated).copy())
        finals.append((batch.rewards + 1) / 2)
        shares.append(network.shares(batch.observations, batch.to_move))
    targets, target = [], shares[-1]
    for step in reversed(range(STEPS)):
        target = (1 - TRACE) * shares[step] + TRACE * target
        target = np.where(ended[step][:, None], finals[step], target)
        targets.append(from_mover(target, movers[step], players))
    observations = np.concatenate(seen)
    targets = np.concatenate(targets[::-1])
    order = generator.permutation(len(targets))
    for part in np.array_split(order, 8):
        network.learn(observations[part], targets[part], rate)


def evaluate(game, network, level, games, seed):
    """The learner's mean win share in so many games, one seat against `level` in the others, and its standard error."""
    batch = dod.Batch(game, games, seed=seed)
    seats = np.arange(games) % game.players
    shares, playing = np.full(games, np.nan), np.ones(games, bool)
    actions = np.zeros(games, np.int64)
    while playing.any():
        batch.random_actions(actions)
        own = batch.to_move == seats
        if (playing & own).any():
            chosen = choose(batch, network, playing & own)
            actions = np.where(chosen >= 0, chosen, actions)
        batch.choose(level, actions, playing & ~own)
        batch.step(actions)
        ended = playing & (batch.terminated | batch.truncated)
        shares[ended] = (batch.rewards[ended, seats[ended]] + 1) / 2
        playing &= ~ended
    return shares.mean(), shares.std() / games**0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=4000, help="games of the last comparison")
    parser.add_argument("--save")
    options = parser.parse_args()
    game = dod.Game.dice("v4", options.size, options.players)
    generator = np.random.default_rng(options.seed)
    network = Network(game, generator)
    batch = dod.Batch(game, GAMES, seed=options.seed)
    begin = time.monotonic()
    for round in range(options.rounds):
        if round % max(1, options.rounds // 12) == 0:
            share, error = evaluate(game, network, "greedy", 400, seed=options.seed + 1)
            spent = time.monotonic() - begin
            print(f"{spent:5.0f} s  {round:5} rounds  {share:6.1%} ± {1.96 * error:.1%} against greedy", flush=True)
        play_and_learn(batch, network, generator, rate=3e-3 * (1 - 0.9 * round / options.rounds))
    fair = 1 / game.players
    for level in ("random", "greedy", "steady"):
        share, error = evaluate(game, network, level, options.games, seed=options.seed + 2)
        verdict = "more" if share - 1.96 * error > fair else "not more"
        print(f"{level:8} {share:6.1%} ± {1.96 * error:.1%}: {verdict} than the fair share of {fair:.0%}")
    print(f"{options.rounds} rounds, {options.rounds * GAMES * STEPS:,} plies, {time.monotonic() - begin:.0f} s")
    if options.save:
        np.savez(options.save, *network.weights)


if __name__ == "__main__":
    main()
