import { isOwnError } from '../../../shared/failures.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { SESSION_EVENTS } from '../../listings/events.ts'
import { fenceLines } from '../../recall/pack.ts'
import {
  countEvents,
  eventsOf,
  keysOf,
  listEvents,
  recentEventRows,
  requireEventRow,
  sightingsOf,
  toEvent,
} from '../../store/read/events.ts'
import { listErrors } from '../../store/read/errors.ts'
import { chainOf, childrenOf, descendantsOf } from '../../store/read/lineage.ts'
import { listPage } from '../../store/read/list-page.ts'
import { matchWords } from '../../recall/match-words.ts'
import type { Reader } from '../../store/read/reader.ts'
import { requireSession } from '../../store/read/sessions.ts'
import { lastFailedTool } from '../../store/read/tools.ts'
import { costsOf } from './requests.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { lineText, toLine } from '../event-line.ts'

export const eventsList: ReaderHandler<'events.list'> = listEvents

export const eventsReplay: ReaderHandler<'events.replay'> = (reader, input) => {
  if (input.cursor === undefined) requireSession(reader, input.session_id)
  return listEvents(reader, input)
}

export const eventsCount: ReaderHandler<'events.count'> = (reader, input) => ({ count: countEvents(reader, input) })

export const eventGet: ReaderHandler<'events.get'> = (reader, { uuid }) => ({
  ...toEvent(reader, requireEventRow(reader, uuid)),
  sightings: sightingsOf(reader, uuid),
  keys: keysOf(reader, uuid),
})

export const eventChain: ReaderHandler<'events.chain'> = (reader, { uuid }) => {
  const { rows, truncated, cycle, gap } = chainOf(reader, uuid)
  const toItem = eventsOf(reader, rows)
  return { items: rows.map((row) => ({ ...toItem(row), depth: row.depth })), next: null, truncated, cycle, gap }
}

export const eventChildren: ReaderHandler<'events.children'> = (reader, { uuid, limit, cursor }) => {
  const { items, next } = childrenOf(reader, uuid, limit, cursor)
  const toItem = eventsOf(reader, items)
  return { items: items.map((row) => ({ ...toItem(row), depth: row.depth })), next }
}

export const sessionEvents: ReaderHandler<'sessions.events'> = (reader, input) =>
  listPage(reader, SESSION_EVENTS, input, (rows) => eventsOf(reader, rows))

export const eventsRecent: ReaderHandler<'events.recent'> = (reader, input) => {
  const rows = recentEventRows(reader, input)
  const items = rows.map((row) => toLine(reader, row))
  const text = input.as_text ? { text: fenceLines('Newest events first.', items.map(lineText)) } : {}
  return { items, next: null, ...text }
}

export const eventTrace: ReaderHandler<'events.trace'> = (reader, input) => {
  const uuid = input.uuid ?? (input.last_error ? lastError(reader, input.match, input.project) : undefined)
  if (uuid === undefined) throw new AspyError('bad_input', 'name an event in uuid, or set last_error')
  const walk = input.down ? descendantsOf(reader, uuid) : chainOf(reader, uuid)
  const costOf = costsOf(reader, walk.rows)
  const items = walk.rows.map((row) => ({ ...toLine(reader, row), depth: row.depth, ...costOf(row) }))
  const { truncated, cycle, gap } = walk
  const title = input.down ? 'What the event led to, nearest first.' : 'What led to the event, the prompt first.'
  const cut = truncated ? ' (cut after 1,000 steps)' : ''
  const lines = items.map((item) => `${'· '.repeat(Math.min(item.depth, 12))}${lineText(item)}`)
  return {
    event: toEvent(reader, requireEventRow(reader, uuid)),
    items,
    truncated,
    cycle,
    gap,
    ...(input.as_text ? { text: fenceLines(`${title}${cut}`, lines) } : {}),
  }
}

/** Returns the newest error. Failed tool calls count as errors; what Aspy itself or its guard reports, only without another. */
function lastError(reader: Reader, match: string | undefined, project: string | undefined): string {
  const words = match === undefined ? null : matchWords(match)
  const { items } = listErrors(reader, {
    limit: 50,
    ...(words === null ? {} : { query: words }),
    ...(project === undefined ? {} : { project }),
  })
  const error = items.find(({ origin }) => !isOwnError(origin))
  const failed = lastFailedTool(reader, match, project)
  const newest =
    [error, failed].filter((row) => row !== undefined).sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0] ??
    items[0]
  if (newest === undefined)
    throw new AspyError('not_found', match === undefined ? 'no error is recorded' : `no recorded error says ${match}`)
  return newest.uuid
}
