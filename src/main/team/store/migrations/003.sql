-- What the cache ledger of a laptop says of an answer's request, and how much of the account's limits is used.
ALTER TABLE events
  ADD COLUMN cache_sent_at       timestamptz,
  ADD COLUMN cache_exchange      uuid,
  ADD COLUMN cache_could_read    bigint,
  ADD COLUMN cache_missed_tokens bigint,
  ADD COLUMN cache_waste_usd     double precision,
  ADD COLUMN cache_cause         text,
  ADD COLUMN cache_vendor_agrees boolean,
  ADD COLUMN limits              jsonb; -- [{"window": "5h", "used": 0.5, "resets_at": time}]
-- With all that is summed: a summary reads the index alone.
CREATE INDEX events_cache ON events (cache_sent_at, id) INCLUDE (member_id, shared, project, session_key, cache_read_tokens,
  cache_could_read, cache_missed_tokens, cache_waste_usd, cost_usd, cache_cause, cache_vendor_agrees)
  WHERE cache_sent_at IS NOT NULL;
-- The same for the calls of a range, of all members.
CREATE INDEX events_calls ON events (ts, member_id) INCLUDE (session_key, project, shared, input_tokens, output_tokens,
  cache_read_tokens, cache_creation_tokens, cost_usd) WHERE kind = 'api_usage' AND model IS NOT NULL;
CREATE INDEX events_limits ON events (member_id, ts) WHERE limits IS NOT NULL;

-- What lists and sums of all time need of a session, so that they read no events.
ALTER TABLE sessions
  ADD COLUMN model  text, -- of the newest call of the main agent
  ADD COLUMN agents integer NOT NULL DEFAULT 0,
  ADD COLUMN calls  bigint  NOT NULL DEFAULT 0;
UPDATE sessions s SET model = c.model, agents = c.agents, calls = c.calls
FROM (
  SELECT member_id, session_key, count(DISTINCT agent_id) AS agents,
    count(*) FILTER (WHERE kind = 'api_usage' AND model IS NOT NULL) AS calls,
    (array_agg(model ORDER BY turn_id DESC, ts DESC) FILTER (WHERE kind = 'api_usage' AND agent_id IS NULL))[1] AS model
  FROM events GROUP BY member_id, session_key
) c WHERE s.member_id = c.member_id AND s.session_key = c.session_key;

-- Without a place in the path, temporary tables come first: a reader could put one in the place of `sql_readers`, which a
-- function with the owner's rights then believes.
DO $$
DECLARE
  name regprocedure;
BEGIN
  FOR name IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = to_regnamespace(current_schema())
    AND p.proname IN ('aspy_sees_all', 'aspy_member_of', 'aspy_is_reader', 'aspy_add_months', 'aspy_drop_months',
      'aspy_owner_of', 'get_parent_chain', 'get_recent_events', 'get_timeline')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
END $$;
