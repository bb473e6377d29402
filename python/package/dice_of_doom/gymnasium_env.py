"""A Gymnasium environment: one seat, against computer players in the others."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import gymnasium
import numpy as np

from ._native import Game, Position, Rng


class SeatEnv(gymnasium.Env):
    """One seat of a game. The reward is the payoff at the end, -1 to 1, and 0 before.

    `opponents` is one level for all other seats, or one for each of them in turn order after the own seat. `seat=None`
    draws the seat in each reset. `info["action_mask"]` has the legal actions.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Optional[Game] = None,
        opponents: Union[str, Sequence[str]] = "greedy",
        seat: Optional[int] = 0,
        max_plies: int = 1000,
        render_mode: Optional[str] = None,
    ):
        self.game = game or Game.dice()
        others = self.game.players - 1
        self.opponents = [opponents] * others if isinstance(opponents, str) else list(opponents)
        if len(self.opponents) != others:
            raise ValueError(f"{len(self.opponents)} opponents are given for {others} other seats")
        unknown = set(self.opponents) - set(self.game.levels)
        if unknown:
            raise ValueError(f"there is no level {unknown.pop()!r}; there are {', '.join(self.game.levels)}")
        if seat is not None and not 0 <= seat < self.game.players:
            raise ValueError(f"seat is 0 to {self.game.players - 1}, not {seat}")
        self.seat = seat
        self.max_plies = max_plies
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 255, self.game.observation_shape, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(self.game.num_actions)

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None):
        """Deals a game in which the own seat has a turn. `options["position"]` is another start."""
        super().reset(seed=seed)
        start: Optional[Position] = (options or {}).get("position")
        while True:
            self._rng = Rng(int(self.np_random.integers(2**63)))
            self._seat = int(self.np_random.integers(self.game.players)) if self.seat is None else self.seat
            self._plies = 0
            self.position = start or self.game.deal(self._rng)
            self._play_opponents()
            if not self._is_done():
                return self.position.observation(), self._info()
            if start is not None:
                raise ValueError("the game is over before the own seat has a turn")

    def step(self, action: int):
        if self._is_done():
            raise ValueError("the game is over: call reset")
        self._play(int(action))
        self._play_opponents()
        over = self.position.is_over
        reward = float(self.position.returns()[self._seat])
        return self.position.observation(), reward, over, self._is_done() and not over, self._info()

    def _play(self, action: int) -> None:
        self.position = self.position.sample(action, self._rng)
        self._plies += 1

    def _play_opponents(self) -> None:
        while not self._is_done():
            ahead = ((self.position.to_move or 0) - self._seat) % self.game.players
            if ahead == 0:
                return
            self._play(self.position.choose(self.opponents[ahead - 1], self._rng))

    def _is_done(self) -> bool:
        return self.position.is_over or self._plies >= self.max_plies

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.position.mask().astype(np.int8), "seat": self._seat}

    def render(self) -> Optional[str]:
        return self.position.notation if self.render_mode == "ansi" else None
