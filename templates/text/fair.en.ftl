# Fair dice: the page of one game, the line beside the board, and the page of all rolls.

fair-line = Dice: sealed, { $short }…
fair-line-help = How the dice of this game are kept fair
fair-check = Check the dice

fair-title = Fair dice
fair-back = Back to the game
fair-head-running = The dice are sealed
fair-lead-running = Nobody can change the dice of game { $id } any more: they follow from a seed whose fingerprint you see below. When the game is over the seed is opened, and everybody can check every roll.
fair-head-good = { $rolls ->
    [0] No dice were rolled
    [one] The one roll is verified
   *[other] All { $rolls } rolls verified
  }
fair-lead-good = Nobody could choose the dice of game { $id }: not you, not the computers, not this server. Here is why, and how to check it without us.
fair-lead-alone = Nobody could change the dice of game { $id } once it had begun: not you, not the computers, not this server. Here is why, and how to check it without us.
fair-head-bad = The dice do not fit
fair-lead-bad = Entry { $entry } of game { $id } was not rolled with the seed that was sealed. Keep the record: it proves this to anybody.
fair-head-uncommitted = These dice were not sealed

# The four steps
fair-how = How the dice are kept honest
fair-checked = checked on this server just now
fair-sealed = Sealed before the first roll
fair-sealed-now = Sealed.
fair-sealed-ok = The seal matches.
fair-sealed-why = The server drew a seed and a salt and showed you their fingerprint, the commitment. From then on it could not change them.
fair-commitment = commitment
fair-added = People at the table added words
fair-added-from = Count from entry { $entry } on.
fair-added-why = The server did not know them when it sealed the seed, so it could not have searched for a seed that suits it.
fair-added-words = { $who }, entry { $entry }
fair-added-fixed = { $who }, entry { $entry }, not part of the dice
fair-none = Nobody added words
fair-none-now = Nothing yet.
fair-none-ok = Nothing to check.
fair-none-why = Words from people at the table would go into every roll after them. The server does not know them when it seals the seed.
fair-follows = Every roll follows from these alone
fair-follows-now = Checked at the end.
fair-follows-ok = { $good } of { $all } agree.
fair-follows-bad = { $good } of { $all } agree.
fair-follows-why = The bytes of HMAC-SHA256 become faces: the remainder by six, plus one. Bytes from 252 on are thrown away, so every face is equally likely.
fair-message = message of entry { $entry }
fair-opened = Opened at the end
fair-opened-now = Still sealed.
fair-opened-ok = Seed and salt fit.
fair-opened-why = When the game is over, seed and salt are public. While it runs they are on no page.
fair-seed = seed
fair-salt = salt

# What this cannot show
fair-cannot = What this cannot show
fair-cannot-choose = Nobody added words, so the server could have tried many seeds and sealed the one it liked.
fair-cannot-choose-now = As long as nobody adds words, the server could have tried many seeds and sealed the one it liked. Anybody who plays here can end that below.
fair-cannot-before = Words were added from entry { $entry } on. For the rolls before them the server could have tried many seeds and sealed the one it liked.
fair-cannot-know = The server knows the seed while the game goes on. It can be checked that it changed nothing, not that it told nobody.
fair-cannot-stop = A server that stops before the end opens nothing. Then only the commitment is left, and no roll can be checked.
fair-cannot-note = Note the commitment down before the first roll: what you noted cannot be exchanged, what only this page says could be.

# Adding words
fair-add = Add something of your own
fair-add-label = Type anything, or roll your own dice and type what they show
fair-add-once = Your words go into every roll, and everybody sees them. Each player adds words once, before the first roll.
fair-add-fix = So that nobody chooses words after having seen those of others, everybody first adds the SHA-256 of theirs, 64 digits as this command prints them, or none. When all have, everybody reveals the words themselves within a minute, and then the game goes on; words that are not revealed in that minute are left out.
fair-add-fixed = You have fixed words: type them now, exactly as they were when you took their SHA-256. You have a minute from when everybody had fixed theirs; after that the game goes on without them.
fair-add-rolled = Words are added before the first roll.
fair-add-late = You did not reveal your words within the minute, so the game goes on without them.
fair-add-again = You have added your words.
fair-add-known = Words of another player are known already, and yours were not fixed before.
fair-add-differ = These are not the words that you fixed: their SHA-256 is another one.
fair-add-nothing = Add none
fair-add-unfixed = Other people play here: first add the SHA-256 of your words, and the words themselves when everybody has.
fair-add-awaited = You have fixed words. You reveal them when all other players have fixed theirs or said that they add none.
fair-add-button = Add to the dice
fair-add-none = Only the players of this game can add words.
fair-add-empty = Type at least one character.
fair-add-long = At most 64 characters are taken.
fair-add-unseen = Some of these characters cannot be seen: please type others.

