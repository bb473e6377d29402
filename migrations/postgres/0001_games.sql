-- Games and their entries. SQLite and PostgreSQL have the same tables, of plain types: numbers and times (Unix
-- milliseconds) are integers, yes and no are 1 and 0, hashes and seeds are bytes. Ids compare by bytes, whatever the
-- language of the database.

CREATE TABLE game (
    -- Counts the games: of two games with the same time the one with the greater number is newer. A transaction that
    -- creates games holds an advisory lock until its commit, so that the numbers become visible in their order.
    serial          BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              TEXT COLLATE "C" NOT NULL UNIQUE,
    -- The game type with its parameters, and the start position: JSON.
    game            TEXT    NOT NULL,
    start           TEXT    NOT NULL,
    -- NULL in uploaded games whose record does not contain the seed.
    dice_seed       BYTEA   CHECK (length(dice_seed) = 32),
    dice_salt       BYTEA   CHECK (length(dice_salt) = 32 AND (dice_salt IS NULL) = (dice_seed IS NULL)),
    pace            TEXT    NOT NULL CHECK (pace IN ('at-once', 'on-request')),
    -- The browser that created the game, and the one that has the rights of the creator if these have moved.
    creator         BYTEA   CHECK (length(creator) = 32),
    host            BYTEA   CHECK (length(host) = 32),
    -- The browser whose game on the book's page this is.
    book_of         BYTEA   CHECK (length(book_of) = 32),
    created_ms      BIGINT  NOT NULL,
    private         BIGINT  NOT NULL CHECK (private IN (0, 1)),
    takebacks       BIGINT  NOT NULL CHECK (takebacks IN (0, 1)),
    hints           BIGINT  NOT NULL CHECK (hints IN (0, 1)),
    -- After this number of seconds without a ply the others may let a computer play; NULL: never.
    replace_after_s BIGINT  CHECK (replace_after_s > 0),
    -- The seconds that a person has for a turn; NULL without a clock.
    turn_s          BIGINT,
    -- The game of which this is a rematch. It may have been deleted, so it is not a foreign key.
    rematch_of      TEXT COLLATE "C",
    rematch_kind    TEXT    CHECK (rematch_kind IN ('new', 'same', 'easier', 'harder')),
    -- The game from which this one was played on, and the position in it. It may have been deleted, too.
    played_on_of    TEXT,
    played_on_ply   BIGINT,
    -- The game was played elsewhere and uploaded; its original id, if its dice are proved with it, and who played it (JSON).
    uploaded        BIGINT  NOT NULL CHECK (uploaded IN (0, 1)),
    uploaded_id     TEXT    CHECK (uploaded_id IS NULL OR uploaded = 1),
    provenance      TEXT    CHECK (provenance IS NULL OR uploaded = 1),
    -- The day of a scored game.
    daily           BIGINT,
    -- What the start of a game waits for: people, the time starts_ms, or its host. NULL once it has started.
    waits_for       TEXT    CHECK (waits_for IN ('people', 'time', 'host')),
    starts_ms       BIGINT,
    -- The link that takes the next free seat before the start, and what it is derived from.
    join_token      BYTEA   CHECK (length(join_token) = 32),
    join_nonce      BYTEA   CHECK (length(join_nonce) = 16),
    seats_revision  BIGINT  NOT NULL DEFAULT 0,
    -- The hash chain over header and entries, and the hash of the seats: src/store/hash_chain.rs.
    entries         BIGINT  NOT NULL DEFAULT 0 CHECK (entries >= 0),
    chain_head      BYTEA   NOT NULL CHECK (length(chain_head) = 16),
    seats_hash      BYTEA   NOT NULL CHECK (length(seats_hash) = 16),
    -- For lists and retention; the record determines whether the game is over.
    finished_ms     BIGINT,

    -- The columns below are derived by triggers; what follows from an entry, by the statement that adds it.
    -- The time of the last entry, to the second, or of the newest occupation of a seat since then.
    active_ms       BIGINT  NOT NULL,
    -- Whether a person has played a ply.
    played          BIGINT  NOT NULL DEFAULT 0 CHECK (played IN (0, 1)),
    -- How many seats people and programs have, and how many are open.
    people          BIGINT  NOT NULL DEFAULT 0,
    open_seats      BIGINT  NOT NULL DEFAULT 0,

    CHECK (CASE WHEN waits_for = 'time' THEN starts_ms IS NOT NULL ELSE starts_ms IS NULL END),
    CHECK ((join_token IS NULL) = (join_nonce IS NULL)),
    CHECK (join_token IS NULL OR waits_for IS NOT NULL),
    CHECK ((rematch_of IS NULL) = (rematch_kind IS NULL)),
    CHECK (CASE WHEN played_on_of IS NULL THEN played_on_ply IS NULL
                ELSE played_on_ply >= 0 AND uploaded = 0 END)
) -- Each ply changes its game's row; with free space in the page the indexes stay unchanged.
WITH (fillfactor = 70);

-- Admits one rematch of each kind.
CREATE UNIQUE INDEX game_rematch ON game (rematch_of, rematch_kind) WHERE rematch_of IS NOT NULL;
CREATE INDEX game_join_token ON game (join_token) WHERE join_token IS NOT NULL;
CREATE INDEX game_book_of ON game (book_of, serial) WHERE book_of IS NOT NULL;
CREATE INDEX game_watchable ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0;
CREATE INDEX game_unfinished ON game (pace, active_ms, serial) WHERE finished_ms IS NULL;
-- The kinds of games with different retention, see src/store/features/retention.rs.
CREATE INDEX game_finished ON game (finished_ms, serial) WHERE finished_ms IS NOT NULL;
CREATE INDEX game_uploaded ON game (active_ms, serial) WHERE uploaded = 1;
CREATE INDEX game_untouched ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0;
CREATE INDEX game_awaited ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0);

-- Plies, takebacks, entropy added by players, and an ending that the rules do not determine. The primary key admits one
-- entry of each number.
CREATE TABLE entry (
    game      TEXT COLLATE "C" NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number    BIGINT  NOT NULL CHECK (number >= 0),
    player    BIGINT,
    -- Empty in a takeback and in entropy, NULL in an ending.
    action    TEXT,
    roll      TEXT,
    ending    TEXT,
    at_ms     BIGINT  NOT NULL,
    -- The time of the database's clock when the entry was inserted; at_ms is that of the server's clock.
    stored_ms BIGINT,
    hash      BYTEA   NOT NULL CHECK (length(hash) = 16),
    -- The number of the ply before which the position is restored.
    takeback  BIGINT  CHECK (takeback IS NULL
        OR takeback >= 0 AND takeback < number AND ending IS NULL AND action = '' AND roll = ''),
    entropy   TEXT    CHECK (entropy IS NULL
        OR entropy <> '' AND takeback IS NULL AND ending IS NULL AND action = '' AND roll = ''),
    PRIMARY KEY (game, number),
    CHECK (CASE WHEN ending IS NULL
                THEN player IS NOT NULL AND action IS NOT NULL AND roll IS NOT NULL
                ELSE action IS NULL AND roll IS NULL END)
);
