# The words of the platform, in Japanese; docs/languages.md lists the words to use.

site-name = Dice of Doom
site-about = 『Land of Lisp』に登場する、領地と運のゲーム。コンピューターとも友だちとも、登録なしで遊べます。
nav-site = サイト
nav-play = 遊ぶ
nav-rules = ルール
skip = 本文へ
footer-book = 本のページ
footer-api = プログラム向け
footer-words = 『Land of Lisp』のゲームに基づく

# Players
player-0 = 赤
player-1 = 青
player-2 = 緑
player-3 = 紫
player-4 = 金
player-5 = 灰
# The cases of a colour's name, by the number of its player; none where a language has none. FORM($who, case: "…")
# says them in sentences, and none for every name that somebody typed.
player-form = { $case ->
   *[other] { $player ->
       *[other] none
      }
  }
you = あなた
you-within = あなた
# Lists: "Red, Blue and Green" is the first of them, more within it and the last; "Red 5, Blue 3" has no last.
list-more = { $thing }、{ $more }
list-last = { $thing }、{ $more }
# What stands between two sentences, after a sentence without its own end, and between a label and its value.
sentence-gap = {""}
sentence-end = 。
label-colon = ：
list-score = { $who } { $n }
odds = { $odds }%
who-you-too = こちらもあなた
who-person = 人
who-program = プログラム
who-level = コンピューター・{ $level }
who-former = コンピューター（前は{ $who }）
your-turn = あなたの番
their-turn = { $who }の番
to-move = 手番
winner = 勝者
winner-who = 勝者・{ $who }
players = プレイヤー
turn = ターン{ $turn }
level-book = 本のとおり
level-novice = 初心者
level-random = ランダム
level-greedy = 欲ばり
level-steady = 堅実
level-advanced = 上級
level-expert = 達人
level-master = 名人
level-champion = 王者
level-perfect = 完璧
level-human = あなた、またはそばにいる人

# The board
board = 盤面
board-over = 終局図
board-hero = 対局中の盤面
table = 盤面の表
table-row = 段
table-empty = 空き
table-do = できること

# The prompt
thinking = { $who }が考えています
thinking-sub = 手は一手ずつ表示されます。
thinking-soon = { $who }は順番待ちです
thinking-ahead = コンピューターが混み合っています。先に、ほかの対局が{ $n }件あります。
waiting = { $who }の番です
waiting-sub = 手が指されると、このページが更新されます。
watching = { $who }の番
watching-sub = この対局を観戦しています。
watching-tag = 観戦中
others-first = あなたの最初の番までに{ $moves }手進みました。経過で確認できます。
look-again = 更新
replay = { $ply }手目（全{ $newest }手）
replay-sub = その時点の局面です。
replay-back = 対局に戻る
replay-back-turn = 自分の番に戻る
replay-end = 終局へ
resign = 投了
resign-sure = この対局を投了する

# What happened
log = 経過
watchers = |{ $count }|人が観戦中
log-empty = まだ何もありません。手が進むとここに並びます。
log-start = 開始時の盤面です。まだ何も起きていません。
log-all = 経過の全体
log-title = 対局の全経過
log-back = 盤面に戻る
log-resigned = { $who }が投了。
log-joined = |{ $who }|が参加しました。
log-joined-you = |あなた|が参加しました。
log-left = |{ $who }が席を立ちました。|あとはコンピューターが指します。
departed-alone = このままコンピューターと続けることも、ここで終えることもできます。
departed-ok = OK
log-limit = 手数の上限に達しました。
plies = 再生
ply-first = 最初の局面
ply-prev = 一手戻る
ply-next = 一手進む
ply-last = 最新の局面
record = 棋譜
picture = 画像

# The end
over-tag = { $plies }手で終局
over-won = { $who }の勝ち
over-draw = 引き分け
rematch = もう一局
new-game = 新しい対局
graph-start = 開始
graph-turns = ターン
graph-turn = ターン
graph-table = 表で見る
replay-watch = 一手ずつ見る
record-download = 棋譜をダウンロード
record-text = 棋譜（テキスト）

