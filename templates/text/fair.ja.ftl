# Fair dice: the page of one game, the line beside the board, and the page of all rolls; in Japanese.

fair-line = サイコロは封印済み：{ $short }…
fair-line-help = サイコロの公正さを保つしくみ
fair-check = サイコロを確かめる

fair-title = 公正なサイコロ
fair-back = 対局に戻る
fair-head-running = サイコロは封印されています
fair-lead-running = 対局{ $id }の出目は、もうだれにも変えられません。出目は、下にハッシュ値を示したシードから決まります。対局が終わるとシードが公開され、だれでもすべての出目を確かめられます。
fair-head-good = { $rolls ->
    [0] サイコロは振られませんでした
   *[other] { $rolls }回の出目をすべて確認しました
  }
fair-lead-good = 対局{ $id }の出目は、だれにも選べませんでした。あなたにも、コンピューターにも、このサーバーにもです。その理由と、私たちに頼らず確かめる方法を示します。
fair-lead-alone = 対局{ $id }の出目は、始まってからはだれにも変えられませんでした。あなたにも、コンピューターにも、このサーバーにもです。その理由と、私たちに頼らず確かめる方法を示します。
fair-head-bad = 出目が合いません
fair-lead-bad = 対局{ $id }の項目{ $entry }は、封印されたシードで振られたものではありません。棋譜を保存してください。だれに対しても証拠になります。
fair-head-uncommitted = このサイコロは封印されていません

# The four steps
fair-how = サイコロを公正に保つしくみ
fair-checked = このサーバーで、いま確認しました
fair-sealed = 最初に振る前に封印
fair-sealed-now = 封印済み。
fair-sealed-ok = 封印は一致しています。
fair-sealed-why = サーバーはシードとソルトを選び、そのハッシュ値（コミットメント）を示しました。それ以後、変えることはできません。
fair-commitment = コミットメント
fair-added = 参加者が言葉を加えた
fair-added-from = 項目{ $entry }から有効です。
fair-added-why = サーバーはシードを封印したとき、この言葉を知りませんでした。だから、都合のよいシードを探すことはできませんでした。
fair-added-words = { $who }、項目{ $entry }
fair-added-fixed = { $who }、項目{ $entry }（サイコロには入りません）
fair-none = だれも言葉を加えていない
fair-none-now = まだありません。
fair-none-ok = 確かめるものはありません。
fair-none-why = 参加者の言葉は、その後のすべての出目に混ぜられます。サーバーはシードを封印するとき、その言葉を知りません。
fair-follows = すべての出目はこれだけから決まる
fair-follows-now = 終局後に確認します。
fair-follows-ok = { $all }回中{ $good }回が一致。
fair-follows-bad = { $all }回中{ $good }回が一致。
fair-follows-why = HMAC-SHA256の各バイトを6で割った余りに1を足して出目にします。252以上のバイトは捨てるので、どの目も同じ確率です。
fair-message = 項目{ $entry }のメッセージ
fair-opened = 終局後に開封
fair-opened-now = まだ封印されています。
fair-opened-ok = シードとソルトは一致しています。
fair-opened-why = 対局が終わると、シードとソルトは公開されます。対局中はどのページにもありません。
fair-seed = シード
fair-salt = ソルト

# What this cannot show
fair-cannot = これでは示せないこと
fair-cannot-choose = だれも言葉を加えなかったため、サーバーが多くのシードを試し、気に入ったものを封印した可能性は残ります。
fair-cannot-choose-now = だれも言葉を加えないうちは、サーバーが多くのシードを試し、気に入ったものを封印した可能性が残ります。ここで対局している人なら、下でそれをなくせます。
fair-cannot-before = 言葉は項目{ $entry }から加わりました。それより前の出目については、サーバーが多くのシードを試し、気に入ったものを封印した可能性が残ります。
fair-cannot-know = サーバーは対局中もシードを知っています。何も変えなかったことは確かめられますが、だれにも教えなかったことは確かめられません。
fair-cannot-stop = 途中で止まったサーバーは何も公開しません。そのときはコミットメントだけが残り、出目は確かめられません。
fair-cannot-note = 最初に振る前に、コミットメントを書き留めてください。書き留めたものはすり替えられませんが、このページだけにあるものはすり替えられるかもしれません。

