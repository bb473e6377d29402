-- The games of each browser: those that it created and those in which it has a seat, without the games of the book's
-- page. `browser` is the hash of a browser's secret or of a program's token. Derived from games and seats by triggers.

CREATE TABLE browser_game (
    browser   BYTEA   NOT NULL CHECK (length(browser) = 32),
    serial    BIGINT  NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    active_ms BIGINT  NOT NULL,
    PRIMARY KEY (browser, serial)
);

CREATE INDEX browser_game_newest ON browser_game (browser, active_ms, serial);
CREATE INDEX browser_game_serial ON browser_game (serial);

CREATE FUNCTION game_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO browser_game (browser, serial, active_ms) VALUES (NEW.creator, NEW.serial, NEW.active_ms);
    RETURN NULL;
END $$;

CREATE TRIGGER game_created AFTER INSERT ON game FOR EACH ROW
    WHEN (NEW.creator IS NOT NULL AND NEW.book_of IS NULL) EXECUTE FUNCTION game_created();

CREATE FUNCTION game_active() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE browser_game SET active_ms = NEW.active_ms WHERE serial = NEW.serial;
    RETURN NULL;
END $$;

CREATE TRIGGER game_active AFTER UPDATE OF active_ms ON game FOR EACH ROW
    WHEN (NEW.active_ms <> OLD.active_ms) EXECUTE FUNCTION game_active();

CREATE FUNCTION game_hosted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before BYTEA := coalesce(OLD.host, OLD.creator);
    after BYTEA := coalesce(NEW.host, NEW.creator);
BEGIN
    DELETE FROM browser_game WHERE browser = before AND serial = NEW.serial
        AND NOT EXISTS (SELECT 1 FROM seat WHERE game = NEW.id AND browser = before);
    IF after IS NOT NULL THEN
        INSERT INTO browser_game (browser, serial, active_ms) VALUES (after, NEW.serial, NEW.active_ms)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER game_hosted AFTER UPDATE OF host ON game FOR EACH ROW
    WHEN (NEW.book_of IS NULL AND NEW.host IS DISTINCT FROM OLD.host) EXECUTE FUNCTION game_hosted();

CREATE FUNCTION seat_owner_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO browser_game (browser, serial, active_ms)
        SELECT owner, serial, active_ms FROM game, unnest(ARRAY [NEW.browser, NEW.token]) AS owner
        WHERE id = NEW.game AND book_of IS NULL AND owner IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER seat_owner_added AFTER INSERT ON seat FOR EACH ROW
    WHEN (NEW.browser IS NOT NULL OR NEW.token IS NOT NULL) EXECUTE FUNCTION seat_owner_added();

CREATE FUNCTION seat_owner_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM browser_game USING game
        WHERE game.id = OLD.game AND browser_game.serial = game.serial
          AND browser IN (OLD.browser, OLD.token) AND browser IS DISTINCT FROM coalesce(host, creator);
    RETURN NULL;
END $$;

CREATE TRIGGER seat_owner_removed AFTER DELETE ON seat FOR EACH ROW
    WHEN (OLD.browser IS NOT NULL OR OLD.token IS NOT NULL) EXECUTE FUNCTION seat_owner_removed();
