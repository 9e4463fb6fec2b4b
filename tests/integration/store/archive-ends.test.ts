import fs, { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../../src/main/store/store.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { unpackFrames } from '../../support/store/byte-scan.ts'
import { contentsOfDatabase, openTestStore, readStore } from '../../support/store/folder.ts'
import { promptFact, resultFact, timeAt } from '../../support/store/history.ts'

const DAY = 86_400_000
const START = Date.parse(timeAt(0))
const MOVE = { retention_days: 90, archive_days: 0, delete_days: 0 }
const REMOVE = { retention_days: 0, archive_days: 365, delete_days: 0 }
const WORDS = 'wallaby output of long ago'

/** Stores a prompt and a tool's result of one day. */
function record(store: Store, session: string, atMs = 0): void {
  const facts = [
    promptFact(session, `p-${session}`, 'show it', atMs),
    resultFact(session, `c-${session}`, `${WORDS} `.repeat(100), atMs + 1000),
  ]
  store.ingest.append(facts.flatMap(({ reports }) => reports))
}

function run(store: Store, rules: typeof MOVE) {
  const steps = store.maintenance.archive(rules)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const filesIn = (folder: string): string[] =>
  existsSync(join(folder, 'archive')) ? readdirSync(join(folder, 'archive')) : []

describe('an archive is removed a year after the last addition', () => {
  const archivedAt = START + 120 * DAY

  test('the default setting is one year', () => {
    expect(configSchema.parse({}).lifestats.archive_days).toBe(365)
  })

  test.each([
    ['it stays a millisecond before the year is over', 365 * DAY - 1, 0],
    ['it stays at exactly one year', 365 * DAY, 0],
    ['it is removed a millisecond later', 365 * DAY + 1, 1],
  ])('%s', (_, afterMs, removed) => {
    const { store, folder } = openTestStore({ now: () => archivedAt })
    record(store, 'old')
    expect(run(store, MOVE)).toMatchObject({ events: 1 })
    store.close()
    const { store: later } = openTestStore({ now: () => archivedAt + afterMs, dataDir: folder })
    expect(run(later, REMOVE)).toMatchObject({ archives_removed: removed })
    expect(filesIn(folder)).toHaveLength(1 - removed)
  })

  test('a later addition to the same month restarts the year', () => {
    let now = archivedAt
    const { store, folder } = openTestStore({ now: () => now })
    record(store, 'old')
    run(store, MOVE)
    const [file] = filesIn(folder)
    now += 200 * DAY
    record(store, 'found-later', DAY)
    expect(run(store, MOVE)).toMatchObject({ events: 1 })
    expect(filesIn(folder)).toEqual([file])
    now = archivedAt + 365 * DAY + 1
    expect(run(store, REMOVE)).toMatchObject({ archives_removed: 0 })
    expect(filesIn(folder)).toEqual([file])
    now = archivedAt + 565 * DAY + 1
    expect(run(store, REMOVE)).toMatchObject({ archives_removed: 1 })
    expect(filesIn(folder)).toEqual([])
  })
})

/** Changes that archiving makes in the database. */
function logOf(store: Store, dbPath: string) {
  store.maintenance.checkpoint()
  const { events, sighting_rows, contents, archived_events, archive_frames, tool_results } = contentsOfDatabase(dbPath)
  return { events, sighting_rows, contents, archived_events, archive_frames, tool_results }
}

describe('the log drops only what the archive contains', () => {
  const spoil: { readonly [how: string]: (path: string, bytes: Buffer) => void } = {
    'a flipped bit': (path, bytes) => {
      const at = bytes.length >> 1
      writeFileSync(path, bytes.with(at, (bytes[at] ?? 0) ^ 1))
    },
    'a missing last byte': (path, bytes) => truncateSync(path, bytes.length - 1),
  }

  test.each(Object.entries(spoil))(
    '%s: the run fails, the log is unchanged, and the next run moves the data',
    (_, damage) => {
      const { store, folder, dbPath } = openTestStore({ now: () => START + 120 * DAY })
      record(store, 'old')
      const log = () => logOf(store, dbPath)
      const before = log()
      const steps = store.maintenance.archive(MOVE)
      // Until the frame is written and being synced.
      for (let step = steps.next(); step.value.until === undefined; step = steps.next()) expect(step.done).toBe(false)
      const [file = ''] = filesIn(folder)
      const path = join(folder, 'archive', file)
      const written = readFileSync(path)
      expect(unpackFrames(written).toString()).toContain(WORDS)
      damage(path, written)
      expect(() => {
        while (!steps.next().done);
      }).toThrow(/archive/)
      expect(log()).toEqual(before)

      expect(run(store, MOVE)).toMatchObject({ events: 1 })
      expect(unpackFrames(readFileSync(path)).toString()).toContain(WORDS)
      expect(readStore(dbPath, (db) => db.prepare('SELECT count(*) FROM archived_events').pluck().get())).toBe(1)
    },
  )

  test('a disk that cannot sync: the run fails, the log is unchanged, and the next run moves the data', () => {
    const { store, dbPath } = openTestStore({ now: () => START + 120 * DAY })
    record(store, 'old')
    const before = logOf(store, dbPath)
    const { fsyncSync } = fs
    fs.fsyncSync = () => {
      throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
    }
    syncBuiltinESMExports()
    try {
      expect(() => run(store, MOVE)).toThrow('EIO')
    } finally {
      fs.fsyncSync = fsyncSync
      syncBuiltinESMExports()
    }
    expect(logOf(store, dbPath)).toEqual(before)
    expect(run(store, MOVE)).toMatchObject({ events: 1 })
  })
})
