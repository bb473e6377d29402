#!/usr/bin/env python3
"""Checks the dice of finished games of Dice of Doom: python3 verify.py RECORD.json ...

The format, and what this check proves, are described in fair-dice.md. It takes the positions (`before`) from the record:
`dice-of-doom verify` plays the rules, and proves them, too."""
import hashlib, hmac, json, re, sys

EXCLUDED_FIELDS = ("format", "id", "dice", "plies", "ending", "resigned", "winners", "seats", "seed", "arena",
                   "seal")

def object_of(pairs):
    if len(dict(pairs)) < len(pairs): raise ValueError("a field stands twice")
    return dict(pairs)

def without(record, names):
    fields = {name: value for name, value in record.items() if name not in names}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()

def thrown(seed, lines):
    for block in range(2 ** 32):
        for byte in hmac.digest(seed, f"{lines}block {block}\n".encode(), "sha256"):
            if byte < 252: yield byte % 6 + 1

FIXING = re.compile("[0-9a-f]{64}")

def admit(told, fixed, none, player, words):
    """Whether words may be added to the dice: docs/fair-dice.md says when."""
    if player in told or player in none: return False
    if words == "-": return True
    if FIXING.fullmatch(words): return player not in fixed and not told
    if player in fixed: return hashlib.sha256(words.encode()).hexdigest() == fixed[player]
    return not told and not fixed

def check(record):
    rolls, told, fixed, none, stands = 0, set(), {}, set(), []
    if record["format"] == 1: raise ValueError("an earlier build wrote this record; the last one that reads it is c1691778")
    if record["format"] != 2: raise ValueError("this script does not know the form of this record")
    dice = record["dice"]
    if not all(FIXING.fullmatch(dice[name]) for name in ("commitment", "seed", "salt")):
        raise ValueError("seed, salt and commitment are 64 digits each")
    seed, salt = bytes.fromhex(dice["seed"]), bytes.fromhex(dice["salt"])
    if hashlib.sha256(seed + salt).hexdigest() != dice["commitment"]: raise ValueError("the commitment does not fit")
    lines = f"dice-of-doom dice 3\ngame {record['id']}\ndeal {without(record, EXCLUDED_FIELDS)}\n"
    for number, entry in enumerate(record["plies"]):
        if "takeback" in entry:
            stands = [ply for ply in stands if ply < entry["takeback"]]
        elif "entropy" in entry:
            player, words = entry["player"], entry["entropy"]
            if rolls or not admit(told, fixed, none, player, words):
                raise ValueError(f"the words of entry {number} were added too late, or too often")
            elif words == "-":
                none.add(player)
            elif FIXING.fullmatch(words):
                fixed[player] = words
            else:
                told.add(player)
                lines += f"words {player} {words.encode().hex()}\n"
        else:
            if entry.get("roll"):
                faces = entry["roll"]["attack"] + entry["roll"]["defend"]
                source, target = entry["path"]
                about = f"plies {len(stands)}\nposition {entry['before']}\naction {source}-{target}\n"
                if any(a != b for a, b in zip(faces, thrown(seed, lines + about))):
                    raise ValueError(f"the dice of entry {number} do not agree")
                rolls += 1
            stands.append(number)
    if without(record, ["seal"]) != record["seal"]: raise ValueError("the seal does not fit")
    return f"{rolls} of {rolls} {'roll agrees' if rolls == 1 else 'rolls agree'}"

failed = False
for name in sys.argv[1:]:
    try: print(f"{name}: {check(json.load(open(name, encoding='utf-8-sig'), object_pairs_hook=object_of))}")
    except KeyError as missing: failed = print(f"{name}: there is no field {missing}") or True
    except (ValueError, TypeError, AttributeError, OSError) as wrong: failed = print(f"{name}: {wrong}") or True
sys.exit(failed)
