import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { describeNotes } from '../../../shared/recall-notes.ts'
import { sessionsTable } from '../../../shared/columns/sessions.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { knownCost } from '../../../shared/known-figures.ts'
import { assistantLabel, clientLabel } from '../../../shared/vendors.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, duration, plain, plainLines, table, when } from '../table.ts'
import { requireSession } from './require-session.ts'

/** Output of a reading command: text for people, and the operation's answer for `--json`. */
export interface Printed {
  readonly json: unknown
  readonly text: string
  /** What is not part of the text: printed on standard error. */
  readonly aside?: string
}

export interface ScopeFlags {
  readonly limit?: string
  readonly session?: string
  readonly project?: string
  readonly since?: string
  readonly until?: string
  readonly client?: string
}

const scopeOf = ({ limit, session, ...rest }: ScopeFlags) => ({ limit, session_id: session, ...spanOf(rest) })
const spanOf = ({ project, since, until }: ScopeFlags) => ({ project, since, until })

export async function recall(
  client: Client,
  query: string,
  flags: ScopeFlags & { tools?: boolean; pack?: boolean; title?: string; withActions?: boolean },
): Promise<Printed> {
  const { title, withActions = false } = flags
  if (flags.pack !== true && (title !== undefined || withActions)) {
    throw new AspyError('bad_input', '--title and --with-actions describe a pack: add --pack')
  }
  const narrowed = flags.client === undefined ? query : `${query} client:"${flags.client.replaceAll('"', '')}"`
  const input = { query: narrowed, tools: flags.tools ?? false, ...scopeOf(flags) }
  if (flags.pack) {
    const pack = await client.call('recall.context', { ...input, title, actions: withActions, to_paste: true })
    return { json: pack, text: plainLines(pack.text), ...(pack.note === undefined ? {} : { aside: plain(pack.note) }) }
  }
  const found = await client.call('recall.search', input)
  const hits = found.items.map(
    (hit) =>
      `${when(hit.timestamp)}  ${hit.match_type}  ${hit.uuid}${titled(hit.session_title)}\n  ${marked(hit.content)}`,
  )
  const lines = hits.length === 0 ? ['No matches. Try fewer words.'] : hits
  const notes = describeNotes(found.notes).map(plain)
  // Hits for other words than those typed must not be taken for an answer.
  const text = found.notes?.did_you_mean?.searched === true ? [...notes, ...lines] : [...lines, ...notes]
  return { json: found, text: text.join('\n') }
}

/** Size limit of a printed pack, in tokens. */
const PACK_BUDGET = 4000

export async function dropped(
  client: Client,
  session_id: string,
  query: string,
  { limit, pack, compaction }: ScopeFlags & { pack?: boolean; compaction?: string },
): Promise<Printed> {
  const budget = pack === true ? PACK_BUDGET : undefined
  const found = await client.call('compactions.dropped', { session_id, uuid: compaction, query, limit, budget })
  if (found.pack !== undefined) return { json: found, text: plainLines(found.pack.text) }
  const texts = found.items.map(
    (item) => `${when(item.timestamp)}  ${item.kind}  ${item.uuid}\n  ${plain(item.content).slice(0, 300)}`,
  )
  const coverage =
    found.summary === ''
      ? `Only the API can read the summary, so it may keep any of these ${counted(found.texts, 'message')}.`
      : `The summary covers ${count(found.covered)} of ${counted(found.texts, 'message')}.`
  return { json: found, text: [...texts, coverage].join('\n') }
}

const titled = (title: string | undefined): string => (title === undefined ? '' : `  ${plain(title).slice(0, 80)}`)

/** Highlights matches on a terminal; leaves them plain in a pipe. */
function marked(content: string): string {
  const [on, off] = process.stdout.isTTY && !process.env['NO_COLOR'] ? ['\u001b[1m', '\u001b[0m'] : ['', '']
  return plain(content).replaceAll('<mark>', on).replaceAll('</mark>', off)
}

