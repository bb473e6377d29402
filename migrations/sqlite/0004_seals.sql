-- The chain of hashes over each record, and one over its seats: 16 bytes each, see src/archive/chain.rs.
-- The program seals what was there before, in Rust, before it serves; `user_version` 1 says so.

ALTER TABLE game ADD COLUMN entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0);
-- The seal after the last entry, or the header's own before the first.
ALTER TABLE game ADD COLUMN tip BLOB CHECK (length(tip) = 16);
ALTER TABLE game ADD COLUMN seats_seal BLOB CHECK (length(seats_seal) = 16);
ALTER TABLE entry ADD COLUMN seal BLOB CHECK (length(seal) = 16);

-- A game is marked finished as of its last entry. Early releases took the time of the marking, which
-- came a moment later.
UPDATE game SET finished_ms =
        coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms)
    WHERE finished_ms IS NOT NULL;
