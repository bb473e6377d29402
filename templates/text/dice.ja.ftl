# The words of Dice of Doom, in Japanese.

# Players
players-hexes = { $place ->
    [head] マス
   *[within] |{ $count }|マス
  }
players-dice = { $place ->
    [head] サイコロ
   *[within] サイコロ|{ $count }|個
  }
players-cluster = { $place ->
    [head] つながり
   *[within] つながり|{ $count }|
  }

# The board
board-about = { $side }×{ $side }マスの盤面。マスには左奥から段ごとに番号が付いています。
hex-yours = あなた
hex = マス{ $hex }、{ $owner }、サイコロ{ $dice }個
hex-choose = マス{ $hex }、{ $owner }、サイコロ{ $dice }個、攻撃元に選ぶ
hex-chosen = マス{ $hex }、{ $owner }、サイコロ{ $dice }個、選択中。もう一度押すとほかのマスを選べます
hex-target = マス{ $hex }、{ $owner }、サイコロ{ $dice }個、攻撃する、成功率{ $odds }%
hex-target-sure = マス{ $hex }、{ $owner }、サイコロ{ $dice }個、攻撃する
hex-neighbours = { $label }。隣は{ $hexes }
table-hex = マス
table-owner = 持ち主
table-dice = サイコロ
table-choose = { $hex }から攻撃
table-neighbours = 隣のマス
table-attack-odds = { $hex }を攻撃、{ $odds }%
table-attack = { $hex }を攻撃
table-back = ほかのマスを選ぶ

# The prompt
choose-source = どこから攻撃しますか？
choose-source-sub = 白い縁のマスから攻撃できます。
choose-source-first = 白い縁のマスから攻撃できます。一度攻撃すれば、ターンを終えられます。
choose-source-last = { $who }には領地が残っていません。{ $who }の番が来ると対局は終わり、マスがいちばん多い人の勝ちです。
choose-target = サイコロ{ $dice }個でどこを攻撃しますか？
choose-target-sub = { $targets ->
    [1] 枠で囲まれたマスを押してください。
   *[other] 枠で囲まれた{ $targets }マスから選んでください。
  }
put-back = ほかのマスを選ぶ
confirm = { $from } → { $to }を攻撃しますか？
confirm-odds = サイコロ{ $attack }個対{ $defend }個。成功率は{ $odds }%です。
confirm-sure = サイコロ{ $attack }個対{ $defend }個。必ず取れます。
attack = 攻撃
other-target = 別の攻撃先
only-end = ターンを終えましょう
only-end-sub = 攻撃できるマスはもうありません。
only-end-game = 対局を終えましょう
end-turn = ターン終了
end-turn-dice = サイコロ+{ $dice }
end-turn-cluster = 最大のつながり{ $cluster }マスの分
end-turn-captured = 取ったサイコロより1個少ない数
attack-buttons = { $from }からの攻撃
attack-button = { $from } → { $to }
attack-button-odds = { $from } → { $to }、{ $odds }%

# The first turn of a first game
first-attack = 白い縁の{ $player ->
    [0] 赤い
    [1] 青い
    [2] 緑の
    [3] 紫の
    [4] 金色の
   *[other] 灰色の
  }マスを選び、次に攻撃する隣のマスを選びましょう。
first-next = 続けて攻撃するか、ターンを終えましょう。終えると、最大のつながりのマスの数だけサイコロが届きます。

# What ending the turn does. Before the name between bars stands the player's glyph.
end-turn-room = サイコロ+{ $dice }（{ $lost }個は置けません）
end-turn-alone = 攻撃できるマスがありません
end-turn-cluster-dice = サイコロ+{ $dice }、最大のつながり{ $cluster }マスの分{ $lost ->
    [0] {""}
   *[other] （{ $lost }個は置けません）
  }
end-turn-captured-dice = サイコロ+{ $dice }、取ったサイコロより1個少ない数{ $lost ->
    [0] {""}
   *[other] （{ $lost }個は置けません）
  }
end-game = 対局を終える
end-game-wins = { $person ->
    [you] あなたの勝ち
   *[other] |{ $who }|の勝ち
  }、{ $most }対{ $least }
