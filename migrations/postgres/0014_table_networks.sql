-- A hash of the client network that opened the table; NULL where networks are not counted.
ALTER TABLE open_table ADD COLUMN network BIGINT;
