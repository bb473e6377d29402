-- Programs find their games by their token, as browsers do by their secret: `shelf.browser` is the hash of
-- either. And what a program has not been told yet: which of its games are over.

INSERT INTO shelf (browser, serial, active_ms)
    SELECT DISTINCT token, serial, active_ms FROM seat JOIN game ON game.id = seat.game
    WHERE token IS NOT NULL AND book_of IS NULL
ON CONFLICT DO NOTHING;

CREATE TRIGGER seat_token_found AFTER INSERT ON seat WHEN NEW.token IS NOT NULL
BEGIN
    INSERT INTO shelf (browser, serial, active_ms)
        SELECT NEW.token, serial, active_ms FROM game WHERE id = NEW.game AND book_of IS NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER seat_token_left AFTER DELETE ON seat WHEN OLD.token IS NOT NULL
BEGIN
    DELETE FROM shelf WHERE browser = OLD.token
        AND serial = (SELECT serial FROM game WHERE id = OLD.game AND creator IS NOT OLD.token);
END;

-- The games of programs that are over, numbered in the order in which they ended.
CREATE TABLE program_finish (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    token  BLOB    NOT NULL CHECK (length(token) = 32),
    serial INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE
) STRICT;

CREATE INDEX program_finish_of ON program_finish (token, number);
CREATE INDEX program_finish_game ON program_finish (serial);

-- The greatest of these numbers that the program was told.
ALTER TABLE program ADD COLUMN told INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER program_finished;
CREATE TRIGGER program_finished AFTER UPDATE OF finished_ms ON game WHEN NEW.finished_ms IS NOT NULL
BEGIN
    INSERT INTO program_finish (token, serial) SELECT token, serial FROM program_game WHERE serial = NEW.serial;
    DELETE FROM program_game WHERE serial = NEW.serial;
END;
