# The words of the platform, in Russian; docs/languages.md lists the words to use. Names of people stand in the nominative, because nothing declines them.

site-name = Dice of Doom
site-about = Игра про земли и удачу из книги Land of Lisp: против компьютера или друзей, без регистрации.
nav-site = Разделы
nav-play = Играть
nav-rules = Правила
skip = К содержанию
footer-book = Страница из книги
footer-api = Для программ
footer-words = По игре из книги Land of Lisp

# Players
player-0 = Красный
player-1 = Синий
player-2 = Зелёный
player-3 = Лиловый
player-4 = Золотой
player-5 = Серый
# The cases of a colour's name, by the number of its player; none where a language has none. FORM($who, case: "…")
# says them in sentences, and none for every name that somebody typed.
player-form = { $case ->
    [genitive] { $player ->
        [0] Красного
        [1] Синего
        [2] Зелёного
        [3] Лилового
        [4] Золотого
       *[other] Серого
      }
   *[dative] { $player ->
        [0] Красному
        [1] Синему
        [2] Зелёному
        [3] Лиловому
        [4] Золотому
       *[other] Серому
      }
  }
you = Вы
you-within = вы
# Lists: "Red, Blue and Green" is the first of them, more within it and the last; "Red 5, Blue 3" has no last.
list-more = { $thing }, { $more }
list-last = { $thing } и { $more }
# What stands between two sentences, after a sentence without its own end, and between a label and its value.
sentence-gap = {" "}
sentence-end = .
label-colon = :{" "}
list-score = { $who } — { $n }
odds = { $odds } %
who-you-too = тоже ваш игрок
who-person = человек
who-program = программа
who-level = компьютер · { $level }
who-former = компьютер (раньше { $who })
your-turn = Ваш ход
their-turn = Ходит { $who }
to-move = ходит
winner = Победитель
winner-who = Победитель · { $who }
players = Игроки
turn = Ход { $turn }
level-book = Книжный
level-novice = Новичок
level-random = Случайный
level-greedy = Жадный
level-steady = Уравновешенный
level-advanced = Опытный
level-expert = Эксперт
level-master = Мастер
level-champion = Чемпион
level-perfect = Безупречный
level-human = Вы или человек рядом

# The board
board = Доска
board-over = Заключительная позиция
board-hero = Партия в разгаре
table = Доска в виде таблицы
table-row = Ряд
table-empty = пусто
table-do = Что можно сделать

# The prompt
thinking = { $who } думает
thinking-sub = Вы увидите ходы один за другим.
thinking-soon = { $who } ждёт очереди
thinking-ahead = Компьютеры сейчас заняты. Перед этой партией в очереди ещё { $n ->
    [one] { $n } партия
    [few] { $n } партии
   *[other] { $n } партий
  }.
waiting = Ходит { $who }
waiting-sub = Страница обновится, как только ход будет сделан.
watching = Ходит { $who }
watching-sub = Вы наблюдаете за этой партией.
watching-tag = Наблюдение
others-first = До вашего первого хода { $moves ->
    [one] сделан { $moves } шаг, он есть в журнале.
    [few] сделано { $moves } шага, они есть в журнале.
   *[other] сделано { $moves } шагов, они есть в журнале.
  }
look-again = Обновить
replay = Шаг { $ply } из { $newest }
replay-sub = Позиция на тот момент.
replay-back = Назад к партии
replay-back-turn = Назад к вашему ходу
replay-end = К концу партии
resign = Сдаться
resign-sure = Да, сдать эту партию

# What happened
log = Что произошло
watchers = { $count ->
    [one] |{ $count }| зритель
    [few] |{ $count }| зрителя
   *[other] |{ $count }| зрителей
  }
log-empty = Пока ничего. Здесь появятся ходы.
log-start = Начало: ещё ничего не произошло.
log-all = Весь журнал
log-title = Весь журнал партии
log-back = Назад к доске
log-resigned = { $person ->
    [you] Вы сдаётесь
   *[other] { $who } сдаётся
  }.
