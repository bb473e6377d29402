-- Seats that people share: invitations by link, games that only their people see, what comes after
-- a table has waited too long, and rematches. Only hashes of links are kept.

ALTER TABLE game ADD COLUMN private INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1));

-- So many seconds without a ply, and the others may let a computer play; null: never.
ALTER TABLE game ADD COLUMN replace_after_s INTEGER CHECK (replace_after_s > 0);

-- The game that this one is the rematch of. It may have been cleared away, so it is no reference.
ALTER TABLE game ADD COLUMN rematch_of TEXT;
ALTER TABLE game ADD COLUMN rematch_kind TEXT
    CHECK (CASE WHEN rematch_of IS NULL THEN rematch_kind IS NULL
                ELSE rematch_kind IS NOT NULL AND rematch_kind IN ('new', 'same') END);

-- The lock of a rematch: whoever writes it first has made it.
CREATE UNIQUE INDEX game_rematch ON game (rematch_of, rematch_kind) WHERE rematch_of IS NOT NULL;
CREATE INDEX game_watchable ON game (serial)
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL;

-- `invite` is the link that takes the seat, `joined` the one with which it was taken. `nonce` is
-- what the current link of the seat was derived with. `since_ms` is when its sitter sat down.
ALTER TABLE seat ADD COLUMN invite BLOB CHECK (length(invite) = 32);
ALTER TABLE seat ADD COLUMN joined BLOB CHECK (length(joined) = 32);
ALTER TABLE seat ADD COLUMN nonce BLOB CHECK (length(nonce) = 16);
ALTER TABLE seat ADD COLUMN since_ms INTEGER;

CREATE INDEX seat_invite ON seat (invite) WHERE invite IS NOT NULL;
CREATE INDEX seat_joined ON seat (joined) WHERE joined IS NOT NULL;
CREATE INDEX seat_token ON seat (token) WHERE token IS NOT NULL;
