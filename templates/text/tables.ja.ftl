# 公開テーブル：空席があり、だれでも参加できるゲーム

tables = 公開テーブル
nav-people = 人と対戦
tables-lead = 対戦相手を待っている人たちです。ふつうは人が2人、コンピューターが2人の対局です。アカウントは不要で、名前だけで参加できます。
tables-all = { $n }件のテーブルをすべて見る
tables-free = { $n ->
    [0] コンピューターの席に座れます。
   *[other] { $n }席空いています。
  }
tables-waiting = { $n ->
    [0] 開いたばかりです。
   *[other] { $n }分待っています。
  }
tables-join = 参加
tables-own = あなたのテーブル
tables-name = 名前
tables-open = テーブルを開く
tables-open-now = このテーブルを開く
tables-more = 詳しい設定
tables-none = いま待っている人はいません
tables-none-lead = テーブルを開くと、ここにもトップページにも表示されます。テーブルのページは開いたままにしてください。その間、別のタブでコンピューターと遊べます。
tables-invite = リンクで招待
tables-computers = コンピューターと対戦
tables-how = しくみ
tables-how-lead = 「参加」で次の空席に座ります。全員がそろうと対局が始まります。テーブルを開いた人がその前に始めると、空いている席にはコンピューターが座ります。テーブルは、開いた人がそのページを開いている間と、その後2分間、一覧に載ります。1時間たつと一覧から外れますが、もう一度載せられます。
tables-refresh = 一覧は自動で更新されます。スクリプトが使えないとき：|再読み込み|
tables-started = このテーブルはちょうど始まったところです。ほかのテーブルはこちらです。
tables-name-missing = 同じテーブルの人に見える名前を入力してください。
tables-seats-many = あなた、または同じネットワークの人が、まだ指していない公開テーブルの席をすでに3つ持っています。先にそこで指すか、どれかの席を立ってください。

# 空席のあるテーブル、開いた人向け
table-listed = このページを開いている間、このテーブルは最長1時間、全員に|公開|されます。
table-unlisted = リンクを知っている人だけが参加できます。
table-close = 一覧から外す
table-open = 公開テーブルに載せる
notice-tables-many = あなた、または同じネットワークのテーブルが、すでに3つ一覧に載っています。1つを一覧から外すか、席が埋まるまでお待ちください。
form-listed = 公開：公開テーブルの一覧に載せる
form-problem-listed-private = 非公開のテーブルは一覧に載せられません。
form-problem-listed-full = 公開テーブルには空席が必要です。席の1つを「リンクで招待する人」にしてください。

# プレイヤーを待っている対局のページ
lobby-waiting = プレイヤーを待っています…
lobby-here = { $who }が来ました。
lobby-count = { $all }人中{ $here }人
lobby-left = { $who }が席を立ちました。
lobby-starts = 対局は自動的に始まります。
lobby-send = リンクを送ってください。あと{ $n }人そろうと対局が始まります。このタブは、裏に回してもよいので、開いたままにしてください。
lobby-missing = あと{ $n }人そろうと対局が始まります。
lobby-watching = 観戦中です。参加するには、テーブルを開いた人のリンクか、公開テーブルの一覧を使ってください。
lobby-soon = 対局はあと{ $n }秒で自動的に始まります。
lobby-held-host = あなたが開始すると対局が始まります。
lobby-held = テーブルを開いた人が開始すると対局が始まります。
lobby-wait = もっと人を待つ
lobby-start = すぐに始める
lobby-start-rest = すぐに始める（残りはコンピューター）
lobby-free = 空席
lobby-free-about = { $colour }・参加者を待っています
lobby-there = { $colour }・着席済み
lobby-computer = { $what }（だれかが参加すれば交代）
lobby-ready = 準備完了
lobby-link = すべての空席に使えるリンク
lobby-qr = リンクのQRコード
lobby-board = これから遊ぶ盤面
lobby-leave = 席を立つ

# 手番の時計
form-turn = 1ターンの時間
turn-none = 時計なし
turn-seconds = 1ターン{ $n }秒
turn-minutes = 1ターン{ $n }分
turn-hours = 1ターン{ $n }時間
turn-days = 1ターン{ $n }日
clock-rule = このターンの残り時間。0:00になるとターンは自動的に終わります。ルールで先に一手が必要なときは、コンピューターが指します。
clock-moments = この表示は{ $now }（UTC）の時点のものです。ターンは{ $end }（UTC）に終わります。
clock-say = 残り{ $n }秒

# テーブルでのひとこと。ほかのことは言えません
phrases = ひとこと
phrases-mute = ひとことを隠す
phrases-muted = ひとことは非表示です
phrases-show = 表示
phrase-hello = こんにちは
phrase-luck = がんばって
phrase-rolled = いい目ですね！
phrase-oh-no = ああ…
phrase-time = ごゆっくり
phrase-thanks = ありがとう
phrase-laugh = 😄
phrase-game = いい勝負でした
notice-phrase-soon = ひとことは3秒に1回までです。何も送られませんでした。
notice-phrase-alone = このテーブルにはほかにだれもいません。
set-phrases = ほかのプレイヤーのひとこと
set-phrases-on = 表示
set-phrases-off = 非表示
