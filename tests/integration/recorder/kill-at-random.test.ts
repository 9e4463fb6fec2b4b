import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { ask } from '../../support/app/ask.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { runs } from '../../support/runner/heavy.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { checkTextIndexes, contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

const ROUNDS = runs(2, 200)
const REST_ROUNDS = runs(1, 100)
const LOADED_ROUNDS = runs(1, 40)
/** Busy processes alongside the app. */
const LOAD = runs(4, 20)
/** The time of asking before a kill, beyond which it is random. */
const SOME_MS = 500
const CLIENTS = 3
/** At rest, an answer is recorded within this time, on a machine that gives a thread the processor when it wants it. */
const RECORDED_WITHIN_MS = 500
/** Processor time for which the share that this process gets is measured. */
const PROBE_MS = 40

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream((request) => ({
    steps: [{ thinking: `On ${lastUserText(request.body)}` }, { text: `Answer to ${lastUserText(request.body)}` }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

interface Answered {
  readonly prompt: string
  readonly at: number
}

/** Keeps the processors busy until it is disposed of. */
function makeBusy(count: number): Disposable {
  const spinners = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  return {
    [Symbol.dispose]() {
      for (const spinner of spinners) spinner.kill('SIGKILL')
    },
  }
}

/** Returns how many times longer work takes than the processor time it uses: 1 on a machine that nobody else uses. */
function slowdown(): number {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  let usedMs = 0
  while (usedMs < PROBE_MS) {
    const { user, system } = process.cpuUsage(before)
    usedMs = (user + system) / 1000
  }
  return Math.max(1, (performance.now() - startedAt) / usedMs)
}

/** Returns the largest slowdown within a time: what happens at its end says nothing of an answer before. */
async function slowestWithin(ms: number): Promise<number> {
  let slowest = 1
  for (const end = performance.now() + ms; performance.now() < end; await pause(PROBE_MS))
    slowest = Math.max(slowest, slowdown())
  return slowest
}

/** Asks Health for the age of the oldest answer that is not recorded. Gives the time before which all must be. */
async function allRecordedBefore(app: string, token: string): Promise<number> {
  const askedAt = performance.now()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${app}/api/health.get`, { method: 'POST', headers, body: '{}' })
  const { recorder_lag_ms } = (await response.json()) as { readonly recorder_lag_ms: number }
  expect(recorder_lag_ms).toBeGreaterThanOrEqual(0)
  // Health rounds to a millisecond.
  return askedAt - recorder_lag_ms - 1
}

/**
 * Load on an app until it is killed: without pause; without pause, until all is recorded; or by one client, who pauses.
 */
type Manner = 'busy' | 'quiet' | 'rest'

/** One app from its start to its sudden end. Returns the prompts whose answers must be there. */
async function round(dataDir: string, name: string, manner: Manner): Promise<readonly string[]> {
  const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', dataDir]
  const { signal, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  const { proxy, app } = JSON.parse(await firstLine) as { readonly proxy: string; readonly app: string }
  await until('it records', async () => {
    const { status } = (await (await fetch(`${app}/healthz`)).json()) as { readonly status: string }
    return status === 'ok'
  })
  const answered: Answered[] = []
  const token = readFileSync(join(dataDir, 'token'), 'utf8').trim()
  const over = new AbortController()
  const isAtRest = manner === 'rest'
  const clients = Array.from({ length: isAtRest ? 1 : CLIENTS }, async (_, client) => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      const prompt = `question ${name}-${client}-${n}.`
      try {
        await (await ask(proxy, { prompt, session: `session-${client}` })).text()
        answered.push({ prompt, at: performance.now() })
      } catch {
        // It was killed while it answered: nothing was promised.
        if (!over.signal.aborted) throw new Error('the app ended by itself')
      }
      await pause(isAtRest ? 100 + 300 * Math.random() : 20)
    }
  })
  await until(
    'Health shows two answers recorded',
    async () => {
      const before = await allRecordedBefore(app, token)
      return answered.filter(({ at }) => at <= before).length > 1
    },
    60_000,
  )
  const untilKilled = SOME_MS + 1500 * Math.random()
  const slowest = isAtRest ? await slowestWithin(untilKilled) : await pause(untilKilled, 1)
  // Every answer of a quiet moment is recorded soon, and Health says so.
  let safeBefore = await allRecordedBefore(app, token)
  if (manner === 'quiet') {
    over.abort()
    await Promise.all(clients)
    const endedAt = performance.now()
    await until('Health shows that nothing waits', async () => {
      safeBefore = await allRecordedBefore(app, token)
      return safeBefore >= endedAt
    })
  }
  // What Health showed is promised in any case.
  if (isAtRest) safeBefore = Math.max(safeBefore, performance.now() - RECORDED_WITHIN_MS * slowest)
  over.abort()
  signal('SIGKILL')
  await finished
  await Promise.all(clients)
  return answered.filter(({ at }) => at <= safeBefore).map(({ prompt }) => prompt)
}

/** Compares the database with what has to be in it. */
function check(dataDir: string, safe: readonly string[]): void {
  withWriter(join(dataDir, 'lifestats.db'), (db) => {
    const texts = db.prepare<[], string>('SELECT content FROM user_prompts').pluck().all()
    const answers = db.prepare<[], string>('SELECT content FROM assistant_responses').pluck().all()
    const missing = safe.filter((prompt) => !texts.includes(prompt) || !answers.includes(`Answer to ${prompt}`))
    expect(missing).toEqual([])
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
    expect(answers.filter((text, at) => answers.indexOf(text) !== at)).toEqual([])
    expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    checkTextIndexes(db)
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: loadHashKey(dataDir) })
    expect(followed).toEqual(contentsOfProjections(db))
  })
}

test(
  'killed at any moment, every answer older than the lag that Health showed is there, once, and all tables agree',
  { timeout: ROUNDS * 60_000 },
  async () => {
    using folder = makeTempFolder()
    const safe: string[] = []
    for (let at = 0; at < ROUNDS; at += 1)
      safe.push(...(await round(folder.path, String(at), at % 4 === 3 ? 'quiet' : 'busy')))
    expect(safe.length).toBeGreaterThan(ROUNDS)
    check(folder.path, safe)
  },
)

test('killed at rest, every answer older than 500 ms is there', { timeout: REST_ROUNDS * 60_000 }, async () => {
  using folder = makeTempFolder()
  const safe: string[] = []
  for (let at = 0; at < REST_ROUNDS; at += 1) safe.push(...(await round(folder.path, `rest-${at}`, 'rest')))
  expect(safe.length).toBeGreaterThan(REST_ROUNDS)
  check(folder.path, safe)
})

test(
  'killed while many processes compete for the processors, it loses no more than Health showed',
  { timeout: LOADED_ROUNDS * 120_000 },
  async () => {
    using folder = makeTempFolder()
    const safe: string[] = []
    for (let at = 0; at < LOADED_ROUNDS; at += 1) {
      using _busy = makeBusy(LOAD)
      safe.push(...(await round(folder.path, `loaded-${at}`, 'busy')))
    }
    expect(safe.length).toBeGreaterThan(LOADED_ROUNDS)
    check(folder.path, safe)
  },
)
