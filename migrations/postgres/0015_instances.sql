-- Several servers on one database. All times are those of the database's clock, so that no server's clock decides.

-- The processes that write to the database. Each writes the number of its transaction into its row, so that after a
-- connection was lost during a commit it can read whether that commit took effect.
CREATE TABLE instance (
    id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    batch BIGINT           NOT NULL,
    seen  TIMESTAMPTZ      NOT NULL
) WITH (fillfactor = 10);

-- Which server computes the moves of a game.
CREATE TABLE lease (
    game     TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    -- Since when the game continues by itself; NULL while it waits for a person without a clock, and once it is over.
    due_ms   BIGINT,
    -- The fencing token, which grows with each lease: an entry under an older one is refused.
    token    BIGINT NOT NULL,
    until_ms BIGINT NOT NULL
) -- Rows are small and change often.
WITH (fillfactor = 50);

CREATE INDEX lease_due ON lease (due_ms) WHERE due_ms IS NOT NULL;
