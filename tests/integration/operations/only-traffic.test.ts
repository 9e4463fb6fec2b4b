import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp } from '../../support/app/start-app.ts'
import { readPrometheusText } from '../../support/app/prometheus-text.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

test("a client's HEAD /api/hello makes no session in the list, in Live or in a count, until a prompt follows", async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Fine.' }] }))
  await using app = await startApp({ upstream: upstream.url })
  const named = (session: string) => ({ 'x-claude-code-session-id': session, 'user-agent': 'claude-cli/2.1.330' })
  for (const headers of [{ 'user-agent': 'claude-cli/2.1.330' }, named('later')])
    await fetch(`${app.proxy}/api/hello`, { method: 'HEAD', headers })
  await until('both are recorded', async () => (await app.count({ kind: 'model_response' })) === 2)
  const ids = async (operation: string, field: string) => {
    const page = await app.call<{ items?: Record<string, string>[]; sessions?: Record<string, string>[] }>(operation)
    return (page.items ?? page.sessions ?? []).map((row) => row[field])
  }
  const active = async () => {
    const key = readFileSync(join(app.data, 'metrics'), 'utf8').trim()
    const page = await fetch(`${app.app}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    return readPrometheusText(await page.text()).get('aspy_sessions_active')?.samples[0]?.value
  }
  expect(await ids('sessions.list', 'id')).toEqual([])
  expect(await ids('live.turns', 'session_id')).toEqual([])
  expect(await app.call('stats.summary')).toMatchObject({ total_sessions: 0, by_client: [] })
  expect(await active()).toBe(0)
  const { session_id: hello } = (await app.call<{ items: { session_id: string }[] }>('events.recent')).items[0] ?? {}
  expect(await app.call('sessions.get', { session_id: hello })).toMatchObject({ id: hello, prompts: 0 })

  await (await ask(app.proxy, { prompt: 'Hello?', session: 'later' })).text()
  await until('the prompt is recorded', async () => (await ids('sessions.list', 'id')).length === 1)
  expect(await ids('sessions.list', 'id')).toEqual(['later'])
  expect(await ids('live.turns', 'session_id')).toEqual(['later'])
  await until('it counts as active', async () => (await active()) === 1)
})
