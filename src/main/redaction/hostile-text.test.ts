import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { KEY_FORMATS } from './key-formats.ts'
import { VALUE_RULES } from './value-rules.ts'

const make = () =>
  createRedactor({ hashKey: Buffer.alloc(32, 1), enabled: true, maskEmails: true, homeFolder: '/home/ada' })

/** Beginnings, over and over, of what never comes. */
const HOSTILE = [
  ...[...KEY_FORMATS, ...VALUE_RULES].flatMap((rule) => rule.anchors.slice(0, 1)),
  'eyJ-',
  'eyJaaaaaaaa.aaaa',
  '://a:',
  '://a:a',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\nabc\n',
  '-----BEGIN A',
  'TOKEN_',
  'TOKEN = "a1',
  'Bearer aaaaaaaaaaaaaaa ',
  'Basic aaaaaaaaaaaaaaaaaaaaaaaa',
  ';Password=',
  String.raw`\u002d`,
  '\\',
  '\\u00',
  '%41AKIA',
  '[1;1;1mAKIA',
  'MTMT',
  'MTaaaaaaaaaaaaaaaaaaaaaa.',
  'a@',
  '@a.',
  '1//0 ',
  '/home/ada/home/adam',
]

describe('hostile text', () => {
  afterEach(() => vi.restoreAllMocks())

  // Steps are looks at characters and cuts of the text, not time.
  function stepsFor(text: string): number {
    let steps = 0
    const { charCodeAt, indexOf, slice } = String.prototype
    vi.spyOn(String.prototype, 'charCodeAt').mockImplementation(function (this: string, at) {
      steps += 1
      return charCodeAt.call(this, at)
    })
    vi.spyOn(String.prototype, 'slice').mockImplementation(function (this: string, ...range) {
      steps += 1
      return slice.apply(this, range)
    })
    vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, what, from = 0) {
      const found = indexOf.call(this, what, from)
      steps += 1 + (found < 0 ? this.length : found) - from
      return found
    })
    make().text(text)
    vi.restoreAllMocks()
    return steps
  }

  it.each([...HOSTILE, HOSTILE.join('')])('of %j costs twice as much when it is twice as long', (beginning) => {
    const repeat = (length: number) => beginning.repeat(Math.ceil(length / beginning.length))
    const short = stepsFor(repeat(10_000))
    const long = stepsFor(repeat(20_000))
    expect(long).toBeLessThanOrEqual(short * 2.2 + 5_000)
    expect(long).toBeLessThanOrEqual(20_000 * 64)
  })

  it('of 10 MB in one line comes to an end', () => {
    const line = HOSTILE.join('').repeat(Math.ceil(10_000_000 / HOSTILE.join('').length))
    expect(make().text(line).length).toBeGreaterThan(0)
  })
})

describe('ordinary text', () => {
  it('raises fewer than one false alarm in 10,000 lines of our own source', () => {
    const redactor = createRedactor({ hashKey: Buffer.alloc(32, 1), enabled: true })
    const root = new URL('../../../', import.meta.url)
    let lines = 0
    for (const folder of ['src/', 'tests/']) {
      for (const file of readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })) {
        // What tests plant on purpose is no false alarm.
        if (!/\.(?:ts|tsx|sql|css|html)$/.test(file) || file.includes('.test.') || file.startsWith('main/redaction'))
          continue
        const text = readFileSync(new URL(folder + file.replaceAll('\\', '/'), root), 'utf8')
        lines += text.split('\n').length
        redactor.text(text)
      }
    }
    expect(lines).toBeGreaterThan(1_000)
    const alarms = Object.values(redactor.counts()).reduce((sum, count) => sum + count, 0)
    expect(alarms, JSON.stringify(redactor.counts())).toBeLessThan(Math.max(1, lines / 10_000))
  })
})
