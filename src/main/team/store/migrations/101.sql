-- Written by `npm run schema` from src/main/listings/session-figures.ts. Never edit it once it is on main.

ALTER TABLE sessions ADD COLUMN compactions integer;
UPDATE sessions SET compactions = (SELECT count(*) FILTER (WHERE kind = 'compaction') FROM events
  WHERE events.session_key = sessions.session_key AND events.member_id = sessions.member_id);
