import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyDraft } from '../../../draft.ts'
import { of } from '../../../fixtures/drafts.ts'
import { assistant, decode, linesOf, user } from '../../../fixtures/transcript-lines.ts'

describe('whatever a file holds', () => {
  const lines = linesOf('calls')
  const whole = decode(lines)
  const keysOf = (drafts: readonly AnyDraft[]) =>
    new Set(drafts.filter(({ kind }) => kind !== 'unknown').flatMap(({ keys }) => keys))

  test('a damaged line costs only itself', () => {
    fc.assert(
      fc.property(fc.nat(lines.length - 1), fc.nat(), fc.string({ maxLength: 20 }), (at, place, garbage) => {
        const line = lines[at] ?? ''
        const cut = place % line.length
        const damaged = lines.with(at, line.slice(0, cut) + garbage)
        const own = keysOf(decode([line]))
        const message = /"id":"(msg_\w+)"/.exec(line)?.[1]
        const kept = keysOf(decode(damaged))
        const others = [...keysOf(whole)].filter((key) => !own.has(key) && !(message && key.includes(message)))
        expect(others.length).toBeGreaterThan(0)
        expect(others.filter((key) => !kept.has(key))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('repeated and reordered lines make no fact that was not there', () => {
    const known = keysOf(whole)
    fc.assert(
      fc.property(fc.shuffledSubarray([...lines, ...lines.slice(0, 10)]), (shuffled) => {
        const facts = [...keysOf(decode(shuffled))].filter((key) => !/^(?:block:|cost-state)/.test(key))
        expect(facts.filter((key) => !known.has(key))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  test('any JSON line is taken', () => {
    const line = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'system', 'attachment', 'summary', 'cost-state', 'x'),
        uuid: fc.jsonValue(),
        parentUuid: fc.jsonValue(),
        message: fc.oneof(
          fc.jsonValue(),
          fc.record({ content: fc.jsonValue(), id: fc.jsonValue(), usage: fc.jsonValue() }),
        ),
        attachment: fc.jsonValue(),
        subtype: fc.jsonValue(),
        timestamp: fc.jsonValue(),
        isCompactSummary: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.jsonValue())), (file) => {
        const drafts = decode(file.map((value) => JSON.stringify(value)))
        expect(
          drafts.every(({ source, ts_wall }) => source === 'transcript' && !Number.isNaN(Date.parse(ts_wall))),
        ).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  test('a line of seven million characters', () => {
    const long = 'x'.repeat(7_000_000)
    const drafts = decode([
      user('u1', null, [{ type: 'tool_result', tool_use_id: 't1', content: long }]),
      '{"broken":"' + long,
    ])
    expect(of(drafts, 'tool_result')[0]?.payload.output).toHaveLength(7_000_000)
    expect(JSON.stringify(of(drafts, 'unknown')).length).toBeLessThan(70_000)
  })

  test('JSON nested ten thousand deep', () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const drafts = decode([
      `{"type":"user","uuid":"d","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t9","content":${deep}}]}}`,
      user('u1', null, 'After.'),
    ])
    expect(of(drafts, 'user_prompt')).toHaveLength(1)
    expect(JSON.stringify(of(drafts, 'tool_result'))).toContain('nested deeper than')
  })
})

test('a uuid that two lines have names what the first says: the second says something else', () => {
  const first = user('u1', null, 'one')
  const drafts = decode([
    first,
    user('u1', null, 'two'),
    first,
    assistant('u1', 'u1', 'm1', [{ type: 'text', text: 'x' }]),
  ])
  const prompts = drafts.flatMap((draft) => (draft.kind === 'user_prompt' ? [[draft.payload.text, draft.keys[0]]] : []))
  expect(prompts.map(([text]) => text)).toEqual(['one', 'two', 'one'])
  expect(new Set(prompts.map(([, key]) => key))).toEqual(new Set(['line:u1', prompts[1]?.[1]]))
  expect(prompts[1]?.[1]).not.toBe('line:u1')
})

test.each([1793527200000, 1793527200, '1793527200000', '1793527200.0', '2026-11-01T10:00:00+00:00'])(
  'the time %s of a line is that moment',
  (timestamp) => {
    const [prompt] = decode([user('u1', null, 'one', { timestamp })])
    expect(prompt?.ts_wall).toBe('2026-11-01T10:00:00.000Z')
  },
)
