-- The Atom feed of each browser that has one.
CREATE TABLE feed (
    browser    BYTEA   NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    token      BYTEA   NOT NULL UNIQUE CHECK (length(token) = 32),
    nonce      BYTEA   NOT NULL CHECK (length(nonce) = 16),
    language   TEXT    NOT NULL,
    created_ms BIGINT  NOT NULL
);
