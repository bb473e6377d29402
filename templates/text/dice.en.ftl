# The words of Dice of Doom, in English.

# Players
players-hexes = { $place ->
    [head] hexes
   *[within] |{ $count }| { $count ->
        [one] hex
       *[other] hexes
      }
  }
players-dice = { $place ->
    [head] dice
   *[within] |{ $count }| { $count ->
        [one] die
       *[other] dice
      }
  }
players-cluster = { $place ->
    [head] cluster
   *[within] cluster of |{ $count }|
  }

# The board
board-about = { $side } by { $side } hexes. Hexes are numbered from the back left, row by row.
hex-yours = yours
hex = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }
hex-choose = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, choose to attack from
hex-chosen = Hex { $hex }, { $owner }, { $dice } dice, chosen; press again to choose another hex
hex-target = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, attack, { $odds }% chance
hex-target-sure = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, attack
hex-neighbours = { $label }; next to { $hexes }
table-hex = Hex
table-owner = Owner
table-dice = Dice
table-choose = attack from { $hex }
table-neighbours = Next to
table-attack-odds = attack { $hex }, { $odds }%
table-attack = attack { $hex }
table-back = choose another hex

# The prompt
choose-source = Choose where to attack from
choose-source-sub = Hexes with a white rim can attack.
choose-source-first = Hexes with a white rim can attack. After an attack you may end your turn.
choose-source-last = { $who } has no land left: the game ends when { $who }’s turn comes. Most hexes win.
choose-target = Choose a target for your { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }
choose-target-sub = { $targets ->
    [one] Press the ringed hex.
   *[other] Press one of the { $targets } ringed hexes.
  }
put-back = Choose another hex
confirm = Attack { $from } → { $to }?
confirm-odds = { $attack } dice against { $defend }: { $odds }% to capture it.
confirm-sure = { $attack } dice against { $defend }: it will be yours.
attack = Attack
other-target = Another target
only-end = End your turn
only-end-sub = None of your hexes can attack any more.
only-end-game = End the game
end-turn = End turn
end-turn-dice = +{ $dice } { $dice ->
    [one] die
   *[other] dice
  }
end-turn-cluster = for your largest cluster, { $cluster ->
    [one] one hex
   *[other] { $cluster } hexes
  }
end-turn-captured = for the dice you captured, less one
attack-buttons = Attacks from { $from }
attack-button = { $from } → { $to }
attack-button-odds = { $from } → { $to }, { $odds }%

# The first turn of a first game
first-attack = Choose a { $player ->
    [0] red
    [1] blue
    [2] green
    [3] purple
    [4] gold
   *[other] grey
  } hex with a white rim, then a neighbour to attack.
first-next = Attack again, or end your turn: then one new die comes for each hex of your largest cluster.

# What ending the turn does. Before the name between bars stands the player's glyph.
end-turn-room = +{ $dice } { $dice ->
    [one] die
   *[other] dice
  }, { $lost ->
    [one] no room for 1 more
   *[other] no room for { $lost } more
  }
end-turn-alone = no hex of yours can attack
end-turn-cluster-dice = +{ $dice } { $dice ->
    [one] die
   *[other] dice
  } for your largest cluster, { $cluster ->
    [one] one hex
   *[other] { $cluster } hexes
  }{ $lost ->
    [0] {""}
    [one] ; no room for 1 more
   *[other] ; no room for { $lost } more
  }
end-turn-captured-dice = +{ $dice } { $dice ->
    [one] die
   *[other] dice
  } for the dice you captured, less one{ $lost ->
    [0] {""}
    [one] ; no room for 1 more
   *[other] ; no room for { $lost } more
  }
end-game = End the game
end-game-wins = { $person ->
    [you] you win
   *[other] |{ $who }| wins
  } { $most }–{ $least }
end-game-tie = a tie at { $hexes } with |{ $who }|
end-game-tie-others = a tie at { $hexes }: |{ $who }|
end-game-you-can = { $person ->
    [you] You
   *[other] { $who }
  } can still attack, from { $hexes ->
    [one] one hex
   *[other] { $hexes } hexes
  }.
