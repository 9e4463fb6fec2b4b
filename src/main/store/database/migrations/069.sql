-- New events are noted in `changes` once per transaction, by the log (src/main/store/log/log.ts): a trigger took a third
-- of the time of an event's row.
DROP TRIGGER events_changes_ai;

-- SQLite builds a table in memory for each row to check `x IN (…)` with more than two values. The same conditions without it;
-- no row is written.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'source IN (''wire'', ''hook'', ''transcript'', ''api'')',
  'source = ''wire'' OR source = ''hook'' OR source = ''transcript'' OR source = ''api''')
WHERE type = 'table' AND name IN ('events', 'sighting_rows');
UPDATE sqlite_schema SET sql = replace(sql, 'match_type IN (''thinking'', ''user_prompt'', ''assistant_response'', ''compaction'')',
  'match_type = ''thinking'' OR match_type = ''user_prompt'' OR match_type = ''assistant_response'' OR match_type = ''compaction''')
WHERE type = 'table' AND name = 'recall_docs';
UPDATE sqlite_schema SET sql = replace(sql, 'kind IN (''event'', ''sighting'', ''correction'', ''redaction'', ''removal'', ''tombstone'', ''session'')',
  'kind = ''event'' OR kind = ''sighting'' OR kind = ''correction'' OR kind = ''redaction'' OR kind = ''removal'' OR kind = ''tombstone'' OR kind = ''session''')
WHERE type = 'table' AND name = 'changes';
UPDATE sqlite_schema SET sql = replace(sql, 'kind IN (''api_usage'', ''user_prompt'', ''agent_started'', ''compaction'')',
  'kind = ''api_usage'' OR kind = ''user_prompt'' OR kind = ''agent_started'' OR kind = ''compaction''')
WHERE type = 'table' AND name = 'preview_items';
PRAGMA writable_schema = RESET;
