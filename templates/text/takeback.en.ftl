# Moves that are taken back, and words that players add to the dice.

# The button, where the game has no better words for the move.
take-back = Take back your last move
take-back-button = Take back
key-undo = Take back a move

# The log; a line that was taken back is struck, and says so to those who listen.
log-took-back = { $person ->
    [you] You took back your last move
   *[other] { $who } took back their last move
}
log-taken-back = (taken back)
log-no-words = { $person ->
    [you] You add no words to the dice
   *[other] { $who } adds no words to the dice
}
log-late-words = { $person ->
    [you] You did not reveal your words for the dice in time, so they are left out
   *[other] { $who } did not reveal the words for the dice in time, so they are left out
  }
log-fixed-words = { $person ->
    [you] You fixed words for the dice
   *[other] { $who } fixed words for the dice
}
log-contributed = { $person ->
    [you] You added “{ $words }” to the dice
   *[other] { $who } added “{ $words }” to the dice
}

# Beside the result of a finished game, and on its card.
over-takebacks = { $n ->
    [one] One move was
   *[other] { $n } moves were
  } taken back.
card-takebacks = { $n ->
    [one] one move taken back
   *[other] { $n } moves taken back
}

# Why nothing is taken back.
notice-strict = At this table moves cannot be taken back.
notice-not-alone = Moves can be taken back only where nobody else plays.
notice-nothing-to-take-back = You have no move to take back.
notice-too-many-takebacks = { $most } moves were taken back in this game, which is the limit.
notice-words-awaited = Words are being added to the dice. Add yours or none on the page of the dice; then the game goes on.
error-no-takeback = At this table moves cannot be taken back.

form-strict = Strict: moves cannot be taken back
api-undo = Take back your last move, and what computers did after it. The takeback is an entry of the record; what was taken back stays there, too.
