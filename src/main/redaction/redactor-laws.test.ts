import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnyDraft } from '../decode/draft.ts'
import { BUILT_IN_RULES } from './built-in-rules.ts'
import { inPlace, plantedSecrets } from './fixtures/planted-secrets.ts'
import { make, MARK } from './fixtures/redactor-under-test.ts'
import { scanInTime } from './scan-in-time.ts'
import { createScanner } from './scanner.ts'
import { createSecretMarks } from './secret-marks.ts'
import { createStream, replaced, type TextRules } from './text-redactor.ts'
import { createTextTime } from './text-time.ts'
import { homeFolderRule } from './value-rules.ts'

const secrets = plantedSecrets('unit', 2)

const base = {
  source: 'wire',
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-21T00:00:00.000Z',
  ts_monotonic: null,
  keys: [],
  parents: [],
} as const

// Texts made of secrets, their prefixes and suffixes, their usual surroundings, and noise.
const fragment = fc.oneof(
  fc.constantFrom(...secrets.map((secret) => inPlace(secret.text))),
  fc.constantFrom(...secrets.map((secret) => secret.text.slice(0, 9))),
  fc.constantFrom(...secrets.map((secret) => secret.text.slice(5, 40))),
  fc.constantFrom('<private>', '</private>', 'Bearer ', 'TOKEN=', 'PASSWORD: "', '://user:', '@host', '\\', '\\n', '"'),
  fc.constantFrom(
    '\\u002d',
    '\\u003cprivate\\u003e',
    '%20',
    ' ',
    '\n',
    'sk-',
    '-----BEGIN',
    '-----',
    'a@b.example',
    '@',
    '.',
    '/home/ada',
    '/ho',
  ),
  fc.string({ maxLength: 12 }),
)
const hostile = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(''))
const { markOf: mark } = createSecretMarks(randomBytes(32))
const time = createTextTime({ textMs: 60_000 })
const scanner = createScanner(BUILT_IN_RULES)
const ruleSets = fc.constantFrom<TextRules>(
  { scanner, mark, masksEmails: false },
  { scanner, mark, masksEmails: true },
  { scanner: createScanner([homeFolderRule('/home/ada'), ...BUILT_IN_RULES]), mark, masksEmails: true },
)

