-- Full text is filled once a transaction by the projections themselves, in one statement a table: a trigger makes SQLite
-- write out the index after every row, which costs nearly three times as much. What changes or removes a row keeps its triggers.
DROP TRIGGER user_prompts_ai;
DROP TRIGGER thinking_blocks_ai;
DROP TRIGGER assistant_responses_ai;
DROP TRIGGER compactions_ai;
DROP TRIGGER errors_ai;
DROP TRIGGER tool_texts_ai;
