# The words of Trilobite, in English.

# Players
players-chips = { $place ->
    [head] chips
   *[within] |{ $count }| { $count ->
        [one] chip
       *[other] chips
      }
  }
turn-chip = Chip { $turn }
trilobite = Trilobite

# The board
columns-about = { $width } columns, { $height } high. Chips fall to the lowest empty cell; { $win } in a row wins.
column = Column { $column }, { $chips ->
    [0] empty
    [one] one chip
   *[other] { $chips } chips
  }
column-choose = Column { $column }, { $chips ->
    [0] empty
    [one] one chip
   *[other] { $chips } chips
  }, drop a chip
column-chosen = Column { $column }, chosen; choose again to put the chip back
column-owners = from the bottom: { $owners }
column-full = Column { $column }, full
table-drop = Drop

# The prompt
choose-column = Choose a column
choose-column-sub = { $win ->
    [one] One chip wins
   *[other] { $win } in a row wins
  }: across, up or diagonally.
confirm-column = Drop in { $column }?
confirm-column-sub = The chip falls to the ringed cell.
other-column = Another column
drop = Drop in { $column }

# What happened
log-empty-trilobite = Nothing yet. Chips will be listed here.
log-drop = { $who }: |{ $column }|
log-took-back-chip = { $who } took back |{ $column }|
take-back-chip = Take back { $column }

# The end
over-line = { $win ->
    [1] One chip
    [2] Two in a row
    [3] Three in a row
    [4] Four in a row
    [5] Five in a row
    [6] Six in a row
    [7] Seven in a row
    [8] Eight in a row
   *[other] { $win } in a row
  }: { $person ->
    [you] you win
   *[other] { $who } wins
  } in { $chips ->
    [one] one chip
   *[other] { $chips } chips
  }
over-line-reason = { $person ->
    [you] Your last chip completed the line.
   *[other] { $who }’s last chip completed the line.
  }
over-chips-won = You won
over-chips-lost = You lost
over-full = The board is full: a draw
over-full-reason = Nobody made a line.
over-resigned-chips = The other side resigned.
over-limit-chips = The game reached its limit of moves.

# Notices
notice-column-full = Column { $column } is full.
notice-no-such-column = There is no such column on this board.

# Start
start-trilobite = Play Trilobite, four in a row

# The form
form-trilobite = Trilobite
form-trilobite-about = Chips fall to the bottom of a column; the first line of them wins. Usual: 8 × 7, four in a row.
form-width = Columns
form-height = Height
form-win = In a row
form-problem-win = The row to make is longer than the board.
form-problem-board = A board has at least one column and one row, and columns × (height + 1) may be 128 at most.

# Your games
card-chips = Trilobite, { $chips ->
    [0] no chip yet
    [one] one chip
   *[other] { $chips } chips
  }

# Rules
rules-trilobite-title = Trilobite
rules-trilobite-text = A second game, for two, with no dice at all: four in a row on an upright board.
rules-trilobite-drop = |Drop| a chip into a column that is not full. It falls to the lowest empty cell.
rules-trilobite-line = |Four in a row| wins at once: across, up or diagonally.
rules-trilobite-full = |A full board| without such a line is a draw.
rules-trilobite-size = Usually there are 8 columns of 7 cells. Other sizes, and more or fewer in a row, can be chosen when you set up a game.

# In the terminal, in the book's words
terminal-help-trilobite = A chip falls to the lowest empty cell of its column. The columns are:

# What the levels do
level-novice-about-trilobite = Plays any legal move, as Random does.
level-book-about-trilobite = Plays by the method of Land of Lisp: looks a few chips ahead and counts the lines that are still open.
level-greedy-about-trilobite = Completes a line or stops yours if it can, else drops where its lines grow most, without a thought for the answer; Book is stronger on most boards.
level-steady-about-trilobite = Judges the board after each possible drop by threats and open lines, plays forced replies through, and drops where it looks best.
level-advanced-about-trilobite = Looks ahead at your replies and its own, for an instant.
level-champion-about-trilobite = Looks ahead as Master does, ten times as long, with two searches side by side.

# Settings
set-example-chips = A corner of a Trilobite board

