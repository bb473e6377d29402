-- Who played a game whose record was brought here, and what repeats it, as that record says (JSON); the
-- uploads of before kept nothing of it.
ALTER TABLE game ADD COLUMN told TEXT CHECK (told IS NULL OR uploaded = 1);
