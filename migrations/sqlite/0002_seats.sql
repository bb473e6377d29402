-- The seats of games, and what follows from them in the table game. Only hashes of secrets and links are stored.

CREATE TABLE seat (
    game       TEXT    NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player     INTEGER NOT NULL CHECK (player >= 0),
    -- 'human' is a person or a program.
    occupant   TEXT    NOT NULL CHECK (occupant IN ('human', 'level', 'open')),
    level      TEXT    CHECK ((occupant = 'level') = (level IS NOT NULL)),
    name       TEXT,
    browser    BLOB    CHECK (length(browser) = 32),
    token      BLOB    CHECK (length(token) = 32),
    -- The link with which the seat can be taken, and the one with which it was taken.
    invitation BLOB    CHECK (length(invitation) = 32),
    joined_by  BLOB    CHECK (length(joined_by) = 32),
    -- The current link of the seat is derived from it.
    nonce      BLOB    CHECK (length(nonce) = 16),
    since_ms   INTEGER,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX seat_invitation ON seat (invitation) WHERE invitation IS NOT NULL;
CREATE INDEX seat_joined_by ON seat (joined_by) WHERE joined_by IS NOT NULL;
CREATE INDEX seat_token ON seat (token) WHERE token IS NOT NULL;

-- Within a second of the known activity nothing is written, so that quick plies of computers cost no more.
CREATE TRIGGER entry_added AFTER INSERT ON entry
BEGIN
    UPDATE game SET
        active_ms = NEW.at_ms,
        played = played OR EXISTS
            (SELECT 1 FROM seat WHERE game = NEW.game AND player = NEW.player AND occupant = 'human')
    WHERE id = NEW.game
      AND (NEW.at_ms NOT BETWEEN active_ms AND active_ms + 999
           OR played = 0 AND EXISTS
            (SELECT 1 FROM seat WHERE game = NEW.game AND player = NEW.player AND occupant = 'human'));
END;

CREATE TRIGGER seat_counted AFTER INSERT ON seat WHEN NEW.occupant <> 'level'
BEGIN
    UPDATE game SET
        people = people + (NEW.occupant = 'human'),
        open_seats = open_seats + (NEW.occupant = 'open')
    WHERE id = NEW.game;
END;

CREATE TRIGGER seat_uncounted AFTER DELETE ON seat WHEN OLD.occupant <> 'level'
BEGIN
    UPDATE game SET
        people = people - (OLD.occupant = 'human'),
        open_seats = open_seats - (OLD.occupant = 'open')
    WHERE id = OLD.game;
END;

CREATE TRIGGER seat_active AFTER INSERT ON seat WHEN NEW.since_ms IS NOT NULL
BEGIN
    UPDATE game SET active_ms = NEW.since_ms WHERE id = NEW.game AND active_ms < NEW.since_ms;
END;
