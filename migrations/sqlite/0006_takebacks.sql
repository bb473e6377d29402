-- Entries that are no plies: a takeback, and words of a player that go into the dice. Both belong to a
-- player; their action and roll are empty texts.

-- The number of the ply before which the game stands again.
ALTER TABLE entry ADD COLUMN takeback INTEGER CHECK (takeback IS NULL
    OR takeback >= 0 AND takeback < number AND ending IS NULL AND action = '' AND roll = '');
ALTER TABLE entry ADD COLUMN entropy TEXT CHECK (entropy IS NULL
    OR entropy <> '' AND takeback IS NULL AND ending IS NULL AND action = '' AND roll = '');

-- Whether plies may be taken back at this table; the games of before allow it.
ALTER TABLE game ADD COLUMN takebacks INTEGER NOT NULL DEFAULT 1 CHECK (takebacks IN (0, 1));
