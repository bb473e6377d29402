# Every word of the pages, in English. Between two bars | stands what is emphasised.

site-name = Dice of Doom
nav-site = Site
nav-play = Play
nav-games = My games
nav-rules = Rules
skip = Skip to the content
footer-book = The book’s page
footer-api = For programs
footer-words = After the game in Land of Lisp

# Players
player-0 = Red
player-1 = Blue
player-2 = Green
player-3 = Purple
player-4 = Gold
player-5 = Grey
you = You
list-and = and
who-you = that is you
who-you-too = you, too
who-person = a person
who-level = computer · { $level }
your-turn = Your turn
their-turn = { $who } to move
winner = Winner
players = Players
players-hexes = hexes
players-dice = dice
players-cluster = cluster
players-chips = chips
turn = Turn { $turn }
turn-chip = Chip { $turn }
trilobite = Trilobite
level-book = Book
level-random = Random
level-greedy = Greedy
level-steady = Steady
level-expert = Expert
level-master = Master
level-champion = Champion
level-human = You, or a person here

# The board
board = The board
board-about = { $side } by { $side } hexes. Hexes are numbered from the back left, row by row.
board-over = The final position
board-hero = A game under way
hex-yours = yours
hex = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }
hex-choose = Hex { $hex }, { $owner }, { $dice } dice, choose to attack from
hex-chosen = Hex { $hex }, { $owner }, { $dice } dice, chosen; choose again to put them back
hex-target = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, attack with { $odds } %
hex-target-sure = Hex { $hex }, { $owner }, { $dice ->
    [one] 1 die
   *[other] { $dice } dice
  }, attack
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
column-full = Column { $column }, full
table = The board as a table
table-row = Row
table-empty = empty
table-drop = Drop
table-hex = Hex
table-owner = Owner
table-dice = Dice
table-do = What you can do
table-choose = attack from { $hex }
table-attack = attack { $hex }
table-back = put back

# The prompt
choose-source = Attack from where?
choose-source-sub = Hexes with a white rim can attack.
choose-target = Choose a target
choose-target-sub = Your { $dice } dice reach { $targets ->
    [one] one hex
   *[other] { $targets } hexes
  }.
choose-column = Choose a column
choose-column-sub = { $win ->
    [one] One chip wins
   *[other] { $win } in a row wins
  }: across, up or diagonally.
confirm-column = Drop in { $column }?
confirm-column-sub = The chip falls to the ringed cell.
other-column = Another column
drop = Drop in { $column }
drop-buttons = Drop a chip
put-back = Put them back
confirm = Attack { $from } → { $to }?
confirm-odds = { $attack } dice against { $defend }: { $odds } % to capture it.
confirm-sure = { $attack } dice against { $defend }: it will be yours.
attack = Attack
other-target = Another target
only-end = End your turn
only-end-sub = None of your hexes can attack any more.
thinking = { $who } is thinking
thinking-sub = You see its moves one after another.
thinking-soon = { $who } waits to think
thinking-ahead = Many computers are at work: { $n ->
    [one] the turn of one other game comes
   *[other] the turns of { $n } other games come
  } first.
waiting = { $who } is to move
waiting-sub = This page follows as soon as the move is made.
watching = { $who } to move
watching-sub = You are watching this game.
watching-open-sub = You are watching. { $who }’s seat is free: ask the host for its link.
watching-tag = Watching
look-again = Look again
replay = Ply { $ply } of { $newest }
replay-sub = The board as it stood then.
replay-back = Back to the game
replay-end = To the end of the game
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
attack-button-odds = { $from } → { $to }, { $odds } %
resign = Resign
resign-sure = Yes, give up this game

# The dice
roll = The last attack
roll-captured = Captured
roll-held = Held
roll-path = { $who }, { $from } → { $to }
roll-moved = { $dice ->
    [one] One die moved in
   *[other] { $dice } dice moved in
  }
roll-stays = One die stays
roll-beats = beats
roll-not-over = not over
roll-plain = { $attack } dice beat { $defend }
roll-faces = { $who } rolled { $faces }

