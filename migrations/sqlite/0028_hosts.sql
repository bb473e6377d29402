-- The browser that has the rights of the creator, if they have moved from the browser that created the game.
ALTER TABLE game ADD COLUMN host BLOB CHECK (length(host) = 32);

-- The lists of a browser have the games whose creator's rights it has.
DROP TRIGGER seat_left;
CREATE TRIGGER seat_left AFTER DELETE ON seat WHEN OLD.browser IS NOT NULL
BEGIN
    DELETE FROM shelf WHERE browser = OLD.browser AND serial =
        (SELECT serial FROM game WHERE id = OLD.game AND coalesce(host, creator) IS NOT OLD.browser);
END;

DROP TRIGGER seat_token_left;
CREATE TRIGGER seat_token_left AFTER DELETE ON seat WHEN OLD.token IS NOT NULL
BEGIN
    DELETE FROM shelf WHERE browser = OLD.token AND serial =
        (SELECT serial FROM game WHERE id = OLD.game AND coalesce(host, creator) IS NOT OLD.token);
END;

CREATE TRIGGER game_hosted AFTER UPDATE OF host ON game WHEN NEW.book_of IS NULL AND NEW.host IS NOT OLD.host
BEGIN
    DELETE FROM shelf WHERE browser = coalesce(OLD.host, OLD.creator) AND serial = NEW.serial
        AND NOT EXISTS (SELECT 1 FROM seat WHERE game = NEW.id AND browser = coalesce(OLD.host, OLD.creator));
    INSERT INTO shelf (browser, serial, active_ms)
        SELECT coalesce(NEW.host, NEW.creator), NEW.serial, NEW.active_ms
        WHERE coalesce(NEW.host, NEW.creator) IS NOT NULL
    ON CONFLICT DO NOTHING;
END;
