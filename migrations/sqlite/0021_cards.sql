-- What lists show of a game, so that they need not replay its record. All of it follows from the record, so this
-- table may be emptied at any time.
CREATE TABLE card (
    game TEXT NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    card TEXT NOT NULL
) STRICT, WITHOUT ROWID;
