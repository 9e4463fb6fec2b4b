import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { estimateTokens, textTokens } from './estimate-tokens.ts'

/** A PNG of one color. */
function png(width: number, height: number): string {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(data.length)
    return Buffer.concat([head, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  const bytes = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(Buffer.alloc(10))),
  ])
  return bytes.toString('base64')
}

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })

describe('tokens of texts', () => {
  test.each([
    ['English', 'The quick brown fox jumps over the lazy dog near the old river bank. '.repeat(20), 280, 360],
    ['code', 'const total = items.reduce((sum, { usd }) => sum + usd, 0)\n'.repeat(20), 320, 560],
    ['Russian', 'Съешь же ещё этих мягких французских булок да выпей чаю. '.repeat(20), 380, 620],
    ['Japanese', '吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ。'.repeat(20), 480, 720],
    ['emoji', '😀🚀🎉'.repeat(50), 200, 500],
  ])('%s is near to the usual number', (_, text, least, most) => {
    expect(textTokens(text)).toBeGreaterThan(least)
    expect(textTokens(text)).toBeLessThan(most)
  })

  test('a long text is estimated by its beginning, in proportion', () => {
    expect(textTokens('word '.repeat(400_000))).toBeCloseTo(textTokens('word '.repeat(40_000)) * 10, 0)
  })

  test('nothing has fewer tokens than one', () => {
    for (const part of ['', null, [], {}, { type: 'text', text: '' }]) expect(estimateTokens(part)).toBeGreaterThan(0)
  })
})

describe('tokens of images', () => {
  test.each([
    [200, 200, 53],
    [1000, 1000, 1333],
    [4000, 4000, 1600],
  ])('%i × %i pixels', (width, height, tokens) => {
    expect(Math.abs(estimateTokens(image(png(width, height))) - tokens)).toBeLessThanOrEqual(5)
  })

  test('an image in a result counts as an image, not as text', () => {
    const data = png(1000, 1000)
    const result = { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'seen' }, image(data)] }
    expect(Math.abs(estimateTokens(result) - 1335)).toBeLessThan(10)
  })

  test('an image whose size cannot be read has the usual number', () => {
    for (const damaged of ['', '####', png(5, 5).slice(0, 16)])
      expect(estimateTokens(image(damaged))).toBe(estimateTokens(image('')))
    expect(estimateTokens(image(''))).toBeGreaterThan(1000)
  })
})
