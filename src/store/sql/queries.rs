//! SQL statements that SQLite and PostgreSQL share, because both have the same tables. Lists of values are passed
//! as JSON, for which the two have different functions; statements with such a list are in [`Statements`].

use super::tables::Dialect;

/// The statements that the databases write differently: most take a list.
pub(in crate::store) struct Statements {
    pub(in crate::store) dialect: Dialect,
    /// The columns of all tables: `table`, `column`, `type`, and in `key` the position in the primary key from 1, else 0.
    pub(in crate::store) columns: &'static str,
    /// Makes the next finish number of a program's game greater than all that were copied or reported.
    pub(in crate::store) continue_finish_numbers: &'static [&'static str],
    /// The versions of the games of a list.
    pub(in crate::store) versions: &'static str,
    /// The programs in the games of a list.
    pub(in crate::store) programs_of_games: &'static str,
    /// Those games of a list that have a review.
    pub(in crate::store) reviewed: &'static str,
    /// The games of a list with their cards.
    pub(in crate::store) cards: &'static str,
    /// The seats of the games of a list.
    pub(in crate::store) seats_of_games: &'static str,
    /// Deletes those games of a list that are expired.
    pub(in crate::store) delete_expired: &'static str,
    /// The [append points](super::append::AppendPoints) of the games of a list.
    pub(in crate::store) append_points: &'static str,
    /// Inserts a list of entries.
    pub(in crate::store) insert_entries: &'static str,
    /// Updates the games of a list after entries.
    pub(in crate::store) update_games: &'static str,
    /// Replaces the cards of a list of games.
    pub(in crate::store) replace_cards: &'static str,
    /// Moves the rights of the creator `$2` to the browser `$3` in the games of a list, and sets the hashes of their
    /// seats.
    pub(in crate::store) move_host: &'static str,
    /// Removes the return links of the seats that the browser `$2` has in the games of a list from the lists of games.
    pub(in crate::store) unlist_return_links: &'static str,
    /// Moves the seats of the browser `$2` to the browser `$3` in the games of a list, as
    /// [`Seats::move_browser`](crate::seats::Seats::move_browser) does. The seat of a person has a nonce if it has a
    /// token; that of a program has none.
    pub(in crate::store) move_seats: &'static str,
    /// Lists the games of a list as those of the browser `$2`.
    pub(in crate::store) list_for_browser: &'static str,
    /// Removes the games of a list from those of the browser `$2`.
    pub(in crate::store) unlist_for_browser: &'static str,
    /// The ids of all games, including games of which only some rows are left.
    pub(in crate::store) all_ids: &'static str,
    /// The errors of the whole database in the column `integrity_check`.
    pub(in crate::store) integrity_check: Option<&'static str>,
}

