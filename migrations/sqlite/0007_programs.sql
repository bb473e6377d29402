-- Programs with an identity of their own: one token for all their games. Only its hash is stored.

CREATE TABLE program (
    id              TEXT    NOT NULL PRIMARY KEY,
    name            TEXT    NOT NULL,
    token           BLOB    NOT NULL UNIQUE CHECK (length(token) = 32),
    -- The game type with its parameters (JSON) that people who open its link play against it.
    game            TEXT    NOT NULL,
    created_ms      INTEGER NOT NULL,
    -- Inactive programs are deleted.
    active_ms       INTEGER NOT NULL,
    -- The greatest finish number that was reported to it.
    reported_finish INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX program_active ON program (active_ms);

-- The unfinished games in which a program has a seat or an invitation. Derived from seats and games by triggers.
CREATE TABLE program_game (
    token      BLOB    NOT NULL CHECK (length(token) = 32),
    serial     INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    is_invited INTEGER NOT NULL CHECK (is_invited IN (0, 1)),
    PRIMARY KEY (token, serial)
) STRICT, WITHOUT ROWID;

CREATE INDEX program_game_serial ON program_game (serial);

-- The finished games of programs, numbered in the order in which they ended.
CREATE TABLE program_finish (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    token  BLOB    NOT NULL CHECK (length(token) = 32),
    serial INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE
) STRICT;

CREATE INDEX program_finish_token ON program_finish (token, number);
CREATE INDEX program_finish_serial ON program_finish (serial);

CREATE TRIGGER seat_program_added AFTER INSERT ON seat
    WHEN EXISTS (SELECT 1 FROM program WHERE token = coalesce(NEW.invitation, NEW.token))
BEGIN
    INSERT INTO program_game (token, serial, is_invited)
        SELECT coalesce(NEW.invitation, NEW.token), serial, NEW.invitation IS NOT NULL FROM game
        WHERE id = NEW.game AND finished_ms IS NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER seat_program_removed AFTER DELETE ON seat
    WHEN OLD.invitation IS NOT NULL OR OLD.token IS NOT NULL
BEGIN
    DELETE FROM program_game WHERE token = coalesce(OLD.invitation, OLD.token)
        AND serial = (SELECT serial FROM game WHERE id = OLD.game);
END;

CREATE TRIGGER game_finished AFTER UPDATE OF finished_ms ON game WHEN NEW.finished_ms IS NOT NULL
BEGIN
    INSERT INTO program_finish (token, serial) SELECT token, serial FROM program_game WHERE serial = NEW.serial;
    DELETE FROM program_game WHERE serial = NEW.serial;
END;