# What happened
log = What happened
watchers = { $count ->
    [one] |1| watching
   *[other] |{ $count }| watching
  }
log-empty = Nothing yet. What is played will be told here.
log-all = Every ply
log-title = Every ply of the game
log-back = Back to the board
log-attack = { $person ->
    [you] You attack
   *[other] { $who } attacks
  } |{ $from } → { $to }| with { $attack } against { $defend }: { $sumA } to { $sumD }, |{ $outcome ->
    [captured] captured
   *[held] held
  }|.
log-attack-plain = { $person ->
    [you] You take
   *[other] { $who } takes
  } |{ $to }| from { $from }, with { $attack } against { $defend }.
log-drop = { $who }: |{ $column }|
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
log-resigned = { $person ->
    [you] You give up
   *[other] { $who } gives up
  }.
log-limit = The game reached its limit of plies.
plies = Replay
ply-first = First position
ply-prev = One ply back
ply-next = One ply forward
ply-last = Newest position
record = Record
picture = Picture

# The end
over-tag = { $plies ->
    [one] After one ply
   *[other] After { $plies } plies
  }
over-one = { $person ->
    [you] You win
   *[other] { $who } wins
  } with { $hexes ->
    [one] one hex
   *[other] { $hexes } hexes
  }
over-tie = A tie: { $who } hold { $hexes } each
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
    [you] Your last chip closed the line.
   *[other] { $who } closed the line with the last chip.
  }
over-won = { $person ->
    [you] You win
   *[other] { $who } wins
  }
over-full = The board is full: a draw
over-full-reason = Nobody made a line.
over-draw = A draw
over-resigned-chips = The other side gave up.
over-limit-chips = The game reached its limit of plies.
over-you = You were { $place ->
    [1] first
    [2] second
    [3] third
    [4] fourth
    [5] fifth
   *[other] last
  } with { $hexes }.
over-you-none = You have no hex left.
over-stuck = { $person ->
    [you] You could not attack any more, so the count decided.
   *[other] { $who } could not attack any more, so the count decided.
  }
over-lost = { $person ->
    [you] You lost your last hex, so the count decided.
   *[other] { $who } lost the last hex, so the count decided.
  }
over-conquered = Every hex is taken.
over-quiet = Nobody attacked for too long, so the count decided.
over-resigned = The last person gave up, so the count decided among the others.
over-limit = The game reached its limit of plies, so the count decided.
rematch = Rematch
new-game = New game
replay-watch = Replay from the start
record-download = Download the record

# Notices
notice-stale = The game had moved on; nothing was changed. This is how it stands.
notice-not-your-turn = It is not your turn. Nothing was changed.
notice-not-your-seat = You have no seat in this game, so you can only watch.
notice-over = The game is over.
notice-not-your-hex = Hex { $hex } is not yours.
notice-one-die = Hex { $hex } has one die and cannot attack.
notice-not-neighbours = Hexes { $from } and { $to } do not touch.
notice-own-target = Hex { $to } is yours already.
notice-too-few = Hex { $from } needs more dice than hex { $to } has.
notice-nothing-to-pass = Attack once before you end your turn.
notice-no-such-hex = There is no such hex on this board.
notice-column-full = Column { $column } is full.
notice-no-such-column = There is no such column on this board.
notice-no-target = Hex { $hex } has nobody to attack.

# Start
start-title = Dice of Doom: a game of land and luck
start-eyebrow = The game from |Land of Lisp|, on your table
start-headline = Roll well. Or stand where luck is cheap.
start-lead = Four players, twenty-five hexes, piles of dice. Whoever holds the most land when somebody runs out of attacks wins.
start-play = Play now
start-trilobite = Play Trilobite, four in a row
start-why = You against three computers, on the book’s board.
start-setup = Set up a game
start-games = Your games
start-all-games = All of them
start-learn = New here? The rules fit on |one page|.

