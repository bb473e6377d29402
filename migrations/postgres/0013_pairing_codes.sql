-- The codes with which another device gets the secret of a browser: one for each browser, for ten minutes.

CREATE TABLE pairing_code (
    browser  BYTEA   NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    -- The hash of the code.
    code     BYTEA   NOT NULL UNIQUE CHECK (length(code) = 32),
    -- The secret, encrypted with a key that is derived from the code.
    secret   BYTEA   NOT NULL,
    until_ms BIGINT  NOT NULL
);

CREATE INDEX pairing_code_until ON pairing_code (until_ms);