end-game-tie = |{ $who }|と{ $hexes }マスで引き分け
end-game-tie-others = { $hexes }マスで引き分け：|{ $who }|
end-game-you-can = { $who }はまだ{ $hexes }マスから攻撃できます。
end-game-no-land = { $who }には領地が残っていません。
end-game-lone-die = { $who }はサイコロ1個だけで、攻撃できません。
end-game-single-dice = { $who }のマスはどれもサイコロ1個で、攻撃できません。
end-game-no-attack = { $who }はどのマスからも攻撃できません。
end-game-quiet = 長いあいだだれも攻撃していません。
tag-stuck = 手詰まり
hex-stuck = マス{ $hex }、{ $owner }、サイコロ{ $dice }個、次の番で手詰まり
end-ask = 対局を終えますか？
end-ask-keep = 攻撃を続ける
end-ask-loses = いま終えると、{ $most }対{ $least }で{ $who }の勝ちです。{ $needed ->
    [0] {""}
   *[other] { $who }からあと{ $needed }マス奪えば、あなたの勝ちになります。
  }
end-ask-tie = いま終えると、{ $who }と{ $hexes }マスずつで引き分けです。{ $needed ->
    [0] {""}
   *[other] { $who }からあと{ $needed }マス奪えば、あなたの勝ちになります。
  }
end-ask-tie-others = いま終えると、{ $hexes }マスずつで引き分けです：{ $who }。

# The dice
roll = 直前の攻撃
roll-captured = 占領
roll-held = 防御
roll-path = { $who }、{ $from } → { $to }
roll-moved = サイコロ{ $dice }個が移動
roll-stays = サイコロ1個が残る
roll-beats = 対
roll-not-over = 対
roll-plain = サイコロ{ $attack }個が{ $defend }個に勝つ
roll-rolling = サイコロ{ $attack }個で{ $defend }個を攻撃
roll-result = { $outcome ->
    [captured] { $attack }対{ $defend }で勝ちました。マスはあなたのものです。
   *[held] { $attack }対{ $defend }で負けました。
  }
roll-faces = { $who }の出目：{ $faces }

# What happened
log-empty-dice = まだ何もありません。攻撃するとここに並びます。
log-attack = { $who }が|{ $from } → { $to }|を攻撃、{ $attack }個対{ $defend }個、合計{ $sumA }対{ $sumD }で|{ $outcome ->
    [captured] 占領
   *[held] 失敗
  }|。
log-attack-plain = { $who }が{ $from }から|{ $to }|を占領、{ $attack }個対{ $defend }個。
log-took-back-attack = { $who }が|{ $from } → { $to }|を取り消しました。
log-took-back-end = { $who }がターン終了を取り消しました。
log-end = { $who }がターン終了、サイコロ|+{ $dice }|。
log-end-none = { $who }がターン終了、新しいサイコロはなし。

# The end
over-one = { $who }の勝ち、{ $hexes }対{ $next }
over-tie = { $who }が{ $hexes }マスずつで引き分け
over-won-by = { over-won-by.margin }の差で勝ち
    .margin = { $n }マス
over-won-all = 全領地を制覇して勝ち
over-lost-by = { over-won-by.margin }の差で負け
over-tied = { $who }と引き分け
over-gave-up = 投了しました
over-no-land = { $who }の番に領地が残っていなかったため、対局は終わりました。{ over-no-land.most }
    .most = マスがいちばん多い人の勝ちです：{ $scores }。
over-one-die = { $hexes ->
    [1] { $who }の番に、たった1マスの領地にサイコロが1個しかなく
   *[other] { $who }の番に、{ $hexes }マスの領地にサイコロが1個ずつしかなく
  }、1個では攻撃できないため、対局は終わりました。{ over-no-land.most }
over-no-neighbour = { $who }の番に、2個以上のサイコロの山がどれもほかの領地に接していなかったため、対局は終わりました。{ over-no-land.most }
over-none-larger = { $who }の番に、隣より高いサイコロの山がなく、数で上回らなければ攻撃できないため、対局は終わりました。{ over-no-land.most }
over-resigned = { $who }が投了したため、対局は終わりました。ほかの人のうち、マスがいちばん多い人の勝ちです：{ $scores }。
over-limit = 手数の上限に達したため、対局は終わりました。{ over-no-land.most }
over-conquered = { $who }が相手の最後のマスを奪ったため、対局は終わりました。
over-quiet = 長いあいだだれも攻撃しなかったため、対局は終わりました。{ over-no-land.most }

# The course of a finished game
course-held = 勢力の推移
course-hexes = マス
course-dice = サイコロ
course-hexes-label = 各プレイヤーのマスの数（ターンごと）
course-dice-label = 各プレイヤーのサイコロの数（ターンごと）
swings = 勝負の分かれ目
swings-about = 押すとその手が開きます
swing-turn = ターン{ $turn }
swing-won = |{ $who }の{ $attack }個が{ $theirs ->
    [you] あなた
   *[other] { $defender }
  }の{ $defend }個に勝ち|、確率{ $odds }%