end-game-no-land = { $who } has no land left.
end-game-lone-die = { $who }’s lone die cannot attack.
end-game-single-dice = { $who } has only single dice: none can attack.
end-game-no-attack = { $who } cannot attack from any hex.
end-game-quiet = Nobody attacked for too long.
tag-stuck = stuck
hex-stuck = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, stuck at the next turn
end-ask = End the game?
end-ask-keep = Keep attacking
end-ask-loses = { $who } wins { $most }–{ $least } if the game ends now.{ $needed ->
    [0] {""}
    [one] {" "}Take one more hex from { $who } and you would win.
    [2] {" "}Take two more hexes from { $who } and you would win.
    [3] {" "}Take three more hexes from { $who } and you would win.
   *[other] {" "}Take { $needed } more hexes from { $who } and you would win.
  }
end-ask-tie = It is a tie at { $hexes } with { $who } if the game ends now.{ $needed ->
    [0] {""}
    [one] {" "}Take one more hex from { $who } and you would win.
   *[other] {" "}Take { $needed } more hexes from { $who } and you would win.
  }
end-ask-tie-others = It is a tie at { $hexes } between { $who } if the game ends now.

# The dice
roll = The last attack
roll-captured = Captured
roll-held = Repelled
roll-path = { $who }, { $from } → { $to }
roll-moved = { $dice ->
    [one] One die moved in
   *[other] { $dice } dice moved in
  }
roll-stays = One die stays
roll-beats = beats
roll-not-over = does not beat
roll-plain = { $attack } dice beat { $defend }
roll-rolling = Rolling { $attack } dice against { $defend }
roll-result = { $outcome ->
    [captured] { $attack } beats { $defend }. The hex is yours.
   *[held] { $attack } does not beat { $defend }.
  }
roll-faces = { $who } rolled { $faces }

# What happened
log-empty-dice = Nothing yet. Attacks will be listed here.
log-attack = { $person ->
    [you] You attack
   *[other] { $who } attacks
  } |{ $from } → { $to }| with { $attack } against { $defend }: { $sumA } to { $sumD }, |{ $outcome ->
    [captured] captured
   *[held] repelled
  }|.
log-attack-plain = { $person ->
    [you] You take
   *[other] { $who } takes
  } |{ $to }| from { $from }, with { $attack } against { $defend }.
log-took-back-attack = { $person ->
    [you] You took back |{ $from } → { $to }|
   *[other] { $who } took back |{ $from } → { $to }|
  }.
log-took-back-end = { $person ->
    [you] You took back the end of your turn
   *[other] { $who } took back the end of their turn
  }.
take-back-attack = Take back { $from } → { $to }
take-back-end = Take back the end of your turn
log-end = { $person ->
    [you] You end the turn
   *[other] { $who } ends the turn
  }: |+{ $dice }| { $dice ->
    [one] die
   *[other] dice
  }.
log-end-none = { $person ->
    [you] You end the turn
   *[other] { $who } ends the turn
  }; no new dice.

# The end
over-one = { $person ->
    [you] You win
   *[other] { $who } wins
  } { $hexes }–{ $next }
over-tie = { $who } tie with { $hexes ->
    [one] one hex
   *[other] { $hexes } hexes
  } each
over-won-by = Won by { over-won-by.margin }
    .margin = { $n ->
        [1] one hex
        [2] two hexes
        [3] three hexes
        [4] four hexes
        [5] five hexes
        [6] six hexes
        [7] seven hexes
        [8] eight hexes
        [9] nine hexes
        [10] ten hexes
        [11] eleven hexes
        [12] twelve hexes
       *[other] { $n } hexes
      }
over-won-all = Won: all the land is yours
over-lost-by = Lost by { over-won-by.margin }
over-tied = A tie with { $who }
over-gave-up = You resigned
over-no-land = { $person ->
    [you] You had no land left on your turn
   *[other] { $who } had no land left on their turn
  }, so the game ended. { over-no-land.most }
    .most = Most hexes win: { $scores }.
over-one-die = { $person ->
    [you] { $hexes ->
        [one] Your only hex had a single die on your turn
       *[other] Your { $hexes } hexes had a single die each on your turn
      }
   *[other] { $hexes ->
        [one] { $who }’s only hex had a single die on their turn
       *[other] { $who }’s { $hexes } hexes had a single die each on their turn
      }
  }, and one die cannot attack, so the game ended. { over-no-land.most }
