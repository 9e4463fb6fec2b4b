import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { generateHistory } from '../demo/generate-history.ts'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { seeded, sessionFacts } from './history.ts'
import { requestDrafts } from './requests.ts'
import { recordedLiveDrafts } from './recorded-client.ts'

/** The base of all times in the history; before the clock of the machine that writes it. */
export const FIXTURE_CLOCK = Date.parse('2026-11-20T18:00:00.000Z')
/** The start time of `store-history.ts`. */
const FACTS_START = Date.parse('2026-11-20T10:00:00.000Z')
const DAY_MS = 86_400_000

/** Appends half a year of history: generated work, facts from three sources, requests, and recorded runs of the client. */
export function writeHistory(dataDir: string, hashKey: Uint8Array): void {
  writeFileSync(join(dataDir, 'hash.key'), hashKey, { mode: 0o600 })
  const random = createRandom('uuids of the fixture')
  const named = (drafts: readonly AnyDraft[]): AnyDraft[] =>
    drafts.map((draft) => ({ ...draft, uuid: draft.uuid ?? random.uuid() }))
  const limits = configSchema.parse({}).lifestats
  const store = openStore({ dataDir, hashKey, limits, now: () => FIXTURE_CLOCK, appVersion: '0.1.0' })
  try {
    const history = { seed: 'fixture', sessions: 30, events: 7000, days: 170, until: FIXTURE_CLOCK }
    for (const drafts of generateHistory(history)) store.ingest.append(named(drafts))
    for (const [at, daysAgo] of [150, 120, 80, 40, 20, 3].entries()) {
      const before = FIXTURE_CLOCK - daysAgo * DAY_MS - FACTS_START
      const facts = sessionFacts(`facts-${daysAgo}-days`, 7, seeded(at + 1), before)
      for (const { reports } of facts) store.ingest.append(named(reports))
      for (const draft of requestDrafts(store, `requests-${daysAgo}`, 8, before, 'quokka')) store.ingest.append([draft])
    }
    for (const drafts of recordedLiveDrafts()) for (const draft of drafts) store.ingest.append(named([draft]))
    store.maintenance.checkpoint()
  } finally {
    store.close()
  }
}