log-joined = |{ $who }| теперь за столом.
log-joined-you = |Вы| теперь за столом.
log-left = |{ $who } выходит из игры.| Дальше играет компьютер.
departed-alone = Можно играть дальше против компьютеров или закончить партию.
departed-ok = Понятно
log-limit = Достигнут лимит шагов.
plies = Повтор
ply-first = К началу
ply-prev = Шаг назад
ply-next = Шаг вперёд
ply-last = К последней позиции
record = Запись
picture = Картинка

# The end
over-tag = { $plies ->
    [one] После { $plies } шага
   *[other] После { $plies } шагов
  }
over-won = { $person ->
    [you] Вы победили
   *[other] Побеждает { $who }
  }
over-draw = Ничья
rematch = Реванш
new-game = Новая партия
graph-start = начало
graph-turns = ходы
graph-turn = Ход
graph-table = В виде таблицы
replay-watch = Шаг за шагом
record-download = Скачать запись
record-text = Текст записи

# Notices
notice-stale = В партии уже сделан другой ход, поэтому ничего не изменилось. Вот текущая позиция.
notice-not-your-turn = Сейчас не ваш ход. Ничего не изменилось.
notice-not-your-seat = У вас нет места в этой партии, вы можете только наблюдать.
notice-over = Партия окончена.
choose-action = Ваш ход
choose-action-sub = Выберите одно из действий ниже.
log-action = { $who }: { $action }
won-by = Победа: { $who }
no-winner = Ничья
notice-twice = Вы нажали сразу после своего прошлого хода, поэтому ничего не произошло. Если так и задумано, нажмите ещё раз.
notice-no-cookies = Ваш браузер не сохраняет cookie этого сайта, поэтому сайт не узнаёт вас при следующем нажатии. Разрешите cookie для этого адреса и попробуйте ещё раз.

# Start
start-title = Dice of Doom: игра про земли и удачу
start-headline = Положитесь на удачу. Или обойдитесь без неё.
start-again = Сыграйте партию
start-lead = Атакуйте соседей: всё решают кубики. Побеждает тот, у кого больше земли. Партия занимает около пяти минут.
start-people = С людьми
start-play = Играть
start-setup = Настроить партию
start-your-turn = Ваш ход
start-goes-on = Ваша партия продолжается
start-continue = Продолжить партию
start-games = Ваши партии
start-all-games = Все партии

# What other sites show of a link to a game
card-link = { $who } — { $game }
card-link-live = { $turn }. Следите за партией вживую.
card-link-over = { $verdict }. Посмотрите партию шаг за шагом.

# The game of computers on the start page
onair = |Сейчас играют.| { $turn }: { $what }
onair-begins = |Сейчас играют.| Четыре компьютера только что сели за стол.
onair-over = |Только что сыграли.| { $verdict }.
onair-look = Посмотреть

# Opponents, named for people
opponents = Ваши три соперника
opponents-easy = { $place ->
    [within] лёгкие
    [level] лёгкий уровень
   *[head] Легко
  }
opponents-easy-about = для начала
opponents-medium = { $place ->
    [within] средние
    [level] средний уровень
   *[head] Средне
  }
opponents-medium-about = знают шансы
opponents-hard = { $place ->
    [within] сложные
    [level] сложный уровень
   *[head] Сложно
  }
opponents-hard-about = думают наперёд
who-opponents = { $name } · { $level }

# The form
form-rules = Правила
form-game = Игра
form-players = Игроки
form-seats = Места
form-seats-hint = Места сверх числа игроков останутся пустыми.
form-seat = { FORM($who, case: "genitive") ->
    [none] Кто играет: { $who }
   *[other] Кто играет за { FORM($who, case: "genitive") }
  }
form-seed = Сид
form-seed-hint = Одно и то же число даёт одну и ту же доску. Пусто — каждый раз новая.
form-levels = Как играют уровни
form-start = Начать партию
form-problem-choice = Одного из выбранных вариантов здесь нет.
form-problem-level = В этой игре нет уровня «{ $level }».
form-problem-seed = Сид — это целое число без знака. Для новой доски оставьте поле пустым.

