-- The hash of the network from which the game was begun, until half an hour of the next day is over, and whether the public
-- counts may take a result that is stored after that.
ALTER TABLE daily_attempt ADD COLUMN network BLOB CHECK (length(network) = 32);
ALTER TABLE daily_attempt ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 1 CHECK (is_counted IN (0, 1));

CREATE INDEX daily_attempt_from ON daily_attempt (day, network) WHERE network IS NOT NULL;
