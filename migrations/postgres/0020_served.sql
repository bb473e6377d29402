-- The periods in which a server was ready. Nobody's time for a turn runs out between them.
CREATE TABLE served (
    from_ms  BIGINT NOT NULL PRIMARY KEY,
    until_ms BIGINT NOT NULL
);
