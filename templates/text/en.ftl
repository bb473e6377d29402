# The words of the platform, in English; each game brings its own. Between two bars | stands what is emphasised.

site-name = Dice of Doom
site-about = The game of land and luck from Land of Lisp, against computers or friends, without an account.
nav-site = Site
nav-play = Play
nav-rules = Rules
skip = Skip to the content
footer-book = The book’s page
footer-api = For programs
footer-words = Based on the game in Land of Lisp

# Players
player-0 = Red
player-1 = Blue
player-2 = Green
player-3 = Purple
player-4 = Gold
player-5 = Grey
# The cases of a colour's name, by the number of its player; none where a language has none. FORM($who, case: "…")
# says them in sentences, and none for every name that somebody typed.
player-form = { $case ->
   *[other] { $player ->
       *[other] none
      }
  }
you = You
you-within = you
# Lists: "Red, Blue and Green" is the first of them, more within it and the last; "Red 5, Blue 3" has no last.
list-more = { $thing }, { $more }
list-last = { $thing } and { $more }
# What stands between two sentences, after a sentence without its own end, and between a label and its value.
sentence-gap = {" "}
sentence-end = .
label-colon = :{" "}
list-score = { $who } { $n }
odds = { $odds }%
who-you-too = you play this one, too
who-person = a person
who-program = a program
who-level = computer · { $level }
who-former = computer, was { $who }
your-turn = Your turn
their-turn = { $who } to move
to-move = to move
winner = Winner
winner-who = Winner · { $who }
players = Players
turn = Turn { $turn }
level-book = Book
level-novice = Novice
level-random = Random
level-greedy = Greedy
level-steady = Steady
level-advanced = Advanced
level-expert = Expert
level-master = Master
level-champion = Champion
level-perfect = Perfect
level-human = You, or a person here

# The board
board = The board
board-over = The final position
board-hero = A game under way
table = The board as a table
table-row = Row
table-empty = empty
table-do = What you can do

# The prompt
thinking = { $who } is thinking
thinking-sub = You will see its moves one after another.
thinking-soon = { $who } is in the queue
thinking-ahead = The computers are busy: { $n ->
    [one] one other game comes
   *[other] { $n } other games come
  } first.
waiting = { $who } is to move
waiting-sub = This page updates as soon as the move is made.
watching = { $who } to move
watching-sub = You are watching this game.
watching-tag = Watching
others-first = Before your first turn { $moves ->
    [one] one move was made; it is in the log.
   *[other] { $moves } moves were made; they are in the log.
  }
look-again = Refresh
replay = Move { $ply } of { $newest }
replay-sub = The position at that point.
replay-back = Back to the game
replay-back-turn = Back to your turn
replay-end = To the end of the game
resign = Resign
resign-sure = Yes, resign this game

# What happened
log = What happened
watchers = |{ $count }| watching
log-empty = Nothing yet. Moves will be listed here.
log-start = The start: nothing had happened yet.
log-all = Full log
log-title = Full log of the game
log-back = Back to the board
log-resigned = { $person ->
    [you] You resign
   *[other] { $who } resigns
  }.
log-joined = |{ $who }| has joined.
log-joined-you = |You| have joined.
log-left = |{ $who } left.| A computer plays on.
departed-alone = You can play on against computers, or end the game here.
departed-ok = OK
log-limit = The game reached its limit of moves.
plies = Replay
ply-first = First position
ply-prev = One move back
ply-next = One move forward
ply-last = Latest position
record = Record
picture = Picture

# The end
over-tag = { $plies ->
    [one] After one move
   *[other] After { $plies } moves
  }
over-won = { $person ->
    [you] You win
   *[other] { $who } wins
  }
over-draw = A draw
rematch = Rematch
new-game = New game
graph-start = start
graph-turns = turns
graph-turn = Turn
graph-table = As a table
replay-watch = Move by move
record-download = Download the record
record-text = Record as text

