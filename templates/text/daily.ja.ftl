# 今日の盤のページ。

nav-daily = 今日
daily-title = 今日の盤、{ $day }
daily-headline = 今日はみんながこの盤で遊びます
daily-headline-past = 過去の日の盤
daily-deal = 配置は全員同じで、相手は「ふつう」のコンピューター三人です。
daily-dice = サイコロも同じです。同じ選択をすれば同じ目が出ます。
daily-once = 得点になるのは一回だけです。「始める」で始まります。
daily-times = { $end }まで始められます。始めた対局は{ $over }まで得点になります。
daily-closing = { $end }まで始められました。始めた対局は{ $over }まで得点になります。
daily-unfinished = この盤を始めましたが、時間内に終わらなかったので、得点はありません。|対局を見る|
daily-off = ヒントと待ったは使えません。
daily-past = 何度でも新しいサイコロで遊べます。得点にはなりません。
daily-start = 始める
daily-begun-before = このブラウザーはこの盤をすでに始め、そのあと記録を削除したので、二回目の挑戦はできません。
daily-not-today = このページの日はもう終わったので、何も始まっていません。今日の盤は「今日」にあります。
daily-continue = 今日の盤を続ける
daily-play-past = この盤で遊ぶ
daily-played = { $games ->
    [0] 今日はまだだれも遊んでいません。
   *[other] これまでに{ $games }人が遊びました。
  }
daily-result = { $turns }ターンで{ $all }マスのうち{ $hexes }マス、{ $result ->
    [won] 勝ち
   *[lost] 負け
  }
daily-better = { $share } %より上
daily-streak = { $days }日連続
daily-review = この対局を検討する
daily-look = 対局を見る
daily-picture = 画像
daily-share = 結果を共有する
daily-copy = 文章をコピー
daily-looking = いちばんよい判断をさがしています…
daily-best = いちばんよい判断
daily-best-text = |{ $played }|：次によい手（{ $other }）より|+{ $points }ポイント|。
daily-costliest = いちばん高くついた判断
daily-costliest-text = |{ $played }|：|−{ $points }ポイント|。|{ $other }|のほうがよい手でした。
daily-no-cost = { $points }ポイントより多く失った判断はありません。
daily-see = 見る
daily-text = 結果の文章
daily-text-title = Dice of Doom、今日の盤
daily-scores = すべての結果
daily-won = 勝ち
daily-lost = 負けか引き分け
daily-you = あなた
daily-hexes = マス
daily-calendar = この四週間
daily-day-won = { $hexes }マスで勝ち
daily-day-lost = 勝てず、{ $hexes }マス
daily-day-begun = 始めて、終わっていません
daily-day-none = 遊んでいません
daily-seal = サイコロをだれも変えられない理由
daily-seal-why = 一日のサイコロはすべてひとつの秘密から決まります。そのSHA-256は前日に公開され、秘密そのものは、その日の対局がもう得点にならなくなると公開されます。
daily-openly = 別のブラウザーで先に遊んだ人は、得点になる対局のサイコロを知ることになります。それを防ぐ手段はありません。
daily-late = このサーバーは当日に始まったため、SHA-256は前日には公開されませんでした。
daily-next = 明日
daily-seed = シード
daily-salt = ソルト
daily-opens = シードとソルトは、もう何も得点にならなくなる{ $over }にここに現れます。
daily-table = 数字の表
start-day-people = 配置もサイコロもみんな同じです。{ $people ->
    [0] 今日の最初の人になりましょう。
   *[other] 今日は{ $people }人が遊びました。
  }
start-day-play = 今日の盤で遊ぶ
start-day-result = 結果を見る
start-day-won = { $hexes }マスで勝ち
start-day-lost = { $hexes }マスで負け
start-next = 次の盤と問題
start-next-in = { $hours ->
    [0] あと{ $minutes }分
   *[other] あと{ $hours }時間{ $minutes }分
  }
start-next-at = { $at }開始
