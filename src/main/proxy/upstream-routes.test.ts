import { expect, test } from 'vitest'
import { isRouted, routeOf, type RoutedUpstreams } from './upstream-routes.ts'

const upstreams = {
  standard: { host: 'api.anthropic.com' },
  openai: { host: 'api.openai.com' },
  chatgpt: { host: 'chatgpt.com' },
} as unknown as RoutedUpstreams
/** Returns the destination host and path of a request, or `refused`. */
function route(path: string, headers: readonly string[] = [], of = upstreams): string {
  const found = routeOf(path, headers, of)
  return 'refusal' in found ? 'refused' : `${found.route.upstream.host} ${found.route.path}`
}
const OPENAI = ['Authorization', 'Bearer sk-proj-1']
const ANY_KEY = ['authorization', 'Bearer sk-1']
const CHATGPT = ['Authorization', 'Bearer ey.x.y', 'ChatGPT-Account-ID', 'a']

test('only a whole prefix chooses an upstream, and the rest is its path', () => {
  expect(route('/v1/messages')).toBe('api.anthropic.com /v1/messages')
  expect(route('/openai/v1/responses?a=1', OPENAI)).toBe('api.openai.com /responses?a=1')
  expect(route('/openai/v1', OPENAI)).toBe('api.openai.com /')
  expect(route('/openai/v1?a=1', OPENAI)).toBe('api.openai.com /?a=1')
  expect(route('/openai/v1/responses', CHATGPT)).toBe('chatgpt.com /responses')
  expect(['/openai/v1', '/openai/v1/x', '/openai/v11', '/openai/v1beta/x', '/openai'].map(isRouted)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('credentials of one vendor never go to another, by whatever header they come', () => {
  const anthropic = [
    ['x-api-key', 'sk-ant-1'],
    ['Authorization', 'Bearer sk-ant-1'],
    ['anthropic-version', '2023-06-01'],
  ]
  for (const headers of anthropic) {
    expect(route('/openai/v1/responses', headers)).toBe('refused')
    expect(route('/v1/messages', headers)).toBe('api.anthropic.com /v1/messages')
  }
  for (const headers of [OPENAI, ANY_KEY, CHATGPT]) expect(route('/v1/messages', headers)).toBe('refused')
  // Another address may take any key except one that is certainly OpenAI's.
  const other = { ...upstreams, standard: { host: 'gateway.example' } } as unknown as RoutedUpstreams
  expect(route('/v1/messages', ANY_KEY, other)).toBe('gateway.example /v1/messages')
  expect(route('/v1/messages', OPENAI, other)).toBe('refused')
})

test('an API key together with a login is refused: it is not known whose it is', () => {
  expect(route('/openai/v1/responses', [...OPENAI, 'chatgpt-account-id', 'a'])).toBe('refused')
})
