-- Games, their entries and their seats, as all migrations of SQLite together say it; what a column means,
-- those tell. Plain types, so that both databases understand the same questions (src/archive/sql.rs):
-- numbers and times (Unix milliseconds) are BIGINT, yes and no are 1 and 0, hashes and seeds are bytes.
-- Names of games compare by bytes, whatever the language of the database.

CREATE TABLE game (
    -- Counts creations: of two games at the same time the younger is the newer. Whoever creates games holds
    -- an advisory lock until the commit, so that numbers become visible in their order.
    serial         BIGINT   NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             TEXT     COLLATE "C" NOT NULL UNIQUE,
    format         BIGINT   NOT NULL,
    game           TEXT     NOT NULL,
    start          TEXT     NOT NULL,
    dice_seed      BYTEA    NOT NULL CHECK (length(dice_seed) = 32),
    dice_salt      BYTEA    CHECK (length(dice_salt) = 32),
    pace           TEXT     NOT NULL CHECK (pace IN ('at-once', 'on-request')),
    creator        BYTEA    CHECK (length(creator) = 32),
    book_of        BYTEA    CHECK (length(book_of) = 32),
    created_ms     BIGINT   NOT NULL,
    seats_revision BIGINT   NOT NULL DEFAULT 0,
    finished_ms    BIGINT,
    private        BIGINT   NOT NULL DEFAULT 0 CHECK (private IN (0, 1)),
    replace_after_s BIGINT  CHECK (replace_after_s > 0),
    rematch_of     TEXT     COLLATE "C",
    rematch_kind   TEXT     CHECK (rematch_kind IN ('new', 'same', 'easier', 'harder')),
    takebacks      BIGINT   NOT NULL DEFAULT 1 CHECK (takebacks IN (0, 1)),
    hints          BIGINT   NOT NULL DEFAULT 0 CHECK (hints IN (0, 1)),
    played_on_of   TEXT,
    played_on_ply  BIGINT,
    uploaded       BIGINT   NOT NULL DEFAULT 0 CHECK (uploaded IN (0, 1)),
    uploaded_as    TEXT     CHECK (uploaded_as IS NULL OR uploaded = 1),
    told           TEXT     CHECK (told IS NULL OR uploaded = 1),
    -- The chain of hashes, see src/archive/chain.rs.
    entries        BIGINT   NOT NULL DEFAULT 0 CHECK (entries >= 0),
    tip            BYTEA    NOT NULL CHECK (length(tip) = 16),
    seats_seal     BYTEA    NOT NULL CHECK (length(seats_seal) = 16),
    -- What lists and removal go by; the triggers below keep it.
    active_ms      BIGINT   NOT NULL,
    played         BIGINT   NOT NULL DEFAULT 0 CHECK (played IN (0, 1)),
    people         BIGINT   NOT NULL DEFAULT 0,
    open_seats     BIGINT   NOT NULL DEFAULT 0,
    CHECK ((rematch_of IS NULL) = (rematch_kind IS NULL)),
    CHECK (CASE WHEN played_on_of IS NULL THEN played_on_ply IS NULL
                ELSE played_on_ply >= 0 AND uploaded = 0 END)
) -- Each ply changes its game's row; room in the page keeps the indexes out of it.
WITH (fillfactor = 70);

CREATE INDEX game_book_of ON game (book_of, serial) WHERE book_of IS NOT NULL;
CREATE INDEX game_finished ON game (finished_ms, serial) WHERE finished_ms IS NOT NULL;
CREATE INDEX game_watchable ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0;
CREATE INDEX game_unfinished ON game (pace, active_ms, serial) WHERE finished_ms IS NULL;
CREATE INDEX game_untouched ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0;
CREATE INDEX game_awaited ON game (active_ms, serial)
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0);
-- The lock of a rematch: whoever writes it first has made it.
CREATE UNIQUE INDEX game_rematch ON game (rematch_of, rematch_kind) WHERE rematch_of IS NOT NULL;

-- The primary key is the lock: whoever writes (game, number) first has played that ply, on whichever server.
CREATE TABLE entry (
    game     TEXT   COLLATE "C" NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number   BIGINT NOT NULL CHECK (number >= 0),
    player   BIGINT,
    action   TEXT,
    roll     TEXT,
    ending   TEXT,
    at_ms    BIGINT NOT NULL,
    seal     BYTEA  NOT NULL CHECK (length(seal) = 16),
    takeback BIGINT CHECK (takeback IS NULL
        OR takeback >= 0 AND takeback < number AND ending IS NULL AND action = '' AND roll = ''),
    entropy  TEXT   CHECK (entropy IS NULL
        OR entropy <> '' AND takeback IS NULL AND ending IS NULL AND action = '' AND roll = ''),
    PRIMARY KEY (game, number),
    CHECK (CASE WHEN ending IS NULL
                THEN player IS NOT NULL AND action IS NOT NULL AND roll IS NOT NULL
                ELSE action IS NULL AND roll IS NULL END)
);

CREATE TABLE seat (
    game     TEXT   COLLATE "C" NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player   BIGINT NOT NULL CHECK (player >= 0),
    sitter   TEXT   NOT NULL CHECK (sitter IN ('human', 'level', 'open')),
    level    TEXT   CHECK ((sitter = 'level') = (level IS NOT NULL)),
    name     TEXT,
    browser  BYTEA  CHECK (length(browser) = 32),
    token    BYTEA  CHECK (length(token) = 32),
    invite   BYTEA  CHECK (length(invite) = 32),
    joined   BYTEA  CHECK (length(joined) = 32),
    nonce    BYTEA  CHECK (length(nonce) = 16),
    since_ms BIGINT,
    PRIMARY KEY (game, player)
);