# Notices
notice-stale = The game had moved on, so nothing was changed. This is the current position.
notice-not-your-turn = It is not your turn. Nothing was changed.
notice-not-your-seat = You have no seat in this game, so you can only watch.
notice-over = The game is over.
choose-action = Your move
choose-action-sub = Choose one of the actions below.
log-action = { $who }: { $action }
won-by = Won by { $who }
no-winner = Draw
notice-twice = That came right after your last move, so nothing was done. Press again if you meant it.
notice-no-cookies = Your browser does not keep this site’s cookies, so it is not recognised from one click to the next. Allow them for this address and try again.

# Start
start-title = Dice of Doom: a game of land and luck
start-headline = Trust your luck. Or make do without it.
start-again = Play a game
start-lead = Roll against your neighbours. The most land wins. A game takes about five minutes.
start-people = With people
start-play = Play now
start-setup = Set up a game
start-your-turn = It is your turn
start-goes-on = Your game goes on
start-continue = Continue your game
start-games = Your games
start-all-games = All games

# What other sites show of a link to a game
card-link = { $who } at { $game }
card-link-live = { $turn }. Watch the game as it is played.
card-link-over = { $verdict }. Replay it move by move.

# The game of computers on the start page
onair = |Now playing.| { $turn }: { $what }
onair-begins = |Now playing.| Four computers have just sat down.
onair-over = |Just played.| { $verdict }.
onair-look = View the game

# Opponents, named for people
opponents = Your three opponents
opponents-easy = { $place ->
   *[head] Easy
  }
opponents-easy-about = first game
opponents-medium = { $place ->
   *[head] Medium
  }
opponents-medium-about = knows odds
opponents-hard = { $place ->
   *[head] Hard
  }
opponents-hard-about = looks ahead
who-opponents = { $name } · { $level }

# The form
form-rules = Rules
form-game = Game
form-players = Players
form-seats = Seats
form-seats-hint = Seats beyond the number of players stay empty.
form-seat = { $who }’s seat
form-seed = Seed
form-seed-hint = The same number deals the same board again. Empty: a new one every time.
form-levels = How the levels play
form-start = Start this game
form-problem-choice = One of the choices does not exist here.
form-problem-level = This game has no level “{ $level }”.
form-problem-seed = A seed is a whole number without a sign. Leave it empty for a new board.

# Your games
games-older = Older games
games-none = You have not played here yet. One press starts a game.
card-date = { $day } { $month } { $year }, { $time } UTC
card-several = { $who } × { $count }
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December
card-your-turn = Your turn
card-waiting = Waiting
card-paused = Paused: nobody is watching
card-won = Won
card-tie = Tie
card-lost = Lost
card-over = Over
card-draw = Draw
card-against = against { $who }
card-alone = Game { $id }

# Rules
rules-title = The rules
rules-play = Play a game

# The book's page
book-winner = The winner is { $who }
book-tie = The game is a tie between ({ $who })

# In the terminal, in the book's words
terminal-player = current player = { $who }
terminal-choose = choose your move:
terminal-plays = { $who } plays: { $what }
terminal-draw = The game is a draw
terminal-limit = The game reached its limit of { $plies } moves, so the count decides.
terminal-again = A number from 1 to { $most } chooses a move; ? explains, q leaves.
terminal-help = Choose a move by its number, 1 to { $most }. q leaves the game.
terminal-help-undo = u takes back your last move, and what computers did after it.
terminal-help-notation = A move is written as in the list.
terminal-taken-back = Taken back.
terminal-bye = Goodbye.

# What the levels do; a game that has a sentence of its own writes its name behind the key, or the way in which
# its levels think at a board
level-novice-about = Plays any move without a look at the odds, and soon ends the turn.
level-random-about = Plays any legal move, each as likely as the next.
level-book-about = Plays as the computer of Land of Lisp does, move for move.
level-greedy-about = Attacks whoever holds most while success is more likely than failure, and never thinks about the reply.
level-steady-about = Judges the whole board after every possible move, weighing the chances of the dice, and plays what looks best.
level-advanced-about = Looks ahead at what may follow, for an instant.
level-expert-about = Looks ahead as Advanced does, four times as long.
level-master-about = Looks ahead as Expert does, ten times as long.
level-champion-about = Looks ahead as Master does, sixteen times as long.
level-perfect-about = Plays perfectly as far as its solver sees in about a second, and judges by a search beyond that.

