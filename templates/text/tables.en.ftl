# The open tables: games with a free seat that anybody may join

tables = Open tables
nav-people = People
tables-lead = These people are waiting for someone to play with. A game usually has two people and two computers. You need no account, only a name.
tables-all = { $n ->
    [one] See all tables
   *[other] All { $n } tables
  }
tables-free = { $n ->
    [0] You can take the seat of a computer.
    [one] 1 seat is free.
   *[other] { $n } seats are free.
  }
tables-waiting = { $n ->
    [0] Just opened.
    [one] Waiting for 1 minute.
   *[other] Waiting for { $n } minutes.
  }
tables-join = Join
tables-own = Your table
tables-name = Your name
tables-open = Open a table
tables-open-now = Open this table
tables-more = More choices
tables-none = Nobody is waiting now
tables-none-lead = Open a table, and others see it here and on the start page. Keep its page open; you can play a computer in another tab meanwhile.
tables-invite = Invite by link
tables-computers = Play computers
tables-how = How it works
tables-how-lead = Join takes the next free seat. The game starts when everybody is there, or when the host starts it; then computers take the free seats. A table stays in the list while the host has its page open and two minutes longer, for at most an hour; then it can be listed again.
tables-refresh = The list updates by itself. Without scripts: |Refresh|.
tables-started = This table has just started. Here are the others.
tables-name-missing = The others at the table need a name for you.
tables-seats-many = You, or others in your network, already sit at three open tables without having moved there. Move there first, or leave one of these tables.

# At a table with free seats, for its owner
table-listed = This table is |listed| for everybody while this page is open, for at most an hour.
table-unlisted = Only people with the link can join.
table-close = Take it off the list
table-open = List it under Open tables
notice-tables-many = Three tables of yours, or of your network, are listed already. Take one off the list, or wait until one is full.
form-listed = Open: list it for everybody under Open tables
form-problem-listed-private = A private table cannot be listed for everybody.
form-problem-listed-full = An open table needs a free seat: choose “A person, by link” for one of them.

# The page of a game that waits for players
lobby-waiting = Waiting for a player…
lobby-here = { $who } is here.
lobby-count = { $here } of { $all }
lobby-left = { $who } left.
lobby-starts = The game starts by itself.
lobby-send = { $n ->
    [one] Send the link. The game starts when one more person is here. Keep this tab open; it may be in the background.
   *[other] Send the link. The game starts when { $n } more people are here. Keep this tab open; it may be in the background.
  }
lobby-missing = { $n ->
    [one] The game starts when one more person is here.
   *[other] The game starts when { $n } more people are here.
  }
lobby-watching = You are watching. To join, use the host’s link or the list of open tables.
lobby-soon = { $n ->
    [one] The game starts by itself in 1 second.
   *[other] The game starts by itself in { $n } seconds.
  }
lobby-held-host = The game starts when you start it.
lobby-held = The game starts when its host starts it.
lobby-wait = Wait for more people
lobby-start = Start now
lobby-start-rest = Start now, computers take the rest
lobby-free = Free
lobby-free-about = { $colour }, waits for a person
lobby-there = { $colour }, here
lobby-computer = { $what }, unless somebody joins
lobby-ready = ready
lobby-link = One link for every free seat
lobby-qr = QR code of the link
lobby-board = The board you will play
lobby-leave = Leave the table

# The clock of a turn
form-turn = Time for a turn
turn-none = No clock
turn-seconds = { $n ->
    [one] { $n } second a turn
   *[other] { $n } seconds a turn
  }
turn-minutes = { $n ->
    [one] One minute a turn
   *[other] { $n } minutes a turn
  }
turn-hours = { $n ->
    [one] One hour a turn
   *[other] { $n } hours a turn
  }
turn-days = { $n ->
    [one] One day a turn
   *[other] { $n } days a turn
  }
clock-rule = left for this turn. At 0:00 it ends by itself; if the rules demand a move first, a computer makes it.
clock-moments = This was at { $now } UTC; the turn ends at { $end } UTC.
clock-say = { $n ->
    [one] { $n } second left
   *[other] { $n } seconds left
  }

# Phrases at the table; people can say nothing else
phrases = Say something
phrases-mute = Mute phrases
phrases-muted = Phrases are muted
phrases-show = Show
phrase-hello = Hello
phrase-luck = Good luck
phrase-rolled = Well rolled!
phrase-oh-no = Oh no
phrase-time = Take your time
phrase-thanks = Thanks
phrase-laugh = 😄
phrase-game = Good game
notice-phrase-soon = One phrase every three seconds. Nothing was said.
notice-phrase-alone = Nobody else is at this table.
set-phrases = Phrases of other players
set-phrases-on = Shown
set-phrases-off = Muted