# The form
form-rules = Rules
form-game = Game
form-dice = Dice of Doom
form-trilobite = Trilobite
form-trilobite-about = Chips fall to the bottom of a column; the first line of them wins. Usual: 8 × 7, four in a row.
form-width = Columns
form-height = Height
form-win = In a row
form-rules-v4 = Four players, dice are rolled (v4)
form-rules-conquest = Conquest, to the last hex
form-rules-v3 = Two players, no luck, 5 × 5 (v3)
form-rules-v2 = Two players, no luck, 4 × 4 (v2)
form-rules-v1 = Two players, no luck, 2 × 2 (v1)
form-about = What the rules are
form-about-v4 = Chapter 20. Dice are rolled. Ending a turn brings as many dice as your largest cluster has hexes. It is over when a player cannot attack at the start of a turn.
form-about-conquest = Ours. As v4, but you may always end your turn, players without land are skipped, and it goes on until one owns everything.
form-about-v3 = Chapter 19, the first with a picture. As v2, on 5 × 5 hexes.
form-about-v2 = Chapter 18. As v1, on 4 × 4 hexes. The book’s computer looks four plies ahead and passes over what cannot matter (alpha-beta).
form-about-v1 = Chapter 15. Two players, up to three dice a hex. No dice are rolled: more dice win. Ending a turn brings back the dice you captured, less one. On 2 × 2 hexes the book’s computer sees every end (minimax).
form-as-rules = usual
form-size = Hexes a side
form-size-n = { $n } × { $n }
form-max-dice = Most dice
form-players = Players
form-seats = Seats
form-seats-hint = Seats beyond the number of players stay empty.
form-seat = Seat of { $who }
form-seed = Seed
form-seed-hint = The same number deals the same board again. Empty: a new one every time.
form-levels = What the levels do
form-start = Start this game
form-problem-range = A number is out of its range: boards have 2 to 8 hexes a side, 2 to 6 players, 2 to 8 dice.
form-problem-win = More in a row than the board is long.
form-problem-board = That board is too large: columns times one more than their height may be 128 at most.
form-problem-players = There are more players than hexes.
form-problem-choice = One of the choices is unknown here.
form-problem-deal = No deal gave the first player an attack. Try another seed or a larger board.

# Your games
games-title = My games
games-none = You have not played here yet. One button is enough.
card-turn = Turn { $turn }
card-plies = { $plies } plies
card-chips = Trilobite, { $chips ->
    [0] no chip yet
    [one] one chip
   *[other] { $chips } chips
  }
card-your-turn = Your turn
card-waiting = Waiting
card-won = Won
card-tie = Tie
card-lost = Lost
card-over = Over
card-draw = Draw
card-against = against { $who }
card-alone = Game { $id }

# Rules
rules-title = The rules
rules-lead = You hold hexes, and piles of dice stand on them. Take your neighbours’ land while the luck is good, and end your turn before it is not.
rules-do-title = Your turn
rules-do-choose = |Choose| a hex of yours with two dice or more. Those that can attack have a white rim.
rules-do-attack = |Attack| a neighbour. Both sides roll all their dice; you need the larger sum, equal sums hold.
rules-do-won = |Won:| one die stays, the others move in, and the dice that stood there are gone.
rules-do-lost = |Lost:| one die stays, the others are gone. The defender keeps everything.
rules-do-again = Attack as often as you like. After at least one attack you may |end your turn|.
rules-odds-title = What the dice give
rules-odds-text = The chance to capture a hex, in percent.
rules-odds-caption = Rows: your dice. Columns: theirs.
rules-odds-attack = your dice
rules-odds-theirs = against { $dice }
rules-new-title = Where new dice come from
rules-new-text = When you end your turn, you get one die for each hex of your |largest cluster|: the largest group of your hexes that touch. They are put on your hexes from the back left, row by row, one each, skipping full ones. What finds no room is lost.
rules-new-tip = So a connected country feeds itself, and one captured hex in the middle can cost its owner half the income.
rules-end-title = How it ends
rules-end-text = As soon as a player cannot attack at the start of a turn, the game is over, also for everybody else. Whoever owns the |most hexes| wins; equal numbers tie.
rules-presets-title = Other rules
rules-plain-title = Without luck: versions 1 to 3
rules-plain-text = The book’s earlier games have the same land and the same turns, but |no dice are rolled|.
rules-plain-win = |More dice win.| Three dice beat two or one; against three they cannot even attack.
rules-plain-back = When you end your turn, |the dice you captured come back, less one|: as many as stood on the hexes you took in this turn, minus one.
rules-plain-two = |Two players|, up to three dice a hex: 2 × 2 hexes in v1, 4 × 4 in v2, 5 × 5 in v3.
rules-plain-computer = The book’s computer plays v1 by |minimax|, to the very end, and v2 and v3 by |alpha-beta|, four plies ahead.
rules-play = Play a game
rules-trilobite-title = Trilobite
rules-trilobite-text = A second game, for two, with no dice at all: four in a row on a board that stands upright.
rules-trilobite-drop = |Drop| a chip into a column that is not full. It falls to the lowest empty cell.
rules-trilobite-line = |Four in a row| wins at once: across, up or diagonally.
rules-trilobite-full = |A full board| without such a line is a draw.
rules-trilobite-size = Usually there are 8 columns of 7 cells. Other sizes, and more or fewer in a row, can be chosen when you set up a game.

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
book-winner = The winner is { $who }
book-tie = The game is a tie between ({ $who })
book-pass = pass
book-continue = continue
book-again = play again
book-leave = The same game with everything around it

