-- How often each result was rolled on this server, in all games together. Derived from the entries: the table may be
-- emptied, and counting then begins again.

CREATE TABLE counter (
    name  TEXT    NOT NULL PRIMARY KEY,
    count BIGINT  NOT NULL CHECK (count >= 0)
);
