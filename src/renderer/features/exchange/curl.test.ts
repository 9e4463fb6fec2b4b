import { expect, test } from 'vitest'
import type { Exchange } from '../../../shared/contract/requests.ts'
import { asCurl } from './curl.ts'

const exchange = (change: Partial<Exchange>): Exchange =>
  ({ method: 'POST', path: '/v1/messages?beta=true', headers: [], body: null, ...change }) as Exchange

test('the command contains no key and reads it from the environment', () => {
  const command = asCurl(
    exchange({
      headers: [
        ['x-api-key', 'sk-ant-api03-left-over'],
        ['Authorization', 'Bearer left-over'],
        ['x-app', 'cli'],
        ['x-other', '[redacted:key:1a2b]'],
        ['content-length', '12'],
      ],
    }),
  )
  expect(command.split(' \\\n  ')).toEqual([
    "curl 'https://api.anthropic.com/v1/messages?beta=true'",
    "-X 'POST'",
    "-H 'x-app: cli'",
    '-H "x-api-key: $ANTHROPIC_API_KEY"',
  ])
})

test('the shell interprets nothing in a body', () => {
  const body = { text: `it's "$HOME" \`id\` \\ $(id)` }
  const command = asCurl(exchange({ body }))
  const quoted = command.slice(command.indexOf('--data-raw ') + '--data-raw '.length)
  // Quoted pieces, joined by escaped single quotes.
  expect(quoted).toMatch(/^'[^']*'(?:\\''[^']*')*$/)
  expect(JSON.parse(quoted.slice(1, -1).replaceAll(String.raw`'\''`, "'"))).toEqual(body)
})

test('a message of Codex on a WebSocket is a request to its own API', () => {
  const command = asCurl(
    exchange({
      method: 'GET',
      path: '/openai/v1/responses',
      headers: [
        ['upgrade', 'websocket'],
        ['sec-websocket-key', 'a'],
        ['content-encoding', 'zstd'],
        ['chatgpt-account-id', '[redacted:account:1]'],
      ],
      body: { model: 'gpt-6-sol' },
    }),
  )
  expect(command.split(' \\\n  ')).toEqual([
    "curl 'https://api.openai.com/v1/responses'",
    "-X 'POST'",
    '-H "authorization: Bearer $OPENAI_API_KEY"',
    `--data-raw '{"model":"gpt-6-sol"}'`,
  ])
})
