-- When a feed was last fetched, to a day; retention deletes those that nobody fetches.
ALTER TABLE feed ADD COLUMN fetched_ms INTEGER NOT NULL DEFAULT 0;

UPDATE feed SET fetched_ms = created_ms;

CREATE INDEX feed_fetched ON feed (fetched_ms);
CREATE INDEX puzzle_answer_at ON puzzle_answer (at_ms);