# In the terminal, in the book's words
terminal-player = current player = { $who }
terminal-choose = choose your move:
terminal-end-turn = end turn
terminal-plays = { $who } plays: { $what }
terminal-draw = The game is a draw
terminal-limit = The game reached its limit of { $plies } plies, so the count decides.
terminal-again = A number from 1 to { $most } chooses a move; ? explains, q leaves.
terminal-help = Choose a move by its number, 1 to { $most }. q leaves the game.
terminal-help-dice = On the board a-3 is a hex of a with 3 dice. 0 -> 3 attacks hex 3 from hex 0. The hexes are:
terminal-help-trilobite = A chip falls to the lowest empty cell of its column. The columns are:
terminal-bye = Goodbye.

# What the levels do; with -trilobite behind it, in that game
level-random-about = Plays anything that is allowed, each as likely.
level-book-about = Plays as the computer of Land of Lisp does, move for move.
level-book-about-trilobite = Plays by the method of Land of Lisp: looks a few chips ahead and counts the lines that are still open.
level-greedy-about = Attacks whoever holds most while that is more likely to succeed than not, and never thinks of the answer.
level-greedy-about-trilobite = Completes a line or stops yours if it can, else drops where its lines grow most, without a thought for the answer; Book is stronger on most boards.
level-steady-about = Judges the whole board after everything it could do, the dice weighed in, and plays what looks best.
level-steady-about-trilobite = Judges the board after each column by threats and open lines, replies that leave no choice played through, and drops where it looks best.
level-expert-about = Looks ahead through what everybody may answer, for a moment.
level-expert-about-trilobite = Looks ahead through your answers and its own, for a moment.
level-master-about = Looks ahead as Expert does, ten times as long.
level-champion-about = Looks ahead as Master does, sixteen times as long.
level-champion-about-trilobite = Looks ahead as Master does, ten times as long, with two searches side by side.

# Errors
error-home = To the start page
error-game = To the game
error-number = Number { $id }, should you ask somebody about it.
error-not-found = There is nothing at this address.
error-bad-request = The server did not understand this request.
error-forbidden = This is not yours to do.
error-cross-site = This request came from another site, so nothing was done.
error-prefetch = This page is not made ahead of time.
error-stale = The game had moved on; nothing was changed.
error-illegal = The rules do not allow that.
error-method = This address does not take that.
error-too-large = That was too much at once.
error-unsupported = The server does not take this kind of content.
error-too-many = That was a little fast. Take a breath and try again.
error-too-many-streams = Too many tables are being followed at the moment. Close some pages, or try again in a moment.
error-busy = The server has too much to do right now. Try again in a moment.
error-timeout = This took too long. Try again in a moment.
error-host = This server does not answer to that name. Open it by its address, or start it with --host NAME.
error-host-missing = The request did not say which server it wants.
error-damaged = This game's record cannot be read. The others are safe.
error-internal = Something broke on our side. Your game is safe; try again.

