import type { Reader } from '../../store/read/reader.ts'
import { lastGivenId, logName, newestBefore } from '../../store/read/outbox.ts'
import { readPlace, writePlace } from '../cursor-file.ts'
import type { Place, SinkName } from '../cursor-file.ts'

/** Where a sink is in the log, kept on disk from step to step. */
export interface KeptPlace {
  /** For the log as it is now: one that was begun anew is read from its start, but what is older than `since` is left out. */
  of(reader: Reader): Place
  /** Takes the next place; `isSafe`: it must be on disk before anything follows from it. */
  move(next: Partial<Place>, isSafe?: boolean): void
  drop(reason: string, count: number): void
  dropped(): { readonly [reason: string]: number }
  /** Why it could not be written: after an end, the same is delivered again. */
  save(): void
}

/** A place that only moved over what is not wanted is written this often. */
const SAVE_EVERY_MS = 5000

/** `since`: where a sink begins that has no place yet. */
export function createKeptPlace(dataDir: string, sink: SinkName, since: string): KeptPlace {
  let place = readPlace(dataDir, sink)
  let savedAt = -Infinity
  let isSaved = true

  function save(): void {
    if (isSaved || place === null) return
    writePlace(dataDir, sink, place)
    isSaved = true
    savedAt = performance.now()
  }

  function take(next: Place): Place {
    place = next
    isSaved = false
    return next
  }

  return {
    of(reader) {
      const log = logName(reader)
      if (place === null) {
        const begun = { log, id: newestBefore(reader, since), since, dropped: {}, pending: null, turns: [] }
        take(begun)
        save()
        return begun
      }
      if (place.log === log) {
        const last = lastGivenId(reader)
        // A backup was put back: positions after its own are given again.
        return place.id <= last ? place : take({ ...place, id: last, pending: null, turns: [] })
      }
      // Another log, or the first one at all: what was pending of the other cannot be found any more.
      return take({ ...place, log, id: 0, pending: null, turns: [] })
    },
    move(next, isSafe = false) {
      if (place === null) return
      take({ ...place, ...next })
      if (isSafe || performance.now() - savedAt > SAVE_EVERY_MS) save()
    },
    drop(reason, count) {
      if (place === null || count <= 0) return
      take({ ...place, dropped: { ...place.dropped, [reason]: (place.dropped[reason] ?? 0) + count } })
    },
    dropped: () => place?.dropped ?? {},
    save,
  }
}
