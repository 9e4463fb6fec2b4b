import { untitled } from '../../../shared/columns/sessions.ts'
import { outcomeOf } from '../../../shared/columns/tool-calls.ts'
import { inputLine } from '../../../shared/input-line.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { refusedText } from '../../../shared/guard-action-text.ts'
import { isNotCaptured, knownCost, NOT_CAPTURED } from '../../../shared/known-figures.ts'
import { assistantLabel, clientLabel, isResumable, recordedResumeOf, resumeOf } from '../../../shared/vendors.ts'
import { shellQuoted } from '../../base/shell-quoted.ts'
import { asTyped } from '../../base/typed-command.ts'
import type { Client } from '../client.ts'
import { folderOption } from '../../base/folder-of-run.ts'
import { counted, dollars, plain, plainLines, when } from '../table.ts'
import type { Printed } from './reading-command.ts'

type HistoryInput = OperationInput<'sessions.history'>

const LINK_NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after a compaction of',
} as const

/** `aspy session ID`: the known facts about a session, its conversation, and what its tools were called for. */
export async function session(client: Client, input: HistoryInput): Promise<Printed> {
  const { session_id } = input
  const about = await client.call('sessions.get', { session_id })
  const history = await client.call('sessions.history', input)
  const failures = formatFailures(about)
  const cost = knownCost(about)
  const head = [
    about.title ?? (about.prompts === 0 ? untitled(about) : about.id),
    [
      when(about.started_at),
      ...(about.project === null ? [] : [about.project]),
      counted(about.prompts, 'prompt'),
      cost === null ? 'cost unknown' : dollars(cost),
      ...(failures === '' ? [] : [`failures: ${failures}`]),
      [clientLabel(about.client), about.client_version ?? ''].join(' ').trim(),
    ].join(' · '),
  ]
  const { client: own, explanation } = await reconciled(client, session_id)
  const notes = [
    ...(isNotCaptured(about) ? [NOT_CAPTURED] : []),
    ...(about.unrecorded ?? []),
    ...(about.refusals ?? []).map(refusedText),
    ...(own === null ? [] : [`Claude Code reports ${dollars(own.cost_usd)} (${when(own.at)})`]),
    ...explanation,
    ...about.pull_requests,
    ...about.tags.map((tag) => `Tag: ${tag}`),
    ...about.links.map((link) => `${LINK_NAMES[link.kind]} ${link.session_id} (${when(link.at)})`),
    ...(about.time_basis === 'file' ? ['Its lines have no time; the time of the file is shown'] : []),
  ]
  const texts = history.items.map(({ timestamp, role, content }) => ({
    timestamp,
    text: `\n${when(timestamp)}  ${role === 'user' ? 'You' : assistantLabel(about.client)}\n${plainLines(content)}`,
  }))
  const told = [...texts, ...(await callLines(client, input, history))].sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
  )
  return {
    json: { ...about, history },
    text: [...head, ...notes]
      .map(plain)
      .concat(client.isTeam ? [] : resumeLines(about, folderOption(client.dataDir)))
      .concat(told.map(({ text }) => text))
      .join('\n'),
  }
}

/** Says how a session goes on: in its client as its settings are, and recorded whatever they are. */
export function resumeLines(
  { id, project }: Pick<OperationOutput<'sessions.get'>, 'id' | 'project'>,
  folder: string,
  platform = process.platform,
): readonly string[] {
  const [own, recorded] = [resumeOf(id), recordedResumeOf(id, `run${folder}`)]
  if (own === null || recorded === null || !isResumable(id)) return []
  const cd = project === null || project === '' ? '' : `cd ${shellQuoted(plain(project), platform)}`
  // PowerShell 5 has no &&.
  const isApart = platform === 'win32' && cd !== ''
  const there = isApart || cd === '' ? '' : `${cd} && `
  return [
    'Resume it, or resume it recorded:',
    ...(isApart ? [`  ${cd}`] : []),
    `  ${there}${plain(own.join(' '))}`,
    `  ${there}${asTyped(`aspy ${recorded.join(' ')}`)}`,
  ]
}

const INPUT_CHARACTERS = 80

/** Returns a line for each tool call among the texts of a page, at most the newest 500; it says if one did not go well. */
async function callLines(client: Client, input: HistoryInput, { items }: OperationOutput<'sessions.history'>) {
  const [since, last] = [items[0]?.timestamp, items.at(-1)?.timestamp]
  if (since === undefined || last === undefined) return []
  const isNewest = input.before === undefined && input.cursor === undefined
  const { items: calls } = await client.call('tools.list', { session_id: input.session_id, since, limit: 500 })
  return calls
    .filter(({ timestamp }) => isNewest || timestamp <= last)
    .toReversed()
    .map((call) => {
      const about = firstCharacters(inputLine(call.input_summary), INPUT_CHARACTERS)
      const outcome = outcomeOf(call) ?? 'no result'
      return {
        timestamp: call.timestamp,
        text: `\n  ${plain(`${call.tool_name} ${about}${outcome === 'ok' ? '' : `  ${outcome}`}`)}`,
      }
    })
}

/** Compares with the client's own total, which a team's history lacks. */
async function reconciled(client: Client, session_id: string) {
  try {
    return await client.call('sessions.reconcile', { session_id })
  } catch (error) {
    if (error instanceof AspyError && error.code === 'unsupported') return { client: null, explanation: [] }
    throw error
  }
}