# Errors
error-home = Go to the start page
error-game = Go to the game
error-number = If you report this, quote number { $id }.
error-not-over = The game is not finished yet.
error-not-found = There is nothing at this address.
error-no-game = There is no such game here. It may have been removed, or its address may be mistyped.
error-seat-freed = The host of this private game has freed your seat, because you had not moved yet, so you can no longer see the game.
error-no-ply = This game has no such move. Look at it as it stands, or at an earlier one.
error-no-position = There is no position in this address: it may have been cut off or mistyped.
error-bad-request = The server did not understand this request.
error-forbidden = You are not allowed to do this.
error-cross-site = This request came from another site, so nothing was done.
error-cross-site-hosts = A page of { $origin } sent it to { $host }. If a proxy stands between, it must pass the Host header on, or the server must be started with --public-url.
error-prefetch = This page cannot be loaded ahead of time.
error-stale = The game had moved on, so nothing was changed.
error-waiting = The game has not started: it is waiting for players. Nothing was changed.
error-illegal = The rules do not allow that.
error-settings = The game cannot be played with these settings.
error-method = This address does not accept that kind of request.
error-too-large = That was too much data at once.
error-unsupported = The server does not accept this kind of content.
error-too-many = That was a little fast. Take a breath and try again.
error-too-many-streams = Too many tables are being followed at the moment. Close some pages, or try again in a moment.
error-busy = The server is busy right now. Try again in a moment.
error-no-room = This server has no room for new games at the moment. Games that have begun go on.
error-timeout = This took too long. Try again in a moment.
error-host = This server does not answer to that name. Open it by its address, or start it with --host NAME.
error-host-missing = The request did not say which server it wants.
error-damaged = This game's record is damaged and cannot be shown. The others are not affected.
error-internal = Something went wrong on our side. Your game is safe; try again.

