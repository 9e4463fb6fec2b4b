import { isAbsolute, join } from 'node:path'
import type { AnyEvent, JsonObject } from '../../shared/event.ts'
import type { EventSummary } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import { archiveFolder } from './archive/archive-file.ts'
import { createArchiveReader } from './archive/archive-reader.ts'
import { tellsOfArchived } from './archive/archived-payload.ts'
import { lastArchiveRun, noteArchiveRun, runArchiving, silentSessions } from './archive/archives.ts'
import { backUp } from './transfer/backup.ts'
import { createCheckpointer } from './database/checkpointer.ts'
import { checkpointWal, openWriter, syncWal, translated } from './database/connection.ts'
import { createContents, createKeyedHash } from './log/contents.ts'
import { rewriteEpisodes, writeEpisodes } from './people/episodes.ts'
import { isoTime } from '../base/iso-time.ts'
import { createForks } from './identity/forks.ts'
import { createKeys, withIdentity } from './identity/keys.ts'
import { changedByStep, limitBlock, limitDraft } from './log/limits.ts'
import { createLog, eventOfRow, type EventRow, type Sighting } from './log/log.ts'
import { archiveMarkOf, packPayload } from './log/payload.ts'
import { createPeople } from './people/people.ts'
import { createPlaces } from './identity/place.ts'
import { placedEvent } from './identity/placed-event.ts'
import { createPastRedaction } from './redact/redact-past.ts'
import { createPricing } from './pricing/pricing.ts'
import { PROJECTIONS } from './projections/all.ts'
import { openProjections } from './projections/projection-set.ts'
import { rebuildInSteps, type Followed } from './rebuild/rebuild.ts'
import { createRequests } from './log/requests.ts'
import { createScrub } from './delete/scrub.ts'
import type { StoreOptions } from './store-options.ts'
import { createSessionEnds } from './log/session-ends.ts'
import { addedByFirst, awaitedLater, sightingFields } from './identity/sighting.ts'
import { storedPayload } from './log/stored-request.ts'
import type { Store } from './store.ts'
import { outline, summarize } from './projections/summary.ts'
import { createTakeIn } from './transfer/restore-events.ts'
import { createTakeOut } from './delete/remove-session.ts'
import { createTransactions } from './database/transactions.ts'
import { createTombstones, type Tombstone } from './delete/tombstones.ts'
import { createTranscriptFiles } from './log/transcript-files.ts'
import { unpricedModelsIn } from './pricing/unpriced-models.ts'
import { createUuids } from '../base/uuids.ts'

/**
 * Opens the store for its one writer.
 * @throws AspyError already_running, newer_database, store_unavailable
 */
