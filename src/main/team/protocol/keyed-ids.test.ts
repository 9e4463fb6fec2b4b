import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKeyedIds } from './keyed-ids.ts'

const KEY = Buffer.from('a key of a team')
const TEXTS = ['', 'session-1', 'ä€😀 \ud800', 'long '.repeat(10_000)]

test('ids and hashes are HMAC-SHA-256 under the team’s key, whatever the text', () => {
  const ids = createKeyedIds(KEY)
  const hmac = (text: string) => createHmac('sha256', KEY).update(text).digest('hex')
  for (const text of TEXTS) {
    expect(ids.contentHash(text)).toBe(hmac(`content\0${text}`))
    const id = ids.id('event', text)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const ownBits = (hex: string) => hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(17, 32)
    expect(ownBits(id.replaceAll('-', ''))).toBe(ownBits(hmac(`event\0${text}`)))
  }
})
