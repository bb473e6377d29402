# The pages of lessons; the texts of their steps are those of the games.

lesson-step = Шаг { $step } из { $steps }
lesson-next = Дальше
lesson-tried = уже пробовали
lesson-set-back = Доска снова как прежде.
lesson-other = Выберите другой вариант.
rolling-odds = { $rolling }: { $odds } %
lesson-back = Назад
lesson-left = { $minutes ->
    [one] Осталась примерно { $minutes } минута
    [few] Осталось примерно { $minutes } минуты
   *[many] Осталось примерно { $minutes } минут
  }
lesson-skip = Пропустить урок
lesson-all = Все уроки
lesson-more = Другие уроки
lesson-steps = { $steps ->
    [one] { $steps } шаг
    [few] { $steps } шага
   *[other] { $steps } шагов
  }
lesson-end-other = Урок окончен. Похожие позиции встретятся вам в каждой партии.
lesson-end-title = Теперь вы умеете играть
lesson-end-text = Теперь игроков четверо, правила те же. Атакуйте там, где шансы хороши, держите свои гексы вместе и вовремя останавливайтесь.
lesson-all-rules = Все правила на одной странице
nav-learn = Урок
start-lesson = Научиться за 3 минуты
start-lesson-about = Маленькие шаги на настоящей доске.
start-lesson-start = Начать урок
