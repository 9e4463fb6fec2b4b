import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { ImportProgress } from '../protocol.ts'
import { ImportRun } from './import-run.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'aspy-import-run-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const note = () => join(dataDir, 'import.json')

function progressOf(sessions: number, done = false): ImportProgress {
  const counts = { files_unchanged: 0, bytes: 100, lines: 0, sightings_added: 0, events_deleted: 0, lines_bad: 0 }
  const preview = {
    previewing: false,
    bytes_previewed: 0,
    search_covers_since: null,
    files_passed_over: 0,
    files_deleted: 0,
    passed_over: [],
  }
  const file = done ? null : `p/${sessions}.jsonl`
  return {
    ...counts,
    ...preview,
    files: 3,
    files_done: sessions,
    sessions,
    file,
    bytes_done: 30,
    events_added: 10 * sessions,
    done,
  }
}

/** An importer whose messages the test decides. */
function createRun() {
  const queue: (ImportProgress | Error)[] = []
  let wake = () => undefined as void
  let imports = 0
  let follows = 0
  const run = new ImportRun({
    dataDir,
    logger: { warn: (error: unknown) => expect.fail(JSON.stringify(error)) },
    importer: {
      follow: () => void (follows += 1),
      async *import(paths, signal) {
        expect(paths).toBeNull()
        imports += 1
        for (;;) {
          const next = queue.shift()
          if (signal?.aborted === true) throw new AspyError('cancelled', 'stopped')
          if (next instanceof Error) throw next
          if (next?.done === true) return yield next
          if (next !== undefined) yield next
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      },
    },
  })
  const report = async (message: ImportProgress | Error) => {
    queue.push(message)
    wake()
    await pause(0)
  }
  return { run, report, imports: () => imports, follows: () => follows }
}

test('it runs once however often it is started, and says how it ended', async () => {
  const { run, report, imports } = createRun()
  expect(run.status()).toMatchObject({ state: 'idle', progress: null })
  expect([run.start().state, run.start().state]).toEqual(['running', 'running'])
  await report(progressOf(1))
  expect(run.status()).toMatchObject({ state: 'running', sessions: 1, progress: { file: 'p/1.jsonl' } })
  await report(progressOf(3, true))
  expect(run.status()).toMatchObject({ state: 'done', sessions: 3, events_added: 30, error: null })
  expect(imports()).toBe(1)
  expect(existsSync(note())).toBe(false)
})

test('an app that starts again continues it, with what was counted before', async () => {
  const before = createRun()
  before.run.start()
  await before.report(progressOf(2))
  // The app stops, and the importer with it.
  await before.report(new AspyError('cancelled', 'Aspy is being stopped'))
  expect(JSON.parse(readFileSync(note(), 'utf8'))).toMatchObject({ sessions: 2, events_added: 20 })
  writeFileSync(note(), JSON.stringify({ started_at: 'then', sessions: 2, events_added: 20, worked_ms: 5000 }))

  const { run, report, imports } = createRun()
  run.resume(false)
  run.resume(false)
  expect(run.status()).toMatchObject({ state: 'running', started_at: 'then', events_added: 20 })
  await report(progressOf(1, true))
  expect(run.status()).toMatchObject({ state: 'done', sessions: 3, events_added: 30 })
  expect(run.status().worked_ms).toBeGreaterThanOrEqual(5000)
  run.resume(false)
  expect(imports()).toBe(1)
})

test('folders are followed only if there may be any', () => {
  const { run, follows } = createRun()
  run.resume(false)
  expect(follows()).toBe(0)
  run.resume(true)
  expect(follows()).toBe(1)
})

test('one that a person stopped, or that failed, is not continued', async () => {
  const { run, report, imports } = createRun()
  run.start()
  await report(progressOf(1))
  expect(run.stop()).toMatchObject({ state: 'stopped', sessions: 1 })
  run.resume(false)
  expect(imports()).toBe(1)
  run.start()
  await report(new AspyError('internal', 'the importer ended: import again'))
  expect(run.status()).toMatchObject({ state: 'failed', error: 'the importer ended: import again' })
  run.resume(false)
  expect([imports(), run.status().state, existsSync(note())]).toEqual([2, 'failed', false])
})