# Your games
games-older = Более ранние партии
games-none = Вы здесь ещё не играли. Партия начинается одним нажатием.
card-date = { $day } { $month } { $year } г. в { $time } UTC
card-several = { $who } × { $count }
month-1 = января
month-2 = февраля
month-3 = марта
month-4 = апреля
month-5 = мая
month-6 = июня
month-7 = июля
month-8 = августа
month-9 = сентября
month-10 = октября
month-11 = ноября
month-12 = декабря
card-your-turn = Ваш ход
card-waiting = Ожидание
card-paused = Пауза: никто не смотрит
card-won = Победа
card-tie = Ничья
card-lost = Поражение
card-over = Окончена
card-draw = Ничья
card-against = Соперники: { $who }
card-alone = Партия { $id }

# Rules
rules-title = Правила
rules-play = Сыграть партию

# The book's page
book-winner = Побеждает { $who }
book-tie = Ничья: ({ $who })

# In the terminal, in the book's words
terminal-player = текущий игрок = { $who }
terminal-choose = выберите ход:
terminal-plays = { $who } играет: { $what }
terminal-draw = Партия закончилась вничью
terminal-limit = Достигнут лимит: { $plies ->
    [one] { $plies } шаг
    [few] { $plies } шага
   *[other] { $plies } шагов
  }. Решает подсчёт.
terminal-again = Число от 1 до { $most } выбирает ход; ? — справка, q — выход.
terminal-help = Выберите ход по номеру, от 1 до { $most }. q — выйти из игры.
terminal-help-undo = u — отменить свой последний ход и ответы компьютеров на него.
terminal-help-notation = Ход записывается как в списке.
terminal-taken-back = Ход отменён.
terminal-bye = До свидания.

# What the levels do; a game that has a sentence of its own writes its name behind the key, or the way in which
# its levels think at a board
level-novice-about = Ходит, не глядя на шансы, и быстро завершает ход.
level-random-about = Делает случайный разрешённый ход: все ходы равновероятны.
level-book-about = Играет ход в ход как компьютер из Land of Lisp.
level-greedy-about = Атакует лидера, пока успех вероятнее неудачи, и не думает об ответе.
level-steady-about = Оценивает всю доску после каждого возможного хода с учётом вероятностей и выбирает то, что выглядит лучше всего.
level-advanced-about = Просчитывает варианты вперёд, но совсем недолго.
level-expert-about = Просчитывает варианты, как «Опытный», но вчетверо дольше.
level-master-about = Просчитывает варианты, как «Эксперт», но вдесятеро дольше.
level-champion-about = Просчитывает варианты, как «Мастер», но в шестнадцать раз дольше.
level-perfect-about = Играет безупречно там, где примерно за секунду просчитывает игру до конца, а в остальном полагается на перебор.

# Errors
error-home = На главную
error-game = К партии
error-number = Если будете сообщать об ошибке, назовите номер { $id }.
error-not-over = Партия ещё не окончена.
error-not-found = По этому адресу ничего нет.
error-no-game = Здесь нет такой партии. Возможно, её удалили или в адресе опечатка.
error-seat-freed = Хозяин этого закрытого стола освободил ваше место, потому что вы ещё не ходили. Поэтому вы больше не видите эту партию.
error-no-ply = В этой партии нет такого шага. Посмотрите текущую позицию или выберите более ранний шаг.
error-no-position = В этом адресе нет позиции: возможно, он обрезан или набран с ошибкой.
error-bad-request = Сервер не понял этот запрос.
error-forbidden = У вас нет на это прав.
error-cross-site = Запрос пришёл с другого сайта, поэтому ничего не сделано.
error-cross-site-hosts = Страница с { $origin } отправила его на { $host }. Если между ними стоит прокси, он должен передавать заголовок Host без изменений, или сервер нужно запустить с параметром --public-url.
error-prefetch = Эту страницу нельзя загрузить заранее.
error-stale = В партии уже сделан другой ход, поэтому ничего не изменилось.
error-waiting = Партия ещё не началась: она ждёт игроков. Ничего не изменилось.
error-illegal = Правила этого не позволяют.
error-settings = С такими настройками играть нельзя.
error-method = Этот адрес не принимает такие запросы.
error-too-large = Слишком много данных за один раз.
error-unsupported = Сервер не принимает данные такого вида.
error-too-many = Слишком быстро. Переведите дух и попробуйте снова.
error-too-many-streams = Сейчас открыто слишком много столов. Закройте часть страниц или попробуйте чуть позже.
error-busy = Сервер сейчас перегружен. Попробуйте чуть позже.
error-no-room = На сервере сейчас нет места для новых партий. Начатые партии продолжаются.
error-timeout = Это заняло слишком много времени. Попробуйте чуть позже.
error-host = Сервер не откликается на это имя. Откройте его по адресу или запустите с --host NAME.
error-host-missing = В запросе не указано, к какому серверу он обращён.
error-damaged = Запись этой партии повреждена, показать её нельзя. Остальных партий это не касается.
error-internal = У нас что-то сломалось. Ваша партия цела, попробуйте ещё раз.

