"""Games and states with the names of OpenSpiel's Python interface. OpenSpiel itself is not needed.

After an action with several outcomes the state is a chance node, as in OpenSpiel: its actions are the outcomes.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from . import _native

CHANCE = -1
TERMINAL = -4


def load_game(game: Optional[_native.Game] = None) -> Game:
    return Game(game or _native.Game.dice())


class Game:
    def __init__(self, game: _native.Game):
        self.native = game

    def num_players(self) -> int:
        return self.native.players

    def num_distinct_actions(self) -> int:
        return self.native.num_actions

    def max_chance_outcomes(self) -> int:
        return 3

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def observation_tensor_shape(self) -> list[int]:
        return list(self.native.observation_shape)

    def new_initial_state(self, seed: int = 0) -> State:
        """A dealt start; the deal is no chance node, because it has too many outcomes to list."""
        return State(self, self.native.deal(_native.Rng(seed)))

    def state(self, position: _native.Position) -> State:
        return State(self, position)


class State:
    def __init__(self, game: Game, position: _native.Position, pending: Optional[int] = None):
        self._game = game
        self.position = position
        self._pending = pending
        self._history: list[int] = []

    def get_game(self) -> Game:
        return self._game

    def current_player(self) -> int:
        if self._pending is not None:
            return CHANCE
        player = self.position.to_move
        return TERMINAL if player is None else player

    def is_terminal(self) -> bool:
        return self._pending is None and self.position.is_over

    def is_chance_node(self) -> bool:
        return self._pending is not None

    def legal_actions(self) -> list[int]:
        if self._pending is not None:
            return [outcome for outcome, _ in self.chance_outcomes()]
        return sorted(self.position.legal_actions())

    def legal_actions_mask(self) -> np.ndarray:
        return self.position.mask() if self._pending is None else np.zeros(self._game.num_distinct_actions(), bool)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self._pending is None:
            raise ValueError("this is no chance node")
        return self.position.outcomes(self._pending)

    def apply_action(self, action: int) -> None:
        if self._pending is not None:
            self.position = self.position.apply(self._pending, action)
            self._pending = None
        elif len(self.position.outcomes(action)) > 1:
            self._pending = action
        else:
            self.position = self.position.apply(action)
        self._history.append(action)

    def child(self, action: int) -> State:
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self) -> State:
        copy = State(self._game, self.position, self._pending)
        copy._history = self._history[:]
        return copy

    def history(self) -> list[int]:
        return self._history[:]

    def returns(self) -> list[float]:
        return self.position.returns().tolist()

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def observation_tensor(self) -> np.ndarray:
        """Of the player to move, flat, as float32."""
        return self.position.observation().astype(np.float32).ravel()

    def action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return ("certain", "won", "lost")[action]
        return self._game.native.action_to_string(action)

    def string_to_action(self, text: str) -> int:
        return self._game.native.string_to_action(text)

    def __str__(self) -> str:
        pending = "" if self._pending is None else " " + self._game.native.action_to_string(self._pending)
        return self.position.notation + pending
