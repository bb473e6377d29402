# The page of the viewer's own record, and the page for other devices.

nav-me = My record
me-title = My record
me-since = { $games ->
    [one] 1 game
   *[other] { $games } games
  } in this browser since { $month }.
me-newest = Only your newest { $games } games are counted.
# $month is the name within a date; $n is the number, for languages where the name alone has another form.
me-month = { $place ->
   *[other] { $n ->
       *[other] { $month }
      }
  } { $year }
me-device = Use it on another device
me-rules = Rules
me-all-rules = All rules
me-period = Time
me-all-time = All time
me-show = Show
me-won = Games won
me-won-of = { $won } of { $games }
me-share = { $share }% won (a win shared by two counts half)
me-share-expected = { $share }% won; a player like the level Greedy would win { $expected }%
me-accuracy = Accuracy
me-accuracy-games = { $games ->
    [0] no game reviewed
    [one] in 1 reviewed game
   *[other] in the last { $games } reviewed games
  }
me-daily = Board of the day
me-days = { $days ->
    [one] 1 day in a row
   *[other] { $days } days in a row
  }
me-days-of = { $days } played in all, at most { $longest } in a row
me-puzzles = Puzzles
me-solved = { $solved } solved
me-solved-of = { $answered } answered, rating { $rating }
me-few = Graphs appear after { $games } games.
me-by-level = Wins by opponents
me-by-level-line = The line in a bar, and the number under “expected”, is what a player as strong as the level Greedy would win.
me-opponents = Opponents
me-games = Games
me-share-won = won
me-expected = expected
me-people = People
me-mixed = Several levels
me-luck = Luck and decisions
me-your-dice = your dice
me-your-decisions = your decisions
me-points = The average of a game. A point is one per cent of the chance to win: dice give or take points, and decisions that are not the best cost some.
me-accuracy-time = Accuracy by month
me-accuracy-why = 100 % is the best decision every time.
me-no-reviews = Review a game, and it is counted here.
me-review = { $games ->
    [one] Review the newest game
   *[other] Review the newest { $games } games
  }
me-reviewing = { $games ->
    [one] 1 game is being reviewed.
   *[other] { $games } games are being reviewed.
  }
me-refresh = Refresh
me-month-column = Month
me-reviewed = Reviewed games
me-games-title = Games
me-name = Name of a player
me-result = Result
me-all-results = All results
me-result-won = Won
me-result-tied = Tied
me-result-lost = Lost
me-result-open = In progress
me-all-opponents = All opponents
me-none-found = No game fits.
me-listed = { $first } to { $last } of { $all }
me-newer = Newer games
me-data = Your data.
me-data-why = The download is a text file with one game on each line. Deleting removes your games and your name, and it cannot be undone.
me-export = Download all my games
me-delete = Delete everything…
me-delete-title = Delete everything?
me-delete-count = { $games ->
    [one] 1 game
   *[other] { $games } games
  }, { $days ->
    [one] 1 board of the day
   *[other] { $days } boards of the day
  } and { $puzzles ->
    [one] 1 answer to a puzzle
   *[other] { $puzzles } answers to puzzles
  } belong to this browser.
me-delete-why = Games in which other people sit stay for them, without your name. A game in progress is given up. This cannot be undone.
me-keep = Keep my record
me-delete-now = Delete everything
device-title = One record on several devices
device-lead = Your games, your boards of the day and your puzzles belong to this browser. With a code, another browser has them too.
device-here = A code for another device
device-give = The code is valid for ten minutes and works once.
device-make = Make a code
device-renew = Make another code
device-enter = Open this page on the other device and enter the code there, or scan it with the camera. It is valid for { $minutes } minutes and works once.
device-secret = Keep it secret: anyone who enters it can play your games from then on.
device-qr = The code of this browser as a QR code
device-there = Use another browser’s record here
device-code = Code
device-merge = Next you see which record will be joined to which. Nothing is joined until you confirm it.
device-use = Next
device-unknown = This code is not valid. It may be mistyped, older than ten minutes or used already: make a new one on the other device.
device-own = This is the code of the record that you have here. Enter it on the other device.
device-end = Disconnect all other devices
device-end-why = This browser keeps the record. All other browsers lose it, links to your seats stop working, and your feed gets a new address.
device-end-now = Disconnect all other devices
device-ended = All other devices were disconnected.
device-lost = There are no accounts. If you lose the last device of a record, or delete its cookies there, the record is gone for good: keep it on two devices.
join-records-title = Join two records?
join-records-this = This browser
join-records-other = The record of the code
join-records-http = Played over an unencrypted connection (http)
join-records-nameless = somebody who has no name here
join-records-count = { $games ->
    [one] 1 game
   *[other] { $games } games
  }, { $days ->
    [one] 1 board of the day
   *[other] { $days } boards of the day
  }, { $puzzles ->
    [one] 1 answer to a puzzle
   *[other] { $puzzles } answers to puzzles
  }
join-records-effect = { $games ->
    [0] This browser will have the record of { $who }, who can play all games that you begin here.
    [one] 1 game of this browser will belong to { $who }, who can play it.
   *[other] { $games } games of this browser will belong to { $who }, who can play them.
  }
join-records-effect-http = { $games ->
    [one] 1 game will belong to this browser, and nobody who may have listened in can play it any more.
   *[other] { $games } games will belong to this browser, and nobody who may have listened in can play them any more.
  }
join-records-why = Join records only if both are yours. This cannot be undone.
join-records-ask = What should be done?
join-records-keep = Leave both as they are
join-records-join = Join them
join-records-go = Continue