# For programs
api-title = Для программ
api-lead = Всё, что здесь может человек, может и программа: JSON по HTTP и одно событие на каждый шаг.
api-openapi = Машиночитаемое описание
api-calls = Вызовы
api-create = Создать партию. В ответе — токен для каждого места |human|.
api-state = Текущее состояние партии. С |wait| ответ придёт, как только будет достигнут этот шаг или партия закончится, самое позднее через 30 секунд.
api-moves = Допустимые сейчас действия с их точными шансами.
api-play = Сделать действие: путь от гекса к гексу или null, чтобы завершить ход.
api-hint = Оценка каждого допустимого действия для игрока, чей сейчас ход. Нужен токен этого места.
api-resign = Сдаться.
api-join = Занять свободное место.
api-start = Начать партию, которая ждёт игроков; свободные места занимают компьютеры. Пошлите токен места.
api-step = В партии, созданной с |"pace": "on-request"|: компьютер, чей сейчас ход, делает один шаг.
api-rematch = Реванш после партии. Ваш токен действует и в нём.
api-play-on = Новая партия, которая продолжает эту с позиции после |ply| строк её записи.
api-review-ask = Запросить разбор оконченной партии. Он делается в фоне; пока он не готов, ответ — 202 с долей сделанного.
api-review = Разбор оконченной партии, если кто-нибудь его запросил: каждое решение и его цена.
api-levels = Уровни компьютеров, от слабого к сильному.
api-rate = Оценка, которую поиск из книги даёт каждому допустимому действию в любой позиции: |rate| движка, в том же формате.
api-choose = Действие, которое уровень выбирает в любой позиции, не более чем за 100000 симуляций (|nodes|) или пять секунд (|budget_ms|): |choose| движка, в том же формате.
api-solve = Оценка позиции Trilobite при безошибочной игре, с |each| — и каждого столбца, не более чем за 10000000 позиций (|nodes|) или пять секунд (|budget_ms|): |solve| движка, в том же формате.
api-record = Вся партия: начало, шаги, броски и игроки.
api-records = Загрузить партию, сыгранную в другом месте: запись в JSON или нотацией как |text/plain|. Если в записи ошибка, ответ указывает, где она.
api-list = Партии, за которыми можно следить (|of=watchable|), или свои (|of=me|): программы, чей токен пришёл с запросом, или браузера с этим cookie. |limit| — от 1 до 100 партий на странице; |after| — |next| предыдущей страницы.
api-lines = Записи тех же партий, по одной на строку.
api-sites = Скрипты других сайтов могут без cookie читать партии, их ходы, записи и события, уровни и машиночитаемое описание.
api-events = События от сервера (server-sent events): текущее состояние партии, затем каждый шаг один раз и по порядку с позицией после него; с токеном места — и |moves|, как только этому месту пора ходить. Программе нужен только этот поток и один запрос на шаг.
api-program = Зарегистрировать программу. Она получает один |token| для всех её партий и |link|, по которому люди начинают партии против неё. С этим токеном она создаёт партии, занимает места и ходит за все свои места.
api-program-events = Один поток для всех партий программы: |gameStart|, |turn| с допустимыми действиями |moves|, |gameFinish| и |invitation|, когда её зовут играть. Чтобы согласиться, сделайте ход или вызовите |join|. Пропущенный |gameFinish| приходит при следующем подключении.
api-decline = Отклонить приглашение; место останется свободным для кого-нибудь другого.
api-positions = Позиции
api-positions-begin = Позиция партии — это её |state|. Игроки, места, шаги, гексы и клетки считаются с 0. Типы всех полей есть в машиночитаемом описании.
api-stream = События
api-stream-begin = Поток начинается со следующего шага. С заголовком |Last-Event-ID: N|, который браузеры при возвращении посылают сами, — с шага N + 1; с |?from=K| — с шага K. Если потоков слишком много, ответом будет 429 с |Retry-After|.
api-event-game = Текущее состояние партии — то же, что по адресу самой партии. Приходит в начале и снова, когда изменился состав игроков. |moves| перечисляет допустимые действия с точными шансами, если ходить месту, чей токен пришёл с запросом: один раз для каждой позиции, здесь или с шагом, который к ней привёл.
api-event-ply = Шаг записи, состояние партии после него (|after|: номер следующего шага, чей ход, позиция и |moves| как выше) и всё, что нужно, чтобы его показать: |captured| (null, если атаки не было), |reinforced| (каждый гекс, на который пришли кубики, и сколько их) и |over| (этот шаг по правилам завершает партию). Идентификатор события — номер шага, считая с 0; у остальных событий идентификатора нет.
api-event-watchers = Сколько зрителей следит за партией. Приходит первым и при каждом изменении.
api-event-seats = Изменился состав игроков; следом приходит |game|. Приходит и в начале, если места менялись раньше.
api-event-over = Партия окончена: по правилам, из-за сдачи (|resigned|) или по лимиту шагов (|limit|); указаны победители. Через минуту поток закроется; закройте его раньше, иначе он откроется снова.
api-event-bye = Сервер завершает поток. Подключитесь снова через |retry| миллисекунд; EventSource делает это сам.
api-engine = Программа может пользоваться движком и без сервера, по одной строке JSON на запрос: |dice-of-doom engine|.
api-once = Если то же действие прислать ещё раз на том же шаге, придёт прежний ответ; кубики второй раз не бросаются.

