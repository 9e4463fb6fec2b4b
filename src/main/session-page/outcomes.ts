import { counted } from '../../shared/counted.ts'
import { errorLine } from '../base/error-line.ts'
import { shortened } from '../../shared/cut-text.ts'
import { formatFailures } from '../../shared/failures.ts'
import type { Json } from '../../shared/json.ts'
import { plainLine } from '../../shared/plain-line.ts'
import { shortPath } from '../../shared/short-path.ts'
import { editCounts } from './edit-diff.ts'
import { outputText } from '../../shared/tool-output.ts'
import { count, dollars } from './figures.ts'
import { escaped, note } from './html-text.ts'
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
 * Writes what failed in a session, its agents included, which files it changed, and what each agent answered. Yields
 * nothing after each call, so that other work can run in between.
 */
export function* outcomes(
  turns: readonly Turn[],
  { session, files: changed }: PageFacts,
  cut: number,
): Generator<string> {
  const folder = session.project
  const files = new Map<string, Edited>()
  const failures: Failed[] = []
  let open = 0
  /** The turns in which a call passed, each after the failures before it. */
  const passed = new Map<string, Passed>()
  const all = turns.flatMap(({ id, rows }) => [...rowsOf(rows)].map((own) => ({ turn: id, ...own })))
  for (const { turn, agent, one } of all) {
    const call = one.kind === 'tool' ? toolCall(one.item, one.result, folder) : null
    if (call !== null && !call.failed && !call.rejected) {
      addEdits(call, files)
      if (one.kind === 'tool' && one.result !== null) passed.set(keyOf(call), { after: failures.length, turn })
    }
    const failure = call === null ? errorOf(one) : failureOf(call)
    if (failure !== null) failures.push({ row: one, failure, turn, agent, key: call === null ? null : keyOf(call) })
    if (one.kind === 'tool' && one.result === null) open += 1
    yield ''
  }
  if (turns.length > 0) {
    const unknown = unknownOf(session, turns, { open, cut, isListed: failures.length > 0 })
    yield failed(failures, passed, unknown)
  }
  if (files.size > 0) {
    const gone = new Set(changed.flatMap(({ path, state }) => (state === 'deleted' ? shortPath(path, folder) : [])))
    const rows = [...files].map(([path, edited]) => {
      const then = gone.has(path) ? ' <span class="soft">then deleted</span>' : ''
      return row(`<td><code>${escaped(path)}</code>${then}</td>`, [count(edited.edits)], linesHtml(edited))
    })
    yield section('Files changed', table(['File', 'Edits', 'Lines'], rows), foldedAs(files.size, 'file'))
  }
  const agents = turns.flatMap(({ rows }) => agentsOf(rows)).map(agentAnswer)
  if (agents.length > 0)
    yield section('What agents answered', table(['Agent', 'Answer'], agents, 'texts'), foldedAs(agents.length, 'agent'))
}

/** A turn in which a call passed, and the number of failures before it. */
interface Passed {
  readonly after: number
  readonly turn: number
}

/** Lists what failed, or says that nothing did; then what of it is not known. */
function failed(all: readonly Failed[], passed: ReadonlyMap<string, Passed>, unknown: readonly string[]): string {
  const notes = unknown.map(note).join('')
  if (all.length === 0)
    return section(
      'What failed',
      `${unknown.length === 0 ? '<p>Nothing failed.</p>' : '<p>Nothing that is known.</p>'}${notes}`,
    )
  const rows = all.map((one, at) => failureRow(one, at, one.key === null ? undefined : passed.get(one.key)))
  return section('What failed', table(['Call', 'Error'], rows, 'texts') + notes, foldedAs(all.length, 'failure'))
}

