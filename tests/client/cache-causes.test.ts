import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, runClaude, type ClaudeOptions } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import {
  bill,
  CacheSimulator,
  hadItRead,
  type SimulatedBody,
  type SimulatedUsage,
} from '../support/upstream/cache-simulator.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const MODEL = 'claude-sonnet-4-5'
/** USD per million tokens, as published; all models of these stories have the same. */
const RATES = { input: 3, read: 0.3, write5m: 3.75, write1h: 6 }

const tokensOf = ({ input, read, written5m, written1h }: SimulatedUsage) => input + read + written5m + written1h

/** Savings of a request if it had read everything that the previous one left. */
function wasteOf(before: SimulatedUsage | undefined, usage: SimulatedUsage): number {
  const left = before === undefined ? 0 : tokensOf(before) - before.input
  const missed = Math.max(0, Math.min(left, tokensOf(usage)) - usage.read)
  return bill(usage, RATES) - bill(hadItRead(usage, missed), RATES)
}

// The client's own requests, answered by a cache that follows the documentation.
describe.skipIf(lacks(findClaude() !== null))('why Claude Code misses the cache', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let simulator = new CacheSimulator(() => 1024)
  let sent: SimulatedUsage[] = []

  beforeAll(async () => {
    upstream = await startMessagesUpstream((request) => {
      // The client's requests have these fields.
      const body = request.body as unknown as SimulatedBody
      const usage = simulator.send('key', body, request.headers['anthropic-beta']?.split(',') ?? [])
      sent.push(usage)
      return {
        steps: [{ text: 'Understood, and summarized.' }],
        usage: {
          input_tokens: usage.input,
          cache_read_input_tokens: usage.read,
          cache_creation_5m: usage.written5m,
          cache_creation_1h: usage.written1h,
        },
      }
    })
    app = await startApp({ upstream: upstream.url })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })

  /** Runs the client once for each of these in one folder, resumed; returns the misses and their expected cost. */
  async function story(...runs: readonly (Partial<ClaudeOptions> & { readonly rules?: string })[]) {
    using home = makeTempFolder('aspy-client-')
    simulator = new CacheSimulator(() => 1024)
    sent = []
    const cwd = join(home.path, 'orbit')
    mkdirSync(cwd)
    let session = ''
    for (const { rules = 'Answer in one sentence.', args = [], ...options } of runs) {
      writeFileSync(join(cwd, 'CLAUDE.md'), `${rules}\n`)
      const resume = session === '' ? [] : ['--resume', session]
      const model = args.includes('--model') ? [] : ['--model', MODEL]
      const common = { baseUrl: app.proxy, home: home.path, cwd, prompt: 'Name a planet.' }
      const run = await runClaude({ ...common, ...options, args: [...resume, ...model, ...args] })
      expect(run.result?.is_error, run.stderr).toBe(false)
      session = run.result?.session_id ?? ''
    }
    const answers = async () =>
      (
        await app.call<{ items: readonly unknown[] }>('events.list', {
          session_id: session,
          kind: 'api_usage',
          limit: 100,
        })
      ).items.length
    await until('all answers are recorded', async () => (await answers()) >= sent.length)
    const { items } = await app.call<OperationOutput<'cache.list'>>('cache.list', { session_id: session, limit: 100 })
    const waste = sent.slice(1).reduce((sum, usage, at) => sum + wasteOf(sent[at], usage), 0)
    return { misses: items.toReversed().filter(({ cause }) => cause.kind !== 'first_request'), waste }
  }

  test.each([
    { name: 'another model', args: ['--model', 'claude-sonnet-4-6'], kind: 'model_changed', where: /^model$/ },
    {
      name: 'a tool that is gone',
      args: ['--disallowedTools', 'Edit'],
      kind: 'tools_changed',
      where: /^tools\[\d+\]$/,
    },
  ])('$name', async ({ args, kind, where }) => {
    const { misses, waste } = await story({}, { args })
    expect(misses.map(({ cause }) => cause.kind)).toEqual([kind])
    expect(misses[0]?.cause.where).toMatch(where)
    expect(waste).toBeGreaterThan(0.05)
    expect(Math.abs((misses[0]?.waste_usd ?? 0) - waste)).toBeLessThan(1e-9)
  })

  test('a compaction', async () => {
    const { misses } = await story({}, { prompt: '/compact' }, { prompt: 'And another.' })
    expect(misses.map(({ cause }) => cause.kind)).toEqual(['compaction'])
  })

  test('nothing, if a session is resumed with another CLAUDE.md or system prompt: the client keeps the former', async () => {
    const { misses, waste } = await story(
      {},
      { rules: 'Answer in two sentences.' },
      { args: ['--append-system-prompt', 'Be brief.'] },
    )
    expect(misses).toEqual([])
    expect(waste).toBe(0)
  })
})
