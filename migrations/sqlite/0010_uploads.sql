-- The id under which a record that was brought here was played, where its dice were sealed under it: its
-- rolls name it, so it takes part in proving them.
ALTER TABLE game ADD COLUMN uploaded_as TEXT CHECK (uploaded_as IS NULL OR uploaded = 1);

-- Whether people get hints although other people play; the games of before said nothing about it.
ALTER TABLE game ADD COLUMN hints INTEGER NOT NULL DEFAULT 0 CHECK (hints IN (0, 1));
