-- The browser that has the rights of the creator, if they have moved from the browser that created the game.
ALTER TABLE game ADD COLUMN host BYTEA CHECK (length(host) = 32);

-- The lists of a browser have the games whose creator's rights it has.
CREATE OR REPLACE FUNCTION seat_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_game BIGINT;
    made_by BYTEA;
BEGIN
    -- A game that goes takes along what hangs on it.
    SELECT serial, coalesce(host, creator) INTO of_game, made_by FROM game WHERE id = OLD.game;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF OLD.sitter <> 'level' THEN
        UPDATE game SET
            people = people - (OLD.sitter = 'human')::int,
            open_seats = open_seats - (OLD.sitter = 'open')::int
        WHERE id = OLD.game;
    END IF;
    IF OLD.browser IS NOT NULL AND OLD.browser IS DISTINCT FROM made_by THEN
        DELETE FROM shelf WHERE browser = OLD.browser AND serial = of_game;
    END IF;
    IF OLD.invite IS NOT NULL OR OLD.token IS NOT NULL THEN
        DELETE FROM program_game WHERE token = coalesce(OLD.invite, OLD.token) AND serial = of_game;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION seat_token_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM shelf WHERE browser = OLD.token AND serial =
        (SELECT serial FROM game WHERE id = OLD.game AND coalesce(host, creator) IS DISTINCT FROM OLD.token);
    RETURN NULL;
END $$;

CREATE FUNCTION game_hosted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before BYTEA := coalesce(OLD.host, OLD.creator);
    after BYTEA := coalesce(NEW.host, NEW.creator);
BEGIN
    DELETE FROM shelf WHERE browser = before AND serial = NEW.serial
        AND NOT EXISTS (SELECT 1 FROM seat WHERE game = NEW.id AND browser = before);
    IF after IS NOT NULL THEN
        INSERT INTO shelf (browser, serial, active_ms) VALUES (after, NEW.serial, NEW.active_ms)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER game_hosted AFTER UPDATE OF host ON game FOR EACH ROW
    WHEN (NEW.book_of IS NULL AND NEW.host IS DISTINCT FROM OLD.host) EXECUTE FUNCTION game_hosted();
