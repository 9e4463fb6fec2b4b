import type { FoundDoc } from './recall-docs.ts'
import type { Reader } from './reader.ts'

/** How many calls are looked at, newest first. */
const MOST_CALLS = 500

/** Steps from one name of a tool to the next in the index, since reading all calls takes long. */
const NAMES = `WITH RECURSIVE names (name) AS (
    SELECT min(tool_name) FROM tool_call_rows
    UNION ALL SELECT (SELECT min(tool_name) FROM tool_call_rows WHERE tool_name > name) FROM names WHERE name IS NOT NULL
  )
  SELECT name FROM names WHERE name LIKE '%aspy\\_%' ESCAPE '\\'`

/** A tool of the MCP server, as clients name it: `mcp__aspy__aspy_recall`, `mcp__plugin_aspy_aspy__aspy_recall`. */
const OWN_TOOL = /(?:^|__)aspy_[a-z_]+$/

const CALLS = `SELECT DISTINCT e.session_id, e.turn_id
  FROM (SELECT event_id FROM tool_call_rows WHERE tool_name IN (SELECT value FROM json_each(?))
        ORDER BY event_id DESC LIMIT ${MOST_CALLS}) c
  JOIN events e ON e.id = c.event_id`

const TOOLS = `SELECT DISTINCT c.tool_name AS name FROM events e JOIN tool_call_rows c ON c.event_id = e.id
  WHERE e.session_id = ? AND e.turn_id = ? AND e.kind = 'tool_call'`

type Turn = Pick<FoundDoc, 'session_id' | 'turn_id'>

/** Returns the documents of turns in which Claude used no tool but those of Aspy: they repeat what was asked and found. */
export function lookedUp<Doc extends Turn>(reader: Reader, docs: readonly Doc[]): readonly Doc[] {
  const names = reader.all<{ name: string }>(NAMES).flatMap(({ name }) => (OWN_TOOL.test(name) ? [name] : []))
  if (names.length === 0) return []
  const calls = new Set(reader.all<Turn>(CALLS, JSON.stringify(names)).map(keyOf))
  const isOnlyOwn = ({ session_id: session, turn_id: turn }: Turn) =>
    reader.all<{ name: string }>(TOOLS, session, turn).every(({ name }) => OWN_TOOL.test(name))
  const turns = Map.groupBy(
    docs.filter((doc) => calls.has(keyOf(doc))),
    keyOf,
  )
  return [...turns.values()].filter((group) => group.slice(0, 1).every(isOnlyOwn)).flat()
}

const keyOf = ({ session_id: session, turn_id: turn }: Turn) => `${session} ${turn}`
