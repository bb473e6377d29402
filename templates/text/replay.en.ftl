# Replays, what is made of them, and games that begin from them, in English. Between two bars | stands what is emphasised.

# The player
replay-at = Move |{ $ply }| of { $newest }
replay-slider = Place in the game
replay-strip = The game, turn by turn
replay-turn = Turn { $turn }, { $who }: { $moves ->
    [one] move { $from }
   *[other] moves { $from } to { $to }
  }
replay-turn-back = One turn back
replay-turn-on = One turn forward
replay-play = Play
replay-won = captured
replay-failed = failed
replay-band = One band is one turn.
replay-space = Space
replay-space-does = plays
replay-arrows-do = moves
replay-brackets-do = turns

# Playing on
play-on = Play on from here
play-on-why = A new game with fresh dice; this one stays as it is.
play-on-others = Play on with other players
play-on-who = Who plays
play-on-with = Play on with these players
origin-played-on = { $ply ->
    [0] Played on from |the start of another game|.
   *[other] Played on after |move { $ply } of another game|.
  }
origin-uploaded = Uploaded record: played elsewhere, and nobody here checked who played.
who-elsewhere = played elsewhere
origin-daily = The scored game of |{ $day }|.