swing-lost = |{ $who }の{ $attack }個が{ $theirs ->
    [you] あなた
   *[other] { $defender }
  }の{ $defend }個に負け|、確率{ $odds }%
counted = サイコロの集計
counted-rolls = 勝負
counted-won = 勝ち
counted-odds = 期待値
counted-luck = 運
counted-gave = 期待値より{ $n }回多く勝ちました。
counted-took = 期待値より{ $n }回少ない勝ちでした。
counted-even = 期待値どおりの回数だけ勝ちました。
counted-about = 1回の攻撃が1回の勝負です。運は、勝った回数から期待値を引いたものです。

# Notices
notice-not-your-hex = マス{ $hex }はあなたの領地ではありません。
notice-one-die = マス{ $hex }にはサイコロが1個しかなく、攻撃できません。
notice-not-neighbours = マス{ $from }とマス{ $to }は隣り合っていません。
notice-own-target = マス{ $to }はすでにあなたの領地です。
notice-too-few = マス{ $from }のサイコロは、マス{ $to }より多くなければなりません。
notice-nothing-to-pass = ターンを終える前に、一度は攻撃してください。

# 持ち込まれた棋譜の手について
record-not-own-hex = マス{ $hex }はそのプレイヤーの領地ではありません。
record-one-die = マス{ $hex }にはサイコロが1個しかなく、攻撃できません。
record-not-neighbours = マス{ $from }からマス{ $to }へは、隣り合っていないので攻撃できません。
record-own-target = マス{ $to }はすでにそのプレイヤーの領地です。
record-too-few = マス{ $from }は、マス{ $to }を攻撃するにはサイコロが足りません。
record-nothing-to-pass = 一度も攻撃せずにターンを終えることはできません。
notice-no-such-hex = この盤面にそのマスはありません。
notice-no-target = マス{ $hex }から攻撃できる相手はいません。
why-not-yours = そのマスは自分のものではありません。
why-one-die = サイコロ1個では攻撃できません。
why-no-target = そこから攻撃できる相手はいません。
why-far = 選んだマスと隣り合っていません。
why-too-few = 選んだマスのサイコロが足りません。

# Your games
card-turn = { $rules }、{ $side }×{ $side }、ターン{ $turn }
card-plies = { $rules }、{ $side }×{ $side }、{ $plies }手

# The form
form-dice = Dice of Doom
form-rules-v4 = 4人、サイコロを振る（v4）
form-rules-conquest = 制覇、最後の1マスまで
form-rules-v3 = 2人、運なし、5×5（v3）
form-rules-v2 = 2人、運なし、4×4（v2）
form-rules-v1 = 2人、運なし、2×2（v1）
form-about = ルールの違い
form-about-v4 = 第20章。サイコロを振ります。ターンを終えると、最大のつながりのマスの数だけサイコロが届きます。自分の番が来たときに攻撃できない人が出ると終局です。
form-about-conquest = このサイト独自のルール。v4と同じですが、いつでもターンを終えられ、領地のない人は飛ばされ、1人がすべてを手にするまで続きます。
form-about-v3 = 第19章、初めて絵が付いた版。v2と同じで、5×5マスです。
form-about-v2 = 第18章。v1と同じで、4×4マスです。本のコンピューターは4手先まで読み、結果に関わらない手を省きます（アルファ・ベータ法）。
form-about-v1 = 第15章。2人で、1マスにサイコロ3個まで。サイコロは振らず、数が多いほうが勝ちます。ターンを終えると、取ったサイコロが1個減って戻ります。2×2マスなら、本のコンピューターは最後まで読み切ります（ミニマックス法）。
form-usual = { $n }（標準）
form-size = 一辺のマス数
form-size-n = { $n }×{ $n }
form-max-dice = 1マスのサイコロの上限
form-problem-range = 範囲外の数があります。盤面の一辺は2〜8マス、人数は2〜6人、サイコロは2〜8個です。
form-problem-players = プレイヤーの数がマスの数を超えています。
form-problem-deal = どう配っても、最初のプレイヤーが攻撃できません。シードを変えるか、盤面を大きくしてください。

