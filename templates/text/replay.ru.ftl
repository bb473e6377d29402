# Replays, what is made of them, and games that begin from them, in Russian. Between two bars | stands what is emphasised.

# The player
replay-at = Шаг |{ $ply }| из { $newest }
replay-slider = Место в партии
replay-strip = Партия ход за ходом
replay-turn = Ход { $turn }, { $who }: { $moves ->
    [1] шаг { $from }
   *[other] шаги { $from }–{ $to }
  }
replay-turn-back = На ход назад
replay-turn-on = На ход вперёд
replay-play = Воспроизвести
replay-won = захват
replay-failed = отбито
replay-band = Одна полоса — один ход.
replay-space = Пробел
replay-space-does = воспроизведение
replay-arrows-do = шаги
replay-brackets-do = ходы

# Playing on
play-on = Играть отсюда
play-on-why = Новая партия с новыми бросками; эта останется как есть.
play-on-others = Играть отсюда с другими игроками
play-on-who = Кто играет
play-on-with = Играть таким составом
origin-played-on = { $ply ->
    [0] Продолжение с |начала другой партии|.
   *[other] Продолжение после |шага { $ply } другой партии|.
  }
origin-uploaded = Загруженная запись: играли в другом месте, и кто играл, здесь не проверяли.
who-elsewhere = сыграно не здесь
origin-daily = Зачётная партия за |{ $day }|.
