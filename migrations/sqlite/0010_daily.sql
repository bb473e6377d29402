-- The board of the day. The rows stay when the games are deleted.

-- The secret of each day, whose commitment is public from committed_ms on.
CREATE TABLE daily_deal (
    day          INTEGER NOT NULL PRIMARY KEY,
    seed         BLOB    NOT NULL CHECK (length(seed) = 32),
    salt         BLOB    NOT NULL CHECK (length(salt) = 32),
    committed_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX game_daily ON game (daily, creator) WHERE daily IS NOT NULL;

-- The browser that began the scored game of a day: the result belongs to it, whoever has the seat.
CREATE TABLE daily_attempt (
    browser    BLOB    NOT NULL CHECK (length(browser) = 32),
    day        INTEGER NOT NULL,
    game       TEXT    NOT NULL,
    begun_ms   INTEGER NOT NULL,
    -- The hash of the client's network, until the hashes of the day are deleted.
    network    BLOB    CHECK (length(network) = 32),
    -- Whether the public counts may include a result that is stored after that.
    is_counted INTEGER NOT NULL DEFAULT 1 CHECK (is_counted IN (0, 1)),
    PRIMARY KEY (browser, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_attempt_game ON daily_attempt (game);
CREATE INDEX daily_attempt_network ON daily_attempt (day, network) WHERE network IS NOT NULL;

CREATE TABLE daily_score (
    browser    BLOB    NOT NULL CHECK (length(browser) = 32),
    day        INTEGER NOT NULL,
    game       TEXT    NOT NULL,
    hexes      INTEGER NOT NULL,
    is_won     INTEGER NOT NULL CHECK (is_won IN (0, 1)),
    -- Whether the public counts include the result.
    is_counted INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
    -- Whether everybody may watch the game once the day is over.
    is_shown   INTEGER NOT NULL CHECK (is_shown IN (0, 1)),
    PRIMARY KEY (browser, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_score_day ON daily_score (day, hexes, is_won);