# Notices
notice-stale = 対局が先に進んでいたため、何も変更されていません。現在の局面はこちらです。
notice-not-your-turn = あなたの番ではありません。何も変更されていません。
notice-not-your-seat = この対局に席がないため、観戦だけできます。
notice-over = 対局は終わっています。
choose-action = あなたの番です
choose-action-sub = 下から手を選んでください。
log-action = { $who }：{ $action }
won-by = { $who }の勝ち
no-winner = 引き分け
notice-twice = 前の手の直後に押されたため、何もしませんでした。意図した操作なら、もう一度押してください。
notice-no-cookies = ブラウザがこのサイトのCookieを保存しないため、毎回初めての人として扱われます。このアドレスのCookieを許可して、もう一度お試しください。

# Start
start-title = Dice of Doom ― 領地と運のゲーム
start-headline = 運に賭けるか。運に頼らないか。
start-again = 対局する
start-lead = 隣のマスとサイコロで勝負。領地がいちばん広い人の勝ちです。一局はおよそ5分。
start-people = 人と対戦
start-play = 今すぐ遊ぶ
start-setup = 対局を設定する
start-your-turn = あなたの番です
start-goes-on = 対局が続いています
start-continue = 対局の続きへ
start-games = あなたの対局
start-all-games = すべて見る

# What other sites show of a link to a game
card-link = { $game }：{ $who }
card-link-live = { $turn }。進行中の対局を観戦できます。
card-link-over = { $verdict }。一手ずつ振り返れます。

# The game of computers on the start page
onair = |対局中。|{ $turn }：{ $what }
onair-begins = |対局中。|コンピューター4人が席に着いたところです。
onair-over = |終局しました。|{ $verdict }。
onair-look = 対局を見る

# Opponents, named for people
opponents = 3人の対戦相手
opponents-easy = { $place ->
   *[head] 弱い
  }
opponents-easy-about = まずはここから
opponents-medium = { $place ->
   *[head] ふつう
  }
opponents-medium-about = 確率で考える
opponents-hard = { $place ->
   *[head] 強い
  }
opponents-hard-about = 先を読む
who-opponents = { $name }・{ $level }

# The form
form-rules = ルール
form-game = ゲーム
form-players = 人数
form-seats = 席
form-seats-hint = 人数を超える席は空席のままです。
form-seat = { $who }の席
form-seed = シード
form-seed-hint = 同じ数なら同じ盤面になります。空欄なら毎回変わります。
form-levels = レベルの説明
form-start = この対局を始める
form-problem-choice = 選べない選択肢が含まれています。
form-problem-level = このゲームには「{ $level }」というレベルはありません。
form-problem-seed = シードは符号のない整数です。新しい盤面にするには空欄にしてください。

# Your games
games-older = より古い対局
games-none = まだ対局がありません。ボタン一つで始められます。
card-date = { $year }年{ $month }{ $day }日 { $time }（UTC）
card-several = { $who }×{ $count }
month-1 = 1月
month-2 = 2月
month-3 = 3月
month-4 = 4月
month-5 = 5月
month-6 = 6月
month-7 = 7月
month-8 = 8月
month-9 = 9月
month-10 = 10月
month-11 = 11月
month-12 = 12月
card-your-turn = あなたの番
card-waiting = 相手待ち
card-paused = 休止中（見ている人がいません）
card-won = 勝ち
card-tie = 引き分け
card-lost = 負け
card-over = 終局
card-draw = 引き分け
card-against = 相手：{ $who }
card-alone = 対局{ $id }

# Rules
rules-title = ルール
rules-play = 一局遊ぶ

# The book's page
book-winner = 勝者は{ $who }です
book-tie = 引き分けです（{ $who }）

# In the terminal, in the book's words
terminal-player = 現在のプレイヤー = { $who }
terminal-choose = 手を選んでください：
terminal-plays = { $who }の手：{ $what }
terminal-draw = 引き分けです
terminal-limit = 手数の上限（{ $plies }手）に達したため、数で勝敗を決めます。
terminal-again = 1から{ $most }までの番号で手を選びます。?で説明、qで終了します。
terminal-help = 手を番号（1から{ $most }まで）で選んでください。qで対局を終えます。
terminal-help-undo = uで、直前の自分の手と、その後のコンピューターの手を取り消します。
terminal-help-notation = 手は一覧のとおりに書きます。
terminal-taken-back = 取り消しました。
terminal-bye = さようなら。

