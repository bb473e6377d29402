-- Programs with an identity of their own: one token for all their games. Only its hash is kept.

CREATE TABLE program (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    token      BLOB    NOT NULL UNIQUE CHECK (length(token) = 32),
    -- The game that people who open its link play against it, with its numbers (JSON).
    plays      TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    -- When it was last heard of: programs that come no more are forgotten.
    seen_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX program_seen ON program (seen_ms);

-- The games that go on in which a program sits, or is asked to. All of it follows from seats and games;
-- triggers keep it, so that a list costs what it finds and not what the program ever played.
CREATE TABLE program_game (
    token  BLOB    NOT NULL CHECK (length(token) = 32),
    serial INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    asked  INTEGER NOT NULL CHECK (asked IN (0, 1)),
    PRIMARY KEY (token, serial)
) STRICT, WITHOUT ROWID;

CREATE INDEX program_game_of ON program_game (serial);

CREATE TRIGGER program_seated AFTER INSERT ON seat
    WHEN EXISTS (SELECT 1 FROM program WHERE token = coalesce(NEW.invite, NEW.token))
BEGIN
    INSERT INTO program_game (token, serial, asked)
        SELECT coalesce(NEW.invite, NEW.token), serial, NEW.invite IS NOT NULL FROM game
        WHERE id = NEW.game AND finished_ms IS NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER program_left AFTER DELETE ON seat
    WHEN OLD.invite IS NOT NULL OR OLD.token IS NOT NULL
BEGIN
    DELETE FROM program_game WHERE token = coalesce(OLD.invite, OLD.token)
        AND serial = (SELECT serial FROM game WHERE id = OLD.game);
END;

CREATE TRIGGER program_finished AFTER UPDATE OF finished_ms ON game WHEN NEW.finished_ms IS NOT NULL
BEGIN
    DELETE FROM program_game WHERE serial = NEW.serial;
END;
