# Hints: what the actions of a position are worth; in Russian.

hint = Подсказка
hint-ask = Подсказка
hint-close = Закрыть подсказку
hint-thinking = Компьютер рассматривает каждый ход.
# A row of the list, as it is read aloud.
hint-row = { $rank }: { $what }
hint-row-chance = { $rank }: { $what }, вероятность победы { $share }
hint-row-odds = вероятность захвата { $odds }
hint-chance = вероятность победы после этого хода
hint-exact = точно, просчитаны все варианты
hint-all = Показать все ходы ({ $count })
hint-made = { $thousands ->
    [one] Сыграна { $thousands } тысяча пробных партий.
    [few] Сыграно { $thousands } тысячи пробных партий.
   *[other] Сыграно { $thousands } тысяч пробных партий.
  }
hint-first = лучший ход по подсказке
hint-sure = наверняка
hint-off = За этим столом подсказок нет: здесь люди играют друг против друга.
hint-for-all = За этим столом все могут просить подсказки.
form-hints = Подсказки для всех, даже когда люди играют друг против друга (кроме строгой игры)
key-hint = Подсказка


# The analysis board
analysis-action = |{ $action }|
analysis-outcome = исход { $number }, { $odds } %
analysis = Анализ
analysis-ask = Анализировать
analysis-what-if = Что, если?
analysis-sub = Выберите место на доске, чтобы изменить его, или следующий ход варианта.
analysis-to-move = Ходит { $who }
analysis-edit = Изменить позицию
analysis-turn = Чей ход
analysis-player = { $who }
analysis-deal = Другая доска
analysis-worth = Вероятность победы
analysis-over = Здесь партия окончена.
analysis-line = Вариант
analysis-start = Исходная позиция
analysis-next = { $who }: лучшие ходы
analysis-back = Отменить последний ход
analysis-share = Ссылка на эту позицию