# Adding words
fair-add = 自分の言葉を加える
fair-add-label = 何でも入力するか、自分のサイコロを振って出目を入力してください
fair-add-once = あなたの言葉はすべてのサイコロに入り、全員に見えます。言葉は最初にサイコロが振られる前に、1人1回だけ加えられます。
fair-add-fix = ほかの人の言葉を見てから言葉を選べないように、まず全員が自分の言葉のSHA-256（次のコマンドが表示する64桁）を加えるか、何も加えないことを選びます。全員が済んだら1分以内に言葉そのものを加え、それから対局が続きます。1分以内に明かさなかった人の言葉は加わりません。
fair-add-fixed = 言葉は固定されています。SHA-256を計算したときとまったく同じ言葉を入力してください。全員が固定してから1分以内です。それを過ぎると、あなたの言葉なしで対局が続きます。
fair-add-rolled = 言葉を加えられるのは、最初にサイコロが振られる前だけです。
fair-add-late = 1分以内に言葉を明かさなかったので、対局はあなたの言葉なしで続きます。
fair-add-again = あなたの言葉はもう加えられています。
fair-add-known = ほかのプレイヤーの言葉がもう知られていて、あなたの言葉はその前に固定されていません。
fair-add-differ = 固定した言葉と違います。SHA-256が一致しません。
fair-add-nothing = 何も加えない
fair-add-unfixed = ほかの人も対局しています。先に言葉のSHA-256を加え、全員が済んだら言葉そのものを加えてください。
fair-add-awaited = 言葉は固定されています。ほかのプレイヤー全員が言葉を固定するか、何も加えないことを選んだら、言葉を加えられます。
fair-add-button = サイコロに加える
fair-add-none = 言葉を加えられるのは、この対局のプレイヤーだけです。
fair-add-empty = 1文字以上入力してください。
fair-add-long = 64文字までです。
fair-add-unseen = 見えない文字が含まれています。ほかの文字を入力してください。

# Without us
fair-without = 私たちに頼らず確かめる
fair-python = 約80行
fair-record = 棋譜をダウンロード
fair-script = verify.py
fair-layout = 各バイトの中身は、プログラムのdocs/fair-dice.mdにあります。
fair-says = 封印は一致、{ $rolls }回中{ $rolls }回の出目が一致
fair-says-python = { $rolls }回中{ $rolls }回の出目が一致

# In the browser
fair-browser-wait = ブラウザでも確かめています…
fair-browser-good = ブラウザでも確かめました：{ $rolls }回中{ $rolls }回の出目が一致。
fair-browser-bad = ブラウザでは一致しません。棋譜の項目{ $entry }を見てください。
fair-browser-seal = ブラウザでは一致しません。シードとソルトからこのコミットメントは得られません。
fair-browser-none = ブラウザで確かめられるのは、安全な接続で届いたページだけです。今回はサーバーだけで確かめました。

# The rolls
fair-rolls = 出目
fair-rolls-all = { $rolls }回すべて
fair-rolls-fewer = 最初だけ
fair-rolls-none = まだサイコロは振られていません。
fair-against = 対
fair-agrees = 一致
fair-differs = 不一致
fair-faces = { $who }：{ $faces }

# The faces
fair-dice = この対局のサイコロ{ $dice }個
fair-all-games = すべての対局
fair-expected = 期待値
fair-face = 目
fair-times = 回数
fair-off = 公正なサイコロでも、100局中{ $n }局はこれより大きく偏ります。
fair-off-hardly = 公正なサイコロがこれより大きく偏るのは、100局に1局もありません。

# For programs
api-entropy = 最初にサイコロを振る前に、言葉をサイコロに加えます。/g/ID/diceをご覧ください。

# All dice of the server
footer-dice = 全サイコロの統計
all-dice-title = このサーバーのサイコロ
all-dice-lead = ここで振られたすべての出目を、終わった対局も続いている対局も合わせて、公正なサイコロと比べます。
all-dice-none = まだここでは何も振られていません。
all-dice-game = { $game }：サイコロ{ $dice }個
all-dice-faces = 公正なサイコロでも、このようなサーバー100台中{ $n }台は、出目がこれより大きく偏ります。
all-dice-faces-hardly = 公正なサイコロがここまで偏ることはほとんどなく、このようなサーバー100台中1台もありません。後でもう一度ご覧ください。
all-dice-cells = 攻撃の成功率と理論値
all-dice-cells-lead = 各欄は、攻撃100回あたりの成功数、理論上の成功数、攻撃の回数です。
all-dice-attackers = 攻撃側の個数
all-dice-defenders = 守備側{ $n }個
all-dice-cell = { $won }%
all-dice-cell-of = 理論値{ $odds }%、{ $n }回
all-dice-attacks = 公正なサイコロでも、このようなサーバー100台中{ $n }台は、攻撃の結果がこれより大きく偏ります。
all-dice-attacks-hardly = 公正なサイコロで攻撃の結果がここまで偏ることはほとんどなく、このようなサーバー100台中1台もありません。後でもう一度ご覧ください。
all-dice-how = これらの文はχ²検定の結果です。公正なサイコロを使うサーバーのうち、偶然これより大きな差が出るのは何台かを示します。一度だけ0や100に近くてもあまり意味はありませんが、1未満のままなら何かがおかしいということです。
all-dice-proof = 終わった対局の出目は、その対局のサイコロのページで一つずつ確かめられます。
fair-add-daily = この対局のサイコロは全員に共通なので、何も加えられません。
fair-add-clock = 時計のある対局では、サイコロに言葉を加えられません。
