-- The time of a database's own clock when the entry was inserted. SQLite has none: at_ms counts.
ALTER TABLE entry ADD COLUMN stored_ms INTEGER;
