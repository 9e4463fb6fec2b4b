-- The projections fill full text once per transaction, in one statement per table: with a trigger, SQLite writes the index
-- out after every row, which costs nearly three times as much. Changes and removals of rows keep their triggers.
DROP TRIGGER user_prompts_ai;
DROP TRIGGER thinking_blocks_ai;
DROP TRIGGER assistant_responses_ai;
DROP TRIGGER compactions_ai;
DROP TRIGGER errors_ai;
DROP TRIGGER tool_texts_ai;
