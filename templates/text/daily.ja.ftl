# 今日の盤のページ。

nav-daily = 今日
daily-title = 今日の盤、{ $day }
daily-date = { $month }{ $day }日
daily-headline = 今日はみんながこの盤で遊びます
daily-headline-past = 過去の日の盤
daily-deal = 配置は全員同じで、相手は「ふつう」のコンピューター三人です。
daily-dice = サイコロも同じです。同じ選択をすれば同じ目が出ます。
daily-once = 得点になるのは一回だけです。「始める」で始まります。
daily-times = 始めた対局は、{ $over }までに終えれば得点になります。
daily-closing = もう始められません。始めた対局は、{ $over }までに終えれば得点になります。
daily-unfinished = この盤を始めましたが、時間内に終わらなかったので、得点はありません。|対局を見る|
daily-off = ヒントと待ったは使えません。
daily-until = 開始の締め切りまで{ $left }
daily-next-board = 次の盤まで{ $left }
daily-yesterday-best = 昨日の最高は|{ $hexes }マス|（{ $result ->
    [won] 勝ち
   *[lost] 勝てず
  }）。
daily-yesterday-own = あなたは|{ $hexes }マス|（{ $result ->
    [won] 勝ち
   *[lost] 勝てず
  }）。
daily-yesterday-watch = 最高の対局を見る
daily-past = 何度でも新しいサイコロで遊べます。得点にはなりません。
daily-start = 始める
daily-begun-before = このブラウザーはこの盤をすでに始め、そのあと記録を削除したので、二回目の挑戦はできません。
daily-not-today = このページの盤の日はもう終わったため、対局は始まりませんでした。今日の盤は「今日」にあります。
daily-continue = 今日の盤を続ける
daily-play-past = この盤で遊ぶ
daily-again = 新しいサイコロでもう一度
daily-to-today = 盤は毎日新しくなります：|今日の盤|。
daily-played = { $games ->
    [0] 今日はまだだれも遊んでいません。
   *[other] これまでに{ $games }人が遊びました。
  }
daily-result = { $all }マスのうち{ $hexes }マスで{ $result ->
    [won] 勝ち
   *[lost] 負け
  }
daily-better = { $state ->
    [over] { $people }人
   *[open] これまでの{ $people }人
  }の|{ $share } %|より上です。
daily-streak = { $days }日連続
daily-review = 検討
daily-look = 対局
daily-picture = 結果の画像
daily-copy = 結果をコピー
daily-copied = 結果をコピーしました
daily-looking = いちばんよい判断をさがしています…
daily-best = いちばんよい判断
daily-best-text = |{ $played }|：次によい手（{ $other }）より|+{ $points }ポイント|。
daily-costliest = いちばん高くついた判断
daily-costliest-text = |{ $played }|：|−{ $points }ポイント|。|{ $other }|のほうがよい手でした。
daily-no-cost = { $points }ポイントより多く失った判断はありません。
daily-see = 見る
daily-text = 結果の文章
daily-text-title = Dice of Doom、{ $day }
daily-text-result = { $all }マスのうち{ $hexes }マスで{ $result ->
    [won] 勝ち
   *[lost] 負け
  }{ $days ->
    [0] { "" }
    [1] { "" }
   *[other] 、{ $days }日連続
  }
daily-squares = { $turn }ターン目：10個のうち{ $own }個があなた
daily-show = 自分の対局を公開する
daily-show-about = その日の最高の対局なら、{ $over }からだれでも見られます。
daily-scores = みんなの結果
daily-won = 勝ち
daily-lost = 負けか引き分け
daily-flag = あなた：{ $hexes }
daily-bars = みんなが最後に持っていたマスの数。
daily-bars-own = みんなが最後に持っていたマスの数。あなたは{ $hexes }マス。
daily-bars-below = 最後のマスの数
daily-hexes = マス
daily-calendar = この四週間
daily-day-won = { $hexes }マスで勝ち
daily-day-lost = 勝てず、{ $hexes }マス
daily-day-begun = 始めましたが、終えていません
daily-day-none = 遊んでいません
daily-check = サイコロを確かめる
daily-seal-why = 一日のサイコロはすべてひとつの秘密から決まります。そのSHA-256は前日に公開され、秘密そのものは、その日の対局が得点にならなくなった時点で公開されます。
daily-openly = 別のブラウザーで先に遊んだ人は、得点になる対局のサイコロを知ることになります。それを防ぐ手段はありません。
daily-late = このサーバーは当日に始まったため、SHA-256は前日には公開されませんでした。
daily-next = 明日
daily-seed = シード
daily-salt = ソルト
daily-opens = シードとソルトは、この日の対局が得点にならなくなったあと、ここに現れます：{ $over }。
daily-table = 数字の表
time-left = { $hours }時間{ $minutes }分
time-left-minutes = { $minutes }分
time-utc = （UTCで{ $time }）
time-local = （あなたの時間で{ $day }の{ $time }）
start-day-people = 配置もサイコロもみんな同じです。{ $people ->
    [0] 今日の最初の人になりましょう。
   *[other] 今日は{ $people }人が遊びました。
  }
start-day-play = 今日の盤で遊ぶ
start-day-result = 結果を見る
start-day-won = { $hexes }マスで勝ち
start-day-lost = { $hexes }マスで負け
start-next = 次の盤と問題
