"""The rules and the computer players of Dice of Doom and Trilobite."""

from ._native import Batch, Game, Position, Record, Rng, __version__, play

__all__ = ["Batch", "Game", "Position", "Record", "Rng", "__version__", "play"]
