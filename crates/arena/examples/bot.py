"""A player for the arena: makes the attack with the best odds while they are better than 60 %.

    dice-of-doom arena --seats 'cmd:python3 bot.py,book,book,book'
"""
import json, subprocess, sys

engine = subprocess.Popen(["dice-of-doom", "engine"], stdin=-1, stdout=-1, text=True, bufsize=1)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"op": "moves", "position": asked["position"]}), file=engine.stdin, flush=True)
    moves = json.loads(engine.stdout.readline())["ok"]["moves"]
    best = max(moves, key=lambda move: move["odds"] or 0.6)  # a pass is worth 60 %
    print(json.dumps({"id": asked["id"], "ok": {"path": best["path"]}}), flush=True)