# For programs
api-title = For programs
api-lead = Everything a person can do here a program can do, too: JSON over HTTP, and one event per ply.
api-openapi = The machine-readable description
api-calls = Calls
api-create = Create a game. The answer has a token for each seat |human|.
api-state = The current state of the game. With |wait|, the answer comes as soon as that ply is reached or the game is over, at the latest after 30 seconds.
api-moves = The actions that are legal now, with their exact odds.
api-play = Play an action: a path from hex to hex, or null to end the turn.
api-hint = The evaluation of each legal action for the player whose turn it is. Send the token of that seat.
api-resign = Resign.
api-join = Take an open seat.
api-start = Start a game that waits for players; computers take the free seats. Send the token of a seat.
api-step = In a game created with |"pace": "on-request"|: let the computer whose turn it is play one ply.
api-rematch = A rematch after the game. Your token is valid in it, too.
api-play-on = A new game that continues from a position of this one, after |ply| entries of its record.
api-review-ask = Request the review of a finished game. It is computed in the background; until it is ready, the answer is 202 with the progress.
api-review = The review of a finished game, if somebody has requested it: each decision with its cost.
api-levels = The levels of the computers, weakest first.
api-rate = The rating that a search of the book gives each legal action at any position: the engine’s |rate|, in the same format.
api-choose = The action that a level chooses at any position, with at most 100000 simulations (|nodes|) or five seconds (|budget_ms|): the engine’s |choose|, in the same format.
api-solve = The score of a position of Trilobite under perfect play, with |each| also that of each column, with at most 10000000 positions (|nodes|) or five seconds (|budget_ms|): the engine’s |solve|, in the same format.
api-record = The whole game: start, plies, rolls and players.
api-records = Upload a game that was played elsewhere: its record as JSON, or in notation as |text/plain|. If the record is invalid, the answer says where.
api-list = Games to watch (|of=watchable|), or your own (|of=me|): those of the program whose token comes with the request, or of the browser with this cookie. |limit| is 1 to 100 games on a page; |after| is the |next| of the previous page.
api-lines = The records of the same games, one per line.
api-sites = Scripts of other sites may read games, their moves, records and events, the levels and the machine-readable description, without cookies.
api-events = Server-sent events: the current state of the game, then each ply once and in order with the position after it; with the token of a seat also |moves| as soon as that seat is to move. A program needs only this stream and one request per ply.
api-program = Register a program. It gets one |token| for all its games, and a |link| at which people start games against it. With this token it creates and joins games, and plays all its seats.
api-program-events = One stream for all games of a program: |gameStart|, |turn| with the legal |moves|, |gameFinish|, and |invitation| when somebody invites it to play. To accept, play or |join|. A |gameFinish| that the program missed is sent when it connects again.
api-decline = Decline an invitation; the seat stays open for somebody else.
api-positions = Positions
api-positions-begin = The position of a game is its |state|. Players, seats, plies, hexes and cells count from 0. The machine-readable description has every field with its type.
api-stream = Events
api-stream-begin = A stream begins with the next ply. With the header |Last-Event-ID: N|, which browsers send by themselves when they reconnect, it begins with ply N + 1; with |?from=K|, with ply K. Too many streams are answered with 429 and |Retry-After|.
api-event-game = The current state of the game, as the game’s own address gives it. It comes at the beginning, and again when the players in the seats have changed. |moves| lists the legal actions with their exact odds if the seat whose token was sent is to move: once for each position, here or with the ply that led there.
api-event-ply = A ply of the record with the state of the game after it (|after|: the number of the next ply, the player whose turn it is, the position, and |moves| as above), and what is needed to show it: |captured| (null where nothing was attacked), |reinforced| (each hex that received dice, and how many) and |over| (the rules end the game with this ply). Its id is its number, counted from 0; the other events have no id.
api-event-watchers = The number of people who watch the game without a seat in it. It comes first, and whenever the number changes.
api-event-seats = The players in the seats have changed; |game| follows. It also comes first if the seats were changed before.
api-event-over = The game is over, by its rules, by resignation (|resigned|) or at the limit of plies (|limit|), and these are the winners. A minute later the stream ends; close it before that, or it will be reopened.
api-event-bye = The server ends the stream. Connect again after |retry| milliseconds; EventSource does so by itself.
api-engine = A program can also use the engine without a server, with one line of JSON for each request: |dice-of-doom engine|.
api-once = The same action sent again at the same ply gets the same answer again; nothing is rolled twice.

# Settings
nav-menu = Menu
nav-settings = Settings
set-title = Settings
set-more = More settings
set-lead = Saved in this browser for all games. Nobody else sees them.
set-saved = Saved.
set-save = Save
set-save-back = Save and go back
set-example = Example
set-language = Language
set-language-auto = Same as my browser
set-theme = Light or dark
set-theme-system = Same as my system
set-theme-light = Light
set-theme-dark = Dark
set-colours = Colours of the players
set-colours-book = The book’s
set-colours-okabe = Colour-blind friendly
set-colours-contrast = High contrast
set-board = Board
set-board-auto = Automatic
set-board-book = Piles of dice
set-board-flat = Flat, big numbers
set-odds = Odds on the board
set-odds-on = Show
set-odds-off = Hide
set-coordinates = Hex numbers
set-coordinates-on = Always
set-coordinates-off = When pointed at
set-speed = Animation speed
set-speed-slow = Slow
set-speed-normal = Normal
set-speed-fast = Fast
set-speed-off = Turn animation off
set-fights = Attacks by other players
set-fights-all = Show all
set-fights-mine = Only attacks on me
set-sound = Sound
set-sound-on = On
set-sound-off = Off
set-announce = Screen reader: moves of others
set-announce-summary = Summed up at my turn
set-announce-each = Announced one by one
set-keys = Keyboard shortcuts
set-keys-on = On
set-keys-off = Off
set-notify = Notify me of my turn
set-notify-on = On
set-notify-off = Off
set-ends = When no attack is left
set-ends-on = End my turn
set-ends-off = Wait for me
set-keys-hint = With keyboard shortcuts on, e ends the turn and a letter drops a chip. Tab and Enter always work. Animation, sound and shortcuts need JavaScript. If your system asks for reduced motion, nothing is animated.

