# 問題のページ。テーマの文は各ゲームにある。

nav-puzzles = 問題
puzzle = 問題
puzzle-of-the-day = 今日の問題
puzzles-title = 問題
puzzles-lead = 実際の対局から、ひとつの手だけがほかよりずっと良い局面を集めました。その手を見つけてください。
puzzle-your-rating = あなたの問題レーティング：{ $rating }
puzzle-theme-count = { $puzzles }問のうち{ $answered }問に挑戦、最初の答えで正解は{ $solved }問
puzzle-theme-done = このテーマの{ $puzzles }問すべてに挑戦し、{ $solved }問に最初の答えで正解しました。
puzzle-solve = 次の問題を解く
puzzle-turn = あなたは{ $player }で、あなたの番です。
puzzle-rating = レーティング{ $rating }
puzzle-solved-by = 正解率{ $share } %（{ $answers }人）
puzzle-right = 正解：{ $what }
puzzle-wrong = 最善ではありません。より良いのは{ $what }
puzzle-cost = { $what }の損失は|{ $points }ポイント|です。
puzzle-your-answer = （あなたの答え）
puzzle-points = 数字はその後の勝率です。1ポイントは1パーセントです。
puzzle-new-rating = あなたの問題レーティング：{ $rating }（前は{ $before }）。
puzzle-not-stored = ブラウザーがこのサイトのCookieを保存しないため、この解答は記録されず、レーティングも変わりません。
puzzle-next = 次の問題
puzzle-analyse = 検討する
puzzle-line-right = この先の例
puzzle-line-wrong = その手のあとの進行
puzzle-solve-it = 解いてみる
