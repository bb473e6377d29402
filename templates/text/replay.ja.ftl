# Replays, what is made of them, and games that begin from them, in Japanese. Between two bars | stands what is emphasised.

# The player
replay-at = |{ $ply }|手目（全{ $newest }手）
replay-slider = 対局の位置
replay-strip = ターンごとの対局の流れ
replay-turn = ターン{ $turn }、{ $who }：{ $moves ->
    [1] { $from }手目
   *[other] { $from }〜{ $to }手目
  }
replay-turn-back = 1ターン戻る
replay-turn-on = 1ターン進む
replay-play = 再生
replay-won = 占領
replay-failed = 失敗
replay-band = 帯1本が1ターンです。
replay-space = スペース
replay-space-does = 再生
replay-arrows-do = 一手ずつ
replay-brackets-do = 1ターンずつ

# Playing on
play-on = ここから続きを遊ぶ
play-on-why = 新しいサイコロで、別の対局として始まります。この対局はそのまま残ります。
play-on-others = ほかのプレイヤーで続きを遊ぶ
play-on-who = プレイヤーの割り当て
play-on-with = この顔ぶれで遊ぶ
origin-played-on = { $ply ->
    [0] |別の対局の最初|から続けた対局です。
   *[other] |別の対局の{ $ply }手目|のあとから続けた対局です。
  }
origin-uploaded = アップロードされた棋譜です。別の場所で指された対局で、だれが指したかは確かめていません。
who-elsewhere = 別の場所で対局
origin-daily = 「今日の盤」（|{ $day }|）の、記録に残る対局です。
