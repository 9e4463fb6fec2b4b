import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findCodex, runCodex, type CodexOptions } from '../support/client/codex-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import {
  call,
  compaction,
  lastUserText,
  message,
  reasoning,
  startResponsesUpstream,
  type ResponsesAnswer,
  type ResponsesUpstream,
  type SeenCall,
} from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few } from '../support/runner/heavy.ts'

const LONG = { input_tokens: 200_000, output_tokens: 500, total_tokens: 200_500 }

describe.skipIf(lacks(findCodex() !== null)).each(few(['permessage-deflate', 'refuse'] as const, 1))(
  'stories of the real Codex with WebSockets: %s',
  (websocket) => {
    let upstream: ResponsesUpstream
    let app: TestApp
    let script: (call: SeenCall, n: number) => ResponsesAnswer = () => ({})
    let served = 0
    beforeAll(async () => {
      upstream = await startResponsesUpstream((seen) => script(seen, served++), { websocket })
      const upstreams = { openai: upstream.url, chatgpt: upstream.url }
      app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'proxy.upstreams': upstreams } })
    })
    afterAll(async () => {
      await app?.close()
      await upstream?.close()
    })

    const run = async (options: Omit<CodexOptions, 'baseUrl'>) => {
      served = 0
      const done = await runCodex({ baseUrl: `${app.proxy}/openai/v1`, ...options })
      await settled(app)
      const thread = String(done.lines.find(({ type }) => type === 'thread.started')?.['thread_id'])
      const events = await recordedEvents(app, `session_id = 'codex-${thread}'`)
      const of = (kind: string): RecordedEvent[] => events.filter((event) => event.kind === kind)
      return { ...done, thread, events, of }
    }

    test('what a compaction dropped is what was said before it; the prompt is not there twice', async () => {
      using home = makeTempFolder('aspy-codex-')
      script = ({ body }) => {
        const last = body?.input?.at(-1)
        if (last?.['type'] === 'compaction_trigger') return { output: [compaction()] }
        if (body?.input?.some(({ type }) => type === 'compaction'))
          return { output: [message('Compacted, and going on.')] }
        const said = [reasoning('The cobalt theme hides warnings.'), message('Cobalt hides warnings.')]
        return { output: [...said, call('exec_command', { cmd: 'echo cobalt' })], usage: LONG }
      }
      const settings = { model_auto_compact_token_limit: 100_000 }
      const { exitCode, of, thread } = await run({ prompt: 'Is cobalt a good theme?', home: home.path, settings })
      expect(exitCode).toBe(0)
      expect(of('compaction').map(({ payload }) => [payload['summary'], payload['withheld']])).toEqual([['', true]])
      expect(of('user_prompt').map(({ payload }) => payload['text'])).toEqual(['Is cobalt a good theme?'])
      expect(of('assistant_text').map(({ payload }) => payload['text'])).toEqual([
        'Cobalt hides warnings.',
        'Compacted, and going on.',
      ])
      const { items } = await app.call<{ items: { content: string }[] }>('compactions.dropped', {
        session_id: `codex-${thread}`,
      })
      expect(items.map(({ content }) => content).toSorted()).toEqual([
        'Cobalt hides warnings.',
        'Is cobalt a good theme?',
        'The cobalt theme hides warnings.',
      ])
    })

    test('an error and the retry after it are both recorded, and the prompt once', async () => {
      using home = makeTempFolder('aspy-codex-')
      script = (_, n) =>
        n === 0
          ? { status: 500, error: { type: 'server_error', code: 'server_error', message: 'Try again.' } }
          : { output: [message('Second time.')] }
      const { exitCode, of } = await run({ prompt: 'Again, please', home: home.path })
      expect(exitCode).toBe(0)
      expect(of('error').map(({ payload }) => payload['message'])).toContain('Try again.')
      expect(of('user_prompt').map(({ payload }) => payload['text'])).toEqual(['Again, please'])
      expect(of('assistant_text').map(({ payload }) => payload['text'])).toEqual(['Second time.'])
    })

    test('a prompt that the guard refuses ends at once with its reason, and nothing is sent', async () => {
      using home = makeTempFolder('aspy-codex-')
      const asked = upstream.calls.length
      const set = (key: string, value: unknown) => app.call('config.set', { key: `guard.${key}`, value })
      await set('decide_ms', 10_000)
      await set('action', 'refuse')
      await set('request_tokens', 10)
      const { exitCode, lines, stderr } = await run({ prompt: 'A question', home: home.path })
      await set('request_tokens', 0)
      expect(exitCode).toBe(1)
      expect(lines.filter(({ type }) => type === 'turn.failed')).toMatchObject([
        { error: { message: expect.stringContaining("Aspy's guard stopped this request") } },
      ])
      expect(`${JSON.stringify(lines)} ${stderr}`).not.toContain('Reconnecting')
      expect(upstream.calls.slice(asked).filter(({ body }) => body?.generate !== false)).toEqual([])
      expect(await app.call('guard.get')).toMatchObject({ counts: { unpriced: 0 } })
    })

    test('a call that is repeated without end is stopped by the guard', async () => {
      using home = makeTempFolder('aspy-codex-')
      script = () => ({ output: [call('exec_command', { cmd: 'echo the same' })] })
      const set = (key: string, value: unknown) => app.call('config.set', { key: `guard.${key}`, value })
      await set('action', 'refuse')
      await set('repeat_calls', 3)
      const { exitCode, lines, of } = await run({ prompt: 'Go round in circles', home: home.path })
      await set('repeat_calls', 0)
      expect(exitCode).toBe(1)
      expect(JSON.stringify(lines)).toContain('repeat_calls')
      // The fourth call runs, and its result is not sent.
      expect([served, of('tool_call').length]).toEqual([4, 4])
    })

    test('an answer that dies in the middle keeps what arrived', async () => {
      using home = makeTempFolder('aspy-codex-')
      script = (_, n) =>
        n === 0 ? { output: [message('Half of a sentence')], cutAfter: 5 } : { output: [message('Whole.')] }
      const { exitCode, of } = await run({ prompt: 'Say a sentence', home: home.path })
      expect(exitCode).toBe(0)
      expect(of('model_response').map(({ payload }) => payload['cut_by'])).toContain('upstream')
      const texts = of('assistant_text').map(({ payload }) => String(payload['text']))
      expect(texts.at(-1)).toBe('Whole.')
      expect('Half of a sentence'.startsWith(texts[0] ?? '-')).toBe(true)
    })

    test('a subagent is an agent of its session, started by the call of its parent', async () => {
      using home = makeTempFolder('aspy-codex-')
      script = ({ body, headers }) => {
        const last = JSON.stringify(body?.input?.at(-1))
        const text = String(body?.['client_metadata'] === undefined ? '' : JSON.stringify(body['client_metadata']))
        const isChild =
          String(headers['x-codex-turn-metadata']).includes('/root/helper') || text.includes('/root/helper')
        if (isChild) return { output: [message('Child done.')] }
        const spawn = {
          ...call('spawn_agent', { task_name: 'helper', message: 'Look into it' }),
          namespace: 'collaboration',
        }
        if (last.includes('Delegate')) return { output: [spawn] }
        const wait = { ...call('wait_agent', { timeout_ms: 10_000 }), namespace: 'collaboration' }
        return last.includes('task_name') ? { output: [wait] } : { output: [message('Parent done.')] }
      }
      const { exitCode, of } = await run({ prompt: 'Delegate this', home: home.path, model: 'gpt-6.1-sol' })
      expect(exitCode).toBe(0)
      const [spawned] = of('tool_call')
      const [started] = of('agent_started')
      expect(started?.payload).toMatchObject({ agent_type: 'helper', call_id: spawned?.payload['call_id'] })
      expect(started?.parent_uuid).toBe(spawned?.uuid)
      const texts = of('assistant_text').map(({ payload, agent_id }) => [
        payload['text'],
        agent_id === started?.agent_id,
      ])
      expect(texts).toEqual([
        ['Child done.', true],
        ['Parent done.', false],
      ])
      expect(of('agent_ended').map(({ payload }) => payload['last_text'])).toEqual(['Child done.'])
      expect(of('user_prompt')).toHaveLength(1)
      expect(of('turn_ended')).toHaveLength(1)
    })

    test('a web search is a call that the API ran, with its sources, and costs', async () => {
      using home = makeTempFolder('aspy-codex-')
      const search = {
        type: 'web_search_call',
        id: `ws_${'a1'.repeat(24)}`,
        status: 'completed',
        action: { type: 'search', query: 'solarized', sources: [{ type: 'url', url: 'https://ethanschoonover.com' }] },
      }
      script = ({ body }) =>
        lastUserText(body) === ''
          ? {}
          : { output: [search, message('Found it.')], usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }
      const { of, thread } = await run({ prompt: 'Search for solarized', home: home.path })
      expect(of('tool_call').map(({ payload }) => [payload['tool_name'], payload['server_side']])).toEqual([
        ['web_search', true],
      ])
      expect(JSON.stringify(of('tool_result')[0]?.payload['output'])).toContain('ethanschoonover')
      const { total_cost_usd: cost } = await app.call<{ total_cost_usd: number }>('sessions.get', {
        session_id: `codex-${thread}`,
      })
      expect(Math.abs(cost - 0.01)).toBeLessThan(1e-9)
    })
  },
)