# Rules
rules-lead = あなたの領地はマスに分かれ、その上にサイコロが積まれています。運が向いているうちに隣の領地を奪い、運が尽きる前にターンを終えましょう。
rules-do-title = あなたの番
rules-do-choose = サイコロが2個以上ある自分のマスを|選びます|。攻撃できるマスには白い縁が付いています。
rules-do-attack = 隣を|攻撃します|。両者がサイコロを全部振り、合計が上回れば成功です。同じなら防御側の勝ちです。
rules-do-won = |成功：|1個が残り、ほかはすべて移動します。そこにあったサイコロはなくなります。
rules-do-lost = |失敗：|1個が残り、ほかはなくなります。守った側はそのままです。
rules-do-again = 攻撃は何度でもできます。一度でも攻撃すれば、|ターンを終えられます|。
rules-odds-title = 成功率
rules-odds-text = マスを奪える確率（パーセント）。
rules-odds-caption = 行：あなたのサイコロ。列：相手のサイコロ。
rules-odds-attack = あなた
rules-odds-theirs = 相手{ $dice }個
rules-new-title = 新しいサイコロの届き方
rules-new-text = ターンを終えると、|最大のつながり|のマスの数だけサイコロが届きます。つながりとは、隣り合った自分のマスの集まりです。サイコロは左奥から段ごとに、自分のマスへ1個ずつ置かれます。いっぱいのマスは飛ばされ、置けない分は失われます。
rules-new-tip = つまり、領地はつながっているほどサイコロが増えます。真ん中の1マスを奪われるだけで、届く数が半分になることもあります。
rules-end-title = 終局
rules-end-text = 自分の番が来たときに攻撃できない人が出ると、その時点で全員の対局が終わります。|マスがいちばん多い|人の勝ちで、同数なら引き分けです。
rules-end-stuck = その人は|手詰まり|です。領地がないか、サイコロが2個以上あるマスがどれもほかの人の領地に接していません。「|ターン終了|」のボタンは前もって「|対局を終える|」に変わり、だれが勝つかを示します。
rules-presets-title = ほかのルール
rules-plain-title = 運のない版：v1〜v3
rules-plain-text = 本に先に出てくるゲームは、領地もターンも同じですが、|サイコロを振りません|。
rules-plain-win = |サイコロの多いほうが勝ちます。|3個は2個や1個に勝ち、相手も3個なら攻撃すらできません。
rules-plain-back = ターンを終えると、|取ったサイコロが1個減って戻ります|。そのターンに奪ったマスにあったサイコロの数より1個少ない数です。
rules-plain-two = |2人用|で、1マスにサイコロ3個まで。v1は2×2、v2は4×4、v3は5×5マスです。
rules-plain-computer = 本のコンピューターは、v1を|ミニマックス法|で最後まで読み、v2とv3を|アルファ・ベータ法|で4手先まで読みます。

# Pictures of the rules
lesson-attack = 赤の4個の山を選んだところ。隣のマスに、奪える確率が表示されます。
lesson-attack-board = 小さな盤面。赤の4個の山が選ばれ、隣のマスに成功率が出ています。相手が1個なら99.7%、2個なら94%、3個なら74%、4個なら46%、5個なら22%。
lesson-dice = 赤の最大のつながりは、枠で囲まれた4マスなので、4個届きます。サイコロは左奥から順に赤のマスに置かれ、つながりの外のマスにも置かれます。
lesson-dice-board = 小さな盤面。赤の4マスがつながり、囲まれています。左奥から赤の4マスに1個ずつ届いています。
lesson-stuck = 赤はどのマスもサイコロ1個で、手詰まりです。この形で赤の番が来ると全員の対局が終わり、マスを数えます。
lesson-stuck-board = 小さな盤面。赤の3マスに、サイコロが1個ずつあります。

# The book's page
book-title = 本のままのDice of Doom
book-welcome = DICE OF DOOMへようこそ！
book-choose = 移動元のマスを選んでください：
book-destination = 移動先を選んでください：
book-cancelled = 移動を取り消しました。
book-rolled = サイコロ{ $attackDice }個の合計は{ $attackSum }。相手の{ $defendDice }個の合計は{ $defendSum }。
book-may-pass = |パス|するか、続けて移動できます：
book-reinforced = サイコロが補充されました。
book-computer = コンピューターが手を進めました。
book-thinking = コンピューターが考えています。
book-pass = パス
book-continue = 続ける
book-again = もう一度遊ぶ
book-leave = 同じゲームを、すべての機能付きで遊ぶ

# In the terminal, in the book's words
terminal-end-turn = ターン終了
terminal-help-dice = 盤面の「a-3」は、プレイヤーaのサイコロ3個のマスです。「0 -> 3」は、マス0からマス3への攻撃です。マスの番号：

# Without odds
confirm-plain = サイコロ{ $attack }個対{ $defend }個。

# Settings
set-example-dice = 小さな盤面：サイコロ4個の山が選ばれ、周りの6マスを攻撃できます

