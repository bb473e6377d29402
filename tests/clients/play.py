"""Plays whole games of both games with the client that openapi-python-client made from the document.

What the program knows of the games stands in the types: nothing here reads an answer as plain JSON.
"""

import sys

from client import AuthenticatedClient, Client
from client.api.games import create_game, get_game
from client.api.play import get_moves, play
from client.api.records import get_record
from client.models import (
    DiceGame,
    DiceMoves,
    DicePlay,
    DiceRecord,
    NewDiceGame,
    NewTrilobiteGame,
    Problem,
    TrilobiteGame,
    TrilobiteMoves,
    TrilobitePlay,
    TrilobiteRecord,
)

GAMES = [
    NewDiceGame(game="dice", rules="v4", size=3, players=3, seed=1, seats=["human", "random", "book"]),
    NewDiceGame(game="dice", rules="v2", seed=2, seats=["human", "human"]),
    NewTrilobiteGame(game="trilobite", width=5, height=4, win=3, seats=["human", "random"]),
    NewTrilobiteGame(game="trilobite", seats=["human", "human"]),
]


def answered(answer):
    """The answer, where it is what was asked for."""
    assert answer is not None and not isinstance(answer, Problem), answer
    return answer


def ply_of(game, moves):
    """A ply that sooner or later ends every game: the likeliest attack, and none below 0.4."""
    if isinstance(moves, TrilobiteMoves):
        return TrilobitePlay(ply=game.ply, cell=moves.moves[0])
    assert isinstance(moves, DiceMoves)
    attacks = [move for move in moves.moves if move.path is not None]
    likely = max(attacks, key=lambda move: 1 if move.odds is None else move.odds, default=None)
    passes = any(move.path is None for move in moves.moves)
    if likely is None or (passes and likely.odds is not None and likely.odds <= 0.4):
        return DicePlay(ply=game.ply, path=None)
    assert all(hex in game.neighbors[likely.path[0]] for hex in likely.path[1:])
    return DicePlay(ply=game.ply, path=likely.path)


def play_whole(url, new):
    """Plays a game for all its people, to the end."""
    client = Client(base_url=url)
    game = answered(create_game.sync(client=client, body=new))
    assert isinstance(game, DiceGame if new.game == "dice" else TrilobiteGame), game
    people = {
        seat.player: AuthenticatedClient(base_url=url, token=seat.token)
        for seat in game.seats
        if seat.kind == "human"
    }
    while not game.over:
        if game.player in people:
            moves = answered(get_moves.sync(game.id, client=client))
            played = play.sync(game.id, client=people[game.player], body=ply_of(game, moves))
            answered(played)
            game = answered(get_game.sync(game.id, client=client))
        else:
            game = answered(get_game.sync(game.id, client=client, wait=game.ply + 1))
    record = answered(get_record.sync(game.id, client=client))
    assert isinstance(record, DiceRecord if new.game == "dice" else TrilobiteRecord), record
    assert len(record.plies) == game.ply and record.winners == game.winners
    return game


for new in GAMES:
    game = play_whole(sys.argv[1], new)
    print(f"python: {new.game}, {game.ply} plies, winners {game.winners}")
