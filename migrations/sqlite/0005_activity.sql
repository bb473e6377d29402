-- What lists and removal look for, so that they cost what they find and not what there is. All of it
-- follows from games, entries and seats. Triggers keep it, so that no writer can forget it.

-- The time of the last entry, to the second, or since then of the newest sitting down; of the
-- creation before both.
ALTER TABLE game ADD COLUMN active_ms INTEGER NOT NULL DEFAULT 0;
-- Whether a person has played a ply.
ALTER TABLE game ADD COLUMN played INTEGER NOT NULL DEFAULT 0 CHECK (played IN (0, 1));
-- How many seats people and programs have, and how many are open.
ALTER TABLE game ADD COLUMN people INTEGER NOT NULL DEFAULT 0;
ALTER TABLE game ADD COLUMN open_seats INTEGER NOT NULL DEFAULT 0;

UPDATE game SET
    active_ms = max(
        coalesce((SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms),
        coalesce((SELECT max(since_ms) FROM seat WHERE game = id), created_ms)),
    played = EXISTS (SELECT 1 FROM entry JOIN seat USING (game, player)
        WHERE entry.game = id AND entry.ending IS NULL AND seat.sitter = 'human'),
    people = (SELECT count(*) FROM seat WHERE game = id AND sitter = 'human'),
    open_seats = (SELECT count(*) FROM seat WHERE game = id AND sitter = 'open');

-- The games that a browser made or sits in, those of the book's page apart.
CREATE TABLE shelf (
    browser   BLOB    NOT NULL CHECK (length(browser) = 32),
    serial    INTEGER NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    active_ms INTEGER NOT NULL,
    PRIMARY KEY (browser, serial)
) STRICT, WITHOUT ROWID;

INSERT INTO shelf (browser, serial, active_ms)
    SELECT creator, serial, active_ms FROM game WHERE creator IS NOT NULL AND book_of IS NULL
    UNION
    SELECT browser, serial, active_ms FROM seat JOIN game ON game.id = seat.game
    WHERE browser IS NOT NULL AND book_of IS NULL;

CREATE INDEX shelf_newest ON shelf (browser, active_ms);
CREATE INDEX shelf_game ON shelf (serial);

-- The serial number ends every key, so that of two games at the same time the younger is the newer.
DROP INDEX game_creator;
DROP INDEX seat_browser;
DROP INDEX game_watchable;
DROP INDEX game_unfinished;
CREATE INDEX game_watchable ON game (active_ms)
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0;
CREATE INDEX game_unfinished ON game (pace, active_ms) WHERE finished_ms IS NULL;
-- Nobody has played: with one person at most and no seat open, and with somebody who may come late.
CREATE INDEX game_untouched ON game (active_ms)
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0;
CREATE INDEX game_awaited ON game (active_ms)
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0);

CREATE TRIGGER game_made AFTER INSERT ON game WHEN NEW.creator IS NOT NULL AND NEW.book_of IS NULL
BEGIN
    INSERT INTO shelf (browser, serial, active_ms) VALUES (NEW.creator, NEW.serial, NEW.active_ms);
END;

CREATE TRIGGER game_active AFTER UPDATE OF active_ms ON game WHEN NEW.active_ms <> OLD.active_ms
BEGIN
    UPDATE shelf SET active_ms = NEW.active_ms WHERE serial = NEW.serial;
END;

-- Within a second of the activity that is known nothing is written again, so that quick plies of
-- computers and programs pay for no list.
CREATE TRIGGER entry_made AFTER INSERT ON entry
BEGIN
    UPDATE game SET
        active_ms = NEW.at_ms,
        played = played OR EXISTS
            (SELECT 1 FROM seat WHERE game = NEW.game AND player = NEW.player AND sitter = 'human')
    WHERE id = NEW.game
      AND (NEW.at_ms NOT BETWEEN active_ms AND active_ms + 999
           OR played = 0 AND EXISTS
            (SELECT 1 FROM seat WHERE game = NEW.game AND player = NEW.player AND sitter = 'human'));
END;

CREATE TRIGGER seat_made AFTER INSERT ON seat WHEN NEW.sitter <> 'level'
BEGIN
    UPDATE game SET
        people = people + (NEW.sitter = 'human'),
        open_seats = open_seats + (NEW.sitter = 'open')
    WHERE id = NEW.game;
END;

CREATE TRIGGER seat_gone AFTER DELETE ON seat WHEN OLD.sitter <> 'level'
BEGIN
    UPDATE game SET
        people = people - (OLD.sitter = 'human'),
        open_seats = open_seats - (OLD.sitter = 'open')
    WHERE id = OLD.game;
END;

CREATE TRIGGER seat_active AFTER INSERT ON seat WHEN NEW.since_ms IS NOT NULL
BEGIN
    UPDATE game SET active_ms = NEW.since_ms WHERE id = NEW.game AND active_ms < NEW.since_ms;
END;

CREATE TRIGGER seat_found AFTER INSERT ON seat WHEN NEW.browser IS NOT NULL
BEGIN
    INSERT INTO shelf (browser, serial, active_ms)
        SELECT NEW.browser, serial, active_ms FROM game
        WHERE id = NEW.game AND book_of IS NULL
          AND NOT EXISTS (SELECT 1 FROM shelf WHERE browser = NEW.browser AND shelf.serial = game.serial);
END;

CREATE TRIGGER seat_left AFTER DELETE ON seat WHEN OLD.browser IS NOT NULL
BEGIN
    DELETE FROM shelf WHERE browser = OLD.browser
        AND serial = (SELECT serial FROM game WHERE id = OLD.game AND creator IS NOT OLD.browser);
END;
