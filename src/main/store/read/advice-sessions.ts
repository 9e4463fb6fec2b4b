import { objectOf, stringOf } from '../../../shared/json-fields.ts'
import type { Json } from '../../../shared/json.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { adviceCalls, type AdviceCall } from './advice-calls.ts'
import { askedCalls, failedCalls, passedIn, ranIn, type AskedCall, type FailedCall } from './advice-events.ts'
import { largeOutputs, type LargeOutput } from './advice-outputs.ts'
import { blocksOfLine, linesOfSession } from './carry-blocks.ts'
import { createTitles } from './session-titles.ts'
import type { Reader } from './reader.ts'

/** Definitions of an MCP server that a session carried. */
export interface CarriedServer {
  readonly server: string
  readonly tools: readonly string[]
  readonly usd: number
  /** A request that carried them. */
  readonly call: number
}

/** A subagent of a session. */
export interface AdviceAgent {
  readonly session_id: string
  readonly agent_id: string
  readonly agent_type: string | null
  /** Null: the main agent started it. */
  readonly parent_agent_id: string | null
}

/** The part of a session that advice is drawn from. It is gathered again only if the session changed. */
export interface AdviceSession {
  readonly session_id: string
  readonly project: string | null
  readonly client: string
  readonly client_version: string | null
  /** Milliseconds since 1970. */
  readonly started_at: number
  readonly spent_usd: number
  readonly calls: readonly AdviceCall[]
  readonly servers: readonly CarriedServer[]
  /** Names of the MCP tools that it called; of resources that it read and prompts that it entered, `mcp__<server>__`. */
  readonly called: ReadonlySet<string>
  readonly failed: readonly FailedCall[]
  /** Returns true if it ran a command or tool. */
  readonly ran: (run: Pick<FailedCall, 'tool' | 'command'>) => boolean
  /** Returns true if it later ran the same call without an error. */
  readonly passed: (call: FailedCall) => boolean
  readonly asked: readonly AskedCall[]
  readonly outputs: readonly LargeOutput[]
  readonly agents: readonly AdviceAgent[]
}

/** How far back advice looks, from the newest event. */
const WINDOW_MS = 90 * DAY_MS

/** What advice needs of each session, kept between calls: only sessions that changed are read again. */
export class AdviceSessions {
  #position = -1
  readonly #sessions = new Map<string, AdviceSession>()

