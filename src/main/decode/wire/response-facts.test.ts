import { expect, test } from 'vitest'
import { GUARD_STOPPED } from '../../../shared/failures.ts'
import { of } from '../fixtures/drafts.ts'
import { block, decode, decoderFor, ended, event, started, text } from '../fixtures/streams.ts'

/** Wall time of the exchange in the fixtures, whose request began at 1000 ms of the run. */
const WALL = 1_790_000_000_000
const iso = (ms: number) => new Date(ms).toISOString()
const failed = (status: number, ...headers: [string, string][]) => {
  const drafts = decode(['{}'], { headers: [['content-type', 'application/json'], ...headers], context: { status } })
  return {
    response: of(drafts, 'model_response')[0],
    error: of(drafts, 'error')[0],
    limits: of(drafts, 'rate_limit')[0],
  }
}

test('a response is dated by its end, and its limits by its head', () => {
  const { response, limits } = failed(429, ['anthropic-ratelimit-requests-limit', '50'])
  expect(response).toMatchObject({ ts_wall: iso(WALL + 1000), ts_monotonic: 2000, duration_ms: 1000 })
  expect(limits).toMatchObject({ ts_wall: iso(WALL + 100), ts_monotonic: 1100 })
})

test('every status from 400 on is a failure', () => {
  for (const status of [400, 401, 500]) expect(failed(status).response).toMatchObject({ success: false })
})

test('retry-after is in seconds: a number, or a date that may have passed', () => {
  const retryAfter = (value: string) => failed(429, ['retry-after', value]).error?.payload.retry_after_s
  expect(retryAfter('7')).toBe(7)
  expect(retryAfter(new Date(WALL + 90_000).toUTCString())).toBe(90)
  expect(retryAfter(new Date(WALL - 90_000).toUTCString())).toBe(0)
  expect(retryAfter('soon')).toBeNull()
})

test("the guard's own refusal is not the API's", () => {
  const message = `${GUARD_STOPPED}: over the cap.`
  const body = JSON.stringify({ type: 'error', error: { type: 'billing_error', message } })
  const headers: [string, string][] = [['content-type', 'application/json']]
  expect(of(decode([body], { headers, context: { status: 402 } }), 'error')[0]?.payload).toMatchObject({
    origin: 'guard',
    message,
  })
})

test('the text of an error page is cut', () => {
  const drafts = decode(['x'.repeat(2000)], { headers: [['content-type', 'text/plain']], context: { status: 502 } })
  expect(of(drafts, 'error')[0]?.payload.message).toBe('x'.repeat(500))
})

test('each error of a stream is one, with a key of its own', () => {
  const error = (message: string) => event({ type: 'error', error: { type: 'api_error', message } })
  const drafts = of(decode([started() + error('one') + error('two')]), 'error')
  expect(drafts.map(({ payload }) => payload.message)).toEqual(['one', 'two'])
  expect(drafts[1]?.keys).toEqual(['exchange:e1:error:1'])
})

test('the time to the first token counts to the first block, not to a later one', () => {
  const decoder = decoderFor({})
  decoder.push(Buffer.from(started()), 1150)
  decoder.push(Buffer.from(block(0, { type: 'thinking', thinking: 'a' })), 1200)
  decoder.push(Buffer.from(text(1, 'b')), 1900)
  decoder.push(Buffer.from(ended('end_turn')), 1950)
  const drafts = decoder.end('complete', 2000, null)
  expect(of(drafts, 'model_response')[0]?.payload.ttft_ms).toBe(200)
})

test('a block beyond the limit is counted once, also if it never ends', () => {
  const blocks = Array.from({ length: 2000 }, (_, index) => text(index, 'a')).join('')
  const open = event({ type: 'content_block_start', index: 2000, content_block: { type: 'text', text: 'b' } })
  const decoder = decoderFor({})
  decoder.push(Buffer.from(started() + blocks + open), 1200)
  decoder.end('upstream_aborted', 2000, null)
  expect(decoder.tooLarge).toContain('1 were left out')
})
