import { isAbsolute, join } from 'node:path'
import { createKeyedHash } from '../base/keyed-hash.ts'
import { archiveFolder } from './archive/archive-file.ts'
import { createArchiveReader } from './archive/archive-reader.ts'
import { createCheckpointer, type Checkpointer } from './database/checkpointer.ts'
import { openWriter, syncWal, type Writer } from './database/connection.ts'
import { translated } from './database/store-error.ts'
import { createTransactions } from './database/transactions.ts'
import { PendingDeletions } from './delete/pending-deletions.ts'
import { Removal } from './delete/session-removal.ts'
import { createTombstones } from './delete/tombstones.ts'
import { createAnswers } from './identity/answers.ts'
import { createCallNames } from './identity/call-names.ts'
import { createCompactionNames } from './identity/compaction-names.ts'
import { createForks } from './identity/forks.ts'
import { createKeys } from './identity/keys.ts'
import { createUnsentPrompts } from './identity/unsent-prompts.ts'
import { createPlaces } from './identity/place.ts'
import { EventWriter } from './ingest/event-writer.ts'
import { Ingest } from './ingest/ingest.ts'
import { createAnswersInProgress } from './log/answers-in-progress.ts'
import { createContents } from './log/contents.ts'
import { createLog } from './log/log.ts'
import { createRequests } from './log/requests.ts'
import { createSessionEnds } from './log/session-ends.ts'
import { createTranscriptFiles } from './log/transcript-files.ts'
import { Maintenance } from './maintenance/maintenance.ts'
import { createPeople } from './people/people.ts'
import { Previews } from './preview/previews.ts'
import { createPricing } from './pricing/pricing.ts'
import { unpricedModelsIn } from './pricing/unpriced-models.ts'
import { PROJECTIONS } from './projections/all.ts'
import { openProjections } from './projections/projection-set.ts'
import { noteRulesIfEmpty } from './rebuild/due-rebuild.ts'
import { RebuildFollower } from './rebuild/rebuild-follower.ts'
import type { StoreOptions } from './store-options.ts'
import type { Store } from './store.ts'
import { createRestoreEvents } from './transfer/restore-events.ts'

const THIS_RUN = { pid: process.pid, startedAt: performance.timeOrigin }

/**
 * Opens the store for its one writer. If that fails, nothing stays open: the next attempt finds no lock.
 * @throws AspyError already_running, newer_database, store_unavailable
 */
export function openStore(options: StoreOptions): Store {
  const { dataDir, dbPath = 'lifestats.db' } = options
  const path = isAbsolute(dbPath) ? dbPath : join(dataDir, dbPath)
  return translated(() => {
    const connection = openWriter(path, options)
    const checkpointer = createCheckpointer(connection.db, path)
    try {
      return storeOn(connection, path, checkpointer, options)
    } catch (error) {
      checkpointer.stop()
      connection.close()
      throw error
    }
  })
}

function storeOn(connection: Writer, path: string, checkpointer: Checkpointer, options: StoreOptions): Store {
  const { hashKey, limits, now = Date.now, prepared } = options
  const { db } = connection
  const folder = options.archiveDir ?? archiveFolder(path)
  const pricing = createPricing(options.prices)
  noteRulesIfEmpty(db)
  const hash = createKeyedHash(hashKey)

  const contents = createContents(db, hash)
  const log = createLog(db, contents.get)
  const keys = createKeys(db, log, contents.get, hash)
  const answers = createAnswers(log, keys, contents.get, hash)
  const names = [answers, createCallNames(log, keys, contents.get), createCompactionNames(log, keys)]
  const places = createPlaces(db, keys)
  const requests = createRequests(db, log, contents.get, createArchiveReader(db, folder).fields)
  const projections = openProjections(PROJECTIONS, { db, pricing, hash, prepared })
  const sessionEnds = createSessionEnds(db)
  const tombstones = createTombstones(db)
  const follower = new RebuildFollower()
  const answersInProgress = createAnswersInProgress(db, options.run ?? THIS_RUN, tombstones, limits)
  const logged = { log, contents, keys, places, requests, answersInProgress }
  const writer = new EventWriter({ ...logged, projections, follower, prepared, now })

  const forgetEvents = (): void => {
    keys.clear()
    answers.clear()
    follower.invalidate()
  }
  const forget = (): void => {
    forgetEvents()
    contents.rolledBack()
    places.clear()
    requests.clear()
    projections.discard()
    tombstones.clear()
  }
  const transactions = createTransactions(db, {
    begun: () => writer.begin(),
    *ending() {
      log.arrivals.note()
      yield* projections.flushInSteps()
      follower.flush()
    },
    committed() {
      contents.committed()
      checkpointer.look()
    },
    rolledBack() {
      log.arrivals.reset()
      writer.rollBack()
      previews.rolledBack()
      forget()
    },
  })
  const previews = new Previews({ db, keys, pricing, tombstones, transactions })
  const closeOpen = transactions.close
  const caches = { closeOpen, forget, forgetEvents }
  const removal = new Removal({ db, pricing, hash, projections, tombstones, sessionEnds, now, ...caches })
  removal.remember(options.tombstones ?? [])

  const onAway = options.onAway ?? (() => undefined)
  const maintained = { db, path, folder, hashKey, hash, pricing, contents, log, projections, follower, sessionEnds }
  const maintenance = new Maintenance({ ...maintained, transactions, checkpointer, now, onAway, forget })
  const ingest = new Ingest({
    limits,
    pricing,
    contents,
    keys,
    names,
    forks: createForks(db, keys, tombstones.has),
    requests,
    unsent: createUnsentPrompts(db, keys, contents.get),
    tombstones,
    transcriptFiles: createTranscriptFiles(db, now),
    transactions,
    writer,
    previews,
    removal,
    unpricedBefore: unpricedModelsIn(db),
    restore: createRestoreEvents({ db, log, contents, tombstones, projections, nextId: () => writer.nextId() }),
    onRestored: () => [keys, places, requests].forEach((cache) => cache.clear()),
    assertInPlace: connection.assertInPlace,
    needsWholeTransactions: () => maintenance.needsWholeTransactions(),
    isDiskBehind: checkpointer.isBehind,
    persist: () => syncWal(db),
  })
  return {
    ingest,
    maintenance,
    removal,
    pendingDeletions: new PendingDeletions({ db, closeOpen }),
    answersInProgress,
    people: createPeople({ db, log, tombstones, now, closeOpen }),
    close() {
      transactions.close()
      checkpointer.stop()
      translated(() => connection.close())
    },
  }
}
