import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Hit } from '../../../shared/contract/recall.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { oneLine } from '../../../shared/harmless.ts'
import { makePack, type PackItem } from '../../recall/pack.ts'
import { requireEventRow, toEvent } from '../../store/read/events.ts'
import { docByUuid, docsOfTurn, type RecallDocRow, textOf } from '../../store/read/recall-docs.ts'
import { digestEndingAt } from '../../store/read/recall-episodes.ts'
import type { Reader } from '../../store/read/reader.ts'
import { oneLineOf, packItem, withActions, withShortIds } from './pack-items.ts'

type Entry = OperationOutput<'recall.pack'>['entries'][number]

/** A hit as a pack identifies it: an event that ends a session may also have the session's digest. */
export interface PackedHit {
  readonly uuid: string
  readonly match_type?: Hit['match_type'] | undefined
}

const PREVIEW_CHARACTERS = 160

/** Returns the document of a hit: a session's digest and a fact share the uuid of an event that has its own text. */
export function docOfHit(reader: Reader, { uuid, match_type: type }: PackedHit): RecallDocRow | null {
  const doc = docByUuid(reader, uuid)
  if (doc === undefined) return null
  if (type === 'memory') return { ...doc, match_type: 'memory' }
  const digest = type === 'episode' || textOf(reader, doc).trim() === '' ? digestEndingAt(reader, doc) : undefined
  return digest ?? doc
}

/** Returns the text of a document; for an event without text, its line. */
export function textToQuote(reader: Reader, doc: RecallDocRow): string {
  const text = textOf(reader, doc)
  if (text.trim() !== '') return text
  const { kind, payload } = toEvent(reader, requireEventRow(reader, doc.event_uuid))
  return `${kind.replaceAll('_', ' ')} ${formatEvent(kind, payload)}`.trim()
}

export const recallPack: ReaderHandler<'recall.pack'> = (reader, input) => {
  const hits: readonly PackedHit[] = [...input.uuids.map((uuid) => ({ uuid })), ...input.hits]
  if (hits.length + input.turns.length === 0)
    throw new AspyError('bad_input', 'name at least one hit in uuids or hits, or a turn in turns')
  const found = hits.map((hit) => ({ hit, doc: docOfHit(reader, hit) }))
  const missing = found.flatMap(({ hit, doc }) => (doc === null ? [hit.uuid] : []))
  if (missing.length === hits.length && input.turns.length === 0)
    throw new AspyError('not_found', `there is no event ${missing.join(', ')}`)
  const docs = new Map<string, RecallDocRow>()
  const add = (doc: RecallDocRow) => docs.set(`${doc.match_type} ${doc.event_uuid}`, doc)
  const entries = new Map<string, Entry>()
  for (const { hit, doc } of found) {
    if (doc === null) continue
    const item = packItem(doc, textToQuote(reader, doc))
    entries.set(`${hit.match_type ?? ''} ${hit.uuid}`, entryOf(hit, item))
    const turn = input.whole_turns ? docsOfTurn(reader, doc.session_id, doc.turn_id) : []
    for (const each of turn.length === 0 ? [doc] : turn) add(each)
  }
  for (const { session_id: sessionId, turn_id: turnId } of input.turns)
    for (const doc of docsOfTurn(reader, sessionId, turnId)) add(doc)
  const items = [...docs.values()].map((doc) => packItem(doc, textToQuote(reader, doc)))
  const whole = input.actions ? withActions(reader, items) : items
  const pack = makePack(withShortIds(reader, whole), {
    budgetTokens: input.budget,
    title: input.title,
    namesTexts: false,
    shortensFence: true,
  })
  return { ...pack, entries: [...entries.values()], missing }
}

function entryOf(hit: PackedHit, item: PackItem): Entry {
  const { label, session_id, turn_id, timestamp, project, text } = item
  const preview = oneLine(oneLineOf(text, PREVIEW_CHARACTERS), PREVIEW_CHARACTERS)
  return { ...hit, label, session_id, turn_id, timestamp, project, preview }
}
