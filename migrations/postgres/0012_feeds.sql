-- The Atom feed of each browser that has one.

CREATE TABLE feed (
    browser    BYTEA   NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    -- The hash of the token in the feed's address, which is derived from the browser's secret and the nonce.
    token      BYTEA   NOT NULL UNIQUE CHECK (length(token) = 32),
    nonce      BYTEA   NOT NULL CHECK (length(nonce) = 16),
    language   TEXT    NOT NULL,
    created_ms BIGINT  NOT NULL,
    -- When it was last fetched, to a day; feeds that are not fetched are deleted.
    fetched_ms BIGINT  NOT NULL
);

CREATE INDEX feed_fetched ON feed (fetched_ms);
