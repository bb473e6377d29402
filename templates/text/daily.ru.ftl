# Страницы доски дня.

nav-daily = Сегодня
daily-title = Доска дня, { $day }
daily-date = { $day } { $month }
daily-headline = Сегодня все играют на этой доске
daily-headline-past = Доска прошедшего дня
daily-deal = Расклад у всех один, против трёх средних компьютеров.
daily-dice = Кости тоже: кто принимает те же решения, получает те же броски.
daily-once = Засчитывается одна попытка. Она начинается кнопкой «Начать».
daily-times = Начатое засчитывается до этого времени: { $over }.
daily-closing = Начать уже нельзя. Начатое засчитывается до этого времени: { $over }.
daily-unfinished = Вы начали эту доску и не закончили её вовремя, поэтому результата нет. |Посмотреть партию|
daily-off = Подсказок нет, ходы назад не берутся.
daily-until = Начать можно ещё { $left }
daily-next-board = Следующая доска через { $left }
daily-yesterday-best = Лучший результат вчера — гексов: |{ $hexes }|, { $result ->
    [won] победа.
   *[lost] без победы.
  }
daily-yesterday-own = Ваш — гексов: |{ $hexes }|, { $result ->
    [won] победа.
   *[lost] без победы.
  }
daily-yesterday-watch = Посмотреть лучшую партию
daily-past = Можно играть сколько угодно раз, с новыми костями. Это не засчитывается.
daily-start = Начать
daily-begun-before = Этот браузер уже начинал эту доску, а потом удалил свои записи, поэтому второй попытки у него нет.
daily-not-today = Страница была за день, который уже кончился, поэтому ничего не началось. Сегодняшняя доска — в разделе «Сегодня».
daily-continue = Продолжить сегодняшнюю доску
daily-play-past = Играть на этой доске
daily-again = Сыграть ещё раз с новыми костями
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
   *[other] , день { $days }
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
daily-check = Проверить кости
daily-seal-why = Все броски дня следуют из одного секрета. Его SHA-256 публикуется накануне, а сам секрет — когда за этот день больше ничего не засчитывается.
daily-openly = Кто сначала играет в другом браузере, знает кости до засчитываемой попытки: этому ничто не мешает.
daily-late = Этот сервер запустили только в тот же день, поэтому SHA-256 накануне не был опубликован.
daily-next = Завтра
daily-seed = Зерно
daily-salt = Соль
daily-opens = Зерно и соль появятся здесь, когда больше ничего не засчитывается: { $over }.
daily-table = Числа в таблице
time-left = { $hours } ч { $minutes } мин
time-left-minutes = { $minutes } мин
time-utc = (в { $time } UTC)
time-local = в { $time } по вашему времени, { $day }
start-day-people = Расстановка и кости у всех одни. { $people ->
    [0] Будьте сегодня первым.
    [one] Сегодня сыграл { $people } человек.
    [few] Сегодня сыграли { $people } человека.
   *[many] Сегодня сыграли { $people } человек.
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
