-- The games of each browser: those that it created and those in which it has a seat, without the games of the book's
-- page. `browser` is the hash of a browser's secret or of a program's token. Derived from games and seats by triggers.

CREATE TABLE browser_game (
    browser   BLOB    NOT NULL CHECK (length(browser) = 32),
    serial    INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    active_ms INTEGER NOT NULL,
    PRIMARY KEY (browser, serial)
) STRICT, WITHOUT ROWID;

CREATE INDEX browser_game_newest ON browser_game (browser, active_ms);
CREATE INDEX browser_game_serial ON browser_game (serial);

CREATE TRIGGER game_created AFTER INSERT ON game WHEN NEW.creator IS NOT NULL AND NEW.book_of IS NULL
BEGIN
    INSERT INTO browser_game (browser, serial, active_ms) VALUES (NEW.creator, NEW.serial, NEW.active_ms);
END;

CREATE TRIGGER game_active AFTER UPDATE OF active_ms ON game WHEN NEW.active_ms <> OLD.active_ms
BEGIN
    UPDATE browser_game SET active_ms = NEW.active_ms WHERE serial = NEW.serial;
END;

CREATE TRIGGER game_hosted AFTER UPDATE OF host ON game WHEN NEW.book_of IS NULL AND NEW.host IS NOT OLD.host
BEGIN
    DELETE FROM browser_game WHERE browser = coalesce(OLD.host, OLD.creator) AND serial = NEW.serial
        AND NOT EXISTS (SELECT 1 FROM seat WHERE game = NEW.id AND browser = coalesce(OLD.host, OLD.creator));
    INSERT INTO browser_game (browser, serial, active_ms)
        SELECT coalesce(NEW.host, NEW.creator), NEW.serial, NEW.active_ms
        WHERE coalesce(NEW.host, NEW.creator) IS NOT NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER seat_browser_added AFTER INSERT ON seat WHEN NEW.browser IS NOT NULL
BEGIN
    INSERT INTO browser_game (browser, serial, active_ms)
        SELECT NEW.browser, serial, active_ms FROM game
        WHERE id = NEW.game AND book_of IS NULL
          AND NOT EXISTS
            (SELECT 1 FROM browser_game WHERE browser = NEW.browser AND browser_game.serial = game.serial);
END;

CREATE TRIGGER seat_browser_removed AFTER DELETE ON seat WHEN OLD.browser IS NOT NULL
BEGIN
    DELETE FROM browser_game WHERE browser = OLD.browser AND serial =
        (SELECT serial FROM game WHERE id = OLD.game AND coalesce(host, creator) IS NOT OLD.browser);
END;

CREATE TRIGGER seat_token_added AFTER INSERT ON seat WHEN NEW.token IS NOT NULL
BEGIN
    INSERT INTO browser_game (browser, serial, active_ms)
        SELECT NEW.token, serial, active_ms FROM game WHERE id = NEW.game AND book_of IS NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER seat_token_removed AFTER DELETE ON seat WHEN OLD.token IS NOT NULL
BEGIN
    DELETE FROM browser_game WHERE browser = OLD.token AND serial =
        (SELECT serial FROM game WHERE id = OLD.game AND coalesce(host, creator) IS NOT OLD.token);
END;
