# The review of a finished game, in Japanese.

# ---- before it is made ----
review = 検討
review-over = 対局を検討
review-ask-title = どこまでが運で、どこからが腕前か
review-ask-title-sure = 勝負の分かれ目はどこか
review-ask-lead = 検討では、対局のすべての判断について、それがどれだけ損だったか、サイコロが何をもたらしたかを調べます。
review-ask-lead-sure = 検討では、対局のすべての判断について、それがどれだけ損だったかを調べます。
review-ask = この対局を検討する
review-back = 対局に戻る
review-wait-title = 対局を検討しています
review-wait-lead = いちばん強いレベルの読みですべての判断を調べ、損の大きかったものはさらに詳しく調べます。
review-wait-come = { $of }件の判断のうち{ $done }件を調べました。
review-wait-about = ページを離れても続きます。できあがると、このページに表示されます。
review-look-again = 更新

# ---- the headline; "luck" is gave, cost or even; "dice" are points ----
review-accuracy = { $person ->
    [you] 正確さ{ $percent }
   *[other] { $who }の正確さ{ $percent }
  }
review-average = 最近検討した{ $games }局の平均は{ $percent }です（棒の線）。
review-best-each = 勝率のうち、判断によって失わずに済んだ割合です。毎回最善の判断なら100%です。
review-accuracy-about = ポイントはすべての判断の合計、正確さは平均です。勝率の高い人は、正確さが高くても多くのポイントを失うことがあります。
review-luck-point = { $luck ->
    [gave] { $who }はサイコロで{ $dice }ポイント得をしました
    [cost] { $who }はサイコロで{ $dice }ポイント損をしました
   *[even] { $who }のサイコロは損得なしでした
  }（1ポイントは勝率の1%です）。
review-lead-one = { $plies }手で{ $who }の勝ちでした。
review-lead-tie = { $plies }手で{ $who }の引き分けでした。
review-lead-draw = { $plies }手で引き分けでした。
review-point = 1ポイントは勝率の1%です。
review-replay = 再生
review-sides = だれの視点か

# ---- the chance of winning ----
review-chances = 勝率
review-chances-label = 各プレイヤーの勝率の推移
review-ply-0 = 開始
review-percent = { $n }%
review-table = 表で見る
review-ply = 手
review-who = 判断した人
review-start = 開始時点
review-decision = 判断
review-luck = 運

# ---- luck apart from skill; a bar marks where a label may break ----
review-apart = 運と腕前を分けて見る
review-decisions-title = どこで動いたか
review-became = { $start }%が{ $end }%になるまで
review-at-start = 開始|時点
review-own-dice = { $person ->
    [you] あなたの|サイコロ
   *[other] 自分の|サイコロ
  }
review-own-decisions = { $person ->
    [you] あなたの|判断
   *[other] 自分の|判断
  }
review-others-decisions = 相手の|判断
review-others-dice = 相手の|サイコロ
review-at-end = 終局|時点

# ---- the dice ----
review-dice = { $who }のサイコロ{ $n }個
review-sixes = 6の目が{ $n }回（期待値は{ $expected }回）
review-face = { $face }の目が{ $n }回
review-each = 各{ $n }回

# ---- decisions; "place" is head where the words stand alone, and within in a sentence ----
review-none = 2ポイントを超える損をした判断はありません。
review-through = { $n ->
    [1] 悪手を見る
   *[other] { $n }件の悪手を見ていく
  }
review-play-again = もう一局
review-best-title = { $n ->
    [1] いちばんよい判断
   *[other] よい判断{ $n }件
  }
review-mistakes-title = 悪手{ $n }件
review-swing-title = 不運な出目
review-points = { $signed }ポイント
review-best-line = { $ply }手目。次によいのは{ $other }でした。
review-mistake-line = { $ply }手目。{ $other }のほうが得でした。
review-swing-line = { $who }の{ $ply }手目。このような出目の確率は{ $chance }でした。不運であって、悪手ではありません。
review-look = 見る
review-cost = { $ply }手目：{ $played }は{ $share }のうち{ $points }ポイントの損。{ $better }のほうが得でした。
review-gave-up = 投了
review-action = { $action }

# ---- a decision on its own page ----
review-mistake-of = 悪手{ $n }/{ $all }：{ $points }ポイントの損
review-best-of = よい判断{ $n }/{ $all }：{ $points }ポイントの得
review-better = よりよい手：{ $action }
review-well-played = 好手：{ $action }
review-played = 実際の手：{ $action }。{ $ply }手目。
review-next-best = 次によい手：{ $action }。{ $ply }手目。
review-with-odds = { $action }、成功率{ $odds }
review-mark = { $mark }
review-mark-better = よりよい手
review-mark-played = 実際の手
review-mark-next = 次によい手
review-decisions = 判断
review-previous-mistake = 前の悪手
review-next-mistake = 次の悪手
review-previous-best = 前の判断
review-next-best-decision = 次の判断
review-try = 自分でやってみる
review-to-review = 検討に戻る

# ---- players ----
review-accounts = 全員の運と判断
review-player = プレイヤー
review-luck-points = 自分のサイコロ（ポイント）
review-decision-points = 自分の判断（ポイント）
review-sum-about = 開始時の勝率に、サイコロと判断による増減をすべて足すと結果になります。
review-luck-about = どの出目も運の期待値はゼロなので、残ったものが運です。

# ---- by whom ----
review-details = 詳細
review-by = { $level }の読み（一手につき{ $simulations }回以上のシミュレーション）と評価関数{ $version }による検討です。
review-outdated = その後、レベルの評価関数が変わったため、いまなら別の結果になります。
review-again = 検討し直す
