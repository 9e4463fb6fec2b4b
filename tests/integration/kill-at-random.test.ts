import { setTimeout as pause } from 'node:timers/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadHashKey } from '../../src/main/recorder/hash-key.ts'
import { createPricing } from '../../src/main/store/pricing.ts'
import { rebuildProjections } from '../../src/main/store/rebuild.ts'
import { ask } from '../support/ask.ts'
import { startAspy } from '../support/aspy-command.ts'
import { runs } from '../support/heavy.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/messages-upstream.ts'
import { contentsOfProjections, withWriter } from '../support/projection-rows.ts'
import { makeTempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

const ROUNDS = runs(5, 200)
/** What was answered so long before the end has to be there. */
const SAFE_MS = 500
const CLIENTS = 3
/** A machine that has no time for a timer has none for a commit either: so much longer for each millisecond of its delay. */
const PER_DELAY = 5
const TICK_MS = 20
const INDEXES = ['prompts_fts', 'thinking_fts', 'responses_fts', 'compactions_fts', 'errors_fts', 'tools_fts']

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

/** Measures how late this machine's timers are, until it is asked for the longest delay. */
function watchDelay(): () => number {
  let longest = 0
  let due = performance.now() + TICK_MS
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - due)
    due = now + TICK_MS
  }, TICK_MS)
  return () => {
    clearInterval(timer)
    return longest
  }
}

interface Round {
  readonly answered: readonly Answered[]
  readonly killedAt: number
  /** What was answered so long before has to be there. */
  readonly safeMs: number
}

/** One app from its start to its sudden end, asked all the while. */
async function round(dataDir: string, name: string): Promise<Round> {
  const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', dataDir]
  const { child, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  const { proxy, app } = JSON.parse(await firstLine) as { readonly proxy: string; readonly app: string }
  await until('it records', async () => {
    const { status } = (await (await fetch(`${app}/healthz`)).json()) as { readonly status: string }
    return status === 'ok'
  })
  const answered: Answered[] = []
  const delay = watchDelay()
  const over = new AbortController()
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      const prompt = `question ${name}-${client}-${n}.`
      try {
        await (await ask(proxy, { prompt, session: `session-${client}` })).text()
        answered.push({ prompt, at: performance.now() })
      } catch {
        // It was killed while it answered: nothing was promised.
        if (!over.signal.aborted) throw new Error('the app ended by itself')
      }
      await pause(20)
    }
  })
  await pause(SAFE_MS + 2500 * Math.random())
  over.abort()
  const killedAt = performance.now()
  child.kill('SIGKILL')
  await finished
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await Promise.all(clients)
  return { answered, killedAt, safeMs: SAFE_MS + PER_DELAY * delay() }
}

test(
  'killed at any moment, what was answered half a second before is there, once, and all tables agree',
  { timeout: ROUNDS * 30_000 },
  async () => {
    using folder = makeTempFolder()
    const safe: string[] = []
    for (let at = 0; at < ROUNDS; at += 1) {
      const { answered, killedAt, safeMs } = await round(folder.path, String(at))
      safe.push(...answered.filter((one) => killedAt - one.at >= safeMs).map(({ prompt }) => prompt))
    }
    expect(safe.length).toBeGreaterThan(0)
    withWriter(join(folder.path, 'lifestats.db'), (db) => {
      const texts = db.prepare<[], string>('SELECT content FROM user_prompts').pluck().all()
      const answers = db.prepare<[], string>('SELECT content FROM assistant_responses').pluck().all()
      const missing = safe.filter((prompt) => !texts.includes(prompt) || !answers.includes(`Answer to ${prompt}`))
      expect(missing).toEqual([])
      expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
      expect(answers.filter((text, at) => answers.indexOf(text) !== at)).toEqual([])
      expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
      for (const index of INDEXES) db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`)
      const followed = contentsOfProjections(db)
      rebuildProjections(db, { pricing: createPricing(), hashKey: loadHashKey(folder.path) })
      expect(followed).toEqual(contentsOfProjections(db))
    })
  },
)
