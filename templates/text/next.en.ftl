# What a player is offered after a game.

next-steps = What next
next-lesson = Lesson: { $title }
next-lesson-start = Start
next-losses = You lost { $n } games in a row.
next-daily = Board of the day
next-daily-about = { $days ->
    [0] Not played yet today.
    [1] Not played yet today.
   *[other] Not played yet today; { $days } days in a row so far.
  }
next-daily-play = Play

# What a win is the first of.
over-first-win = Your first win
over-first-win-against = Your first win against { $name }
over-wins-in-a-row = { $n ->
    [3] Your third win in a row
    [4] Your fourth win in a row
    [5] Your fifth win in a row
   *[other] { $n } wins in a row
  }
over-more = More
over-daily-result = Your result
