# The review of a finished game.
# "who" is a player's name, "person" is "you" for the reader and "other" for everybody else.

# ---- before it is made ----
review = Review
review-over = Review this game
review-ask-title = What was luck, what was skill?
review-ask-title-sure = Where was it decided?
review-ask-lead = A review looks at every decision of the game and says what it cost, and what the dice gave.
review-ask-lead-sure = A review looks at every decision of the game and says what it cost.
review-ask = Review this game
review-back = Back to the game
review-wait-title = Reviewing the game
review-wait-lead = The search of the strongest level checks every decision, and once more those that cost most.
review-wait-come = { $of ->
    [one] { $done } of { $of } decision checked.
   *[other] { $done } of { $of } decisions checked.
  }
review-wait-about = It goes on without you; this page shows the review when it is ready.
review-look-again = Refresh

# ---- the headline; "luck" is gave, cost or even; "dice" are points ----
review-accuracy = { $person ->
    [you] Accuracy { $percent }
   *[other] { $who }: accuracy { $percent }
  }
review-average = The average of your last { $games } reviewed games is { $percent } (the line).
review-best-each = This is the part of the chance of winning that the decisions kept: 100% is the best decision every time.
review-accuracy-about = Points are a sum over all decisions, accuracy an average: who has better chances can lose more points with a higher accuracy.
review-luck-point = { $person ->
    [you] { $luck ->
        [gave] Your dice gave you { $dice ->
            [one] one point
           *[other] { $dice } points
          }
        [cost] Your dice cost you { $dice ->
            [one] one point
           *[other] { $dice } points
          }
       *[even] Your dice were even
      }
   *[other] { $luck ->
        [gave] The dice gave { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }
        [cost] The dice cost { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }
       *[even] The dice of { $who } were even
      }
  }; a point is one percent of the chance of winning.
review-lead-one = { $person ->
    [you] { $plies ->
        [one] You won after one move.
       *[other] You won after { $plies } moves.
      }
   *[other] { $plies ->
        [one] { $who } won after one move.
       *[other] { $who } won after { $plies } moves.
      }
  }
review-lead-tie = { $plies ->
    [one] { $who } tied after one move.
   *[other] { $who } tied after { $plies } moves.
  }
review-lead-draw = { $plies ->
    [one] Nobody won after one move.
   *[other] Nobody won after { $plies } moves.
  }
review-point = A point is one percent of the chance of winning.
review-replay = Replay
review-sides = From the side of

# ---- the chance of winning ----
review-chances = Chance of winning
review-chances-label = Each player’s chance of winning, move by move
review-ply-0 = move 0
review-percent = { $n }%
review-table = Show as a table
review-ply = move
review-who = who decided
review-start = the start
review-decision = decision
review-luck = luck

# ---- luck apart from skill; a bar marks where a label may break ----
review-apart = Luck versus skill
review-decisions-title = Where it went
review-became = { $person ->
    [you] how your { $start }% became { $end }%
   *[other] how { $start }% became { $end }%
  }
review-at-start = at|the start
review-own-dice = { $person ->
    [you] your|dice
   *[other] own|dice
  }
review-own-decisions = { $person ->
    [you] your|choices
   *[other] own|choices
  }
review-others-decisions = others’|choices
review-others-dice = others’|dice
review-at-end = at|the end

# ---- the dice ----
review-dice = { $person ->
    [you] Your { $n } dice
   *[other] The { $n } dice of { $who }
  }
review-sixes = { $n ->
    [one] one six, { $expected } expected
   *[other] { $n } sixes, { $expected } expected
  }
review-face = { $n ->
    [one] { $face } came once
   *[other] { $face } came { $n } times
  }
review-each = { $n } each

# ---- decisions; "place" is head where the words stand alone, and within in a sentence ----
review-none = No decision cost more than 2 points.
review-through = { $n ->
    [one] Look at the mistake
   *[other] Go through { $n } mistakes
  }
review-play-again = Play again
review-best-title = { $n ->
    [one] The best decision
   *[other] The { $n } best decisions
  }
review-mistakes-title = { $n ->
    [one] One mistake
   *[other] { $n } mistakes
  }
review-swing-title = Against the odds
review-points = { $points ->
    [one] { $signed } point
   *[other] { $signed } points
  }
review-best-line = Move { $ply }. The next best was { $other }.
review-mistake-line = Move { $ply }. Better was { $other }.
review-swing-line = { $person ->
    [you] Your move { $ply }. A roll like this had a chance of { $chance }: bad luck, not a mistake.
   *[other] { $who }, move { $ply }. A roll like this had a chance of { $chance }: bad luck, not a mistake.
  }
review-look = Look
review-cost = { $points ->
    [one] Move { $ply }: { $played } cost one point of { $share }; { $better } was better.
   *[other] Move { $ply }: { $played } cost { $points } points of { $share }; { $better } was better.
  }
review-gave-up = { $place ->
    [head] Resignation
   *[within] resignation
  }
review-action = { $action }

# ---- a decision on its own page ----
review-mistake-of = Mistake { $n } of { $all }: cost { $points ->
    [one] one point
   *[other] { $points } points
  }
review-best-of = Best decision { $n } of { $all }: gained { $points ->
    [one] one point
   *[other] { $points } points
  }
review-better = Better: { $action }
review-well-played = Well played: { $action }
review-played = Played: { $action }. Move { $ply }.
review-next-best = Next best: { $action }. Move { $ply }.
review-with-odds = { $action }, { $odds } chance
review-mark = { $mark }
review-mark-better = better
review-mark-played = played
review-mark-next = next best
review-decisions = Decisions
review-previous-mistake = Previous mistake
review-next-mistake = Next mistake
review-previous-best = Previous decision
review-next-best-decision = Next decision
review-try = Try it yourself
review-to-review = Back to the review

# ---- players ----
review-accounts = Luck and decisions of every player
review-player = player
review-luck-points = own dice, points
review-decision-points = own decisions, points
review-sum-about = The chance at the start and everything that dice and decisions changed add up to the result.
review-luck-about = The expected luck of every roll is zero, so whatever is left is luck.

# ---- by whom ----
review-details = Details
review-by = { $simulations ->
    [one] Made with the search of { $level }, at least one simulation per move, evaluation { $version }.
   *[other] Made with the search of { $level }, at least { $simulations } simulations per move, evaluation { $version }.
  }
review-outdated = The evaluation of the levels has changed since then, so they would say something else now.
review-again = Review again