/// [`Statements`] with this condition on a list of ids, which is the parameter `$1`.
macro_rules! statements {
    (
        dialect: $dialect:expr,
        columns: $columns:literal,
        continue_finish_numbers: $continue_finish_numbers:expr,
        ids: $ids:literal,
        insert_entries: $insert_entries:literal,
        update_games: $update_games:literal,
        replace_cards: $replace_cards:literal,
        move_host: $move_host:literal,
        all_ids: $all_ids:literal,
        integrity_check: $integrity_check:expr $(,)?
    ) => {
        Statements {
            dialect: $dialect,
            columns: $columns,
            continue_finish_numbers: $continue_finish_numbers,
            versions: concat!(
                "SELECT id, entries, seats_revision,
                    (SELECT next.id FROM game AS next WHERE next.rematch_of = game.id
                     ORDER BY next.serial DESC LIMIT 1) AS rematch
                FROM game WHERE id ",
                $ids
            ),
            programs_of_games: concat!(
                "SELECT game, coalesce(invite, token) AS program FROM seat WHERE game ",
                $ids
            ),
            reviewed: concat!(
                "SELECT game FROM review WHERE review IS NOT NULL AND game ",
                $ids
            ),
            cards: concat!(
                "SELECT game.*, card.card AS card FROM game LEFT JOIN card ON card.game = game.id WHERE game.id ",
                $ids
            ),
            seats_of_games: concat!("SELECT * FROM seat WHERE game ", $ids, " ORDER BY game, player"),
            // A comparison with a missing cutoff is NULL, which counts as false.
            delete_expired: concat!(
                "DELETE FROM game WHERE id ",
                $ids,
                " AND CASE
                    WHEN uploaded = 1 THEN active_ms < $6
                    WHEN finished_ms IS NOT NULL THEN finished_ms < $2
                    WHEN played = 1 THEN active_ms < $3
                    WHEN people > 1 OR open_seats > 0 THEN active_ms < $5
                    ELSE active_ms < $4 END"
            ),
            append_points: concat!(
                "SELECT game.id, game.entries, game.tip, last.seal, game.finished_ms, last.ending
                FROM game LEFT JOIN entry AS last ON last.game = game.id AND last.number = game.entries - 1
                WHERE game.id ",
                $ids
            ),
            insert_entries: $insert_entries,
            update_games: $update_games,
            replace_cards: $replace_cards,
            move_host: $move_host,
            unlist_return_links: concat!(
                "DELETE FROM shelf WHERE (browser, serial) IN
                    (SELECT seat.token, game.serial FROM seat JOIN game ON game.id = seat.game
                     WHERE seat.browser = $2 AND seat.nonce IS NOT NULL AND seat.game ",
                $ids,
                ")"
            ),
            move_seats: concat!(
                "UPDATE seat SET browser = $3, nonce = NULL,
                    token = CASE WHEN nonce IS NULL THEN token END,
                    joined = CASE WHEN nonce IS NULL AND token IS NOT NULL THEN joined END
                WHERE browser = $2 AND game ",
                $ids
            ),
            list_for_browser: concat!(
                "INSERT INTO shelf (browser, serial, active_ms)
                    SELECT $2, serial, active_ms FROM game WHERE book_of IS NULL AND id ",
                $ids,
                " ON CONFLICT DO NOTHING"
            ),
            unlist_for_browser: concat!(
                "DELETE FROM shelf WHERE browser = $2 AND serial IN (SELECT serial FROM game WHERE id ",
                $ids,
                ")"
            ),
            all_ids: $all_ids,
            integrity_check: $integrity_check,
        }
    };
}

pub(in crate::store) static SQLITE: Statements = statements! {
    dialect: Dialect::Sqlite,
    columns: r#"SELECT t.name AS "table", c.name AS "column", c.type AS "type", c.pk AS "key"
        FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
        ORDER BY t.name, c.name"#,
    continue_finish_numbers: &[
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'program_finish', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'program_finish')",
        "UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(told), 0) FROM program))
        WHERE name = 'program_finish'",
    ],
    ids: "IN (SELECT value FROM json_each($1))",
    insert_entries: "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, seal, takeback, entropy)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
               unhex(value ->> 7), value ->> 8, value ->> 9
        FROM json_each($1)",
    update_games: "UPDATE game SET entries = new.value ->> 1, tip = unhex(new.value ->> 2)
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0",
    replace_cards: "INSERT INTO card (game, card) SELECT value ->> 0, value ->> 1 FROM json_each($1) WHERE true
        ON CONFLICT (game) DO UPDATE SET card = excluded.card",
    move_host: "UPDATE game SET seats_revision = seats_revision + 1, seats_seal = unhex(new.value ->> 1),
            host = CASE WHEN coalesce(host, creator) = $2 THEN $3 ELSE host END
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0",
    all_ids: "SELECT id FROM game NOT INDEXED UNION SELECT game FROM seat UNION SELECT game FROM entry",
    integrity_check: Some("PRAGMA integrity_check"),
};

