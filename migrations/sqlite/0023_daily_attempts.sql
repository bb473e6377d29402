-- The browser that began the scored game of a day: the result is this browser's, whoever sits in the game. The rows stay
-- when the games are deleted.
CREATE TABLE daily_attempt (
    browser  BLOB    NOT NULL CHECK (length(browser) = 32),
    day      INTEGER NOT NULL,
    game     TEXT    NOT NULL,
    begun_ms INTEGER NOT NULL,
    PRIMARY KEY (browser, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_attempt_of ON daily_attempt (game);

INSERT INTO daily_attempt (browser, day, game, begun_ms)
    SELECT coalesce((SELECT browser FROM seat WHERE seat.game = game.id AND player = 0), creator), daily, id, created_ms
    FROM game WHERE daily IS NOT NULL AND creator IS NOT NULL ORDER BY serial
ON CONFLICT DO NOTHING;

-- Whether the public counts take the result.
ALTER TABLE daily_score ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 1 CHECK (is_counted IN (0, 1));
