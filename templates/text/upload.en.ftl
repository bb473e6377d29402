# Records that are brought here, and what is wrong with one, in English. `$why` is a whole sentence.

upload = Upload a record
upload-ask = Upload a record
upload-lead = Bring a game that was played elsewhere: go through it, have it reviewed, and play on from any move.
upload-file = The file
upload-limit = A record.json or record.txt from this program, at most { $kb } KB.
upload-paste = Or paste its text
upload-button = Upload
upload-checked = Every move is checked against the rules. If something does not fit, you are told what, and nothing is kept.
upload-who = Who played is shown as the record says. Nobody here checks that, and an uploaded game says so.
upload-dice = If the dice were sealed and the seed is open, every roll is checked. Other dice are not proven. Uploaded games do not count in the statistics of this server.
upload-rest = An unfinished game stays where it stopped: nobody moves in it, but anybody can play on from it in a new game. Whoever has the link can see it.
upload-days = { $days ->
    [one] An uploaded game is removed after one day.
   *[other] Uploaded games are removed after { $days } days.
  } Keep the file.
upload-nothing = Choose a file, or paste the text of a record.
upload-no-text = This file contains no text, so it is not a record.
upload-not-kept = Nothing was kept.
upload-numbers = Plies are numbered as in the record, from 0.
upload-ends = The record ends here
upload-ends-sub = It was played elsewhere, and nobody moves in it here. You can play on from here in a new game.
origin-proved = Its |dice are proven|: every roll follows from the seed in the record.
origin-not-proved = Its |dice are not proven|.
card-uploaded = Uploaded record
error-record = This record is not valid.
error-record-too-large = This is too large for a record. Nothing was kept.

fair-lead-uploaded = This game was played elsewhere and its record was uploaded. Its rolls follow from the seed in the record. Whether that seed was sealed before the first roll, only somebody who saw the commitment then can say.
fair-lead-uncommitted = This game was played elsewhere and its record was uploaded. It contains no open seed, so nothing proves its dice.
fair-sealed-uploaded = Sealed, as the record says
fair-sealed-uploaded-why = The commitment in the record fits its seed and salt. When it was first shown, and to whom, this server does not know.

record-no-json = This is not JSON from line { $line }, column { $column } on. Is the file complete?
record-notation = This game is not valid at line { $line }, column { $column }.
record-format = This record has a format that this server does not know. It reads format { $format }.
record-earlier-format = An earlier build wrote this record. The last build that reads it is { $build }.
record-game = There is no game called “{ $name }” here.
record-too-long = This record has more than { $most } plies. No game has so many.
record-field = This is not a complete record: something is missing, unknown or out of place.
record-setup = The game cannot be set up: { $why }
record-unread = Ply { $ply } cannot be read.
record-illegal = Ply { $ply }: { $why }
record-illegal-move = Ply { $ply } is against the rules.
record-after-the-end = Ply { $ply }: the game was over before it.
record-wrong-player = Ply { $ply }: it was another player’s turn.
record-wrong-dice = Ply { $ply }: these dice do not belong to this move.
record-rolls = Ply { $ply }: these dice do not follow from the seed.
record-takeback = Ply { $ply }: there was no such move to take back.
record-takebacks = Ply { $ply }: more than { $most } moves were taken back.
record-words = Ply { $ply }: this player had added words to the dice too often.
record-words-late = Ply { $ply }: these words for the dice were added too late, or too often.
record-end = The end of the game does not follow from its moves.
record-dice = What the record says about its dice does not fit.
record-seal = The record was changed after it was written: its seal does not fit.
