import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { findClaude, runClaude, type ClaudeRun } from '../support/client/claude-client.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

interface Event {
  readonly kind: string
  readonly source: string
  readonly payload: { readonly [key: string]: unknown }
}

// The client runs without Aspy, as it did for the month before the first start.
describe.skipIf(lacks(findClaude() !== null))('transcripts that the real client wrote', () => {
  const { HOME, CLAUDE_CONFIG_DIR } = process.env
  let home: TempFolder
  let upstream: MessagesUpstream
  let app: TestApp
  let run: ClaudeRun

  beforeAll(async () => {
    home = makeTempFolder('aspy-client-')
    upstream = await startMessagesUpstream((_request, n) =>
      n === 0
        ? {
            steps: [
              { thinking: 'A heliotrope would do.' },
              { text: 'I will say it.' },
              {
                tool: 'Bash',
                input: { command: 'cat $HOME/.claude/sessions/*.json', description: 'look' },
                id: 'toolu_look',
              },
            ],
            usage: { input_tokens: 1003, output_tokens: 217, cache_read_input_tokens: 5011, cache_creation_5m: 301 },
          }
        : {
            steps: [{ text: 'I saw it.' }],
            usage: { input_tokens: 13, output_tokens: 29, cache_read_input_tokens: 7001 },
          },
    )
    run = await runClaude({
      baseUrl: upstream.url,
      prompt: 'Look around.',
      home: home.path,
      args: ['--allowedTools', 'Bash(cat:*)'],
    })
    process.env['HOME'] = home.path
    delete process.env['CLAUDE_CONFIG_DIR']
    app = await startApp({ upstream: upstream.url })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    home?.remove()
    Object.assign(process.env, { HOME, ...(CLAUDE_CONFIG_DIR === undefined ? {} : { CLAUDE_CONFIG_DIR }) })
  })

  test('are found and counted, and not changed', async () => {
    expect(run).toMatchObject({ exitCode: 0, result: { is_error: false } })
    const found = await app.call<OperationOutput<'transcripts.find'>>('transcripts.find')
    expect(found).toMatchObject({ files: run.transcripts.length, imported_files: 0, following: false })
    expect(found.bytes).toBeGreaterThan(1000)
    expect((await app.call<{ items: unknown[] }>('events.list')).items).toEqual([])
  })

  test('give prompt, thinking, call, result and answer once; the cost matches the client', async () => {
    for (let time = 0; time < 2; time += 1) {
      await app.run('transcripts.import')
    }
    const { items } = await app.call<{ items: Event[] }>('events.list', { limit: 1000 })
    const texts = (kind: string) => items.filter((event) => event.kind === kind).map(({ payload }) => payload['text'])
    expect(texts('user_prompt')).toEqual(['Look around.'])
    expect(texts('thinking')).toEqual(['A heliotrope would do.'])
    expect(texts('assistant_text').toSorted()).toEqual(['I saw it.', 'I will say it.'])
    expect(items.filter(({ kind }) => kind === 'tool_result')).toHaveLength(1)
    expect(items.filter(({ kind }) => kind === 'unknown')).toEqual([])
    expect(items.every(({ source }) => source === 'transcript')).toBe(true)
    const { total_cost_usd: cost } = await app.call<{ total_cost_usd: number }>('stats.summary')
    expect(Math.abs(cost - (run.result?.total_cost_usd ?? 0))).toBeLessThan(1e-9)
    // Fields of this version are known; what a newer client adds would be counted here.
    const health = () => app.call<OperationOutput<'health.get'>>('health.get')
    await until('health counts them', async () => (await health()).events_written >= items.length)
    expect((await health()).unknown).toEqual({})
  })
})
