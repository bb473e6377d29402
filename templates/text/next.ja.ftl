# 対局のあとにすすめること。

next-steps = 次にすること
next-lesson = レッスン：{ $title }
next-lesson-start = 始める
next-losses = { $n }局続けて負けました。
next-easier = もっとやさしい対局
next-easier-about = 新しい盤で、相手の強さは「{ $name }」です。
next-easier-level = 新しい盤で、コンピューターのレベルが下がります。
next-easier-play = 「{ $name }」と対局
next-daily = 今日の盤
next-daily-about = { $days ->
    [0] 今日はまだです。
    [1] 今日はまだです。
   *[other] 今日はまだです。{ $days }日連続。
  }
next-daily-play = 遊ぶ
