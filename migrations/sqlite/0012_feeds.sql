-- The Atom feed of each browser that has one.

CREATE TABLE feed (
    browser    BLOB    NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    -- The hash of the token in the feed's address, which is derived from the browser's secret and the nonce.
    token      BLOB    NOT NULL UNIQUE CHECK (length(token) = 32),
    nonce      BLOB    NOT NULL CHECK (length(nonce) = 16),
    language   TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    -- When it was last fetched, to a day; feeds that are not fetched are deleted.
    fetched_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX feed_fetched ON feed (fetched_ms);
