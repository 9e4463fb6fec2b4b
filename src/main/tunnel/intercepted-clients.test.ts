import { expect, test } from 'vitest'
import { configSchema } from '../../shared/config.ts'
import { interceptedClients } from './intercepted-clients.ts'

const { codex } = interceptedClients(configSchema.parse({}).proxy)

test.each([
  ['api.openai.com', '/v1/responses', '/openai/v1/responses'],
  ['api.openai.com', '//v1/responses?x=1', '/openai//v1/responses?x=1'],
  ['api.openai.com', '/v1//%72esponses', '/openai/v1//%72esponses'],
  ['api.openai.com', '/V1/Responses/', '/openai/V1/Responses/'],
  ['api.openai.com', '/x/../v1/responses', '/openai/x/../v1/responses'],
  ['api.openai.com', '/v1/models', null],
  ['chatgpt.com', '/backend-api/codex/responses', '/openai/v1/responses'],
  ['chatgpt.com', '/backend-api//codex/responses', '/openai/backend-api//codex/responses'],
  ['chatgpt.com', '/backend-api/accounts/check', null],
])('%s%s goes to the vendor as it is, recorded as %s', (host, path, recordedAs) => {
  const route = codex.routeOf(host, path)
  expect(new URL(route.upstream).origin).toBe(`https://${host}`)
  expect(route.upstream.pathname.replace(/\/$/, '') + route.path).toBe(path)
  expect(route.recordedAs).toBe(recordedAs)
})

test('an upstream of their own replaces the first host of Claude Code, and no other', () => {
  const proxy = { upstream: 'http://gateway.example/base', intercept_hosts: ['api.anthropic.com', 'api.example.org'] }
  const { 'claude-code': claudeCode } = interceptedClients(configSchema.parse({ proxy }).proxy)
  const upstreams = claudeCode.hosts.map((host) => `${claudeCode.routeOf(host, '/v1/messages').upstream.href}`)
  expect(upstreams).toEqual(['http://gateway.example/base', 'https://api.example.org/'])
})
