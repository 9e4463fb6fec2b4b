import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** An import that an earlier run of the app did not finish. */
const UNFINISHED = { started_at: '2026-11-20T10:00:00.000Z', sessions: 0, events_added: 0, worked_ms: 0 }

test('an app that runs for one command leaves an unfinished import to the next app', async () => {
  using folder = makeTempFolder()
  const note = join(folder.path, 'import.json')
  writeFileSync(note, JSON.stringify(UNFINISHED))
  {
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, isForCommand: true })
    await app.recorderRuns()
    expect(await app.run<{ done: boolean }>('store.rebuild')).toContainEqual(expect.objectContaining({ done: true }))
    expect(await app.call('transcripts.status')).toMatchObject({ state: 'idle' })
  }
  expect(existsSync(note)).toBe(true)
})