# What the levels do; a game that has a sentence of its own writes its name behind the key, or the way in which
# its levels think at a board
level-novice-about = 勝ち目を考えずに指し、すぐターンを終えます。
level-random-about = 指せる手の中から、どれも同じ確率で選びます。
level-book-about = 『Land of Lisp』のコンピューターとまったく同じ手を指します。
level-greedy-about = 成功の見込みが失敗より高いかぎり、いちばん勢力の大きい相手を攻めます。相手の応手は考えません。
level-steady-about = 指せる手それぞれについて、その後の盤面全体を出目の確率も含めて評価し、いちばんよさそうな手を選びます。
level-advanced-about = この先の展開を、ごく短いあいだ先読みします。
level-expert-about = 「上級」と同じ読みに4倍の時間をかけます。
level-master-about = 「達人」と同じ読みに10倍の時間をかけます。
level-champion-about = 「名人」と同じ読みに16倍の時間をかけます。
level-perfect-about = 約1秒で完全に読み切れるかぎり完璧に指し、その先は先読みで判断します。

# Errors
error-home = トップページへ
error-game = 対局へ
error-number = 問い合わせ番号：{ $id }
error-not-over = 対局はまだ終わっていません。
error-not-found = このアドレスには何もありません。
error-no-game = その対局はありません。削除されたか、アドレスが間違っているかもしれません。
error-seat-freed = あなたがまだ指していなかったので、この非公開のテーブルを開いた人があなたの席を空けました。そのため、この対局はもう見られません。
error-no-ply = その手はこの対局にありません。現在の局面か、もっと前の手をご覧ください。
error-no-position = このアドレスに局面はありません。途中で切れているか、打ち間違いかもしれません。
error-bad-request = サーバーがリクエストを理解できませんでした。
error-forbidden = この操作を行う権限がありません。
error-cross-site = ほかのサイトからのリクエストだったため、何もしませんでした。
error-cross-site-hosts = { $origin }のページから{ $host }へ送られました。間にプロキシがある場合は、Hostヘッダーをそのまま渡すように設定するか、「--public-url」を付けてサーバーを起動してください。
error-prefetch = このページは先読みできません。
error-stale = 対局が先に進んでいたため、何も変更されていません。
error-waiting = 対局はまだ始まっていません。プレイヤーを待っています。何も変更されていません。
error-illegal = ルールではそれはできません。
error-settings = この設定では対局できません。
error-method = このアドレスではその操作はできません。
error-too-large = 一度に送るデータが大きすぎます。
error-unsupported = この形式のデータは受け付けていません。
error-too-many = 操作が少し速すぎます。ひと息ついてから、もう一度お試しください。
error-too-many-streams = いまは観戦中のテーブルが多すぎます。ほかのページを閉じるか、少したってからお試しください。
error-busy = サーバーが混み合っています。少したってからお試しください。
error-no-room = いまは新しい対局を始める余裕がありません。始まっている対局は続けられます。
error-timeout = 時間がかかりすぎました。少したってからお試しください。
error-host = このサーバーはその名前では応答しません。アドレスで開くか、「--host NAME」を付けて起動してください。
error-host-missing = どのサーバー宛てのリクエストか書かれていません。
error-damaged = この対局の棋譜は壊れていて表示できません。ほかの対局に影響はありません。
error-internal = サーバーで問題が起きました。対局は無事です。もう一度お試しください。

