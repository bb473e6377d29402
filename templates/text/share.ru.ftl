# What is handed on of a game: links, pictures, films, and a frame for other pages, in Russian.

# On the pages of moves
share = Поделиться этим шагом
share-link = Ссылка на этот шаг
share-embed = Код для вставки на другую страницу
share-embed-hint = Там будут видны доска, счёт и ссылка сюда.
share-picture = Картинка этого шага
share-film-turn = Анимация этого хода
share-film-game = Анимация партии

# On the page of a finished game
share-game = Поделиться
share-game-picture = Картинка
share-game-text = Результат текстом
share-game-copy = Скопировать результат
share-game-film = Анимация

# The page of a film
film-of-game = Анимация партии
film-of-moves = { $moves ->
    [1] Анимация шага { $from }
   *[other] Анимация шагов { $from }–{ $to }
  }
film-wait-lead = Кадры рисуются, пока компьютерам не нужно думать.
film-wait-come = Нарисовано кадров: { $done } из { $of }.
film-wait-about = Работа продолжится и без вас; готовую анимацию покажет эта страница.
film-save = Сохранить анимацию
film-link = Ссылка на анимацию
film-back = Назад к партии

# The frame on other pages
embed-open = Открыть партию
