-- Sums of life cost by week: an answer over a year reads them instead of the groups of every line.
DROP INDEX carry_groups_by_tool;
CREATE TABLE carry_weeks (
  week            INTEGER NOT NULL, -- since 1970: of the line's first request
  kind            TEXT    NOT NULL,
  tool            TEXT    NOT NULL, -- '' if it belongs to none
  server          TEXT    NOT NULL, -- '' if it belongs to none
  groups          INTEGER NOT NULL, -- of carry_groups, without those of turns
  blocks          INTEGER NOT NULL,
  bytes           INTEGER NOT NULL,
  requests        INTEGER NOT NULL,
  read_tokens     REAL    NOT NULL, -- tokens in millionths
  read_usd        REAL    NOT NULL, -- USD in units of 1e-11
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (week, kind, tool, server)
) STRICT, WITHOUT ROWID;
CREATE INDEX carry_weeks_empty ON carry_weeks (groups) WHERE groups = 0;
CREATE TABLE carry_active (
  line_id INTEGER PRIMARY KEY -- left out of carry_weeks
) STRICT;
CREATE TRIGGER carry_groups_bd BEFORE DELETE ON carry_groups
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
END;
CREATE TRIGGER carry_lines_bd BEFORE DELETE ON carry_lines
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.line_id
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
  DELETE FROM carry_active WHERE line_id = old.line_id;
END;
CREATE TRIGGER carry_groups_bu BEFORE UPDATE OF tool, server ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
END;
CREATE TRIGGER carry_groups_au AFTER UPDATE OF tool, server ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = new.event_id AND g.number = new.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
END;
INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND TRUE
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