# Without us
fair-without = Check it without us
fair-python = about 80 lines
fair-record = Download the record
fair-script = verify.py
fair-layout = What each byte means is described in docs/fair-dice.md of the program.
fair-says = { $rolls ->
    [one] seal fits, 1 of 1 roll agrees
   *[other] seal fits, { $rolls } of { $rolls } rolls agree
  }
fair-says-python = { $rolls ->
    [one] 1 of 1 roll agrees
   *[other] { $rolls } of { $rolls } rolls agree
  }

# In the browser
fair-browser-wait = Your browser checks it, too …
fair-browser-good = { $rolls ->
    [one] Your browser has checked it, too: 1 of 1 roll agrees.
   *[other] Your browser has checked it, too: { $rolls } of { $rolls } rolls agree.
  }
fair-browser-bad = Your browser does not agree: look at entry { $entry } of the record.
fair-browser-seal = Your browser does not agree: seed and salt do not give this commitment.
fair-browser-none = Your browser checks only pages that came over a safe connection, so this was checked on the server alone.

# The rolls
fair-rolls = The rolls
fair-rolls-all = { $rolls ->
    [one] The one roll
   *[other] All { $rolls }
  }
fair-rolls-fewer = The first ones
fair-rolls-none = No dice have been rolled yet.
fair-against = against
fair-agrees = agrees
fair-differs = differs
fair-faces = { $who }: { $faces }

# The faces
fair-dice = { $dice ->
    [one] The one die of this game
   *[other] All { $dice } dice of this game
  }
fair-all-games = All games
fair-expected = expected
fair-face = Face
fair-times = Times
fair-off = { $n ->
    [one] Fair dice deviate more than this in one game of 100.
   *[other] Fair dice deviate more than this in { $n } games of 100.
  }
fair-off-hardly = Fair dice deviate more than this in fewer than one game of 100.

# For programs
api-entropy = Add words to the dice, before the first roll. See /g/ID/dice.

# All dice of the server
footer-dice = All dice
all-dice-title = The dice of this server
all-dice-lead = Everything that was rolled here, in finished games and in games still going on, compared with fair dice.
all-dice-none = Nothing has been rolled here yet.
all-dice-game = { $game }: { $dice ->
    [one] one die
   *[other] { $dice } dice
  }
all-dice-faces = { $n ->
    [one] Fair dice deviate more than these faces on one of 100 such servers.
   *[other] Fair dice deviate more than these faces on { $n } of 100 such servers.
  }
all-dice-faces-hardly = Fair dice hardly ever deviate so far: on fewer than one of 100 such servers. Check again later.
all-dice-cells = Attacks won, compared with the odds
all-dice-cells-lead = In each cell: how many of 100 attacks were won, how many the odds predict, and how many attacks there were.
all-dice-attackers = Attacker’s dice
all-dice-defenders = against { $n }
all-dice-cell = { $won }%
all-dice-cell-of = { $odds }% of { $n }
all-dice-attacks = { $n ->
    [one] Fair dice deviate more than these attacks on one of 100 such servers.
   *[other] Fair dice deviate more than these attacks on { $n } of 100 such servers.
  }
all-dice-attacks-hardly = The attacks of fair dice hardly ever deviate so far: on fewer than one of 100 such servers. Check again later.
all-dice-how = The sentences are the χ² test: of so many servers with fair dice, how many would show a larger difference by chance. One number near 0 or 100 means little; one that stays below 1 means that something is wrong.
all-dice-proof = Every single roll of a finished game can be checked on the page of its dice.
fair-add-daily = The dice of this game are the same for everybody, so nothing can be added to them.
fair-add-clock = In a game with a clock nobody adds words to the dice.
