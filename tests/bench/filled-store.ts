import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { seeded, sessionFacts } from '../support/store/history.ts'

/** A session with a tenth of the store's events. */
export const LARGE_SESSION = 'large'
/** A fork of it: its lines are sightings of the first third of the large session. */
const FORK = 'large-fork'
const DAYS = 120
/** Events of a turn that `sessionFacts` generates, on average. */
const EVENTS_A_TURN = 9.3

/**
 * Returns a folder with a store of about this many events: sessions of 500 events over 120 days, a large one, and its
 * fork. Filled once and kept in `out/bench`; copy it before you change it.
 */
export function filledStore(events: number): string {
  const kept = join(import.meta.dirname, `../../out/bench/pauses-${events}`)
  if (existsSync(kept)) return kept
  const unfinished = `${kept}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  fill(unfinished, events)
  renameSync(unfinished, kept)
  return kept
}

function fill(dataDir: string, events: number): void {
  const limits = configSchema.parse({}).lifestats
  const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits })
  const ofLarge = Math.round(events / 10)
  const rest = events - ofLarge
  const shape = { seed: 'lag', sessions: Math.max(10, Math.round(rest / 500)), events: rest, days: DAYS }
  for (const drafts of generateHistory({ ...shape, until: Date.now() })) store.ingest.append(drafts)
  for (const drafts of largeSession(Math.round(ofLarge / EVENTS_A_TURN))) store.ingest.append(drafts)
  store.maintenance.checkpoint()
  store.close()
}

function* largeSession(turns: number): Generator<readonly AnyDraft[]> {
  const drafts = sessionFacts(LARGE_SESSION, turns, seeded(9)).flatMap(({ reports }) => reports)
  const copied = drafts
    .slice(0, Math.round(drafts.length / 3))
    .filter(({ source }) => source === 'transcript')
    .map((draft) => ({ ...draft, session_id: FORK }))
  for (const all of [drafts, copied]) for (let at = 0; at < all.length; at += 200) yield all.slice(at, at + 200)
}