# Settings
nav-menu = Меню
nav-settings = Настройки
set-title = Настройки
set-more = Другие настройки
set-lead = Хранятся в этом браузере, для всех партий. Больше их никто не видит.
set-saved = Сохранено.
set-save = Сохранить
set-save-back = Сохранить и вернуться
set-example = Пример
set-language = Язык
set-language-auto = Как в браузере
set-theme = Тема
set-theme-system = Как в системе
set-theme-light = Светлая
set-theme-dark = Тёмная
set-colours = Цвета игроков
set-colours-book = Как в книге
set-colours-okabe = Для дальтоников
set-colours-contrast = Высокий контраст
set-board = Доска
set-board-auto = Автоматически
set-board-book = Стопки кубиков
set-board-flat = Плоская, крупные числа
set-odds = Шансы на доске
set-odds-on = Показывать
set-odds-off = Скрывать
set-coordinates = Номера гексов
set-coordinates-on = Всегда
set-coordinates-off = При наведении
set-speed = Скорость анимации
set-speed-slow = Медленно
set-speed-normal = Обычно
set-speed-fast = Быстро
set-speed-off = Без анимации
set-fights = Атаки других игроков
set-fights-all = Показывать все
set-fights-mine = Только атаки на меня
set-sound = Звук
set-sound-on = Включён
set-sound-off = Выключен
set-announce = Экранный диктор: чужие ходы
set-announce-summary = Сводка перед моим ходом
set-announce-each = По одному
set-keys = Горячие клавиши
set-keys-on = Включены
set-keys-off = Выключены
set-notify = Сообщать о моём ходе
set-notify-on = Да
set-notify-off = Нет
set-ends = Когда атаковать некого
set-ends-on = Завершать мой ход
set-ends-off = Ждать меня
set-keys-hint = Если горячие клавиши включены, e завершает ход, а буква столбца бросает в него фишку. Tab и Enter работают всегда. Для анимации, звука и горячих клавиш нужен JavaScript. Если в системе включено уменьшение движения, анимации нет.

