import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NONE } from '../../support/runner/none.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { mayMount } from '../../support/runner/may-mount.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Take the solarized theme.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

async function prompts(app: TestApp): Promise<number> {
  try {
    return await app.count({ kind: 'user_prompt' })
  } catch {
    // Between two files there is none to read.
    return -1
  }
}

async function say(app: TestApp, prompt: string): Promise<void> {
  const answer = await ask(app.proxy, { prompt, session: 's' })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('message_stop')
}

function mountSmallDisk(path: string, size: string): void {
  mkdirSync(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'aspy-test', path])
}

/** Writes until nothing more goes in, whatever the app writes and frees meanwhile. */
function fillDisk(filler: string): void {
  const file = openSync(filler, 'w')
  try {
    for (const block of [Buffer.alloc(65_536), Buffer.alloc(4096)]) {
      while (writeBlock(file, block));
    }
  } finally {
    closeSync(file)
  }
}

function writeBlock(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) > 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}

test.skipIf(!mayMount())(
  'a full disk: answers pass, the state is on screen, and what could not be kept is counted',
  async () => {
    using folder = makeTempFolder()
    const disk = join(folder.path, 'disk')
    mountSmallDisk(disk, '24m')
    try {
      await using app = await startApp({ upstream: upstream.url, dataDir: join(disk, 'data') })
      await say(app, 'before')
      await until('it is recorded', async () => (await prompts(app)) === 1)
      const filler = join(disk, 'filler')
      fillDisk(filler)
      const full = Array.from({ length: 6 }, (_, at) => `during ${at} ${`${at}`.repeat(300_000)}`)
      for (const prompt of full) await say(app, prompt)
      await until('the fault is reported', async () => (await app.running.health()).status === 'degraded')
      await expect.poll(async () => (await app.running.health()).recorder).toBe('spooling')
      await expect.poll(async () => (await app.running.health()).warnings.length).toBeGreaterThan(0)

      rmSync(filler)
      await app.recorderRuns()
      await say(app, 'after')
      await until('what follows is recorded', async () => {
        const { items } = await app.call<{ items: { content: string }[] }>('sessions.history', {
          session_id: 's',
          limit: 100,
        })
        return items.some(({ content }) => content === 'after')
      })
      // Counters are reported once a second.
      const unaccounted = async () => {
        const { dropped } = await app.running.health()
        const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0)
        return full.length + 2 - (await prompts(app)) - lost
      }
      await expect.poll(unaccounted).toBeLessThanOrEqual(0)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  },
)

test('if the database file is deleted, the app creates a new one and loses no later event', async () => {
  using folder = makeTempFolder()
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await say(app, 'before')
  await until('it is recorded', async () => (await prompts(app)) === 1)
  for (const part of ['', '-wal', '-shm']) rmSync(join(folder.path, `lifestats.db${part}`), { force: true })
  await say(app, 'after')
  // Readers may still have the old file open, and between two files there is none to read.
  const said = async () => {
    try {
      const { items } = await app.call<{ items: { content: string }[] }>('sessions.history', { session_id: 's' })
      return items.map(({ content }) => content)
    } catch {
      return []
    }
  }
  await expect.poll(said).toEqual(['after', 'Take the solarized theme.'])
  await expect.poll(() => app.running.health()).toMatchObject({ recorder: 'running', dropped: NONE, spooled: 0 })
})
