import { AspyError } from '../../../shared/contract/errors.ts'
import type { TableSpec } from '../../../shared/columns/column.ts'
import { GUARD_DECISIONS } from '../../../shared/contract/guard.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { guardNotes } from '../../../shared/guard-reason.ts'
import { count, dollars, table, when } from '../table.ts'
import { answered } from './reading-command.ts'
import type { Printed } from './reading-command.ts'

type Held = OperationOutput<'guard.get'>['held'][number]

/** Shows the guard, or decides about a request that waits: all of them without an ID. `to`: the limit of a raised cap. */
export async function guard(
  client: Client,
  { decision, id, to }: Partial<OperationInput<'guard.release'>>,
): Promise<Printed> {
  if (decision === undefined) return answered(client, 'guard.get', {}, statusText)
  const known = GUARD_DECISIONS.find((each) => each === decision)
  if (known === undefined) {
    throw new AspyError('bad_input', `"${decision}" is not a decision; use once, raise or stop`)
  }
  const limit = to === undefined ? undefined : Number(to)
  if (limit !== undefined && !(limit > 0))
    throw new AspyError('bad_input', `"${to}" is not a limit; use a number above 0`)
  if (limit !== undefined && id === undefined) {
    throw new AspyError('bad_input', '--to raises the cap of one request: name it, as in aspy guard raise ID --to 30')
  }
  let released = 0
  for (const each of id === undefined ? (await client.call('guard.get', {})).held : [{ id }]) {
    try {
      const answer = await client.call('guard.release', {
        id: each.id,
        decision: known,
        ...(limit === undefined ? {} : { to: limit }),
      })
      released += answer.released
    } catch (error) {
      // An earlier decision may have released it already.
      if (id !== undefined || !(error instanceof AspyError) || error.code !== 'not_found') throw error
    }
  }
  const done = `${known === 'stop' ? 'Stopped' : 'Released'}: ${count(released)}`
  return { json: { released }, text: released === 0 ? 'No request waits.' : done }
}

function statusText({ enabled, action, caps, held, counts, ...more }: OperationOutput<'guard.get'>): string {
  const set = caps.map(({ cap, limit }) => `${cap} = ${limit}`).join(', ')
  const lines = [
    enabled
      ? `The guard is on (${action}): ${set || 'caps of projects only'}`
      : 'The guard is off: [guard] sets no cap.',
    `Checked ${count(counts.checked)}, unpriced ${count(counts.unpriced)}, held ${count(counts.held)}, ` +
      `allowed ${count(counts.allowed)}, refused ${count(counts.refused)}`,
  ]
  lines.push(...guardNotes(more, when))
  if (held.length > 0) lines.push('', table(held, HELD), '', 'Decide with: aspy guard once|raise|stop [id]')
  return lines.join('\n')
}

const HELD: TableSpec<Held> = {
  columns: {
    id: { name: 'ID', max: 200 },
    session_id: { name: 'Session', of: ({ session_id }) => session_id ?? '' },
    cap: { name: 'Cap', of: ({ over }) => `${over.cap} ${amount(over.cap, over.limit)}` },
    used: { name: 'Used', of: ({ over }) => amount(over.cap, over.used) },
    guess: { name: 'Estimate', of: ({ over }) => amount(over.cap, over.guess) },
    refused_at: { name: 'Refused at', format: 'moment' },
  },
}

const amount = (cap: string, value: number): string =>
  cap.endsWith('_usd') ? dollars(value) : count(Math.round(value))
