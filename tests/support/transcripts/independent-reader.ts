import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fields, parseLines, text, type Fields } from './json-fields.ts'
import { queuedMessages } from './queued-messages.ts'
import { Tally } from './tally.ts'
import { readUserLine } from './user-line.ts'

/** Facts in a session's transcripts, counted without any code of the product. */
export interface SessionCount {
  readonly session: string
  /** A person's typed text, word for word; those typed while the model worked come last. */
  readonly prompts: readonly string[]
  readonly commands: readonly string[]
  readonly bashCommands: readonly string[]
  /** Plans with which the client opened a session by itself. */
  readonly plans: number
  readonly own: Tally
  readonly agents: ReadonlyMap<string, Tally>
  readonly compactions: number
  readonly interruptions: number
  /** Calls that failed for good; retries are counted separately. */
  readonly apiErrors: number
  readonly apiRetries: number
  readonly firstTime: string | null
  readonly lastTime: string | null
  readonly title: string | null
}

/** Counts every session below a folder, in the order of their first lines; sessions without a time come last. */
export function countTranscripts(folder: string): SessionCount[] {
  const paths = globSync('**/*.jsonl', { cwd: folder }).toSorted()
  const files = paths.map((path) => ({ path, lines: parseLines(readFileSync(join(folder, path), 'utf8')) }))
  return countFiles(files)
}

export interface TranscriptFile {
  readonly path: string
  readonly lines: readonly Fields[]
}

export function countFiles(files: readonly TranscriptFile[]): SessionCount[] {
  const summaries = files.flatMap(({ lines }) => lines.filter(({ type }) => type === 'summary'))
  const sessions = new Map<string, Fields[]>()
  const copies = new Map<Fields, number>()
  for (const file of files) {
    numberEqualLines(file.lines, copies)
    for (const line of file.lines) {
      const session = sessionOf(line, file)
      const lines = sessions.get(session) ?? []
      sessions.set(session, lines)
      lines.push(line)
    }
  }
  const inOrder = [...sessions].toSorted(([, a], [, b]) => order(firstOwnTime(a, sessions), firstOwnTime(b, sessions)))
  const seen = new Set<string>()
  const counts: SessionCount[] = []
  for (const [session, lines] of inOrder) {
    const own = lines.filter((line) => !isRepeated(line, seen, copies.get(line) ?? 0))
    if (own.some(isConversation)) counts.push(countSession(session, own, summaries))
  }
  return counts
}

/**
 * A line names its session. Lines that do not (`summary`, snapshots) belong to the file's session. An agent's file
 * names the session of its conversation, which 2.0.28 keeps beside the session and 2.1.29 below it.
 */
function sessionOf(line: Fields, file: TranscriptFile): string {
  const named = text(line['sessionId'])
  if (named !== '') return named
  const first = file.lines.find((each) => text(each['sessionId']) !== '')
  return text(first?.['sessionId']) || basename(file.path, '.jsonl')
}

/**
 * A fork copies its original's lines, uuids included. Newer clients name the original in `forkedFrom` (said, not seen in
 * a real transcript). Older ones do not: there the session whose own lines begin first counts as the original, which is
 * wrong if the original was continued only after its fork. Nothing in the lines tells that case apart.
 */
function firstOwnTime(lines: readonly Fields[], sessions: ReadonlyMap<string, readonly Fields[]>): string {
  const elsewhere = new Set<string>()
  for (const others of sessions.values())
    if (others !== lines) for (const line of others) elsewhere.add(text(line['uuid']))
  const own = lines.filter((line) => text(line['uuid']) !== '' && !elsewhere.has(text(line['uuid'])))
  const shared = own.length < lines.filter((line) => text(line['uuid']) !== '').length
  if (shared && lines.some((line) => line['forkedFrom'] !== undefined)) return `~${timesOf(own)[0] ?? ''}`
  if (own.length === 0) return ''
  return timesOf(own)[0] ?? '~~'
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Numbers the equal lines of a file: two messages that leave the queue at once leave two equal `remove` lines. */
function numberEqualLines(lines: readonly Fields[], copies: Map<Fields, number>): void {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const whole = JSON.stringify(line)
    copies.set(line, counts.get(whole) ?? 0)
    counts.set(whole, (counts.get(whole) ?? 0) + 1)
  }
}

/**
 * Says whether a line stood before. Dated lines without a uuid (`queue-operation`) are known by all they hold, and by
 * their number among the equal lines of their file.
 */
