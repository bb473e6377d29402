from typing import Any, Literal, Mapping, Optional, Sequence, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

__all__ = ["Batch", "Game", "Position", "Record", "Rng", "__version__", "play"]
__version__: str

@final
class Rng:
    """A random generator: the same seed and calls give the same games."""

    def __new__(cls, seed: int = 0) -> Self: ...
    def next(self) -> int:
        """A uniform number of 64 bits, for example the seed of another generator."""

@final
class Game:
    """A game with its parameters."""

    def __new__(cls, name: str, parameters: Optional[dict[str, Any]] = None) -> Self: ...
    @staticmethod
    def dice(
        rules: str = "v4",
        size: Optional[int] = None,
        players: Optional[int] = None,
        max_dice: Optional[int] = None,
    ) -> Game:
        """Dice of Doom."""
    @staticmethod
    def trilobite(width: int = 8, height: int = 7, win: int = 4) -> Game:
        """Trilobite: connect-`win` with gravity."""
    @property
    def name(self) -> Literal["dice", "trilobite"]: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def players(self) -> int: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Planes, rows, columns."""
    @property
    def max_outcomes(self) -> int:
        """2 where dice are rolled, otherwise 1."""
    @property
    def levels(self) -> list[str]:
        """The names for `choose`, weakest first."""
    def deal(self, rng: Rng) -> Position:
        """A start position."""
    def position(self, setup: Mapping[str, Any]) -> Position:
        """The position with this setup."""
    def action_to_string(self, action: int) -> str: ...
    def string_to_action(self, text: str) -> int: ...

@final
class Position:
    """A position, which never changes."""

    @property
    def game(self) -> Game: ...
    @property
    def setup(self) -> dict[str, Any]: ...
    @property
    def notation(self) -> str: ...
    @property
    def to_move(self) -> Optional[int]:
        """The player to move, from 0; None when the game is over."""
    @property
    def is_over(self) -> bool: ...
    @property
    def winners(self) -> list[int]: ...
    def returns(self) -> NDArray[np.float64]:
        """The payoff of each player, -1 to 1; 0 before the end."""
    def shares(self) -> NDArray[np.float64]:
        """(returns + 1) / 2."""
    def legal_actions(self) -> list[int]: ...
    def outcomes(self, action: int) -> list[tuple[int, float]]:
        """Outcomes with their probabilities: 0 is the only one, 1 success, 2 failure."""
    def apply(self, action: int, outcome: Optional[int] = None) -> Position: ...
    def canonical(self) -> Position:
        """The position without what no longer affects the game, so that equivalent ones are equal."""
    def sample(self, action: int, rng: Rng) -> Position:
        """The position after a drawn outcome."""
    def random_action(self, rng: Rng) -> int: ...
    def playout(self, rng: Rng, max_plies: int = 1000) -> Position:
        """The position at the end of random actions."""
    def observation(self) -> NDArray[np.uint8]: ...
    def mask(self) -> NDArray[np.bool_]: ...
    def choose(
        self,
        level: str,
        rng: Rng,
        simulations: Optional[int] = None,
        history: Optional[Sequence[tuple[Position, int]]] = None,
    ) -> int:
        """The action of a computer player. Some learn from the earlier decisions of the game how the others play."""
    def rate(
        self, search: str = "book", depth: Optional[int] = None, max_nodes: int = 10_000_000
    ) -> tuple[list[int], NDArray[np.float64]]:
        """The actions, and the value of each by a search of the book."""
    def analyse(self, simulations: Optional[int] = None) -> tuple[list[int], NDArray[np.float32]]:
        """The actions, and each player's expected win share after each of them."""
    def evaluate(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's expected win share of each player, and the prior of each action."""
    def solve(self, max_nodes: int = 10_000_000, book: bool = True) -> tuple[int, int]:
        """The bounds of the score (Trilobite), equal when it is proven."""
    def solve_moves(
        self, max_nodes: int = 10_000_000, book: bool = True
    ) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
        """The actions, and the bounds of the score after each of them (Trilobite)."""

@final
class Record:
    """A game with its dice, as the program writes it."""

    def __new__(cls, start: Position) -> Self: ...
    @staticmethod
    def from_json(text: str) -> Record: ...
    @property
    def game(self) -> Game: ...
    @property
    def start(self) -> Position: ...
    @property
    def position(self) -> Position:
        """The position after the last entry."""
    @property
    def decisions(self) -> list[tuple[Position, int]]:
        """Position and action of every ply on the mainline: the `history` for `choose`."""
    @property
    def winners(self) -> Optional[list[int]]:
        """Who won: None while the game is open, all who lead after an early end."""
    def returns(self) -> NDArray[np.float64]:
        """The payoff of each player, also after an early end; 0 while the game is open."""
    @property
    def plies(self) -> list[tuple[int, int, int]]:
        """Player, action and outcome of every ply that was not taken back."""
    def append(self, action: int, rng: Rng) -> Position:
        """Rolls the dice of an action and appends it. Returns the position after it."""
    def to_json(self) -> str: ...
    def __len__(self) -> int:
        """The number of entries, including those that were taken back."""

def play(start: Position, levels: Sequence[str], seed: int = 0) -> Record:
    """Plays a game between levels such as `greedy` or `master:400`, one for each player."""

@final
class Batch:
    """Many games of one kind, which are stepped together. The arrays are written in place."""

    def __new__(
        cls,
        game: Game,
        n: int,
        seed: int = 0,
        max_plies: int = 1000,
        observations: bool = True,
    ) -> Self: ...
    @property
    def game(self) -> Game: ...
    @property
    def observations(self) -> Optional[NDArray[np.uint8]]: ...
    @property
    def masks(self) -> NDArray[np.bool_]: ...
    @property
    def to_move(self) -> NDArray[np.int8]: ...
    @property
    def actors(self) -> NDArray[np.int8]: ...
    @property
    def rewards(self) -> NDArray[np.float32]: ...
    @property
    def terminated(self) -> NDArray[np.bool_]: ...
    @property
    def truncated(self) -> NDArray[np.bool_]: ...
    def __len__(self) -> int: ...
    def reset(self) -> None: ...
    def step(self, actions: NDArray[np.int64]) -> None: ...
    def random_actions(self, out: NDArray[np.int64]) -> None: ...
    def choose(
        self, level: str, out: NDArray[np.int64], which: Optional[NDArray[np.bool_]] = None
    ) -> None: ...
    def evaluate(self, out: NDArray[np.float32]) -> None: ...
    def successors(
        self, which: Optional[NDArray[np.bool_]] = None
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float32],
        NDArray[np.int8],
        NDArray[np.uint8],
        NDArray[np.float32],
    ]:
        """Games, actions, probabilities, players to move, observations and final shares."""
    def position(self, index: int) -> Position: ...
    def set_position(self, index: int, position: Position) -> None: ...
