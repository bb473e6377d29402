-- The time of the database's clock when the entry was inserted; at_ms is that of the server's clock, which may be wrong.
-- Entries of earlier releases have none.
ALTER TABLE entry ADD COLUMN stored_ms BIGINT;