// PostgreSQL expects few elements in an array and then uses an index; it expects many rows of a function.
pub(in crate::store) static POSTGRES: Statements = statements! {
    dialect: Dialect::Postgres,
    columns: r#"SELECT t.relname::text AS "table", c.attname::text AS "column", format_type(c.atttypid, NULL) AS "type",
            coalesce(array_position(k.indkey::smallint[], c.attnum) + 1, 0)::bigint AS "key"
        FROM pg_class AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
            LEFT JOIN pg_index AS k ON k.indrelid = t.oid AND k.indisprimary
        WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace
            AND c.attnum > 0 AND NOT c.attisdropped
        ORDER BY t.relname, c.attname"#,
    continue_finish_numbers: &["SELECT setval(pg_get_serial_sequence('program_finish', 'number'), greatest(
            (SELECT max(number) FROM program_finish), (SELECT max(told) FROM program), 1))"],
    ids: "= ANY (ARRAY (SELECT json_array_elements_text($1::json)))",
    insert_entries: "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, seal, takeback, entropy,
                       stored_ms)
        SELECT value ->> 0, (value ->> 1)::bigint, (value ->> 2)::bigint, value ->> 3, value ->> 4, value ->> 5,
               (value ->> 6)::bigint, decode(value ->> 7, 'hex'), (value ->> 8)::bigint, value ->> 9,
               (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM json_array_elements($1::json) AS new (value)",
    update_games: "UPDATE game SET entries = (value ->> 1)::bigint, tip = decode(value ->> 2, 'hex')
        FROM json_array_elements($1::json) AS new (value)
        WHERE game.id = value ->> 0
          AND game.id = ANY (ARRAY (SELECT id ->> 0 FROM json_array_elements($1::json) AS list (id)))",
    replace_cards: "INSERT INTO card (game, card)
        SELECT value ->> 0, value ->> 1 FROM json_array_elements($1::json) AS new (value)
        ON CONFLICT (game) DO UPDATE SET card = excluded.card",
    move_host: "UPDATE game SET seats_revision = seats_revision + 1, seats_seal = decode(value ->> 1, 'hex'),
            host = CASE WHEN coalesce(host, creator) = $2 THEN $3 ELSE host END
        FROM json_array_elements($1::json) AS new (value)
        WHERE game.id = value ->> 0
          AND game.id = ANY (ARRAY (SELECT id ->> 0 FROM json_array_elements($1::json) AS list (id)))",
    // Foreign keys ensure that no seat or entry exists without its game.
    all_ids: "SELECT id FROM game ORDER BY serial",
    integrity_check: None,
};

pub(in crate::store) const GAME: &str = "SELECT * FROM game WHERE id = $1";

pub(in crate::store) const SEATS: &str = "SELECT * FROM seat WHERE game = $1 ORDER BY player";

pub(in crate::store) const ENTRIES: &str = "SELECT * FROM entry WHERE game = $1 ORDER BY number";

pub(in crate::store) const CREATE: &str =
    "INSERT INTO game (id, format, game, start, dice_seed, dice_salt, pace, creator, book_of, created_ms,
                       active_ms, private, replace_after_s, rematch_of, rematch_kind, tip, seats_seal,
                       played_on_of, played_on_ply, uploaded, takebacks, uploaded_as, hints, told, daily, turn_s)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
    ON CONFLICT DO NOTHING";

pub(in crate::store) const HAS_CLOCK: &str =
    "SELECT id FROM game WHERE id = $1 AND turn_s IS NOT NULL";

pub(in crate::store) const INSERT_SEAT: &str =
    "INSERT INTO seat (game, player, sitter, level, name, browser, token, invite, joined, nonce, since_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(in crate::store) const UPDATE_SEATS_REVISION: &str =
    "UPDATE game SET seats_revision = seats_revision + 1, seats_seal = $2 WHERE id = $1";

pub(in crate::store) const REVISION: &str = "SELECT seats_revision, host FROM game WHERE id = $1";

pub(in crate::store) const DELETE_SEATS: &str = "DELETE FROM seat WHERE game = $1";

pub(in crate::store) const REPAIR_FINISHED: &str =
    "UPDATE game SET finished_ms = coalesce(finished_ms,
        (SELECT at_ms FROM entry WHERE game = id ORDER BY number DESC LIMIT 1), created_ms)
    WHERE id = $1";

pub(in crate::store) const FINISH: &str = "UPDATE game SET finished_ms = $2 WHERE id = $1";

pub(in crate::store) const ADD_COUNT: &str = "INSERT INTO tally (name, count) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET count = tally.count + excluded.count";

pub(in crate::store) const ANY_COUNT: &str = "SELECT name FROM tally LIMIT 1";

pub(in crate::store) const COUNTS: &str = "SELECT name, count FROM tally";

