# What is handed on of a game: links, pictures, films, and a frame for other pages, in English.

# On the pages of moves
share = Share this move
share-link = Link to this move
share-embed = Embed code for your own page
share-embed-hint = It shows the board, the score and a link to this move.
share-picture = Picture of this move
share-film-turn = Film of this turn
share-film-game = Film of the game

# On the page of a finished game
share-game = Share
share-game-picture = Picture
share-game-text = The result as text
share-game-copy = Copy result
share-game-film = Film

# The page of a film
film-of-game = Film of the game
film-of-moves = { $moves ->
    [one] Film of move { $from }
   *[other] Film of moves { $from } to { $to }
  }
film-wait-lead = The film is made while no computer is thinking.
film-wait-come = { $of ->
    [one] { $done } of 1 frame drawn.
   *[other] { $done } of { $of } frames drawn.
  }
film-wait-about = It goes on without you; this page shows the film when it is ready.
film-save = Save the film
film-link = Link to the film
film-back = Back to the game

# The frame on other pages
embed-open = Open the game
