-- The Atom feed of each browser that has one.
CREATE TABLE feed (
    browser    BLOB    NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    token      BLOB    NOT NULL UNIQUE CHECK (length(token) = 32),
    nonce      BLOB    NOT NULL CHECK (length(nonce) = 16),
    language   TEXT    NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
