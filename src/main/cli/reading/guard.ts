import { AspyError } from '../../../shared/contract/errors.ts'
import type { TableSpec } from '../../../shared/columns/column.ts'
import { GUARD_DECISIONS } from '../../../shared/contract/guard.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { guardNotes } from '../../../shared/guard-reason.ts'
import { typedHere } from '../../base/folder-of-run.ts'
import { amount, capText, howToSet, refusedTodayText } from '../guard-caps.ts'
import { count, counted, table, when } from '../table.ts'
import type { Printed } from './reading-command.ts'

type Held = OperationOutput<'guard.get'>['held'][number]

/** Shows the guard, or decides about a request that waits: all of them without an ID. `to`: the limit of a raised cap. */
export async function guard(
  client: Client,
  { decision, id, to }: Partial<OperationInput<'guard.release'>>,
): Promise<Printed> {
  if (decision === undefined) {
    const [status, { items }] = await Promise.all([client.call('guard.get', {}), client.call('budgets.status', {})])
    return { json: status, text: statusText(status, items, client.dataDir) }
  }
  const known = GUARD_DECISIONS.find((each) => each === decision)
  if (known === undefined) throw new AspyError('bad_input', `"${decision}" is not a decision; use once, raise or stop`)
  const limit = to === undefined ? undefined : Number(to)
  if (limit !== undefined && !(limit > 0))
    throw new AspyError('bad_input', `"${to}" is not a limit; use a number above 0`)
  const waiting = id === undefined ? (await client.call('guard.get', {})).held : [{ id }]
  if (limit !== undefined && waiting.length > 1) {
    const said = `--to raises the cap of one request, and ${waiting.length} wait: name it`
    throw new AspyError(
      'bad_input',
      `${said}, as in ${typedHere(`aspy guard raise ${waiting[0]?.id} --to ${to}`, client.dataDir)}`,
    )
  }
  let released = 0
  for (const each of waiting) {
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

type GuardStatus = OperationOutput<'guard.get'>

/** Writes the guard for people: each request that it checked has one outcome. */
export function statusText(status: GuardStatus, budgets: readonly unknown[], dataDir: string): string {
  const { enabled, action, caps, project_caps, held, counts, ...more } = status
  const set = caps.map(capText).join('; ')
  const all = counts.checked + counts.unpriced
  const passed = all - held.length - counts.allowed - counts.refused - counts.gave_up
  const lines = [
    enabled
      ? `The guard is on (${action}): ${set || 'caps of projects only'}`
      : `The guard is off: [guard] sets no cap. Set one ${howToSet(budgets, dataDir)}.`,
    `${more.since === undefined ? '' : `Since ${when(more.since)}: `}Checked ${counted(all, 'request')}: ${count(passed)} passed, ${count(held.length)} waiting, ` +
      `${count(counts.allowed)} allowed, ${count(counts.refused)} refused, ${count(counts.gave_up)} given up by the client`,
  ]
  for (const [project, own] of Map.groupBy(project_caps, (cap) => cap.project))
    lines.splice(-1, 0, `  ${project}: ${own.map(capText).join('; ')}`)
  lines.push(...refusedTodayText(more.refused_today), ...guardNotes(more, when))
  if (held.length > 0)
    lines.push('', table(held, HELD), '', `Decide with: ${typedHere('aspy guard', dataDir)} once|raise|stop [id]`)
  return lines.join('\n')
}

const HELD: TableSpec<Held> = {
  columns: {
    id: { name: 'ID', max: 200 },
    session_id: { name: 'Session', of: ({ session_id }) => session_id ?? '' },
    cap: { name: 'Cap', of: ({ over }) => capOf(over) },
    used: { name: 'Used', of: ({ over }) => amount(over.cap, over.used) },
    guess: { name: 'Estimate', of: ({ over }) => amount(over.cap, over.guess) },
    refused_at: { name: 'Refused at', format: 'moment' },
  },
}

const capOf = ({ cap, limit, project }: Held['over']): string =>
  `${cap} ${amount(cap, limit)}${project === undefined ? '' : ` of ${project}`}`
