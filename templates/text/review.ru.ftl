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
review-wait-lead = Поиск самого сильного уровня проверяет каждое решение, а самые дорогие — ещё раз, внимательнее.
review-wait-come = Рассмотрено решений: { $done } из { $of }.
review-wait-about = Разбор продолжится и без вас; когда он будет готов, страница его покажет.
review-look-again = Обновить

# ---- the verdict ----
# "luck" is gave, cost or even; "dice" and "cost" are points.
review-verdict = { $person ->
    [you] { $luck ->
        [gave] Кубики дали вам { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, ваши решения стоили { $cost }
        [cost] Кубики стоили вам { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, ваши решения — { $cost }
       *[even] Кубики вышли по нулям, ваши решения стоили { $cost ->
            [one] { $cost } очко
            [few] { $cost } очка
           *[other] { $cost } очков
          }
      }
   *[other] { $luck ->
        [gave] { FORM($who, case: "dative") ->
            [none] { $who }: кубики дали
           *[other] Кубики дали { FORM($who, case: "dative") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, решения стоили { $cost }
        [cost] { FORM($who, case: "dative") ->
            [none] { $who }: кубики стоили
           *[other] Кубики стоили { FORM($who, case: "dative") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, решения — { $cost }
       *[even] { FORM($who, case: "genitive") ->
            [none] { $who }: кубики
           *[other] Кубики { FORM($who, case: "genitive") }
          } вышли по нулям, решения стоили { $cost ->
            [one] { $cost } очко
            [few] { $cost } очка
           *[other] { $cost } очков
          }
      }
  }
review-verdict-dice = { $person ->
    [you] { $luck ->
        [gave] Кубики дали вам { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, ваши решения ничего не стоили
        [cost] Кубики стоили вам { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, ваши решения — ничего
       *[even] Кубики вышли по нулям, ваши решения ничего не стоили
      }
   *[other] { $luck ->
        [gave] { FORM($who, case: "dative") ->
            [none] { $who }: кубики дали
           *[other] Кубики дали { FORM($who, case: "dative") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, решения ничего не стоили
        [cost] { FORM($who, case: "dative") ->
            [none] { $who }: кубики стоили
           *[other] Кубики стоили { FORM($who, case: "dative") }
          } { $dice ->
            [one] { $dice } очко
            [few] { $dice } очка
           *[other] { $dice } очков
          }, решения — ничего
       *[even] { FORM($who, case: "genitive") ->
            [none] { $who }: кубики
           *[other] Кубики { FORM($who, case: "genitive") }
          } вышли по нулям, решения ничего не стоили
      }
  }
review-verdict-decisions = { $person ->
    [you] Ваши решения стоили вам { $cost ->
        [one] { $cost } очко
        [few] { $cost } очка
       *[other] { $cost } очков
      }
   *[other] { FORM($who, case: "genitive") ->
        [none] { $who }: решения
       *[other] Решения { FORM($who, case: "genitive") }
      } стоили { $cost ->
        [one] { $cost } очко
        [few] { $cost } очка
       *[other] { $cost } очков
      }
  }
review-verdict-flawless = { $person ->
    [you] Ваши решения ничего вам не стоили
   *[other] { FORM($who, case: "genitive") ->
        [none] { $who }: решения
       *[other] Решения { FORM($who, case: "genitive") }
      } ничего не стоили
  }
review-lead-one = { $person ->
    [you] Вы победили, { $plies ->
        [one] { $plies } шаг.
        [few] { $plies } шага.
       *[other] { $plies } шагов.
      }
   *[other] Победитель — { $who }, { $plies ->
        [one] { $plies } шаг.
        [few] { $plies } шага.
       *[other] { $plies } шагов.
      }
  }
review-lead-tie = Ничья: { $who }, { $plies ->
    [one] { $plies } шаг.
    [few] { $plies } шага.
   *[other] { $plies } шагов.
  }
review-lead-draw = Никто не победил, { $plies ->
    [one] { $plies } шаг.
    [few] { $plies } шага.
   *[other] { $plies } шагов.
  }
review-point = Одно очко — это один процент вероятности победы.
review-look = Посмотреть шаг { $ply }
review-play-on = { $ply ->
    [0] Играть с начала
   *[other] Играть с шага { $ply }
  }
review-replay = Повтор
review-sides = С чьей стороны

# ---- the chance of winning ----
review-chances = Вероятность победы
review-chances-label = Вероятность победы каждого игрока шаг за шагом
review-ply-0 = начало
review-percent = { $n } %
review-table = В виде таблицы
review-ply = шаг
review-who = кто решал
review-start = начало
review-decision = решение
review-luck = удача

# ---- luck apart from skill; a bar marks where a label may break ----
review-apart = Удача отдельно от умения
review-decisions-title = Что изменило шансы
review-became = { $person ->
    [you] как ваши { $start } % стали { $end } %
   *[other] как { $start } % стали { $end } %
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
review-worst = { $person ->
    [you] Решения, которые стоили вам дороже всего
   *[other] { FORM($who, case: "dative") ->
        [none] { $who }: самые дорогие решения
       *[other] Решения, которые стоили { FORM($who, case: "dative") } дороже всего
      }
  }
review-none = { $person ->
    [you] Ни одно ваше решение не стоило больше, чем различает поиск.
   *[other] { FORM($who, case: "genitive") ->
        [none] { $who }: ни одно решение
       *[other] Ни одно решение { FORM($who, case: "genitive") }
      } не стоило больше, чем различает поиск.
  }
review-cost = стоило |{ $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[other] { $points } очков
  }| из { $share }; лучше было |{ $better }|.
review-go = Шаг { $ply }
review-gave-up = Сдача
review-action = { $action }

# ---- players ----
review-accounts = Удача и решения каждого игрока
review-player = игрок
review-luck-points = свои кубики, очки
review-decision-points = свои решения, очки
review-sum-about = Вероятность в начале и всё, что изменили кубики и решения, в сумме дают результат.
review-luck-about = Ожидаемая удача каждого броска равна нулю, поэтому всё, что осталось, — удача.

# ---- by whom ----
review-details = Подробности
review-by = Сделано поиском уровня «{ $level }», симуляций на шаг: не меньше { $simulations }, версия оценки: { $version }.
review-outdated = С тех пор оценка у уровней изменилась, и новый разбор был бы другим.
review-again = Сделать заново
