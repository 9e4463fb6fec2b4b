import { firstCharacters } from '../../../shared/cut-text.ts'
import { objectOf, stringOf } from '../../../shared/json-fields.ts'
import type { Json } from '../../../shared/json.ts'
import { MINUTE_MS } from '../../../shared/time-units.ts'
import { toolShape } from '../../../shared/tool-shape.ts'
import type { Reader } from './reader.ts'

/** A failed tool call. */
export interface FailedCall {
  readonly session_id: string
  readonly event: number
  readonly agent_id: string | null
  readonly at: number
  readonly tool: string
  /** The command without its arguments, such as `npm run lint`; '' if the tool runs none. */
  readonly command: string
  /** What is the same when the call is repeated. */
  readonly input: string
  /** The beginning of the error, without what differs each time: numbers, paths, quoted words. */
  readonly error: string
}

/** A call for which a person was asked. */
export interface AskedCall {
  readonly session_id: string
  readonly event: number
  readonly at: number
  readonly tool: string
  readonly command: string
  /** All that it would have run, without what a rule allows beside it; '' if it runs no command. */
  readonly text: string
  /** True if a rule for its program and subcommand would have allowed all of it. */
  readonly is_plain: boolean
  /** Null if its result is not known. */
  readonly approved: boolean | null
  /** Time until the answer, without the call's own. */
  readonly minutes: number
}

/** Returns calls that failed, but were not refused, in sessions given as a JSON list of ids. */
export function failedCalls(reader: Reader, sessions: string, since: string): readonly FailedCall[] {
  interface FailedRow extends Pick<FailedCall, 'session_id' | 'event' | 'agent_id'> {
    readonly timestamp: string
    readonly tool: string | null
    readonly error: string | null
    readonly call: string | null
    readonly project: string | null
  }
  const rows = reader.all<FailedRow>(
    `SELECT e.session_id, r.event_id AS event, e.agent_id, r.timestamp, coalesce(c.tool_name, r.tool_name) AS tool,
       e.error_message AS error, call.payload AS call,
       (SELECT s.project FROM sessions s WHERE s.id = e.session_id) AS project
     FROM tool_result_rows r INDEXED BY tool_results_failed CROSS JOIN events e ON e.id = r.event_id
     LEFT JOIN tool_call_rows c ON c.call_id = r.call_id LEFT JOIN events call ON call.id = c.event_id
     WHERE r.success = 0 AND r.rejected = 0 AND r.timestamp >= ? AND e.session_id IN (SELECT value FROM json_each(?))
     ORDER BY r.event_id`,
    since,
    sessions,
  )
  return rows.flatMap(({ tool, error, call, timestamp, project, ...row }) => {
    if (tool === null || error === null) return []
    const input = call === null ? null : (reader.head(call)['input'] as Json)
    const command = call === null ? '' : commandHead(tool, input)
    const kind = errorKind(error, project)
    if (kind === '' || isAnswer(command, error)) return []
    if (toolShape(tool, input).kind === 'web' && /\bstatus code \d{3}\b|\btimeout of \d/.test(error)) return []
    return [{ ...row, at: Date.parse(timestamp), tool, command, input: inputKey(tool, input, project), error: kind }]
  })
}

