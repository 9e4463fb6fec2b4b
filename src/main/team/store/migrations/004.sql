-- A search for a common word ranks only the newest texts that have it.
CREATE INDEX texts_by_time ON texts (ts);

-- Sums of the cache ledger, so that a summary of all time does not read every call. One row for each day, session and cause;
-- the cause is '' for requests that missed nothing.
CREATE TABLE cache_daily (
  day               date             NOT NULL, -- UTC, when the request was sent
  member_id         integer          NOT NULL,
  session_key       uuid             NOT NULL,
  project           text             NOT NULL,
  shared            boolean          NOT NULL,
  cause             text             NOT NULL,
  requests          bigint           NOT NULL,
  could_read        bigint           NOT NULL,
  cache_read_tokens bigint           NOT NULL,
  missed_tokens     bigint           NOT NULL,
  waste_usd         double precision NOT NULL,
  cost_usd          double precision NOT NULL,
  unpriced          bigint           NOT NULL, -- requests whose waste has no price
  compared          bigint           NOT NULL,
  agreed            bigint           NOT NULL,
  PRIMARY KEY (session_key, member_id, day, project, shared, cause)
);
INSERT INTO cache_daily
SELECT (cache_sent_at AT TIME ZONE 'UTC')::date, member_id, session_key, project, shared, coalesce(cache_cause, ''), count(*),
  coalesce(sum(cache_could_read), 0), coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_missed_tokens), 0),
  coalesce(sum(cache_waste_usd), 0), coalesce(sum(cost_usd), 0), count(*) FILTER (WHERE cache_waste_usd IS NULL),
  count(cache_vendor_agrees), count(*) FILTER (WHERE cache_vendor_agrees)
FROM events WHERE cache_sent_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
CREATE INDEX cache_daily_by_day ON cache_daily (day);

-- A server without the owner's rights reads and writes it, too.
DO $$
DECLARE
  server name;
BEGIN
  FOR server IN SELECT DISTINCT unnest(roles) FROM pg_policies
    WHERE schemaname = current_schema() AND tablename = 'events' AND policyname = 'server'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON cache_daily TO %I', server);
  END LOOP;
END $$;
