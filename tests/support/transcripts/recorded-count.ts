import type { AnyEvent } from '../../../src/shared/event.ts'
import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import { settled } from '../../../src/main/store/identity/settled.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { sightingReader } from '../../../src/main/store/log/log.ts'
import { eventsInOrder } from '../store/events-in-order.ts'
import { readStore } from '../store/folder.ts'
import type { SessionCount } from './independent-reader.ts'
import type { Tally } from './tally.ts'

/** The facts of one conversation that reader and recorder can both count. Lists are sorted. */
export interface ConversationFacts {
  readonly thinking: number
  readonly texts: readonly string[]
  readonly calls: readonly string[]
  readonly results: readonly string[]
  /** `message: input/output/cache read/cache write`. */
  readonly usage: readonly string[]
}

export interface SessionFacts {
  /** Everything that a person entered: prompts, commands, `!` commands. */
  readonly entered: readonly string[]
  readonly own: ConversationFacts
  readonly agents: Readonly<Record<string, ConversationFacts>>
  readonly compactions: number
  readonly interruptions: number
  readonly errors: number
  readonly firstTime: string | null
  readonly lastTime: string | null
  readonly title: string | null
}

interface SessionRow {
  readonly id: string
  readonly title: string | null
  readonly started_at: string
  readonly last_event_at: string
}

/** Reads what a store holds of each session: prompts, usage and titles from its tables, the rest from its log. */
export function recordedFacts(dbPath: string): ReadonlyMap<string, SessionFacts> {
  return readStore(dbPath, (plain) => {
    const db = plain as unknown as ReadableDb
    const fetch = contentReader(db)
    const sightingsOf = sightingReader(db, fetch)
    const events = eventsInOrder(db, fetch).map((event) => settled(event, sightingsOf(event)))
    const prompts = db
      .prepare<[string], string>('SELECT content FROM user_prompts WHERE session_id = ? ORDER BY prompt_number')
      .pluck()
    const usage = db.prepare<[string], { id: number; figures: string }>(
      `SELECT id, input_tokens || '/' || output_tokens || '/' || cache_read_tokens || '/' || cache_creation_tokens AS figures
       FROM api_usage WHERE session_id = ?`,
    )
    const sessions = db.prepare<[], SessionRow>('SELECT id, title, started_at, last_event_at FROM sessions').all()
    return new Map(
      sessions.map((session) => {
        const own = events.filter(({ session_id }) => session_id === session.id)
        const figures = new Map(usage.all(session.id).map((row) => [row.id, row.figures]))
        return [session.id, sessionFacts(session, own, prompts.all(session.id), figures)]
      }),
    )
  })
}

function sessionFacts(
  session: SessionRow,
  events: readonly AnyEvent[],
  entered: readonly string[],
  figures: ReadonlyMap<number, string>,
): SessionFacts {
  const main = events.filter(({ agent_id }) => agent_id === null)
  const agents = [...new Set(events.flatMap(({ agent_id }) => agent_id ?? []))]
  return {
    entered: entered.toSorted(),
    own: conversationFacts(main, figures),
    agents: Object.fromEntries(
      agents.toSorted().map((agent) => [
        agent.replace(/^sidechain-/, ''),
        conversationFacts(
          events.filter(({ agent_id }) => agent_id === agent),
          figures,
        ),
      ]),
    ),
    compactions: main.filter(({ kind }) => kind === 'compaction').length,
    interruptions: main.filter((event) => event.kind === 'state_change' && event.payload.name === 'interrupted').length,
    errors: main.filter(({ kind }) => kind === 'error').length,
    firstTime: session.started_at,
    lastTime: session.last_event_at,
    title: session.title,
  }
}

function conversationFacts(events: readonly AnyEvent[], figures: ReadonlyMap<number, string>): ConversationFacts {
  const of = (kind: AnyEvent['kind'], field: string) =>
    events
      .filter((event) => event.kind === kind)
      .map(({ payload }) => String((payload as unknown as Record<string, unknown>)[field]))
      .toSorted()
  return {
    thinking: events.filter(({ kind }) => kind === 'thinking').length,
    texts: of('assistant_text', 'text'),
    calls: of('tool_call', 'call_id'),
    results: of('tool_result', 'call_id'),
    usage: events
      .flatMap((event) =>
        event.kind === 'api_usage' ? [`${event.payload.message_id}: ${figures.get(event.id) ?? 'no row'}`] : [],
      )
      .toSorted(),
  }
}

/** The same facts from the independent reader. */
export function expectedFacts(count: SessionCount): SessionFacts {
  return {
    entered: [...count.prompts, ...count.commands, ...count.bashCommands.map((command) => `!${command}`)].toSorted(),
    own: expectedConversation(count.own),
    agents: Object.fromEntries(
      [...count.agents]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, tally]) => [id, expectedConversation(tally)]),
    ),
    compactions: count.compactions,
    interruptions: count.interruptions,
    errors: count.apiErrors + count.apiRetries,
    firstTime: count.firstTime,
    lastTime: count.lastTime,
    title: count.title,
  }
}

function expectedConversation(tally: Tally): ConversationFacts {
  const afterKey = (block: string) => block.split(' ').slice(2).join(' ')
  return {
    thinking: tally.thinking.size,
    texts: [...tally.texts].map(afterKey).toSorted(),
    calls: [...tally.toolCalls].toSorted(),
    results: [...tally.toolResults].toSorted(),
    usage: [...tally.usage]
      .map(([key, { input, output, cacheRead, cacheWrite }]) => {
        return `${key.split(' ')[0]}: ${input}/${output}/${cacheRead}/${cacheWrite}`
      })
      .toSorted(),
  }
}

/** Names every fact in which a store and the reader differ: `<session> <fact>: <expected> ≠ <recorded>`. */
export function differences(counts: readonly SessionCount[], recorded: ReadonlyMap<string, SessionFacts>): string[] {
  const expected = new Map(counts.map((count) => [count.session, expectedFacts(count)]))
  const sessions = new Set([...expected.keys(), ...recorded.keys()])
  return [...sessions].flatMap((session) => {
    const [mine, theirs] = [expected.get(session), recorded.get(session)]
    if (mine === undefined || theirs === undefined)
      return [`${session}: ${mine === undefined ? 'recorded, not expected' : 'expected, not recorded'}`]
    return compared(session, mine, theirs)
  })
}

function compared(at: string, mine: object, theirs: object): string[] {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].flatMap((name) => {
    const [a, b] = [(mine as Record<string, unknown>)[name], (theirs as Record<string, unknown>)[name]]
    const isPlain = (value: unknown): value is object =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isPlain(a) && isPlain(b)) return compared(`${at} ${name}`, a, b)
    if (Array.isArray(a) && Array.isArray(b)) {
      const [only, more] = [without(a, b), without(b, a)]
      return only.length + more.length === 0 ? [] : [`${at} ${name}: ${JSON.stringify(only)} ≠ ${JSON.stringify(more)}`]
    }
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [`${at} ${name}: ${JSON.stringify(a)} ≠ ${JSON.stringify(b)}`]
  })
}

/** Elements of one list that the other lacks; repeated elements count as often as they occur. */
function without(list: readonly unknown[], other: readonly unknown[]): unknown[] {
  const left = [...other]
  return list.filter((each) => {
    const at = left.indexOf(each)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