pub(in crate::store) const BOOK_GAME: &str =
    "SELECT id FROM game WHERE book_of = $1 ORDER BY serial DESC LIMIT 1";

pub(in crate::store) const SEAT_OF_LINK: &str =
    "SELECT seat.game, seat.player FROM seat JOIN game ON game.id = seat.game
    WHERE seat.invite = $1 OR seat.joined = $1 OR seat.token = $1
    ORDER BY game.serial DESC, seat.player LIMIT 1";

pub(in crate::store) const REMATCHES: &str =
    "SELECT id, rematch_kind FROM game WHERE rematch_of = $1";

/// Deletes what triggers derived for the game `$1` while its rows were inserted.
pub(in crate::store) const DELETE_DERIVED: [&str; 3] = [
    "DELETE FROM shelf WHERE serial = (SELECT serial FROM game WHERE id = $1)",
    "DELETE FROM program_game WHERE serial = (SELECT serial FROM game WHERE id = $1)",
    "DELETE FROM program_finish WHERE serial = (SELECT serial FROM game WHERE id = $1)",
];

pub(in crate::store) const OLDEST_FIRST: &str = "SELECT id FROM game ORDER BY serial";

pub(in crate::store) const DELETE_GAME: &str =
    "DELETE FROM game WHERE id = $1 AND seats_revision = $2";

// ---- lists ----

// SQLite joins the tables of a CROSS JOIN in the order in which they are written.
pub(in crate::store) const GAMES_OF: &str =
    "SELECT id, shelf.active_ms AS active_ms, shelf.serial AS serial
    FROM shelf CROSS JOIN game
    WHERE game.serial = shelf.serial AND browser = $1 AND (shelf.active_ms, shelf.serial) < ($2, $3)
    ORDER BY shelf.active_ms DESC, shelf.serial DESC LIMIT $4";

pub(in crate::store) const ALL_WATCHABLE: &str = "SELECT id, active_ms, serial FROM game
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0
      AND (active_ms, serial) < ($1, $2)
    ORDER BY active_ms DESC, serial DESC LIMIT $3";

pub(in crate::store) const WATCHABLE: &str = "SELECT id FROM
        (SELECT id, serial, active_ms FROM game
         WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0
         ORDER BY active_ms DESC, serial DESC LIMIT $3) AS newest
    WHERE $1 IS NULL
       OR NOT EXISTS (SELECT 1 FROM shelf WHERE browser = $1 AND shelf.serial = newest.serial)
    ORDER BY active_ms DESC, serial DESC LIMIT $2";

pub(in crate::store) const UNFINISHED: &str = "SELECT id, active_ms, serial FROM game
    WHERE pace = $1 AND finished_ms IS NULL AND (active_ms, serial) < ($2, $3)
    ORDER BY active_ms DESC, serial DESC LIMIT $4";

pub(in crate::store) const ALL_GAMES: &str =
    "SELECT id, active_ms, serial FROM game WHERE serial > $1 ORDER BY serial LIMIT $2";

// ---- retention ----

pub(in crate::store) const FINISHED: &str = "SELECT id FROM game WHERE finished_ms < $1 AND uploaded = 0 ORDER BY finished_ms, serial LIMIT $2";

pub(in crate::store) const UPLOADED: &str =
    "SELECT id FROM game WHERE uploaded = 1 AND active_ms < $1 ORDER BY active_ms, serial LIMIT $2";

pub(in crate::store) const UNTOUCHED: &str = "SELECT id FROM game
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0 AND active_ms < $1 AND uploaded = 0
    ORDER BY active_ms, serial LIMIT $2";

pub(in crate::store) const AWAITED: &str = "SELECT id FROM game
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0) AND active_ms < $1 AND uploaded = 0
    ORDER BY active_ms, serial LIMIT $2";

/// One statement per pace, because the index of unfinished games begins with the pace.
pub(in crate::store) const ABANDONED: [&str; 2] = [
    "SELECT id FROM game
        WHERE finished_ms IS NULL AND pace = 'at-once' AND played = 1 AND active_ms < $1 AND uploaded = 0
        ORDER BY active_ms, serial LIMIT $2",
    "SELECT id FROM game
        WHERE finished_ms IS NULL AND pace = 'on-request' AND played = 1 AND active_ms < $1 AND uploaded = 0
        ORDER BY active_ms, serial LIMIT $2",
];

