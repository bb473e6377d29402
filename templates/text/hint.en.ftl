# Hints: what the actions of a position are worth.

hint = Hint
hint-ask = Hint
hint-close = Close the hint
hint-thinking = The computer is looking at every move.
# A row of the list, as it is read aloud.
hint-row = { $rank }: { $what }
hint-row-chance = { $rank }: { $what }, chance of winning { $share }
hint-row-odds = the attack succeeds with { $odds }
hint-chance = chance of winning after this move
hint-exact = exact, every line searched
hint-all = Show all { $count } moves
hint-made = { $thousands ->
    [one] Based on 1,000 simulated games.
   *[other] Based on { $thousands },000 simulated games.
  }
hint-first = the hint’s first choice
hint-sure = sure
hint-off = There are no hints at this table, because people play against each other here.
hint-for-all = At this table everybody may ask for hints.
form-hints = Hints for everybody, even when people play each other (not at a strict table)
key-hint = Hint

# The analysis board
analysis-action = |{ $action }|
analysis-outcome = outcome { $number }, { $odds }%
analysis = Analysis
analysis-ask = Analyse
analysis-what-if = What if?
analysis-sub = Choose a place on the board to change it, or the next move in the line.
analysis-to-move = { $who } to move
analysis-edit = Change the position
analysis-turn = Whose turn it is
analysis-player = { $who }
analysis-deal = Another board
analysis-worth = Chance of winning
analysis-over = The game is over here.
analysis-line = What if
analysis-start = The starting position
analysis-next = { $who }: the best moves
analysis-back = Take back the last move
analysis-share = Link to this position