# Live pages and keys
key-column = Trilobite: drop a chip there
key-shift = Trilobite: with h; with u, n, p if columns have these letters

# ---- review: "place" is head where the words stand alone, and within in a sentence ----
review-column = { $place ->
    [head] Column { $column }
   *[within] column { $column }
  }

# Hints
hint-column = column |{ $column }|
hint-do-drop = Drop into { $column }
hint-drop = Drop into { $column }
hint-drop-result = { $result ->
    [wins] Drop into { $column }: you win in { $chips }
    [loses] Drop into { $column }: it is lost in { $chips }
   *[draw] Drop into { $column }: a draw
  }
hint-drop-sub = What each column is worth is shown above it.
hint-result = { $result ->
    [wins] wins in { $chips }
    [loses] loses in { $chips }
   *[draw] draw
  }
hint-why-line = The chip completes a line of { $win }.
hint-why-stops = The chip stops { $who }’s line.
hint-why-two = The chip makes two threats at once; { $who } can stop only one.
hint-why-forced = The chip wins, whatever { $who } does.
hint-why-lost = Every column loses; this one lasts longest.
hint-why-draw = No column wins; this one holds the draw.
hint-why-open-lines = The chip keeps the most lines open.

# The analysis board
analysis-column = Column { $column }
analysis-add = { $who } on top
analysis-remove = Remove the top chip

trilobite-field-board = Every cell from cell 0 on: 0 where it is empty, else whose chip lies there, 1 or 2. Cells are numbered row by row from the top: cell c lies in row c / width, column c % width.
trilobite-field-player = In a position, the chip to move: 1 or 2. Everywhere else players are 0 and 1, and player p has chip p + 1.
trilobite-field-last-move = The cell of the last chip, −1 where there is none.
trilobite-field-cell = An action: the cell where the chip comes to lie, the lowest empty one of its column.

# A game with its numbers
numbers-trilobite = Trilobite, { $width } × { $height }, { $win } in a row

# Puzzles
puzzle-outcome = { $result ->
    [wins] wins
    [draws] draws
   *[loses] loses
  }

# Themes of puzzles
puzzle-theme-win = Win
puzzle-task-win = One column wins by force. Which one?
puzzle-theme-defence = The only defence
puzzle-task-defence = All columns but one lose. Which one holds?

# The lesson
learn-threats-name = Threats in Trilobite
learn-threats-line-title = Four in a row wins
learn-threats-line-text = You are red. A chip falls to the lowest empty cell of its column.
learn-threats-line-task = Press the column that completes your line.
learn-threats-line-choice-1 = Column d
learn-threats-line-choice-2 = Column a
learn-threats-line-reply-1 = Four in a row: you win.
learn-threats-line-reply-2 = That completes nothing, and Blue can now close the gap at d.
learn-threats-block-title = Stop a line of three
learn-threats-block-text = Blue has three in a row and needs only one more chip.
learn-threats-block-task = Press the column where you have to drop.
learn-threats-block-choice-1 = Column d
learn-threats-block-choice-2 = Column f
learn-threats-block-reply-1 = Right. Blue’s line is closed.
learn-threats-block-reply-2 = Now Blue drops into d and has four in a row.
learn-threats-double-title = Two threats at once
learn-threats-double-text = Three in a row with both ends open win: the other can close only one end.
learn-threats-double-task = Press the column that makes two threats.
learn-threats-double-choice-1 = Column b
learn-threats-double-choice-2 = Column e
learn-threats-double-reply-1 = One threat only: a is taken, so Blue closes the line at e.
learn-threats-double-reply-2 = Right. You threaten b and f. Blue can stop only one of them.
learn-threats-prevent-title = Prevent two threats
learn-threats-prevent-text = Blue has two in a row with room on both sides. With one more chip there are two threats at once.
learn-threats-prevent-task = Press the column that prevents it.
learn-threats-prevent-choice-1 = Column a
learn-threats-prevent-choice-2 = Column e
learn-threats-prevent-reply-1 = Too far away: Blue drops into e and threatens b and f.
learn-threats-prevent-reply-2 = Right. Now the line can only grow to the left, and you can still close it there.
