-- Games with a free seat that anybody may find and join, as long as their creator was seen lately.

CREATE TABLE open_table (
    game      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    opened_ms BIGINT  NOT NULL,
    seen_ms   BIGINT  NOT NULL,
    -- A hash of the client network that opened it; NULL where networks are not counted.
    network   BIGINT
);

CREATE INDEX open_table_seen ON open_table (seen_ms);
