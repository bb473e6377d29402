-- The key of each day with which the networks of clients are hashed. It is deleted with the hashes when half an hour of
-- the next day is over.
CREATE TABLE network_key (
    day INTEGER NOT NULL PRIMARY KEY,
    key BLOB    NOT NULL CHECK (length(key) = 32)
) STRICT;

-- The hash of the client's network until then, and whether the public counts of the puzzle take the answer.
ALTER TABLE puzzle_answer ADD COLUMN network BLOB CHECK (length(network) = 32);
ALTER TABLE puzzle_answer ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 1 CHECK (is_counted IN (0, 1));

CREATE INDEX puzzle_answer_from ON puzzle_answer (puzzle, network) WHERE network IS NOT NULL;