# Switches beside the board
switches = Вид доски
switch-piles = Стопки
switch-flat = Плоская
switch-odds = Шансы
switch-coordinates = №

# Live pages and keys
reconnecting = Восстанавливаем связь… То, что вы видите, могло устареть.
passing = Ходит { $who }
tempo-to-turn = К моему ходу
tempo-to-newest = К последнему шагу
tempo-pause = Пауза
tempo-paused = Пауза
tempo-going = Продолжаем
tempo-slow = ½×
tempo-normal = 1×
tempo-fast = 3×
tempo-attack-of = Атака { $n } из { $m }
tempo-attack = Атака { $n }
tempo-end = Завершает ход
tempo-soon = Ваш ход примерно через { $s } с.
tempo-rolling = Бросок: { $n } против { $m }
more = Ещё
keys = Клавиши
keys-close = Закрыть
keys-off = Горячие клавиши можно отключить:
key-arrows = К доске; на ней — следующее место в этом направлении
key-ends = На доске: к первому, к последнему; вне её: к началу, к последнему шагу
key-each = На доске: места по порядку
key-enter = Выбрать, атаковать, бросить фишку
key-back = Снять выбор
key-now = К моему ходу
key-plies = В повторе: шаг назад, шаг вперёд
key-help = Эта справка

# Seats that people share
who-open = место свободно
who-asked = ждём ответа
seats = Свободные места
opened = { FORM($who, case: "genitive") ->
    [none] Место свободно: { $who }
   *[other] Место { FORM($who, case: "genitive") } свободно
  }
opened-sub = Партия продолжится, когда его займут.
seat-asked = Приглашение отправлено: { $name }
seat-asked-hint = Ответа пока нет. Пока программа не заняла место, его можно отдать кому-нибудь другому; тогда приглашение отзывается.
seat-copy = Копировать
seat-copied = Скопировано
seat-share = Поделиться
seat-here = Эта ссылка работает только на этом компьютере: страница открыта по адресу, который другим недоступен.
seat-here-listen = Чтобы впустить других, запустите сервер так: |dice-of-doom serve --listen 0.0.0.0:{ $port }|.
seat-here-then = Тогда другие найдут его здесь: { $addresses }.
seat-here-elsewhere = Откройте страницу по адресу этого компьютера в вашей сети, и её ссылки будут работать и для других.
seat-network = В ссылке указан адрес этого компьютера в вашей сети.
seat-link-none = Ссылку на этот стол здесь показать нельзя. Если создать новую, отправленная раньше перестанет работать.
seat-make-link = Создать ссылку
seat-renew = Отозвать ссылку и создать новую
seat-level-which = Уровень компьютера на этом месте: { $who }
seat-level = Отдать место компьютеру
seat-slow = Давно без хода: { $who }.
seat-unmoved = Освободить место
seat-unmoved-hint = Место того, кто ещё не ходил, можно освободить: тогда его займёт кто-нибудь другой. Игроку об этом сообщат.
seat-free = Освободить место: { $who }
seat-replace = { FORM($who, case: "genitive") ->
    [none] Передать игру компьютеру: { $who }
   *[other] Передать компьютеру игру за { FORM($who, case: "genitive") }
  }
seat-yours = Ваше место: имя, другие устройства
seat-yours-one = { FORM($who, case: "genitive") ->
    [none] Место ({ $who }): имя, другие устройства
   *[other] Место { FORM($who, case: "genitive") }: имя, другие устройства
  }
