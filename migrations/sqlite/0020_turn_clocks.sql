-- The seconds that a person has for a turn; null without a clock.
ALTER TABLE game ADD COLUMN turn_s INTEGER;
