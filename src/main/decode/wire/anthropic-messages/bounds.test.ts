import { describe, expect, test } from 'vitest'
import { of } from '../../fixtures/drafts.ts'
import { block, decode, decoderFor, event, started, STREAM, text } from '../../fixtures/streams.ts'
import { hasTooManyValues } from '../../json-values.ts'
import { parseRequestBody } from '../request-body.ts'

const JSON_TYPE = [['Content-Type', 'application/json']] as const

/** Decodes a whole body. Returns the drafts, and why a part was left out. */
function decodeBounded(pieces: readonly string[], isStream = true) {
  const decoder = decoderFor({ headers: isStream ? STREAM : JSON_TYPE })
  for (const piece of pieces) decoder.push(Buffer.from(piece), 1200)
  const drafts = decoder.end('complete', 2000, null)
  return { tooLarge: decoder.tooLarge, drafts }
}

describe('bounds of an answer', () => {
  test('a message has at most 2,000 blocks, and the others are counted', () => {
    const blocks = Array.from({ length: 2300 }, (_, index) => text(index, `block ${index}`)).join('')
    const { tooLarge, drafts } = decodeBounded([started(), blocks])
    expect(of(drafts, 'assistant_text')).toHaveLength(2000)
    expect(of(drafts, 'assistant_text').at(-1)?.payload.text).toBe('block 1999')
    expect(tooLarge).toContain('300 were left out')
  })

  test('so has one that is not a stream', () => {
    const content = Array.from({ length: 2003 }, () => ({ type: 'text', text: 'a' }))
    const whole = JSON.stringify({ type: 'message', id: 'msg_1', role: 'assistant', content })
    const { tooLarge, drafts } = decodeBounded([whole], false)
    expect(of(drafts, 'assistant_text')).toHaveLength(2000)
    expect(tooLarge).toContain('3 were left out')
  })

  test('errors and unknown events are bounded, and do not cost the text after them', () => {
    const odd = event({ type: 'odd' }).repeat(210)
    const errors = event({ type: 'error', error: { type: 'x', message: 'y' } }).repeat(55)
    const { tooLarge, drafts } = decodeBounded([started(), odd, errors, text(0, 'after them')])
    expect(of(drafts, 'unknown')).toHaveLength(200)
    expect(of(drafts, 'error')).toHaveLength(50)
    expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['after them'])
    expect(tooLarge).toContain('15 were left out')
  })

  test('a stream of events that are not JSON ends after a thousand', () => {
    const { tooLarge } = decodeBounded([started(), 'data: x\n\n'.repeat(1500), text(0, 'not reached')])
    expect(tooLarge).toBe('more than 1000 events that are not JSON')
  })

  test('a stream says where it stopped', () => {
    const kilobyte = 'a'.repeat(1000)
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: kilobyte } }
    const { tooLarge, drafts } = decodeBounded([
      started(),
      ...Array.from({ length: 22 }, () => event(delta).repeat(1000)),
    ])
    expect(tooLarge).toContain('20971520 bytes')
    const kept = of(drafts, 'assistant_text')[0]?.payload.text.length
    expect(kept).toBeGreaterThan(17_000_000)
    expect(kept).toBeLessThan(20_971_520)
  })

  test('a body that is not a stream is kept up to 48 MiB; past it, only its size is recorded', () => {
    const pieces = Array.from({ length: 49 }, () => 'a'.repeat(1024 * 1024))
    const { tooLarge, drafts } = decodeBounded(
      ['{"type":"message","content":[{"type":"text","text":"', ...pieces, '"}]}'],
      false,
    )
    expect(tooLarge).toBe('a body of more than 50331648 bytes')
    expect(of(drafts, 'assistant_text')).toEqual([])
    expect(of(drafts, 'model_response')[0]?.payload.body_bytes).toBe(49 * 1024 * 1024 + 56)
  })

  test('a page in place of an answer is cut with its length', () => {
    const [error] = of(decode(['p'.repeat(300_000)], { headers: [['Content-Type', 'text/plain']] }), 'error')
    expect(error?.payload.body).toMatch(/^p{262144}\.\.\. \[truncated, 300000 characters total\]$/)
  })

  test('nothing is left out of an ordinary answer', () => {
    expect(decodeBounded([started(), block(0, { type: 'text', text: '' })]).tooLarge).toBeNull()
  })
})

describe('values of JSON', () => {
  test('are counted outside of strings', () => {
    expect(hasTooManyValues(Buffer.from(`[${'{},'.repeat(300_000)}{}]`))).toBe(true)
    expect(hasTooManyValues(Buffer.from(`["${'{},'.repeat(300_000)}"]`))).toBe(false)
    expect(hasTooManyValues(Buffer.from(`["\\\\\\"${'{},'.repeat(300_000)}"]`))).toBe(false)
    expect(hasTooManyValues(Buffer.from(`["\\\\",${'{},'.repeat(300_000)}"`))).toBe(true)
  })

  test('a request with too many is named as too large, and one that cannot be unpacked as damaged', () => {
    const parse = (plain: Buffer) => (hasTooManyValues(plain) || plain.length === 0 ? null : {})
    const many = Buffer.from(`{"messages":[${'{},'.repeat(300_000)}{}]}`)
    expect(parseRequestBody(many, null, parse).leftOut?.reason).toBe('request_too_large')
    expect(parseRequestBody(Buffer.from('\xff\xfe'), 'gzip', parse).leftOut?.reason).toBe('decode_failed')
    expect(parseRequestBody(Buffer.from('{}'), null, parse)).toEqual({ body: {}, leftOut: null })
  })
})
