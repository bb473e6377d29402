-- The secret of each day, whose hash is public from committed_ms on.
CREATE TABLE daily_deal (
    day          INTEGER NOT NULL PRIMARY KEY,
    seed         BLOB    NOT NULL CHECK (length(seed) = 32),
    salt         BLOB    NOT NULL CHECK (length(salt) = 32),
    committed_ms INTEGER NOT NULL
) STRICT;

-- The day of a scored game: one for each browser and day.
ALTER TABLE game ADD COLUMN daily INTEGER;

CREATE UNIQUE INDEX game_daily ON game (daily, creator) WHERE daily IS NOT NULL;

-- The scores follow from the games, but stay when those are deleted.
CREATE TABLE daily_score (
    browser BLOB    NOT NULL CHECK (length(browser) = 32),
    day     INTEGER NOT NULL,
    game    TEXT    NOT NULL,
    hexes   INTEGER NOT NULL,
    is_won  INTEGER NOT NULL CHECK (is_won IN (0, 1)),
    PRIMARY KEY (browser, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_score_of ON daily_score (day, hexes, is_won);