seat-name = Ваше имя за этим столом
seat-name-save = Сохранить
seat-back = Ссылка, чтобы вернуться с другого устройства
seat-back-hint = Никому её не показывайте: кто откроет её и нажмёт кнопку, тот сядет на ваше место. Она действует снова и снова, пока вы её не отзовёте.
seat-back-make = Создать ссылку для другого устройства
seat-lost = У вас здесь было место?
seat-lost-how = Место принадлежит браузеру, в котором его заняли, и адресу, по которому его заняли: вас узнают по cookie. Поэтому в другом браузере, в приватном окне, без cookie или по другому адресу этого сервера (localhost и 127.0.0.1 — разные адреса) вы только наблюдаете. Вернуться можно по ссылке вашего места; она есть в разделе «Ваше место» там, где место ещё за вами.
carry-over-lead = У этого браузера есть места, занятые без шифрования (http). Если они ваши, перенесите их сюда: тогда тот, кто мог перехватить соединение, не сможет играть за вас.
carry-over = Перенести мои места
resign-ends = Да, сдаюсь; на этом партия закончится
resign-level = Да, сдаюсь; дальше сыграет компьютер
resign-leave = Да, уйти; место сможет занять кто-нибудь другой
rematch-same = { $seats ->
    [one] { FORM($who, case: "genitive") ->
        [none] Та же доска, другое место: { $who }
       *[other] Та же доска, играть за { FORM($who, case: "genitive") }
      }
   *[other] Та же доска, другие места
  }
rematch-easier = Полегче
rematch-harder = Посильнее
rematch-to = { $step }: { $name }
rematch-on = К реваншу
rematch-started = Другой игрок начал реванш.
rematch-on-same = К реваншу на той же доске
rematch-on-easier = К реваншу полегче
rematch-on-harder = К реваншу посильнее
notice-seat-not-yours = Вы не можете менять это место. Ничего не изменилось.
notice-seat-none = За этим столом нет такого места.
notice-seat-taken = Это место только что заняли. Ничего не изменилось.
notice-seat-moved = Этот игрок уже ходил, место остаётся за ним. Ничего не изменилось.
notice-seat-started = Партия уже началась. Ничего не изменилось.
notice-seat-freed = Хозяин стола освободил ваше место, потому что вы ещё не ходили. Можно смотреть дальше или сесть за другой открытый стол.
notice-seat-never = За этим столом никого не заменяют: партия ждёт каждого.
notice-seat-not-awaited = Сейчас ходит другой игрок. Ничего не изменилось.
notice-seat-early-s = Подождите ещё немного: через { $n ->
    [one] { $n } секунду
    [few] { $n } секунды
   *[other] { $n } секунд
  } за игрока сможет сыграть компьютер.
notice-seat-early-m = Подождите ещё немного: через { $n ->
    [one] { $n } минуту
    [few] { $n } минуты
   *[other] { $n } минут
  } за игрока сможет сыграть компьютер.
notice-seat-early-h = Подождите ещё немного: через { $n ->
    [one] { $n } час
    [few] { $n } часа
   *[other] { $n } часов
  } за игрока сможет сыграть компьютер.
notice-seat-level = Такого уровня нет. Ничего не изменилось.
notice-seat-change = С местом так поступить нельзя. Ничего не изменилось.
notice-name-long = В имени может быть не больше 32 символов.
notice-name-invisible = В имени могут быть только видимые символы. Наберите его, пожалуйста, вручную.
notice-name-address = В имени не может быть адреса сайта. Если это не адрес, поставьте после точки пробел.
notice-rematch-goes-on = Партия ещё идёт; реванш возможен, когда она закончится.
join-title-host = { $who } приглашает вас сыграть в { $game }
join-title = Вас приглашают сыграть в { $game }
join-back-title = Вернитесь к своей партии в { $game }
join-seat = { FORM($who, case: "genitive") ->
    [none] Вы будете играть за этот цвет: { $who }
   *[other] Вы будете играть за { FORM($who, case: "genitive") }
  }
