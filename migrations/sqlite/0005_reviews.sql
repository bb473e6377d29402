-- Reviews of games. Derived from the record: the table may be emptied.

CREATE TABLE review (
    game         TEXT    NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    -- When it was requested; NULL once it is made. Requested reviews are continued after a restart.
    requested_ms INTEGER,
    -- The newest review that was made.
    review       TEXT,
    CHECK (requested_ms IS NOT NULL OR review IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX review_requested ON review (requested_ms) WHERE requested_ms IS NOT NULL;