over-no-neighbour = { $person ->
    [you] None of your piles of two dice or more touched anybody else’s land on your turn
   *[other] None of { $who }’s piles of two dice or more touched anybody else’s land on their turn
  }, so the game ended. { over-no-land.most }
over-none-larger = { $person ->
    [you] None of your piles was larger than a neighbour’s on your turn
   *[other] None of { $who }’s piles was larger than a neighbour’s on their turn
  }, and only more dice win, so the game ended. { over-no-land.most }
over-resigned = { $person ->
    [you] You resigned
   *[other] { $who } resigned
  }, so the game ended. Of the others, the most hexes win: { $scores }.
over-limit = The game reached its limit of moves, so it ended. { over-no-land.most }
over-conquered = { $person ->
    [you] You took the last hex of the others
   *[other] { $who } took the last hex of the others
  }, so the game ended.
over-quiet = Nobody attacked for too long, so the game ended. { over-no-land.most }

# The course of a finished game
course-held = Who held what
course-hexes = Hexes
course-dice = Dice
course-hexes-label = The hexes of each player, turn by turn
course-dice-label = The dice of each player, turn by turn
swings = Biggest swings
swings-about = each links to its move
swing-turn = turn { $turn }
swing-won = |{ $person ->
    [you] Your
   *[other] { $who }’s
  } { $attack } beat { $theirs ->
    [you] your
   *[other] { $defender }’s
  } { $defend }|, { $odds }% likely
swing-lost = |{ $person ->
    [you] Your
   *[other] { $who }’s
  } { $attack } lost to { $theirs ->
    [you] your
   *[other] { $defender }’s
  } { $defend }|, { $odds }% likely
counted = Dice statistics
counted-rolls = rolls
counted-won = won
counted-odds = expected
counted-luck = luck
counted-gave = You won { $n ->
    [one] one roll
   *[other] { $n } rolls
  } more than expected.
counted-took = You won { $n ->
    [one] one roll
   *[other] { $n } rolls
  } fewer than expected.
counted-even = You won as many rolls as expected.
counted-about = Every attack is a roll. Luck is the rolls won minus those expected from the odds.

# Notices
notice-not-your-hex = Hex { $hex } is not yours.
notice-one-die = Hex { $hex } has one die and cannot attack.
notice-not-neighbours = Hexes { $from } and { $to } do not touch.
notice-own-target = Hex { $to } is yours already.
notice-too-few = Hex { $from } needs more dice than hex { $to } has.
notice-nothing-to-pass = Attack once before you end your turn.

# The same of a move in a record that somebody brought
record-not-own-hex = hex { $hex } is not the player’s own.
record-one-die = hex { $hex } has one die and cannot attack.
record-not-neighbours = no attack goes from hex { $from } to hex { $to }: they do not touch.
record-own-target = hex { $to } is the player’s own already.
record-too-few = hex { $from } has too few dice to attack hex { $to }.
record-nothing-to-pass = a turn cannot end before its first attack.
notice-no-such-hex = There is no such hex on this board.
notice-no-target = Hex { $hex } has nobody to attack.
why-not-yours = That hex is not yours.
why-one-die = One die cannot attack.
why-no-target = Nobody to attack from there.
why-far = The chosen hex does not touch that one.
why-too-few = The chosen hex needs more dice than that one.

# Your games
card-turn = { $rules }, { $side } × { $side }, turn { $turn }
card-plies = { $rules }, { $side } × { $side }, { $plies ->
    [one] one move
   *[other] { $plies } moves
  }

