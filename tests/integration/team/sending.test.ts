import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { previewBatches, previewOf } from '../../../src/main/cli/commands/team/preview.ts'
import type { RunSettings } from '../../../src/main/cli/settings-of-run.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { createGlob } from '../../../src/main/pipeline/processors/glob.ts'
import type { Sender } from '../../../src/main/sinks/thread/sender.ts'
import { BatchItems } from '../../../src/main/sinks/team/batch-items.ts'
import { nextBatch } from '../../../src/main/sinks/team/next-batch.ts'
import { TeamSender } from '../../../src/main/sinks/thread/team/team-sender.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createDatabaseFile, type DatabaseFile } from '../../../src/main/store/read/database-file.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { createKeyedIds } from '../../../src/main/team/protocol/keyed-ids.ts'
import { ownTeam } from '../../../src/main/team/device/own-team.ts'
import { createPolicy } from '../../../src/main/team/protocol/team-policy.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { startTeamStub, type TeamStub } from '../../support/team/team-stub.ts'

const runFile = promisify(execFile)
const LIMITS = { store_thinking: true, store_tool_io: true, max_thinking_size: 100_000, max_prompt_size: 1_000_000 }
/** As in the sender: a few changes wait this long, and so many do not. */
const HOLD_MS = 5000
const HOLD_CHANGES = 500

let folder: ReturnType<typeof makeTempFolder>
let store: Store
let file: DatabaseFile
let stub: TeamStub
let sender: Sender
let now: number
/** What is recorded next, in pieces. */
let drafts: AnyDraft[]

beforeEach(async () => {
  folder = makeTempFolder('aspy-team-sending-')
  store = openStore({ dataDir: folder.path, hashKey: loadHashKey(folder.path), limits: LIMITS })
  file = createDatabaseFile(join(folder.path, 'lifestats.db'), createBudget(new Int32Array(1)), createPricing())
  stub = await startTeamStub()
  stub.admit(folder.path)
  now = 1000
  drafts = [...generateHistory({ seed: 'sending', sessions: 3, events: 2600 })].flat()
  sender = new TeamSender({
    dataDir: folder.path,
    settings: { ...configSchema.parse({}).team, url: stub.url, policy: 'full' },
    reader: () => file.reader(),
    now: () => now,
  })
})
afterEach(async () => {
  sender.close()
  file.close()
  store.close()
  await stub[Symbol.asyncDispose]()
  folder.remove()
})

const record = (count: number) => store.ingest.append(drafts.splice(0, count))
const step = (isLast = false) => sender.step(new AbortController().signal, isLast)
/** Takes steps until there is nothing to do at once. Returns the number of batches. */
async function drain(): Promise<number> {
  const before = stub.batches.length
  while ((await step()) === 0);
  return stub.batches.length - before
}
const sent = () => new Set(stub.events().map(({ uuid }) => uuid)).size

test('the preview is what is sent, byte for byte, without a session that is left out', async () => {
  record(2600)
  const team = { ...configSchema.parse({}).team, url: stub.url, policy: 'full' as const }
  const excluded = file
    .reader()
    .all<{ id: string }>('SELECT id FROM recorded_sessions ORDER BY id LIMIT 1')
    .map(({ id }) => id)
  const settings = { ...team, exclude: excluded }
  const run = {
    dataDir: folder.path,
    loaded: { config: { ...configSchema.parse({}), team: settings } },
  } as unknown as RunSettings
  const shown = [...previewBatches(run)].map((batch) => JSON.stringify(batch))
  sender.close()
  sender = new TeamSender({ dataDir: folder.path, settings, reader: () => file.reader(), now: () => now })
  await drain()
  const sentAs = stub.batches.map(({ events, sessions, contents, removed, tombstones }) =>
    JSON.stringify({ events, sessions, contents, removed, tombstones }),
  )
  expect(shown.length).toBeGreaterThan(1)
  expect(shown).toEqual(sentAs)
  // The table counts the same.
  const { projects } = previewOf(run)
  const inTable = (of: 'sessions' | 'events') => projects.reduce((sum, project) => sum + project[of], 0)
  const keys = new Set(stub.events().map(({ session_key }) => session_key))
  expect([inTable('sessions'), inTable('events')]).toEqual([keys.size, sent()])
  expect(keys.size).toBe(2)
})

test('a reader of the preview that leaves early ends it without an error', async () => {
  record(2600)
  const line = 'set -o pipefail; "$0" "$1" team preview --batches --data "$2" | head -c 20'
  const { stdout, stderr } = await runFile('bash', ['-c', line, process.execPath, ASPY_ENTRY, folder.path])
  expect([stdout, stderr]).toEqual(['{"events":[{"level":', ''])
})

test('after a withdrawal, the log is sent again at once, without waiting for a change', async () => {
  record(600)
  await drain()
  const taken = () => stub.batches.at(-1)
  const before = taken()
  await ownTeam(folder.path).client.withdraw(null)
  expect(await drain()).toBe(1)
  expect(taken()).toMatchObject({ after: 0, up_to: before?.up_to, epoch: (before?.epoch ?? 0) + 2 })
})

test('what a live session records in small pieces is sent together, a few seconds later', async () => {
  record(40)
  expect(await drain()).toBe(1)
  for (let piece = 0; piece < 20; piece += 1) {
    record(5)
    now += 200
    expect(await drain()).toBe(0)
  }
  expect(sender.status().waiting).toBeGreaterThanOrEqual(100)
  now += HOLD_MS - 20 * 200 + 199
  expect(await drain()).toBe(0)
  now += 1
  expect(await drain()).toBe(1)
  expect(sent()).toBe(140)
  expect(sender.status().waiting).toBe(0)
  // The next piece starts a wait of its own.
  record(5)
  expect(await drain()).toBe(0)
})

test('many changes, a start with a backlog, and the end of the app wait for nothing', async () => {
  record(1500)
  // The tail of a backlog is sent with it.
  expect(await drain()).toBeGreaterThanOrEqual(1)
  expect(sent()).toBe(1500)
  record(5)
  expect(await drain()).toBe(0)
  record(HOLD_CHANGES)
  expect(await drain()).toBe(1)
  record(5)
  expect(await drain()).toBe(0)
  while ((await step(true)) !== null);
  expect(sent()).toBe(1500 + 5 + HOLD_CHANGES + 5)
})

test('a deletion is sent at once, with what waited', async () => {
  const session = drafts[0]?.session_id ?? ''
  record(40)
  await drain()
  record(5)
  expect(await drain()).toBe(0)
  store.removal.deleteSession(session)
  expect(await drain()).toBe(1)
  expect(stub.batches.at(-1)?.tombstones).toEqual([createKeyedIds(Buffer.alloc(32, 5)).id('session', session)])
})

test('an answer is sent again with the response that the ledger judged it by', () => {
  record(600)
  const ids = createKeyedIds(Buffer.alloc(32, 5))
  const policyOf = createPolicy({ policy: 'full', projects: [], exclude: [] }, createGlob, ids)
  const items = new BatchItems(ids, policyOf)
  const batches = []
  for (let after = 0; ;) {
    const next = nextBatch(file.reader(), after, { items, limit: 1 })
    if (next === null) break
    after = next.upTo
    batches.push(next.content.events)
  }
  const judged = batches.flatMap(([first, ...others]) => (first?.kind === 'model_response' ? [others] : []))
  expect(judged.length).toBeGreaterThan(5)
  for (const others of judged)
    expect(others).toMatchObject([{ kind: 'api_usage', cache: { could_read: expect.any(Number) } }])
})
