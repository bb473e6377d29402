-- How many batches were committed. The program records the same number in the lock file after each commit: a database
-- that has fewer has lost commits.

CREATE TABLE commit_count (
    number INTEGER NOT NULL CHECK (number >= 0)
) STRICT;

INSERT INTO commit_count (number) VALUES (0);
