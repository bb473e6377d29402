# What a player is offered after a game.

next-steps = What next
next-lesson = Lesson: { $title }
next-lesson-start = Start
next-losses = You lost { $n } games in a row.
next-easier = An easier game
next-easier-about = { $name } opponents, on a new board.
next-easier-level = Computers of a lower level, on a new board.
next-easier-play = Play { $name }
next-daily = Board of the day
next-daily-about = { $days ->
    [0] Not played yet today.
    [1] Not played yet today.
   *[other] Not played yet today. { $days } days in a row.
  }
next-daily-play = Play
