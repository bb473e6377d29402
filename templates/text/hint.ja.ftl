# Hints: what the actions of a position are worth; in Japanese.

hint = ヒント
hint-ask = ヒント
hint-close = ヒントを閉じる
hint-thinking = コンピューターがすべての手を調べています。
# A row of the list, as it is read aloud.
hint-row = { $rank }：{ $what }
hint-row-chance = { $rank }：{ $what }、勝率{ $share }
hint-row-odds = 攻撃の成功率{ $odds }
hint-chance = その手を指した後の勝率
hint-exact = 最後まで読み切った結果
hint-all = { $count }手すべてを表示
hint-made = { $thousands ->
    [60] 6万回先読みしました。
    [160] 16万回先読みしました。
   *[other] { $thousands }000回先読みしました。
  }
hint-first = ヒントの第一候補
hint-sure = 確実
hint-off = 人どうしが対戦しているため、このテーブルではヒントを使えません。
hint-for-all = このテーブルでは、全員がヒントを使えます。
form-hints = 人どうしの対戦でも全員がヒントを使える（待ったなしのテーブルを除く）
key-hint = ヒント


# The analysis board
analysis-action = |{ $action }|
analysis-outcome = 結果{ $number }、{ $odds }%
analysis = 検討盤
analysis-ask = 検討盤で調べる
analysis-what-if = 別の手なら？
analysis-sub = 盤上の場所を選んで変えるか、次の手を選んでください。
analysis-to-move = { $who }の番
analysis-edit = 局面を変える
analysis-turn = だれの番か
analysis-player = { $who }
analysis-deal = 別の盤面
analysis-worth = 勝率
analysis-over = ここで終局です。
analysis-line = 変化手順
analysis-start = 開始局面
analysis-next = { $who }：次の最善手
analysis-back = 一手戻す
analysis-share = この局面へのリンク