# For programs
api-title = プログラム向け
api-lead = ここで人ができることは、プログラムにもすべてできます。HTTPでJSONをやり取りし、一手ごとに1つのイベントが届きます。
api-openapi = 機械可読の仕様
api-calls = 呼び出し
api-create = 対局を作ります。応答には、|human|の席ごとのトークンが入っています。
api-state = 対局の現在の状態です。|wait|を付けると、その手数になるか終局しだい、遅くとも30秒後に応答します。
api-moves = いま指せる手と、その正確な確率。
api-play = 手を指します。マスからマスへの経路、またはターンを終えるnullを送ります。
api-hint = 手番のプレイヤーから見た、指せる手それぞれの評価です。その席のトークンが必要です。
api-resign = 投了します。
api-join = 空いている席に座ります。
api-start = プレイヤーを待っている対局を始めます。空いている席にはコンピューターが座ります。席のトークンを送ってください。
api-step = |"pace": "on-request"|で作られた対局で、手番のコンピューターが一手進めます。
api-rematch = 対局後の再戦です。トークンはそのまま使えます。
api-play-on = この対局の、棋譜の|ply|項目後の局面から続く、新しい対局を作ります。
api-review-ask = 終わった対局の検討を頼みます。検討は裏で進み、できるまでは202と進み具合が返ります。
api-review = 頼まれた検討の結果。それぞれの決断と、その損失です。
api-levels = コンピューターのレベル。弱い順です。
api-rate = 任意の局面について、本の探索が指せる手それぞれに付ける評価を返します。エンジンの|rate|と同じ形式です。
api-choose = 任意の局面でレベルが選ぶ手を返します。シミュレーションは100000回（|nodes|）、時間は5秒（|budget_ms|）までです。エンジンの|choose|と同じ形式です。
api-solve = Trilobiteの局面の、双方が最善を尽くしたときの得点を返します。|each|を付けると列ごとの得点も返します。調べる局面は10000000個（|nodes|）、時間は5秒（|budget_ms|）までです。エンジンの|solve|と同じ形式です。
api-record = 対局のすべて：初期配置、手、出目、プレイヤー。
api-records = 別の場所で指した対局を登録します。JSONの記録か、|text/plain|の棋譜で。誤りがあれば、その場所を返します。
api-list = 観戦できる対局（|of=watchable|）、または自分の対局（|of=me|）。自分とは、トークンを送ったプログラム、またはこのCookieのブラウザです。|limit|は1ページの対局数（1〜100）、|after|は前のページの|next|です。
api-lines = 同じ対局の棋譜を1行に1つずつ、順に送ります。
api-sites = ほかのサイトのスクリプトは、Cookieなしで、対局とその手・棋譜・イベント、レベル、機械可読の仕様を読めます。
api-events = サーバー送信イベント。まず対局の現在の状態、続いて手が1回ずつ順番に、その後の局面とともに届きます。席のトークンを付けると、その席の番になりしだい|moves|も届きます。プログラムに必要なのは、このストリームと一手ごとのリクエストだけです。
api-program = プログラムを登録します。すべての対局に使う|token|と、人が対局を申し込むための|link|が返ります。このトークンで対局を作り、加わると、その席はすべてこのトークンで動かせます。
api-program-events = プログラムの全対局を1つのストリームで。|gameStart|、指せる手（|moves|）の付いた|turn|、|gameFinish|、申し込みの|invitation|が届きます。受けるには、手を指すか|join|してください。届かなかった|gameFinish|は、次の接続で届きます。
api-decline = 申し込みを断ります。席は空いたままです。
api-positions = 局面
api-positions-begin = 対局の局面は|state|です。プレイヤー、席、手、マスはすべて0から数えます。各フィールドの型は機械可読の仕様にあります。
api-stream = イベント
api-stream-begin = ストリームは次の手から始まります。ブラウザが再接続時に自動で送るヘッダー|Last-Event-ID: N|があればN + 1手目から、|?from=K|があればK手目から始まります。ストリームが多すぎるときは、429と|Retry-After|で応答します。
api-event-game = 対局の現在の状態。内容は対局のアドレスの応答と同じです。最初と、席の顔ぶれが変わったときに届きます。トークンの席の番なら、いま指せる手と正確な確率が|moves|に並びます。1つの局面につき1回だけ、ここか、その局面に至った手に付きます。
api-event-ply = 棋譜の一手と、その後の対局の状態（|after|：次の手の番号、手番のプレイヤー、局面、上と同じ|moves|）、そして表示に必要な情報です。|captured|（攻撃がなければnull）、|reinforced|（サイコロが届いたマスと個数）、|over|（この手でルールにより終局したか）。idは0から数えた手の番号で、ほかのイベントにidはありません。
api-event-watchers = 席に着かずに見ている人の数。最初と、数が変わったときに届きます。
api-event-seats = 席の顔ぶれが変わりました。続いて|game|が届きます。すでに変わっていた場合は最初にも届きます。
api-event-over = 終局しました。ルール、投了（|resigned|）、または手数の上限（|limit|）によります。勝者も届きます。1分後にストリームは終わります。先に閉じないと、また開かれます。
api-event-bye = サーバーがストリームを終えます。|retry|ミリ秒後に接続し直してください。EventSourceなら自動で行います。
api-engine = サーバーなしでも、1行に1つのJSONのリクエストでエンジンを使えます：|dice-of-doom engine|。
api-once = 同じ手数で同じ手をもう一度送っても、最初と同じ応答が返ります。サイコロが二度振られることはありません。

