-- The first answer of each browser to each puzzle.
CREATE TABLE puzzle_answer (
    browser  BYTEA   NOT NULL CHECK (length(browser) = 32),
    puzzle   TEXT    NOT NULL,
    is_right BIGINT  NOT NULL CHECK (is_right IN (0, 1)),
    at_ms    BIGINT  NOT NULL,
    PRIMARY KEY (browser, puzzle)
);

CREATE INDEX puzzle_answer_of ON puzzle_answer (puzzle, is_right);
