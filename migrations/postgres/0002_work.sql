-- Several servers on one database: who thinks about which game. The times are the database's own, so that no
-- server's clock decides.
CREATE TABLE work (
    game     TEXT   COLLATE "C" NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    -- Since when the game goes on by itself; null while a person is to move, and once it is over.
    due_ms   BIGINT,
    -- Grows with each lease: whoever writes under an older one is refused.
    token    BIGINT NOT NULL,
    -- Until when the lease holds.
    until_ms BIGINT NOT NULL
) -- Rows are small and change often.
WITH (fillfactor = 50);

CREATE INDEX work_due ON work (due_ms) WHERE due_ms IS NOT NULL;

-- What goes on, nobody has said yet: whoever claims a game looks.
INSERT INTO work (game, due_ms, token, until_ms)
    SELECT id, active_ms, 0, 0 FROM game WHERE finished_ms IS NULL;
