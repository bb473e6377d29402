# The pages of the board of the day.

nav-daily = Today
daily-title = Board of the day, { $day }
daily-date = { $day } { $month }
daily-headline = Everybody plays this board today
daily-headline-past = The board of a past day
daily-deal = The deal is the same for everybody, against three medium computers.
daily-dice = The dice, too: whoever makes the same decisions meets the same dice.
daily-once = One attempt counts. It begins with Start.
daily-times = A game counts if it is finished by { $over }.
daily-closing = It cannot be begun any more. A game that was begun counts if it is finished by { $over }.
daily-unfinished = You began this board and did not finish it in time, so it has no score. |Look at the game|
daily-off = Hints and taking back moves are off.
daily-until = Closes to new attempts in { $left }
daily-next-board = Next board in { $left }
daily-yesterday-best = Yesterday’s best: |{ $hexes ->
    [one] 1 hex
   *[other] { $hexes } hexes
  }|, { $result ->
    [won] won.
   *[lost] not won.
  }
daily-yesterday-own = You: |{ $hexes ->
    [one] 1 hex
   *[other] { $hexes } hexes
  }|, { $result ->
    [won] won.
   *[lost] not won.
  }
daily-yesterday-watch = Watch the best game
daily-past = You can play it as often as you like, with new dice. It does not count.
daily-start = Start
daily-begun-before = This browser has begun this board before and deleted its record, so it has no second attempt.
daily-not-today = That page was for a day that has ended, so no game was begun. Today’s board is under “Today”.
daily-continue = Continue today’s board
daily-play-past = Play this board
daily-again = Play it again with new dice
daily-to-today = There is a new board every day: |the board of today|.
daily-played = { $games ->
    [0] Be the first today.
    [one] 1 person has played so far.
   *[other] { $games } people have played so far.
  }
daily-result = { $result ->
    [won] Won
   *[lost] Lost
  } with { $hexes } of { $all } hexes
daily-better = Better than |{ $share }%| of { $people } people{ $state ->
    [over] .
   *[open] { " " }so far.
  }
daily-streak = { $days ->
    [one] 1 day in a row
   *[other] { $days } days in a row
  }
daily-review = Review
daily-look = The game
daily-picture = The result as a picture
daily-copy = Copy result
daily-copied = Copied your result
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
daily-text = Your result as text
daily-text-title = Dice of Doom, { $day }
daily-text-result = { $result ->
    [won] Won
   *[lost] Lost
  } with { $hexes } of { $all }{ $days ->
    [0] { "" }
    [1] { "" }
   *[other] , day { $days }
  }
daily-squares = Turn { $turn }: { $own } of 10 yours
daily-show = Show my game
daily-show-about = If yours is the best game of the day, everybody can watch it from { $over } on.
daily-scores = Everybody’s results
daily-won = won
daily-lost = lost or tied
daily-flag = You: { $hexes }
daily-bars = How many hexes everybody held at the end.
daily-bars-own = How many hexes everybody held at the end. You: { $hexes }.
daily-bars-below = hexes at the end
daily-hexes = Hexes
daily-calendar = The last four weeks
daily-day-won = won with { $hexes } hexes
daily-day-lost = not won, { $hexes } hexes
daily-day-begun = begun and not finished
daily-day-none = not played
daily-check = Check the dice
daily-seal-why = All dice of a day follow from one secret. Its SHA-256 is published the day before, the secret itself when no game of that day can count any more.
daily-openly = Anyone who plays in a second browser first knows the dice before the attempt that counts; nothing prevents that.
daily-late = This server started only on the day itself, so the SHA-256 was not published the day before.
daily-next = Tomorrow
daily-seed = Seed
daily-salt = Salt
daily-opens = Seed and salt appear here when no game of this day can count any more: { $over }.
daily-table = The numbers as a table
time-left = { $hours } h { $minutes } min
time-left-minutes = { $minutes } min
time-utc = (at { $time } UTC)
time-local = (at { $time } on { $day }, your time)
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