# Settings
nav-menu = メニュー
nav-settings = 設定
set-title = 設定
set-more = その他の設定
set-lead = このブラウザに保存され、すべての対局に使われます。ほかの人には見えません。
set-saved = 保存しました。
set-save = 保存
set-save-back = 保存して戻る
set-example = 見本
set-language = 言語
set-language-auto = ブラウザに合わせる
set-theme = テーマ
set-theme-system = システムに合わせる
set-theme-light = ライト
set-theme-dark = ダーク
set-colours = プレイヤーの色
set-colours-book = 本の色
set-colours-okabe = 色覚に配慮
set-colours-contrast = ハイコントラスト
set-board = 盤面
set-board-auto = 自動
set-board-book = サイコロの山
set-board-flat = 平面、大きな数字
set-odds = 盤面の成功率
set-odds-on = 表示する
set-odds-off = 隠す
set-coordinates = マスの番号
set-coordinates-on = いつも表示
set-coordinates-off = ポイントしたときだけ
set-speed = アニメーションの速さ
set-speed-slow = ゆっくり
set-speed-normal = ふつう
set-speed-fast = 速い
set-speed-off = アニメーションなし
set-fights = ほかのプレイヤーの攻撃
set-fights-all = すべて見る
set-fights-mine = 自分への攻撃だけ
set-sound = 音
set-sound-on = オン
set-sound-off = オフ
set-announce = 読み上げ：ほかの人の手
set-announce-summary = 自分の番にまとめて
set-announce-each = 一手ずつ
set-keys = キーボードショートカット
set-keys-on = オン
set-keys-off = オフ
set-notify = 自分の番の通知
set-notify-on = オン
set-notify-off = オフ
set-ends = 攻撃できなくなったとき
set-ends-on = ターンを自動で終える
set-ends-off = 自分で終える
set-keys-hint = キーボードショートカットがオンなら、eでターンを終え、文字キーでコマを落とせます。TabとEnterはいつでも使えます。アニメーション、音、ショートカットにはJavaScriptが必要です。システムが動きを減らす設定なら、アニメーションは表示されません。

# Switches beside the board
switches = 盤面の表示
switch-piles = 山
switch-flat = 平面
switch-odds = 成功率
switch-coordinates = 番号

# Live pages and keys
reconnecting = 再接続しています…表示が古いかもしれません。
passing = { $who }の番
tempo-to-turn = 自分の番へ飛ぶ
tempo-to-newest = 最新の手へ飛ぶ
tempo-pause = 一時停止
tempo-paused = 一時停止中
tempo-going = 再開します
tempo-slow = ½×
tempo-normal = 1×
tempo-fast = 3×
tempo-attack-of = 攻撃{ $n }/{ $m }
tempo-attack = 攻撃{ $n }
tempo-end = ターン終了
tempo-soon = あと約{ $s }秒であなたの番です。
tempo-rolling = { $n }個対{ $m }個で勝負中
more = その他
keys = キー操作
keys-close = 閉じる
keys-off = キーボードショートカットはオフにできます：
key-arrows = 盤へ移る。盤上では、その方向にある次の場所へ
key-ends = 盤上：最初へ、最後へ。盤の外：開始へ、最新の手へ
key-each = 盤上：順番に移動
key-enter = 選ぶ、攻撃する、落とす
key-back = 選択を取り消す
key-now = 自分の番へ飛ぶ
key-plies = 再生中：一手戻る、一手進む
key-help = この説明

