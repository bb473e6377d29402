# Страница своей истории и страница для других устройств.

nav-me = История
me-title = Моя история
me-since = В этом браузере с { $month } сыграно: { $games ->
    [one] { $games } партия
    [few] { $games } партии
   *[many] { $games } партий
  }.
me-newest = Считаются только новые партии: { $games }.
me-month = { $month } { $year }
me-device = Открыть на другом устройстве
me-rules = Правила
me-all-rules = Все правила
me-period = Время
me-all-time = Всё время
me-show = Показать
me-won = Выиграно партий
me-won-of = { $won } из { $games }
me-share = { $share } % побед, ничья делится
me-share-expected = { $share } %, ожидалось { $expected } %
me-accuracy = Точность
me-accuracy-games = { $games ->
    [0] нет разобранных партий
    [one] в { $games } последней разобранной партии
   *[other] в { $games } последних разобранных партиях
  }
me-daily = Доска дня
me-days = { $days ->
    [one] { $days } день подряд
    [few] { $days } дня подряд
   *[many] { $days } дней подряд
  }
me-days-of = дольше всего { $longest }, сыграно { $days }
me-puzzles = Задачи
me-solved = { $solved ->
    [one] решена { $solved }
   *[other] решено { $solved }
  }
me-solved-of = из { $answered }, рейтинг { $rating }
me-few = Графики появятся после { $games } партий.
me-by-level = Победы по соперникам
me-by-level-line = Черта — сколько выиграл бы игрок силы уровня «Жадный».
me-opponents = Соперники
me-games = Партии
me-share-won = побед
me-expected = ожидалось
me-people = Люди
me-mixed = Разные уровни
me-luck = Удача и решения
me-your-dice = ваши кости
me-your-decisions = ваши решения
me-points = Очки за партию: очко — это один процент вероятности победы.
me-accuracy-time = Точность по месяцам
me-accuracy-why = 100 % — всегда лучшее решение.
me-no-reviews = Разберите партию, и она будет учтена здесь.
me-review = { $games ->
    [one] Разобрать { $games } новую партию
    [few] Разобрать { $games } новые партии
   *[many] Разобрать { $games } новых партий
  }
me-reviewing = { $games ->
    [one] Разбирается { $games } партия.
    [few] Разбираются { $games } партии.
   *[many] Разбирается { $games } партий.
  }
me-refresh = Обновить
me-month-column = Месяц
me-reviewed = Разобрано партий
me-games-title = Партии
me-name = Имя игрока
me-result = Исход
me-all-results = Все исходы
me-result-won = Победа
me-result-tied = Ничья
me-result-lost = Поражение
me-result-open = Идёт
me-all-opponents = Все соперники
me-none-found = Таких партий нет.
me-listed = { $first }–{ $last } из { $all }
me-newer = Новые партии
me-data = Ваши данные.
me-data-why = В выгрузке одна партия на строку (NDJSON). Удаление стирает ваши партии и ваше имя, и его нельзя отменить.
me-export = { $games ->
    [one] Выгрузить { $games } партию
    [few] Выгрузить { $games } партии
   *[many] Выгрузить { $games } партий
  }
me-delete = Удалить всё…
me-delete-title = Удалить всё?
me-delete-count = К этому браузеру относятся: партии — { $games }, доски дня — { $days }, ответы на задачи — { $puzzles }.
me-delete-why = Партии с другими людьми останутся у них, но без вашего имени. В идущей партии вы сдаётесь. Отменить это нельзя.
me-keep = Оставить историю
me-delete-now = Удалить всё
device-title = Одна история на нескольких устройствах
device-lead = Ваши партии, доски дня и задачи относятся к этому браузеру. С кодом они будут и в другом.
device-here = Код для другого устройства
device-give = Код действует десять минут и только один раз.
device-make = Создать код
device-renew = Создать новый код
device-enter = Откройте эту страницу на другом устройстве и введите код там, или считайте его камерой. Он действует { $minutes } минут и только один раз.
device-secret = Держите его в тайне: кто введёт код, сможет играть ваши партии.
device-qr = Код этого браузера как QR-код
device-there = Взять сюда историю другого браузера
device-code = Код
device-merge = Сначала вы увидите, что к чему присоединится. Без вашего подтверждения ничего не изменится.
device-use = Далее
device-unknown = Этот код не действует: в нём опечатка, ему больше десяти минут или он уже использован. Создайте новый на другом устройстве.
device-own = Это код той истории, которая уже здесь. Введите его на другом устройстве.
device-end = Отключить все другие устройства
device-end-why = История останется в этом браузере. Остальные браузеры её потеряют, ссылки для возвращения на места перестанут работать, а у ленты будет новый адрес.
device-end-now = Отключить все другие устройства
device-ended = Все другие устройства отключены.
device-lost = Учётных записей нет. Если потеряно последнее устройство или на нём удалены файлы cookie, историю вернуть нельзя: держите её на двух устройствах.
join-records-title = Объединить две истории?
join-records-this = Этот браузер
join-records-other = История с этим кодом
join-records-http = Сыграно без шифрования (http)
join-records-nameless = без имени
join-records-count = Партии — { $games }, доски дня — { $days }, ответы на задачи — { $puzzles }
join-records-effect = { $games ->
    [0] В этом браузере будет история другого игрока ({ $who }), и он сможет играть все партии, которые вы здесь начнёте.
   *[other] Партии этого браузера ({ $games }) будут принадлежать другому игроку ({ $who }), и он сможет их играть.
  }
join-records-effect-http = Партии ({ $games }) будут принадлежать этому браузеру, и тот, кто мог подслушать соединение, больше не сможет их играть.
join-records-why = Объединяйте истории, только если обе ваши. Отменить это нельзя.
join-records-ask = Что сделать?
join-records-keep = Оставить обе как есть
join-records-join = Объединить
join-records-go = Продолжить