# Live pages and keys
key-turn = Dice of Doom：ターン終了

# Since the reader's last turn
since = { $who }の前回のターンから
since-start = 開始から
since-striped = しま模様のマスは{ $who }の領地でした。
since-kept = { $who }のマスはどれも奪われていません。
since-hexes = |−{ $n }|マス
since-dice = サイコロ|+{ $n }|{ $fell ->
    [0] {""}
   *[other] 、失った数|{ $fell }|
  }
since-took = |{ $who }|が{ $hexes }マス奪取
since-taken-hexes = ：マス{ $hexes }
since-again = もう一度見る
since-close = この表示を閉じる

# Hints
hint-attack = |{ $from } → { $to }|（{ $attack }個対{ $defend }個）
hint-end = |ターン終了|
hint-do-attack = { $from } → { $to }を攻撃
hint-take = マス{ $to }を取る
hint-take-odds = マス{ $from }から、サイコロ{ $attack }個対{ $defend }個で攻撃します。成功率は{ $odds }%です。
hint-take-sure = マス{ $from }から、サイコロ{ $attack }個対{ $defend }個で攻撃します。
hint-end-turn = ターンを終える
hint-end-game = 対局を終える
hint-end-game-sub = ターンを終えると対局も終わります。結果はボタンに表示されています。
hint-end-turn-sub = { $dice ->
    [0] いまサイコロは届きませんが、どの攻撃も得より損が大きくなります。
   *[other] いまサイコロが{ $dice }個届きます。
  }
hint-why-wins = 対局が終わり、あなたの勝ちです。
hint-why-only = ほかにできることがありません。
hint-why-odds = 成功率が{ $odds }%を超える攻撃がありません。
hint-why-rest = どの攻撃も、得より危険のほうが大きくなります。
hint-why-open = { $from } → { $to }だと、マス{ $hex }が{ $who }のサイコロ{ $dice }個に狙われます。
hint-why-last = { $who }にほかのマスはなく、対局から脱落します。
hint-why-ends = { $result ->
    [wins] そのあとターンを終えると対局が終わり、あなたの勝ちです。
   *[other] そのあとターンを終えると対局が終わり、新しいサイコロではなくマスの数で勝敗が決まります。
  }
hint-why-joins = 領地がつながって{ $cluster }マスになり、ターンを終えるとその分サイコロが届きます。
hint-why-splits = { $who }の領地を分断し、最大のつながりを{ $before }マスから{ $after }マスに減らします。
hint-why-threat = マス{ $hex }を脅かす{ $who }のサイコロ{ $dice }個を取ります。
hint-why-grows = 最大のつながりが{ $cluster }マスに広がります。
hint-why-safe = 前より多くのサイコロに狙われるマスは、一つもできません。
hint-why-best = これより有利になる手はありません。

# Moves that are taken back
take-back-attack = { $from } → { $to }を取り消す
take-back-end = ターン終了を取り消す


# The analysis board
analysis-hex-owner = マス{ $hex }の持ち主
analysis-hex-dice = サイコロの数
analysis-dice = { $dice }個
analysis-captured = 占領、{ $odds }%
analysis-fails = 失敗、{ $odds }%

# The review
review-attack = { $place ->
    [state] { $attack }個対{ $defend }個
   *[other] { $attack }個対{ $defend }個（{ $from } → { $to }）
  }
review-end-turn = ターン終了

dice-field-board = マス0から順に、各マスの持ち主とサイコロの数。番号は上の行から順に付き、マスhはh / size行、h % size列にあります。各行は上の行より半マス左にずれています。
dice-field-neighbors = 対局の応答に入る、マス0から順の、各マスに隣り合うマス。
dice-field-player = 手番のプレイヤー。
dice-field-spare = このターンで攻撃されたマスにあったサイコロの数。
dice-field-first-move = このターンでまだ攻撃していないか。そのあいだは、|conquest|を除き、ターンを終えられません。
dice-field-quiet = 攻撃なしで終わったターンが続いた数。多すぎると|conquest|は終わります。ほかのルールにはありません。
dice-field-path = 行動。|[from, to]|は攻撃、|null|はターン終了。

# A game with its numbers
numbers-dice = Dice of Doom、{ $rules ->
    [conquest] 制覇
   *[other] { $rules }
  }、{ $side }×{ $side }、{ $players }人

