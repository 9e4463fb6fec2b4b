import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askKeeper } from '../../src/main/keeper/control.ts'
import { aspy, startAspy } from '../support/app/aspy-command.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { endKeeper } from '../support/keeper/end-keeper.ts'
import { appServes, killApp } from '../support/keeper/kill-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'
import { until } from '../support/runner/until.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'

/** Names of subagents that work at once. */
const AGENTS = ['a', 'b', 'c', 'd', 'e']

// What happens to Aspy, seen by the real client.
describe.skipIf(lacks(findClaude() !== null))('the real client, while its app', () => {
  let upstream: MessagesUpstream
  let home: TempFolder
  let data: string
  beforeAll(async () => {
    upstream = await startMessagesUpstream(({ body, agentId }) => {
      const agents = /with agents ([a-z]+)/.exec(lastUserText(body))?.[1]
      if (agents !== undefined && agentId === null && !JSON.stringify(body?.messages).includes('tool_result')) {
        const inputs = AGENTS.map((at) => ({
          prompt: `Please hold ${agents}${at}`,
          description: at,
          subagent_type: 'general-purpose',
          run_in_background: false,
        }))
        return { steps: inputs.map((input) => ({ tool: 'Agent', input })) }
      }
      const name = /Please (hold [a-z]+)/.exec(lastUserText(body))?.[1]
      const hold = name === undefined ? [] : [{ hold: name }]
      return { steps: [{ text: 'Begun. ' }, ...hold, { text: 'Ended.' }] }
    })
    home = makeTempFolder('aspy-keeper-client-')
    data = join(home.path, 'data')
  })
  afterAll(async () => {
    await endKeeper(data)
    await upstream.close()
    home.remove()
  })

  const run = async (prompt: string, ...mode: string[]) => {
    await appServes(data)
    const flags = ['--data', data, '--port', '0', '--proxy-port', '0', '--tunnel-port', '0', '--upstream', upstream.url]
    return startAspy(
      ['run', ...flags, ...mode, '--', 'claude', '-p', prompt, '--output-format', 'json'],
      {
        PATH: `${dirname(findClaude() ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
      },
      home.path,
      home.path,
    ).finished
  }
  const asked = (prompt: string) => upstream.requests.filter(({ body }) => lastUserText(body).includes(prompt)).length

  test('is killed while it streams: the client asks once more, and ends well', async () => {
    const finished = run('Please hold kill')
    await upstream.held('hold kill')
    upstream.release('hold kill')
    await killApp(data)
    const { code, stdout } = await finished
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { is_error: false, result: 'Ended.' }])
    expect(asked('hold kill')).toBeLessThanOrEqual(2)
  })

  test.each([
    ['through a base URL', 'hold restart', []],
    ['in full mode', 'hold full', ['--full']],
  ])('is restarted, %s: no answer is cut, and nothing is asked twice', async (_, name, mode) => {
    const finished = run(`Please ${name}`, ...mode)
    await upstream.held(name)
    expect(await aspy(['restart', '--data', data])).toMatchObject({ code: 0, stderr: '' })
    upstream.release(name)
    const { code, stdout, stderr } = await finished
    expect(stderr).not.toContain('unrecorded')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { is_error: false, result: 'Ended.' }])
    expect(asked(name)).toBe(1)
  })

  test('is killed in full mode while it streams: the client asks once more, and ends well', async () => {
    const finished = run('Please hold end', '--full')
    await upstream.held('hold end')
    await killApp(data)
    upstream.release('hold end')
    const { code, stdout } = await finished
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { is_error: false, result: 'Ended.' }])
    expect(asked('hold end')).toBeLessThanOrEqual(2)
  })

  test('is killed under five subagents that stream: each asks once more, and all end well', async () => {
    const finished = run('Work with agents many')
    const names = AGENTS.map((at) => `hold many${at}`)
    await Promise.all(names.map((name) => upstream.held(name)))
    // What asks again after a cut answer may begin with a notice of the client's own, not with the prompt.
    const ofAgents = () => {
      const asked = upstream.requests.filter(({ kind, agentId }) => kind === 'messages' && agentId !== null)
      return [...Map.groupBy(asked, ({ agentId }) => agentId).values()].map(({ length }) => length)
    }
    await killApp(data)
    await expect.poll(ofAgents, { timeout: 30_000 }).toEqual(AGENTS.map(() => 2))
    for (const name of names) upstream.release(name)
    const { code, stdout } = await finished
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { is_error: false, result: 'Ended.' }])
    expect(ofAgents()).toEqual(AGENTS.map(() => 2))
  })

  test('is stopped: the client works on, and the keeper counts it', async () => {
    const finished = run('Please hold stop')
    await upstream.held('hold stop')
    const stopping = aspy(['stop', '--data', data])
    upstream.release('hold stop')
    expect((await stopping).code).toBe(0)
    expect((await finished).code).toBe(0)
    await until('nothing serves but the keeper', async () => (await askKeeper(data, 'status'))?.state === 'stopped')
    // Started by hand, as a client whose settings name the proxy: `aspy run` would start the app.
    const port = (await askKeeper(data, 'status'))?.ports['proxy']
    const answer = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk-ant-dummy', 'content-type': 'application/json', 'x-claude-code-session-id': 's' },
      body: JSON.stringify({ model: 'claude-sonnet-5-5', messages: [{ role: 'user', content: 'alone' }] }),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    expect((await askKeeper(data, 'status'))?.passed.requests).toMatchObject({ s: 1 })
  })
})
