import type { AnyEvent, StoredRequest } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Contents } from '../log/contents.ts'
import { LINE_KEY, type Log, type Sighting } from '../log/log.ts'
import { packPayload, shownField, type PackOptions } from '../log/payload.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import { payloadToStore } from '../log/event-payload.ts'
import type { Tombstones } from '../delete/tombstones.ts'

/** An exported event, redacted, from another log or an earlier state of this one. */
export interface ForeignEvent {
  readonly event: Omit<AnyEvent, 'id'>
  readonly keys: readonly string[]
  readonly parent_keys: readonly (readonly [string, number])[]
  readonly sightings: readonly Omit<Sighting, 'id' | 'uuid'>[]
  /** Texts of the blocks that a request refers to, by their hash in the export. */
  readonly contents: { readonly [hash: string]: string }
}

/** The outcome of restoring exported events. */
export interface RestoredEvents {
  readonly added: number
  /** Known by their uuid. */
  readonly known: number
  readonly deleted: number
  /** Facts that this log has under another uuid, or whose place is taken: append them like drafts. */
  readonly rest: readonly AnyDraft[]
}

export interface RestoreEventsParts {
  readonly db: WritableDb
  readonly log: Log
  readonly contents: Contents
  readonly tombstones: Tombstones
  readonly projections: ProjectionSet
  readonly nextId: () => number
}

/** Restores exported events with their uuid, turn, seq, keys and sightings. Runs within a transaction. */
export function createRestoreEvents({ db, log, contents, tombstones, projections, nextId }: RestoreEventsParts) {
  const place = db.prepare<[string, number, number], number>(
    'SELECT 1 FROM events WHERE session_id = ? AND turn_id = ? AND seq = ?',
  )
  /** Maps hashes of the exported log to those of this log. */
  const here = new Map<string, string>()

  const pack = (payload: object, options: PackOptions = {}): string => {
    const packed = packPayload(payload, contents.keep, options)
    contents.refer(packed.references)
    return packed.json
  }

  const write = ({ event, keys, parent_keys, sightings }: ForeignEvent): void => {
    const own = { ...event, id: nextId() } as AnyEvent
    const { payload, named } = payloadToStore(own)
    log.addEvent(own, pack(payload, { named, shown: shownField(own.kind) }), keys.includes(LINE_KEY + own.uuid))
    for (const key of keys) log.addKey(key, own.id)
    for (const [key, position] of parent_keys) log.addParentKey(key, own.uuid, position)
    projections.apply(own)
    const before: Sighting[] = []
    for (const { source, session_id, seen_at, payload: extra } of sightings) {
      const sighting = { uuid: own.uuid, source, session_id, seen_at }
      const json = extra && pack(extra)
      const id = before.length === 0 ? log.addFirstSighting(own, sighting, json) : log.addSighting(own, sighting, json)
      const added = { ...sighting, id, payload: extra }
      projections.applySighting(own, added, before)
      before.push(added)
    }
  }

  return (records: readonly ForeignEvent[]): RestoredEvents => {
    const rest: AnyDraft[] = []
    let [added, known, deleted] = [0, 0, 0]
    for (const record of records) {
      for (const [hash, text] of Object.entries(record.contents)) here.set(hash, contents.keep(text))
      const { session_id, turn_id, seq, uuid } = record.event
      if (tombstones.has(session_id)) deleted += 1
      else if (log.find(uuid)) known += 1
      else if (record.keys.some((key) => log.findByKey(key) !== undefined) || place.get(session_id, turn_id, seq))
        rest.push(draftOf(withOwnHashes(record, here)))
      else {
        write(withOwnHashes(record, here))
        added += 1
      }
    }
    projections.flush()
    return { added, known, deleted, rest }
  }
}

/** Replaces the hashes of a request's blocks, which depend on the log's key. */
function withOwnHashes(record: ForeignEvent, here: ReadonlyMap<string, string>): ForeignEvent {
  const { event } = record
  if (event.kind !== 'model_request') return record
  const payload = event.payload as { readonly request: StoredRequest | null }
  if (payload.request === null) return record
  const own = (hash: string) => here.get(hash) ?? hash
  const { request } = payload
  const turned = {
    ...request,
    add: request.add.map((message) => ({ ...message, blocks: message.blocks.map(own) })),
    system: request.system.map(own),
    tools: request.tools.map(own),
  }
  return { ...record, event: { ...event, payload: { ...payload, request: turned } } as unknown as typeof event }
}

function draftOf({ event, keys }: ForeignEvent): AnyDraft {
  const { uuid, session_id, agent_id, kind, source, ts_wall, ts_monotonic, payload } = event
  return {
    uuid,
    session_id,
    agent_id,
    kind,
    source,
    ts_wall,
    ts_monotonic,
    payload,
    duration_ms: event.duration_ms,
    success: event.success,
    error_message: event.error_message,
    request_id: event.request_id,
    account: event.user_id,
    project: event.project,
    // Text keys depend on the hash key of the exporting log.
    keys: keys.filter((key) => !key.startsWith('text:')),
    parents: event.parent_uuid === null ? [] : [`event:${event.parent_uuid}`],
  } as AnyDraft
}
