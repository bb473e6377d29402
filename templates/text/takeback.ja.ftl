# Moves that are taken back, and words that players add to the dice; in Japanese.

# The button, where the game has no better words for the move.
take-back = 直前の手を取り消す
take-back-button = 取り消す
key-undo = 手を取り消す

# The log; a line that was taken back is struck, and says so to those who listen.
log-took-back = { $who }が直前の手を取り消しました。
log-taken-back = （取り消し）
log-no-words = { $who }はサイコロに言葉を加えません。
log-late-words = { $who }は固定した言葉を時間内に明かさなかったので、その言葉はサイコロに加わりません。
log-fixed-words = { $who }がサイコロへの言葉を固定しました。
log-contributed = { $who }が「{ $words }」をサイコロに加えました。

# Beside the result of a finished game, and on its card.
over-takebacks = { $n }手を取り消しました。
card-takebacks = { $n }手取り消し

# Why nothing is taken back.
notice-strict = このテーブルでは手を取り消せません。
notice-not-alone = 手を取り消せるのは、ほかの人がいない対局だけです。
notice-nothing-to-take-back = 取り消せる自分の手がありません。
notice-too-many-takebacks = この対局ではすでに{ $most }手を取り消しました。これ以上は取り消せません。
notice-words-awaited = サイコロに言葉を加えているところです。サイコロのページで自分の言葉を加えるか、何も加えないことを選んでください。そのあと対局が続きます。
error-no-takeback = このテーブルでは手を取り消せません。

form-strict = 待ったなし：手を取り消せない
api-undo = 自分の直前の手と、その後のコンピューターの手を取り消します。取り消しもそれ自体が棋譜の1項目で、取り消した手は棋譜に残ります。