# For programs
api-title = For programs
api-lead = Everything a person can do here a program can do, too: JSON over HTTP, and one event a ply.
api-openapi = The machine-readable description
api-calls = Calls
api-create = Make a game. The answer carries a token for each seat of a person.
api-state = The game as it stands. With |wait|, the answer comes as soon as that ply is reached.
api-moves = The actions that are legal now, with their exact odds.
api-play = Play an action: a path from hex to hex, or null to end the turn.
api-resign = Give up.
api-join = Take an open seat.
api-record = The whole game: start, plies, rolls.
api-events = Server-sent events: each ply once and in order, and what else happens at the table. The same stream is at |/g/ID/events|.
api-stream = Events
api-stream-begin = A stream begins with the next ply. With the header |Last-Event-ID: N|, which browsers send by themselves when they come back, it begins with ply N + 1; with |?from=K|, with ply K. Too many streams are answered 429 with |Retry-After|.
api-event-ply = A ply of the record, and what it takes to show it: |captured| (null where nothing was attacked), |reinforced| (each hex to which dice came, and how many) and |over| (the rules end the game with this ply). Its id is its number, counted from 0; the other events have no id.
api-event-watchers = How many follow the game without a seat in it. It comes first, and when the number changes.
api-event-seats = Who sits where has changed: ask for the game again. It also comes first if the seats were changed before.
api-event-over = The game is over, by its rules, by resignation (|resigned|) or at the limit of plies (|limit|). A minute later the stream ends; close it before, or it is opened again.
api-event-bye = This stream ends. Come back after |retry| milliseconds; EventSource does so by itself.
api-engine = A computer opponent of your own can also speak JSON lines: |dice-of-doom engine|.
api-once = The same action sent again at the same ply gets the first answer again; nothing is rolled twice.

# Without odds
confirm-plain = { $attack } dice against { $defend ->
    [one] one
   *[other] { $defend }
  }.

# Settings
nav-settings = Settings
set-title = Settings
set-lead = Kept in this browser, for every game. Nobody else sees them.
set-saved = Saved.
set-save = Save
set-save-back = Save and go back
set-example = Example
set-example-dice = A small board: four dice are chosen, and six hexes around them can be attacked
set-example-chips = A corner of Trilobite
set-theme = Light or dark
set-theme-system = As my system
set-theme-light = Light
set-theme-dark = Dark
set-colours = Colours of the players
set-colours-book = The book’s
set-colours-okabe = Okabe–Ito
set-colours-contrast = High contrast
set-board = Board
set-board-auto = What fits
set-board-book = Piles of dice
set-board-flat = Flat, big numbers
set-odds = Odds on the board
set-odds-on = Show
set-odds-off = Hide
set-coordinates = Numbers of the hexes
set-coordinates-on = Always
set-coordinates-off = When pointed at
set-speed = Movement
set-speed-slow = Slow
set-speed-normal = Normal
set-speed-fast = Fast
set-speed-off = None
set-sound = Sound
set-sound-on = On
set-sound-off = Off
set-keys = Single keys
set-keys-on = On
set-keys-off = Off
set-keys-hint = With single keys, e ends the turn and a letter drops a chip. Tab, arrows and Enter always work. If your system asks for less motion, nothing moves.

