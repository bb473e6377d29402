-- The first answer of each browser to each puzzle.
CREATE TABLE puzzle_answer (
    browser  BLOB    NOT NULL CHECK (length(browser) = 32),
    puzzle   TEXT    NOT NULL,
    is_right INTEGER NOT NULL CHECK (is_right IN (0, 1)),
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (browser, puzzle)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzle_answer_of ON puzzle_answer (puzzle, is_right);
