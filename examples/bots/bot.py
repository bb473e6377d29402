"""A bot for Dice of Doom. It makes the attack with the best odds, and ends its turn when no attack has 60 %.

    python3 bot.py                          answers an arena on stdin and stdout
    python3 bot.py http://localhost:8080    plays a game on a server
"""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request


def choose(moves):
    """The path of the best move: from hex to hex, or None to end the turn."""
    return max(moves, key=lambda move: 0.6 if move["path"] is None else move["odds"])["path"]


def play_in_arena():
    program = os.environ.get("DICE_OF_DOOM", "dice-of-doom")
    engine = subprocess.Popen([program, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in sys.stdin:
        request = json.loads(line)
        question = {"op": "moves", "position": request["position"], "successors": False}
        print(json.dumps(question), file=engine.stdin, flush=True)
        moves = json.loads(engine.stdout.readline())["ok"]["moves"]
        print(json.dumps({"id": request["id"], "ok": {"path": choose(moves)}}), flush=True)


def play_on_server(url):
    headers = {"Content-Type": "application/json"}

    def send(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        while True:
            try:
                return urllib.request.urlopen(urllib.request.Request(url + "/api/v1" + path, data, headers), timeout=60)
            except urllib.error.HTTPError as problem:
                if problem.code == 409:  # the game has moved on, and the next `turn` tells how
                    return problem
                if problem.code not in (429, 503):
                    raise
                time.sleep(int(problem.headers["Retry-After"] or 1))
            except OSError as problem:  # no answer: a move that is sent twice is played once
                print(problem, file=sys.stderr)
                time.sleep(1)

    def events():
        """The events of all games of the bot, for ever: when the stream ends, it is opened again."""
        event = {"id": "0", "retry": "1000"}
        while True:
            headers["Last-Event-ID"] = event["id"]
            stream = send("/events")
            try:
                for line in stream:
                    field, _, value = line.decode().rstrip("\n").partition(": ")
                    event[field] = value
                    if field == "data":
                        yield event["event"], json.loads(value)
            except (OSError, http.client.HTTPException) as problem:
                print(problem, file=sys.stderr)
            time.sleep(int(event["retry"]) / 1000)

    bot = json.load(send("/programs", {"name": "Python bot"}))
    headers["Authorization"] = "Bearer " + bot["token"]
    created = json.load(send("/games", {"game": "dice", "seats": ["human", "book", "book", "book"]}))
    print(f"{url}/g/{created['id']}", flush=True)
    for name, game in events():
        if name == "turn":
            send(f"/games/{game['id']}/moves", {"ply": game["ply"], "path": choose(game["moves"])})
        if name == "gameFinish" and game["id"] == created["id"]:
            print("winners:", game["winners"])
            return


if len(sys.argv) > 1:
    play_on_server(sys.argv[1].rstrip("/"))
else:
    play_in_arena()