# The form
form-dice = Dice of Doom
form-rules-v4 = Four players, dice are rolled (v4)
form-rules-conquest = Conquest, to the last hex
form-rules-v3 = Two players, no luck, 5 × 5 (v3)
form-rules-v2 = Two players, no luck, 4 × 4 (v2)
form-rules-v1 = Two players, no luck, 2 × 2 (v1)
form-about = About the rules
form-about-v4 = Chapter 20. Dice are rolled. Ending a turn brings as many dice as your largest cluster has hexes. It is over when a player cannot attack at the start of a turn.
form-about-conquest = Our own. Like v4, but you may always end your turn, players without land are skipped, and it goes on until one owns everything.
form-about-v3 = Chapter 19, the first with a picture. Like v2, on 5 × 5 hexes.
form-about-v2 = Chapter 18. Like v1, on 4 × 4 hexes. The book’s computer looks four moves ahead and skips what cannot matter (alpha-beta).
form-about-v1 = Chapter 15. Two players, up to three dice a hex. No dice are rolled: more dice win. Ending a turn brings back the dice you captured, less one. On 2 × 2 hexes the book’s computer sees every possible end (minimax).
form-usual = { $n } (default)
form-size = Hexes per side
form-size-n = { $n } × { $n }
form-max-dice = Maximum dice per hex
form-problem-range = A number is out of range: boards have 2 to 8 hexes a side, 2 to 6 players, 2 to 8 dice.
form-problem-players = There are more players than hexes.
form-problem-deal = No deal gave the first player an attack. Try another seed or a larger board.

# Rules
rules-lead = You hold hexes, and piles of dice stand on them. Take your neighbours’ land while your luck is good, and end your turn before it runs out.
rules-do-title = Your turn
rules-do-choose = |Choose| a hex of yours with two dice or more. Those that can attack have a white rim.
rules-do-attack = |Attack| a neighbour. Both sides roll all their dice; you need the higher total, a tie goes to the defender.
rules-do-won = |Won:| one die stays, the others move in, and the dice that stood there are gone.
rules-do-lost = |Lost:| one die stays, the others are gone. The defender keeps everything.
rules-do-again = Attack as often as you like. After at least one attack you may |end your turn|.
rules-odds-title = Your odds
rules-odds-text = The chance to capture a hex, in percent.
rules-odds-caption = Rows: your dice. Columns: theirs.
rules-odds-attack = your dice
rules-odds-theirs = against { $dice }
rules-new-title = Where new dice come from
rules-new-text = When you end your turn, you get one die for each hex of your |largest cluster|: the largest group of your hexes that touch. They are placed on your hexes from the back left, row by row, one each, skipping full ones. Dice that find no room are lost.
rules-new-tip = So connected land grows by itself, and one captured hex in the middle can cost its owner half the income.
rules-end-title = How it ends
rules-end-text = As soon as a player cannot attack at the start of a turn, the game is over for everybody. Whoever owns the |most hexes| wins; equal numbers tie.
rules-end-stuck = That player is |stuck|: no land left, or no hex of two dice or more next to somebody else’s. The button |End turn| warns you: it then says |End the game| and who would win.
rules-presets-title = Other rules
rules-plain-title = Without luck: versions 1 to 3
rules-plain-text = The book’s earlier games have the same land and the same turns, but |no dice are rolled|.
rules-plain-win = |More dice win.| Three dice beat two or one; against three they cannot even attack.
rules-plain-back = When you end your turn, |the dice you captured come back, less one|: as many as stood on the hexes you took in this turn, minus one.
rules-plain-two = |Two players|, up to three dice a hex: 2 × 2 hexes in v1, 4 × 4 in v2, 5 × 5 in v3.
rules-plain-computer = The book’s computer plays v1 by |minimax|, to the very end, and v2 and v3 by |alpha-beta|, four moves ahead.

# Pictures of the rules
lesson-attack = Red’s four dice are chosen. Each neighbour shows the chance to capture it.
lesson-attack-board = A small board. Red’s pile of four dice is chosen, and the neighbours show their odds: 99.7% against one die, 94% against two, 74% against three, 46% against four, 22% against five.
lesson-dice = Red’s largest cluster has four hexes (ringed), so four dice come. They go to Red’s hexes from the back left, also to those outside the cluster.
lesson-dice-board = A small board. Four of Red’s hexes touch and are ringed. One die came to each of four of Red’s hexes, from the back left.
lesson-stuck = Red has one die on each hex: Red is stuck. When Red’s turn begins like this, the game ends for everybody, and the hexes are counted.
lesson-stuck-board = A small board. Red has three hexes with one die each.