pub(in crate::store) const LAST_ACTIVITY: &str = "SELECT max(at_ms) AS at_ms FROM (
    SELECT max(active_ms) AS at_ms FROM game WHERE finished_ms IS NULL AND pace = 'at-once'
    UNION ALL
    SELECT max(active_ms) FROM game WHERE finished_ms IS NULL AND pace = 'on-request'
    UNION ALL
    SELECT max(finished_ms) FROM game WHERE finished_ms IS NOT NULL) AS newest";

// ---- cards ----

pub(in crate::store) const STORE_CARD: &str =
    "INSERT INTO card (game, card) SELECT id, $2 FROM game WHERE id = $1
    ON CONFLICT (game) DO UPDATE SET card = excluded.card";

// ---- reviews ----

pub(in crate::store) const REQUEST_REVIEW: &str =
    "INSERT INTO review (game, wanted_ms) SELECT id, $2 FROM game WHERE id = $1
    ON CONFLICT (game) DO UPDATE SET wanted_ms = coalesce(review.wanted_ms, excluded.wanted_ms)";

pub(in crate::store) const STORE_REVIEW: &str =
    "INSERT INTO review (game, review) SELECT id, $2 FROM game WHERE id = $1
    ON CONFLICT (game) DO UPDATE SET review = excluded.review, wanted_ms = NULL";

pub(in crate::store) const CANCEL_REVIEW: [&str; 2] = [
    "DELETE FROM review WHERE game = $1 AND review IS NULL",
    "UPDATE review SET wanted_ms = NULL WHERE game = $1",
];

pub(in crate::store) const GAMES_WITH_ID: &str = "SELECT id FROM game WHERE id = $1";

pub(in crate::store) const REVIEW: &str = "SELECT wanted_ms, review FROM review WHERE game = $1";

pub(in crate::store) const PENDING_REVIEWS: &str =
    "SELECT game FROM review WHERE wanted_ms IS NOT NULL ORDER BY wanted_ms, game LIMIT $1";

// ---- boards of the days ----

pub(in crate::store) const ADD_DAILY_DEAL: &str =
    "INSERT INTO daily_deal (day, seed, salt, committed_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";

pub(in crate::store) const DAILY_DEAL: &str =
    "SELECT day, seed, salt, committed_ms FROM daily_deal WHERE day = $1";

pub(in crate::store) const DAILY_DAYS: &str =
    "SELECT day FROM daily_deal WHERE day >= $1 ORDER BY day";

pub(in crate::store) const ADD_DAILY_ATTEMPT: &str =
    "INSERT INTO daily_attempt (browser, day, game, begun_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";

pub(in crate::store) const DAILY_GAME: &str =
    "SELECT game AS id FROM daily_attempt WHERE day = $1 AND browser = $2";

pub(in crate::store) const DAILY_PLAYER: &str = "SELECT browser FROM daily_attempt WHERE game = $1";

pub(in crate::store) const DAILY_ATTEMPTS: &str =
    "SELECT day FROM daily_attempt WHERE browser = $1 AND day >= $2 ORDER BY day";

pub(in crate::store) const SET_DAILY_NETWORK: &str =
    "UPDATE daily_attempt SET network = $3 WHERE browser = $1 AND day = $2";

pub(in crate::store) const ADD_DAILY_SCORE: &str =
    "INSERT INTO daily_score (browser, day, game, hexes, is_won, is_counted)
    SELECT $1, $2, $3, $4, $5, CASE
        WHEN (SELECT count(*) FROM daily_attempt AS own
                JOIN daily_attempt AS other ON other.day = own.day AND other.network = own.network
                JOIN daily_score AS counted ON counted.browser = other.browser AND counted.day = other.day
              WHERE own.browser = $1 AND own.day = $2 AND counted.is_counted = 1) < $8
          AND NOT EXISTS (SELECT 1 FROM daily_attempt WHERE browser = $1 AND day = $2 AND is_counted = 0)
        THEN $7 ELSE 0 END
    WHERE NOT EXISTS (SELECT 1 FROM entry WHERE game = $3 AND coalesce(stored_ms, at_ms) >= $6)
    ON CONFLICT DO NOTHING";