# Seats that people share
who-open = 空席
who-asked = 返事待ち
seats = 空席
opened = { $who }の席が空きました
opened-sub = だれかが座ると対局が続きます。
seat-asked = { $name }に対局を申し込んでいます
seat-asked-hint = まだ返事がありません。相手が席に着くまでは、席をほかの人に渡せます。渡すと申し込みは取り消されます。
seat-copy = コピー
seat-copied = コピーしました
seat-share = 共有
seat-here = ほかの人からは見えないアドレスで開いているため、このリンクはこのパソコンでしか使えません。
seat-here-listen = ほかの人も入れるようにするには、|dice-of-doom serve --listen 0.0.0.0:{ $port }|でサーバーを起動してください。
seat-here-then = そうすれば、ほかの人は次のアドレスで開けます：{ $addresses }。
seat-here-elsewhere = ネットワーク内でのこのパソコンのアドレスでページを開けば、リンクはほかの人にも使えます。
seat-network = リンクには、ネットワーク内でのこのパソコンのアドレスが入っています。
seat-link-none = このページにはこのテーブルのリンクがありません。新しく作ると、前に送ったリンクは無効になります。
seat-make-link = リンクを作る
seat-renew = リンクを取り消して作り直す
seat-level-which = { $who }を担当するレベル
seat-level = コンピューターに席を任せる
seat-slow = { $who }はしばらく手を指していません。
seat-unmoved = 席を空ける
seat-unmoved-hint = まだ一手も指していない人の席を空けられます。空いた席にはほかの人が座れます。席を空けられた人には、その旨が表示されます。
seat-free = { $who }の席を空ける
seat-replace = { $who }をコンピューターに任せる
seat-yours = あなたの席：名前、ほかの端末
seat-yours-one = { $who }の席：名前、ほかの端末
seat-name = このテーブルでの名前
seat-name-save = 保存
seat-back = 別の端末で続けるためのリンク
seat-back-hint = 人には見せないでください。開いてボタンを押した人が、あなたの席に座ります。取り消すまで何度でも使えます。
seat-back-make = 別の端末用のリンクを作る
seat-lost = 自分の席に戻れないときは
seat-lost-how = 席は、座ったときのブラウザとアドレスに結び付いていて、Cookieで見分けます。別のブラウザ、プライベートウィンドウ、Cookieがないとき、このサーバーの別のアドレス（localhostと127.0.0.1は別です）では、観戦だけになります。席のリンクを開けば戻れます。リンクは、まだ席がある画面の「あなたの席」にあります。
carry-over-lead = このブラウザには、暗号化なし（http）で座った席があります。ご自分の席なら、こちらに引き継いでください。通信を盗み見た人がいても、その席では遊べなくなります。
carry-over = 席を引き継ぐ
resign-ends = 投了して対局を終える
resign-level = 投了して、あとはコンピューターに任せる
resign-leave = 席を立つ（ほかの人が座れます）
rematch-same = { $seats ->
    [1] 同じ盤面で{ $who }を担当
   *[other] 同じ盤面で席を替えて
  }
rematch-easier = もっと弱い相手
rematch-harder = もっと強い相手
rematch-to = { $step }：{ $name }
rematch-on = 次の対局へ
rematch-started = ほかのプレイヤーが再戦を始めました。
rematch-on-same = 同じ盤面の次の対局へ
rematch-on-easier = もっと弱い相手との対局へ
rematch-on-harder = もっと強い相手との対局へ
notice-seat-not-yours = この席を変更する権限がありません。何も変更されていません。
notice-seat-none = このテーブルにその席はありません。
notice-seat-taken = この席は、ちょうどほかの人が座ったところです。何も変更されていません。
notice-seat-moved = この人はすでに指しているので、席は空けられません。何も変更されていません。
notice-seat-started = 対局はもう始まっています。何も変更されていません。
notice-seat-freed = あなたがまだ指していなかったので、テーブルを開いた人があなたの席を空けました。このまま観戦することも、「公開テーブル」でほかの対局に参加することもできます。
notice-seat-never = このテーブルでは不在の人を交代させず、全員を待ちます。
notice-seat-not-awaited = いまはその席の番ではありません。何も変更されていません。
notice-seat-early-s = もう少し待ってあげてください。あと{ $n }秒でコンピューターに交代できます。
notice-seat-early-m = もう少し待ってあげてください。あと{ $n }分でコンピューターに交代できます。
notice-seat-early-h = もう少し待ってあげてください。あと{ $n }時間でコンピューターに交代できます。
notice-seat-level = そのレベルはありません。何も変更されていません。
notice-seat-change = 席にその操作はできません。何も変更されていません。
notice-name-long = 名前は32文字までです。
notice-name-invisible = 名前に使えるのは目に見える文字だけです。キーボードから入力してください。
notice-name-address = 名前にウェブアドレスは使えません。アドレスでない場合は、ピリオドの後に空白を入れてください。
notice-rematch-goes-on = 対局はまだ続いています。終わればもう一局遊べます。
join-title-host = { $who }から{ $game }への招待です
join-title = { $game }に招待されています
join-back-title = あなたの{ $game }の対局に戻る
join-seat = { $who }を担当します
join-back-seat = あなたは{ $who }です
join-lead = 座って遊ぶだけ。|登録もインストールもいりません。|
join-back-lead = 席は|このブラウザ|に移ります。
join-plies = { $plies ->
    [0] 対局はまだ始まっていません。
   *[other] ここまで{ $plies }手進んでいます。
  }
