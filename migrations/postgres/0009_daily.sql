-- The secret of each day, whose hash is public from committed_ms on.
CREATE TABLE daily_deal (
    day          BIGINT  NOT NULL PRIMARY KEY,
    seed         BYTEA   NOT NULL CHECK (length(seed) = 32),
    salt         BYTEA   NOT NULL CHECK (length(salt) = 32),
    committed_ms BIGINT  NOT NULL
);

-- The day of a scored game: one for each browser and day.
ALTER TABLE game ADD COLUMN daily BIGINT;

CREATE UNIQUE INDEX game_daily ON game (daily, creator) WHERE daily IS NOT NULL;

-- The scores follow from the games, but stay when those are deleted.
CREATE TABLE daily_score (
    browser BYTEA   NOT NULL CHECK (length(browser) = 32),
    day     BIGINT  NOT NULL,
    game    TEXT    NOT NULL,
    hexes   BIGINT  NOT NULL,
    is_won  BIGINT  NOT NULL CHECK (is_won IN (0, 1)),
    PRIMARY KEY (browser, day)
);

CREATE INDEX daily_score_of ON daily_score (day, hexes, is_won);
