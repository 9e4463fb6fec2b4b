import { describe, expect, test } from 'vitest'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { startApp } from '../support/app/start-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const AGENTS = 50
const agent = (at: number) => ({
  tool: 'Agent',
  input: { description: `part ${at}`, prompt: `Look at part ${at}`, subagent_type: 'general-purpose' },
})

describe.skipIf(lacks(findClaude() !== null))('the guard and the real client', () => {
  test('a fan-out of agents stops at the cap, and the client ends without a storm', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream((request, n) =>
      request.agentId === null && n === 0
        ? { steps: Array.from({ length: AGENTS }, (_, at) => agent(at)), usage: { output_tokens: 1000 } }
        : { steps: [{ text: 'done' }], usage: { output_tokens: 100 } },
    )
    await using app = await startApp({
      upstream: upstream.url,
      // With strict, each request reserves its max_tokens: 32,000 and its input.
      settings: {
        'guard.session_tokens': 200_000,
        'guard.strict': true,
        'guard.action': 'refuse',
        'guard.decide_ms': 10_000,
      },
    })
    const run = await runClaude({
      baseUrl: app.proxy,
      prompt: 'Look at everything',
      home: home.path,
      env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '32000' },
    })
    const { counts } = await app.call<{ counts: Readonly<Record<string, number>> }>('guard.get')
    // The client itself starts 20 of them. Five requests of 32,000 and more fit, with the main agent's own.
    expect(upstream.requests.filter(({ agentId }) => agentId !== null).length).toBeLessThanOrEqual(6)
    expect(counts).toMatchObject({ unpriced: 0, held: 0 })
    // One request of each refused agent, and none is repeated.
    expect(counts['refused']).toBeGreaterThanOrEqual(14)
    expect(counts['refused']).toBeLessThanOrEqual(21)
    expect(run.result?.num_turns).toBeLessThanOrEqual(4 + AGENTS)
  })

  test('a refused prompt is one request, and its reason is shown', async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'done' }] }))
    await using app = await startApp({
      upstream: upstream.url,
      settings: { 'guard.request_tokens': 10, 'guard.action': 'refuse', 'guard.decide_ms': 10_000 },
    })
    const run = await runClaude({ baseUrl: app.proxy, prompt: 'A question', home: home.path })
    expect(run.exitCode).toBe(1)
    expect(run.result).toMatchObject({ is_error: true, result: expect.stringContaining("Aspy's guard stopped") })
    expect(upstream.count('messages')).toBe(0)
  })
})
