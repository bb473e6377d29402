-- The periods in which a server was ready. No time for a turn runs out between them.

CREATE TABLE served_period (
    from_ms  BIGINT  NOT NULL PRIMARY KEY,
    until_ms BIGINT  NOT NULL
);