pub(in crate::store) const DAILY_SCORES: &str =
    "SELECT * FROM daily_score WHERE browser = $1 ORDER BY day";

pub(in crate::store) const DAILY_COUNTS: &str =
    "SELECT hexes, is_won, count(*) AS games FROM daily_score WHERE day = $1 AND is_counted = 1
    GROUP BY hexes, is_won ORDER BY hexes, is_won";

// ---- open tables ----

pub(in crate::store) const OPEN_TABLE: &str =
    "INSERT INTO open_table (game, opened_ms, seen_ms, network) SELECT id, $2, $3, $4 FROM game WHERE id = $1
    ON CONFLICT (game) DO UPDATE SET opened_ms = excluded.opened_ms, seen_ms = excluded.seen_ms,
      network = excluded.network";

pub(in crate::store) const MARK_TABLE_SEEN: &str =
    "UPDATE open_table SET seen_ms = $2 WHERE game = $1 AND seen_ms < $2";

pub(in crate::store) const CLOSE_TABLE: &str = "DELETE FROM open_table WHERE game = $1";

pub(in crate::store) const FIND_OPEN_TABLE: &str =
    "SELECT game, opened_ms, seen_ms, network FROM open_table WHERE game = $1";

pub(in crate::store) const DELETE_OPEN_TABLES: &str =
    "DELETE FROM open_table WHERE opened_ms <= $1";

/// First one table of each network, then the second ones; a table without a network counts as one of its own.
pub(in crate::store) const OPEN_TABLES: &str =
    "SELECT listed.game, opened_ms, seen_ms, network, creator FROM (
      SELECT open_table.game, opened_ms, seen_ms, network, coalesce(host, creator) AS creator,
        row_number() OVER (
          PARTITION BY network, CASE WHEN network IS NULL THEN open_table.game END
          ORDER BY opened_ms, open_table.game) AS place
      FROM open_table CROSS JOIN game
      WHERE game.id = open_table.game AND opened_ms > $1 AND seen_ms > $2
        AND finished_ms IS NULL AND private = 0 AND book_of IS NULL AND open_seats > 0) AS listed
    WHERE place <= $3 ORDER BY place, opened_ms, listed.game LIMIT $4";

pub(in crate::store) const LAST_NAME: &str = "SELECT seat.name
    FROM shelf CROSS JOIN game CROSS JOIN seat
    WHERE shelf.browser = $1 AND game.serial = shelf.serial AND seat.game = game.id
      AND seat.browser = $1 AND seat.sitter = 'human' AND seat.name IS NOT NULL
      AND (seat.token IS NULL OR seat.nonce IS NOT NULL)
    ORDER BY shelf.active_ms DESC, shelf.serial DESC, seat.player LIMIT 1";

// ---- puzzles ----

pub(in crate::store) const ADD_PUZZLE_ANSWER: &str =
    "INSERT INTO puzzle_answer (browser, puzzle, is_right, at_ms, network, is_counted)
    VALUES ($1, $2, $3, $4, $5, CASE
        WHEN (SELECT count(*) FROM puzzle_answer WHERE puzzle = $2 AND network = $5) < $7 THEN $6 ELSE 0 END)
    ON CONFLICT DO NOTHING";

pub(in crate::store) const PUZZLE_ANSWERS: &str =
    "SELECT browser, puzzle, is_right, at_ms, is_counted FROM puzzle_answer WHERE browser = $1
    ORDER BY at_ms, puzzle";

pub(in crate::store) const PUZZLE_COUNTS: &str =
    "SELECT puzzle, count(*) AS answers, count(CASE WHEN is_right = 1 THEN 1 END) AS solved
    FROM puzzle_answer WHERE is_counted = 1 GROUP BY puzzle ORDER BY puzzle";

// ---- hashes of client networks ----

pub(in crate::store) const ADD_NETWORK_KEY: &str =
    "INSERT INTO network_key (day, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";

pub(in crate::store) const NETWORK_KEY: &str = "SELECT day, key FROM network_key WHERE day = $1";

pub(in crate::store) const LOCK_NETWORK_KEY: &str =
    "UPDATE network_key SET day = day WHERE day = $1";