describe('laws', () => {
  it('redacting redacted text changes nothing', () => {
    const redactor = make()
    fc.assert(
      fc.property(hostile, (text) => {
        const once = redactor.text(text)
        expect(redactor.text(once)).toBe(once)
      }),
      { numRuns: 1500 },
    )
  })

  const planted = (rule: string, at = 0) => secrets.filter((secret) => secret.rule === rule)[at]?.text ?? ''
  const [key, other] = [planted('github-token'), planted('github-token', 1)]
  it.each([
    ['a short prefix after a sign', String.raw`${key}\u002d${other}`],
    [
      'a prefix cut by the key before it',
      `${planted('slack-token')}${planted('linear-key')}${planted('slack-token', 2)}`,
    ],
    ['a line above that is a mark', `${key} \n TOKEN= AAA0`],
    ['a name whose value was removed', `t-api03-${key.slice(4)} -----BEGIN TOKEN= ghp_Uck8H`],
    ['a quote whose value was removed', `t-api03-${key.slice(4)};PASSWORD: "?0`],
  ])('redacting twice changes nothing after %s', (_, text) => {
    const once = make().text(text)
    expect(once).not.toBe(text)
    expect(make().text(once)).toBe(once)
  })

  it.each([
    ['a key as wide as its terminal', `      ${planted('anthropic-key', 1)}\n${planted('anthropic-key')}`],
    ['letters without end after an address', `a@b.example${planted('anthropic-key')}${'k-'.repeat(140)}c@d.example`],
    ['six dashes at the end of a key', `${planted('private-key')}-XmSMP5`],
    ['an address with an escaped sign', String.raw`://user:\u003cprivate\u003esk-ant-ap@sk-ant-ap`],
    ['a string that begins with an escape', String.raw`PASSWORD: "\n${key}${key}${key}"`],
  ])('a stream gives the same text at any size of its pieces: %s', (_, text) => {
    const rules = { scanner, mark, masksEmails: true }
    const whole = replaced(rules, text, scanInTime(scanner, text, { time }))
    expect(whole).not.toBe(text)
    for (let size = 1; size < 60; size += 1) {
      const stream = createStream(rules)
      let out = ''
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size))
      expect(out + stream.end(), `in pieces of ${size}`).toBe(whole)
    }
  })

  // A mask may split a word. If words are separated, the rest does not become a new secret.
  it('masking masked text changes nothing', () => {
    const redactor = make({ maskEmails: true, homeFolder: '/home/ada' })
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 14 }), (parts) => {
        const once = redactor.text(parts.join(' '))
        expect(redactor.text(once)).toBe(once)
      }),
      { numRuns: 1500 },
    )
  })

  it('a stream gives the same text, however it is split', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(60), { minLength: 1, maxLength: 40 }), ruleSets, (text, sizes, rules) => {
        const stream = createStream(rules)
        let out = ''
        let at = 0
        for (let cut = 0; at < text.length; cut += 1) {
          const size = sizes[cut % sizes.length] ?? 1
          out += stream.push(text.slice(at, at + Math.max(1, size)))
          at += Math.max(1, size)
        }
        expect(out + stream.end()).toBe(replaced(rules, text, scanInTime(rules.scanner, text, { time })))
      }),
      { numRuns: 1500 },
    )
  })

  it('never shows a part of a secret early', () => {
    const secret = secrets[0]?.text ?? ''
    const stream = make().stream()
    let shown = ''
    for (const letter of `the key is ${secret} so far`) {
      shown += stream.push(letter)
      expect(shown).not.toContain('sk-a')
    }
    expect(shown + stream.end()).toMatch(/^the key is \[redacted:anthropic-key:.{4}\] so far$/)
  })

  it('does not hold back plain text', () => {
    const stream = make().stream()
    expect(stream.push('Words that begin nothing at all ')).toBe('Words that begin nothing at all ')
  })

  it('finds a secret split across neighbouring texts at any point', () => {
    const redactor = make()
    for (const { text } of plantedSecrets('cut')) {
      const whole = `see ${inPlace(text)} here`
      for (let first = 0; first < Math.min(whole.length, 150); first += 1) {
        const second = Math.min(whole.length, first + 7 + (first % 5) * 20)
        const parts = redactor.joined([whole.slice(0, first), whole.slice(first, second), whole.slice(second)])
        expect(parts).toHaveLength(3)
        expect(parts.join('')).toMatch(
          /^see (?:\d{9}:?|AccountKey=|[a-z.]+\.com\/[a-z/]+\/|\.)?\[redacted:[^\]]+\] here$/,
        )
      }
    }
  })

  it('hides the rest of a secret in the block after the one where it began', () => {
    const redactor = make()
    const outputs: string[] = []
    for (const { text } of plantedSecrets('blocks')) {
      const whole = inPlace(text)
      for (let cut = 12; cut < Math.min(whole.length - 12, 90); cut += 9) {
        const stream = redactor.stream(`before ${whole.slice(0, cut)}`)
        let out = ''
        for (const letter of `${whole.slice(cut)} after`) out += stream.push(letter)
        out += stream.end()
        expect(out.length, out).toBeLessThan(80)
        expect(out).toMatch(/ after$/)
        outputs.push(out)
      }
    }
    const marked = outputs.filter((out) => MARK.test(out))
    expect(marked.length).toBeGreaterThan(0)
    expect(outputs.filter((out) => out !== ' after')).toEqual(marked)
    // A preceding block without a secret has no effect.
    const stream = redactor.stream('a whole sentence, sk-ant')
    expect(stream.push('and another') + stream.end()).toBe('and another')
  })

  it('finds a secret split across two blocks of a response', () => {
    const secret = secrets[0]?.text ?? ''
    const block = (text: string, index: number): AnyDraft => ({
      ...base,
      kind: 'assistant_text',
      payload: { text, message_id: 'msg_1', index },
    })
    const drafts = [block(`see ${secret.slice(0, 50)}`, 0), block(`${secret.slice(50)} there`, 1)]
    const texts = make()
      .neighbours(drafts)
      .map((draft) => (draft.kind === 'assistant_text' ? draft.payload.text : ''))
    expect(texts[0]).toMatch(/^see \[redacted:anthropic-key:.{4}\]$/)
    expect(texts[1]).toBe(' there')
  })

  it('recognises part of a split secret when one text comes again alone, as at the end of a turn', () => {
    const secret = secrets[0]?.text ?? ''
    const second = `${secret.slice(50)} there`
    const redactor = make()
    const block = (text: string, index: number): AnyDraft => ({
      ...base,
      kind: 'assistant_text',
      payload: { text, message_id: 'msg_1', index },
    })
    const end: AnyDraft = {
      ...base,
      kind: 'turn_ended',
      payload: { reason: 'end_turn', last_text: second },
      text_identity: { text: second, within_ms: 10 },
    }
    const [, , ended] = redactor.neighbours([block(secret.slice(0, 50), 0), block(second, 1), end])
    expect(ended).toMatchObject({ payload: { last_text: ' there' }, text_identity: { text: ' there' } })
    expect(redactor.text(`and then: ${second}`)).toMatch(/^and then: \[redacted:anthropic-key:.{4}\] there$/)
    expect(make().text(second)).toBe(second)
  })

  it('returns joined texts without secrets unchanged', () => {
    const redactor = make()
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        // `PW:?0`, by chance.
        fc.pre([...texts, texts.join('')].every((text) => redactor.text(text) === text))
        expect(redactor.joined(texts)).toEqual(texts)
      }),
    )
  })

  it('hashes are keyed', () => {
    expect(make().hash('a')).toBe(make().hash('a'))
    expect(make().hash('a')).not.toBe(make({ hashKey: randomBytes(32) }).hash('a'))
  })
})
