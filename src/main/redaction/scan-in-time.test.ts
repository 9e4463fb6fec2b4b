import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { ENCODED_FORMATS } from './encoded-formats.ts'
import { KEY_FORMATS } from './key-formats.ts'
import { inPlace, plantedSecrets } from './fixtures/planted-secrets.ts'
import { privateKeyRule } from './private-key-rule.ts'
import type { Rule } from './rule.ts'
import { scanInTime } from './scan-in-time.ts'
import { createScanner } from './scanner.ts'
import { createTextTime } from './text-time.ts'
import { VALUE_RULES } from './value-rules.ts'

const scanner = createScanner([privateKeyRule, ...KEY_FORMATS, ...VALUE_RULES, ...ENCODED_FORMATS])
const secrets = plantedSecrets('windows', 1).map(({ text }) => inPlace(text))
const SECRET = secrets[0] ?? ''
const PROSE = 'The quick brown fox jumps over the lazy dog. '.repeat(500)

describe('a text scanned in windows', () => {
  it('gives the same secrets as a single scan', () => {
    const piece = fc.oneof(
      fc.constantFrom(...secrets),
      fc.constantFrom(
        '<private>',
        '</private>',
        'sk-',
        '\\u002d',
        '\\u00',
        '\\',
        'Bearer ',
        '-----BEGIN',
        ' ',
        '\n',
        '"',
      ),
      fc.string({ maxLength: 20 }),
    )
    const time = createTextTime({ textMs: 1, now: () => 0 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 300 }), (pieces, window) => {
        const text = pieces.join('')
        expect(scanInTime(scanner, text, { time, window })).toEqual(scanInTime(scanner, text, { time }))
      }),
      { numRuns: 1000 },
    )
    expect(time.count()).toBe(0)
  })
})

describe('a text that takes too long to scan', () => {
  /** Each reading advances the clock by a tenth of a second. */
  function slowClock() {
    let at = 0
    return () => (at += 100)
  }
  const slow: Rule = { name: 'slow', anchors: ['dog'], isKeyFormat: false, match: ({ after }) => after }
  const make = (textMs: number) =>
    createRedactor({
      hashKey: Buffer.alloc(32, 1),
      enabled: true,
      extraRules: [slow],
      textTime: { textMs, now: slowClock() },
    })

  it('is redacted up to the timeout; the rest is left out and counted', () => {
    const redactor = make(1000)
    const text = redactor.text(`first ${SECRET} then ${PROSE.repeat(10)} last ${SECRET}`)
    expect(text).toMatch(/^first \[redacted:anthropic-key:.{4}\] then The quick/)
    expect(text).toMatch(/\[left out: \d+ characters, not checked for secrets in time\]$/)
    expect(text).not.toContain(SECRET.slice(0, 12))
    expect(text.length).toBeLessThan(PROSE.length * 5)
    expect(redactor.timeouts()).toBe(1)
    // The next text starts with a full allowance.
    expect(redactor.text(`next ${SECRET}`)).toMatch(/^next \[redacted:anthropic-key:.{4}\]$/)
    expect(redactor.timeouts()).toBe(1)
  })

  it('is scanned to the end if there is time', () => {
    const redactor = make(1_000_000)
    const text = redactor.text(`${PROSE.repeat(10)} last ${SECRET}`)
    expect(text).toMatch(/lazy dog\. {2}last \[redacted:anthropic-key:.{4}\]$/)
    expect(redactor.timeouts()).toBe(0)
  })

  it('is also left out of joined texts, and of texts without a line break or a closing tag', () => {
    const redactor = make(1000)
    const [first, second, third] = redactor.joined([PROSE.repeat(10), `and ${SECRET}`, `${SECRET} again`])
    expect(first).toMatch(/\[left out: \d+ characters/)
    expect([second, third]).toEqual(['', ''])
    const long = make(100)
    expect(long.text(`<private>${'x'.repeat(2_000_000)}${SECRET}`)).not.toContain(SECRET.slice(0, 12))
    expect(long.timeouts()).toBe(1)
  })
})
