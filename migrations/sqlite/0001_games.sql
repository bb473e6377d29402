-- Games, their entries and their seats. Plain types, so that the same tables stand in PostgreSQL.
-- Times are Unix milliseconds. Hashes and seeds are 32 bytes. Nothing here is derived from a ply.

CREATE TABLE game (
    -- Counts creations: of two games at the same time the younger is the newer.
    serial         INTEGER NOT NULL PRIMARY KEY,
    id             TEXT    NOT NULL UNIQUE,
    format         INTEGER NOT NULL,
    game           TEXT    NOT NULL,
    start          TEXT    NOT NULL,
    dice_seed      BLOB    NOT NULL CHECK (length(dice_seed) = 32),
    pace           TEXT    NOT NULL CHECK (pace IN ('at-once', 'on-request')),
    creator        BLOB    CHECK (length(creator) = 32),
    book_of        BLOB    CHECK (length(book_of) = 32),
    created_ms     INTEGER NOT NULL,
    seats_revision INTEGER NOT NULL DEFAULT 0,
    -- A hint for lists and for removal; the record is the truth.
    finished_ms    INTEGER
) STRICT;

CREATE INDEX game_creator ON game (creator) WHERE creator IS NOT NULL;
CREATE INDEX game_book_of ON game (book_of, serial) WHERE book_of IS NOT NULL;
CREATE INDEX game_unfinished ON game (pace) WHERE finished_ms IS NULL;
CREATE INDEX game_finished ON game (finished_ms) WHERE finished_ms IS NOT NULL;

-- The primary key is the lock: whoever writes (game, number) first has played that ply.
-- `ending` is null for a ply; an ending takes the next number and has neither action nor roll.
CREATE TABLE entry (
    game   TEXT    NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 0),
    player INTEGER,
    action TEXT,
    roll   TEXT,
    ending TEXT,
    at_ms  INTEGER NOT NULL,
    PRIMARY KEY (game, number),
    CHECK (CASE WHEN ending IS NULL
                THEN player IS NOT NULL AND action IS NOT NULL AND roll IS NOT NULL
                ELSE action IS NULL AND roll IS NULL END)
) STRICT, WITHOUT ROWID;

CREATE TABLE seat (
    game    TEXT    NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player  INTEGER NOT NULL CHECK (player >= 0),
    sitter  TEXT    NOT NULL CHECK (sitter IN ('human', 'level', 'open')),
    level   TEXT    CHECK ((sitter = 'level') = (level IS NOT NULL)),
    name    TEXT,
    browser BLOB    CHECK (length(browser) = 32),
    token   BLOB    CHECK (length(token) = 32),
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX seat_browser ON seat (browser) WHERE browser IS NOT NULL;
