import type { Json } from '../../../shared/json.ts'
import { toolShape } from '../../../shared/tool-shape.ts'
import { commandHead, showsFile } from './advice-events.ts'
import type { AdviceCall } from './advice-calls.ts'
import { blocksOfLine, linesOfSession } from './carry-blocks.ts'
import type { Reader } from './reader.ts'

/** A long output of a command or tool in the context of a session. */
export interface LargeOutput {
  readonly session_id: string
  /** The usage of the request in which it entered. */
  readonly event: number
  readonly tool: string
  /** Program and subcommand; '' if the tool runs none. */
  readonly command: string
  /** True if it is the answer of an agent. */
  readonly is_agent: boolean
  readonly tokens: number
  /**
   * Returns what it cost in later turns, after the last text that repeats a part of it, without the calls whose ids are
   * given.
   */
  readonly carriedUsd: (without: ReadonlySet<number>) => number
}

/** UTF-8 bytes of a result that is long: about 5,000 tokens. */
const LARGE_BYTES = 20_000

interface LargeRow extends Pick<LargeOutput, 'session_id' | 'event' | 'tool' | 'tokens'> {
  readonly agent_id: string | null
  readonly line_id: number
  readonly position: number
}

/** Returns the long outputs of sessions, given as a JSON list of ids. The text of a file that was read is none. */
export function largeOutputs(reader: Reader, sessions: string, calls: readonly AdviceCall[]): readonly LargeOutput[] {
  const rows = reader.all<LargeRow>(
    `SELECT line.session_id, line.agent_id, c.line_id, c.event_id AS event, c.position, g.tool, c.tokens
     FROM carry_lines line CROSS JOIN carried c ON c.line_id = line.line_id
     CROSS JOIN carry_groups g ON g.event_id = c.line_id AND g.number = c.group_number
     WHERE line.session_id IN (SELECT value FROM json_each(?)) AND c.bytes >= ? AND g.kind = 'tool_result'
       AND g.tool IS NOT NULL ORDER BY c.event_id, c.position`,
    sessions,
    LARGE_BYTES,
  )
  if (rows.length === 0) return []
  const bySession = Map.groupBy(calls, ({ session_id: id }) => id)
  return rows.flatMap((row) => outputOf(reader, row, bySession.get(row.session_id) ?? []) ?? [])
}

function outputOf(reader: Reader, row: LargeRow, calls: readonly AdviceCall[]): LargeOutput | null {
  const own = calls.filter(({ agent_id: agent }) => agent === row.agent_id)
  const { session_id, event, tool, tokens } = row
  // Of a transcript, the usage of the call that ran it may be stored after its result.
  const [asked, before] = own.filter(({ id }) => id < event).toReversed()
  const result = resultOf(reader, row, asked?.id ?? 0) ?? resultOf(reader, row, before?.id ?? 0)
  if (result?.is_file === true) return null
  let used: readonly number[] | null = null
  let [known, usd] = ['', 0]
  return {
    session_id,
    event,
    tool,
    command: result?.command ?? '',
    is_agent: result?.is_agent ?? false,
    tokens,
    carriedUsd(without) {
      const key = own.flatMap(({ id }) => (without.has(id) ? id : [])).join(' ') || 'none'
      if (key !== known) {
        used ??= usedCalls(reader, row, result, own)
        usd = costOfBlock(reader, row, new Set([...used, ...without]))
        known = key
      }
      return usd
    },
  }
}

const LEAST_CARRIED = 3

function costOfBlock(reader: Reader, row: LargeRow, without: ReadonlySet<number>): number {
  const line = linesOfSession(reader, row.session_id).find(({ line_id: id }) => id === row.line_id)
  if (line === undefined) return 0
  const block = blocksOfLine(reader, line, {}, without).find(
    ({ event_id: event, position }) => event === row.event && position === row.position,
  )
  // What hardly any request carried was gone, or at the end.
  if (block === undefined || block.requests < LEAST_CARRIED) return 0
  return block.read_usd + block.written_usd + block.uncached_usd
}

interface Result {
  readonly event: number
  readonly command: string
  readonly is_agent: boolean
  readonly is_file: boolean
  readonly text: string
}

/** Finds the result that a block is, among those since the request before: the one that is about as long. */
function resultOf(reader: Reader, { session_id: session, event, tool, tokens }: LargeRow, after: number) {
  const rows = reader.all<{ readonly event: number; readonly result: string; readonly call: string | null }>(
    `SELECT r.event_id AS event, e.payload AS result, call.payload AS call
     FROM tool_result_rows r CROSS JOIN events e ON e.id = r.event_id
     LEFT JOIN tool_call_rows c ON c.call_id = r.call_id LEFT JOIN events call ON call.id = c.event_id
     WHERE r.event_id > ? AND r.event_id <= ? AND e.session_id = ? AND coalesce(c.tool_name, r.tool_name) = ?`,
    after,
    event,
    session,
    tool,
  )
  const results = rows.map(({ result, call, ...row }): Result => {
    const input = call === null ? null : (reader.payload(call)['input'] as Json)
    const is_agent = toolShape(tool, input).kind === 'agent'
    const shown = { command: commandHead(tool, input), is_agent, is_file: showsFile(tool, input) }
    return { ...row, ...shown, text: textIn(reader.payload(result)['output']) }
  })
  const distance = ({ text }: Result) => Math.abs(text.length - BYTES_A_TOKEN * tokens)
  return results.toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}

const BYTES_A_TOKEN = 4

/** Joins the strings of a value. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return ''
  return Object.values(value).map(textIn).join('\n')
}

/** Words in a row that show that a text comes from another one. */
const RUN = 12
const WORD = /[\p{L}\p{N}_]+/gu

/** Returns the calls until the end of the turn in which the output entered, or until a later text repeats a part of it. */
function usedCalls(reader: Reader, row: LargeRow, result: Result | null, own: readonly AdviceCall[]) {
  const turn = own.find(({ id }) => id === row.event)?.turn_id
  const turnEnd = own.findLast(({ turn_id: one }) => one === turn)?.id ?? row.event
  const until = Math.max(turnEnd, result === null ? 0 : lastRepeated(reader, row.session_id, result))
  // What repeats a text is part of an answer: its own usage may come right after it.
  const last = own.find(({ id }) => id >= until)?.id ?? until
  return own.flatMap(({ id }) => (id <= last ? id : []))
}

function lastRepeated(reader: Reader, session: string, { event, text }: Result): number {
  const runs = new Set(runsOf(text))
  const rows = reader.all<{ readonly id: number; readonly payload: string }>(
    `SELECT id, payload FROM events WHERE session_id = ? AND id > ? AND kind IN ('assistant_text', 'tool_call')
     ORDER BY id DESC`,
    session,
    event,
  )
  const found = rows.find(({ payload }) => runsOf(textIn(reader.payload(payload))).some((run) => runs.has(run)))
  return found?.id ?? 0
}

function runsOf(text: string): readonly string[] {
  const words = (text.match(WORD) ?? []).map((word) => word.toLowerCase())
  return words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(' '))
}
