-- The codes with which another device gets the secret of a browser: one for each browser, for ten minutes.

CREATE TABLE pairing_code (
    browser  BLOB    NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    -- The hash of the code.
    code     BLOB    NOT NULL UNIQUE CHECK (length(code) = 32),
    -- The secret, encrypted with a key that is derived from the code.
    secret   BLOB    NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pairing_code_until ON pairing_code (until_ms);
