-- What files cost to carry, by week.
DROP TRIGGER carry_groups_bd;
DROP TRIGGER carry_lines_bd;
DROP TRIGGER carry_groups_bu;
DROP TRIGGER carry_groups_au;
CREATE TABLE carry_week_files (
  week            INTEGER NOT NULL, -- since 1970: of the line's first request
  name            TEXT    NOT NULL, -- '' if it belongs to no file
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
  PRIMARY KEY (week, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX carry_week_files_empty ON carry_week_files (groups) WHERE groups = 0;
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
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
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
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.line_id
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
  DELETE FROM carry_active WHERE line_id = old.line_id;
END;
CREATE TRIGGER carry_groups_bu BEFORE UPDATE OF tool, server, name ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server OR new.name IS NOT old.name
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
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
END;
CREATE TRIGGER carry_groups_au AFTER UPDATE OF tool, server, name ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server OR new.name IS NOT old.name
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
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = new.event_id AND g.number = new.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
END;
INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND TRUE
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
