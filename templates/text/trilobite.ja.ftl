# The words of Trilobite, in Japanese.

# Players
players-chips = { $place ->
    [head] コマ
   *[within] コマ|{ $count }|個
  }
turn-chip = { $turn }個目のコマ
trilobite = Trilobite

# The board
columns-about = { $width }列、高さ{ $height }。コマはいちばん下の空きに落ち、{ $win }個並べば勝ちです。
column = { $column }列、{ $chips ->
    [0] 空
   *[other] コマ{ $chips }個
  }
column-choose = { $column }列、{ $chips ->
    [0] 空
   *[other] コマ{ $chips }個
  }、コマを落とす
column-chosen = { $column }列、選択中。もう一度選ぶとコマを戻します
column-owners = 下から：{ $owners }
column-full = { $column }列、満杯
table-drop = 落とす

# The prompt
choose-column = 列を選んでください
choose-column-sub = 縦、横、斜めのどれかに{ $win }個並べば勝ちです。
confirm-column = { $column }列に落としますか？
confirm-column-sub = コマは囲みの付いたマスに落ちます。
other-column = ほかの列
drop = { $column }列に落とす

# What happened
log-empty-trilobite = まだ何もありません。コマを落とすとここに並びます。
log-drop = { $who }：|{ $column }|
log-took-back-chip = { $who }が|{ $column }|列の手を取り消しました。

# The end
over-line = { $win }個並べて{ $who }の勝ち（コマ{ $chips }個）
over-line-reason = { $who }の最後のコマで並びがそろいました。
over-chips-won = あなたの勝ち
over-chips-lost = あなたの負け
over-full = 盤面が埋まって引き分け
over-full-reason = だれもそろえられませんでした。
over-resigned-chips = 相手が投了しました。
over-limit-chips = 手数の上限に達しました。

# Notices
notice-column-full = { $column }列は満杯です。
notice-no-such-column = この盤面にその列はありません。

# Start
start-trilobite = 四目並べのTrilobiteで遊ぶ

# The form
form-trilobite = Trilobite
form-trilobite-about = コマは列のいちばん下に落ち、先に並べた人の勝ちです。標準は8×7、四目並べ。
form-width = 列の数
form-height = 高さ
form-win = 並べる数
form-problem-win = 並べる数が盤面の長さを超えています。
form-problem-board = 盤面には1列・1段以上が必要で、列の数と「高さ＋1」を掛けた値は128までです。

# Your games
card-chips = Trilobite、{ $chips ->
    [0] コマはまだなし
   *[other] コマ{ $chips }個
  }

# Rules
rules-trilobite-title = Trilobite
rules-trilobite-text = サイコロをまったく使わない、2人用のもう一つのゲーム。立てた盤面での四目並べです。
rules-trilobite-drop = 満杯でない列にコマを|落とします|。コマはいちばん下の空きに落ちます。
rules-trilobite-line = |4つ並べば|すぐに勝ちです。縦、横、斜めのどれでもかまいません。
rules-trilobite-full = そろわないまま|盤面が埋まれば|引き分けです。
rules-trilobite-size = 標準は8列、1列7マスです。対局を設定するときに、大きさや並べる数を変えられます。

# In the terminal, in the book's words
terminal-help-trilobite = コマは、その列のいちばん下の空きに落ちます。列：

# What the levels do
level-novice-about-trilobite = 「ランダム」と同じく、指せる手のどれかを指します。
level-book-about-trilobite = 『Land of Lisp』の方法で指します。数手先まで読み、まだそろう可能性のある並びを数えます。
level-greedy-about-trilobite = そろえられるならそろえ、相手がそろいそうなら防ぎ、そうでなければ自分の並びがいちばん伸びる列に落とします。応手は考えません。たいていの盤面では「本のとおり」のほうが強いです。
level-steady-about-trilobite = 各列に落とした後の盤面を、狙いとまだそろう並びで評価し、一本道の応手は最後まで進めて、いちばんよさそうな列に落とします。
level-advanced-about-trilobite = あなたの応手と自分の手を、ごく短いあいだ先読みします。
level-champion-about-trilobite = 「名人」と同じ読みに10倍の時間をかけ、2つの探索を並べて行います。

# Settings
set-example-chips = Trilobiteの盤面の一角

# Live pages and keys
key-column = Trilobite：その列にコマを落とす
key-shift = Trilobite：hと同時に。u・n・pも、その文字の列があれば同様
take-back-chip = { $column }列の手を取り消す

