import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CONTENT_DICTIONARY } from '../../decode/wire/content-dictionary.ts'
import { contentRow, contentText } from './contents.ts'

/** The payload of a short request, as an event of it has it. */
const request = (add: object = {}) =>
  JSON.stringify({
    exchange_id: '01a20ad4-6b82-745e-8c41-ef10a1626cdc',
    request_kind: 'loop',
    method: 'POST',
    path: '/v1/messages?beta=true',
    model: 'claude-opus-4-8',
    headers: [
      ['accept', 'application/json'],
      ['x-stainless-lang', 'js'],
      ['anthropic-version', '2023-06-01'],
      ['content-type', 'application/json'],
    ],
    ...add,
  })

const unlike = Array.from({ length: 3000 }, (_, at) => hash('sha1', String(at))).join(' ')
const TEXTS: readonly (readonly [string, string])[] = [
  ['the payload of a request', request()],
  ['one with characters of several bytes', request({ path: '/v1/ü/🦘'.repeat(40) })],
  ['one that is larger than what the dictionary is used for', request({ unlike })],
  ['a text', 'a line of a file\n'.repeat(90)],
  ['a text that only begins like a payload', `{"exchange_id":${'no JSON '.repeat(90)}`],
  ['a short text', 'short'],
  ['nothing', ''],
]

test.each(TEXTS)('%s comes back as it was', (_, text) => {
  const { bytes, encoding, data } = contentRow(text, [])
  expect(contentText(encoding, data)).toBe(text)
  expect(bytes).toBe(Buffer.byteLength(text))
})

test('payloads of requests take less than half of what zstd alone makes of them', () => {
  expect(contentRow(request(), []).data.length * 2).toBeLessThan(zstdCompressSync(request()).length)
})

test.each(TEXTS)('%s that was compressed without the dictionary comes back as it was', (_, text) => {
  expect(contentText('zstd', zstdCompressSync(text))).toBe(text)
})

test('what was stored can be read by all later versions', () => {
  const stored = 'KLUv/WAhAM0BACQCMGFkNC02YjgyLTc0NWUtOGM0MS1lZjEwYTE2MjZjZGNdfQUABXVGYBRIgomgDGAhE6T+S+gDBA=='
  expect(contentText('zstd', Buffer.from(stored, 'base64'))).toBe(request())
  // If this fails, the dictionary was changed. Entries may only be added before the first one.
  const first = CONTENT_DICTIONARY.subarray(-5545)
  expect(hash('sha256', first)).toBe('f0add8db1f33607923d092af0757f2b32188c3c4d52ae388ad8c3b8221090bd4')
})
