-- Rematches against easier and harder computers: a kind may have two more names. A check cannot be
-- changed, so the column is made anew; the index on it goes and comes back.

DROP INDEX game_rematch;
ALTER TABLE game RENAME COLUMN rematch_kind TO rematch_kind_before;
ALTER TABLE game ADD COLUMN rematch_kind TEXT
    CHECK (rematch_kind IN ('new', 'same', 'easier', 'harder'));
UPDATE game SET rematch_kind = rematch_kind_before WHERE rematch_of IS NOT NULL;
ALTER TABLE game DROP COLUMN rematch_kind_before;

-- The lock of a rematch: whoever writes it first has made it.
CREATE UNIQUE INDEX game_rematch ON game (rematch_of, rematch_kind) WHERE rematch_of IS NOT NULL;
