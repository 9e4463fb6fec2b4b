import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { EventKind } from '../../../shared/event.ts'
import { oneLine } from '../../../shared/harmless.ts'
import { makePack } from '../../recall/pack.ts'
import { matchWords } from '../../recall/match-words.ts'
import { valuesMeant } from '../../recall/stored-filters.ts'
import { episodeRows } from '../../store/read/episodes.ts'
import { requireEventRow } from '../../store/read/events.ts'
import { evidenceRows, memoryRows, savedSearches } from '../../store/read/people.ts'
import { madeByPeople } from '../../store/read/people-export.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import type { Reader } from '../../store/read/reader.ts'
import { given } from './given.ts'
import { withShortIds } from './pack-items.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

/** Returns an FTS5 expression for all words of a query, if it has any. */
function matchOf(query: string | undefined): { match?: string } {
  const match = query === undefined ? null : matchWords(query)
  return match === null ? {} : { match }
}

interface MemoryQuery {
  readonly query?: string | undefined
  readonly category?: string | undefined
  readonly limit: number
  readonly session_id?: string | undefined
  readonly project?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Returns memories, newest first. A project may be named by its folder and a session by its beginning, as in a search. */
export function memoriesOf(reader: Reader, input: MemoryQuery): OperationOutput<'memories.list'>['items'] {
  const { query, category, limit, session_id: session, project, since, until } = input
  const scope = {
    session: valuesMeant(reader, 'session', session ?? null),
    project: valuesMeant(reader, 'project', project ?? null),
    since: since ?? null,
    until: until ?? null,
  }
  const rows = memoryRows(reader, { ...given({ category }), limit, scope, ...matchOf(query) })
  return rows.map((row) => withContent(reader, row))
}

function withContent<Row extends { readonly kind: string; readonly payload: string }>(
  reader: Reader,
  { payload, ...row }: Row,
): Omit<Row, 'payload'> & { readonly content: string } {
  return { ...row, content: formatEvent(row.kind as EventKind, reader.payload(payload)) }
}

export const memoriesList: ReaderHandler<'memories.list'> = (reader, input) => ({ items: memoriesOf(reader, input) })

const MAX_EVIDENCE = 200

export const memoryGet: ReaderHandler<'memories.get'> = (reader, { uuid }) => {
  const [memory] = memoryRows(reader, { uuid: requireEventRow(reader, uuid).uuid, limit: 1 })
  if (memory === undefined) throw new AspyError('not_found', `${uuid} is not remembered`)
  const evidence = evidenceRows(reader, memory.uuid, MAX_EVIDENCE).map((row) => withContent(reader, row))
  return { ...withContent(reader, memory), evidence }
}

export const memoriesContext: ReaderHandler<'memories.context'> = (reader, input) => {
  const memories = memoriesOf(reader, input)
  const items = memories.map((memory) => ({
    label: `${oneLine(memory.category, 60)}, confidence ${memory.confidence}, by ${oneLine(memory.source, 60)}, events: ${memory.evidence_count},`,
    session_id: memory.session_id,
    turn_id: memory.turn_id,
    uuid: memory.uuid,
    timestamp: memory.timestamp,
    project: memory.project,
    text: memory.fact === '' ? memory.content : memory.fact,
  }))
  const note = items.length === 0 ? nothingFound(input) : 'Remembered by the user, newest first.'
  return makePack(withShortIds(reader, items), { budgetTokens: input.budget, note })
}

function nothingFound({ query, category, session_id, project, since, until }: MemoryQuery): string {
  if (project !== undefined) return 'Nothing is remembered here. Try project "all".'
  const isFiltered = [query, category, session_id, since, until].some((filter) => filter !== undefined)
  return isFiltered ? 'Nothing that is remembered matches.' : 'Nothing is remembered.'
}

export const episodesList: ReaderHandler<'episodes.list'> = (reader, { query, ...rest }) =>
  episodeRows(reader, { ...given(rest), ...matchOf(query) })

export const peopleExport: ReaderHandler<'people.export'> = (reader) => ({ items: madeByPeople(reader) })

export const searchesList: ReaderHandler<'searches.list'> = (reader) => ({ items: savedSearches(reader) })