# The book's page
book-title = Dice of Doom, as in the book
book-welcome = Welcome to DICE OF DOOM!
book-choose = Please choose a hex to move from:
book-destination = Now choose a destination:
book-cancelled = Move cancelled.
book-rolled = On { $attackDice } dice rolled { $attackSum }. On { $defendDice } dice rolled { $defendSum }.
book-may-pass = You may now |pass| or make another move:
book-reinforced = Your reinforcements have been placed.
book-computer = The computer has moved.
book-thinking = The computer is thinking.
book-pass = pass
book-continue = continue
book-again = play again
book-leave = The same game with all its features

# In the terminal, in the book's words
terminal-end-turn = end turn
terminal-help-dice = On the board, a-3 is a hex of player a with 3 dice. 0 -> 3 attacks hex 3 from hex 0. The hexes are:

# Without odds
confirm-plain = { $attack } dice against { $defend ->
    [one] one
   *[other] { $defend }
  }.

# Settings
set-example-dice = A small board: four dice are chosen, and six hexes around them can be attacked

# Live pages and keys
key-turn = Dice of Doom: end your turn

# Since the reader's last turn
since = { $person ->
    [you] Since your turn
   *[other] Since { $who }’s turn
  }
since-start = Since the start
since-striped = { $person ->
    [you] Striped hexes were yours.
   *[other] Striped hexes were { $who }’s.
  }
since-kept = { $person ->
    [you] Nobody took a hex of yours.
   *[other] Nobody took a hex of { $who }’s.
  }
since-hexes = |−{ $n }| { $n ->
    [one] hex
   *[other] hexes
  }
since-dice = |+{ $n }| new { $n ->
    [one] die
   *[other] dice
  }{ $fell ->
    [0] {""}
   *[other] , |{ $fell }| lost
  }
since-took = |{ $who }| took { $hexes }
since-taken-hexes = { $count ->
    [one] : hex { $hexes }
   *[other] : hexes { $hexes }
  }
since-again = Watch again
since-close = Close this card

# ---- review: "place" is head where the words stand alone, and within in a sentence ----
review-attack = { $place ->
    [state] { $attack } against { $defend }
   *[other] { $attack } against { $defend } ({ $from } → { $to })
  }
review-end-turn = { $place ->
    [head] Ending the turn
   *[within] ending the turn
  }

# Hints
hint-attack = |{ $from } → { $to }| { $attack } against { $defend }
hint-end = |End the turn|
hint-do-attack = Attack { $from } → { $to }
hint-take = Take hex { $to }
hint-take-odds = Attack it from { $from } with { $attack } dice against { $defend }. The chance is { $odds }%.
hint-take-sure = Attack it from { $from } with { $attack } dice against { $defend }.
hint-end-turn = End your turn
hint-end-game = End the game
hint-end-game-sub = Ending your turn also ends the game: the button says how.
hint-end-turn-sub = { $dice ->
    [0] You get no dice now, but every attack costs more than it gains.
    [one] You get one die now.
   *[other] You get { $dice } dice now.
  }
hint-why-wins = This ends the game, and you win.
hint-why-only = There is nothing else to do.
hint-why-odds = No attack has a better chance than { $odds }%.
hint-why-rest = Every attack risks more than it gains.
hint-why-open = { $from } → { $to } would leave { $hex } open to { $person ->
    [you] your
   *[other] { $who }’s
  } { $dice } dice.
hint-why-last = { $who } has no other hex and will be out of the game.
hint-why-ends = { $result ->
    [wins] If you end the turn after it, the game ends and you win.
   *[other] If you end the turn after it, the game ends: then only hexes count, not new dice.
  }
hint-why-joins = The attack joins your land: { $cluster } hexes in one cluster, which bring dice when you end the turn.
hint-why-splits = The attack splits { $who }’s land: the largest cluster shrinks from { $before } hexes to { $after }.
hint-why-threat = The attack takes { $who }’s { $dice } dice, which threaten { $hex }.
hint-why-grows = Your largest cluster grows to { $cluster } hexes.
hint-why-safe = This leaves none of your hexes open to more dice than before.
hint-why-best = Nothing else leaves you better off.

# The analysis board
analysis-hex-owner = Hex { $hex } belongs to
analysis-hex-dice = and holds
analysis-dice = { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }
analysis-captured = captured, { $odds }%
analysis-fails = fails, { $odds }%

