-- The baseline of the team's store. `aspy team init` and `aspy team upgrade` run this file in one transaction; nothing else changes tables.
-- Keys begin with an id, not with the member: with the statistics of yesterday, the planner takes a new member for one with few
-- rows, and would read all of them.
-- A laptop's log arrives in `events` and `contents`; `sessions`, `usage_daily` and `texts` are derived from it.

-- One row: the identity of this store, and its keys.
CREATE TABLE team (
  id             uuid        NOT NULL DEFAULT gen_random_uuid(),
  only_row       boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  schema_version integer     NOT NULL,
  hash_key       bytea       NOT NULL, -- of keyed ids and content hashes, shared with every device
  token_key      bytea       NOT NULL, -- signs the sessions of devices
  created_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE members (
  id          integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text        NOT NULL UNIQUE,
  role        text        NOT NULL CHECK (role IN ('member', 'reader', 'admin')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz
);

CREATE TABLE invitations (
  code_hash  bytea       PRIMARY KEY,
  member_id  integer     NOT NULL REFERENCES members (id),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

CREATE TABLE devices (
  id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  member_id    integer     NOT NULL REFERENCES members (id),
  name         text        NOT NULL,
  token_hash   bytea       NOT NULL UNIQUE,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at   timestamptz
);

-- How far each device's change log was taken. A higher epoch means that the device sends it again from its start.
CREATE TABLE device_positions (
  device_id  uuid        NOT NULL REFERENCES devices (id),
  log        text        NOT NULL,
  epoch      integer     NOT NULL,
  position   bigint      NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (device_id, log)
);

CREATE SEQUENCE event_ids;

-- `month` is that of `ts`, or 0001-01-01 if the time is impossible; then `received_at` says when the event arrived.
CREATE TABLE events (
  month                    date             NOT NULL,
  id                       bigint           NOT NULL DEFAULT nextval('event_ids'),
  uuid                     uuid             NOT NULL,
  member_id                integer          NOT NULL,
  device_id                uuid             NOT NULL,
  session_id               text             NOT NULL,
  session_key              uuid             NOT NULL,
  turn_id                  integer          NOT NULL,
  seq                      integer          NOT NULL,
  agent_id                 text,
  parent_uuid              uuid,
  root_uuid                uuid,
  depth                    integer,
  kind                     text             NOT NULL,
  source                   text             NOT NULL,
  ts                       timestamptz      NOT NULL,
  received_at              timestamptz      NOT NULL DEFAULT now(),
  duration_ms              double precision,
  success                  boolean,
  error_message            text,
  level                    text             NOT NULL CHECK (level IN ('metadata', 'full')),
  rank                     smallint         NOT NULL,
  position                 bigint           NOT NULL,
  shared                   boolean          NOT NULL,
  project                  text             NOT NULL DEFAULT '',
  is_prompt                boolean          NOT NULL DEFAULT false,
  tool_name                text,
  outcome                  text,
  model                    text,
  basis                    text,
  input_tokens             bigint,
  output_tokens            bigint,
  thinking_tokens          bigint,
  cache_read_tokens        bigint,
  cache_creation_tokens    bigint,
  cache_creation_1h_tokens bigint,
  cost_usd                 double precision,
  payload                  jsonb            NOT NULL DEFAULT '{}',
  -- What the cache ledger of a laptop says of an answer's request, and how much of the account's limits is used.
  cache_sent_at            timestamptz,
  cache_exchange           uuid,
  cache_could_read         bigint,
  cache_missed_tokens      bigint,
  cache_waste_usd          double precision,
  cache_cause              text,
  cache_vendor_agrees      boolean,
  limits                   jsonb, -- [{"window": "5h", "used": 0.5, "resets_at": time}]
  PRIMARY KEY (uuid, member_id, month)
) PARTITION BY RANGE (month);
CREATE INDEX events_by_session ON events (session_id, ts, id);
CREATE INDEX events_by_session_key ON events (session_key, member_id);
CREATE INDEX events_by_time ON events (ts, id);
CREATE INDEX events_usage ON events (member_id, ts) WHERE kind = 'api_usage';
CREATE INDEX events_tools ON events (ts, id) WHERE kind IN ('tool_call', 'tool_result');
-- With all that is summed: a summary reads the index alone.
CREATE INDEX events_cache ON events (cache_sent_at, id) INCLUDE (member_id, shared, project, session_key, cache_read_tokens,
  cache_could_read, cache_missed_tokens, cache_waste_usd, cost_usd, cache_cause, cache_vendor_agrees)
  WHERE cache_sent_at IS NOT NULL;
-- The same for the calls of a range, of all members.
CREATE INDEX events_calls ON events (ts, member_id) INCLUDE (session_key, project, shared, input_tokens, output_tokens,
  cache_read_tokens, cache_creation_tokens, cost_usd) WHERE kind = 'api_usage' AND model IS NOT NULL;
CREATE INDEX events_limits ON events (member_id, ts) WHERE limits IS NOT NULL;
CREATE TABLE events_other PARTITION OF events DEFAULT;

-- The natural keys of events, each hashed with the team's key: one fact from two laptops of a member is one event.
CREATE TABLE event_keys (
  member_id integer NOT NULL,
  key       uuid    NOT NULL,
  month     date    NOT NULL,
  uuid      uuid    NOT NULL,
  PRIMARY KEY (key, member_id)
);
CREATE INDEX event_keys_by_event ON event_keys (uuid, member_id);

-- Long texts of payloads, once each, by a hash with the team's key.
CREATE TABLE contents (
  hash       bytea       PRIMARY KEY,
  content    text        NOT NULL,
  bytes      integer     NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE event_contents (
  hash      bytea   NOT NULL,
  month     date    NOT NULL,
  member_id integer NOT NULL,
  uuid      uuid    NOT NULL,
  shared    boolean NOT NULL,
  PRIMARY KEY (hash, member_id, uuid)
);
CREATE INDEX event_contents_by_event ON event_contents (uuid, member_id);
CREATE TABLE content_senders (
  device_id uuid  NOT NULL,
  hash      bytea NOT NULL,
  PRIMARY KEY (device_id, hash)
);
CREATE INDEX content_senders_by_hash ON content_senders (hash);

CREATE TABLE sessions (
  member_id       integer          NOT NULL,
  session_key     uuid             NOT NULL,
  session_id      text             NOT NULL,
  level           text             NOT NULL,
  shared          boolean          NOT NULL,
  project         text             NOT NULL DEFAULT '',
  git_branch      text,
  title           text,
  client          text             NOT NULL DEFAULT 'unknown',
  client_version  text,
  source          text             NOT NULL DEFAULT 'first_seen',
  active_ms       double precision NOT NULL DEFAULT 0,
  started_at      timestamptz,
  last_event_at   timestamptz,
  ended_at        timestamptz,
  events          bigint           NOT NULL DEFAULT 0,
  turn_count      integer          NOT NULL DEFAULT 0,
  -- Figures: `npm run schema` writes them from src/main/listings/session-figures.ts.
  prompts         integer          NOT NULL DEFAULT 0,
  total_tokens    bigint           NOT NULL DEFAULT 0,
  total_cost_usd  double precision NOT NULL DEFAULT 0,
  unpriced_calls  integer          NOT NULL DEFAULT 0,
  tool_calls      integer          NOT NULL DEFAULT 0,
  thinking_blocks integer          NOT NULL DEFAULT 0,
  errors          integer          NOT NULL DEFAULT 0,
  api_errors      integer          NOT NULL DEFAULT 0,
  failed_tools    integer          NOT NULL DEFAULT 0,
  model           text,
  agents          integer,
  -- End of figures.
  first_seen_at   timestamptz      NOT NULL DEFAULT now(),
  -- Sums of all time need it, so that they read no events.
  calls           bigint           NOT NULL DEFAULT 0,
  PRIMARY KEY (session_key, member_id)
);
CREATE INDEX sessions_by_id ON sessions (session_id);
CREATE INDEX sessions_by_last_event ON sessions (last_event_at, session_id);
CREATE INDEX sessions_by_project ON sessions (project, last_event_at);

CREATE TABLE usage_daily (
  day                   date             NOT NULL, -- UTC
  member_id             integer          NOT NULL,
  project               text             NOT NULL,
  model                 text             NOT NULL,
  shared                boolean          NOT NULL,
  calls                 bigint           NOT NULL,
  input_tokens          bigint           NOT NULL,
  output_tokens         bigint           NOT NULL,
  cache_read_tokens     bigint           NOT NULL,
  cache_creation_tokens bigint           NOT NULL,
  cost_usd              double precision NOT NULL,
  unpriced_calls        bigint           NOT NULL,
  lower_bound_calls     bigint           NOT NULL,
  PRIMARY KEY (day, member_id, project, model, shared)
);
CREATE INDEX usage_daily_by_member ON usage_daily (member_id, day);

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
CREATE INDEX cache_daily_by_day ON cache_daily (day);

-- Prompts, answers, thinking and summaries of policy `full`, for search.
CREATE TABLE texts (
  month      date        NOT NULL,
  member_id  integer     NOT NULL,
  uuid       uuid        NOT NULL,
  session_id text        NOT NULL,
  turn_id    integer     NOT NULL,
  kind       text        NOT NULL CHECK (kind IN ('user_prompt', 'assistant_response', 'thinking', 'compaction')),
  ts         timestamptz NOT NULL,
  project    text        NOT NULL,
  shared     boolean     NOT NULL,
  content    text        NOT NULL,
  words      tsvector    NOT NULL GENERATED ALWAYS AS (to_tsvector('english', left(content, 200000))) STORED,
  PRIMARY KEY (uuid, member_id, month)
) PARTITION BY RANGE (month);
CREATE INDEX texts_words ON texts USING gin (words) WITH (fastupdate = off);
CREATE INDEX texts_by_session ON texts (session_id, ts);
-- A search for a common word ranks only the newest texts that have it.
CREATE INDEX texts_by_time ON texts (ts);
CREATE TABLE texts_other PARTITION OF texts DEFAULT;

-- Sessions deleted for good. What is sent of them later is refused.
CREATE TABLE tombstones (
  member_id   integer     NOT NULL,
  session_key uuid        NOT NULL,
  deleted_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (member_id, session_key)
);

-- Who read texts of others.
CREATE TABLE read_audit (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT now(),
  reader_id  integer     NOT NULL,
  device_id  uuid        NOT NULL,
  operation  text        NOT NULL,
  owner_id   integer     NOT NULL,
  session_id text        NOT NULL,
  texts      integer     NOT NULL
);
CREATE INDEX read_audit_by_time ON read_audit (at);
-- A deletion removes the session's id from the notes of who read it.
CREATE INDEX read_audit_by_session ON read_audit (session_id);

-- Database roles that read by SQL: all rows, or those of a member and what others share.
CREATE TABLE sql_readers (
  role_name text    PRIMARY KEY,
  member_id integer REFERENCES members (id),
  sees_all  boolean NOT NULL DEFAULT false
);

CREATE FUNCTION aspy_sees_all(reader name) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
$$ SELECT coalesce((SELECT sees_all FROM sql_readers WHERE role_name = reader), false) $$;
CREATE FUNCTION aspy_member_of(reader name) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
$$ SELECT member_id FROM sql_readers WHERE role_name = reader $$;
CREATE FUNCTION aspy_is_reader(reader name) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
$$ SELECT EXISTS (SELECT 1 FROM sql_readers WHERE role_name = reader) $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['events', 'event_contents', 'sessions', 'usage_daily', 'texts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$CREATE POLICY readers ON %I FOR SELECT USING (
      (SELECT aspy_sees_all(current_user)) OR member_id = (SELECT aspy_member_of(current_user))
      OR (shared AND (SELECT aspy_is_reader(current_user))))$policy$, name);
  END LOOP;
END $$;
ALTER TABLE contents ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON contents FOR SELECT USING (EXISTS (SELECT 1 FROM event_contents c WHERE c.hash = contents.hash));

-- Creates the partitions of the months from `behind` months ago to `ahead` months from now; returns how many were missing.
CREATE FUNCTION aspy_add_months(ahead integer DEFAULT 24, behind integer DEFAULT 0) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  first date;
  made integer := 0;
  parent text;
  part text;
BEGIN
  IF ahead NOT BETWEEN 0 AND 120 OR behind NOT BETWEEN 0 AND 120 THEN
    RAISE EXCEPTION 'give 0 to 120 months';
  END IF;
  FOR distance IN -behind..ahead LOOP
    first := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => distance))::date;
    FOREACH parent IN ARRAY ARRAY['events', 'texts'] LOOP
      part := parent || '_' || to_char(first, 'YYYY_MM');
      IF to_regclass(part) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
          part, parent, first, (first + interval '1 month')::date);
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
REVOKE EXECUTE ON FUNCTION aspy_add_months FROM PUBLIC;