CREATE INDEX seat_invite ON seat (invite) WHERE invite IS NOT NULL;
CREATE INDEX seat_joined ON seat (joined) WHERE joined IS NOT NULL;
CREATE INDEX seat_token ON seat (token) WHERE token IS NOT NULL;

-- The games that a browser made or sits in, those of the book's page apart.
CREATE TABLE shelf (
    browser   BYTEA  NOT NULL CHECK (length(browser) = 32),
    serial    BIGINT NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    active_ms BIGINT NOT NULL,
    PRIMARY KEY (browser, serial)
);

CREATE INDEX shelf_newest ON shelf (browser, active_ms, serial);
CREATE INDEX shelf_game ON shelf (serial);

CREATE TABLE tally (
    name  TEXT   NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL CHECK (count >= 0)
);

CREATE TABLE review (
    game      TEXT   COLLATE "C" NOT NULL PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    wanted_ms BIGINT,
    review    TEXT,
    CHECK (wanted_ms IS NOT NULL OR review IS NOT NULL)
);

CREATE INDEX review_wanted ON review (wanted_ms) WHERE wanted_ms IS NOT NULL;

CREATE TABLE program (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    token      BYTEA  NOT NULL UNIQUE CHECK (length(token) = 32),
    plays      TEXT   NOT NULL,
    created_ms BIGINT NOT NULL,
    seen_ms    BIGINT NOT NULL
);

CREATE INDEX program_seen ON program (seen_ms);

CREATE TABLE program_game (
    token  BYTEA  NOT NULL CHECK (length(token) = 32),
    serial BIGINT NOT NULL REFERENCES game (serial) ON DELETE CASCADE,
    asked  BIGINT NOT NULL CHECK (asked IN (0, 1)),
    PRIMARY KEY (token, serial)
);

CREATE INDEX program_game_of ON program_game (serial);

-- The processes that write here. Each writes the number of its transaction into its row, so that after a
-- connection was lost in the middle of a commit it can read whether that commit happened.
CREATE TABLE instance (
    id    TEXT        COLLATE "C" NOT NULL PRIMARY KEY,
    batch BIGINT      NOT NULL,
    seen  TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 10);

-- ---- what is derived ----

CREATE FUNCTION game_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shelf (browser, serial, active_ms) VALUES (NEW.creator, NEW.serial, NEW.active_ms);
    RETURN NULL;
END $$;

CREATE TRIGGER game_made AFTER INSERT ON game FOR EACH ROW
    WHEN (NEW.creator IS NOT NULL AND NEW.book_of IS NULL) EXECUTE FUNCTION game_made();

CREATE FUNCTION game_active() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shelf SET active_ms = NEW.active_ms WHERE serial = NEW.serial;
    RETURN NULL;
END $$;

CREATE TRIGGER game_active AFTER UPDATE OF active_ms ON game FOR EACH ROW
    WHEN (NEW.active_ms <> OLD.active_ms) EXECUTE FUNCTION game_active();

-- Within a second of the activity that is known nothing is written again.
CREATE FUNCTION entry_made() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    by_person BOOLEAN := EXISTS
        (SELECT 1 FROM seat WHERE game = NEW.game AND player = NEW.player AND sitter = 'human');
BEGIN
    UPDATE game SET
        active_ms = NEW.at_ms,
        played = CASE WHEN by_person THEN 1 ELSE played END
    WHERE id = NEW.game
      -- As a NUMERIC the difference of two times cannot overflow.
      AND (NEW.at_ms::NUMERIC - active_ms NOT BETWEEN 0 AND 999 OR played = 0 AND by_person);
    RETURN NULL;
END $$;

CREATE TRIGGER entry_made AFTER INSERT ON entry FOR EACH ROW EXECUTE FUNCTION entry_made();

CREATE FUNCTION seat_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sitter <> 'level' THEN
        UPDATE game SET
            people = people + (NEW.sitter = 'human')::int,
            open_seats = open_seats + (NEW.sitter = 'open')::int
        WHERE id = NEW.game;
    END IF;
    IF NEW.since_ms IS NOT NULL THEN
        UPDATE game SET active_ms = NEW.since_ms WHERE id = NEW.game AND active_ms < NEW.since_ms;
    END IF;
    IF NEW.browser IS NOT NULL THEN
        INSERT INTO shelf (browser, serial, active_ms)
            SELECT NEW.browser, serial, active_ms FROM game WHERE id = NEW.game AND book_of IS NULL
        ON CONFLICT DO NOTHING;
    END IF;
    IF NEW.invite IS NOT NULL OR NEW.token IS NOT NULL THEN
        INSERT INTO program_game (token, serial, asked)
            SELECT coalesce(NEW.invite, NEW.token), serial, (NEW.invite IS NOT NULL)::int FROM game
            WHERE id = NEW.game AND finished_ms IS NULL
              AND EXISTS (SELECT 1 FROM program WHERE token = coalesce(NEW.invite, NEW.token))
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER seat_made AFTER INSERT ON seat FOR EACH ROW EXECUTE FUNCTION seat_made();

CREATE FUNCTION seat_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_game BIGINT;
    made_by BYTEA;
BEGIN
    -- A game that goes takes along what hangs on it.
    SELECT serial, creator INTO of_game, made_by FROM game WHERE id = OLD.game;
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

CREATE TRIGGER seat_gone AFTER DELETE ON seat FOR EACH ROW EXECUTE FUNCTION seat_gone();

CREATE FUNCTION game_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM program_game WHERE serial = NEW.serial;
    RETURN NULL;
END $$;

CREATE TRIGGER game_finished AFTER UPDATE OF finished_ms ON game FOR EACH ROW
    WHEN (NEW.finished_ms IS NOT NULL) EXECUTE FUNCTION game_finished();