dice-field-board = Owner and dice of every hex, from hex 0 on. Hexes are numbered row by row from the top: hex h lies in row h / size, column h % size. Each row lies half a hex further left than the row above it.
dice-field-neighbors = In the answer of a game: the hexes that each hex touches, from hex 0 on.
dice-field-player = Whose turn it is.
dice-field-spare = The dice that stood on the hexes attacked in this turn.
dice-field-first-move = Whether nothing has been attacked in this turn. Then the turn cannot end, except in |conquest|.
dice-field-quiet = Turns in a row that ended without an attack: too many of them end a game of |conquest|. Other rules have no such field.
dice-field-path = An action: |[from, to]| attacks, |null| ends the turn.

# A game with its numbers
numbers-dice = Dice of Doom, { $rules ->
    [conquest] conquest
   *[other] { $rules }
  }, { $side } × { $side }, { $players } players

# What the strong levels do: where a neural network knows the board, and elsewhere
levels-at-dice-net = On boards that a neural network knows:
levels-at-dice = On all others:
level-advanced-about-dice-net = Looks one move ahead; a small neural network and Steady’s judgement decide together.
level-expert-about-dice-net = A small neural network, trained on many games, looks one move ahead and plays what it finds best.
level-master-about-dice-net = Looks further ahead with the same network, for a moment, and takes into account how the others have played so far.
level-champion-about-dice-net = Looks ahead as Master does, much longer.
level-advanced-about-dice = Looks ahead at what everybody may reply, for an instant, and judges by a hand-written evaluation, because no network knows this board.

# The first lesson
learn-rules-source-title = Choose a hex
learn-rules-source-text = You are red. Each hex belongs to a player and carries dice. You attack from a hex with two dice or more.
learn-rules-source-task = Press a red hex from which you can attack.
learn-rules-source-choice-1 = The hex with 3 dice
learn-rules-source-choice-2 = The hex with 1 die
learn-rules-source-reply-1 = Right. With 3 dice you can attack a neighbour.
learn-rules-source-reply-2 = One die cannot attack: it has to stay on its hex.
learn-rules-attack-title = Attack a neighbour
learn-rules-attack-text = Your hex with 3 dice is chosen. You can attack the blue hexes that touch it.
learn-rules-attack-task = Press the blue hex that you can attack.
learn-rules-attack-choice-1 = The blue hex with 1 die
learn-rules-attack-choice-2 = The blue hex with 2 dice
learn-rules-attack-reply-1 = You won: both sides roll all their dice, and the higher sum wins. All your dice but one move in, and the hex is yours.
learn-rules-attack-reply-2 = That hex does not touch yours.
learn-rules-odds-title = Look at the odds first
learn-rules-odds-text = The percentage on a hex is your chance to win the attack.
learn-rules-odds-task = Press the blue hex that you are more likely to win.
learn-rules-odds-choice-1 = Attack the 1 die
learn-rules-odds-choice-2 = Attack the 3 dice
learn-rules-odds-reply-1 = Won, as you will almost always. If you lose an attack, only one die stays on your hex. A tie is lost, too.
learn-rules-odds-reply-2 = Lost, as more often than not: only one die is left on your hex. A tie is lost, too.
learn-rules-cluster-title = Keep your hexes together
learn-rules-cluster-text = At the end of your turn you get one new die for each hex of your largest connected group. They are placed for you.
learn-rules-cluster-task = Press the attack that joins your two groups.
learn-rules-cluster-choice-1 = Attack at the back
learn-rules-cluster-choice-2 = Attack in the middle
learn-rules-cluster-reply-1 = Won, but your groups are still apart. The larger one has 3 hexes: only 3 new dice.
learn-rules-cluster-reply-2 = Right. Now you have one group of 6 hexes: 6 new dice.
learn-rules-stop-title = Stop in time
learn-rules-stop-text = You may attack as often as you like, and end your turn when you like, after the first attack.
learn-rules-stop-task = Only attacks with poor odds are left. What do you do?
learn-rules-stop-choice-1 = Attack
learn-rules-stop-choice-2 = End your turn
learn-rules-stop-reply-1 = Lost, as almost always. Your hex has one die left, and Blue can take it.
learn-rules-stop-reply-2 = Right. Your group of 6 hexes earns 6 new dice, which guard it against Blue.
learn-rules-stuck-title = The game ends when somebody is stuck
learn-rules-stuck-text = If a player cannot attack at the start of their turn, the game is over. Whoever holds the most hexes wins.
learn-rules-stuck-task = Blue has single dice only, but 5 hexes of 9. What do you do?
learn-rules-stuck-choice-1 = Attack
learn-rules-stuck-choice-2 = End your turn
learn-rules-stuck-reply-1 = Right. Now you hold 5 hexes. End your turn: Blue is stuck, and you win.
learn-rules-stuck-reply-2 = Blue is stuck, so the game is over. But Blue holds 5 hexes and you 4: you lose.

