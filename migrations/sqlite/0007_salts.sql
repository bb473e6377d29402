-- What the commitment of a game's dice hides the seed with; null in records of format 1, which showed none.

ALTER TABLE game ADD COLUMN dice_salt BLOB CHECK (length(dice_salt) = 32);

-- How often what was rolled on this server, all games together. It follows from the entries, and may be
-- emptied: then it is counted anew from there on.
CREATE TABLE tally (
    name  TEXT    NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL CHECK (count >= 0)
) STRICT, WITHOUT ROWID;
