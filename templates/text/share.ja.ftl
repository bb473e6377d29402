# What is handed on of a game: links, pictures, films, and a frame for other pages, in Japanese.

# On the pages of moves
share = この手を共有
share-link = この手へのリンク
share-embed = ほかのページへの埋め込み用コード
share-embed-hint = 盤面とスコア、この手へのリンクが表示されます。
share-picture = この手の画像
share-film-turn = このターンの動画
share-film-game = 対局全体の動画

# On the page of a finished game
share-game = 共有
share-game-picture = 画像
share-game-text = 結果のテキスト
share-game-copy = 結果をコピー
share-game-film = 動画

# The page of a film
film-of-game = 対局全体の動画
film-of-moves = { $moves ->
    [1] { $from }手目の動画
   *[other] { $from }〜{ $to }手目の動画
  }
film-wait-lead = コンピューターが考えていない合間に作っています。
film-wait-come = { $of }枚のうち{ $done }枚を描きました。
film-wait-about = ページを離れても続きます。できあがると、このページに表示されます。
film-save = 動画を保存
film-link = 動画へのリンク
film-back = 対局に戻る

# The frame on other pages
embed-open = 対局を開く
