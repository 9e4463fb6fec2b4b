import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { isNotCaptured, knownCost, NOT_CAPTURED } from '../../../shared/known-figures.ts'
import { assistantLabel, clientLabel } from '../../../shared/vendors.ts'
import type { Client } from '../client.ts'
import { counted, dollars, plain, plainLines, when } from '../table.ts'
import type { Printed } from './reading-command.ts'

const LINK_NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after a compaction of',
} as const

/** `aspy session ID`: the known facts about a session, and its conversation. */
export async function session(client: Client, input: OperationInput<'sessions.history'>): Promise<Printed> {
  const { session_id } = input
  const about = await client.call('sessions.get', { session_id })
  const history = await client.call('sessions.history', input)
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
  const { client: own, explanation } = await reconciled(client, session_id)
  const notes = [
    ...(isNotCaptured(about) ? [NOT_CAPTURED] : []),
    ...(own === null ? [] : [`Claude Code reports ${dollars(own.cost_usd)} (${when(own.at)})`]),
    ...explanation,
    ...about.pull_requests,
    ...about.tags.map((tag) => `Tag: ${tag}`),
    ...about.links.map((link) => `${LINK_NAMES[link.kind]} ${link.session_id} (${when(link.at)})`),
    ...(about.time_basis === 'file' ? ['Its lines have no time; the time of the file is shown'] : []),
  ]
  const texts = history.items.map(
    (item) =>
      `\n${when(item.timestamp)}  ${item.role === 'user' ? 'You' : assistantLabel(about.client)}\n${plainLines(item.content)}`,
  )
  return { json: { ...about, history }, text: [...head, ...notes].map(plain).concat(texts).join('\n') }
}

/** Compares with the client's own total, which a team's history lacks. */
async function reconciled(
  client: Client,
  session_id: string,
): Promise<Pick<OperationOutput<'sessions.reconcile'>, 'client' | 'explanation'>> {
  try {
    return await client.call('sessions.reconcile', { session_id })
  } catch (error) {
    if (error instanceof AspyError && error.code === 'unsupported') return { client: null, explanation: [] }
    throw error
  }
}
