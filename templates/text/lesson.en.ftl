# The pages of lessons; the texts of their steps are those of the games.

lesson-step = Step { $step } of { $steps }
lesson-next = Next
lesson-tried = tried
lesson-set-back = The board is as it was before.
lesson-other = Choose the other one.
rolling-odds = { $rolling }: { $odds }%
lesson-back = Back
lesson-left = { $minutes ->
    [one] About 1 minute left
   *[other] About { $minutes } minutes left
  }
lesson-skip = Skip the lesson
lesson-all = All lessons
lesson-more = More lessons
lesson-steps = { $steps ->
    [one] 1 step
   *[other] { $steps } steps
  }
lesson-end-other = That was this lesson. At the table you find positions like these in every game.
lesson-end-title = You know the game
lesson-end-text = Four players now, the same rules. Attack where the odds are good, keep your hexes in one piece, and stop in time.
lesson-all-rules = All rules on one page
nav-learn = Learn
start-lesson = Learn in 3 minutes
start-lesson-about = Small steps on a real board.
start-lesson-start = Start the lesson
