"""Plays a whole game of each game with the client that openapi-generator made from the document, as a program
with an identity: one token for all its games.
"""

import sys

from openapi_client import ApiClient, Configuration, GamesApi, PlayApi, ProgramsApi, RecordsApi
from openapi_client.models import (
    DicePlay,
    NewDiceGame,
    NewGame,
    NewProgram,
    NewTrilobiteGame,
    Play,
    TrilobitePlay,
)

GAMES = [
    NewDiceGame(game="dice", rules="v4", size=3, players=2, seed=1, seats=["human", "random"]),
    NewTrilobiteGame(game="trilobite", width=5, height=4, win=3, seats=["human", "random"]),
]


class Api:
    """The calls, with this token."""

    def __init__(self, url, token=None):
        client = ApiClient(Configuration(host=url, access_token=token))
        self.games, self.play = GamesApi(client), PlayApi(client)
        self.programs, self.records = ProgramsApi(client), RecordsApi(client)


def ply_of(game, moves):
    """The likeliest attack, and a pass below 0.4; or the first column."""
    if game.game == "trilobite":
        return TrilobitePlay(ply=game.ply, cell=moves.moves[0])
    attacks = [move for move in moves.moves if move.path is not None]
    likely = max(attacks, key=lambda move: move.odds, default=None)
    passes = any(move.path is None for move in moves.moves)
    is_pass = likely is None or (passes and likely.odds <= 0.4)
    return DicePlay(ply=game.ply, path=None if is_pass else likely.path)


def play_whole(api, new):
    """Plays a game to the end."""
    game = api.games.create_game(NewGame(new)).actual_instance
    seat = game.seats[0]
    assert seat.program and seat.token is None, f"the seat is not the program's: {seat}"
    while not game.over:
        if game.player == 0:
            moves = api.play.get_moves(game.id).actual_instance
            api.play.play(game.id, Play(ply_of(game, moves)))
            game = api.games.get_game(game.id).actual_instance
        else:
            game = api.games.get_game(game.id, wait=game.ply + 1).actual_instance
    record = api.records.get_record(game.id).actual_instance
    assert len(record.plies) == game.ply and record.winners == game.winners
    return game


url = sys.argv[1]
program = Api(url).programs.create_program(NewProgram(name="Robot"))
api = Api(url, program.token)
for new in GAMES:
    game = play_whole(api, new)
    print(f"openapi-generator: {new.game}, {game.ply} plies, winners {game.winners}")
listed = api.games.list_games(of="me").games
assert len(listed) == len(GAMES), listed
