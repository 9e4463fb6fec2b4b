import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { restore } from '../../../src/main/cli/commands/backup.ts'
import { restoreBackup } from '../../../src/main/store/restore.ts'
import { ask } from '../../support/app/ask.ts'
import { readableSecretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { LIMITS } from '../../support/store/folder.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

const WORD = 'wombatpromptword7'
let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Take the solarized theme.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

async function record(app: TestApp, session: string, prompt: string): Promise<void> {
  await (await ask(app.proxy, { prompt, session })).text()
  await until('it is recorded', async () => (await app.count({ session_id: session, kind: 'model_response' })) === 1)
}

const backUp = async (app: TestApp, path: string) => (await app.run('store.backup', { path })).at(-1)

const restoreInto = (dataDir: string, backup: string) =>
  restoreBackup({ backup, dataDir, databasePath: join(dataDir, 'lifestats.db'), limits: LIMITS })

test('restoring a backup keeps the newer data as a copy, and deleted sessions stay deleted', async () => {
  using folder = makeTempFolder()
  const dataDir = join(folder.path, 'data')
  const backup = join(folder.path, 'copy.aspy')
  const app = await startApp({ upstream: upstream.url, dataDir })
  let sessions: unknown
  try {
    await record(app, 'deleted', `please ${WORD}`)
    await record(app, 'early', 'an early question')
    sessions = await app.call('sessions.get', { session_id: 'early' })
    expect(await backUp(app, backup)).toMatchObject({ path: backup, done: true, bytes: statSync(backup).size })
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    expect(existsSync(`${backup}.partial`)).toBe(false)
    await expect(backUp(app, backup)).rejects.toMatchObject({ code: 'conflict' })
    await expect(backUp(app, join(folder.path, 'no', 'folder'))).rejects.toMatchObject({ code: 'bad_input' })
    await app.call('sessions.delete', { session_id: 'deleted' })
    await record(app, 'late', 'a late question')
    const loaded = loadConfig({ file: join(dataDir, 'config.toml') })
    await expect(
      restore({ dataDir, loaded } as Parameters<typeof restore>[0], backup, { json: true }),
    ).rejects.toMatchObject({
      code: 'already_running',
    })
    expect(() => restoreInto(dataDir, backup)).toThrow(expect.objectContaining({ code: 'already_running' }))
    expect(await app.count({ session_id: 'late' })).toBeGreaterThan(0)
  } finally {
    await app.close()
  }

  // An app that was killed while it salvaged the file has left this; the restored file is not to be taken for damaged.
  const log = join(dataDir, 'lifestats.db.damaged-log')
  writeFileSync(log, '')
  const restored = restoreInto(dataDir, backup)
  expect(restored).toMatchObject({ left_out: 1, kept: expect.stringContaining('before-restore-') })
  expect([restored.kept ?? '', `${restored.kept}-log`, log].map((file) => existsSync(file))).toEqual([
    true,
    true,
    false,
  ])
  expect(readableSecretsIn(dataDir, [WORD])).toEqual([])
  const again = await startApp({ upstream: upstream.url, dataDir })
  try {
    expect(await again.count()).toBe(restored.events)
    expect(await again.count({ session_id: 'late' })).toBe(0)
    expect(await again.count({ session_id: 'deleted' })).toBe(0)
    expect(await again.call('sessions.get', { session_id: 'early' })).toEqual(sessions)
    // The key came along: the same text is still the same content.
    await record(again, 'next', 'another question')
    await (await ask(again.proxy, { prompt: `please ${WORD}`, session: 'deleted' })).text()
    await until('what comes of a deleted session is left out', async () => {
      const { dropped } = await again.running.health()
      return (dropped['deleted_session'] ?? 0) > 0
    })
    expect(await again.count({ session_id: 'deleted' })).toBe(0)
  } finally {
    await again.close()
  }
})

test('a backup is self-contained: it restores into an empty folder; other files are refused', async () => {
  using folder = makeTempFolder()
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
  const backup = join(folder.path, 'copy.aspy')
  const app = await startApp({ upstream: upstream.url, dataDir: from })
  try {
    await record(app, 's', 'a question')
    await backUp(app, backup)
  } finally {
    await app.close()
  }
  const key = readFileSync(join(from, 'hash.key'))
  rmSync(from, { recursive: true })
  expect(restoreInto(to, backup)).toMatchObject({ left_out: 0, kept: null })
  expect(readFileSync(join(to, 'hash.key'))).toEqual(key)
  const there = await startApp({ upstream: upstream.url, dataDir: to })
  try {
    expect(await there.count({ session_id: 's', kind: 'user_prompt' })).toBe(1)
  } finally {
    await there.close()
  }

  const letter = join(folder.path, 'letter')
  writeFileSync(letter, 'dear reader')
  const before = readFileSync(join(to, 'lifestats.db'))
  expect(() => restoreInto(to, letter)).toThrow(expect.objectContaining({ code: 'bad_input' }))
  expect(() => restoreInto(to, join(folder.path, 'nowhere'))).toThrow(expect.objectContaining({ code: 'not_found' }))
  expect(() => restoreInto(to, join(to, 'lifestats.db'))).toThrow(expect.objectContaining({ code: 'bad_input' }))
  expect(readFileSync(join(to, 'lifestats.db'))).toEqual(before)
})
