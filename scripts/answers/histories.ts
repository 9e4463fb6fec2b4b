import { cpSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { generateHistory } from '../../tests/support/demo/generate-history.ts'
import { createRandom } from '../../src/main/base/fixtures/random.ts'
import { DEMO_HISTORY } from '../../tests/support/demo/demo-history.ts'
import { redactedDraft } from '../../src/main/pipeline/pipeline.ts'
import { createRedactor } from '../../src/main/redaction/create-redactor.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import type { Store } from '../../src/main/store/store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { surfaceHistory } from '../../tests/support/app/surface-history.ts'
import { seeded, sessionFacts } from '../../tests/support/store/history.ts'
import { writeRecordedTranscripts } from '../../tests/support/store/recorded-client.ts'
import { requestDrafts } from '../../tests/support/store/requests.ts'
import { replayRuns, startReplayedUpstream } from './replayed-client.ts'
import { dataIn, HASH_KEY, serve, type ServedApp } from './served-app.ts'

/** Fills a data folder with one history, the same on every day. */
export interface History {
  readonly name: string
  /** The app's clock while answers are recorded: a little later than everything in the history. */
  readonly now: number
  /** Fills a folder that was prepared. */
  fill(root: string): Promise<void>
}

const FIXTURES = join(import.meta.dirname, '../../tests/fixtures')
const HOUR_MS = 3_600_000

/** Later than all fixtures. */
const FIXED_NOW = Date.parse('2026-11-24T12:00:00.000Z')

/** The demo, as `aspy --demo` shows it at the start. */
export const demo: History = {
  name: 'demo',
  now: FIXED_NOW,
  fill(root) {
    const redactor = createRedactor({ hashKey: HASH_KEY, enabled: true })
    const append = named('demo')
    withStore(root, FIXED_NOW, (store) => {
      for (const drafts of generateHistory({ ...DEMO_HISTORY, until: FIXED_NOW }))
        store.ingest.append(append(drafts.map((draft) => redactedDraft(draft, redactor))))
    })
    return Promise.resolve()
  },
}

/**
 * Sessions that tests are built on: facts of three sources, growing requests, and recorded runs of the real clients, replayed
 * through proxy and hooks. Their transcripts are imported afterwards, and a person leaves labels and memories.
 */
export const stories: History = {
  name: 'stories',
  now: FIXED_NOW,
  async fill(root) {
    const append = named('stories')
    withStore(root, FIXED_NOW, (store) => {
      store.ingest.append(append(surfaceHistory()))
      for (const seed of [1, 2, 3])
        for (const { reports } of sessionFacts(`facts-${seed}`, 7, seeded(seed), seed * HOUR_MS))
          store.ingest.append(append(reports))
      for (const draft of requestDrafts(store, 'requests', 8, 0, 'quokka')) store.ingest.append(append([draft]))
    })
    await using upstream = await startReplayedUpstream()
    await using app = await serve({ root, now: 0, upstream: upstream.url })
    await replayRuns(app, upstream)
    await app.setClock(FIXED_NOW)
    const imported = join(root, 'imported')
    writeRecordedTranscripts(imported)
    for (const folder of ['transcripts', 'rollouts'])
      cpSync(join(FIXTURES, folder), join(imported, folder), { recursive: true })
    await importFolder(app, imported)
    await leaveMarks(app)
  },
}

/** The transcripts in a folder. */
export function transcripts(folder: string): History {
  const now = newestTime(folder) + HOUR_MS
  return {
    name: basename(folder),
    now,
    async fill(root) {
      const imported = join(root, 'imported')
      cpSync(folder, imported, { recursive: true })
      await using app = await serve({ root, now })
      await importFolder(app, imported)
    },
  }
}

/** Ends silent sessions and writes episodes, which the app does when it is idle. */
export function settle(root: string, now: number): void {
  withStore(root, now, ({ maintenance }) => {
    // Sessions that the first round ends have episodes after the second.
    for (let round = 0; round < 2; round += 1) {
      maintenance.checkpoint()
      maintenance.episodes().toArray()
    }
  })
}

function withStore(root: string, now: number, work: (store: Store) => void): void {
  const limits = configSchema.parse({}).lifestats
  const store = openStore({ dataDir: dataIn(root), hashKey: HASH_KEY, limits, now: () => now })
  try {
    work(store)
  } finally {
    store.close()
  }
}

/** Returns a function that gives drafts the UUIDs that the store would otherwise draw. */
function named(seed: string): (drafts: readonly AnyDraft[]) => readonly AnyDraft[] {
  const random = createRandom(seed)
  return (drafts) => drafts.map((draft) => ({ ...draft, uuid: draft.uuid ?? random.uuid() }))
}

/** Imports all transcripts below a folder. Their order depends on their times, which are set here. */
async function importFolder(app: ServedApp, folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  for (const [at, file] of files.entries()) utimesSync(join(folder, file), at, at)
  const { status, answer } = await app.call('transcripts.import', { paths: [folder] })
  if (status !== 200) throw new Error(`the import failed: ${JSON.stringify(answer)}`)
}

/** What people make: labels, tags, memories with evidence, saved searches. */
async function leaveMarks(app: ServedApp): Promise<void> {
  const change = async (operation: string, input: object) => {
    const { status, answer } = await app.call(operation, input)
    if (status !== 200) throw new Error(`${operation}: ${JSON.stringify(answer)}`)
  }
  const listed = (await app.call('sessions.list', { sort: 'started', limit: 3 })).answer as Items<'id'>
  const [first, second] = listed.items.map(({ id }) => id)
  await change('sessions.label', { session_id: first, pinned: true, title: 'The first, kept whole' })
  await change('sessions.label', { session_id: second, starred: true, add_tags: ['release', 'to read'] })
  const prompts = (await app.call('events.list', { kind: 'user_prompt', limit: 9 })).answer as Items<'uuid'>
  const [one, other, third] = prompts.items.map(({ uuid }) => uuid)
  await change('memories.add', { uuid: one, fact: 'Sums are rounded once', category: 'decision', confidence: 0.9 })
  await change('memories.add', { uuid: other, confirms: one })
  await change('memories.add', { uuid: third, note: 'Asked twice' })
  await change('searches.save', { name: 'Rounding', address: '?q=basket&range=30d' })
}

interface Items<Field extends string> {
  readonly items: readonly { readonly [name in Field]: string }[]
}

/** Returns the newest time that the lines of transcripts name, in ms. */
function newestTime(folder: string): number {
  let newest = ''
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.jsonl'),
  ))
    for (const [, time = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/"timestamp":"(\d{4}-[^"]+)"/g))
      if (time > newest) newest = time
  if (newest === '') throw new Error(`no transcripts in ${folder}`)
  return Date.parse(newest)
}
