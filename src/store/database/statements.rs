//! The statements that SQLite and PostgreSQL write differently: they take lists of rows, or read the schema.

/// Statements of a database.
pub(in crate::store) struct Statements {
    /// The columns of all tables: `table`, `column`, `type`, and in `key` the position in the primary key from 1, else 0.
    pub(in crate::store) columns: &'static str,
    /// Makes the next finish number of a program's game greater than all that were copied or reported.
    pub(in crate::store) continue_finish_numbers: &'static [&'static str],
    /// Inserts a list of entries.
    pub(in crate::store) insert_entries: &'static str,
    /// Updates the games of a list after entries.
    pub(in crate::store) update_games: &'static str,
    /// Replaces the cards of a list of games.
    pub(in crate::store) replace_cards: &'static str,
    /// Moves the rights of the creator `$2` to the browser `$3` in the games of a list, and sets the hashes of their
    /// seats.
    pub(in crate::store) move_host: &'static str,
    /// The ids of all games, including games of which only some rows are left.
    pub(in crate::store) all_ids: &'static str,
    /// The errors of the whole database in the column `integrity_check`.
    pub(in crate::store) integrity_check: Option<&'static str>,
}

pub(in crate::store) static SQLITE: Statements = Statements {
    columns: r#"SELECT t.name AS "table", c.name AS "column", c.type AS "type", c.pk AS "key"
        FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
        ORDER BY t.name, c.name"#,
    continue_finish_numbers: &[
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'program_finish', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'program_finish')",
        "UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(reported_finish), 0) FROM program))
        WHERE name = 'program_finish'",
    ],
    insert_entries: "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, hash, takeback, entropy)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
               unhex(value ->> 7), value ->> 8, value ->> 9
        FROM json_each($1)",
    update_games: "UPDATE game SET entries = new.value ->> 1, chain_head = unhex(new.value ->> 2)
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0",
    replace_cards: "INSERT INTO card (game, card) SELECT value ->> 0, value ->> 1 FROM json_each($1) WHERE true
        ON CONFLICT (game) DO UPDATE SET card = excluded.card",
    move_host: "UPDATE game SET seats_revision = seats_revision + 1, seats_hash = unhex(new.value ->> 1),
            host = CASE WHEN coalesce(host, creator) = $2 THEN $3 ELSE host END
        FROM json_each($1) AS new WHERE game.id = new.value ->> 0",
    all_ids: "SELECT id FROM game NOT INDEXED UNION SELECT game FROM seat UNION SELECT game FROM entry",
    integrity_check: Some("PRAGMA integrity_check"),
};

pub(in crate::store) static POSTGRES: Statements = Statements {
    columns: r#"SELECT t.relname::text AS "table", c.attname::text AS "column", format_type(c.atttypid, NULL) AS "type",
            coalesce(array_position(k.indkey::smallint[], c.attnum) + 1, 0)::bigint AS "key"
        FROM pg_class AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
            LEFT JOIN pg_index AS k ON k.indrelid = t.oid AND k.indisprimary
        WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace
            AND c.attnum > 0 AND NOT c.attisdropped
        ORDER BY t.relname, c.attname"#,
    continue_finish_numbers: &["SELECT setval(pg_get_serial_sequence('program_finish', 'number'), greatest(
            (SELECT max(number) FROM program_finish), (SELECT max(reported_finish) FROM program), 1))"],
    insert_entries: "INSERT INTO entry (game, number, player, action, roll, ending, at_ms, hash, takeback, entropy,
                       stored_ms)
        SELECT value ->> 0, (value ->> 1)::bigint, (value ->> 2)::bigint, value ->> 3, value ->> 4, value ->> 5,
               (value ->> 6)::bigint, decode(value ->> 7, 'hex'), (value ->> 8)::bigint, value ->> 9,
               (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM jsonb_array_elements($1::jsonb) AS new (value)",
    // Here no trigger sets `active_ms` and `played`, so that each row is written once. Within a second of the known
    // activity `active_ms` and its indexes stay unchanged; as a NUMERIC the difference of two times cannot overflow.
    update_games: "UPDATE game SET entries = (value ->> 1)::bigint, chain_head = decode(value ->> 2, 'hex'),
            active_ms = CASE WHEN (value ->> 3)::numeric - active_ms BETWEEN 0 AND 999 THEN active_ms
                             ELSE (value ->> 3)::bigint END,
            played = CASE WHEN played = 0 AND EXISTS
                (SELECT 1 FROM entry JOIN seat USING (game, player)
                 WHERE entry.game = game.id AND number >= game.entries AND occupant = 'human') THEN 1 ELSE played END
        FROM jsonb_array_elements($1::jsonb) AS new (value)
        WHERE game.id = value ->> 0
          AND game.id = ANY (ARRAY (SELECT id ->> 0 FROM jsonb_array_elements($1::jsonb) AS list (id)))",
    replace_cards: "INSERT INTO card (game, card)
        SELECT value ->> 0, value ->> 1 FROM jsonb_array_elements($1::jsonb) AS new (value)
        ON CONFLICT (game) DO UPDATE SET card = excluded.card",
    move_host: "UPDATE game SET seats_revision = seats_revision + 1, seats_hash = decode(value ->> 1, 'hex'),
            host = CASE WHEN coalesce(host, creator) = $2 THEN $3 ELSE host END
        FROM json_array_elements($1::json) AS new (value)
        WHERE game.id = value ->> 0
          AND game.id = ANY (ARRAY (SELECT id ->> 0 FROM json_array_elements($1::json) AS list (id)))",
    // Foreign keys ensure that no seat or entry exists without its game.
    all_ids: "SELECT id FROM game ORDER BY serial",
    integrity_check: None,
};
