-- The first answer of each browser to each puzzle.

CREATE TABLE puzzle_answer (
    browser    BLOB    NOT NULL CHECK (length(browser) = 32),
    puzzle     TEXT    NOT NULL,
    is_right   INTEGER NOT NULL CHECK (is_right IN (0, 1)),
    at_ms      INTEGER NOT NULL,
    -- The hash of the client's network, until the hashes of the day are deleted.
    network    BLOB    CHECK (length(network) = 32),
    -- Whether the public counts of the puzzle include the answer.
    is_counted INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
    PRIMARY KEY (browser, puzzle)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzle_answer_puzzle ON puzzle_answer (puzzle, is_right);
CREATE INDEX puzzle_answer_network ON puzzle_answer (puzzle, network) WHERE network IS NOT NULL;
CREATE INDEX puzzle_answer_at ON puzzle_answer (at_ms);
