"""A PettingZoo environment for all players (AEC interface)."""

from __future__ import annotations

from typing import Any, Optional

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._native import Game, Position, Rng


def env(game: Optional[Game] = None, max_plies: int = 1000, render_mode: Optional[str] = None) -> AECEnv:
    """The environment with PettingZoo's checks: actions are legal, and calls come in order."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, max_plies, render_mode), illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):
    """The environment without checks."""

    metadata = {"name": "dice_of_doom_v1", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: Optional[Game] = None, max_plies: int = 1000, render_mode: Optional[str] = None):
        super().__init__()
        self.game = game or Game.dice()
        self.max_plies = max_plies
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(self.game.players)]
        spaces = gymnasium.spaces
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 255, self.game.observation_shape, np.uint8),
                    "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        self._seeds = np.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> None:
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self._rng = Rng(int(self._seeds.integers(2**63)))
        self._plies = 0
        self.position: Position = (options or {}).get("position") or self.game.deal(self._rng)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What the player to move sees; the others see the same position, without legal actions."""
        mask = self.position.mask().astype(np.int8)
        if agent != self._mover:
            mask[:] = 0
        return {"observation": self.position.observation(), "action_mask": mask}

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("None is the action of an agent that is done")
        self._cumulative_rewards[agent] = 0.0
        self.position = self.position.sample(int(action), self._rng)
        self._plies += 1
        self._clear_rewards()
        if self.position.is_over:
            self.rewards = dict(zip(self.possible_agents, map(float, self.position.returns())))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._plies >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()
        if self.render_mode == "ansi":
            self.render()

    def _select(self) -> None:
        mover = self.position.to_move
        self._mover = None if mover is None else self.possible_agents[mover]
        if self._mover is not None:
            self.agent_selection = self._mover

    def render(self) -> Optional[str]:
        return self.position.notation if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass
