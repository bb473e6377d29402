# The words of Dice of Doom, in Russian.

# Players
# Zero stands above the column, where there is little room.
players-hexes = { $place ->
    [head] гексы
   *[within] |{ $count }| { $count ->
        [one] гекс
        [few] гекса
       *[other] гексов
      }
  }
players-dice = { $place ->
    [head] кубики
   *[within] |{ $count }| { $count ->
        [one] кубик
        [few] кубика
       *[other] кубиков
      }
  }
players-cluster = { $place ->
    [head] группа
   *[within] группа из |{ $count }|
  }

# The board
board-about = { $side } на { $side } гексов. Гексы пронумерованы ряд за рядом, начиная с дальнего левого.
hex-yours = ваш
hex = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }
hex-choose = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }, выбрать для атаки
hex-chosen = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }, выбран; нажмите ещё раз, чтобы выбрать другой гекс
hex-target = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }, атаковать, шанс { $odds } %
hex-target-sure = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }, атаковать
hex-neighbours = { $label }; рядом { $hexes }
table-hex = Гекс
table-owner = Владелец
table-dice = Кубики
table-choose = атаковать с { $hex }
table-neighbours = Рядом
table-attack-odds = атаковать { $hex }, { $odds } %
table-attack = атаковать { $hex }
table-back = выбрать другой гекс

# The prompt
choose-source = Выберите, откуда атаковать
choose-source-sub = Атаковать могут гексы с белой рамкой.
choose-source-first = Атаковать могут гексы с белой рамкой. После атаки ход можно завершить.
choose-source-last = { FORM($who, case: "genitive") ->
    [none] Земли больше нет: { $who }.
   *[other] У { FORM($who, case: "genitive") } больше нет земли.
  } Когда дойдёт очередь до этого игрока, партия закончится. Побеждает тот, у кого больше гексов.
choose-target = Выберите цель для { $dice ->
    [one] { $dice } кубика
   *[other] { $dice } кубиков
  }
choose-target-sub = { $targets ->
    [1] Нажмите обведённый гекс.
   *[other] Нажмите один из { $targets } обведённых гексов.
  }
put-back = Выбрать другой гекс
confirm = Атаковать { $from } → { $to }?
confirm-odds = Кубики: { $attack } против { $defend }. Шанс захвата — { $odds } %.
confirm-sure = Кубики: { $attack } против { $defend }. Гекс станет вашим.
attack = Атаковать
other-target = Другая цель
only-end = Завершите ход
only-end-sub = Ни один ваш гекс больше не может атаковать.
only-end-game = Завершите партию
end-turn = Завершить ход
end-turn-dice = +{ $dice } { $dice ->
    [one] кубик
    [few] кубика
   *[other] кубиков
  }
end-turn-cluster = за вашу самую большую группу: { $cluster ->
    [one] { $cluster } гекс
    [few] { $cluster } гекса
   *[other] { $cluster } гексов
  }
end-turn-captured = за захваченные кубики, минус один
attack-buttons = Атаки с { $from }
attack-button = { $from } → { $to }
attack-button-odds = { $from } → { $to }, { $odds } %

# The first turn of a first game
first-attack = Выберите { $player ->
    [0] красный
    [1] синий
    [2] зелёный
    [3] лиловый
    [4] золотой
   *[other] серый
  } гекс с белой рамкой, а затем соседа для атаки.
first-next = Атакуйте ещё или завершите ход: придёт по кубику за каждый гекс вашей самой большой группы.

# What ending the turn does. Before the name between bars stands the player's glyph.
end-turn-room = +{ $dice } { $dice ->
    [one] кубик
    [few] кубика
   *[other] кубиков
  }, { $lost ->
    [one] { $lost } не поместится
   *[other] { $lost } не поместятся
  }
end-turn-alone = вашим гексам некого атаковать
end-turn-cluster-dice = +{ $dice } { $dice ->
    [one] кубик
    [few] кубика
   *[other] кубиков
  } за вашу самую большую группу: { $cluster ->
    [one] { $cluster } гекс
    [few] { $cluster } гекса
   *[other] { $cluster } гексов
  }{ $lost ->
    [0] {""}
    [one] ; { $lost } кубик не поместится
    [few] ; { $lost } кубика не поместятся
   *[other] ; { $lost } кубиков не поместятся
  }
end-turn-captured-dice = +{ $dice } { $dice ->
    [one] кубик
    [few] кубика
   *[other] кубиков
  } за захваченные кубики, минус один{ $lost ->
    [0] {""}
    [one] ; { $lost } кубик не поместится
    [few] ; { $lost } кубика не поместятся
   *[other] ; { $lost } кубиков не поместятся
  }
end-game = Завершить партию
end-game-wins = { $person ->
    [you] вы побеждаете
   *[other] побеждает |{ $who }|
  } { $most }:{ $least }
end-game-tie = ничья, по { $hexes } у каждого: вы и |{ $who }|
end-game-tie-others = ничья, по { $hexes } у каждого: |{ $who }|
end-game-you-can = { $person ->
    [you] Вы ещё можете
   *[other] { $who } ещё может
  } атаковать с { $hexes ->
    [one] { $hexes } гекса
   *[other] { $hexes } гексов
  }.
end-game-no-land = { $who } остаётся без земли.
end-game-lone-die = { $who }: единственный кубик не может атаковать.
end-game-single-dice = { $who }: на каждом гексе по одному кубику, атаковать нечем.
end-game-no-attack = { $who } не может атаковать ни с одного гекса.
end-game-quiet = Слишком долго никто не атаковал.
tag-stuck = тупик
hex-stuck = Гекс { $hex }, { $owner }, { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }, владелец на следующем ходу окажется в тупике
end-ask = Завершить партию?
end-ask-keep = Атаковать дальше
end-ask-loses = Если партия закончится сейчас, победит { $who }, { $most }:{ $least }.{ $needed ->
    [0] {""}
    [one] {" "}Возьмите у этого соперника ещё { $needed } гекс — и победа ваша.
    [few] {" "}Возьмите у этого соперника ещё { $needed } гекса — и победа ваша.
   *[other] {" "}Возьмите у этого соперника ещё { $needed } гексов — и победа ваша.
  }
end-ask-tie = Если партия закончится сейчас, будет ничья, по { $hexes } у каждого: вы и { $who }.{ $needed ->
    [0] {""}
    [one] {" "}Возьмите у этого соперника ещё { $needed } гекс — и победа ваша.
    [few] {" "}Возьмите у этого соперника ещё { $needed } гекса — и победа ваша.
   *[other] {" "}Возьмите у этого соперника ещё { $needed } гексов — и победа ваша.
  }
end-ask-tie-others = Если партия закончится сейчас, будет ничья, по { $hexes } у каждого: { $who }.

# The dice
roll = Последняя атака
roll-captured = Захват
roll-held = Отбито
roll-path = { $who }, { $from } → { $to }
roll-moved = Перешло кубиков: { $dice }
roll-stays = Остался один кубик
roll-beats = больше
roll-not-over = не больше
roll-plain = Кубики: { $attack } бьют { $defend }
roll-rolling = Бросок: { $attack } против { $defend }
roll-result = { $outcome ->
    [captured] { $attack } больше, чем { $defend }. Гекс ваш.
   *[held] { $attack } не больше, чем { $defend }.
  }
roll-faces = { $who }, выпало: { $faces }

# What happened
log-empty-dice = Пока ничего. Здесь появятся атаки.
log-attack = { $person ->
    [you] Вы атакуете
   *[other] { $who } атакует
  } |{ $from } → { $to }|, кубики { $attack } против { $defend }: { $sumA } к { $sumD }, |{ $outcome ->
    [captured] захват
   *[held] отбито
  }|.
log-attack-plain = { $person ->
    [you] Вы берёте
   *[other] { $who } берёт
  } |{ $to }| с { $from }, кубики { $attack } против { $defend }.
log-took-back-attack = { $person ->
    [you] Вы отменяете |{ $from } → { $to }|
   *[other] { $who } отменяет |{ $from } → { $to }|
  }.
log-took-back-end = { $person ->
    [you] Вы отменяете завершение хода
   *[other] { $who } отменяет завершение хода
  }.
log-end = { $person ->
    [you] Вы завершаете ход
   *[other] { $who } завершает ход
  }: |+{ $dice }| { $dice ->
    [one] кубик
    [few] кубика
   *[other] кубиков
  }.
log-end-none = { $person ->
    [you] Вы завершаете ход
   *[other] { $who } завершает ход
  }, новых кубиков нет.

# The end
over-one = { $person ->
    [you] Вы победили
   *[other] Побеждает { $who }
  } { $hexes }:{ $next }
over-tie = Ничья: { $who } — по { $hexes ->
    [one] { $hexes } гексу
    [few] { $hexes } гекса
   *[other] { $hexes } гексов
  }
over-won-by = Победа с перевесом в { over-won-by.margin }
    .margin = { $n ->
        [one] { $n } гекс
        [few] { $n } гекса
       *[other] { $n } гексов
      }
over-won-all = Победа: вся земля ваша
over-lost-by = Поражение с разницей в { over-won-by.margin }
over-tied = Ничья: вы и { $who }
over-gave-up = Вы сдались
over-no-land = { $person ->
    [you] К вашему ходу у вас не осталось земли
   *[other] { $who } начинает ход без земли
  }, поэтому партия закончилась. { over-no-land.most }
    .most = Побеждает тот, у кого больше гексов: { $scores }.
over-one-die = { $person ->
    [you] { $hexes ->
        [1] К вашему ходу на вашем единственном гексе остался один кубик
       *[other] К вашему ходу на всех ваших гексах ({ $hexes }) осталось по одному кубику
      }
   *[other] { $hexes ->
        [1] { $who } начинает ход с одним кубиком на единственном гексе
       *[other] { $who } начинает ход с одним кубиком на каждом из своих гексов ({ $hexes })
      }
  }, а один кубик атаковать не может, поэтому партия закончилась. { over-no-land.most }
over-no-neighbour = { $person ->
    [you] К вашему ходу ни одна ваша стопка из двух и более кубиков не касалась чужой земли
   *[other] { $who } начинает ход, и ни одна стопка из двух и более кубиков не касается чужой земли
  }, поэтому партия закончилась. { over-no-land.most }
over-none-larger = { $person ->
    [you] К вашему ходу ни одна ваша стопка не была выше соседней чужой
   *[other] { $who } начинает ход, и ни одна из стопок не выше соседней чужой
  }, а захватить гекс можно только бо́льшим числом кубиков, поэтому партия закончилась. { over-no-land.most }
over-resigned = { $person ->
    [you] Вы сдались
   *[other] { $who } сдаётся
  }, поэтому партия закончилась. Среди остальных побеждает тот, у кого больше гексов: { $scores }.
over-limit = Достигнут лимит шагов, поэтому партия закончилась. { over-no-land.most }
over-conquered = { $person ->
    [you] Вы взяли последний гекс соперников
   *[other] { $who } берёт последний гекс соперников
  }, поэтому партия закончилась.
over-quiet = Слишком долго никто не атаковал, поэтому партия закончилась. { over-no-land.most }

# The course of a finished game
course-held = Кто чем владел
course-hexes = Гексы
course-dice = Кубики
course-hexes-label = Гексы каждого игрока, ход за ходом
course-dice-label = Кубики каждого игрока, ход за ходом
swings = Переломные моменты
swings-about = каждый ведёт к своему шагу
swing-turn = ход { $turn }
swing-won = |{ $who }: { $attack } против { $defend } ({ $theirs ->
    [you] вы
   *[other] { $defender }
  }), захват|, вероятность { $odds } %
swing-lost = |{ $who }: { $attack } против { $defend } ({ $theirs ->
    [you] вы
   *[other] { $defender }
  }), отбито|, вероятность { $odds } %
counted = Статистика бросков
counted-rolls = броски
counted-won = выиграно
counted-odds = ожидалось
counted-luck = удача
counted-gave = Вы выиграли на { $n ->
    [one] { $n } бросок
    [few] { $n } броска
   *[other] { $n } бросков
  } больше, чем ожидалось.
counted-took = Вы выиграли на { $n ->
    [one] { $n } бросок
    [few] { $n } броска
   *[other] { $n } бросков
  } меньше, чем ожидалось.
counted-even = Вы выиграли столько бросков, сколько ожидалось.
counted-about = Каждая атака — бросок. Удача — это выигранные броски минус ожидаемые.

# Notices
notice-not-your-hex = Гекс { $hex } не ваш.
notice-one-die = На гексе { $hex } один кубик, он не может атаковать.
notice-not-neighbours = Гексы { $from } и { $to } не соприкасаются.
notice-own-target = Гекс { $to } и так ваш.
notice-too-few = На гексе { $from } должно быть больше кубиков, чем на гексе { $to }.
notice-nothing-to-pass = Атакуйте хотя бы раз, прежде чем завершить ход.

# То же о шаге записи, которую принесли
record-not-own-hex = Гекс { $hex } — не этого игрока.
record-one-die = На гексе { $hex } один кубик, он не может атаковать.
record-not-neighbours = С гекса { $from } нельзя атаковать гекс { $to }: они не соприкасаются.
record-own-target = Гекс { $to } и так у этого игрока.
record-too-few = На гексе { $from } слишком мало кубиков, чтобы атаковать гекс { $to }.
record-nothing-to-pass = Ход нельзя завершить до первой атаки.
notice-no-such-hex = Такого гекса на этой доске нет.
notice-no-target = Гексу { $hex } некого атаковать.
why-not-yours = Этот гекс не ваш.
why-one-die = Один кубик не может атаковать.
why-no-target = Отсюда некого атаковать.
why-far = Этот гекс не касается выбранного.
why-too-few = На выбранном гексе мало кубиков для этой атаки.

# Your games
card-turn = { $rules }, { $side } × { $side }, ход { $turn }
card-plies = { $rules }, { $side } × { $side }, { $plies ->
    [one] { $plies } шаг
    [few] { $plies } шага
   *[other] { $plies } шагов
  }

# The form
form-dice = Dice of Doom
form-rules-v4 = Четыре игрока, с бросками (v4)
form-rules-conquest = Завоевание, до последнего гекса
form-rules-v3 = Два игрока, без бросков, 5 × 5 (v3)
form-rules-v2 = Два игрока, без бросков, 4 × 4 (v2)
form-rules-v1 = Два игрока, без бросков, 2 × 2 (v1)
form-about = Чем отличаются правила
form-about-v4 = Глава 20. Кубики бросают. В конце хода приходит столько кубиков, сколько гексов в вашей самой большой группе. Партия заканчивается, когда игрок в начале хода не может атаковать.
form-about-conquest = Наш вариант. Как v4, но ход можно завершить всегда, игроки без земли пропускают ход, и игра идёт, пока один не завладеет всем.
form-about-v3 = Глава 19, первая с картинкой. Как v2, на 5 × 5 гексах.
form-about-v2 = Глава 18. Как v1, на 4 × 4 гексах. Компьютер из книги просчитывает на четыре шага вперёд и отсекает то, что ничего не изменит (альфа-бета).
form-about-v1 = Глава 15. Два игрока, до трёх кубиков на гексе. Кубики не бросают: побеждает большее число. В конце хода возвращаются захваченные кубики, минус один. На 2 × 2 гексах компьютер из книги видит все исходы (минимакс).
form-usual = { $n } (обычно)
form-size = Сторона доски, гексов
form-size-n = { $n } × { $n }
form-max-dice = Максимум кубиков на гексе
form-problem-range = Число вне допустимых пределов: сторона доски — от 2 до 8 гексов, игроков — от 2 до 6, кубиков — от 2 до 8.
form-problem-players = Игроков больше, чем гексов.
form-problem-deal = При любой расстановке первому игроку некого атаковать. Попробуйте другой сид или доску побольше.

# Rules
rules-lead = У вас есть гексы, на них стоят стопки кубиков. Забирайте землю у соседей, пока везёт, и завершайте ход, пока везение не кончилось.
rules-do-title = Ваш ход
rules-do-choose = |Выберите| свой гекс, где не меньше двух кубиков. Гексы, которые могут атаковать, обведены белой рамкой.
rules-do-attack = |Атакуйте| соседа. Обе стороны бросают все свои кубики; вам нужна бо́льшая сумма, при равенстве побеждает защитник.
rules-do-won = |Удачно:| один кубик остаётся, остальные переходят на новый гекс, а стоявшие там кубики исчезают.
rules-do-lost = |Неудачно:| один кубик остаётся, остальные исчезают. Защитник ничего не теряет.
rules-do-again = Атакуйте сколько угодно раз. После первой атаки можно |завершить ход|.
rules-odds-title = Ваши шансы
rules-odds-text = Вероятность захватить гекс, в процентах.
rules-odds-caption = Строки — ваши кубики, столбцы — кубики соперника.
rules-odds-attack = ваши кубики
rules-odds-theirs = против { $dice }
rules-new-title = Откуда берутся новые кубики
rules-new-text = В конце хода вы получаете по кубику за каждый гекс вашей |самой большой группы| — гексов, которые касаются друг друга. Кубики ставятся на ваши гексы по одному, начиная с дальнего левого, ряд за рядом; полные гексы пропускаются. Что не поместилось, пропадает.
rules-new-tip = Поэтому связная земля растёт сама, а потеря одного гекса посередине может стоить половины дохода.
rules-end-title = Как заканчивается партия
rules-end-text = Как только игрок в начале своего хода не может атаковать, партия заканчивается для всех. Побеждает тот, у кого |больше гексов|; при равенстве — ничья.
rules-end-stuck = Такой игрок |в тупике|: у него нет земли или нет гекса с двумя и более кубиками рядом с чужой землёй. Кнопка «|Завершить ход|» предупреждает об этом: тогда она называется «|Завершить партию|» и говорит, кто победит.
rules-presets-title = Другие правила
rules-plain-title = Без бросков: версии 1–3
rules-plain-text = В ранних играх из книги та же земля и те же ходы, но |кубики не бросают|.
rules-plain-win = |Побеждает большее число кубиков.| Три кубика бьют два или один; против трёх они даже не могут атаковать.
rules-plain-back = В конце хода |захваченные кубики возвращаются, минус один|: столько, сколько стояло на взятых за этот ход гексах, без одного.
rules-plain-two = |Два игрока|, до трёх кубиков на гексе: 2 × 2 гекса в v1, 4 × 4 в v2, 5 × 5 в v3.
rules-plain-computer = Компьютер из книги играет v1 методом |минимакс|, до самого конца, а v2 и v3 — методом |альфа-бета|, на четыре шага вперёд.

# Pictures of the rules
lesson-attack = Выбраны четыре кубика Красного. На каждом соседе показан шанс его захватить.
lesson-attack-board = Небольшая доска. Выбрана стопка Красного из четырёх кубиков, на соседях показаны шансы: 99,7 % против одного кубика, 94 % против двух, 74 % против трёх, 46 % против четырёх, 22 % против пяти.
lesson-dice = В самой большой группе Красного четыре гекса (они обведены), поэтому приходят четыре кубика. Они ставятся на гексы Красного, начиная с дальнего левого, в том числе вне группы.
lesson-dice-board = Небольшая доска. Четыре гекса Красного соприкасаются и обведены. По кубику пришло на четыре гекса Красного, начиная с дальнего левого.
lesson-stuck = У Красного на каждом гексе по одному кубику: он в тупике. Если так начинается его ход, партия заканчивается для всех, и гексы считают.
lesson-stuck-board = Небольшая доска. У Красного три гекса, на каждом по одному кубику.

# The book's page
book-title = Dice of Doom, как в книге
book-welcome = Добро пожаловать в DICE OF DOOM!
book-choose = Выберите гекс, с которого пойдёте:
book-destination = Теперь выберите, куда:
book-cancelled = Ход отменён.
book-rolled = Кубиков: { $attackDice }, выпало { $attackSum }. Кубиков: { $defendDice }, выпало { $defendSum }.
book-may-pass = Теперь можно |передать ход| или сходить ещё раз:
book-reinforced = Ваши подкрепления расставлены.
book-computer = Компьютер сходил.
book-thinking = Компьютер думает.
book-pass = передать ход
book-continue = дальше
book-again = сыграть ещё раз
book-leave = Та же игра со всеми возможностями

# In the terminal, in the book's words
terminal-end-turn = завершить ход
terminal-help-dice = На доске a-3 — это гекс игрока a с 3 кубиками. 0 -> 3 — атака с гекса 0 на гекс 3. Гексы:

# Without odds
confirm-plain = Кубики: { $attack } против { $defend }.

# Settings
set-example-dice = Небольшая доска: выбраны четыре кубика, вокруг шесть гексов, которые можно атаковать

# Live pages and keys
key-turn = Dice of Doom: завершить ход

# Since the reader's last turn
since = { $person ->
    [you] С вашего хода
   *[other] { FORM($who, case: "genitive") ->
        [none] С прошлого хода ({ $who })
       *[other] С прошлого хода { FORM($who, case: "genitive") }
      }
  }
since-start = С начала партии
since-striped = { $person ->
    [you] Полосатые гексы были вашими.
   *[other] { FORM($who, case: "genitive") ->
        [none] Полосатые гексы потеряны ({ $who }).
       *[other] Полосатые гексы были у { FORM($who, case: "genitive") }.
      }
  }
since-kept = { $person ->
    [you] Никто не взял ваших гексов.
   *[other] { FORM($who, case: "genitive") ->
        [none] Никто не взял ни одного гекса ({ $who }).
       *[other] Никто не взял у { FORM($who, case: "genitive") } ни одного гекса.
      }
  }
since-hexes = |−{ $n }| { $n ->
    [one] гекс
    [few] гекса
   *[other] гексов
  }
since-dice = |+{ $n }| { $n ->
    [one] новый кубик
    [few] новых кубика
   *[other] новых кубиков
  }{ $fell ->
    [0] {""}
   *[other] , потеряно |{ $fell }|
  }
since-took = |{ $who }|: взято { $hexes }
since-taken-hexes = { $count ->
    [one] : гекс { $hexes }
   *[other] : гексы { $hexes }
  }
since-again = Посмотреть ещё раз
since-close = Закрыть карточку

# Hints
hint-attack = |{ $from } → { $to }|, { $attack } против { $defend }
hint-end = |Завершение хода|
hint-do-attack = Атаковать { $from } → { $to }
hint-take = Взять гекс { $to }
hint-take-odds = Атакуйте его с { $from }, кубики { $attack } против { $defend }. Шанс — { $odds } %.
hint-take-sure = Атакуйте его с { $from }, кубики { $attack } против { $defend }.
hint-end-turn = Завершить ход
hint-end-game = Завершить партию
hint-end-game-sub = Вместе с ходом закончится партия: итог — на кнопке.
hint-end-turn-sub = { $dice ->
    [0] Кубиков сейчас не придёт, но любая атака обойдётся дороже, чем принесёт.
    [one] Сейчас придёт { $dice } кубик.
    [few] Сейчас придут { $dice } кубика.
   *[other] Сейчас придёт { $dice } кубиков.
  }
hint-why-wins = На этом партия заканчивается, и вы побеждаете.
hint-why-only = Больше ничего сделать нельзя.
hint-why-odds = Ни у одной атаки нет шансов выше { $odds } %.
hint-why-rest = В любой атаке больше риска, чем выгоды.
hint-why-open = После { $from } → { $to } гекс { $hex } окажется под ударом { $person ->
    [you] ваших { $dice ->
        [one] { $dice } кубика
       *[other] { $dice } кубиков
      }
   *[other] { $dice ->
        [one] { $dice } кубика
       *[other] { $dice } кубиков
      } { FORM($who, case: "genitive") ->
        [none] ({ $who })
       *[other] { FORM($who, case: "genitive") }
      }
  }.
hint-why-last = { $who } теряет последний гекс и выбывает из игры.
hint-why-ends = { $result ->
    [wins] Если после этого завершить ход, партия закончится и вы победите.
   *[other] Если после этого завершить ход, партия закончится: считаются только гексы, а не новые кубики.
  }
hint-why-joins = Ваша земля соединяется: { $cluster } { $cluster ->
    [one] гекс
    [few] гекса
   *[other] гексов
  } в одной группе, и за них придут кубики в конце хода.
hint-why-splits = { FORM($who, case: "genitive") ->
    [none] Земля соперника ({ $who }) делится:
   *[other] Земля { FORM($who, case: "genitive") } делится:
  } самая большая группа уменьшится с { $before } до { $after }.
hint-why-threat = Гексу { $hex } больше не { $dice ->
    [one] угрожает { $dice } кубик
    [few] угрожают { $dice } кубика
   *[other] угрожают { $dice } кубиков
  } { FORM($who, case: "genitive") ->
    [none] ({ $who }).
   *[other] { FORM($who, case: "genitive") }.
  }
hint-why-grows = Ваша самая большая группа вырастет до { $cluster ->
    [one] { $cluster } гекса
   *[other] { $cluster } гексов
  }.
hint-why-safe = Ни один ваш гекс не окажется под ударом большего числа кубиков, чем прежде.
hint-why-best = Лучше ничего нет.

# Moves that are taken back
take-back-attack = Отменить атаку { $from } → { $to }
take-back-end = Отменить завершение хода


# The analysis board
analysis-hex-owner = Гекс { $hex }, владелец
analysis-hex-dice = и на нём
analysis-dice = { $dice ->
    [one] { $dice } кубик
    [few] { $dice } кубика
   *[other] { $dice } кубиков
  }
analysis-captured = захват, { $odds } %
analysis-fails = отбито, { $odds } %

# The review
review-attack = { $place ->
    [state] { $attack } против { $defend }
   *[other] { $attack } против { $defend } ({ $from } → { $to })
  }
review-end-turn = { $place ->
    [head] Завершение хода
   *[within] завершение хода
  }

dice-field-board = Владелец и кубики каждого гекса, начиная с гекса 0. Гексы нумеруются по рядам сверху: гекс h лежит в ряду h / size, столбце h % size. Каждый ряд сдвинут на полгекса влево относительно ряда над ним.
dice-field-neighbors = В ответе о партии: гексы, которых касается каждый гекс, начиная с гекса 0.
dice-field-player = Чей ход.
dice-field-spare = Кубики, стоявшие на гексах, которые атаковали в этом ходу.
dice-field-first-move = Верно ли, что в этом ходу ещё не было атаки. Если верно, ход нельзя завершить, кроме как в |conquest|.
dice-field-quiet = Сколько ходов подряд завершено без атаки: слишком много — и партия |conquest| окончена. В других правилах этого поля нет.
dice-field-path = Действие: |[from, to]| — атака, |null| — конец хода.

# A game with its numbers
numbers-dice = Dice of Doom, { $rules ->
    [conquest] завоевание
   *[other] { $rules }
  }, { $side } × { $side }, игроков: { $players }

# What the strong levels do: where a neural network knows the board, and elsewhere
levels-at-dice-net = На досках, которые знает нейросеть:
levels-at-dice = На всех остальных:
level-advanced-about-dice-net = Смотрит на шаг вперёд; решают вместе небольшая нейросеть и оценка «Уравновешенного».
level-expert-about-dice-net = Небольшая нейросеть, обученная на множестве партий, смотрит на шаг вперёд и выбирает ход, который считает лучшим.
level-master-about-dice-net = С той же нейросетью просчитывает дальше, но недолго, и учитывает, как до сих пор играли остальные.
level-champion-about-dice-net = Просчитывает варианты, как «Мастер», но намного дольше.
level-advanced-about-dice = Совсем недолго просчитывает, чем может ответить каждый, и судит по оценочной функции, написанной вручную: эту доску не знает ни одна нейросеть.

# The first lesson
learn-rules-source-title = Выберите гекс
learn-rules-source-text = Вы играете красными. У каждого гекса есть владелец и кубики. Атаковать можно с гекса, на котором хотя бы два кубика.
learn-rules-source-task = Нажмите красный гекс, с которого можно атаковать.
learn-rules-source-choice-1 = Гекс с 3 кубиками
learn-rules-source-choice-2 = Гекс с 1 кубиком
learn-rules-source-reply-1 = Верно. С тремя кубиками можно атаковать соседа.
learn-rules-source-reply-2 = Одним кубиком атаковать нельзя: он должен остаться на гексе.
learn-rules-attack-title = Атакуйте соседа
learn-rules-attack-text = Выбран ваш гекс с 3 кубиками. Атаковать можно синие гексы, которых он касается.
learn-rules-attack-task = Нажмите синий гекс, который можно атаковать.
learn-rules-attack-choice-1 = Синий гекс с 1 кубиком
learn-rules-attack-choice-2 = Синий гекс с 2 кубиками
learn-rules-attack-reply-1 = Удачно: обе стороны бросают все свои кубики, и побеждает бо́льшая сумма. Все ваши кубики, кроме одного, переходят туда, и гекс ваш.
learn-rules-attack-reply-2 = Этот гекс не касается вашего.
learn-rules-odds-title = Сначала взгляните на шансы
learn-rules-odds-text = Процент на гексе — вероятность, что атака удастся.
learn-rules-odds-task = Нажмите синий гекс, который вы скорее захватите.
learn-rules-odds-choice-1 = Атаковать 1 кубик
learn-rules-odds-choice-2 = Атаковать 3 кубика
learn-rules-odds-reply-1 = Удачно, как почти всегда. После неудачной атаки на вашем гексе остаётся только один кубик. Равная сумма — тоже неудача.
learn-rules-odds-reply-2 = Неудачно, как чаще всего и бывает: на вашем гексе остался один кубик. Равная сумма — тоже неудача.
learn-rules-cluster-title = Держите гексы вместе
learn-rules-cluster-text = В конце хода вы получаете по новому кубику за каждый гекс своей самой большой группы соседних гексов. Расставляются они сами.
learn-rules-cluster-task = Нажмите атаку, которая соединит две ваши группы.
learn-rules-cluster-choice-1 = Атаковать вдали
learn-rules-cluster-choice-2 = Атаковать в середине
learn-rules-cluster-reply-1 = Удачно, но группы всё ещё врозь. В большей 3 гекса: всего 3 новых кубика.
learn-rules-cluster-reply-2 = Верно. Теперь у вас одна группа из 6 гексов: 6 новых кубиков.
learn-rules-stop-title = Вовремя остановитесь
learn-rules-stop-text = После первой атаки можно атаковать сколько угодно раз и завершить ход когда угодно.
learn-rules-stop-task = Остались только атаки с плохими шансами. Что вы сделаете?
learn-rules-stop-choice-1 = Атаковать
learn-rules-stop-choice-2 = Завершить ход
learn-rules-stop-reply-1 = Неудачно, как почти всегда. На гексе остался один кубик, и синие могут его забрать.
learn-rules-stop-reply-2 = Верно. Группа из 6 гексов приносит 6 новых кубиков, и они защитят её от синих.
learn-rules-stuck-title = Партия заканчивается, когда кто-то в тупике
learn-rules-stuck-text = Если в начале хода игрок не может атаковать, партия окончена. Побеждает тот, у кого больше гексов.
learn-rules-stuck-task = У синих всюду по одному кубику, но 5 гексов из 9. Что вы сделаете?
learn-rules-stuck-choice-1 = Атаковать
learn-rules-stuck-choice-2 = Завершить ход
learn-rules-stuck-reply-1 = Верно. Теперь у вас 5 гексов. Завершите ход: синие в тупике, и вы победили.
learn-rules-stuck-reply-2 = Синие в тупике, партия окончена. Но у синих 5 гексов, а у вас 4: вы проиграли.

# Puzzles
puzzle-attack = { $place ->
    [head] { FORM($who, case: "genitive") ->
        [none] Атаковать: { $who }, { $from } → { $to }
       *[other] Атаковать { FORM($who, case: "genitive") }, { $from } → { $to }
      }
   *[within] { FORM($who, case: "genitive") ->
        [none] атаковать: { $who }, { $from } → { $to }
       *[other] атаковать { FORM($who, case: "genitive") }, { $from } → { $to }
      }
  }
puzzle-attack-dice = кубики: { $attack } против { $defend }
puzzle-end = { $place ->
    [head] Завершить ход
   *[within] завершить ход
  }
puzzle-end-dice = { $dice ->
    [0] без новых кубиков
   *[other] новых кубиков: { $dice }
  }
puzzle-end-game = партия закончится

# Themes of puzzles
puzzle-theme-stop = Атаковать или закончить?
puzzle-task-stop = Продолжать атаки или завершить ход? Выберите то, что даёт лучшие шансы выиграть партию.
puzzle-theme-attack = Какая атака?
puzzle-task-attack = Выберите то, что даёт лучшие шансы выиграть партию.
puzzle-theme-opponent = Кого атаковать?
puzzle-task-opponent = Можно атаковать разных соперников. Выберите то, что даёт лучшие шансы выиграть партию.
learn-odds-name = Атакуйте при хороших шансах
learn-odds-compare-title = Сначала сравните кубики
learn-odds-compare-text = Ваш гекс с 3 кубиками может атаковать 2 кубика или 3. Один лишний кубик меняет многое.
learn-odds-compare-task = Нажмите атаку, которая скорее удастся.
learn-odds-compare-choice-1 = Атаковать 2 кубика
learn-odds-compare-choice-2 = Атаковать 3 кубика
learn-odds-compare-reply-1 = Верно. 3 кубика побеждают 2 в 78 атаках из 100, и гекс присоединяется к вашей группе.
learn-odds-compare-reply-2 = Неудачно, как в 55 таких атаках из 100. На гексе остался один кубик, и синие могут его забрать.
learn-odds-equal-title = При равных силах атака плоха
learn-odds-equal-text = При равной сумме побеждает защитник, поэтому с равным числом кубиков атака удаётся реже чем в половине случаев. В этом ходу вы уже атаковали и можете остановиться.
learn-odds-equal-task = Лучшая из оставшихся атак — 3 кубика против 3. Что вы сделаете?
learn-odds-equal-choice-1 = Атаковать
learn-odds-equal-choice-2 = Завершить ход
learn-odds-equal-reply-1 = Неудачно: из 3 кубиков остался один. 3 кубика синих рядом почти наверняка его заберут.
learn-odds-equal-reply-2 = Верно. Группа принесёт новые кубики, и атаковать придётся уже синим.
learn-odds-forced-title = Когда все атаки плохи
learn-odds-forced-text = Первая атака хода обязательна. В таком случае выбирайте лучшие шансы и гекс, который вам нужен.
learn-odds-forced-task = Нажмите лучшую из этих атак.
learn-odds-forced-choice-1 = Атаковать 2 кубика
learn-odds-forced-choice-2 = Атаковать 3 кубика
learn-odds-forced-reply-1 = Верно. 44 % — мало, но лучше нет. На этот раз удачно, и ваши гексы соединились.
learn-odds-forced-reply-2 = Неудачно, как почти всегда: 2 кубика побеждают 3 в 15 атаках из 100.
learn-stop-name = Останавливайтесь вовремя, но не слишком рано
learn-stop-early-title = Не останавливайтесь слишком рано
learn-stop-early-text = Каждый гекс самой большой группы — новый кубик. Поэтому ещё одна надёжная атака того стоит.
learn-stop-early-task = Вы уже атаковали один раз. Что теперь?
learn-stop-early-choice-1 = Атаковать ещё раз
learn-stop-early-choice-2 = Завершить ход
learn-stop-early-reply-1 = Верно. Атака удалась, как почти всегда, и теперь в группе 6 гексов: 6 новых кубиков.
learn-stop-early-reply-2 = В группе 5 гексов вместо 6, а 4 сильных кубика простояли без дела.
learn-stop-late-title = Не останавливайтесь слишком поздно
learn-stop-late-text = Осталась одна атака с хорошими шансами. Но её 3 кубика — последние, что защищают вас от 4 кубиков синих.
learn-stop-late-task = 3 кубика против 2: атакуете или остановитесь?
learn-stop-late-choice-1 = Атаковать
learn-stop-late-choice-2 = Завершить ход
learn-stop-late-reply-1 = Удачно, но теперь кубики разбросаны. 4 кубика синих заберут гекс за гексом.
learn-stop-late-reply-2 = Верно. 3 кубика остаются вместе, и к ним добавятся новые. Атака вдвое уменьшила бы ваши шансы выиграть партию.
learn-border-name = Охраняйте границу
learn-border-threat-title = Где могут атаковать синие?
learn-border-threat-text = Гекс с одним кубиком легко забрать, но только соседу, у которого хотя бы два кубика.
learn-border-threat-task = Нажмите красный гекс, которому грозит опасность.
learn-border-threat-choice-1 = Один кубик в среднем ряду
learn-border-threat-choice-2 = Один кубик в переднем ряду
learn-border-threat-reply-1 = Верно. 4 кубика синих рядом побеждают там почти всегда.
learn-border-threat-reply-2 = Его не касается ни один синий гекс, атаковать его некому.
learn-border-choose-title = Атакуйте из глубины
learn-border-choose-text = После атаки на исходном гексе остаётся один кубик. Шансы у обеих атак здесь одинаковы.
learn-border-choose-task = Нажмите атаку, после которой рядом с синими не останется слабого гекса.
learn-border-choose-choice-1 = Атаковать в переднем ряду
learn-border-choose-choice-2 = Атаковать в среднем ряду
learn-border-choose-reply-1 = Верно. Один кубик остался в углу, где нет соперника.
learn-border-choose-reply-2 = Удачно, но на исходном гексе один кубик — прямо рядом с 3 кубиками синих.
learn-border-hold-title = Оставьте охрану
learn-border-hold-text = Новые кубики в конце хода усиливают границу. Атака с границы сначала её ослабляет.
learn-border-hold-task = 2 кубика против 1, шансы хорошие. Что вы сделаете?
learn-border-hold-choice-1 = Атаковать
learn-border-hold-choice-2 = Завершить ход
learn-border-hold-reply-1 = Удачно, но теперь на границе вашей группы рядом с 4 кубиками синих стоит один кубик.
learn-border-hold-reply-2 = Верно. Охрана на месте, и к ней добавятся новые кубики.
learn-cluster-name = Держите гексы вместе
learn-cluster-count-title = Какая группа считается?
learn-cluster-count-text = В конце хода вы получаете по кубику за каждый гекс самой большой группы. Считаются гексы, а не кубики на них.
learn-cluster-count-task = Нажмите гекс группы, которая приносит новые кубики.
learn-cluster-count-choice-1 = 3 кубика в углу
learn-cluster-count-choice-2 = Один кубик в среднем ряду
learn-cluster-count-reply-1 = Этот гекс стоит отдельно: группа из одного гекса приносит один кубик.
learn-cluster-count-reply-2 = Верно. Три гекса касаются друг друга: 3 новых кубика.
learn-cluster-join-title = Соедините разрозненное
learn-cluster-join-text = Две маленькие группы приносят меньше, чем одна большая. Ради этого стоит рискнуть.
learn-cluster-join-task = Нажмите атаку, которая соединит ваши гексы.
learn-cluster-join-choice-1 = Атаковать 1 кубик
learn-cluster-join-choice-2 = Атаковать 3 кубика
learn-cluster-join-reply-1 = Удачно, но гексы всё ещё врозь: в самой большой группе 3 гекса.
learn-cluster-join-reply-2 = Верно. Одна группа из 5 гексов: 5 новых кубиков вместо 3.
learn-cluster-cut-title = Разрежьте чужую группу
learn-cluster-cut-text = Что верно для вас, верно и для синих: разрезанная группа приносит меньше кубиков.
learn-cluster-cut-task = Самая большая группа синих — задний ряд. Нажмите атаку, которая её разрежет.
learn-cluster-cut-choice-1 = Атаковать в заднем ряду
learn-cluster-cut-choice-2 = Атаковать в переднем ряду
learn-cluster-cut-reply-1 = Верно. Теперь синие гексы не касаются друг друга: синие получат 1 кубик вместо 3.
learn-cluster-cut-reply-2 = Удачно, но задний ряд синих цел: 3 новых кубика.

# Уроки после партии
advice-odds = Атак с шансом меньше 50 %: { $n }, из них неудачных: { $failed }.
advice-cluster = { $n ->
    [one] { $n } раз
    [few] { $n } раза
   *[other] { $n } раз
  } вы завершали ход, когда больше трети ваших гексов было вне самой большой группы.
advice-stop = { $n ->
    [one] { $n } раз
    [few] { $n } раза
   *[other] { $n } раз
  } вы завершали ход, хотя оставалась атака с шансом 75 % или больше.
advice-border = Соперники взяли { $n ->
    [one] { $n } ваш гекс
    [few] { $n } ваших гекса
   *[other] { $n } ваших гексов
  } с одним кубиком.
