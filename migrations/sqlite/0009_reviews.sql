-- Reviews of games. All of it can be found out again from the record, so this table may be emptied at any
-- time: a review that is wanted again is made again.
--
-- `review` is null until it was made for the first time. `wanted_ms` is when somebody asked for it and
-- null once it is made: after a restart those that are wanted go on.
CREATE TABLE review (
    game      TEXT    NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    wanted_ms INTEGER,
    review    TEXT,
    CHECK (wanted_ms IS NOT NULL OR review IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX review_wanted ON review (wanted_ms) WHERE wanted_ms IS NOT NULL;
