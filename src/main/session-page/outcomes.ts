import { shortened } from '../../shared/cut-text.ts'
import type { Json } from '../../shared/json.ts'
import { plainLine } from '../../shared/plain-line.ts'
import { shortPath } from '../../shared/short-path.ts'
import { editCounts } from './edit-diff.ts'
import { outputText } from '../../shared/tool-output.ts'
import { count } from './figures.ts'
import { escaped } from './html-text.ts'
import type { PageFacts } from './page-facts.ts'
import { brief, foldedAs, row, section, table } from './page-tables.ts'
import { linesHtml, type ToolCall, toolCall } from './tool-call.ts'
import { agentName, type AgentRow, idOf } from './transcript.ts'
import type { Row, Turn } from './turns-of.ts'

type OwnRow = Exclude<Row, { kind: 'agent' }>

/** Edits of a file, and the lines that they added and removed. */
interface Edited {
  edits: number
  added: number
  removed: number
}

/**
 * Writes which files a session changed, what failed in it, its agents included, and what each agent answered. Yields nothing after each call, so
 * that other work can run in between.
 */
export function* outcomes(turns: readonly Turn[], { session, files: changed }: PageFacts): Generator<string> {
  const folder = session.project
  const files = new Map<string, Edited>()
  const failures: Failed[] = []
  /** The turns in which a call passed, each after the failures before it. */
  const passed = new Map<string, { readonly after: number; readonly turn: number }>()
  for (const { turn, one } of turns.flatMap(({ id, rows }) => [...rowsOf(rows)].map((one) => ({ turn: id, one })))) {
    const call = one.kind === 'tool' ? toolCall(one.item, one.result, folder) : null
    if (call !== null && !call.failed && !call.rejected) {
      addEdits(call, files)
      if (one.kind === 'tool' && one.result !== null) passed.set(keyOf(call), { after: failures.length, turn })
    }
    const failure = call === null ? errorOf(one) : failureOf(call)
    if (failure !== null) failures.push({ row: one, failure, turn, key: call === null ? null : keyOf(call) })
    yield ''
  }
  if (files.size > 0) {
    const gone = new Set(changed.flatMap(({ path, state }) => (state === 'deleted' ? shortPath(path, folder) : [])))
    const rows = [...files].map(([path, edited]) => {
      const then = gone.has(path) ? ' <span class="soft">then deleted</span>' : ''
      return row(`<td><code>${escaped(path)}</code>${then}</td>`, [count(edited.edits)], linesHtml(edited))
    })
    yield section('Files changed', table(['File', 'Edits', 'Lines'], rows), foldedAs(files.size, 'file'))
  }
  if (failures.length > 0)
    yield section(
      'What failed',
      table(
        ['Call', 'Error'],
        failures.map((failed, at) => failureRow(failed, at, failed.key === null ? undefined : passed.get(failed.key))),
        'texts',
      ),
      foldedAs(failures.length, 'failure'),
    )
  const agents = turns.flatMap(({ rows }) => agentsOf(rows)).map(agentAnswer)
  if (agents.length > 0)
    yield section('What agents answered', table(['Agent', 'Answer'], agents, 'texts'), foldedAs(agents.length, 'agent'))
}

/** Returns the agents among rows, each before those that it started. */
const agentsOf = (rows: readonly Row[]): readonly AgentRow[] =>
  rows.flatMap((one) => (one.kind === 'agent' ? [one, ...agentsOf(one.rows)] : []))

function agentAnswer(agent: AgentRow): string {
  const texts = agent.rows.flatMap(({ kind, item: { event } }) => {
    const text = kind === 'event' && event.kind === 'assistant_text' ? event.payload['text'] : ''
    return typeof text === 'string' && text.trim() !== '' ? [text] : []
  })
  const output = agent.result?.event.payload['output']
  const answer = texts.at(-1) ?? (output === undefined ? '' : outputText(output as Json))
  const link = `<td><a href="#agent-${escaped(encodeURIComponent(agent.id))}">${escaped(brief(agentName(agent)))}</a></td>`
  return row(
    link,
    [],
    answer === ''
      ? '<span class="soft">no answer recorded</span>'
      : escaped(shortened(plainLine(answer), ANSWER_CHARACTERS)),
  )
}

/** Characters of an agent's answer; the transcript has all of it. */
const ANSWER_CHARACTERS = 240

/** Returns the rows, with those of agents in place of each agent. */
function* rowsOf(rows: readonly Row[]): Generator<OwnRow> {
  for (const one of rows) {
    if (one.kind === 'agent') yield* rowsOf(one.rows)
    else yield one
  }
}

function addEdits({ files, project }: ToolCall, all: Map<string, Edited>): void {
  for (const file of files) {
    const path = shortPath(file.path, project)
    const { added, removed } = editCounts([file])
    const known = all.get(path) ?? { edits: 0, added: 0, removed: 0 }
    all.set(path, { edits: known.edits + 1, added: known.added + added, removed: known.removed + removed })
  }
}

/** A line that names an error says more than the first one, such as the dots of a test run. */
const SAYS_WHY = /\b(?:error|exception|panic(?:ked)?|fatal|denied|failed|not found)\b|[a-z]Error\b/i

type Failure = readonly [what: string, error: string]

function failureOf({ failed, rejected, name, summary, output, exitCode }: ToolCall): Failure | null {
  if (!failed || rejected) return null
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return [
    `${name} ${summary}`,
    lines.find((line) => SAYS_WHY.test(line)) ?? lines[0] ?? (exitCode === null ? 'no output' : `exit ${exitCode}`),
  ]
}

function errorOf({ item }: OwnRow): Failure | null {
  const { kind, payload } = item.event
  if (kind !== 'error') return null
  const { type, message } = payload as { readonly type?: unknown; readonly message?: unknown }
  return [typeof type === 'string' ? type : 'Error', typeof message === 'string' ? message : '']
}

interface Failed {
  readonly row: OwnRow
  readonly failure: Failure
  readonly turn: number
  /** The same for calls that do the same; null for errors. */
  readonly key: string | null
}

const keyOf = ({ name, summary }: ToolCall): string => `${name} ${summary}`

/** Says what failed, in which turn, and whether the same call passed later. */
function failureRow(
  { row: { item }, failure: [what, error], turn, key }: Failed,
  at: number,
  passed?: { readonly after: number; readonly turn: number },
): string {
  const turnLink = (id: number) => `<a href="#turn-${id}">turn ${id}</a>`
  const link = `<td><a href="#${idOf(item)}"><code>${escaped(brief(what))}</code></a> <span class="soft">${turnLink(turn)}</span></td>`
  const isLater = passed !== undefined && passed.after > at
  const then = isLater
    ? `passed later, in ${turnLink(passed.turn)}`
    : key === null
      ? ''
      : 'the same call did not pass later'
  return row(link, [], `<span class="bad">${escaped(brief(error))}</span> <span class="soft">${then}</span>`)
}
