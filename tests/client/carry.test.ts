import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { bill, CacheSimulator, type SimulatedBody } from '../support/upstream/cache-simulator.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const MODEL = 'claude-sonnet-4-5'
/** USD per million tokens, as published. */
const RATES = { input: 3, read: 0.3, write5m: 3.75, write1h: 6 }
const CALLS = 5
const LINE = 'The scheduler keeps a queue of jobs and runs each of them when its time has come.\n'

// The only way to know what a file cost: the same work again without it.
describe.skipIf(lacks(findClaude() !== null))('the cost of a file that Claude Code reads', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let simulator = new CacheSimulator(() => 1024)
  let usd = 0
  let calls = 0
  let file = ''

  beforeAll(async () => {
    upstream = await startMessagesUpstream((request, n) => {
      const betas = request.headers['anthropic-beta']?.split(',') ?? []
      // The client's requests have these fields.
      const usage = simulator.send('key', request.body as unknown as SimulatedBody, betas)
      usd += bill(usage, RATES)
      calls += 1
      const reported = {
        usage: {
          input_tokens: usage.input,
          cache_read_input_tokens: usage.read,
          cache_creation_5m: usage.written5m,
          cache_creation_1h: usage.written1h,
        },
      }
      if (n % CALLS === 0) return { steps: [{ tool: 'Read', input: { file_path: file } }], ...reported }
      if (n % CALLS === CALLS - 1) return { steps: [{ text: 'Done.' }], ...reported }
      return { steps: [{ tool: 'Bash', input: { command: `echo ${n % CALLS}`, description: 'count' } }], ...reported }
    })
    app = await startApp({ upstream: upstream.url })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })

  /** Runs the client in a folder with a file of this many lines; returns the bill of its input and the session. */
  async function runWith(lines: number) {
    using home = makeTempFolder('aspy-client-')
    simulator = new CacheSimulator(() => 1024)
    usd = 0
    calls = 0
    file = join(home.path, 'notes.txt')
    writeFileSync(file, LINE.repeat(lines))
    const run = await runClaude({
      baseUrl: app.proxy,
      prompt: 'Read the notes, then count.',
      home: home.path,
      args: ['--model', MODEL],
    })
    expect(run.result?.is_error, run.stderr).toBe(false)
    expect(calls).toBe(CALLS)
    const session = run.result?.session_id ?? ''
    const read = () => app.call<OperationOutput<'carry.session'>>('carry.session', { session_id: session })
    await until('its requests are shared out', async () => (await read()).total.requests >= CALLS)
    return { usd, found: await read() }
  }

  test('is what leaving it out would save', async () => {
    const [short, long] = [await runWith(1), await runWith(450)]
    const saved = long.usd - short.usd
    const [most] = long.found.items.filter(({ kind }) => kind === 'file_read')
    expect(most).toMatchObject({ tool: 'Read', requests: CALLS - 1, ended: false })
    expect(most?.name).toMatch(/notes\.txt$/)
    expect(most?.bytes).toBeGreaterThan(36_000)
    expect(saved).toBeGreaterThan(0.03)
    expect(Math.abs((most?.usd ?? 0) - saved) / saved).toBeLessThan(0.05)
    for (const { usd: paid, found } of [short, long]) {
      expect(Math.abs(found.total.usd - paid)).toBeLessThan(1e-9)
      expect(Math.abs(found.by_kind.reduce((sum, row) => sum + row.usd, 0) - paid)).toBeLessThan(1e-9)
      expect(found.unknown.requests).toBe(0)
    }
  })
})