# Live pages and keys
reconnecting = Reconnecting… What you see may be out of date.
skip-now = Skip to now
keys = Keys
keys-close = Close
keys-off = Single keys can be switched off:
key-arrows = On the board: the next place in that direction
key-ends = On the board: to the first, to the last
key-each = On the board: one after another
key-enter = Choose, attack, drop
key-back = Take the choice back
key-turn = Dice of Doom: end your turn
key-column = Trilobite: drop a chip in that column
key-now = Skip to now
key-plies = Away from the board: one ply back, one ply forward
key-plies-ends = Away from the board: to the start, to the newest ply
key-help = This help
# Seats that people share
who-open = open seat
seats = Open seats
opened = { $who }’s seat is open
opened-sub = The game goes on when somebody takes it.
seat-open = Invite somebody to { $who }’s seat
seat-link = Link to { $who }’s seat
seat-link-hint = Send it to one person. It takes the seat once; looking at it takes nothing.
seat-link-none = There is no link to this seat yet.
seat-make-link = Make a link
seat-renew = Withdraw the link and make a new one
seat-level-which = The level that plays { $who }
seat-level = Let it play
seat-slow = { $who } has not moved for a while.
seat-replace = Let a computer play for { $who }
seat-yours = Your seat: name, other devices
seat-yours-one = { $who }’s seat: name, other devices
seat-name = Your name at this table
seat-name-save = Save
seat-back = Your link to come back on another device
seat-back-hint = Keep it to yourself: whoever opens it and presses the button sits in your seat, once.
seat-back-make = Make a link for another device
resign-ends = Yes, give up; that ends the game
resign-level = Yes, give up; a computer plays on
rematch-same = Same board, one seat on
rematch-on = The rematch is on
rematch-on-same = The rematch on the same board is on
notice-seat-not-yours = This seat is not yours to change. Nothing was changed.
notice-seat-none = There is no such seat at this table.
notice-seat-taken = Somebody has just taken this seat. Nothing was changed.
notice-seat-never = At this table nobody is replaced; it waits for everybody.
notice-seat-not-awaited = The table is not waiting for that seat. Nothing was changed.
notice-seat-early-s = Give them a little longer: in { $n ->
    [one] one second
   *[other] { $n } seconds
  } a computer can play for them.
notice-seat-early-m = Give them a little longer: in { $n } minutes a computer can play for them.
notice-seat-early-h = Give them a little longer: in { $n } hours a computer can play for them.
notice-seat-level = There is no such level. Nothing was changed.
notice-seat-change = That cannot be done with a seat. Nothing was changed.
notice-name-long = A name has at most 32 characters.
notice-name-invisible = A name has no characters that cannot be seen. Please type it by hand.
notice-rematch-goes-on = The game still goes on; there is a rematch when it is over.
join-title-host = { $who } invites you to { $game }
join-title = You are invited to { $game }
join-back-title = Back to your game of { $game }
join-seat = You would play { $who }
join-back-seat = You play { $who }
join-lead = Sit down and play: |no account, nothing to install.|
join-back-lead = The seat moves |to this browser|, and this link is used up.
join-plies = { $plies ->
    [0] The game has not begun yet.
    [one] One ply was played so far.
   *[other] { $plies } plies were played so far.
  }
join-name = Your name, if you like
join-name-hint = Up to 32 characters; everybody at the table sees it.
join = Take { $who }’s seat
join-back = Play { $who } here
join-others = At the table: { $who }.
join-other = { $who } ({ $what })
join-private = Only people with a seat see this game.
join-board = The board as it stands
form-open = A person, by link
form-name = Your name, if you like
form-private = Private: only people with a seat see it
form-replace = A computer may take over
form-replace-never = never
form-replace-minutes = { $n ->
    [one] after a minute without a move
   *[other] after { $n } minutes without a move
  }
form-replace-hours = { $n ->
    [one] after an hour without a move
   *[other] after { $n } hours without a move
  }
form-replace-days = { $n ->
    [one] after a day without a move
   *[other] after { $n } days without a move
  }
form-replace-seconds = { $n ->
    [one] after a second without a move
   *[other] after { $n } seconds without a move
  }
form-problem-name-long = A name has at most 32 characters.
form-problem-name-invisible = A name has no characters that cannot be seen. Please type it by hand.
start-watch = Games to watch
card-between = { $who }
card-watch = Watch
error-no-link = This link opens no seat. It may have been used or withdrawn: ask for a new one.
error-seat = The seat stays as it is; nothing was changed.
