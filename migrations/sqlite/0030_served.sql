-- The periods in which a server was ready. Nobody's time for a turn runs out between them.
CREATE TABLE served (
    from_ms  INTEGER NOT NULL PRIMARY KEY,
    until_ms INTEGER NOT NULL
) STRICT;