-- Drops the partitions of a month and everything before it, and what refers to them; returns how many were dropped.
CREATE FUNCTION aspy_drop_months(before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  part record;
  dropped integer := 0;
BEGIN
  FOR part IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('events'::regclass, 'texts'::regclass) AND c.relname ~ '_\d{4}_\d{2}$'
      AND to_date(right(c.relname, 7), 'YYYY_MM') < date_trunc('month', before)
  LOOP
    EXECUTE format('DROP TABLE %I', part.name);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM events WHERE month < date_trunc('month', before) AND month > '0001-01-01';
  DELETE FROM texts WHERE month < date_trunc('month', before) AND month > '0001-01-01';
  DELETE FROM event_keys WHERE month < date_trunc('month', before) AND month > '0001-01-01';
  DELETE FROM event_contents WHERE month < date_trunc('month', before) AND month > '0001-01-01';
  DELETE FROM contents c WHERE NOT EXISTS (SELECT 1 FROM event_contents e WHERE e.hash = c.hash);
  DELETE FROM content_senders s WHERE NOT EXISTS (SELECT 1 FROM contents c WHERE c.hash = s.hash);
  RETURN dropped;
END $$;
REVOKE EXECUTE ON FUNCTION aspy_drop_months FROM PUBLIC;

-- The lineage design's names. `security_invoker`: row-level security is that of the caller.
CREATE VIEW session_events WITH (security_invoker = true) AS
SELECT id, uuid, session_id AS instance_id, parent_uuid, root_uuid, depth, kind AS event_type, ts AS "timestamp", payload,
       duration_ms, success, error_message
FROM events;

-- The event first, then its parents up to the root. A parent belongs to the same member, so nobody can extend another's chain.
CREATE FUNCTION get_parent_chain(event_uuid uuid)
RETURNS TABLE (uuid uuid, event_type text, "timestamp" timestamptz, payload jsonb) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH RECURSIVE chain AS (
    (SELECT 1 AS step, e.member_id, e.uuid, e.parent_uuid, e.kind, e.ts, e.payload, ARRAY[e.uuid] AS met
     FROM events e WHERE e.uuid = event_uuid ORDER BY e.id LIMIT 1)
    UNION ALL
    SELECT c.step + 1, p.member_id, p.uuid, p.parent_uuid, p.kind, p.ts, p.payload, c.met || p.uuid
    FROM chain c CROSS JOIN LATERAL (
      SELECT e.* FROM events e WHERE e.uuid = c.parent_uuid AND e.member_id = c.member_id LIMIT 1
    ) p
    WHERE c.step < 1000 AND p.uuid <> ALL (c.met)
  )
  SELECT c.uuid, c.kind, c.ts, c.payload FROM chain c ORDER BY c.step
$$;

-- A session id belongs to the member who sent it first: another cannot add events to it.
CREATE FUNCTION aspy_owner_of(inst_id text) RETURNS integer LANGUAGE sql STABLE SET search_path FROM CURRENT AS
$$ SELECT s.member_id FROM sessions s WHERE s.session_id = inst_id ORDER BY s.first_seen_at, s.member_id LIMIT 1 $$;

CREATE FUNCTION get_recent_events(inst_id text, limit_count integer DEFAULT 50)
RETURNS TABLE (uuid uuid, parent_uuid uuid, event_type text, "timestamp" timestamptz, payload jsonb) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT e.uuid, e.parent_uuid, e.kind, e.ts, e.payload FROM events e
  WHERE e.session_id = inst_id AND e.member_id = (SELECT aspy_owner_of(inst_id))
  ORDER BY e.ts DESC, e.turn_id DESC, e.seq DESC LIMIT least(greatest(limit_count, 0), 10000)
$$;

CREATE FUNCTION get_timeline(inst_id text, start_time timestamptz, end_time timestamptz)
RETURNS TABLE (uuid uuid, event_type text, "timestamp" timestamptz, duration_ms double precision) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT e.uuid, e.kind, e.ts, e.duration_ms FROM events e
  WHERE e.session_id = inst_id AND e.member_id = (SELECT aspy_owner_of(inst_id)) AND e.ts >= start_time AND e.ts <= end_time
  ORDER BY e.ts, e.turn_id, e.seq
$$;

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