# Switches beside the board
switches = How the board looks
switch-piles = Piles
switch-flat = Flat
switch-odds = Odds
switch-coordinates = Numbers

# Live pages and keys
reconnecting = Reconnecting… What you see may be out of date.
passing = { $who }’s turn
tempo-to-turn = Skip to my turn
tempo-to-newest = Skip to the latest move
tempo-pause = Pause
tempo-paused = Paused
tempo-going = Going on
tempo-slow = ½×
tempo-normal = 1×
tempo-fast = 3×
tempo-attack-of = Attack { $n } of { $m }
tempo-attack = Attack { $n }
tempo-end = Ends the turn
tempo-soon = Your turn in about { $s } s.
tempo-rolling = Rolling { $n } against { $m }
more = More
keys = Keys
keys-close = Close
keys-off = Keyboard shortcuts can be turned off:
key-arrows = To the board; on it, next place that way
key-ends = On the board: first, last place; off the board: start, latest move
key-each = On the board: place by place
key-enter = Choose, attack, drop
key-back = Undo the choice
key-now = Skip to my turn
key-plies = In a replay: one move back, forward
key-help = This help

# Seats that people share
who-open = open seat
who-asked = invited to play
seats = Open seats
opened = { $who }’s seat is open
opened-sub = The game goes on when somebody takes it.
seat-asked = { $name } is invited to play
seat-asked-hint = It has not answered yet. Until it sits down you can give the seat to somebody else; then the invitation is withdrawn.
seat-copy = Copy
seat-copied = Copied
seat-share = Share
seat-here = This link works only on this machine: the page was opened at an address that others cannot reach.
seat-here-listen = To let others in, start the server with |dice-of-doom serve --listen 0.0.0.0:{ $port }|.
seat-here-then = Others then find it at { $addresses }.
seat-here-elsewhere = Open the page at this machine’s address in your network, and its links work for others, too.
seat-network = The link has this machine’s address in your network.
seat-link-none = The link to this table cannot be shown here. If you make a new one, any link sent before stops working.
seat-make-link = Make a link
seat-renew = Withdraw the link and make a new one
seat-level-which = The level that plays { $who }
seat-level = Give the seat to a computer
seat-slow = { $who } has not moved for a while.
seat-unmoved = Free a seat
seat-unmoved-hint = A seat whose player has not moved yet can be freed; then somebody else can take it. The player is told.
seat-free = Free { $who }’s seat
seat-replace = Let a computer play for { $who }
seat-yours = Your seat: name, other devices
seat-yours-one = { $who }’s seat: name, other devices
seat-name = Your name at this table
seat-name-save = Save
seat-back = Your link to come back on another device
seat-back-hint = Keep it to yourself: whoever opens it and presses the button sits in your seat. It works again and again until you withdraw it.
seat-back-make = Make a link for another device
seat-lost = Did you have a seat here?
seat-lost-how = A seat belongs to the browser in which it was taken, at the address at which it was taken: a cookie tells who you are. So you only watch in another browser, in a private window, without the cookie, or at another address of this server (localhost and 127.0.0.1 are two). The link of your seat brings you back; it stands under “Your seat” where you still have it.
carry-over-lead = This browser has seats here that it took over an unencrypted connection (http). If they are yours, move them here: then nobody who may have listened in can play for you.
carry-over = Move my seats here
resign-ends = Yes, resign; that ends the game
resign-level = Yes, resign; a computer plays on
resign-leave = Yes, leave; somebody else can take the seat
rematch-same = { $seats ->
    [one] Same board, play { $who }
   *[other] Same board, other seats
  }
