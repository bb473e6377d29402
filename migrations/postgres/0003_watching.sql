-- Several servers on one database: how many watch which games at each of them. What stands here is true for seconds
-- and is told anew, so a crash may empty it.
CREATE UNLOGGED TABLE watching (
    -- Which server this is; it has no other name here.
    server   TEXT      COLLATE "C" NOT NULL PRIMARY KEY,
    -- Grows whenever the lists change.
    revision BIGINT    NOT NULL,
    -- When it was told last, by the clock of the database; who stands still or has died counts no more.
    at_ms    BIGINT    NOT NULL,
    -- The games, and how many watch each of them.
    games    TEXT[]    NOT NULL,
    watchers INTEGER[] NOT NULL
);