/** Programs whose exit code 1 says no: nothing was found, or something differs. */
const SAYS_NO =
  /^(?:[efz]?grep|rg|ag|ack|diff|cmp|comm|test|\[|which|type|command|pgrep|pidof|lsof|kill|mountpoint|expr|(?:npm|pnpm|yarn) (?:outdated|audit|ls|list)|git (?:diff|grep|config|merge-base|check-ignore|show-ref|rev-parse|ls-files|cat-file))\b/
/**
 * A merge that stops for what differs, what is not there or has no changes, a page that is gone, what was ended or timed
 * out as asked for, and a call that was given up for another one.
 */
const NOT_ITS_OWN =
  /\b(?:exit|exited with) code:? (?:124|130|143)\b|^CONFLICT \(|automatic merge failed|could not apply|resolving the conflicts|patch failed|nothing (?:added )?to commit|no changes added|no (?:open )?pull requests? found|^Plan: \d+ to |\b(?:HTTP|status code|error:?) 4(?:04|10)\b|\bE404\b|^(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: )/im
/** True if a failure is the answer that was asked for, or that of another call. */
export const isAnswer = (command: string, error: string): boolean =>
  NOT_ITS_OWN.test(error) || (SAYS_NO.test(command) && /\b(?:exit|exited with) (?:code|status):? 1\b/i.test(error))

/** Returns what says whether a session ran a command or tool; its calls are read when it is first asked. */
export function ranIn(reader: Reader, session: string): (run: Pick<FailedCall, 'tool' | 'command'>) => boolean {
  let known: ReadonlySet<string> | null = null
  const keyOf = (tool: string, command: string): string => JSON.stringify([tool, command])
  const read = () =>
    reader
      .all<{ readonly payload: string }>(
        `SELECT payload FROM events WHERE session_id = ? AND kind = 'tool_call'`,
        session,
      )
      .map(({ payload }) => {
        const { tool_name: name, input } = reader.head(payload)
        return keyOf(String(name), commandHead(String(name), input as Json))
      })
  return ({ tool, command }) => (known ??= new Set(read())).has(keyOf(tool, command))
}

/** A command is the same whatever is said about it, what runs after it, and however much of its output is shown. */
function inputKey(tool: string, input: Json, project: string | null): string {
  const shape = toolShape(tool, input)
  if (shape.kind !== 'command') return JSON.stringify(input)
  return partsOf(shape.command, project)[0] ?? ''
}

/** The commands of a line, each with its folder if that is another one than the project's; waiting is none. */
function partsOf(line: string, project: string | null): readonly string[] {
  const [, folder, command = ''] = /^(?:cd\s+(\S+)\s*&&)?\s*([^]*)/.exec(line.trim()) ?? []
  const where = folder === undefined || folder === project ? '' : `${folder} `
  const parts = command.split(/&&|\|\||;/).filter((part) => !/^\s*sleep\s/.test(part))
  return parts.map((part) => where + withoutOutput(part))
}

const withoutOutput = (command: string): string =>
  command
    .replaceAll(/\d?>\s*(?:&\d|\/dev\/null)/g, '')
    .replaceAll(READS_ON, '')
    .trim()

/** Returns what says whether a session ran the same call later without an error; its calls are read when it is first asked. */
export function passedIn(reader: Reader, session: string, project: string | null): (call: FailedCall) => boolean {
  let known: Map<string, number> | null = null
  const read = () => {
    const rows = reader.all<{ readonly event: number; readonly tool: string; readonly payload: string }>(
      `SELECT r.event_id AS event, c.tool_name AS tool, call.payload FROM events call
       CROSS JOIN tool_call_rows c ON c.event_id = call.id CROSS JOIN tool_result_rows r ON r.call_id = c.call_id
       WHERE call.session_id = ? AND +call.kind = 'tool_call' AND coalesce(r.success, 1) = 1 AND r.rejected = 0 ORDER BY r.event_id`,
      session,
    )
    return new Map(
      rows.flatMap(({ event, tool, payload }) => {
        const input = reader.head(payload)['input'] as Json
        const shape = toolShape(tool, input)
        const keys = shape.kind === 'command' ? partsOf(shape.command, project) : [inputKey(tool, input, project)]
        return keys.map((key) => [JSON.stringify([tool, key]), event])
      }),
    )
  }
  return ({ tool, input, event }) => ((known ??= read()).get(JSON.stringify([tool, input])) ?? 0) > event
}

/** Returns calls for which a hook reported that a person was asked. */
export function askedCalls(reader: Reader, sessions: string, since: string): readonly AskedCall[] {
  const rows = reader.all<{
    readonly session_id: string
    readonly event: number
    readonly timestamp: string
    readonly payload: string
    readonly project: string | null
  }>(
    `SELECT session_id, id AS event, ts_wall AS timestamp, payload,
       (SELECT s.project FROM sessions s WHERE s.id = events.session_id) AS project FROM events
     WHERE kind = 'state_change' AND ts_wall >= ? AND instr(payload, 'permission_asked') > 0
       AND +session_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    since,
    sessions,
  )
  return rows.flatMap(({ session_id, event, timestamp, payload, project }) => {
    const { name, to } = reader.head(payload)
    const asked = objectOf(to as Json)
    const tool = stringOf(asked['tool_name'])
    if (name !== 'permission_asked' || tool === null) return []
    const input = asked['tool_input'] ?? null
    const answer = answerTo(reader, session_id, tool, timestamp)
    const command = commandHead(tool, input)
    const shape = toolShape(tool, input)
    const text = shape.kind === 'command' ? ruledPart(shape.command, project) : ''
    const is_plain = isPlain(text, command)
    return [{ session_id, event, at: Date.parse(timestamp), tool, command, text, is_plain, ...answer }]
  })
}

function answerTo(reader: Reader, session: string, tool: string, since: string) {
  const found = reader.get<{
    readonly timestamp: string
    readonly duration_ms: number | null
    readonly rejected: number
  }>(
    `SELECT r.timestamp, r.duration_ms, r.rejected FROM events e CROSS JOIN tool_result_rows r ON r.event_id = e.id
     WHERE e.session_id = ? AND e.ts_wall >= ? AND +e.kind = 'tool_result' AND r.tool_name = ? ORDER BY e.ts_wall, e.id LIMIT 1`,
    session,
    since,
    tool,
  )
  if (found === undefined) return { approved: null, minutes: 0 }
  const waited = Date.parse(found.timestamp) - Date.parse(since) - (found.duration_ms ?? 0)
  return { approved: found.rejected === 0, minutes: Math.max(0, waited) / MINUTE_MS }
}

/**
 * Returns a command without what a rule for it allows, too, by trial with the client: a folder of the project to run it
 * in, `CI=1`, and output that is joined, dropped, or shown in part.
 */
export const ruledPart = (command: string, project: string | null): string =>
  withoutOutput(
    command
      .trim()
      .replace(/^cd\s+(\S+)\s*&&\s*/, (all, folder: string) => (isInside(folder, project) ? '' : all))
      .replace(/^CI=\w*\s+/, ''),
  )

/** True if a rule for its beginning allows all of that: other commands, substitutions and files that are written are asked about. */
export const isPlain = (text: string, head: string): boolean =>
  head !== '' && text.startsWith(head) && !/[;&|<>`\n]|\$\(/.test(text)

const isInside = (folder: string, project: string | null): boolean =>
  /^[/~\\-]/.test(folder)
    ? project !== null && `${folder}/`.startsWith(`${project}/`) && !folder.includes('..')
    : !folder.includes('..')

/** A pipe into what only reads, which the client asks nobody about. */
const READS_ON = /\|\s*(?:head|tail|grep|wc|sort|uniq|cat)\b[^;&|<>`$\n]*/g

/** What comes before a command: another folder, variables, an environment, a limit of time. */
const PREFIX =
  /^(?:(?:cd\s+(?:"[^"]*"|'[^']*'|\S+)|(?:source|\.)\s+\S+|export\s+\S+|set\s+-\w+(?:\s+pipefail)?)\s*(?:&&|;)\s*|\w+=\S*\s+|(?:time|nohup|env)\s+|timeout\s+(?:-\S+\s+)*\d\S*\s+)+/
/** Options between a program and its subcommand. */
const OPTIONS =
  /^(git|make|npm|pnpm|yarn|cargo|go|uv)\s+(?:(?:(?:-C|--prefix|--cwd|--dir|--filter)[ =]\S+|\+\S+|-[rsqk]|--(?:no-pager|silent|recursive))\s+)+/
/** Programs that an option names. */
const MODULE = /^(?:(?:uv|poetry|pdm|pipenv|hatch|rye) run )?(?:python[\d.]* -m [\w.-]+|node --test\b)/
const SUBCOMMAND = /^[a-z][\w:.-]*$/i
/** A second word that only says that the name of a script follows. */
const RUNS_SCRIPT: ReadonlySet<string> = new Set(['run', 'exec', 'task', 'manage.py', 'artisan'])

/** Programs whose subcommands have subcommands. */
const NESTED: ReadonlySet<string> = new Set(['gh', 'glab', 'aws', 'gcloud', 'az'])

const ownCommand = (command: string): string => command.trim().replace(PREFIX, '').replace(OPTIONS, '$1 ')

/** Programs that show a file, as it is or in part; in a loop, too, under headings. */
const SHOWS_FILE =
  /^(?:for [^;]*;\s*do\s+)?(?:(?:echo|printf) [^;&]*(?:;|&&)\s*)*(?:(?:z?cat|tac|bat(?:cat)?|nl|less|more|head|tail|sed|g?awk|cut|xxd|strings|pdftotext|type|Get-Content)\b|git (?:show \S*:|cat-file ))/
/** Tools that return files, or instructions that were asked for. */
const RETURNS_FILE = /^Skill$|^mcp__.*(?:read|get|view|open|fetch)\w*file/i
/** True if what a call returns is the text of a file: that is what was wanted, however it is read. */
export function showsFile(tool: string, input: Json): boolean {
  const shape = toolShape(tool, input)
  if (shape.kind === 'command') return SHOWS_FILE.test(ownCommand(shape.command))
  return shape.kind === 'read' || RETURNS_FILE.test(tool)
}

/** Returns the program and subcommand that a call runs; '' if it runs none. */
export function commandHead(tool: string, input: Json): string {
  const shape = toolShape(tool, input)
  if (shape.kind !== 'command') return ''
  const command = ownCommand(shape.command)
  const [module] = MODULE.exec(command) ?? []
  if (module !== undefined) return module
  const [program = '', second = '', third = ''] = command.split(/\s+/)
  if (!SUBCOMMAND.test(second)) return program
  const isThird = (RUNS_SCRIPT.has(second) || NESTED.has(program)) && SUBCOMMAND.test(third)
  return [program, second, ...(isThird ? [third] : [])].join(' ')
}

const MAX_ERROR = 200

/** What a client or program writes before it says what is wrong. */
const NO_ERROR =
  /^(?:(?:Error: )?Exit code:? \d+|Process exited with code \d+|(?:Chunk ID|Wall time|Original token count|Output):.*|> .*)$/
const SAYS_ERROR =
  /error|exception|fail|fatal|panic|not found|no such|cannot|can't|could not|unable|denied|invalid|missing|unknown|timed out/i

/** If something is missing, its name is what is wrong. */
export const isMissing = (error: string): boolean =>
  /no such (?:file|object|container|image|volume|network)|(?:file|directory|path) does not exist/i.test(error)

/** Two lines from the first that says what is wrong, in any worktree; '' if it says no more than its exit code. */
export function errorKind(error: string, project: string | null = null): string {
  const within = project === null ? error : error.replaceAll(`${project}/`, '').replaceAll(`${project}\\`, '')
  const lines = within.split('\n').filter((line) => line.trim() !== '' && !NO_ERROR.test(line.trim()))
  const first = Math.max(
    0,
    lines.findIndex((line) => SAYS_ERROR.test(line)),
  )
  const text = lines.slice(first, first + 2).join(' ')
  const always = text
    .replaceAll(/(["'`])(?:(?!\1).){1,200}\1/g, '…')
    .replaceAll(/\S*[/\\]\S+/g, '…')
    .replaceAll(/\d+/g, '#')
  return firstCharacters((isMissing(text) ? text : always).trim(), MAX_ERROR)
}
