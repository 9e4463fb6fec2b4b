import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { upgradeStatus } from '../../support/upstream/web-socket-client.ts'

type Headers = Readonly<Record<string, string>>

/** Whose upstream a request may reach. */
const CASES: readonly (readonly [
  path: string,
  headers: Headers,
  reaches: 'anthropic' | 'openai' | 'chatgpt' | null,
])[] = [
  ['/v1/messages', { 'x-api-key': 'sk-ant-dummy' }, 'anthropic'],
  ['/v1/messages', { authorization: 'Bearer sk-ant-oat01-dummy' }, 'anthropic'],
  ['/v1/messages', { authorization: 'Bearer a-gateway-key' }, 'anthropic'],
  ['/openai/v1/responses', { authorization: 'Bearer sk-proj-dummy' }, 'openai'],
  ['/openai/v1/responses', { authorization: 'Bearer sk-dummy' }, 'openai'],
  ['/openai/v1/models?client_version=1', { authorization: 'Bearer sk-proj-dummy' }, 'openai'],
  ['/openai/v1/responses', { authorization: 'Bearer ey.a.b', 'ChatGPT-Account-ID': 'account' }, 'chatgpt'],
  ['/openai/v1/responses', { 'x-api-key': 'sk-ant-dummy' }, null],
  ['/openai/v1/responses', { Authorization: 'bearer sk-ant-oat01-dummy' }, null],
  ['/openai/v1/responses', { 'anthropic-version': '2023-06-01', authorization: 'Bearer x' }, null],
  ['/openai/v1/responses', { authorization: 'Bearer sk-proj-dummy', 'chatgpt-account-id': 'account' }, null],
  ['/v1/messages', { authorization: 'Bearer sk-proj-dummy' }, null],
  ['/v1/responses', { authorization: 'Bearer ey.a.b', 'chatgpt-account-id': 'account' }, null],
  ['/openai/v1x/responses', { authorization: 'Bearer sk-proj-dummy' }, null],
]

test("one vendor's credentials never reach another vendor's upstream", async () => {
  await using anthropic = await startMessagesUpstream(() => ({ steps: [{ text: 'hello' }] }))
  await using openai = await startResponsesUpstream(() => ({}), { websocket: 'plain' })
  await using chatgpt = await startResponsesUpstream(() => ({}), { websocket: 'plain' })
  const upstreams = { openai: openai.url, chatgpt: chatgpt.url }
  await using app = await startApp({ upstream: anthropic.url, settings: { 'proxy.upstreams': upstreams } })
  const seen = () => [anthropic.requests.length, openai.requests.length, chatgpt.requests.length]
  const NAMES = ['anthropic', 'openai', 'chatgpt'] as const
  for (const [path, headers, reaches] of CASES) {
    const before = seen()
    const isRefused = (await statusOf(`${app.proxy}${path}`, headers)) === 403
    const reached = NAMES.filter((_, at) => seen()[at] !== before[at])
    expect([path, headers, reached, isRefused], JSON.stringify(headers)).toEqual([
      path,
      headers,
      reaches === null ? [] : [reaches],
      reaches === null,
    ])
  }
  for (const [path, headers, reaches] of CASES.filter(([each]) => each === '/openai/v1/responses')) {
    const before = seen()
    expect(await upgradeStatus(`${app.proxy}${path}`, headers)).toBe(reaches === null ? 403 : 101)
    expect(NAMES.filter((_, at) => seen()[at] !== before[at])).toEqual(reaches === null ? [] : [reaches])
  }
})

function statusOf(url: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end('{}')
  })
}