# Puzzles
puzzle-attack = { $place ->
    [head] Attack { $who }, { $from } → { $to }
   *[within] attack { $who }, { $from } → { $to }
  }
puzzle-attack-dice = your { $attack } dice against { $defend }
puzzle-end = { $place ->
    [head] End your turn
   *[within] end your turn
  }
puzzle-end-dice = { $dice ->
    [0] no new dice
    [one] 1 new die
   *[other] { $dice } new dice
  }
puzzle-end-game = the game ends

# Themes of puzzles
puzzle-theme-stop = Attack or stop?
puzzle-task-stop = Go on attacking, or end your turn? Choose what gives you the best chance to win the game.
puzzle-theme-attack = Which attack?
puzzle-task-attack = Choose what gives you the best chance to win the game.
puzzle-theme-opponent = Whom to attack?
puzzle-task-opponent = Several opponents are within reach. Choose what gives you the best chance to win the game.
learn-odds-name = Attack on good odds
learn-odds-compare-title = Compare the dice first
learn-odds-compare-text = Your hex with 3 dice can attack 2 dice or 3 dice. One die more makes a large difference.
learn-odds-compare-task = Press the attack that you are more likely to win.
learn-odds-compare-choice-1 = Attack the 2 dice
learn-odds-compare-choice-2 = Attack the 3 dice
learn-odds-compare-reply-1 = Right. 3 dice win against 2 in 78 of 100 attacks, and the hex joins your group.
learn-odds-compare-reply-2 = Lost, as in 55 of 100 such attacks. One die is left on your hex, and Blue can take it.
learn-odds-equal-title = Equal dice are a bad attack
learn-odds-equal-text = A tie is lost, so with as many dice as the other you win less than half of the time. You have attacked in this turn and may stop.
learn-odds-equal-task = The best attack left is 3 dice against 3. What do you do?
learn-odds-equal-choice-1 = Attack
learn-odds-equal-choice-2 = End your turn
learn-odds-equal-reply-1 = Lost, and of your 3 dice one is left. Blue’s 3 dice beside it will hardly miss.
learn-odds-equal-reply-2 = Right. Your group earns new dice, and Blue has to come to you.
learn-odds-forced-title = When every attack is poor
learn-odds-forced-text = The first attack of a turn is compulsory. Then choose the best odds, and a hex that helps you.
learn-odds-forced-task = Press the better of these attacks.
learn-odds-forced-choice-1 = Attack the 2 dice
learn-odds-forced-choice-2 = Attack the 3 dice
learn-odds-forced-reply-1 = Right. 44 % is poor, but it is the best there is. This time you won, and your hexes are in one piece.
learn-odds-forced-reply-2 = Lost, as nearly always: 2 dice win against 3 in 15 of 100 attacks.
learn-stop-name = Stop in time, but not too early
learn-stop-early-title = Do not stop too early
learn-stop-early-text = Each hex of your largest group is a new die. So one more safe attack is worth it.
learn-stop-early-task = You have attacked once. What do you do now?
learn-stop-early-choice-1 = Attack once more
learn-stop-early-choice-2 = End your turn
learn-stop-early-reply-1 = Right. Won, as nearly always, and your group has 6 hexes: 6 new dice.
learn-stop-early-reply-2 = Your group has 5 hexes instead of 6, and 4 strong dice did nothing.
learn-stop-late-title = Do not stop too late
learn-stop-late-text = One attack with good odds is left. But its 3 dice are the last ones that protect you from Blue’s 4.
learn-stop-late-task = 3 dice against 2: do you attack, or do you stop?
learn-stop-late-choice-1 = Attack
learn-stop-late-choice-2 = End your turn
learn-stop-late-reply-1 = Won, but now your dice are spread thin. Blue’s 4 dice take one hex after the other.
learn-stop-late-reply-2 = Right. Your 3 dice stay together and new ones join them. The attack would have halved your chance to win the game.
learn-border-name = Guard your border
learn-border-threat-title = Where can Blue attack?
learn-border-threat-text = A single die is easy to take, but only for an enemy beside it who has two dice or more.
learn-border-threat-task = Press the red hex that is in danger.
learn-border-threat-choice-1 = The single die in the middle row
learn-border-threat-choice-2 = The single die in the front row
learn-border-threat-reply-1 = Right. Blue’s 4 dice beside it win there almost always.
learn-border-threat-reply-2 = No blue hex touches it, so nobody can attack it.
learn-border-choose-title = Attack from behind
learn-border-choose-text = An attack leaves one die on the hex that it comes from. Both attacks here have the same odds.
learn-border-choose-task = Press the attack that leaves no weak hex beside Blue.
learn-border-choose-choice-1 = Attack in the front row
learn-border-choose-choice-2 = Attack in the middle row
learn-border-choose-reply-1 = Right. The single die is left in the corner, where no enemy stands.
learn-border-choose-reply-2 = Won, but the hex you came from has one die, right beside Blue’s 3.
learn-border-hold-title = Keep the guards
learn-border-hold-text = New dice at the end of your turn make the border stronger. An attack from the border makes it weaker first.
learn-border-hold-task = 2 dice against 1, good odds. What do you do?
learn-border-hold-choice-1 = Attack
learn-border-hold-choice-2 = End your turn
learn-border-hold-reply-1 = Won, but now a single die stands beside Blue’s 4 dice, at the border of your group.
learn-border-hold-reply-2 = Right. The guards stay where they are, and new dice join them.
learn-cluster-name = Keep your hexes in one piece
learn-cluster-count-title = Which group counts?
learn-cluster-count-text = When your turn ends, you get one new die for each hex of your largest group. Only hexes count, not the dice on them.
learn-cluster-count-task = Press a hex of the group that earns the new dice.
learn-cluster-count-choice-1 = The 3 dice in the corner
learn-cluster-count-choice-2 = The single die in the middle row
learn-cluster-count-reply-1 = That hex stands alone: a group of one hex earns one die.
learn-cluster-count-reply-2 = Right. Three hexes that touch: 3 new dice.
learn-cluster-join-title = Join what is apart
learn-cluster-join-text = Two small groups earn less than one large group. That is worth some risk.
learn-cluster-join-task = Press the attack that joins your hexes.
learn-cluster-join-choice-1 = Attack the 1 die
learn-cluster-join-choice-2 = Attack the 3 dice
learn-cluster-join-reply-1 = Won, but your hexes are still apart: your largest group has 3 hexes.
learn-cluster-join-reply-2 = Right. One group of 5 hexes: 5 new dice instead of 3.
learn-cluster-cut-title = Cut the other group
learn-cluster-cut-text = What holds for you holds for Blue: a group that is cut apart earns fewer dice.
learn-cluster-cut-task = Blue’s largest group is the back row. Press the attack that cuts it.
learn-cluster-cut-choice-1 = Attack in the back row
learn-cluster-cut-choice-2 = Attack in the front row
learn-cluster-cut-reply-1 = Right. No blue hex touches another one now: Blue gets 1 new die instead of 3.
learn-cluster-cut-reply-2 = Won, but Blue’s back row is still in one piece: 3 new dice.

# Lessons after a game
advice-odds = You attacked { $n } times with less than 50 %, and { $failed ->
    [0] none
    [one] 1
   *[other] { $failed }
  } failed.
advice-cluster = { $n } times you ended your turn with more than a third of your hexes outside your largest group.
advice-stop = { $n } times you ended your turn although an attack with 75 % or more was left.
advice-border = Others took { $n } of your hexes that had a single die.
