# Страницы задач; тексты их тем лежат в файлах игр.

nav-puzzles = Задачи
puzzle = Задача
puzzle-of-the-day = Задача дня
puzzles-title = Задачи
puzzles-lead = Позиции из настоящих партий, где один ход намного лучше всех остальных. Найдите его.
puzzle-your-rating = Ваш рейтинг в задачах: { $rating }
puzzle-theme-count = Пройдено { $answered } из { $puzzles }, решено с первой попытки: { $solved }
puzzle-theme-done = Вы попробовали все задачи этой темы ({ $puzzles }) и с первой попытки решили { $solved }.
puzzle-solve = Решать следующую
puzzle-turn = { FORM($player, case: "genitive") ->
    [none] Вы играете: { $player }. Сейчас ваш ход.
   *[other] Вы играете за { FORM($player, case: "genitive") }, сейчас ваш ход.
  }
puzzle-solved-by = Решают { $share } % (ответов: { $answers })
puzzle-right = Верно: { $what }
puzzle-wrong = Не лучший выбор. Лучше: { $what }
puzzle-cost = { $what }: цена |{ $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[other] { $points } очков
  }|.
puzzle-better = Лучше: { $what }. { $why }
puzzle-your-answer = (ваш ответ)
puzzle-points = Числа показывают шансы на победу после хода; одно очко — один процент.
puzzle-cost-outcome = |{ $what }|: { $outcome }.
puzzle-play = Сделайте ход на доске или выберите ответ здесь.
puzzle-confirm = Это ваш ответ? Тогда нажмите здесь отмеченный вариант.
puzzle-refused = { $answers ->
    [2] Этого хода нет среди двух ответов.
    [3] Этого хода нет среди трёх ответов.
   *[other] Этого хода нет среди ответов ({ $answers }).
  }
puzzle-no-roll = Броска ещё не было
puzzle-answer-counts = Оценивается ответ, а не бросок.
puzzle-day-solved = решена
puzzle-day-tried = не решена
puzzle-day-streak = дней подряд: { $days }
puzzle-row = подряд
puzzle-row-spoken = Подряд: { $row }.
puzzle-longest-row = лучший результат: { $row }
puzzle-you = вы { $rating }
puzzle-you-changed = вы { $rating } ({ $change })
puzzle-its = задача { $rating }
puzzle-try = Попробовать ещё раз
puzzle-not-stored = Ваш браузер не сохраняет cookie этого сайта, поэтому этот ответ не записан и рейтинг не меняется.
puzzle-next = Следующая задача
puzzle-analyse = Анализ
puzzle-line-right = Что может быть дальше
puzzle-line-better = Что может дать лучший выбор: { $what }
puzzle-solve-it = Решить
start-puzzle-solved = Решена
start-puzzle-missed = Не решена
start-puzzle-another = Другая задача
