import type { Tap } from '../../../src/main/proxy/tap.ts'

/** A call of a program that is not Claude Code, and the answer to it. */
export interface SdkExchange {
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly userAgent?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: object
  readonly status?: number
  readonly answer?: object | string
}

/** Passes one exchange of an SDK through the tap, as the proxy would. */
export function passSdk(tap: Tap, sent: SdkExchange): string {
  const { method = 'POST', path = '/v1/messages', status = 200, answer = {} } = sent
  const headers = [
    ['x-api-key', sent.key ?? 'sk-ant-api03-one'],
    ['user-agent', sent.userAgent ?? 'Anthropic/JS 0.60.0'],
    ['content-type', 'application/json'],
    ...(sent.headers ?? []),
  ]
  const exchange = tap.open({ method, path, headers: headers.flat() })
  if (sent.body) exchange.requestBytes(Buffer.from(JSON.stringify(sent.body)))
  exchange.requestEnd()
  const type = typeof answer === 'string' ? 'application/x-jsonl' : 'application/json'
  exchange.responseHead(status, ['content-type', type, 'request-id', `req_${exchange.id}`])
  exchange.responseBytes(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)))
  exchange.end('complete')
  return exchange.id
}

/** A message as the API answers it without streaming. */
export const messageOf = (id: string, text: string, usage: object = { input_tokens: 1000, output_tokens: 100 }) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage,
})
