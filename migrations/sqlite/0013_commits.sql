-- How many batches were committed. The program notes the same number beside the database after each commit:
-- a database that has fewer has lost commits. The number costs one page of the log in each commit.
CREATE TABLE commits (
    number INTEGER NOT NULL CHECK (number >= 0)
) STRICT;

INSERT INTO commits (number) VALUES (0);
