-- Programs find their games by their token, as browsers do by their secret: `shelf.browser` is the hash of
-- either. And what a program has not been told yet: which of its games are over.

INSERT INTO shelf (browser, serial, active_ms)
    SELECT DISTINCT token, serial, active_ms FROM seat JOIN game ON game.id = seat.game
    WHERE token IS NOT NULL AND book_of IS NULL
ON CONFLICT DO NOTHING;

CREATE FUNCTION seat_token_found() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shelf (browser, serial, active_ms)
        SELECT NEW.token, serial, active_ms FROM game WHERE id = NEW.game AND book_of IS NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER seat_token_found AFTER INSERT ON seat FOR EACH ROW
    WHEN (NEW.token IS NOT NULL) EXECUTE FUNCTION seat_token_found();

CREATE FUNCTION seat_token_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM shelf WHERE browser = OLD.token
        AND serial = (SELECT serial FROM game WHERE id = OLD.game AND creator IS DISTINCT FROM OLD.token);
    RETURN NULL;
END $$;

CREATE TRIGGER seat_token_left AFTER DELETE ON seat FOR EACH ROW
    WHEN (OLD.token IS NOT NULL) EXECUTE FUNCTION seat_token_left();

-- The games of programs that are over, numbered in the order in which they ended.
CREATE TABLE program_finish (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token  BYTEA  NOT NULL CHECK (length(token) = 32),
    serial BIGINT NOT NULL REFERENCES game (serial) ON DELETE CASCADE
);

CREATE INDEX program_finish_of ON program_finish (token, number);
CREATE INDEX program_finish_game ON program_finish (serial);

-- The greatest of these numbers that the program was told.
ALTER TABLE program ADD COLUMN told BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION game_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO program_finish (token, serial) SELECT token, serial FROM program_game WHERE serial = NEW.serial;
    DELETE FROM program_game WHERE serial = NEW.serial;
    RETURN NULL;
END $$;