export function openStore(options: StoreOptions): Store {
  const { dataDir, dbPath = 'lifestats.db', hashKey, limits, now = Date.now } = options
  const path = isAbsolute(dbPath) ? dbPath : join(dataDir, dbPath)
  const writer = openWriter(path, options)
  const { db } = writer
  const checkpointer = createCheckpointer(db, path)
  const pricing = createPricing(options.prices)
  const hash = createKeyedHash(hashKey)
  const contents = createContents(db, hash)
  const log = createLog(db, contents.get)
  const keys = createKeys(db, log, contents.get, hash)
  const places = createPlaces(db, keys)
  const folder = options.archiveDir ?? archiveFolder(path)
  const archived = createArchiveReader(db, folder)
  const requests = createRequests(db, log, contents.get, archived.fields)
  const projections = openProjections(PROJECTIONS, db, pricing, hash, db, options.prepared)
  const transcriptFiles = createTranscriptFiles(db, now)
  const people = createPeople(db, now)
  const sessionEnds = createSessionEnds(db)
  const tombstones = createTombstones(db)
  const forks = createForks(db, keys, tombstones.has)
  const unpricedBefore = unpricedModelsIn(db)
  const newUuid = createUuids()
  let lastId = log.lastId()
  /** What a rebuild has read so far: told of what comes to it later. */
  let followed: Followed | null = null
  let backupsUnderWay = 0

  const pack = (payload: object, named: readonly string[] = []): string => {
    const prepared = options.prepared?.of(payload)
    const packed = prepared ?? packPayload(payload, contents.keep, named)
    contents.refer(packed.references, prepared?.contents)
    return packed.json
  }

  /** A new event; null where a step of the pipeline dropped it. */
  const add = (draft: AnyDraft, accept?: (event: AnyEvent) => AnyEvent | 'drop'): AnyEvent | null => {
    const place = places.find(draft)
    const { user_id, project } = places.inherited(draft.session_id)
    const uuid = draft.uuid === undefined || log.findKnown(draft.uuid) ? newUuid() : draft.uuid
    const ts_wall = isoTime(draft.ts_wall, now)
    const placed = placedEvent(draft, place, { id: lastId + 1, uuid, ts_wall, user_id, project })
    const answer = accept ? accept(placed) : placed
    if (answer === 'drop') return null
    const event = changedByStep(placed, answer)
    const { payload, named } = storedPayload(event)
    const isLine = keys.isLine(draft, uuid)
    log.addEvent(event, pack(payload, named), isLine)
    lastId = event.id
    const given = keys.register(draft, event, isLine ? 'new line' : 'new')
    for (const [position, key] of place.awaited.entries()) log.addParentKey(key, event.uuid, position)
    places.take(draft, event.uuid, place)
    requests.note(event)
    projections.apply(event, { keys: given, awaited: place.awaited })
    addSighting(draft, event, addedByFirst(draft, event), 'first')
    return event
  }

  const sight = (draft: AnyDraft, known: EventRow): void => {
    const linked = keys.register(draft, known, 'known').length > 0
    const awaited = awaitedLater(draft, known, keys, log)
    for (const [position, key] of awaited.entries()) log.addParentKey(key, known.uuid, 1000 + position)
    if (linked || awaited.length > 0) {
      projections.applyLinks(known.uuid)
      followed?.set.applyLinks(known.uuid)
    }
    places.follow(draft, known)
    const event = eventOfRow(known, contents.get)
    const before = log.sightingsOf(known)
    const isArchived = archiveMarkOf(known.payload) !== null
    const fields = sightingFields(isArchived ? tellsOfArchived(draft) : draft, event, before)
    if (fields !== 'nothing new') addSighting(draft, event, fields, before)
  }

  const addSighting = (
    draft: AnyDraft,
    event: AnyEvent,
    fields: JsonObject | null,
    before: readonly Sighting[] | 'first',
  ): void => {
    const { source, session_id } = draft
    const sighting = { uuid: event.uuid, source, session_id, seen_at: isoTime(draft.ts_wall, now) }
    const payload = fields && pack(fields)
    const id = before === 'first' ? log.addFirstSighting(event, sighting, payload) : log.addSighting(sighting, payload)
    const added = { ...sighting, id, payload: fields }
    const earlier = before === 'first' ? [] : before
    projections.applySighting(event, added, earlier)
    if (followed !== null && event.id <= followed.after) followed.set.applySighting(event, added, earlier)
  }

  const forgetEvents = (): void => {
    keys.clear()
    if (followed !== null) followed.isLost = true
  }
  const forgetCaches = (): void => {
    forgetEvents()
    contents.rolledBack()
    places.clear()
    requests.clear()
    projections.discard()
    tombstones.clear()
  }

  const takeIn = createTakeIn({ db, log, contents, tombstones, projections, nextId: () => (lastId += 1) })

  const around = { closeOpen: () => transactions.close(), forget: forgetCaches, forgetEvents }
  const takeOut = createTakeOut({ db, pricing, hash, projections, tombstones, sessionEnds, now, ...around })
  const remember = (others: readonly Tombstone[] = []): void =>
    others.forEach(({ session_id, deleted_at }) => tombstones.add(session_id, deleted_at))
  remember(options.tombstones)

  let idBefore = lastId
  const transactions = createTransactions(db, {
    begun: () => void (idBefore = lastId),
    *ending() {
      yield* projections.flushInSteps()
      followed?.set.flush()
    },
    committed() {
      contents.committed()
      checkpointer.look()
    },
    rolledBack() {
      lastId = idBefore
      forgetCaches()
    },
  })

  return {
    append(drafts, accept, { checkpoints = [], isUnseen = false, staysOpen = false } = {}) {
      const added: EventSummary[] = []
      let [joined, dropped, deleted] = [0, 0, 0]
      writer.assertInPlace()
      keys.begin()
      const work = () => {
        for (const draft of forks.named(drafts)) {
          if (tombstones.has(draft.session_id)) {
            deleted += 1
            continue
          }
          const limited = limitDraft(withIdentity(draft), limits)
          const known = takeOut.standing(() => keys.findKnown(limited) ?? keys.findAnchor(limited))
          if (known && tombstones.has(known.session_id)) {
            deleted += 1
            continue
          }
          if (known) {
            sight(limited, known)
            joined += 1
            continue
          }
          if (limited.only_as_sighting) {
            joined += 1
            continue
          }
          const event = add(limited, accept)
          if (event) added.push(isUnseen ? outline(event) : summarize(event, pricing))
          else dropped += 1
        }
        for (const checkpoint of checkpoints) transcriptFiles.note(checkpoint)
      }
      // A rebuild and a backup see whole transactions only.
      const mayStay = staysOpen && followed === null && backupsUnderWay === 0
      translated(() => (mayStay ? transactions.slice(work) : transactions.run(work)))
      return { added, joined, dropped, deleted }
    },
    settle: () => translated(transactions.settle),
    settleInSteps: transactions.settleInSteps,
    putContent: (text) => contents.keep(limitBlock(text, limits)),
    unsavedContent: (hash) => contents.unsaved(hash),
    getContent: (hash) => translated(() => contents.get(hash)),
    lastRequest: (sessionId, agentId) => translated(() => requests.last(sessionId, agentId)),
    keysOf: (uuid) => translated(() => keys.keysOf(uuid)),
    importCheckpoint: (path) => translated(() => transcriptFiles.find(path)),
    pastRedaction(redactor) {
      const past = createPastRedaction({ db, log, contents, hash, redactor, pricing })
      return {
        ...past,
        slice(milliseconds) {
          transactions.close()
          let changed = true
          try {
            changed = past.slice(milliseconds)
            contents.committed()
          } finally {
            // Words, hashes, keys and projects may be others now.
            if (changed) forgetCaches()
          }
          return changed
        },
      }
    },
    people: {
      run(name, input) {
        transactions.close()
        return translated(() => people.run(name, input))
      },
    },
    unpricedModels: () => [...new Set([...unpricedBefore, ...pricing.unpricedModels()])],
    deleteInSteps: takeOut.inSteps,
    deleteSession: takeOut.atOnce,
    unfinishedDeletions: takeOut.unfinished,
    bury(others) {
      const found = others.filter(takeOut.bury)
      remember(others)
      return found.length
    },
    takeIn(records) {
      const taken = translated(() => transactions.run(() => takeIn(records)))
      if (taken.added > 0) {
        keys.clear()
        places.clear()
        requests.clear()
      }
      return taken
    },
    async backup(to, onProgress) {
      transactions.close()
      backupsUnderWay += 1
      return backUp(db, to, hashKey, folder, onProgress).finally(() => (backupsUnderWay -= 1))
    },
    *rebuild(only) {
      transactions.close()
      const result = yield* rebuildInSteps(db, { pricing, hashKey, only }, (next) => {
        followed = next
        // What is remembered of the tables that were in use until now.
        if (next === null) projections.discard()
      })
      sessionEnds.closeIdle(now())
      if (only === undefined) for (const _ of rewriteEpisodes(db)) yield { ...result, done: false }
      return result
    },
    *archive(rules) {
      transactions.close()
      return yield* runArchiving({ db, contents, pricing, hash, folder, now }, rules)
    },
    episodes: () => writeEpisodes(db),
    lastArchiveRun: () => translated(() => lastArchiveRun(db)),
    noteArchiveRun: (run) => noteArchiveRun(db, run),
    silentSessions: (before, most) => translated(() => silentSessions(db, before, most)),
    scrub: createScrub({ db, path, archives: folder, onAway: options.onAway ?? (() => undefined) }),
    checkpoint() {
      transactions.close()
      const closed = translated(() => sessionEnds.closeIdle(now()))
      if (closed > 0) projections.discard()
      checkpointWal(db)
    },
    persist: () => translated(() => syncWal(db)),
    isDiskBehind: checkpointer.isBehind,
    isBehind: () => checkpointer.isBehind() || takeOut.isUnderWay(),
    close() {
      transactions.close()
      checkpointer.stop()
      translated(() => writer.close())
    },
  }
}
