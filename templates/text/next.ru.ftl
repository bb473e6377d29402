# Что предложено игроку после партии.

next-steps = Что дальше
next-lesson = Урок: { $title }
next-lesson-start = Начать
next-losses = { $n ->
    [one] Вы проиграли { $n } партию подряд.
    [few] Вы проиграли { $n } партии подряд.
   *[other] Вы проиграли { $n } партий подряд.
  }
next-easier = Партия полегче
next-easier-about = Соперники { $name }, доска новая.
next-easier-level = Уровень компьютеров ниже, доска новая.
next-easier-play = Играть: { $name }
next-daily = Доска дня
next-daily-about = { $days ->
    [0] Сегодня вы ещё не играли.
    [1] Сегодня вы ещё не играли.
    [one] Сегодня вы ещё не играли. { $days } день подряд.
    [few] Сегодня вы ещё не играли. { $days } дня подряд.
   *[other] Сегодня вы ещё не играли. { $days } дней подряд.
  }
next-daily-play = Играть
