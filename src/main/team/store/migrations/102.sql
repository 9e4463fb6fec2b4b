-- The server writes the words of texts, as laptops index them; `aspy team upgrade` writes those of the texts that are
-- there, and then makes the index again.

DROP INDEX IF EXISTS texts_words;
ALTER TABLE texts ALTER COLUMN words DROP EXPRESSION IF EXISTS;