rematch-easier = Easier
rematch-harder = Harder
rematch-to = { $step }: { $name }
rematch-on = To the rematch
rematch-started = Another player has started a rematch.
rematch-on-same = To the rematch on the same board
rematch-on-easier = To the easier rematch
rematch-on-harder = To the harder rematch
notice-seat-not-yours = This seat is not yours to change. Nothing was changed.
notice-seat-none = There is no such seat at this table.
notice-seat-taken = Somebody has just taken this seat. Nothing was changed.
notice-seat-moved = This player has already moved, so the seat stays theirs. Nothing was changed.
notice-seat-started = The game has started. Nothing was changed.
notice-seat-freed = The host of this game has freed your seat, because you had not moved yet. You can go on watching, or join another game under Open tables.
notice-seat-never = At this table nobody is replaced; the game waits for everybody.
notice-seat-not-awaited = It is not the turn of that seat. Nothing was changed.
notice-seat-early-s = Give them a little longer: in { $n ->
    [one] one second
   *[other] { $n } seconds
  } a computer can play for them.
notice-seat-early-m = Give them a little longer: in { $n } minutes a computer can play for them.
notice-seat-early-h = Give them a little longer: in { $n } hours a computer can play for them.
notice-seat-level = There is no such level. Nothing was changed.
notice-seat-change = That cannot be done with a seat. Nothing was changed.
notice-name-long = A name has at most 32 characters.
notice-name-invisible = A name can only have characters that can be seen. Please type it by hand.
notice-name-address = A name cannot contain a web address. If it is not one, put a space after the dot.
notice-rematch-goes-on = The game is still going on; you can have a rematch when it is over.
join-title-host = { $who } invites you to { $game }
join-title = You are invited to { $game }
join-back-title = Back to your game of { $game }
join-seat = You would play { $who }
join-back-seat = You play { $who }
join-lead = Sit down and play: |no account, nothing to install.|
join-back-lead = The seat moves |to this browser|.
join-plies = { $plies ->
    [0] The game has not begun yet.
    [one] One move has been made so far.
   *[other] { $plies } moves have been made so far.
  }
join-name = Your name, if you like
join-name-hint = Up to 32 characters; everybody at the table sees it.
join = Take { $who }’s seat
join-back = Play { $who } here
join-others = At the table: { $who }.
join-other = { $who } ({ $what })
join-private = Only people with a seat see this game.
join-board = The current position
join-no-cookies = Your browser did not keep this site’s cookie, and without it you cannot be told from others, so you cannot play yet. Allow cookies for this address and press the button, or open the link to this seat in another browser.
join-no-cookies-link = Link to this seat

# Programs that people ask to play
program-title = { $game } against { $name }
program-there = |{ $name } is connected| and hears of your invitation at once.
program-away = |{ $name } is not connected just now.| Your invitation waits until it comes back.
program-ask = Ask { $name } to play
program-hint = You get a new game, and you begin. { $name } is a program that somebody runs: it may decline, and until it sits down you can give its seat to somebody else.
program-busy = { $name } already has as many invitations waiting as it may have. Try again later.
program-asked-enough = You already have as many invitations to programs waiting as you may have. Give one of those seats to somebody else, or try again later.
form-open = A person, by link
form-name = Your name, if you like
form-table = The table
form-private = Private: only people with a seat see it
form-replace = Replace an absent player
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
form-problem-name-invisible = A name can only have characters that can be seen. Please type it by hand.
start-watch = Games to watch
card-between = { $who }
card-watch = Watch
error-no-link = This link opens no seat. It may have been used or withdrawn: ask for a new one.
error-seat = The seat stays as it is; nothing was changed.

# How strong the levels are
levels-title = How strong the levels are
levels-lead = How each computer thinks, weakest first, and how it did against other computers.
levels-level = Level
levels-rating = Rating
levels-book = Against Book
levels-range = { $low } to { $high }
levels-share = { $share }%
levels-measured = { $boards ->
    [one] One board,
   *[other] { $boards } boards,
  } each played from every seat. Against Book: the share of games that one player of this level wins when all the others are Book; { $par }% is as good as Book. The range below each number contains the true value in 95 of 100 such measurements. A rating that is 400 points higher means odds of ten to one between two players; Random has 1000. The ranges of ratings are for comparing the levels with each other.
levels-unmeasured = Not measured yet.
