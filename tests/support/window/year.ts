import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateHistory } from '../demo/generate-history.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { configSchema } from '../../../src/shared/config.ts'

/** The size of a generated year. */
export interface Year {
  readonly sessions: number
  readonly events: number
  /** Events in its longest session, included in `events`. */
  readonly longest: number
}

const DAY_MS = 86_400_000
const PARTS = 20
const BATCH = 500

/**
 * Fills a data folder with a generated year that ends now, in parts. Stops after `forMs`; the next call continues.
 * Returns true when the year is complete.
 */
export function fillYear(dataDir: string, year: Year, forMs = Number.POSITIVE_INFINITY): boolean {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const note = join(dataDir, 'year.json')
  const state = existsSync(note)
    ? (JSON.parse(readFileSync(note, 'utf8')) as { until: number; done: number })
    : { until: Date.now() - 600_000, done: 0 }
  const deadline = performance.now() + forMs
  const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits: configSchema.parse({}).lifestats })
  try {
    for (; state.done < PARTS && performance.now() < deadline; state.done += 1) {
      for (const drafts of partOf(year, state.done, state.until)) store.ingest.append(drafts)
      writeFileSync(note, JSON.stringify({ ...state, done: state.done + 1 }))
    }
    store.maintenance.checkpoint()
  } finally {
    store.close()
  }
  return state.done >= PARTS
}

/** Each part covers a stretch of the year; the last part is the longest session alone. */
function* partOf({ sessions, events, longest }: Year, part: number, until: number) {
  const stretches = PARTS - 1
  const isLast = part === stretches
  const days = isLast ? 2 : Math.floor(365 / stretches)
  const history = generateHistory({
    seed: `year ${part}`,
    sessions: isLast ? 1 : share(sessions - 1, stretches, part),
    events: isLast ? longest : share(events - longest, stretches, part),
    days,
    until: isLast ? until : until - (stretches - 1 - part) * days * DAY_MS,
  })
  let batch = []
  for (const drafts of history) {
    batch.push(...drafts)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

/** Returns one part of an integer; all parts add up to it. */
const share = (whole: number, parts: number, part: number): number =>
  Math.floor((whole * (part + 1)) / parts) - Math.floor((whole * part) / parts)
