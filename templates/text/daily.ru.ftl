# Страницы доски дня.

nav-daily = Сегодня
daily-title = Доска дня, { $day }
daily-date = { $day } { $month }
daily-headline = Сегодня все играют на этой доске
daily-headline-past = Доска прошедшего дня
daily-deal = У всех одна расстановка, соперники — три компьютера среднего уровня.
daily-dice = Кубики тоже одни: те же решения — те же броски.
daily-once = Засчитывается одна попытка. Она начинается кнопкой «Начать».
daily-times = Партия засчитывается, если закончить её вовремя. Приём результатов закроется { $over }.
daily-closing = Начать уже нельзя. Начатая партия засчитывается, если закончить её вовремя. Приём результатов закроется { $over }.
daily-unfinished = Вы начали эту партию и не закончили её вовремя, поэтому результата нет. |Посмотреть партию|
daily-off = Подсказок нет, брать ход назад нельзя.
daily-until = Доска закроется через { $left }
daily-next-board = Следующая доска через { $left }
daily-yesterday-best = Лучший результат вчера: |{ $hexes ->
    [one] { $hexes } гекс
    [few] { $hexes } гекса
   *[other] { $hexes } гексов
  }|, { $result ->
    [won] победа.
   *[lost] без победы.
  }
daily-yesterday-own = Ваш: |{ $hexes ->
    [one] { $hexes } гекс
    [few] { $hexes } гекса
   *[other] { $hexes } гексов
  }|, { $result ->
    [won] победа.
   *[lost] без победы.
  }
daily-yesterday-watch = Посмотреть лучшую партию
daily-past = Можно играть сколько угодно раз, с новыми бросками. Результат не засчитывается.
daily-start = Начать
daily-begun-before = В этом браузере партию уже начинали, а потом удалили её данные, поэтому второй попытки нет.
daily-not-today = Это была страница прошедшего дня, поэтому партия не началась. Сегодняшняя доска — в разделе «Сегодня».
daily-continue = Продолжить партию дня
daily-play-past = Играть на этой доске
daily-again = Сыграть ещё раз с новыми бросками
daily-to-today = Каждый день новая доска: |сегодняшняя|.
daily-played = { $games ->
    [0] Сегодня ещё никто не играл.
    [one] Пока сыграл { $games } человек.
    [few] Пока сыграли { $games } человека.
   *[other] Пока сыграли { $games } человек.
  }
daily-result = { $result ->
    [won] Победа
   *[lost] Поражение
  }: гексов { $hexes } из { $all }
daily-better = { $state ->
    [over] Лучше
   *[open] Пока лучше
  }, чем у |{ $share } %| из { $people ->
    [one] { $people } сыгравшего
   *[other] { $people } сыгравших
  }.
daily-streak = Дней подряд: { $days }
daily-review = Разбор
daily-look = Партия
daily-picture = Результат картинкой
daily-copy = Скопировать результат
daily-copied = Результат скопирован
daily-looking = Ищем ваше лучшее решение…
daily-best = Ваше лучшее решение
daily-best-text = |+{ $points ->
    [one] { $points } очко|
    [few] { $points } очка|
   *[other] { $points } очков|
  } по сравнению со следующим по силе: |{ $played }| вместо { $other }.
daily-costliest = Ваша самая дорогая ошибка
daily-costliest-text = |−{ $points ->
    [one] { $points } очко|
    [few] { $points } очка|
   *[other] { $points } очков|
  }: |{ $played }|, а лучше было |{ $other }|.
daily-no-cost = Ни одно решение не стоило больше { $points } очков.
daily-see = Посмотреть
daily-text = Ваш результат текстом
daily-text-title = Dice of Doom, { $day }
daily-text-result = { $result ->
    [won] Победа
   *[lost] Поражение
  }: { $hexes } из { $all }{ $days ->
    [0] { "" }
    [1] { "" }
   *[other] , дней подряд: { $days }
  }
daily-squares = Ход { $turn }: ваших { $own } из 10
daily-show = Показывать мою партию
daily-show-about = Если ваша партия — лучшая за день, { $over } она станет видна всем.
daily-scores = Результаты всех
daily-won = победа
daily-lost = поражение или ничья
daily-flag = Вы: { $hexes }
daily-bars = Сколько гексов было у каждого в конце.
daily-bars-own = Сколько гексов было у каждого в конце. У вас: { $hexes }.
daily-bars-below = гексов в конце
daily-hexes = Гексы
daily-calendar = Последние четыре недели
daily-day-won = победа, гексов { $hexes }
daily-day-lost = без победы, гексов { $hexes }
daily-day-begun = начато и не закончено
daily-day-none = не сыграно
daily-check = Проверить кубики
daily-seal-why = Все броски дня определяются одним секретом. Его SHA-256 публикуется накануне, а сам секрет — когда партии этого дня перестают засчитываться.
daily-openly = Кто сначала сыграет в другом браузере, узнает броски ещё до зачётной попытки: помешать этому нельзя.
daily-late = Сервер запустили только в тот самый день, поэтому SHA-256 накануне не публиковался.
daily-next = Завтра
daily-seed = Сид
daily-salt = Соль
daily-opens = Сид и соль появятся здесь { $over }, когда партии этого дня перестанут засчитываться.
daily-table = В виде таблицы
time-left = { $hours } ч { $minutes } мин
time-left-minutes = { $minutes } мин
time-utc = (в { $time } UTC)
time-local = ({ $day }, { $time } по вашему времени)
start-day-people = Расстановка и кубики у всех одни и те же. { $people ->
    [0] Сегодня ещё никто не играл.
    [one] Сегодня сыграл { $people } человек.
    [few] Сегодня сыграли { $people } человека.
   *[other] Сегодня сыграли { $people } человек.
  }
start-day-play = Сыграть партию дня
start-day-result = Посмотреть итог
start-day-won = Победа: { $hexes ->
    [one] { $hexes } гекс
    [few] { $hexes } гекса
   *[other] { $hexes } гексов
  }
start-day-lost = Поражение: { $hexes ->
    [one] { $hexes } гекс
    [few] { $hexes } гекса
   *[other] { $hexes } гексов
  }
start-next = Следующая доска и задача
