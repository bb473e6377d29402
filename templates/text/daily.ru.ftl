# Страницы доски дня.

nav-daily = Сегодня
daily-title = Доска дня, { $day }
daily-date = { $day } { $month }
daily-headline = Сегодня все играют на этой доске
daily-headline-past = Доска прошедшего дня
daily-deal = Расклад у всех один, против трёх средних компьютеров.
daily-dice = Кубики тоже: кто принимает те же решения, получает те же броски.
daily-once = Засчитывается одна попытка. Она начинается кнопкой «Начать».
daily-times = Начатая партия засчитывается, если закончить её до этого времени: { $over }.
daily-closing = Начать уже нельзя. Начатая партия засчитывается, если закончить её до этого времени: { $over }.
daily-unfinished = Вы начали эту доску и не закончили её вовремя, поэтому результата нет. |Посмотреть партию|
daily-off = Подсказок нет, ходы назад не берутся.
daily-until = Приём попыток закончится через { $left }
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
daily-past = Можно играть сколько угодно раз, с новыми бросками. Это не засчитывается.
daily-start = Начать
daily-begun-before = Этот браузер уже начинал эту доску, а потом удалил свои записи, поэтому второй попытки у него нет.
daily-not-today = Это была страница прошедшего дня, поэтому ничего не началось. Сегодняшняя доска — в разделе «Сегодня».
daily-continue = Продолжить сегодняшнюю доску
daily-play-past = Играть на этой доске
daily-again = Сыграть ещё раз с новыми бросками
daily-to-today = Каждый день новая доска: |сегодняшняя доска|.
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
daily-better = Лучше, чем у |{ $share } %| из { $people ->
    [one] { $people } человека
   *[other] { $people } человек
  }{ $state ->
    [over] .
   *[open] , сыгравших до сих пор.
  }
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
daily-costliest = Ваше самое дорогое решение
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
daily-show-about = Если ваша партия — лучшая за день, все смогут смотреть её с этого времени: { $over }.
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
daily-seal-why = Все броски дня следуют из одного секрета. Его SHA-256 публикуется накануне, а сам секрет — когда партии этого дня перестают засчитываться.
daily-openly = Кто сначала играет в другом браузере, знает броски до засчитываемой попытки: этому ничто не мешает.
daily-late = Этот сервер запустили только в тот же день, поэтому SHA-256 накануне не был опубликован.
daily-next = Завтра
daily-seed = Зерно
daily-salt = Соль
daily-opens = Зерно и соль появятся здесь, когда партии этого дня перестанут засчитываться: { $over }.
daily-table = Числа в таблице
time-left = { $hours } ч { $minutes } мин
time-left-minutes = { $minutes } мин
time-utc = (в { $time } UTC)
time-local = ({ $day }, { $time } по вашему времени)
start-day-people = Расклад и кубики у всех одни и те же. { $people ->
    [0] Сегодня ещё никто не играл.
    [one] Сегодня сыграл { $people } человек.
    [few] Сегодня сыграли { $people } человека.
   *[other] Сегодня сыграли { $people } человек.
  }
start-day-play = Сыграть доску дня
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