# What the strong levels do: where a neural network knows the board, and elsewhere
levels-at-dice-net = ニューラルネットワークが知っている盤面では：
levels-at-dice = それ以外の盤面では：
level-advanced-about-dice-net = 一手先を見て、小さなニューラルネットワークと「堅実」の評価を合わせて手を決めます。
level-expert-about-dice-net = たくさんの対局で学んだ小さなニューラルネットワークが一手先を見て、いちばんよいと思う手を指します。
level-master-about-dice-net = 同じニューラルネットワークで、相手のこれまでの指し方も考えに入れ、もっと先まで少しのあいだ先読みします。
level-champion-about-dice-net = 「名人」と同じ読みに、ずっと長い時間をかけます。
level-advanced-about-dice = この盤面を知るニューラルネットワークがないので、全員の応手をごく短いあいだ先読みし、人が作った評価で判断します。

# The first lesson
learn-rules-source-title = マスを選ぶ
learn-rules-source-text = あなたは赤です。どのマスにも持ち主とサイコロがあります。サイコロが2個以上あるマスから攻撃できます。
learn-rules-source-task = 攻撃できる赤いマスを押してください。
learn-rules-source-choice-1 = サイコロ3個のマス
learn-rules-source-choice-2 = サイコロ1個のマス
learn-rules-source-reply-1 = 正解です。サイコロが3個あれば、隣のマスを攻撃できます。
learn-rules-source-reply-2 = サイコロ1個では攻撃できません。1個は必ずマスに残ります。
learn-rules-attack-title = 隣を攻撃する
learn-rules-attack-text = サイコロ3個のマスを選びました。それに接している青いマスを攻撃できます。
learn-rules-attack-task = 攻撃できる青いマスを押してください。
learn-rules-attack-choice-1 = サイコロ1個の青いマス
learn-rules-attack-choice-2 = サイコロ2個の青いマス
learn-rules-attack-reply-1 = 勝ちました。両者がサイコロをすべて振り、合計が大きいほうの勝ちです。1個を残してサイコロが移り、マスはあなたのものになります。
learn-rules-attack-reply-2 = そのマスはあなたのマスに接していません。
learn-rules-odds-title = まず成功率を見る
learn-rules-odds-text = マスに出ている%の数字が、攻撃の成功率です。
learn-rules-odds-task = 勝ちやすいほうの青いマスを押してください。
learn-rules-odds-choice-1 = サイコロ1個を攻撃
learn-rules-odds-choice-2 = サイコロ3個を攻撃
learn-rules-odds-reply-1 = 勝ちました。ほとんどいつもこうなります。攻撃に負けると、マスにはサイコロが1個しか残りません。同点も負けです。
learn-rules-odds-reply-2 = 負けました。半分以上はこうなります。あなたのマスにはサイコロが1個しか残りません。同点も負けです。
learn-rules-cluster-title = マスをつなげる
learn-rules-cluster-text = ターンを終えると、最大のつながり（隣り合った自分のマスの集まり）のマスの数だけ、新しいサイコロが届きます。置き場所は自動で決まります。
learn-rules-cluster-task = 2つのつながりを1つにする攻撃を押してください。
learn-rules-cluster-choice-1 = 奥を攻撃
learn-rules-cluster-choice-2 = 真ん中を攻撃
learn-rules-cluster-reply-1 = 勝ちましたが、つながりは離れたままです。大きいほうは3マスなので、届くサイコロは3個だけです。
learn-rules-cluster-reply-2 = 正解です。6マスが一つにつながり、サイコロが6個届きます。
learn-rules-stop-title = やめどきを知る
learn-rules-stop-text = 一度攻撃したあとは、何度でも攻撃でき、いつでもターンを終えられます。
learn-rules-stop-task = 残っているのは成功率の低い攻撃だけです。どうしますか？
learn-rules-stop-choice-1 = 攻撃する
learn-rules-stop-choice-2 = ターンを終える
learn-rules-stop-reply-1 = 負けました。ほとんどいつもこうなります。マスにはサイコロが1個しか残らず、青に取られかねません。
learn-rules-stop-reply-2 = 正解です。6マスのつながりの分、サイコロが6個届き、青の番にはそれが守りになります。
learn-rules-stuck-title = 手詰まりの人が出たら終局
learn-rules-stuck-text = 自分の番が来たときに攻撃できない人が出ると、対局は終わります。マスがいちばん多い人の勝ちです。
learn-rules-stuck-task = 青のサイコロはどのマスも1個ですが、青は9マス中5マスを持っています。どうしますか？
learn-rules-stuck-choice-1 = 攻撃する
learn-rules-stuck-choice-2 = ターンを終える
learn-rules-stuck-reply-1 = 正解です。これであなたが5マスです。ターンを終えれば青は手詰まりで、あなたの勝ちです。
learn-rules-stuck-reply-2 = 青は手詰まりなので、対局は終わりです。でも青が5マス、あなたは4マスなので、あなたの負けです。