/// Delete the keys of the days before `$1` and all hashes with them.
pub(in crate::store) const FORGET_NETWORKS: [&str; 3] = [
    "DELETE FROM network_key WHERE day < $1",
    "UPDATE puzzle_answer SET network = NULL WHERE network IS NOT NULL AND at_ms < $1 * 86400000",
    "UPDATE daily_attempt SET network = NULL, is_counted = CASE WHEN EXISTS (
            SELECT 1 FROM daily_score
            WHERE daily_score.browser = daily_attempt.browser AND daily_score.day = daily_attempt.day)
        THEN is_counted ELSE 0 END
    WHERE network IS NOT NULL AND day < $1",
];

// ---- served periods ----

/// Deletes the periods that begin later than `$1`.
pub(in crate::store) const DELETE_LATER_SERVED: &str = "DELETE FROM served WHERE from_ms > $1";

/// Deletes all but the newest `$1` periods.
pub(in crate::store) const DELETE_OLD_SERVED: &str = "DELETE FROM served WHERE from_ms <=
    (SELECT from_ms FROM served ORDER BY from_ms DESC LIMIT 1 OFFSET $1)";

/// Extends the newest to `$1` if it ended at most `$2` before.
pub(in crate::store) const EXTEND_SERVED: &str = "UPDATE served SET until_ms = $1
    WHERE from_ms = (SELECT max(from_ms) FROM served) AND until_ms >= $1 - $2";

pub(in crate::store) const ADD_SERVED: &str =
    "INSERT INTO served (from_ms, until_ms) VALUES ($1, $1)
    ON CONFLICT (from_ms) DO UPDATE SET until_ms = excluded.until_ms";

pub(in crate::store) const SERVED: &str = "SELECT from_ms, until_ms FROM served ORDER BY from_ms";

// ---- data of a browser ----

/// The games that the browser `$1` created or sits in.
pub(in crate::store) const GAMES_TO_MOVE: &str = "SELECT id FROM shelf CROSS JOIN game WHERE game.serial = shelf.serial AND browser = $1 ORDER BY id";

/// Their rows, once they are locked.
pub(in crate::store) const ROWS_TO_MOVE: &str =
    "SELECT id, creator, seats_revision, seats_seal, host FROM shelf CROSS JOIN game
    WHERE game.serial = shelf.serial AND browser = $1 ORDER BY id";

pub(in crate::store) const SEATS_TO_MOVE: &str =
    "SELECT seat.* FROM shelf CROSS JOIN game CROSS JOIN seat
    WHERE game.serial = shelf.serial AND seat.game = game.id AND shelf.browser = $1
    ORDER BY seat.game, seat.player";

/// Copies what the browser `$1` has to the browser `$2`, which keeps its own; of two games of a day the one that was begun
/// first remains, with its score.
pub(in crate::store) const COPY_BROWSER_DATA: [&str; 4] = [
    "INSERT INTO puzzle_answer (browser, puzzle, is_right, at_ms, network, is_counted)
        SELECT $2, puzzle, is_right, at_ms, network, is_counted FROM puzzle_answer WHERE browser = $1
    ON CONFLICT DO NOTHING",
    "INSERT INTO daily_attempt (browser, day, game, begun_ms, network, is_counted)
        SELECT $2, day, game, begun_ms, network, is_counted FROM daily_attempt WHERE browser = $1
    ON CONFLICT (browser, day) DO UPDATE SET game = excluded.game, begun_ms = excluded.begun_ms,
            network = excluded.network, is_counted = excluded.is_counted
        WHERE excluded.begun_ms < daily_attempt.begun_ms",
    "DELETE FROM daily_score WHERE browser IN ($1, $2) AND EXISTS (
        SELECT 1 FROM daily_attempt AS kept
        WHERE kept.browser = $2 AND kept.day = daily_score.day AND kept.game <> daily_score.game)",
    "INSERT INTO daily_score (browser, day, game, hexes, is_won, is_counted)
        SELECT $2, day, game, hexes, is_won, is_counted FROM daily_score WHERE browser = $1
    ON CONFLICT DO NOTHING",
];

