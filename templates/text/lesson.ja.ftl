# The pages of lessons; the texts of their steps are those of the games.

lesson-step = { $steps }問中{ $step }問目
lesson-next = 次へ
lesson-tried = 試した手
lesson-set-back = 盤面は元に戻りました。
lesson-other = もう一方を選んでください。
rolling-odds = { $rolling }：{ $odds }%
lesson-back = 戻る
lesson-left = あと約{ $minutes }分
lesson-skip = レッスンを飛ばす
lesson-all = すべてのレッスン
lesson-more = ほかのレッスン
lesson-steps = { $steps }問
lesson-end-other = このレッスンはこれで終わりです。同じような場面は対局のたびに現れます。
lesson-end-title = これで遊べます
lesson-end-text = 次は4人で、ルールは同じです。成功率の高いところを攻め、自分のマスをひとつながりに保ち、ちょうどよいところで切り上げましょう。
lesson-all-rules = ルールを1ページで読む
nav-learn = 学ぶ
start-lesson = 3分で覚える
start-lesson-about = 実際の盤面で、少しずつ。
start-lesson-start = レッスンを始める
