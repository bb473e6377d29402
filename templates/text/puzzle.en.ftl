# The pages of puzzles; the texts of their themes are those of the games.

nav-puzzles = Puzzles
puzzle = Puzzle
puzzle-of-the-day = Puzzle of the day
puzzles-title = Puzzles
puzzles-lead = Positions from real games where one choice is much better than all others. Find it.
puzzle-your-rating = Your puzzle rating: { $rating }
puzzle-theme-count = { $answered } of { $puzzles } tried, { $solved } solved at the first try
puzzle-theme-done = You have tried all { $puzzles } puzzles of this theme and solved { $solved } at the first try.
puzzle-solve = Solve the next one
puzzle-turn = You are { $player }, and it is your turn.
puzzle-solved-by = Solved by { $share }% of { $answers }
puzzle-right = Right: { $what }
puzzle-wrong = Not the best. Better: { $what }
puzzle-cost = { $what }: it costs |{ $points ->
    [one] 1 point
   *[other] { $points } points
  }|.
puzzle-better = Better: { $what }. { $why }
puzzle-your-answer = (your answer)
puzzle-points = The numbers are your chances to win afterwards; one point is one per cent.
puzzle-cost-outcome = |{ $what }| { $outcome }.
puzzle-play = Play your answer on the board, or choose it here.
puzzle-confirm = If this is your answer, press the marked one here to confirm it.
puzzle-refused = { $answers ->
    [2] Not among the two answers.
    [3] Not among the three answers.
   *[other] Not among the { $answers } answers.
  }
puzzle-no-roll = No roll yet
puzzle-answer-counts = The answer counts, not the roll.
puzzle-day-solved = solved
puzzle-day-tried = not solved
puzzle-day-streak = { $days ->
    [one] one day in a row
   *[other] { $days } days in a row
  }
puzzle-row = in a row
puzzle-row-spoken = { $row } in a row.
puzzle-longest-row = your best: { $row }
puzzle-you = you { $rating }
puzzle-you-changed = you { $rating } ({ $change })
puzzle-its = puzzle { $rating }
puzzle-try = Try it again
puzzle-not-stored = Your browser does not keep this site’s cookies, so this answer is not stored and changes no rating.
puzzle-next = Next puzzle
puzzle-analyse = Analyse it
puzzle-line-right = How it may go on
puzzle-line-better = The better choice, played out: { $what }
puzzle-solve-it = Solve it
start-puzzle-solved = Solved
start-puzzle-missed = Not solved
start-puzzle-another = Another puzzle
