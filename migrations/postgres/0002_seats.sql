-- The seats of games, and what follows from them in the table game. Only hashes of secrets and links are stored.

CREATE TABLE seat (
    game       TEXT COLLATE "C" NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player     BIGINT  NOT NULL CHECK (player >= 0),
    -- 'human' is a person or a program.
    occupant   TEXT    NOT NULL CHECK (occupant IN ('human', 'level', 'open')),
    level      TEXT    CHECK ((occupant = 'level') = (level IS NOT NULL)),
    name       TEXT,
    browser    BYTEA   CHECK (length(browser) = 32),
    token      BYTEA   CHECK (length(token) = 32),
    -- The link with which the seat can be taken, and the one with which it was taken.
    invitation BYTEA   CHECK (length(invitation) = 32),
    joined_by  BYTEA   CHECK (length(joined_by) = 32),
    -- The current link of the seat is derived from it.
    nonce      BYTEA   CHECK (length(nonce) = 16),
    since_ms   BIGINT,
    PRIMARY KEY (game, player)
);

CREATE INDEX seat_invitation ON seat (invitation) WHERE invitation IS NOT NULL;
CREATE INDEX seat_joined_by ON seat (joined_by) WHERE joined_by IS NOT NULL;
CREATE INDEX seat_token ON seat (token) WHERE token IS NOT NULL;

-- What follows from entries is set by the statement that adds them: src/store/database/statements.rs.
CREATE FUNCTION seat_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.occupant <> 'level' THEN
        UPDATE game SET
            people = people + (NEW.occupant = 'human')::int,
            open_seats = open_seats + (NEW.occupant = 'open')::int
        WHERE id = NEW.game;
    END IF;
    IF NEW.since_ms IS NOT NULL THEN
        UPDATE game SET active_ms = NEW.since_ms WHERE id = NEW.game AND active_ms < NEW.since_ms;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER seat_added AFTER INSERT ON seat FOR EACH ROW EXECUTE FUNCTION seat_added();

CREATE FUNCTION seat_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE game SET
        people = people - (OLD.occupant = 'human')::int,
        open_seats = open_seats - (OLD.occupant = 'open')::int
    WHERE id = OLD.game;
    RETURN NULL;
END $$;

CREATE TRIGGER seat_removed AFTER DELETE ON seat FOR EACH ROW
    WHEN (OLD.occupant <> 'level') EXECUTE FUNCTION seat_removed();
