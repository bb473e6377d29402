# The words of Trilobite, in Russian.

# Players
players-chips = { $place ->
    [head] фишки
   *[within] |{ $count }| { $count ->
        [one] фишка
        [few] фишки
       *[other] фишек
      }
  }
turn-chip = Фишка { $turn }
trilobite = Trilobite

# The board
columns-about = Столбцов: { $width }, высота: { $height }. Фишка падает на нижнюю свободную клетку; для победы нужно { $win } в ряд.
column = Столбец { $column }, { $chips ->
    [0] пусто
    [one] { $chips } фишка
    [few] { $chips } фишки
   *[other] { $chips } фишек
  }
column-choose = Столбец { $column }, { $chips ->
    [0] пусто
    [one] { $chips } фишка
    [few] { $chips } фишки
   *[other] { $chips } фишек
  }, бросить фишку
column-chosen = Столбец { $column }, выбран; выберите ещё раз, чтобы убрать фишку
column-owners = снизу вверх: { $owners }
column-full = Столбец { $column }, заполнен
table-drop = Бросить

# The prompt
choose-column = Выберите столбец
choose-column-sub = { $win ->
    [1] Побеждает одна фишка
    [2] Побеждают две в ряд
    [3] Побеждают три в ряд
    [4] Побеждают четыре в ряд
   *[other] Побеждают { $win } в ряд
  }: по горизонтали, вертикали или диагонали.
confirm-column = Бросить в { $column }?
confirm-column-sub = Фишка упадёт на обведённую клетку.
other-column = Другой столбец
drop = Бросить в { $column }

# What happened
log-empty-trilobite = Пока ничего. Здесь появятся фишки.
log-drop = { $who }: |{ $column }|
log-took-back-chip = { $who }: отмена |{ $column }|

# The end
over-line = { $win ->
    [1] Одна фишка
    [2] Две в ряд
    [3] Три в ряд
    [4] Четыре в ряд
    [5] Пять в ряд
    [6] Шесть в ряд
    [7] Семь в ряд
    [8] Восемь в ряд
   *[other] { $win } в ряд
  }: { $person ->
    [you] вы побеждаете
   *[other] побеждает { $who }
  } за { $chips ->
    [one] { $chips } фишку
    [few] { $chips } фишки
   *[other] { $chips } фишек
  }
over-line-reason = { $person ->
    [you] Ваша последняя фишка замкнула ряд.
   *[other] { $who } последней фишкой замыкает ряд.
  }
over-chips-won = Вы выиграли
over-chips-lost = Вы проиграли
over-full = Доска заполнена: ничья
over-full-reason = Ряд никто не собрал.
over-resigned-chips = Другая сторона сдалась.
over-limit-chips = Достигнут лимит шагов.

# Notices
notice-column-full = Столбец { $column } заполнен.
notice-no-such-column = Такого столбца на этой доске нет.

# Start
start-trilobite = Сыграть в Trilobite, четыре в ряд

# The form
form-trilobite = Trilobite
form-trilobite-about = Фишки падают на дно столбца; побеждает первый собранный ряд. Обычно 8 × 7, четыре в ряд.
form-width = Столбцы
form-height = Высота
form-win = Фишек в ряд
form-problem-win = В ряд нужно больше, чем помещается на доске.
form-problem-board = На доске не меньше одного столбца и одной строки, а число столбцов, умноженное на высоту плюс один, не больше 128.

# Your games
card-chips = Trilobite, { $chips ->
    [0] фишек пока нет
    [one] { $chips } фишка
    [few] { $chips } фишки
   *[other] { $chips } фишек
  }

# Rules
rules-trilobite-title = Trilobite
rules-trilobite-text = Вторая игра, для двоих и совсем без кубиков: четыре в ряд на вертикальной доске.
rules-trilobite-drop = |Бросьте| фишку в столбец, где есть место. Она упадёт на нижнюю свободную клетку.
rules-trilobite-line = |Четыре в ряд| сразу побеждают: по горизонтали, вертикали или диагонали.
rules-trilobite-full = |Заполненная доска| без такого ряда — ничья.
rules-trilobite-size = Обычно 8 столбцов по 7 клеток. Другой размер и другую длину ряда можно выбрать, настраивая партию.

# In the terminal, in the book's words
terminal-help-trilobite = Фишка падает на нижнюю свободную клетку столбца. Столбцы:

# What the levels do
level-novice-about-trilobite = Делает любой разрешённый ход, как «Случайный».
level-book-about-trilobite = Играет по методу Land of Lisp: смотрит на несколько фишек вперёд и считает ещё открытые ряды.
level-greedy-about-trilobite = Замыкает ряд или мешает вашему, если может, а иначе бросает туда, где его ряды растут быстрее всего, не думая об ответе; на большинстве досок «Книжный» сильнее.
level-steady-about-trilobite = Оценивает доску после каждого возможного броска по угрозам и открытым рядам, доигрывая вынужденные ответы, и бросает туда, где выглядит лучше всего.
level-advanced-about-trilobite = Совсем недолго просчитывает ваши ответы и свои.
level-champion-about-trilobite = Просчитывает варианты, как «Мастер», но вдесятеро дольше и двумя параллельными поисками.

# Settings
set-example-chips = Угол доски Trilobite