/** Says what may have failed unseen: calls without a result, API errors that only hooks would have seen, events that are cut. */
function unknownOf(
  session: PageFacts['session'],
  turns: readonly Turn[],
  { open, cut, isListed }: { readonly open: number; readonly cut: number; readonly isListed: boolean },
): readonly string[] {
  const rows = turns.flatMap(({ rows: own }) => [...rowsOf(own)].map(({ one }) => one))
  const ofHooks = rows.every(
    ({ item }) => item.event.source === 'hook' && item.sightings.every(({ source }) => source === 'hook'),
  )
  const counts = formatFailures(session)
  return [
    ...(open === 0 ? [] : [`${counted(open, 'tool call')} without a recorded result may have failed.`]),
    ...(ofHooks ? ['Only hooks recorded this session, so API errors are not known.'] : []),
    ...(cut === 0 ? [] : ['Later events, which are not in this page, may have failed.']),
    ...(isListed || counts === '' ? [] : [`Counted, but not recorded in detail: ${counts}.`]),
  ]
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
  const { cost_usd: cost } = agent.agent ?? { cost_usd: null }
  return row(
    `<td>${agentLink(agent)}${cost === null ? '' : ` <span class="soft">${escaped(dollars(cost))}</span>`}</td>`,
    [],
    answer === ''
      ? '<span class="soft">no answer recorded</span>'
      : escaped(shortened(plainLine(answer), ANSWER_CHARACTERS)),
  )
}

const agentLink = (agent: AgentRow): string =>
  `<a href="#agent-${escaped(encodeURIComponent(agent.id))}">${escaped(brief(agentName(agent)))}</a>`

/** Characters of an agent's answer; the transcript has all of it. */
const ANSWER_CHARACTERS = 240

/** Returns the rows, with those of agents in place of each agent, and whose they are. */
function* rowsOf(
  rows: readonly Row[],
  agent: AgentRow | null = null,
): Generator<{ readonly one: OwnRow; readonly agent: AgentRow | null }> {
  for (const one of rows) {
    if (one.kind === 'agent') yield* rowsOf(one.rows, one)
    else yield { one, agent }
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

type Failure = readonly [what: string, error: string]

function failureOf({ failed, rejected, name, summary, output, exitCode }: ToolCall): Failure | null {
  if (rejected) return [`${name} ${summary}`, 'refused']
  if (!failed) return null
  return [`${name} ${summary}`, errorLine(output) ?? (exitCode === null ? 'no output' : `exit ${exitCode}`)]
}

function errorOf(row: OwnRow): Failure | null {
  const { kind, payload } = row.item.event
  if (row.kind !== 'event' || kind !== 'error') return null
  const { type, message } = payload as { readonly type?: unknown; readonly message?: unknown }
  const what = typeof type === 'string' ? type : 'Error'
  return [row.times > 1 ? `${what} ×${row.times}` : what, typeof message === 'string' ? message : '']
}

interface Failed {
  readonly row: OwnRow
  readonly failure: Failure
  readonly turn: number
  /** Whose call it was; null for the main conversation. */
  readonly agent: AgentRow | null
  /** The same for calls that do the same; null for errors. */
  readonly key: string | null
}

const keyOf = ({ name, summary }: ToolCall): string => `${name} ${summary}`

/** Says what failed, in which turn and agent, and whether the same call passed later. */
function failureRow({ row: { item }, failure: [what, error], turn, agent, key }: Failed, at: number, passed?: Passed) {
  const turnLink = (id: number) => `<a href="#turn-${id}">turn ${id}</a>`
  const where = agent === null ? turnLink(turn) : `${turnLink(turn)}, ${agentLink(agent)}`
  const link = `<td><a href="#${idOf(item)}"><code>${escaped(brief(what))}</code></a> <span class="soft">${where}</span></td>`
  const isLater = passed !== undefined && passed.after > at
  const then = isLater
    ? `passed later, in ${turnLink(passed.turn)}`
    : key === null
      ? ''
      : 'the same call did not pass later'
  return row(link, [], `<span class="bad">${escaped(brief(error))}</span> <span class="soft">${then}</span>`)
}