join-back-seat = Ваш цвет: { $who }
join-lead = Садитесь и играйте: |без регистрации и установки.|
join-back-lead = Место переходит |в этот браузер|.
join-plies = { $plies ->
    [0] Партия ещё не началась.
    [one] Пока сделан { $plies } шаг.
    [few] Пока сделано { $plies } шага.
   *[other] Пока сделано { $plies } шагов.
  }
join-name = Ваше имя (необязательно)
join-name-hint = До 32 символов; его увидят все за столом.
join = { FORM($who, case: "genitive") ->
    [none] Занять место: { $who }
   *[other] Занять место { FORM($who, case: "genitive") }
  }
join-back = { FORM($who, case: "genitive") ->
    [none] Играть здесь: { $who }
   *[other] Играть здесь за { FORM($who, case: "genitive") }
  }
join-others = За столом: { $who }.
join-other = { $who } ({ $what })
join-private = Эту партию видят только те, у кого есть место.
join-board = Текущая позиция
join-no-cookies = Ваш браузер не сохранил cookie этого сайта, а без него вас не отличить от других, поэтому играть пока нельзя. Разрешите cookie для этого адреса и нажмите кнопку или откройте ссылку этого места в другом браузере.
join-no-cookies-link = Ссылка этого места

# Программы, которых зовут играть
program-title = { $game }: игра с программой { $name }
program-there = |{ $name } на связи| и сразу узнает о вашем приглашении.
program-away = |{ $name } сейчас не на связи.| Приглашение подождёт, пока программа не вернётся.
program-ask = Позвать программу { $name }
program-hint = Начнётся новая партия, первый ход — ваш. { $name } — программа, которую кто-то запустил: она может отказаться, а пока она не заняла место, его можно отдать кому-нибудь другому.
program-busy = У программы { $name } уже слишком много приглашений без ответа. Попробуйте позже.
program-asked-enough = У вас уже слишком много приглашений программам без ответа. Отдайте одно из этих мест кому-нибудь другому или попробуйте позже.
form-open = Человек по ссылке
form-name = Ваше имя (необязательно)
form-table = Стол
form-private = Закрытый: партию видят только те, у кого есть место
form-replace = Замена отсутствующего игрока
form-replace-never = никогда
form-replace-minutes = { $n ->
    [one] через { $n } минуту без хода
    [few] через { $n } минуты без хода
   *[other] через { $n } минут без хода
  }
form-replace-hours = { $n ->
    [one] через { $n } час без хода
    [few] через { $n } часа без хода
   *[other] через { $n } часов без хода
  }
form-replace-days = { $n ->
    [one] через { $n } день без хода
    [few] через { $n } дня без хода
   *[other] через { $n } дней без хода
  }
form-replace-seconds = { $n ->
    [one] через { $n } секунду без хода
    [few] через { $n } секунды без хода
   *[other] через { $n } секунд без хода
  }
form-problem-name-long = В имени может быть не больше 32 символов.
form-problem-name-invisible = В имени могут быть только видимые символы. Наберите его, пожалуйста, вручную.
start-watch = Партии, за которыми можно следить
card-between = { $who }
card-watch = Смотреть
error-no-link = По этой ссылке места нет. Возможно, её уже использовали или отозвали: попросите новую.
error-seat = С местом всё по-прежнему, ничего не изменилось.

# How strong the levels are
levels-title = Сила уровней
levels-lead = Как думает каждый компьютер, от слабого к сильному, и как он сыграл против других компьютеров.
levels-level = Уровень
levels-rating = Рейтинг
levels-book = Против «Книжного»
levels-range = от { $low } до { $high }
levels-share = { $share } %
levels-measured = Досок: { $boards }; на каждой сыграно с каждого места. Против «Книжного»: какую долю партий выигрывает один игрок этого уровня, когда все остальные «Книжные»; { $par } % — наравне с «Книжным». Под числом указаны границы, в которых истинное значение лежит в 95 из 100 таких измерений. Рейтинг на 400 очков выше — это шансы десять к одному в игре вдвоём; у «Случайного» 1000. Границы рейтингов нужны, чтобы сравнивать уровни между собой.
levels-unmeasured = Ещё не измерено.