# Live pages and keys
key-column = Trilobite: бросить фишку в этот столбец
key-shift = Trilobite: вместе с h; с u, n, p — если так названы столбцы
take-back-chip = Отменить фишку в { $column }

# Hints
hint-column = столбец |{ $column }|
hint-do-drop = Бросить в { $column }
hint-drop = Бросить в { $column }
hint-drop-result = { $result ->
    [wins] Бросить в { $column }: победа через { $chips }
    [loses] Бросить в { $column }: поражение через { $chips }
   *[draw] Бросить в { $column }: ничья
  }
hint-drop-sub = Чего стоит каждый столбец, написано над ним.
hint-result = { $result ->
    [wins] победа через { $chips }
    [loses] поражение через { $chips }
   *[draw] ничья
  }
hint-why-line = Этот ход замыкает ряд из { $win ->
    [one] { $win } фишки
   *[other] { $win } фишек
  }.
hint-why-stops = { FORM($who, case: "dative") ->
    [none] Этот ход не даёт замкнуть ряд: { $who }.
   *[other] Этот ход не даёт { FORM($who, case: "dative") } замкнуть ряд.
  }
hint-why-two = Этот ход создаёт сразу две угрозы; { $who } может отразить только одну.
hint-why-forced = { FORM($who, case: "genitive") ->
    [none] Этот ход выигрывает при любом ответе ({ $who }).
   *[other] Этот ход выигрывает при любом ответе { FORM($who, case: "genitive") }.
  }
hint-why-lost = Проигрывает любой столбец; этот держится дольше всех.
hint-why-draw = Выигрывающего столбца нет; этот удерживает ничью.
hint-why-open-lines = Этот ход оставляет больше всего открытых рядов.


# The analysis board
analysis-column = Столбец { $column }
analysis-add = сверху { $who }
analysis-remove = Убрать верхнюю фишку

# The review
review-column = { $place ->
    [head] Столбец { $column }
   *[within] столбец { $column }
  }

trilobite-field-board = Каждая клетка, начиная с 0: 0, если пуста, иначе чья там фишка, 1 или 2. Клетки нумеруются по рядам сверху: клетка c лежит в ряду c / width, столбце c % width.
trilobite-field-player = В позиции — чья фишка ходит: 1 или 2. Во всех остальных местах игроки — 0 и 1, и фишка игрока p — это p + 1.
trilobite-field-last-move = Клетка последней фишки; −1, если её нет.
trilobite-field-cell = Действие: клетка, куда ляжет фишка, — нижняя пустая в своём столбце.

# A game with its numbers
numbers-trilobite = Trilobite, { $width } × { $height }, { $win } в ряд

# Themes of puzzles
puzzle-outcome = { $result ->
    [wins] победа
    [draws] ничья
   *[loses] поражение
  }
puzzle-theme-win = Выигрыш
puzzle-task-win = Один столбец выигрывает при любой защите. Какой?
puzzle-theme-defence = Единственная защита
puzzle-task-defence = Все столбцы, кроме одного, проигрывают. Какой держит?

# The lesson
learn-threats-name = Угрозы в Trilobite
learn-threats-line-title = Четыре в ряд побеждают
learn-threats-line-text = Вы играете красными. Фишка падает на нижнюю свободную клетку столбца.
learn-threats-line-task = Нажмите столбец, который замкнёт ваш ряд.
learn-threats-line-choice-1 = Столбец d
learn-threats-line-choice-2 = Столбец a
learn-threats-line-reply-1 = Четыре в ряд: вы победили.
learn-threats-line-reply-2 = Ряд не замкнулся, и синие теперь могут закрыть d.
learn-threats-block-title = Остановите три в ряд
learn-threats-block-text = У синих три в ряд, не хватает одной фишки.
learn-threats-block-task = Нажмите столбец, в который нужно бросить фишку.
learn-threats-block-choice-1 = Столбец d
learn-threats-block-choice-2 = Столбец f
learn-threats-block-reply-1 = Верно. Ряд синих закрыт.
learn-threats-block-reply-2 = Теперь синие бросят в d, и у них четыре в ряд.
learn-threats-double-title = Две угрозы сразу
learn-threats-double-text = Три в ряд с двумя открытыми концами побеждают: закрыть можно только один конец.
learn-threats-double-task = Нажмите столбец, который создаёт две угрозы.
learn-threats-double-choice-1 = Столбец b
learn-threats-double-choice-2 = Столбец e
learn-threats-double-reply-1 = Только одна угроза: a занят, и синие закроют ряд на e.
learn-threats-double-reply-2 = Верно. У вас угрозы в b и f. Синие остановят только одну.
learn-threats-prevent-title = Не допустите двух угроз
learn-threats-prevent-text = У синих две в ряд, и с обеих сторон есть место. Ещё одна фишка — и угроз сразу две.
learn-threats-prevent-task = Нажмите столбец, который этому помешает.
learn-threats-prevent-choice-1 = Столбец a
learn-threats-prevent-choice-2 = Столбец e
learn-threats-prevent-reply-1 = Слишком далеко: синие бросят в e и создадут угрозы в b и f.
learn-threats-prevent-reply-2 = Верно. Теперь ряд может расти только влево, и там вы ещё успеете его закрыть.
