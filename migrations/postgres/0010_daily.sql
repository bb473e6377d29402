-- The board of the day. The rows stay when the games are deleted.

-- The secret of each day, whose commitment is public from committed_ms on.
CREATE TABLE daily_deal (
    day          BIGINT  NOT NULL PRIMARY KEY,
    seed         BYTEA   NOT NULL CHECK (length(seed) = 32),
    salt         BYTEA   NOT NULL CHECK (length(salt) = 32),
    committed_ms BIGINT  NOT NULL
);

CREATE UNIQUE INDEX game_daily ON game (daily, creator) WHERE daily IS NOT NULL;

-- The browser that began the scored game of a day: the result belongs to it, whoever has the seat.
CREATE TABLE daily_attempt (
    browser    BYTEA   NOT NULL CHECK (length(browser) = 32),
    day        BIGINT  NOT NULL,
    game       TEXT COLLATE "C" NOT NULL,
    begun_ms   BIGINT  NOT NULL,
    -- The hash of the client's network, until the hashes of the day are deleted.
    network    BYTEA   CHECK (length(network) = 32),
    -- Whether the public counts may include a result that is stored after that.
    is_counted BIGINT  NOT NULL DEFAULT 1 CHECK (is_counted IN (0, 1)),
    PRIMARY KEY (browser, day)
);

CREATE INDEX daily_attempt_game ON daily_attempt (game);
CREATE INDEX daily_attempt_network ON daily_attempt (day, network) WHERE network IS NOT NULL;

CREATE TABLE daily_score (
    browser    BYTEA   NOT NULL CHECK (length(browser) = 32),
    day        BIGINT  NOT NULL,
    game       TEXT COLLATE "C" NOT NULL,
    hexes      BIGINT  NOT NULL,
    is_won     BIGINT  NOT NULL CHECK (is_won IN (0, 1)),
    -- Whether the public counts include the result.
    is_counted BIGINT  NOT NULL CHECK (is_counted IN (0, 1)),
    -- Whether everybody may watch the game once the day is over.
    is_shown   BIGINT  NOT NULL CHECK (is_shown IN (0, 1)),
    PRIMARY KEY (browser, day)
);

CREATE INDEX daily_score_day ON daily_score (day, hexes, is_won);