# Hints
hint-column = |{ $column }|列
hint-do-drop = { $column }列に落とす
hint-drop = { $column }列に落とす
hint-drop-result = { $result ->
    [wins] { $column }列に落とす：{ $chips }手で勝ち
    [loses] { $column }列に落とす：{ $chips }手で負け
   *[draw] { $column }列に落とす：引き分け
  }
hint-drop-sub = 各列の評価は、列の上に表示されています。
hint-result = { $result ->
    [wins] { $chips }手で勝ち
    [loses] { $chips }手で負け
   *[draw] 引き分け
  }
hint-why-line = { $win }個並びます。
hint-why-stops = { $who }がそろうのを防ぎます。
hint-why-two = 狙いが同時に2つでき、{ $who }は1つしか防げません。
hint-why-forced = { $who }がどう指しても勝てます。
hint-why-lost = どの列でも負けますが、ここがいちばん長く粘れます。
hint-why-draw = 勝てる列はなく、ここなら引き分けに持ち込めます。
hint-why-open-lines = そろう可能性のある並びがいちばん多く残ります。


# The analysis board
analysis-column = { $column }列
analysis-add = 上に{ $who }のコマ
analysis-remove = いちばん上のコマを取り除く

# The review
review-column = { $column }列

trilobite-field-board = マス0から順に、空なら0、あればコマの持ち主1か2。番号は上の行から順に付き、マスcはc / width行、c % width列にあります。
trilobite-field-player = 局面では、次に置くコマの1か2。それ以外ではプレイヤーは0と1で、プレイヤーpのコマはp + 1です。
trilobite-field-last-move = 最後のコマのマス。なければ−1。
trilobite-field-cell = 行動。コマが落ち着くマス、つまりその列でいちばん下の空きマス。

# A game with its numbers
numbers-trilobite = Trilobite、{ $width }×{ $height }、{ $win }目並べ

# Themes of puzzles
puzzle-outcome = { $result ->
    [wins] 勝ち
    [draws] 引き分け
   *[loses] 負け
  }
puzzle-theme-win = 勝つ手
puzzle-task-win = 必ず勝てる列が1つあります。どれでしょう？
puzzle-theme-defence = 唯一の守り
puzzle-task-defence = 1つを除いてどの列も負けます。負けないのはどれでしょう？

# The lesson
learn-threats-name = Trilobiteの狙い
learn-threats-line-title = 4つ並べば勝ち
learn-threats-line-text = あなたは赤です。コマは列のいちばん下の空きに落ちます。
learn-threats-line-task = 自分のコマが4つ並ぶ列を押してください。
learn-threats-line-choice-1 = d列
learn-threats-line-choice-2 = a列
learn-threats-line-reply-1 = 4つ並びました。あなたの勝ちです。
learn-threats-line-reply-2 = 何もそろわず、青にdのすき間をふさがれます。
learn-threats-block-title = 3つ並んだら止める
learn-threats-block-text = 青は3つ並び、あと1個で4つです。
learn-threats-block-task = 落とさなければならない列を押してください。
learn-threats-block-choice-1 = d列
learn-threats-block-choice-2 = f列
learn-threats-block-reply-1 = 正解です。青の並びを止めました。
learn-threats-block-reply-2 = これでは青がdに落として4つ並びます。
learn-threats-double-title = 二重の狙い
learn-threats-double-text = 3つ並んで両端が空いていれば勝ちです。相手がふさげるのは片方だけです。
learn-threats-double-task = 狙いが2つできる列を押してください。
learn-threats-double-choice-1 = b列
learn-threats-double-choice-2 = e列
learn-threats-double-reply-1 = 狙いは1つだけです。aはふさがっているので、青はeで止めます。
learn-threats-double-reply-2 = 正解です。bとfを狙っています。青が止められるのは片方だけです。
learn-threats-prevent-title = 二重の狙いを防ぐ
learn-threats-prevent-text = 青は2つ並び、両側が空いています。あと1個で二重の狙いになります。
learn-threats-prevent-task = それを防ぐ列を押してください。
learn-threats-prevent-choice-1 = a列
learn-threats-prevent-choice-2 = e列
learn-threats-prevent-reply-1 = 離れすぎです。青がeに落とし、bとfを狙います。
learn-threats-prevent-reply-2 = 正解です。並びは左にしか伸びず、そこでまだ止められます。
