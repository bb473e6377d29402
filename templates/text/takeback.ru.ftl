# Moves that are taken back, and words that players add to the dice; in Russian.

# The button, where the game has no better words for the move.
take-back = Отменить последний ход
take-back-button = Отменить
key-undo = Отменить ход

# The log; a line that was taken back is struck, and says so to those who listen.
log-took-back = { $person ->
    [you] Вы отменяете свой последний ход
   *[other] { $who } отменяет свой последний ход
}
log-taken-back = (отменено)
log-no-words = { $person ->
    [you] Вы не добавляете слов к броскам
   *[other] { $who } не добавляет слов к броскам
}
log-late-words = { $person ->
    [you] Вы не назвали закреплённые слова вовремя, и они не добавляются к броскам
   *[other] { $who } не называет закреплённые слова вовремя, и они не добавляются к броскам
}
log-fixed-words = { $person ->
    [you] Вы закрепляете слова для бросков
   *[other] { $who } закрепляет слова для бросков
}
log-contributed = { $person ->
    [you] Вы добавляете к броскам «{ $words }»
   *[other] { $who } добавляет к броскам «{ $words }»
}

# Beside the result of a finished game, and on its card.
over-takebacks = { $n ->
    [one] Отменён { $n } ход.
    [few] Отменено { $n } хода.
   *[other] Отменено { $n } ходов.
  }
card-takebacks = { $n ->
    [one] отменён { $n } ход
    [few] отменено { $n } хода
   *[other] отменено { $n } ходов
}

# Why nothing is taken back.
notice-strict = За этим столом брать ход назад нельзя.
notice-not-alone = Брать ход назад можно, только если не играют другие люди.
notice-nothing-to-take-back = Вам пока нечего отменять.
notice-too-many-takebacks = Больше брать ход назад нельзя: предел для этой партии — { $most }.
notice-words-awaited = К кубикам добавляют слова. Добавьте свои или откажитесь на странице кубиков; потом партия продолжится.
error-no-takeback = За этим столом брать ход назад нельзя.

form-strict = Строгая игра: брать ход назад нельзя
api-undo = Отменить свой последний ход и всё, что после него сделали компьютеры. Отмена — тоже строка записи; отменённое остаётся в ней.
