# The review of a finished game, in Russian.

# ---- before it is made ----
review = Разбор
review-over = Разбор партии
review-ask-title = Где была удача, а где умение?
review-ask-title-sure = Где всё решилось?
review-ask-lead = Разбор рассматривает каждое решение партии и говорит, чего оно стоило и что дали кубики.
review-ask-lead-sure = Разбор рассматривает каждое решение партии и говорит, чего оно стоило.
review-ask = Разобрать эту партию
review-back = Назад к партии
review-wait-title = Идёт разбор партии
review-wait-lead = Поиск самого сильного уровня проверяет каждое решение, а самые дорогие — ещё раз, внимательнее.
review-wait-come = Рассмотрено решений: { $done } из { $of }.
review-wait-about = Разбор продолжится и без вас; когда он будет готов, страница его покажет.
review-look-again = Обновить

# ---- the headline; "luck" is gave, cost or even; "dice" are points ----
review-accuracy = { $person ->
    [you] Точность { $percent }
   *[other] { $who }: точность { $percent }
  }
review-average = Среднее за ваши последние разобранные партии ({ $games }) — { $percent } (черта).
review-best-each = Это доля шансов на победу, которую сохранили решения: 100 % — каждый раз лучшее решение.
review-accuracy-about = Очки — сумма по всем решениям, точность — среднее: у кого шансы выше, тот может потерять больше очков при более высокой точности.
review-luck-point = { $person ->
    [you] { $luck ->
        [gave] Кубики дали вам { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }
        [cost] Кубики отняли у вас { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }
       *[even] Кубики вам не помогли и не помешали
      }
   *[other] { $luck ->
        [gave] { FORM($who, case: "dative") ->
            [none] { $who }: кубики дали
           *[other] Кубики дали { FORM($who, case: "dative") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }
        [cost] { FORM($who, case: "genitive") ->
            [none] { $who }: кубики отняли
           *[other] Кубики отняли у { FORM($who, case: "genitive") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }
       *[even] { FORM($who, case: "dative") ->
            [none] { $who }: кубики не помогли и не помешали
           *[other] Кубики не помогли и не помешали { FORM($who, case: "dative") }
          }
      }
  }; очко — это один процент вероятности победы.
review-lead-one = { $person ->
    [you] Вы победили за { $plies ->
        [one] { $plies } шаг.
        [few] { $plies } шага.
       *[other] { $plies } шагов.
      }
   *[other] { $who } побеждает за { $plies ->
        [one] { $plies } шаг.
        [few] { $plies } шага.
       *[other] { $plies } шагов.
      }
  }
review-lead-tie = { $plies ->
    [one] Ничья через { $plies } шаг: { $who }.
    [few] Ничья через { $plies } шага: { $who }.
   *[other] Ничья через { $plies } шагов: { $who }.
  }
review-lead-draw = Никто не победил за { $plies ->
    [one] { $plies } шаг.
    [few] { $plies } шага.
   *[other] { $plies } шагов.
  }
review-point = Одно очко — это один процент вероятности победы.
review-replay = Повтор
review-sides = С чьей стороны

# ---- the chance of winning ----
review-chances = Вероятность победы
review-chances-label = Вероятность победы каждого игрока шаг за шагом
review-ply-0 = начало
review-percent = { $n } %
review-table = В виде таблицы
review-ply = шаг
review-who = кто решал
review-start = начало
review-decision = решение
review-luck = удача

# ---- luck apart from skill; a bar marks where a label may break ----
review-apart = Удача и умение
review-decisions-title = Что изменило шансы
review-became = { $person ->
    [you] как ваши { $start } % стали { $end } %
   *[other] как { $start } % стали { $end } %
  }
review-at-start = в|начале
review-own-dice = { $person ->
    [you] ваши|кубики
   *[other] свои|кубики
  }
review-own-decisions = { $person ->
    [you] ваши|решения
   *[other] свои|решения
  }
review-others-decisions = чужие|решения
review-others-dice = чужие|кубики
review-at-end = в|конце

# ---- the dice ----
review-dice = { $person ->
    [you] Ваши кубики, всего { $n }
   *[other] { FORM($who, case: "genitive") ->
        [none] { $who }: кубики
       *[other] Кубики { FORM($who, case: "genitive") }
      }, всего { $n }
  }
review-sixes = шестёрок { $n }, ожидалось { $expected }
review-face = { $face } выпало { $n ->
    [one] { $n } раз
    [few] { $n } раза
   *[other] { $n } раз
  }
review-each = по { $n }

# ---- decisions; "place" is head where the words stand alone, and within in a sentence ----
review-none = Ни одно решение не стоило больше 2 очков.
review-through = { $n ->
    [1] Посмотреть ошибку
    [one] Разобрать { $n } ошибку
    [few] Разобрать { $n } ошибки
   *[other] Разобрать { $n } ошибок
  }
review-play-again = Сыграть ещё раз
review-best-title = { $n ->
    [1] Лучшее решение
    [one] { $n } лучшее решение
    [few] { $n } лучших решения
   *[other] { $n } лучших решений
  }
review-mistakes-title = { $n ->
    [1] Одна ошибка
    [one] { $n } ошибка
    [few] { $n } ошибки
   *[other] { $n } ошибок
  }
review-swing-title = Вопреки шансам
review-points = { $points ->
    [one] { $signed } очко
    [few] { $signed } очка
   *[other] { $signed } очков
  }
review-best-line = Шаг { $ply }. Следующее по силе: { $other }.
review-mistake-line = Шаг { $ply }. Лучше было: { $other }.
review-swing-line = { $person ->
    [you] Ваш шаг { $ply }. Вероятность такого броска — { $chance }: это невезение, а не ошибка.
   *[other] { $who }, шаг { $ply }. Вероятность такого броска — { $chance }: это невезение, а не ошибка.
  }
review-look = Посмотреть
review-cost = Шаг { $ply }: { $played } — цена { $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[other] { $points } очков
  } из { $share }; лучше было: { $better }.
review-gave-up = { $place ->
    [head] Сдача
   *[within] сдача
  }
review-action = { $action }

# ---- a decision on its own page ----
review-mistake-of = Ошибка { $n } из { $all }: цена { $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[other] { $points } очков
  }
review-best-of = Лучшее решение { $n } из { $all }: выигрыш { $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[other] { $points } очков
  }
review-better = Лучше: { $action }
review-well-played = Хорошо сыграно: { $action }
review-played = Сыграно: { $action }. Шаг { $ply }.
review-next-best = Следующее по силе: { $action }. Шаг { $ply }.
review-with-odds = { $action }, шанс { $odds }
review-mark = { $mark }
review-mark-better = лучше
review-mark-played = сыграно
review-mark-next = следующее по силе
review-decisions = Решения
review-previous-mistake = Предыдущая ошибка
review-next-mistake = Следующая ошибка
review-previous-best = Предыдущее решение
review-next-best-decision = Следующее решение
review-try = Попробуйте сами
review-to-review = Назад к разбору

# ---- players ----
review-accounts = Удача и решения каждого игрока
review-player = игрок
review-luck-points = свои кубики, очки
review-decision-points = свои решения, очки
review-sum-about = Вероятность в начале и всё, что изменили кубики и решения, в сумме дают результат.
review-luck-about = Ожидаемая удача каждого броска равна нулю, поэтому всё, что осталось, — удача.

# ---- by whom ----
review-details = Подробности
review-by = Сделано поиском уровня «{ $level }», симуляций на шаг: не меньше { $simulations }, версия оценки: { $version }.
review-outdated = С тех пор оценка у уровней изменилась, и новый разбор был бы другим.
review-again = Разобрать заново
