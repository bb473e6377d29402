-- Games whose record was brought here are forgotten after a time of their own.
CREATE INDEX game_uploaded ON game (active_ms, serial) WHERE uploaded = 1;