function isRepeated(line: Fields, seen: Set<string>, copy: number): boolean {
  const key = text(line['uuid']) || (text(line['timestamp']) === '' ? '' : `${copy} ${JSON.stringify(line)}`)
  if (key === '') return false
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

/** A file of `summary` lines, snapshots or modes only is nobody's session. */
function isConversation(line: Fields): boolean {
  return line['type'] === 'user' || line['type'] === 'assistant'
}

function countSession(session: string, lines: readonly Fields[], summaries: readonly Fields[]): SessionCount {
  const main = lines.filter((line) => line['isSidechain'] !== true && text(line['agentId']) === '')
  const read = main.filter((line) => line['type'] === 'user').map(readUserLine)
  const own = new Tally()
  for (const line of main) own.add(line)
  const times = timesOf(lines)
  const prompts = read.flatMap((each) => (each?.kind === 'prompt' ? [each.text] : []))
  return {
    session,
    prompts: [...prompts, ...queuedMessages(main)],
    commands: read.flatMap((each) => (each?.kind === 'command' ? [`${each.name} ${each.arguments}`.trim()] : [])),
    bashCommands: read.flatMap((each) => (each?.kind === 'bash' ? [each.command] : [])),
    plans: read.filter((each) => each?.kind === 'plan').length,
    own,
    agents: countAgents(lines),
    // 1.0.51 has no boundary line: there the summary itself marks the compaction.
    compactions: Math.max(
      main.filter((line) => line['subtype'] === 'compact_boundary').length,
      main.filter((line) => line['isCompactSummary'] === true).length,
    ),
    interruptions: read.filter((each) => each?.kind === 'interruption').length,
    apiErrors: main.filter((line) => line['isApiErrorMessage'] === true).length,
    apiRetries: main.filter((line) => line['subtype'] === 'api_error').length,
    firstTime: times[0] ?? null,
    lastTime: times.at(-1) ?? null,
    title: titleOf(main, summaries),
  }
}

/**
 * Agents of a session: their own files, `isSidechain` lines between the session's own (1.0.51 to 1.0.108, known by
 * the line they begin with), or `progress` lines (2.1.12 to 2.1.42), which count only if no line of the agent is there.
 */
function countAgents(lines: readonly Fields[]): Map<string, Tally> {
  const agents = new Map<string, Tally>()
  const roots = new Map<string, string>()
  for (const line of lines) {
    if (line['isSidechain'] !== true || !isConversation(line)) continue
    const uuid = text(line['uuid'])
    const root = roots.get(text(line['parentUuid'])) ?? uuid
    roots.set(uuid, root)
    tallyOf(agents, text(line['agentId']) || root).add(line)
  }
  const repeated = new Map<string, Tally>()
  for (const line of lines) {
    const data = fields(line['data'])
    const agent = text(data['agentId'])
    if (data['type'] !== 'agent_progress' || agents.has(agent)) continue
    const nested = Array.isArray(data['normalizedMessages']) ? data['normalizedMessages'] : []
    // `message` is the newest line; texts of an agent are in `normalizedMessages` only.
    for (const each of [data['message'], ...nested]) tallyOf(repeated, agent).add(fields(each))
  }
  return new Map([...agents, ...repeated])
}

function tallyOf(tallies: Map<string, Tally>, id: string): Tally {
  const tally = tallies.get(id) ?? new Tally()
  tallies.set(id, tally)
  return tally
}

/** Times that lines carry themselves, if they can be true; the time inside a snapshot is that of a backup. */
function timesOf(lines: readonly Fields[]): string[] {
  return lines
    .map((line) => text(line['timestamp']))
    .filter((time) => time >= '2020' && time < '21' && !Number.isNaN(Date.parse(time)))
    .toSorted()
}

/**
 * The title a person gave, else the client's, else the last `summary` whose leaf is a line of this session (of 391
 * summary lines in public transcripts 271 name a leaf of another one), else the first prompt, else the first command.
 * A summary may be in any file: clients before 2.1 wrote those of other sessions at the top of a new one.
 */
function titleOf(lines: readonly Fields[], summaries: readonly Fields[]): string | null {
  const custom = lines.findLast((line) => line['type'] === 'custom-title')
  const given = lines.findLast((line) => line['type'] === 'ai-title')
  const uuids = new Set(lines.map((line) => text(line['uuid'])))
  const summary = summaries.findLast((line) => uuids.has(text(line['leafUuid'])))
  return text(custom?.['customTitle']) || text(given?.['aiTitle']) || text(summary?.['summary']) || firstEntered(lines)
}

/** The first prompt with words, queued ones at the place where they reached the model; else the first command. */
function firstEntered(lines: readonly Fields[]): string | null {
  let command: string | null = null
  for (const [at, line] of lines.entries()) {
    const read = line['type'] === 'user' ? readUserLine(line) : null
    const words = read?.kind === 'prompt' ? read.text : (queuedMessages(lines.slice(0, at + 1))[0] ?? '')
    if (words.trim() !== '') return words
    if (read?.kind === 'command') command ??= `${read.name} ${read.arguments}`.trim()
  }
  return command
}
