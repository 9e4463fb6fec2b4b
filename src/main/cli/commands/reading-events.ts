import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import type { Client } from '../client.ts'
import { count, duration, plain, plainLines, table, when } from '../table.ts'
import type { Printed, ScopeFlags } from './reading.ts'
import { requireSession } from './require-session.ts'

/** The reading commands that show events. */

type Line = OperationOutput<'events.recent'>['items'][number]

/** `aspy recent`: lists the newest events, newest first. */
export async function recent(client: Client, flags: ScopeFlags & { kinds?: string }): Promise<Printed> {
  const { limit, session, project, kinds } = flags
  const list = await client.call('events.recent', { limit, session_id: session, project, kinds })
  if (list.items.length === 0) await requireSession(client, session)
  return { json: list, text: linesOf(list.items) }
}

/** `aspy timeline [ID]`: lists the events of a session, oldest first; by default, of the most recently active one. */
export async function timeline(
  client: Client,
  id: string | undefined,
  flags: ScopeFlags & { until?: string; kinds?: string },
): Promise<Printed> {
  const { limit, since, until, kinds } = flags
  const session_id = id ?? flags.session ?? (await lastActive(client, flags.project))
  const list = await client.call('sessions.timeline', { session_id, limit, start: since, end: until, kinds })
  if (list.items.length === 0) await requireSession(client, session_id)
  const more = list.next === null ? '' : '\n(more events exist; use --limit, --since or --until)'
  return { json: { session_id, ...list }, text: `Session ${plain(session_id)}\n${linesOf(list.items)}${more}` }
}

async function lastActive(client: Client, project: string | undefined): Promise<string> {
  const { items } = await client.call('events.recent', { limit: 1, project })
  const [newest] = items
  if (newest === undefined) throw new AspyError('not_found', 'no sessions are recorded yet')
  return newest.session_id
}

/** `aspy replay ID`: prints one line per event in the order of arrival; `--json` prints whole events. Reads in pages. */
export async function replay(
  client: Client,
  session_id: string,
  { turn: turn_id, json }: { readonly turn?: string; readonly json?: boolean },
  out: Writable,
): Promise<void> {
  for await (const { items } of client.stream('events.replay', { session_id, turn_id })) {
    const lines = items.map((event) =>
      json === true
        ? JSON.stringify(event)
        : `${event.turn_id}.${event.seq}  ${when(event.ts_wall)}  ${event.kind}  ${event.uuid}  ${plain(formatEvent(event.kind, event.payload))}`,
    )
    if (lines.length > 0 && !out.write(`${lines.join('\n')}\n`)) await once(out, 'drain')
  }
}

/** `aspy slowest`: lists the slowest tool calls or events. */
export async function slowest(client: Client, flags: ScopeFlags & { by?: string }): Promise<Printed> {
  const { limit, session, since } = flags
  const by = flags.by as 'kind' | 'tool' | undefined
  const list = await client.call('stats.slowest', { by, limit, session_id: session, since })
  if (list.items.length === 0) await requireSession(client, session)
  if (list.groups !== undefined) {
    const groups = table(list.groups, [
      { title: 'Kind', of: (row) => row.kind },
      { title: 'Count', of: (row) => count(row.count), right: true },
      { title: 'Mean', of: (row) => duration(row.mean_ms), right: true },
      { title: 'p95', of: (row) => duration(row.p95_ms), right: true },
      { title: 'Max', of: (row) => duration(row.max_ms), right: true },
    ])
    return { json: list, text: list.groups.length === 0 ? 'No timed events.' : groups }
  }
  const text = table(list.items, [
    { title: 'Took', of: (row) => duration(row.duration_ms), right: true },
    { title: by === 'kind' ? 'Kind' : 'Tool', of: (row) => row.name, max: 30 },
    { title: 'Time', of: (row) => when(row.timestamp) },
    { title: 'Event', of: (row) => row.uuid },
    { title: 'What', of: (row) => row.text, max: 80 },
  ])
  return { json: list, text: list.items.length === 0 ? 'No timed events.' : text }
}

/** `aspy resume [ID]`: summarizes where a session left off, as a pack; by default, the most recently active one. */
export async function resume(
  client: Client,
  id: string | undefined,
  flags: ScopeFlags & { lost?: boolean },
): Promise<Printed> {
  const pack = await client.call('sessions.resume_latest', { session_id: id, project: flags.project })
  if (flags.lost === true) {
    const truth = await client.call('sessions.resume_truth', { session_id: pack.session_id })
    const silent =
      truth.resumed === null ? 'No resume to compare is recorded.' : 'The last resume carried every message.'
    return { json: truth, text: truth.pack === null ? silent : plainLines(truth.pack.text) }
  }
  return { json: pack, text: plainLines(pack.text) }
}

function linesOf(lines: readonly Line[]): string {
  if (lines.length === 0) return 'No events.'
  return table(lines, [
    { title: 'Time', of: (row) => when(row.ts_wall) },
    { title: 'Kind', of: (row) => row.kind },
    { title: 'Took', of: (row) => duration(row.duration_ms), right: true },
    { title: 'Event', of: (row) => row.uuid },
    { title: 'What', of: (row) => `${row.success === false ? 'FAILED ' : ''}${row.text}`, max: 100 },
  ])
}
