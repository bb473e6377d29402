# The pages of the board of the day.

nav-daily = Today
daily-title = Board of the day, { $day }
daily-headline = Everybody plays this board today
daily-headline-past = The board of a past day
daily-deal = The deal is the same for everybody, against three medium computers.
daily-dice = The dice, too: whoever makes the same decisions meets the same dice.
daily-once = One attempt counts. It begins with Start.
daily-times = It can be begun until { $end }. What was begun counts until { $over }.
daily-closing = It could be begun until { $end }. What was begun counts until { $over }.
daily-unfinished = You began this board and did not finish it in time, so it has no score. |Look at the game|
daily-off = Hints and taking back moves are off.
daily-past = You can play it as often as you like, with new dice. It does not count.
daily-start = Start
daily-begun-before = This browser has begun this board before and deleted its record, so it has no second attempt.
daily-not-today = This page was of a day that has ended, so nothing was begun. The board of today is under “Today”.
daily-continue = Continue today’s board
daily-play-past = Play this board
daily-played = { $games ->
    [0] Be the first today.
    [one] 1 person has played so far.
   *[other] { $games } people have played so far.
  }
daily-result = { $result ->
    [won] Won
   *[lost] Lost
  } with { $hexes } of { $all } hexes in { $turns ->
    [one] 1 turn
   *[other] { $turns } turns
  }
daily-better = Better than { $share } %
daily-streak = { $days } days in a row
daily-review = Review this game
daily-look = Look at the game
daily-picture = Picture
daily-share = Share your result
daily-copy = Copy the text
daily-looking = Looking for your best decision…
daily-best = Your best decision
daily-best-text = |+{ $points ->
    [one] 1 point|
   *[other] { $points } points|
  } more than the next best: |{ $played }| instead of { $other }.
daily-costliest = Your costliest decision
daily-costliest-text = |−{ $points ->
    [one] 1 point|
   *[other] { $points } points|
  }: |{ $played }|, where |{ $other }| was better.
daily-no-cost = No decision cost more than { $points } points.
daily-see = Look
daily-text = The result as text
daily-text-title = Dice of Doom, board of the day
daily-scores = All results
daily-won = won
daily-lost = lost or tied
daily-you = you
daily-hexes = Hexes
daily-calendar = The last four weeks
daily-day-won = won with { $hexes } hexes
daily-day-lost = not won, { $hexes } hexes
daily-day-begun = begun and not finished
daily-day-none = not played
daily-seal = Why nobody can change the dice
daily-seal-why = All dice of a day follow from one secret. Its SHA-256 is published the day before, the secret itself when nothing more of that day counts.
daily-openly = Anyone who plays in a second browser first knows the dice before the attempt that counts; nothing prevents that.
daily-late = This server started only on the day itself, so the SHA-256 was not published the day before.
daily-next = Tomorrow
daily-seed = Seed
daily-salt = Salt
daily-opens = Seed and salt appear here at { $over }, when nothing more counts.
daily-table = The numbers as a table
start-day-people = Everybody gets this deal and these dice. { $people ->
    [0] Be the first today.
    [one] 1 person has played it today.
   *[other] { $people } people have played it today.
  }
start-day-play = Play today’s board
start-day-result = See how you did
start-day-won = Won with { $hexes ->
    [one] 1 hex
   *[other] { $hexes } hexes
  }
start-day-lost = Lost with { $hexes ->
    [one] 1 hex
   *[other] { $hexes } hexes
  }
start-next = Next board and puzzle
start-next-in = { $hours ->
    [0] In { $minutes } min
   *[other] In { $hours } h { $minutes } min
  }
start-next-at = Begins { $at }
