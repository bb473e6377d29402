-- Games and their entries. SQLite and PostgreSQL have the same tables, of plain types: numbers and times (Unix
-- milliseconds) are integers, yes and no are 1 and 0, hashes and seeds are bytes.

CREATE TABLE game (
    -- Counts the games: of two games with the same time the one with the greater number is newer.
    serial          INTEGER NOT NULL PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    -- The game type with its parameters, and the start position: JSON.
    game            TEXT    NOT NULL,
    start           TEXT    NOT NULL,
    -- NULL in uploaded games whose record does not contain the seed.
    dice_seed       BLOB    CHECK (length(dice_seed) = 32),
    dice_salt       BLOB    CHECK (length(dice_salt) = 32 AND (dice_salt IS NULL) = (dice_seed IS NULL)),
    pace            TEXT    NOT NULL CHECK (pace IN ('at-once', 'on-request')),
    -- The browser that created the game, and the one that has the rights of the creator if these have moved.
    creator         BLOB    CHECK (length(creator) = 32),
    host            BLOB    CHECK (length(host) = 32),
    -- The browser whose game on the book's page this is.
    book_of         BLOB    CHECK (length(book_of) = 32),
    created_ms      INTEGER NOT NULL,
    private         INTEGER NOT NULL CHECK (private IN (0, 1)),
    takebacks       INTEGER NOT NULL CHECK (takebacks IN (0, 1)),
    hints           INTEGER NOT NULL CHECK (hints IN (0, 1)),
    -- After this number of seconds without a ply the others may let a computer play; NULL: never.
    replace_after_s INTEGER CHECK (replace_after_s > 0),
    -- The seconds that a person has for a turn; NULL without a clock.
    turn_s          INTEGER,
    -- The game of which this is a rematch. It may have been deleted, so it is not a foreign key.
    rematch_of      TEXT,
    rematch_kind    TEXT    CHECK (rematch_kind IN ('new', 'same', 'easier', 'harder')),
    -- The game from which this one was played on, and the position in it. It may have been deleted, too.
    played_on_of    TEXT,
    played_on_ply   INTEGER,
    -- The game was played elsewhere and uploaded; its original id, if its dice are proved with it, and who played it (JSON).
    uploaded        INTEGER NOT NULL CHECK (uploaded IN (0, 1)),
    uploaded_id     TEXT    CHECK (uploaded_id IS NULL OR uploaded = 1),
    provenance      TEXT    CHECK (provenance IS NULL OR uploaded = 1),
    -- The day of a scored game.
    daily           INTEGER,
    -- What the start of a game waits for: people, the time starts_ms, or its host. NULL once it has started.
    waits_for       TEXT    CHECK (waits_for IN ('people', 'time', 'host')),
    starts_ms       INTEGER,
    -- The link that takes the next free seat before the start, and what it is derived from.
    join_token      BLOB    CHECK (length(join_token) = 32),
    join_nonce      BLOB    CHECK (length(join_nonce) = 16),
    seats_revision  INTEGER NOT NULL DEFAULT 0,
    -- The hash chain over header and entries, and the hash of the seats: src/store/hash_chain.rs.
    entries         INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
    chain_head      BLOB    NOT NULL CHECK (length(chain_head) = 16),
    seats_hash      BLOB    NOT NULL CHECK (length(seats_hash) = 16),
    -- For lists and retention; the record determines whether the game is over.
    finished_ms     INTEGER,

    -- The columns below are derived by triggers.
    -- The time of the last entry, to the second, or of the newest occupation of a seat since then.
    active_ms       INTEGER NOT NULL,
    -- Whether a person has played a ply.
    played          INTEGER NOT NULL DEFAULT 0 CHECK (played IN (0, 1)),
    -- How many seats people and programs have, and how many are open.
    people          INTEGER NOT NULL DEFAULT 0,
    open_seats      INTEGER NOT NULL DEFAULT 0,

    CHECK (CASE WHEN waits_for = 'time' THEN starts_ms IS NOT NULL ELSE starts_ms IS NULL END),
    CHECK ((join_token IS NULL) = (join_nonce IS NULL)),
    CHECK (join_token IS NULL OR waits_for IS NOT NULL),
    CHECK ((rematch_of IS NULL) = (rematch_kind IS NULL)),
    CHECK (CASE WHEN played_on_of IS NULL THEN played_on_ply IS NULL
                ELSE played_on_ply >= 0 AND uploaded = 0 END)
) STRICT;

-- Admits one rematch of each kind.
CREATE UNIQUE INDEX game_rematch ON game (rematch_of, rematch_kind) WHERE rematch_of IS NOT NULL;
CREATE INDEX game_join_token ON game (join_token) WHERE join_token IS NOT NULL;
CREATE INDEX game_book_of ON game (book_of, serial) WHERE book_of IS NOT NULL;
CREATE INDEX game_watchable ON game (active_ms)
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0;
CREATE INDEX game_unfinished ON game (pace, active_ms) WHERE finished_ms IS NULL;
-- The kinds of games with different retention, see src/store/features/retention.rs.
CREATE INDEX game_finished ON game (finished_ms) WHERE finished_ms IS NOT NULL;
CREATE INDEX game_uploaded ON game (active_ms, serial) WHERE uploaded = 1;
CREATE INDEX game_untouched ON game (active_ms)
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0;
CREATE INDEX game_awaited ON game (active_ms)
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0);

-- Plies, takebacks, entropy added by players, and an ending that the rules do not determine. The primary key admits one
-- entry of each number.
CREATE TABLE entry (
    game      TEXT    NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL CHECK (number >= 0),
    player    INTEGER,
    -- Empty in a takeback and in entropy, NULL in an ending.
    action    TEXT,
    roll      TEXT,
    ending    TEXT,
    at_ms     INTEGER NOT NULL,
    -- The time of the database's own clock when the entry was inserted; SQLite has none.
    stored_ms INTEGER,
    hash      BLOB    NOT NULL CHECK (length(hash) = 16),
    -- The number of the ply before which the position is restored.
    takeback  INTEGER CHECK (takeback IS NULL
        OR takeback >= 0 AND takeback < number AND ending IS NULL AND action = '' AND roll = ''),
    entropy   TEXT    CHECK (entropy IS NULL
        OR entropy <> '' AND takeback IS NULL AND ending IS NULL AND action = '' AND roll = ''),
    PRIMARY KEY (game, number),
    CHECK (CASE WHEN ending IS NULL
                THEN player IS NOT NULL AND action IS NOT NULL AND roll IS NOT NULL
                ELSE action IS NULL AND roll IS NULL END)
) STRICT, WITHOUT ROWID;
