# 対局のあとにすすめること。

next-steps = 次にすること
next-lesson = レッスン：{ $title }
next-lesson-start = 始める
next-losses = { $n }局続けて負けました。
next-daily = 今日の盤
next-daily-about = { $days ->
    [0] 今日はまだです。
    [1] 今日はまだです。
   *[other] 今日はまだです。ここまで{ $days }日連続です。
  }
next-daily-play = 遊ぶ

# 勝ちの節目。
over-first-win = 初めての勝ち
over-first-win-against = 「{ $name }」に初めて勝ちました
over-wins-in-a-row = { $n }連勝
over-more = その他
over-daily-result = あなたの結果