export async function stats(client: Client, flags: ScopeFlags & { team?: boolean }): Promise<Printed> {
  const total = await client.call('stats.summary', spanOf(flags))
  const byUser = flags.team === true ? ((await client.call('costs.breakdown', spanOf(flags))).by_user ?? []) : []
  const unpriced = total.unpriced_calls === 0 ? '' : ` (${counted(total.unpriced_calls, 'call')} without a price)`
  const failures = formatFailures({ api_errors: total.total_api_errors, failed_tools: total.total_failed_tools })
  const lines = [
    `Sessions   ${count(total.total_sessions)}`,
    `Prompts    ${count(total.total_prompts)}`,
    `Tokens     ${count(total.total_tokens)}`,
    `Cost       ${dollars(total.total_cost_usd)}${unpriced}`,
    `Tools      ${count(total.total_tool_calls)}`,
    ...(failures === '' ? [] : [`Failures   ${failures}`]),
    `Thinking   ${count(total.total_thinking_blocks)}`,
    `Time       ${duration(total.total_duration_ms)}`,
    ...(total.first_session === null ? [] : [`From       ${when(total.first_session)} to ${when(total.last_session)}`]),
  ]
  const models = table(total.by_model, [
    { title: 'Model', of: (row) => row.model },
    { title: 'Calls', of: (row) => count(row.calls), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    { title: 'Cost', of: (row) => dollars(row.cost_usd), right: true },
  ])
  const clients = table(total.by_client, [
    { title: 'Client', of: (row) => clientLabel(row.client) },
    { title: 'Sessions', of: (row) => count(row.sessions), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    {
      title: 'Cost',
      of: (row) => dollars(row.cost_usd === 0 && row.unpriced_calls > 0 ? null : row.cost_usd),
      right: true,
    },
    { title: 'Failures', of: (row) => formatFailures(row), right: true },
  ])
  const users = table(byUser, [
    { title: 'Member', of: (row) => plain(row.user) },
    { title: 'Calls', of: (row) => count(row.calls), right: true },
    { title: 'Tokens', of: (row) => count(row.tokens), right: true },
    { title: 'Cost', of: (row) => dollars(row.cost_usd), right: true },
  ])
  const tables = [
    ...(total.by_model.length === 0 ? [] : [models]),
    ...(total.by_client.length === 0 ? [] : [clients]),
    ...(byUser.length === 0 ? [] : [users]),
  ]
  const json = flags.team === true ? { ...total, by_user: byUser } : total
  return { json, text: [lines.join('\n'), ...tables].join('\n\n') }
}

export async function sessions(
  client: Client,
  flags: ScopeFlags & { failed?: boolean; tag?: string; team?: boolean },
): Promise<Printed> {
  const { limit, project, since, client: ofClient, failed = false, tag, team = false } = flags
  const list = await client.call('sessions.list', { limit, project, since, client: ofClient, failed, tag })
  const text = table(list.items, sessionsTable, { team })
  const isNarrowed = failed || ofClient !== undefined || tag !== undefined
  return { json: list, text: list.items.length > 0 ? text : isNarrowed ? 'No matches.' : 'No sessions yet.' }
}

const LINK_NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after a compaction of',
} as const

export async function session(client: Client, id: string, flags: ScopeFlags): Promise<Printed> {
  const about = await client.call('sessions.get', { session_id: id })
  const history = await client.call('sessions.history', { session_id: id, limit: flags.limit })
  const failures = formatFailures(about)
  const cost = knownCost(about)
  const head = [
    `${about.title ?? about.id}`,
    [
      when(about.started_at),
      about.project ?? '',
      counted(about.prompts, 'prompt'),
      cost === null ? 'cost unknown' : dollars(cost),
      ...(failures === '' ? [] : [`failures: ${failures}`]),
      [clientLabel(about.client), about.client_version ?? ''].join(' ').trim(),
    ].join('  '),
  ]
  const { client: own, explanation } = await reconciled(client, id)
  const notes = [
    ...(own === null ? [] : [`Claude Code reports ${dollars(own.cost_usd)} (${when(own.at)})`]),
    ...explanation,
    ...about.pull_requests,
    ...about.tags.map((tag) => `Tag: ${tag}`),
    ...about.links.map(({ kind, session_id, at }) => `${LINK_NAMES[kind]} ${session_id} (${when(at)})`),
    ...(about.time_basis === 'file' ? ['Its lines have no time: the time shown is that of the file'] : []),
  ]
  const texts = history.items.map(
    (item) =>
      `\n${when(item.timestamp)}  ${item.role === 'user' ? 'You' : assistantLabel(about.client)}\n${plainLines(item.content)}`,
  )
  return { json: { ...about, history }, text: [...head, ...notes].map(plain).concat(texts).join('\n') }
}

/** Returns how the client's own total compares. A team's history has none. */
async function reconciled(
  client: Client,
  id: string,
): Promise<Pick<OperationOutput<'sessions.reconcile'>, 'client' | 'explanation'>> {
  try {
    return await client.call('sessions.reconcile', { session_id: id })
  } catch (error) {
    if (error instanceof AspyError && error.code === 'unsupported') return { client: null, explanation: [] }
    throw error
  }
}

export async function tools(client: Client, flags: ScopeFlags & { tool?: string; failed?: boolean }): Promise<Printed> {
  const { tool: tool_name, session: session_id, limit, project, since, client: ofClient, failed = false } = flags
  const list = await client.call('tools.list', {
    tool_name,
    session_id,
    limit,
    project,
    since,
    client: ofClient,
    failed,
  })
  if (list.items.length === 0) await requireSession(client, session_id)
  const text = table(list.items, [
    { title: 'Time', of: (row) => when(row.timestamp) },
    { title: 'Tool', of: (row) => row.tool_name, max: 30 },
    { title: 'Took', of: (row) => duration(row.duration_ms), right: true },
    {
      title: 'Result',
      of: (row) => (row.success === null ? '-' : row.rejected ? 'refused' : row.success ? 'ok' : 'failed'),
    },
    { title: 'Input', of: (row) => row.input_summary, max: 80 },
  ])
  return { json: list, text: list.items.length === 0 ? 'No tool calls.' : text }
}

export async function errors(
  client: Client,
  flags: ScopeFlags & { query?: string; tools?: boolean },
): Promise<Printed> {
  const { query, tools: withTools = false, client: ofClient } = flags
  const list = await client.call('errors.list', { query, tools: withTools, client: ofClient, ...scopeOf(flags) })
  if (list.items.length === 0) await requireSession(client, flags.session)
  const text = table(list.items, [
    { title: 'Time', of: (row) => when(row.timestamp) },
    { title: 'From', of: (row) => row.origin },
    { title: 'Status', of: (row) => row.status, right: true },
    { title: 'Event', of: (row) => row.uuid },
    { title: 'Error', of: (row) => row.content, max: 100 },
  ])
  return { json: list, text: list.items.length === 0 ? 'No errors.' : text }
}

export async function trace(
  client: Client,
  uuid: string | undefined,
  flags: { lastError?: boolean; match?: string; down?: boolean; project?: string },
): Promise<Printed> {
  if (uuid === undefined && flags.lastError !== true) {
    throw new AspyError(
      'bad_input',
      'name an event by its UUID, or trace the newest error with aspy trace --last-error',
    )
  }
  const found: OperationOutput<'events.trace'> = await client.call('events.trace', {
    uuid,
    last_error: flags.lastError ?? false,
    match: flags.match,
    down: flags.down ?? false,
    project: flags.project,
  })
  const lines = found.items.map(
    (line) => `${when(line.ts_wall)}  ${'  '.repeat(Math.min(line.depth, 20))}${line.kind}  ${plain(line.text)}`,
  )
  if (found.truncated) lines.push('(middle omitted)')
  if (found.gap) lines.push('(incomplete: part of the chain was not recorded)')
  return { json: found, text: lines.join('\n') }
}

/** Prints an answer as one line of JSON or as text. */
export function print({ json, text, aside }: Printed, asJson: boolean | undefined): void {
  if (aside !== undefined && asJson !== true) process.stderr.write(`aspy: ${aside}\n`)
  process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`)
}
