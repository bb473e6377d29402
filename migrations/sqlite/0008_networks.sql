-- The key of each day with which client networks are hashed. It is deleted, with the hashes in other tables, when half
-- an hour of the next day is over.

CREATE TABLE network_key (
    day INTEGER NOT NULL PRIMARY KEY,
    key BLOB    NOT NULL CHECK (length(key) = 32)
) STRICT;
