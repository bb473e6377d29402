-- The periods in which a server was ready. No time for a turn runs out between them.

CREATE TABLE served_period (
    from_ms  INTEGER NOT NULL PRIMARY KEY,
    until_ms INTEGER NOT NULL
) STRICT;
