# Moves that are taken back, and words that players add to the dice.

# The button, where the game has no better words for the move.
take-back = Take back your last move
take-back-button = Take back
key-undo = take back a move

# The log; a line that was taken back is struck, and says so to those who listen.
log-took-back = { $person ->
    [you] You took back your last move
   *[other] { $who } took back their last move
}
log-taken-back = (taken back)
log-contributed = { $person ->
    [you] You added “{ $words }” to the dice
   *[other] { $who } added “{ $words }” to the dice
}

# Beside the result of a finished game, and on its card.
over-takebacks = With { $n ->
    [one] one move
   *[other] { $n } moves
  } taken back.
card-takebacks = { $n ->
    [one] one move taken back
   *[other] { $n } moves taken back
}

# Why nothing is taken back.
notice-strict = At this table no move is taken back.
notice-not-alone = Moves are taken back only where nobody else plays.
notice-nothing-to-take-back = There is no move of yours to take back.
notice-too-many-takebacks = { $most } moves were taken back in this game, and no more can be.
notice-enough-words = You have added words to these dice { $most } times, and that is enough.
error-no-takeback = At this table no move is taken back.

form-strict = Strict: no move is taken back
api-undo = Take back your last move, and what computers did after it. It is an entry of its own; what was taken back stays in the record.