/// Delete what is older than `$1`: a day's attempt and score when the day was over before that.
pub(in crate::store) const DELETE_OLD_BROWSER_DATA: [&str; 4] = [
    "DELETE FROM feed WHERE fetched_ms < $1",
    "DELETE FROM puzzle_answer WHERE at_ms < $1",
    "DELETE FROM daily_attempt WHERE day < $1 / 86400000",
    "DELETE FROM daily_score WHERE day < $1 / 86400000",
];

// ---- feeds ----

pub(in crate::store) const SET_FEED: &str =
    "INSERT INTO feed (browser, token, nonce, language, created_ms, fetched_ms) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (browser) DO UPDATE SET token = excluded.token, nonce = excluded.nonce,
        language = excluded.language, created_ms = excluded.created_ms, fetched_ms = excluded.fetched_ms";

pub(in crate::store) const MARK_FEED_FETCHED: &str =
    "UPDATE feed SET fetched_ms = $2 WHERE token = $1 AND fetched_ms < $2";

pub(in crate::store) const FEED_OF: &str =
    "SELECT browser, token, nonce, language, created_ms, fetched_ms FROM feed WHERE browser = $1";

pub(in crate::store) const FEED_BY_TOKEN: &str =
    "SELECT browser, token, nonce, language, created_ms, fetched_ms FROM feed WHERE token = $1";

// ---- pairing codes ----

pub(in crate::store) const SET_PAIRING_CODE: &str =
    "INSERT INTO pairing_code (browser, code, secret, until_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (browser) DO UPDATE SET code = excluded.code, secret = excluded.secret, until_ms = excluded.until_ms";

pub(in crate::store) const PAIRING_CODE: &str =
    "SELECT browser, code, secret, until_ms FROM pairing_code WHERE code = $1";

pub(in crate::store) const ANY_EXPIRED_PAIRING_CODE: &str =
    "SELECT browser FROM pairing_code WHERE until_ms <= $1 LIMIT 1";

pub(in crate::store) const DELETE_PAIRING_CODE: &str = "DELETE FROM pairing_code WHERE code = $1";

pub(in crate::store) const DELETE_EXPIRED_PAIRING_CODES: &str =
    "DELETE FROM pairing_code WHERE until_ms <= $1";

// ---- programs ----

pub(in crate::store) const ADD_PROGRAM: &str =
    "INSERT INTO program (id, name, token, plays, created_ms, seen_ms)
    VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING";

pub(in crate::store) const TOUCH_PROGRAM: &str =
    "UPDATE program SET seen_ms = CASE WHEN seen_ms < $2 THEN $2 ELSE seen_ms END WHERE token = $1";

pub(in crate::store) const DELETE_INACTIVE_PROGRAMS: &str =
    "DELETE FROM program WHERE seen_ms < $1";

pub(in crate::store) const PROGRAM: &str =
    "SELECT id, name, token, plays, created_ms FROM program WHERE id = $1";

pub(in crate::store) const PROGRAM_BY_TOKEN: &str =
    "SELECT id, name, token, plays, created_ms FROM program WHERE token = $1";

pub(in crate::store) const GAMES_OF_PROGRAM: &str = "SELECT id FROM program_game CROSS JOIN game
    WHERE game.serial = program_game.serial AND token = $1
    ORDER BY active_ms DESC, game.serial DESC LIMIT $2";

/// The newest finishes of a program after the given number. A number that was never assigned comes from another
/// database: the list then starts after the last reported finish.
pub(in crate::store) const PROGRAM_FINISHES: &str = "SELECT number, id
    FROM program_finish CROSS JOIN game
    WHERE game.serial = program_finish.serial AND token = $1 AND number >
        (SELECT CASE WHEN $2 <= told
                OR EXISTS (SELECT 1 FROM program_finish AS known WHERE known.token = $1 AND known.number >= $2)
            THEN $2 ELSE told END
        FROM program WHERE program.token = $1)
    ORDER BY number DESC LIMIT $3";

pub(in crate::store) const MARK_FINISHES_REPORTED: &str =
    "UPDATE program SET told = CASE WHEN told < $2 THEN $2 ELSE told END WHERE token = $1";

pub(in crate::store) const INVITATIONS: &str =
    "SELECT count(*) AS invitations FROM program_game WHERE token = $1 AND asked = 1";