# Puzzles
puzzle-attack = { $who }を攻撃、{ $from } → { $to }
puzzle-attack-dice = あなたのサイコロ{ $attack }個対{ $defend }個
puzzle-end = ターン終了
puzzle-end-dice = { $dice ->
    [0] 新しいサイコロなし
   *[other] 新しいサイコロ{ $dice }個
  }
puzzle-end-game = 対局が終わる

# Themes of puzzles
puzzle-theme-stop = 攻撃か終了か
puzzle-task-stop = 攻撃を続けるか、ターンを終えるか。対局に勝つ見込みが最も高い手を選んでください。
puzzle-theme-attack = どの攻撃か
puzzle-task-attack = 対局に勝つ見込みが最も高い手を選んでください。
puzzle-theme-opponent = だれを攻撃するか
puzzle-task-opponent = 攻撃できる相手が何人かいます。対局に勝つ見込みが最も高い手を選んでください。
learn-odds-name = 成功率の高い攻撃をする
learn-odds-compare-title = まずサイコロの数を比べる
learn-odds-compare-text = 3個のマスから、2個のマスと3個のマスを攻撃できます。サイコロ1個の差で、成功率は大きく変わります。
learn-odds-compare-task = 成功しやすいほうの攻撃を押してください。
learn-odds-compare-choice-1 = サイコロ2個を攻撃
learn-odds-compare-choice-2 = サイコロ3個を攻撃
learn-odds-compare-reply-1 = 正解です。3個対2個は100回中78回成功し、奪ったマスは自分のつながりに加わります。
learn-odds-compare-reply-2 = 負けました。このような攻撃は100回中55回失敗します。マスにはサイコロが1個しか残らず、青に取られかねません。
learn-odds-equal-title = 同じ数での攻撃は不利
learn-odds-equal-text = 同点は負けなので、同じ数では成功率が50%に届きません。このターンはもう攻撃したので、終えることもできます。
learn-odds-equal-task = 残る攻撃でいちばんよいのは3個対3個です。どうしますか？
learn-odds-equal-choice-1 = 攻撃する
learn-odds-equal-choice-2 = ターンを終える
learn-odds-equal-reply-1 = 負けました。3個のサイコロは1個になり、隣にいる青の3個にほぼ確実に取られます。
learn-odds-equal-reply-2 = 正解です。つながりの分だけサイコロが届き、青は自分から攻めるしかなくなります。
learn-odds-forced-title = どの攻撃も成功率が低いとき
learn-odds-forced-text = ターンの最初の攻撃は省けません。そのときは、成功率がいちばん高く、役に立つマスを選びます。
learn-odds-forced-task = よいほうの攻撃を押してください。
learn-odds-forced-choice-1 = サイコロ2個を攻撃
learn-odds-forced-choice-2 = サイコロ3個を攻撃
learn-odds-forced-reply-1 = 正解です。44%は低いですが、ほかよりましです。今回は勝って、マスが一つにつながりました。
learn-odds-forced-reply-2 = 負けました。ほとんどいつもこうなります。2個対3個は100回中15回しか成功しません。
learn-stop-name = 早すぎず遅すぎず終える
learn-stop-early-title = 早く終えすぎない
learn-stop-early-text = 最大のつながりの1マスごとに、新しいサイコロが1個届きます。だから、安全な攻撃ならもう一度する価値があります。
learn-stop-early-task = 一度攻撃しました。次はどうしますか？
learn-stop-early-choice-1 = もう一度攻撃する
learn-stop-early-choice-2 = ターンを終える
learn-stop-early-reply-1 = 正解です。ほとんどいつも勝てる攻撃です。つながりは6マスになり、サイコロが6個届きます。
learn-stop-early-reply-2 = つながりは6マスではなく5マスのままで、強い4個のサイコロも使わずじまいです。
learn-stop-late-title = 遅く終えすぎない
learn-stop-late-text = 成功率の高い攻撃が1つ残っています。でもその3個は、青の4個からあなたを守る最後のサイコロです。
learn-stop-late-task = 3個対2個です。攻撃しますか、それともターンを終えますか？
learn-stop-late-choice-1 = 攻撃する
learn-stop-late-choice-2 = ターンを終える
learn-stop-late-reply-1 = 勝ちましたが、サイコロが散らばりました。青の4個にマスを次々と取られてしまいます。
learn-stop-late-reply-2 = 正解です。3個は1か所に残り、新しいサイコロも加わります。攻撃していたら、対局に勝つ見込みは半分になるところでした。
learn-border-name = 境界を守る
learn-border-threat-title = 青はどこを攻撃できるか
learn-border-threat-text = サイコロ1個のマスは取られやすいものですが、それは隣にサイコロ2個以上の相手がいるときだけです。
learn-border-threat-task = 危ない赤いマスを押してください。
learn-border-threat-choice-1 = 真ん中の段のサイコロ1個
learn-border-threat-choice-2 = 手前の段のサイコロ1個
learn-border-threat-reply-1 = 正解です。隣にいる青の4個は、ここを攻撃すればほとんどいつも勝ちます。
learn-border-threat-reply-2 = 青いマスと接していないので、攻撃されません。
learn-border-choose-title = 後方から攻撃する
learn-border-choose-text = 攻撃元のマスにはサイコロが1個だけ残ります。ここではどちらの攻撃も成功率は同じです。
learn-border-choose-task = 青の隣に弱いマスを残さない攻撃を押してください。
learn-border-choose-choice-1 = 手前の段を攻撃
learn-border-choose-choice-2 = 真ん中の段を攻撃
learn-border-choose-reply-1 = 正解です。1個が残るのは角で、隣に相手はいません。
learn-border-choose-reply-2 = 勝ちましたが、攻撃元のマスはサイコロ1個で、すぐ隣に青の3個がいます。
learn-border-hold-title = 守りを残す
learn-border-hold-text = ターンの終わりに届くサイコロは境界を強くします。境界から攻撃すると、その前に境界が弱くなります。
learn-border-hold-task = 2個対1個で、成功率は十分です。どうしますか？
learn-border-hold-choice-1 = 攻撃する
learn-border-hold-choice-2 = ターンを終える
learn-border-hold-reply-1 = 勝ちましたが、つながりの境界で、青の4個の隣がサイコロ1個になりました。
learn-border-hold-reply-2 = 正解です。守りはそのままで、新しいサイコロが加わります。
learn-cluster-name = マスをひとつながりに保つ
learn-cluster-count-title = どのつながりが数えられるか
learn-cluster-count-text = ターンを終えると、最大のつながりの1マスごとに新しいサイコロが1個届きます。数えるのはマスで、サイコロではありません。
learn-cluster-count-task = 届くサイコロの数を決めるつながりのマスを押してください。
learn-cluster-count-choice-1 = 角のサイコロ3個のマス
learn-cluster-count-choice-2 = 真ん中の段のサイコロ1個のマス
learn-cluster-count-reply-1 = そのマスは孤立しています。1マスのつながりで届くサイコロは1個です。
learn-cluster-count-reply-2 = 正解です。3マスがつながっているので、サイコロが3個届きます。
learn-cluster-join-title = 離れたマスをつなぐ
learn-cluster-join-text = 小さなつながり2つより、大きなつながり1つのほうが、サイコロが多く届きます。少しの危険を冒す価値があります。
learn-cluster-join-task = マスをつなぐ攻撃を押してください。
learn-cluster-join-choice-1 = サイコロ1個を攻撃
learn-cluster-join-choice-2 = サイコロ3個を攻撃
learn-cluster-join-reply-1 = 勝ちましたが、マスは離れたままで、最大のつながりは3マスです。
learn-cluster-join-reply-2 = 正解です。5マスのつながりになり、届くサイコロは3個ではなく5個です。
learn-cluster-cut-title = 相手のつながりを断つ
learn-cluster-cut-text = 相手にも同じことが言えます。つながりが断たれると、届くサイコロが減ります。
learn-cluster-cut-task = 青の最大のつながりは奥の段です。それを断つ攻撃を押してください。
learn-cluster-cut-choice-1 = 奥の段を攻撃
learn-cluster-cut-choice-2 = 手前の段を攻撃
learn-cluster-cut-reply-1 = 正解です。青いマスはどれも孤立し、青に届くのは3個ではなく1個です。
learn-cluster-cut-reply-2 = 勝ちましたが、青の奥の段はつながったままで、サイコロが3個届きます。

# 対局のあとのレッスン
advice-odds = 成功率50%未満の攻撃を{ $n }回し、{ $failed ->
    [0] 失敗はありませんでした
   *[other] { $failed }回失敗しました
  }。
advice-cluster = 3分の1を超えるマスが最大のつながりの外にあるまま、{ $n }回ターンを終えました。
advice-stop = 成功率75%以上の攻撃を残したまま、{ $n }回ターンを終えました。
advice-border = サイコロが1個しかないマスを{ $n }回取られました。
