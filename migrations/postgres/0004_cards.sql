-- What lists show of a game, so that they need not replay its record. Derived from the record: the table may be emptied.

CREATE TABLE card (
    game TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    card TEXT NOT NULL
) -- Each ply replaces its game's card.
WITH (fillfactor = 70);
