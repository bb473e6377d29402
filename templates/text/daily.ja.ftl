# 今日の盤のページ。

nav-daily = 今日
daily-title = 今日の盤（{ $day }）
daily-date = { $month }{ $day }日
daily-headline = 今日はみんながこの盤で遊びます
daily-headline-past = 過去の盤
daily-deal = 配置は全員同じで、相手は「ふつう」のコンピューター3人です。
daily-dice = サイコロも同じです。同じ判断をすれば同じ目が出ます。
daily-once = 記録に残るのは1回だけです。「始める」を押すと始まります。
daily-times = 始めた対局は、{ $over }までに終えれば記録に残ります。
daily-closing = もう始められません。すでに始めた対局は、{ $over }までに終えれば記録に残ります。
daily-unfinished = この盤を始めましたが、時間内に終わらなかったので、記録には残りません。|対局を見る|
daily-off = ヒントと待ったは使えません。
daily-until = 挑戦の締め切りまで{ $left }
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
daily-past = 新しいサイコロで何度でも遊べます。記録には残りません。
daily-start = 始める
daily-begun-before = このブラウザはこの盤をすでに始め、そのあと記録を削除したので、2回目の挑戦はできません。
daily-not-today = 開いていたのは終わった日のページだったため、対局は始まりませんでした。今日の盤は「今日」にあります。
daily-continue = 今日の盤を続ける
daily-play-past = この盤で遊ぶ
daily-again = 新しいサイコロでもう一度
daily-to-today = 盤は毎日新しくなります。|今日の盤へ|
daily-played = { $games ->
    [0] まだだれも遊んでいません。一番乗りしましょう。
   *[other] これまでに{ $games }人が遊びました。
  }
daily-result = { $all }マスのうち{ $hexes }マスで{ $result ->
    [won] 勝ち
   *[lost] 負け
  }
daily-better = { $state ->
    [over] { $people }人
   *[open] これまでの{ $people }人
  }のうち|{ $share }%|より上です。
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
daily-no-cost = { $points }ポイントを超える損をした判断はありません。
daily-see = 見る
daily-text = 結果のテキスト
daily-text-title = Dice of Doom { $day }
daily-text-result = { $all }マスのうち{ $hexes }マスで{ $result ->
    [won] 勝ち
   *[lost] 負け
  }{ $days ->
    [0] { "" }
    [1] { "" }
   *[other] 、{ $days }日連続
  }
daily-squares = ターン{ $turn }：10個中{ $own }個があなた
daily-show = 自分の対局を公開する
daily-show-about = その日の最高の対局になれば、{ $over }以降、だれでも見られます。
daily-scores = みんなの結果
daily-won = 勝ち
daily-lost = 負けか引き分け
daily-flag = あなた：{ $hexes }
daily-bars = みんなが最後に持っていたマスの数。
daily-bars-own = みんなが最後に持っていたマスの数。あなたは{ $hexes }マス。
daily-bars-below = 最後のマスの数
daily-hexes = マス
daily-calendar = 過去4週間
daily-day-won = { $hexes }マスで勝ち
daily-day-lost = { $hexes }マスで勝てず
daily-day-begun = 始めたが終えていない
daily-day-none = 遊んでいない
daily-check = サイコロを確かめる
daily-seal-why = 1日分のサイコロは、すべて1つの秘密の値から決まります。そのSHA-256は前日に公開され、秘密の値そのものは、その日の対局が記録に残らなくなった時点で公開されます。
daily-openly = 別のブラウザで先に遊んだ人は、記録に残る対局のサイコロをあらかじめ知ることになります。それを防ぐ手段はありません。
daily-late = このサーバーは当日に起動したため、SHA-256は前日には公開されませんでした。
daily-next = 明日
daily-seed = シード
daily-salt = ソルト
daily-opens = シードとソルトは、この日の対局が記録に残らなくなる{ $over }以降、ここに表示されます。
daily-table = 数字の表
time-left = { $hours }時間{ $minutes }分
time-left-minutes = { $minutes }分
time-utc = （UTC { $time }）
time-local = （現地時間で{ $day }の{ $time }）
start-day-people = 配置もサイコロもみんな同じです。{ $people ->
    [0] まだだれも遊んでいません。一番乗りしましょう。
   *[other] 今日は{ $people }人が遊びました。
  }
start-day-play = 今日の盤で遊ぶ
start-day-result = 結果を見る
start-day-won = { $hexes }マスで勝ち
start-day-lost = { $hexes }マスで負け
start-next = 次の盤と問題