join-name = 名前（省略できます）
join-name-hint = 32文字まで。同じテーブルの全員に見えます。
join = { $who }の席に座る
join-back = ここで{ $who }を続ける
join-others = 同じテーブル：{ $who }。
join-other = { $who }（{ $what }）
join-private = この対局は、席のある人だけが見られます。
join-board = 現在の盤面
join-no-cookies = ブラウザがこのサイトのCookieを保存しませんでした。Cookieがないとあなたを見分けられないため、まだ遊べません。このアドレスのCookieを許可してボタンを押すか、この席のリンクを別のブラウザで開いてください。
join-no-cookies-link = この席のリンク

# 対局を申し込めるプログラム
program-title = { $game }：{ $name }と対局
program-there = |{ $name }は接続中です。|申し込みはすぐに届きます。
program-away = |{ $name }はいま接続していません。|申し込みは、戻ってくるまで待ちます。
program-ask = { $name }に対局を申し込む
program-hint = 新しい対局ができ、あなたから始まります。{ $name }はだれかが動かしているプログラムで、断ることもあります。席に着くまでは、その席をほかの人に渡せます。
program-busy = { $name }への申し込みがいっぱいです。しばらくしてからもう一度お試しください。
program-asked-enough = プログラムへの返事待ちの申し込みが上限に達しています。どれかの席をほかの人に渡すか、しばらくしてからもう一度お試しください。
form-open = リンクで招待する人
form-name = 名前（省略できます）
form-table = テーブル
form-private = 非公開：席のある人だけが見られる
form-replace = 不在のプレイヤーの交代
form-replace-never = しない
form-replace-minutes = { $n }分間手がないとき
form-replace-hours = { $n }時間手がないとき
form-replace-days = { $n }日間手がないとき
form-replace-seconds = { $n }秒間手がないとき
form-problem-name-long = 名前は32文字までです。
form-problem-name-invisible = 名前に使えるのは目に見える文字だけです。キーボードから入力してください。
start-watch = 観戦できる対局
card-between = { $who }
card-watch = 観戦する
error-no-link = このリンクでは席に座れません。すでに使われたか、取り消されたようです。新しいリンクをもらってください。
error-seat = 席はそのままで、何も変更されていません。

# How strong the levels are
levels-title = レベルの強さ
levels-lead = 弱い順に、コンピューターの考え方と、コンピューターどうしの対局での成績です。
levels-level = レベル
levels-rating = レーティング
levels-book = 対「本のとおり」
levels-range = { $low }〜{ $high }
levels-share = { $share }%
levels-measured = { $boards }種類の盤面で、どの席からも1回ずつ対局しました。対「本のとおり」は、ほかの全員が「本のとおり」のとき、このレベルの1人が勝つ対局の割合で、{ $par }%なら「本のとおり」と互角です。数字の下の範囲には、同じ測定を100回行えば95回は真の値が入ります。レーティングの差が400点なら、2人の勝敗は10対1の見込みになります。「ランダム」が1000点です。レーティングの範囲は、レベルどうしを比べるためのものです。
levels-unmeasured = まだ測定していません。
