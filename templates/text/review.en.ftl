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

# ---- the verdict ----
# "luck" is gave, cost or even; "dice" and "cost" are points.
review-verdict = { $person ->
    [you] { $luck ->
        [gave] Your dice gave you { $dice ->
            [one] one point
           *[other] { $dice } points
          }, your decisions cost { $cost }
        [cost] Your dice cost you { $dice ->
            [one] one point
           *[other] { $dice } points
          }, your decisions { $cost }
       *[even] Your dice were even, your decisions cost { $cost ->
            [one] one point
           *[other] { $cost } points
          }
      }
   *[other] { $luck ->
        [gave] The dice gave { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }, their decisions cost { $cost }
        [cost] The dice cost { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }, their decisions { $cost }
       *[even] The dice of { $who } were even, their decisions cost { $cost ->
            [one] one point
           *[other] { $cost } points
          }
      }
  }
review-verdict-dice = { $person ->
    [you] { $luck ->
        [gave] Your dice gave you { $dice ->
            [one] one point
           *[other] { $dice } points
          }, your decisions cost nothing
        [cost] Your dice cost you { $dice ->
            [one] one point
           *[other] { $dice } points
          }, your decisions nothing
       *[even] Your dice were even, and your decisions cost nothing
      }
   *[other] { $luck ->
        [gave] The dice gave { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }, their decisions cost nothing
        [cost] The dice cost { $who } { $dice ->
            [one] one point
           *[other] { $dice } points
          }, their decisions nothing
       *[even] The dice of { $who } were even, and their decisions cost nothing
      }
  }
review-verdict-decisions = { $person ->
    [you] { $cost ->
        [one] Your decisions cost you one point
       *[other] Your decisions cost you { $cost } points
      }
   *[other] { $cost ->
        [one] The decisions of { $who } cost one point
       *[other] The decisions of { $who } cost { $cost } points
      }
  }
review-verdict-flawless = { $person ->
    [you] Your decisions cost you nothing
   *[other] The decisions of { $who } cost nothing
  }
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
review-look = Look at move { $ply }
review-play-on = { $ply ->
    [0] Play on from the start
   *[other] Play on from move { $ply }
  }
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
review-worst = { $person ->
    [you] The decisions that cost you most
   *[other] The decisions that cost { $who } most
  }
review-none = { $person ->
    [you] None of your decisions cost enough for the search to notice.
   *[other] No decision of { $who } cost enough for the search to notice.
  }
review-cost = { $points ->
    [one] cost |one point| of { $share }; |{ $better }| was better.
   *[other] cost |{ $points } points| of { $share }; |{ $better }| was better.
  }
review-go = Move { $ply }
review-gave-up = Resignation
review-action = { $action }

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
