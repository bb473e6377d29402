-- Games that begin elsewhere: from a position of another game, or as a record that somebody brought.

-- The game that this one was played on from, and the position. It may have been cleared away, so it is
-- no reference.
ALTER TABLE game ADD COLUMN played_on_of TEXT;
ALTER TABLE game ADD COLUMN played_on_ply INTEGER
    CHECK (CASE WHEN played_on_of IS NULL THEN played_on_ply IS NULL ELSE played_on_ply >= 0 END);
-- It was played elsewhere, with dice that are none of this server's.
ALTER TABLE game ADD COLUMN uploaded INTEGER NOT NULL DEFAULT 0
    CHECK (uploaded IN (0, 1) AND NOT (uploaded = 1 AND played_on_of IS NOT NULL));