  /** Reads what changed. Returns true if anything did. */
  update(reader: Reader): boolean {
    const position =
      reader.get<{ position: number | null }>('SELECT max(position) AS position FROM changes')?.position ?? 0
    const rows = sessionsInWindow(reader)
    const isContinued = this.#position >= 0 && position >= this.#position
    const changed = isContinued ? changedSince(reader, this.#position) : null
    if (!isContinued) this.#sessions.clear()
    const present = new Set(rows.map(({ session_id: id }) => id))
    const gone = [...this.#sessions.keys()].filter((id) => !present.has(id))
    for (const id of gone) this.#sessions.delete(id)
    const due = rows.filter(({ session_id: id }) => changed?.has(id) === true || !this.#sessions.has(id))
    for (const session of gathered(reader, due)) this.#sessions.set(session.session_id, session)
    this.#position = position
    return due.length > 0 || gone.length > 0
  }

  all(): readonly AdviceSession[] {
    return [...this.#sessions.values()]
  }
}

type SessionRow = Pick<AdviceSession, 'session_id' | 'project' | 'client' | 'client_version'> & {
  readonly started_at: string
}

function sessionsInWindow(reader: Reader): readonly SessionRow[] {
  const newest = reader.get<{ at: string | null }>('SELECT max(last_event_at) AS at FROM sessions')?.at ?? null
  if (newest === null) return []
  return reader.all<SessionRow>(
    `SELECT id AS session_id, project, client, client_version, started_at FROM sessions WHERE last_event_at >= ?
     ORDER BY last_event_at, id`,
    new Date(Date.parse(newest) - WINDOW_MS).toISOString(),
  )
}

/** Returns the sessions whose events, figures or names changed after an entry of the change log. */
function changedSince(reader: Reader, position: number): ReadonlySet<string> {
  const rows = reader.all<{ changed: string | null }>(
    `SELECT DISTINCT coalesce(e.session_id, c.name) AS changed FROM changes c LEFT JOIN events e ON e.id = c.event_id
     WHERE c.position > ?`,
    position,
  )
  return new Set(rows.flatMap(({ changed }) => changed ?? []))
}

/** Reads sessions, with one statement for all of them for each kind of fact. */
function gathered(reader: Reader, rows: readonly SessionRow[]): readonly AdviceSession[] {
  if (rows.length === 0) return []
  const ids = JSON.stringify(rows.map(({ session_id: id }) => id))
  const answers = adviceCalls(reader, ids)
  const calls = Map.groupBy(answers, ({ session_id: id }) => id)
  const servers = Map.groupBy(carriedServers(reader, ids), ({ session_id: id }) => id)
  const since = rows.reduce((first, { started_at: at }) => (at < first ? at : first), rows[0]?.started_at ?? '')
  const used = [...calledServerTools(reader, ids), ...otherUses(reader, ids, since)]
  const called = Map.groupBy(used, ({ session_id: id }) => id)
  const failed = Map.groupBy(failedCalls(reader, ids, since), ({ session_id: id }) => id)
  const asked = Map.groupBy(askedCalls(reader, ids, since), ({ session_id: id }) => id)
  const outputs = Map.groupBy(largeOutputs(reader, ids, answers), ({ session_id: id }) => id)
  const agents = Map.groupBy(agentsOf(reader, ids), ({ session_id: id }) => id)
  return rows.map((row) => {
    const own = calls.get(row.session_id) ?? []
    return {
      ...row,
      started_at: Date.parse(row.started_at),
      spent_usd: own.reduce((sum, { cost_usd: usd }) => sum + usd, 0),
      calls: own,
      servers: serversOf(servers.get(row.session_id) ?? []),
      failed: failed.get(row.session_id) ?? [],
      ran: ranIn(reader, row.session_id),
      passed: passedIn(reader, row.session_id, row.project),
      asked: asked.get(row.session_id) ?? [],
      outputs: outputs.get(row.session_id) ?? [],
      agents: agents.get(row.session_id) ?? [],
      called: new Set((called.get(row.session_id) ?? []).map(({ tool }) => tool)),
    }
  })
}

/** On the wire, the type of an agent is in the call that started it. */
const agentsOf = (reader: Reader, sessions: string): readonly AdviceAgent[] =>
  reader
    .all<AdviceAgent & { readonly call: string | null }>(
      `SELECT a.session_id, a.agent_id, a.agent_type, a.parent_agent_id, call.payload AS call FROM agents a
       LEFT JOIN tool_call_rows c ON a.agent_type IS NULL AND c.call_id = a.call_id
       LEFT JOIN events call ON call.id = c.event_id
       WHERE a.session_id IN (SELECT value FROM json_each(?)) ORDER BY a.session_id, a.agent_id`,
      sessions,
    )
    .map(({ call, agent_type: type, ...agent }) => {
      const input = call === null ? null : objectOf(reader.payload(call)['input'] as Json)
      return { ...agent, agent_type: type ?? stringOf(input?.['subagent_type']) ?? stringOf(input?.['agent_type']) }
    })

interface CalledRow {
  readonly session_id: string
  readonly tool: string
}

/** The range of names that begin with `mcp__`, for the index. */
const calledServerTools = (reader: Reader, sessions: string): CalledRow[] =>
  reader.all(
    `SELECT DISTINCT e.session_id, r.tool_name AS tool FROM tool_call_rows r CROSS JOIN events e ON e.id = r.event_id
     WHERE r.tool_name >= 'mcp__' AND r.tool_name < 'mcp_a' AND e.session_id IN (SELECT value FROM json_each(?))`,
    sessions,
  )

/** Tools of clients that read what a server has besides its own tools. */
const READS_RESOURCES = JSON.stringify([
  'ReadMcpResourceTool',
  'ListMcpResourcesTool',
  'read_mcp_resource',
  'list_mcp_resources',
  'list_mcp_resource_templates',
])
const ENTERED = /^\/(mcp__.+?__)/

/** A server is used, too, if its resources are read, or a prompt of it is entered as a command. */
function otherUses(reader: Reader, sessions: string, since: string): CalledRow[] {
  const reads = reader.all<{ readonly session_id: string; readonly payload: string }>(
    `SELECT e.session_id, e.payload FROM tool_call_rows r CROSS JOIN events e ON e.id = r.event_id
     WHERE r.tool_name IN (SELECT value FROM json_each(?)) AND e.session_id IN (SELECT value FROM json_each(?))`,
    READS_RESOURCES,
    sessions,
  )
  const entered = reader.all<{ readonly session_id: string; readonly payload: string }>(
    `SELECT session_id, payload FROM events WHERE kind = 'user_prompt' AND ts_wall >= ? AND instr(payload, '"/mcp__') > 0
       AND +session_id IN (SELECT value FROM json_each(?))`,
    since,
    sessions,
  )
  return [
    ...reads.flatMap(({ session_id, payload }) => {
      const server = stringOf(objectOf(reader.head(payload)['input'] as Json)['server'])
      // The client writes names so in those of tools.
      return server === null ? [] : [{ session_id, tool: `mcp__${server.replaceAll(/[^\w-]/g, '_')}__` }]
    }),
    ...entered.flatMap(({ session_id, payload }) => {
      const tool = ENTERED.exec(stringOf(reader.head(payload)['text'] as Json) ?? '')?.[1]
      return tool === undefined ? [] : [{ session_id, tool }]
    }),
  ]
}

interface ServerRow {
  readonly session_id: string
  readonly call: number
  readonly server: string
  readonly tool: string
  readonly usd: number
}

const USD = `g.read_usd + g.open_tokens * line.read_usd + g.written_usd + g.uncached_usd`

const carriedServers = (reader: Reader, sessions: string): ServerRow[] =>
  reader.all(
    `SELECT line.session_id, min(line.line_id) AS call, g.server, g.tool, total(${USD}) AS usd
     FROM carry_lines line CROSS JOIN carry_groups g ON g.event_id = line.line_id
     WHERE line.session_id IN (SELECT value FROM json_each(?)) AND g.kind = 'tool_schema' AND g.server IS NOT NULL
     GROUP BY 1, 3, 4`,
    sessions,
  )

function serversOf(rows: readonly ServerRow[]): readonly CarriedServer[] {
  return [...Map.groupBy(rows, ({ server }) => server)].map(([server, group]) => ({
    server,
    tools: group.map(({ tool }) => tool),
    usd: group.reduce((sum, { usd }) => sum + usd, 0),
    call: Math.min(...group.map(({ call }) => call)),
  }))
}

/** Returns what a session paid for a server's definitions, without the calls whose ids are given. */
export const costOfServer = (reader: Reader, session: string, server: string, without: ReadonlySet<number>): number =>
  linesOfSession(reader, session)
    .flatMap((line) => blocksOfLine(reader, line, {}, without))
    .filter((block) => block.kind === 'tool_schema' && block.server === server)
    .reduce((sum, block) => sum + block.read_usd + block.written_usd + block.uncached_usd, 0)

/** Returns events by id. A usage has the uuid of its request, unless that was not captured. */
export function evidenceEvents(reader: Reader, ids: readonly number[]) {
  const titleOf = createTitles(reader)
  const rows = reader.all<{
    readonly id: number
    readonly uuid: string
    readonly session_id: string
    readonly timestamp: string
  }>(
    `SELECT e.id, coalesce((SELECT c.request_uuid FROM cache_calls c WHERE c.id = e.id), e.uuid) AS uuid, e.session_id,
       e.ts_wall AS timestamp
     FROM events e WHERE e.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
  return new Map(rows.map(({ id, ...event }) => [id, { ...event, ...titleOf(event.session_id) }]))
}
