import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts } from '../../support/store/history.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'

const SUMS = [
  'sessions',
  'turns',
  'rollups',
  'day_rollups',
  'model_totals',
  'tool_rollups',
  'tool_totals',
  'event_counts',
]
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const HOUR_MS = 3_600_000
/** Early enough that no session has ended by its silence. */
const now = () => Date.parse('2026-11-20T10:10:00.000Z')

/** Fractions that no sum of doubles keeps, prompts that turn out to be none, events without a time, a project to redact. */
function spoiled(draft: AnyDraft, random: () => number): AnyDraft {
  const project = draft.session_id === 'secret' ? `/home/dev/${SECRET}` : draft.project
  const changed = { ...draft, project } as AnyDraft
  if (draft.kind === 'tool_result' && draft.source === 'hook') {
    const measured = { duration_ms: 1000 / (1 + Math.floor(random() * 97)), success: random() < 0.8 }
    return { ...changed, ...measured, sighting: measured } as AnyDraft
  }
  if (draft.kind === 'tool_result' && random() < 0.1)
    return { ...changed, payload: { ...draft.payload, tool_name: null } } as AnyDraft
  if (draft.kind === 'user_prompt' && draft.source === 'transcript' && random() < 0.1)
    return { ...changed, sighting: { not_a_prompt: true } } as AnyDraft
  if (draft.source === 'transcript' && draft.session_id === 'undated')
    return { ...changed, sighting: { ...draft.sighting, time_basis: 'file' } } as AnyDraft
  return changed
}

/** Reports of some sessions and of forks of them: late, repeated, missing, and from other sources first. */
function reports(random: () => number): AnyDraft[] {
  const sessions = ['kept', 'undated', 'secret', 'gone', 'large']
  const drafts = sessions.flatMap((session, at) =>
    sessionFacts(session, session === 'large' ? 40 : 9, random, at * HOUR_MS).flatMap((fact) =>
      fact.reports.filter(() => random() < 0.85).map((draft) => spoiled(draft, random)),
    ),
  )
  return drafts
    .flatMap((draft, at) => {
      const place = at + random() * (random() < 0.1 ? 900 : 20)
      const isCopied = draft.source === 'transcript' && random() < 0.4
      const copy = { ...draft, session_id: `fork-of-${draft.session_id}` } as AnyDraft
      return [
        { draft, at: place },
        ...(isCopied ? [{ draft: copy, at: place + random() * 900 }] : []),
        ...(random() < 0.05 ? [{ draft, at: place + random() * 900 }] : []),
      ]
    })
    .sort((a, b) => a.at - b.at)
    .map(({ draft }) => draft)
}

/** Deletes a session, in slices if it is large, while the rest of the history arrives. */
function deleteMeanwhile(store: Store, session: string, next: () => void): void {
  for (const _ of store.removal.deleteInSteps(session)) next()
}

function redact(store: Store): void {
  const past = store.maintenance.pastRedaction(createRedactor({ hashKey: HASH_KEY, enabled: true }))
  past.begin('rules')
  while (['events', 'tables'].includes(past.state()?.phase ?? '')) past.slice(1000)
}

test.each(Array.from({ length: runs(1, 200) }, (_, at) => SEED + at))(
  'sums of any history equal those of a rebuild to the bit (seed %i)',
  { timeout: 120_000 },
  (seed) => {
    const { store, dbPath } = openTestStore({ now })
    const random = seeded(seed)
    const drafts = reports(random)
    const next = (most: number) => {
      const taken = drafts.splice(0, 1 + Math.floor(random() * most))
      if (taken.length > 0) store.ingest.append(taken, undefined, { staysOpen: random() < 0.3 })
    }
    const third = drafts.length / 3
    while (drafts.length > third) next(150)
    const has = (session: string) => store.ingest.sessionsStartingWith(session, 1).includes(session)
    const known = ['gone', 'large', 'fork-of-kept', 'fork-of-secret'].filter(
      (session) => has(session) && random() < 0.7,
    )
    for (const session of known) deleteMeanwhile(store, session, () => next(20))
    while (drafts.length > 0) next(150)
    if (random() < 0.5) redact(store)
    store.close()
    withWriter(dbPath, (db) => {
      const followed = contentsOfProjections(db)
      rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
      const rebuilt = contentsOfProjections(db)
      expect(followed['rollups']?.length).toBeGreaterThan(20)
      for (const table of SUMS) expect(followed[table], table).toEqual(rebuilt[table])
    })
  },
)
