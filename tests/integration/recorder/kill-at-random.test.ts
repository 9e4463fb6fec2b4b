import { setTimeout as pause } from 'node:timers/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
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

const ROUNDS = runs(5, 200)
/** What was answered so long before the end has to be there. */
const SAFE_MS = 500
const CLIENTS = 3
const POLL_MS = 50

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

/** Looks into the database as any reader may, and remembers which answers it saw, and how late. */
function watchRecorded(databasePath: string, answered: readonly Answered[]) {
  const db = new Database(databasePath, { readonly: true, timeout: 5000 })
  const newest = db.prepare<[number], { id: number; content: string }>(
    'SELECT id, content FROM assistant_responses WHERE id > ?',
  )
  const seen = new Set<string>()
  const known = new Set<string>()
  let after = Number(db.prepare('SELECT coalesce(max(id), 0) FROM assistant_responses').pluck().get())
  let longest = 0
  const look = () => {
    for (const { id, content } of newest.all(after)) {
      after = Math.max(after, id)
      seen.add(content.replace('Answer to ', ''))
    }
    const now = performance.now()
    // Those that are seen for the first time, and those that still are not.
    for (const { prompt, at } of answered) if (!known.has(prompt)) longest = Math.max(longest, now - at)
    for (const prompt of seen) known.add(prompt)
  }
  const timer = setInterval(look, POLL_MS)
  return {
    seen,
    /** How long an answer was seen to wait at most. */
    stop(): number {
      clearInterval(timer)
      look()
      db.close()
      return longest
    },
  }
}

/** One app from its start to its sudden end, asked all the while. Gives the prompts whose answers have to be there. */
async function round(dataDir: string, name: string): Promise<readonly string[]> {
  const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', dataDir]
  const { child, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  const { proxy, app } = JSON.parse(await firstLine) as { readonly proxy: string; readonly app: string }
  await until('it records', async () => {
    const { status } = (await (await fetch(`${app}/healthz`)).json()) as { readonly status: string }
    return status === 'ok'
  })
  const answered: Answered[] = []
  const recorded = watchRecorded(join(dataDir, 'lifestats.db'), answered)
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
  await until('something is recorded', () => Promise.resolve(recorded.seen.size > CLIENTS), 60_000)
  await pause(SAFE_MS + 1500 * Math.random())
  over.abort()
  const killedAt = performance.now()
  const lagged = recorded.stop()
  child.kill('SIGKILL')
  await finished
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await Promise.all(clients)
  // On a machine that has no time for the recorder, it may come as late as it was seen to come, and later.
  const safeMs = Math.max(SAFE_MS, 3 * lagged)
  const safe = answered.filter(({ at }) => killedAt - at >= safeMs).map(({ prompt }) => prompt)
  return [...new Set([...recorded.seen, ...safe])]
}

test(
  'killed at any moment, what was answered half a second before is there, once, and all tables agree',
  { timeout: ROUNDS * 60_000 },
  async () => {
    using folder = makeTempFolder()
    const safe: string[] = []
    for (let at = 0; at < ROUNDS; at += 1) {
      safe.push(...(await round(folder.path, String(at))))
    }
    expect(safe.length).toBeGreaterThan(ROUNDS)
    withWriter(join(folder.path, 'lifestats.db'), (db) => {
      const texts = db.prepare<[], string>('SELECT content FROM user_prompts').pluck().all()
      const answers = db.prepare<[], string>('SELECT content FROM assistant_responses').pluck().all()
      const missing = safe.filter((prompt) => !texts.includes(prompt) || !answers.includes(`Answer to ${prompt}`))
      expect(missing).toEqual([])
      expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
      expect(answers.filter((text, at) => answers.indexOf(text) !== at)).toEqual([])
      expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
      checkTextIndexes(db)
      const followed = contentsOfProjections(db)
      rebuildProjections(db, { pricing: createPricing(), hashKey: loadHashKey(folder.path) })
      expect(followed).toEqual(contentsOfProjections(db))
    })
  },
)
