import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../shared/event.ts'
import type { CacheVerdict, RequestShape, ShapeBlock } from '../../shared/request-shape.ts'
import type { Call } from './call.ts'
import { explainMiss, type Signs } from './explain.ts'
import type { RequestBlocks } from './request-blocks.ts'
import { HOUR_MS, MINUTE_MS } from '../../shared/time-units.ts'

interface Given {
  readonly system?: readonly ShapeBlock[]
  /** One block a message, of the user and the model in turn. */
  readonly messages?: readonly ShapeBlock[]
  readonly marks?: { readonly [pointer: string]: Json }
  readonly betas?: readonly string[]
  readonly asksWhy?: boolean
  readonly previous?: string
}

const block = (hash: string, more: Partial<ShapeBlock> = {}): ShapeBlock => ({ hash, kind: 'text', bytes: 10, ...more })
const SYSTEM = [block('s0')]
const MESSAGES = ['u0', 'a0', 'u1'].map((hash) => block(hash))

function blocksOf({ system = SYSTEM, messages = MESSAGES, ...given }: Given = {}): RequestBlocks {
  const shape: Partial<RequestShape> = {
    marks: given.marks ?? { [`/messages/${messages.length - 1}/content/0`]: { type: 'ephemeral' } },
    betas: given.betas ?? [],
    parameters: {},
    asks_why: given.asksWhy ?? false,
    previous_message: given.previous ?? null,
  }
  return {
    tools: [],
    system,
    messages: messages.map((one, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', blocks: [one] })),
    shape: shape as RequestShape,
  }
}

function withShape(shape: Partial<RequestShape>): RequestBlocks {
  const made = blocksOf()
  return { ...made, shape: { ...made.shape, ...shape } }
}

function call(sentAt: number, more: Partial<Call> = {}): Call {
  return {
    model: 'claude-opus-4-5',
    sentAt,
    begunAt: sentAt,
    notSentBefore: null,
    answeredAt: null,
    monotonic: null,
    isCaptured: true,
    usage: { input: 10, read: 0, written: 5000, written1h: 0 },
    speed: null,
    ttlMs: 5 * MINUTE_MS,
    blocks: blocksOf(),
    messageId: null,
    ...more,
  }
}

const SIGNS: Signs = {
  compacted: false,
  resumed: null,
  verdict: null,
  edited: null,
  isOtherAccount: false,
  between: 0,
  kept: { elsewhere: Infinity, longer: 0 },
}
const FOUND_NONE: CacheVerdict = { type: null, tokens: null }
const explain = (before: Call, now: Call, signs: Partial<Signs> = {}) =>
  explainMiss(before, now, { ...SIGNS, ...signs })

describe('the pause decides first', () => {
  test('an entry lives to the end of its time, and not a moment longer', () => {
    expect(explain(call(0), call(5 * MINUTE_MS - 1000))).toMatchObject({ kind: 'provider' })
    expect(explain(call(0), call(5 * MINUTE_MS))).toMatchObject({ kind: 'unknown' })
    expect(explain(call(0), call(5 * MINUTE_MS + 1000))).toEqual({
      kind: 'ttl_expired',
      where: null,
      detail: 'last used 5 min 1 s before; it lives 5 min',
    })
    expect(explain(call(0, { ttlMs: HOUR_MS }), call(2 * HOUR_MS + 90 * MINUTE_MS))).toMatchObject({
      detail: 'last used 3 h 30 min before; it lives 1 h',
    })
  })

  test('a clock that was set back says nothing, by either clock', () => {
    const setBack = 'the clock was set back between the two requests'
    expect(explain(call(MINUTE_MS), call(0))).toMatchObject({ kind: 'unknown', detail: setBack })
    // Two hours of the run passed, and one minute of the clock.
    const run = [call(0, { monotonic: 0 }), call(MINUTE_MS, { monotonic: 2 * HOUR_MS })] as const
    expect(explain(...run)).toMatchObject({ kind: 'unknown', detail: setBack })
  })

  test("the upstream's clock counts if ours was set forward or back", () => {
    for (const shift of [-HOUR_MS, HOUR_MS]) {
      const now = call(MINUTE_MS + shift, { answeredAt: MINUTE_MS })
      expect(explain(call(0, { answeredAt: 0 }), now)).toMatchObject({ kind: 'provider' })
    }
    const late = call(MINUTE_MS, { answeredAt: 10 * MINUTE_MS })
    expect(explain(call(0, { answeredAt: 0 }), late)).toMatchObject({ kind: 'ttl_expired' })
  })

  test('of a call that was not captured, only the end is known: it may have been sent in time', () => {
    const unseen = { isCaptured: false, blocks: null }
    expect(explain(call(0), call(15 * MINUTE_MS, unseen))).toMatchObject({ kind: 'unknown' })
    expect(explain(call(0), call(16 * MINUTE_MS, unseen))).toMatchObject({ kind: 'ttl_expired' })
  })

  test('what was read must fit an expiry: no more than others share with the conversation, or was kept for an hour', () => {
    const reads = (read: number, signs: Partial<Signs> = {}, more: Partial<Call> = {}) => {
      const usage = { input: 10, read, written: 20_500 - read, written1h: 0 }
      const before = call(0, { usage: { input: 10, read: 15_000, written: 5000, written1h: 0 } })
      return explain(before, call(30 * MINUTE_MS, { usage, ...more }), signs)
    }
    const began = { kept: { elsewhere: 16_000, longer: 0 } }
    const alive = { kind: 'unknown', detail: expect.stringContaining('had not expired') }
    for (const unseen of [{}, { blocks: null, isCaptured: false }]) {
      expect(reads(0, began, unseen)).toMatchObject({ kind: 'ttl_expired' })
      expect(reads(16_000, began, unseen)).toMatchObject({ kind: 'ttl_expired' })
      expect(reads(16_001, began, unseen)).toMatchObject(alive)
      // All but 37 tokens, with nothing known of the beginning.
      expect(reads(19_963, {}, unseen)).toMatchObject(alive)
    }
    expect(reads(19_963, { kept: { elsewhere: 16_000, longer: 19_963 } })).toMatchObject({ kind: 'ttl_expired' })
    // A difference explains what expiry does not.
    const changed = blocksOf({ messages: [...MESSAGES.slice(0, 2), block('u9')] })
    expect(reads(19_963, began, { blocks: changed })).toMatchObject({ kind: 'messages_changed' })
    expect(reads(19_963, began, { model: 'claude-haiku-4-5' })).toMatchObject({ kind: 'model_changed' })
  })

  test('after five minutes, a difference in what lasts an hour is named, within that hour', () => {
    const marks = { '/system/0': { type: 'ephemeral', ttl: '1h' }, '/messages/2/content/0': { type: 'ephemeral' } }
    const before = call(0, { blocks: blocksOf({ marks }) })
    const changed = blocksOf({ marks, system: [block('s9')] })
    expect(explain(before, call(30 * MINUTE_MS, { blocks: changed }))).toMatchObject({ kind: 'system_changed' })
    expect(explain(before, call(2 * HOUR_MS, { blocks: changed }))).toMatchObject({ kind: 'ttl_expired' })
  })
})

test('an expiry names what changed, too, and says that its amount is at most that of a shorter prompt', () => {
  const late = (more: Partial<Call>) => explain(call(0), call(30 * MINUTE_MS, more)).detail
  const lives = 'last used 30 min before; it lives 5 min'
  expect(late({})).toBe(lives)
  expect(late({ blocks: blocksOf({ system: [block('s9')] }) })).toBe(`${lives}; system[0] changed, too`)
  expect(late({ model: 'claude-haiku-4-5' })).toBe(`${lives}; model changed, too`)
  expect(late({ usage: { input: 10, read: 0, written: 4900, written1h: 0 } })).toContain('; at most: earlier messages')
})

test('a model or a speed that changed is named; no speed is the standard one', () => {
  expect(explain(call(0), call(1, { model: 'claude-haiku-4-5' }))).toMatchObject({
    kind: 'model_changed',
    detail: 'claude-opus-4-5 → claude-haiku-4-5',
  })
  expect(explain(call(0), call(1, { speed: 'fast' }))).toMatchObject({
    kind: 'speed_changed',
    detail: 'standard → fast',
  })
  expect(explain(call(0), call(1, { speed: 'standard' }))).toMatchObject({ kind: 'provider' })
})

describe('without the blocks of a request', () => {
  test('a resume counts before nothing', () => {
    const unseen = call(1, { blocks: null })
    expect(explain(call(0), unseen, { resumed: 'resume' })).toMatchObject({ kind: 'resumed', detail: 'resume' })
    expect(explain(call(0), unseen)).toMatchObject({ detail: 'the request was not captured or its body is gone' })
    const before = (isCaptured: boolean) => explain(call(0, { blocks: null, isCaptured }), call(1))
    expect(before(false)).toMatchObject({ kind: 'unknown', detail: 'the request before was not captured' })
    expect(before(true)).toMatchObject({ kind: 'unknown', detail: 'the body of the request before is gone' })
  })

  test('a request that was not captured in between leaves the cause unknown, unless others were seen there', () => {
    const longer = blocksOf({ messages: [...MESSAGES, ...['a1', 'u2', 'a2', 'u3'].map((hash) => block(hash))] })
    const gap = 'a request in between was not captured'
    expect(explain(call(0), call(1, { blocks: longer }))).toMatchObject({ kind: 'unknown', detail: gap })
    expect(explain(call(0), call(1, { blocks: longer }), { between: 1 })).toMatchObject({ kind: 'provider' })
    expect(explain(call(0), call(6 * MINUTE_MS, { blocks: longer }))).toMatchObject({ kind: 'unknown', detail: gap })
  })
})

describe('with equal blocks', () => {
  test('betas that came or went are named', () => {
    const by = (betas: readonly string[]) => blocksOf({ betas })
    const change = (from: readonly string[], to: readonly string[]) =>
      explain(call(0, { blocks: by(from) }), call(1, { blocks: by(to) }))
    expect(change(['a', 'b'], ['a'])).toEqual({ kind: 'betas_changed', where: 'betas', detail: 'removed: b' })
    expect(change(['a'], ['a', 'c'])).toMatchObject({ detail: 'added: c' })
    expect(change(['a', 'b'], ['b', 'c'])).toMatchObject({ detail: 'added: c; removed: a' })
  })

  test('a prompt below the minimum of its model is not cached; one of exactly that size is', () => {
    const uncached = (input: number) => call(1, { usage: { input, read: 0, written: 0, written1h: 0 } })
    expect(explain(call(0), uncached(4095))).toEqual({
      kind: 'below_minimum',
      where: null,
      detail: '4095 of 4096 tokens',
    })
    expect(explain(call(0), uncached(4096))).toMatchObject({ kind: 'provider' })
  })

  test('the first image, or the loss of the only one, makes all messages miss, unless the API found no difference', () => {
    const asksWhy = true
    const plain = blocksOf({ asksWhy })
    const withImage = (kind: Partial<ShapeBlock>) =>
      blocksOf({ asksWhy, messages: [...MESSAGES, block('a1'), block('i', kind)], marks: plain.shape.marks })
    for (const image of [{ kind: 'image' }, { kind: 'tool_result', image: true as const }]) {
      const now = call(1, { blocks: withImage(image) })
      expect(explain(call(0, { blocks: plain }), now)).toEqual({
        kind: 'messages_changed',
        where: 'messages[4].content[0]',
        detail: 'no message changed: the first image came, by the documented rule',
      })
      expect(explain(call(0, { blocks: plain }), now, { verdict: FOUND_NONE })).toMatchObject({ kind: 'provider' })
    }
    const removed = explain(call(0, { blocks: withImage({ kind: 'image' }) }), call(1, { blocks: plain }))
    expect(removed).toMatchObject({
      kind: 'messages_changed',
      detail: expect.stringContaining('the only image was removed'),
    })
  })

  test('the API lost the entry, unless another answer or a removed secret could hide a difference', () => {
    const asked = (previous: string) => call(1, { blocks: blocksOf({ previous }) })
    const before = call(0, { messageId: 'msg_1' })
    expect(explain(before, asked('msg_1'))).toMatchObject({
      kind: 'provider',
      detail: expect.stringContaining('equal'),
    })
    expect(explain(before, asked('msg_2'))).toMatchObject({ kind: 'unknown' })
    expect(explain(call(0), asked('msg_2'))).toMatchObject({ kind: 'provider' })
    const secret = block('s0', { redacted: true })
    const hidden = [{ system: [secret] }, { messages: [secret, ...MESSAGES.slice(1)] }].map((given) => blocksOf(given))
    for (const blocks of hidden)
      expect(explain(call(0, { blocks }), call(1, { blocks }))).toMatchObject({ kind: 'unknown' })
  })

  test('a block that the settings cut, or another parameter, could hide a difference', () => {
    const cut = blocksOf({ messages: [...MESSAGES.slice(0, 2), block('u1', { cut: true })] })
    expect(explain(call(0, { blocks: cut }), call(1, { blocks: cut }))).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining('the settings kept only a part'),
    })
    const other = (hash: string) => withShape({ other_parameters: { container: hash } })
    const change = (from: string, to: string) =>
      explain(call(0, { blocks: other(from) }), call(1, { blocks: other(to) }))
    expect(change('a', 'a')).toMatchObject({ kind: 'provider' })
    expect(change('a', 'b')).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('container') })
  })

  test('a record that does not show all blocks, marks or settings never blames the provider', () => {
    const whole = blocksOf()
    const old = { role: '', blocks: [block('u0', { kind: 'unknown' })] }
    const marks = { '/system/0': { type: 'ephemeral' } }
    const unsplit = { ...blocksOf({ marks }), messages: [old, ...whole.messages.slice(1)] }
    const reason = 'was recorded with messages[0] as one block'
    expect(explain(call(0, { blocks: unsplit }), call(1, { blocks: unsplit }))).toMatchObject({
      kind: 'unknown',
      detail: `the request before ${reason}`,
    })
    const split = { ...whole, shape: { ...whole.shape, marks } }
    expect(explain(call(0, { blocks: split }), call(1, { blocks: { ...split, messages: unsplit.messages } }))).toEqual({
      kind: 'unknown',
      where: null,
      detail: `the request ${reason}`,
    })
    // An earlier difference still counts.
    const changed = { ...unsplit, system: [block('s9')] }
    expect(explain(call(0, { blocks: unsplit }), call(1, { blocks: changed }))).toMatchObject({
      kind: 'system_changed',
    })
    // So it does not matter that the next version splits the message.
    const newer = blocksOf({ messages: [...MESSAGES, block('a1'), block('u2')] })
    expect(explain(call(0, { blocks: { ...unsplit, shape: whole.shape } }), call(1, { blocks: newer }))).toMatchObject({
      kind: 'unknown',
      detail: `the request before ${reason}`,
    })
    const partial = withShape({ partial: true })
    const now = withShape({ betas: ['a'], parameters: { thinking: 1 } })
    expect(explain(call(0, { blocks: partial }), call(1, { blocks: now }))).toMatchObject({
      kind: 'unknown',
      detail: 'the request before was recorded without its betas and parameters',
    })
  })

  test('what the API itself takes out of the context is never its fault', () => {
    expect(explain(call(0), call(1), { edited: 'clear_tool_uses_20250919' })).toEqual({
      kind: 'messages_changed',
      where: null,
      detail: 'no message changed: the API edited the context, as asked (clear_tool_uses_20250919)',
    })
    // What says more than a difference would, comes first.
    const edited = 'clear_tool_uses_20250919'
    const asks = blocksOf({ asksWhy: true })
    expect(explain(call(0), call(1, { blocks: asks }), { edited, verdict: FOUND_NONE }).kind).toBe('provider')
    expect(explain(call(0, { blocks: withShape({ partial: true }) }), call(1), { edited }).kind).toBe('unknown')
    const skips = call(1, { blocks: blocksOf({ previous: 'm9' }) })
    expect(explain(call(0, { messageId: 'm1' }), skips, { edited }).kind).toBe('unknown')
    const thought = [block('u0'), block('a0', { kind: 'thinking' }), block('u1')]
    const keepAll = { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }
    const kindAfter = (more: readonly ShapeBlock[], parameters: Json = {}) => {
      const [before, now] = [thought, [...thought, ...more]].map((messages) => {
        const made = blocksOf({ messages, marks: { '/messages/2/content/0': { type: 'ephemeral' } } })
        return call(0, { blocks: { ...made, shape: { ...made.shape, parameters: parameters as JsonObject } } })
      })
      return explain(before ?? call(0), now ?? call(0)).kind
    }
    const ofResults = [block('a1', { kind: 'tool_use' }), block('r1', { kind: 'tool_result' })]
    expect(kindAfter(ofResults)).toBe('provider')
    expect(kindAfter([block('a1'), block('u2')])).toBe('unknown')
    expect(kindAfter([block('a1'), block('u2')], keepAll)).toBe('provider')
  })

  test('what another account or key asked, the API may have kept apart', () => {
    const found = explain(call(0), call(1), { isOtherAccount: true, verdict: FOUND_NONE })
    expect(found).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('another account or key') })
    const other = call(1, { blocks: blocksOf({ system: [block('s1')] }) })
    expect(explain(call(0), other, { isOtherAccount: true }).kind).toBe('system_changed')
  })

  test("the API's own verdict counts only if it was asked for and is conclusive", () => {
    const blocks = blocksOf({ asksWhy: true, system: [block('s0', { redacted: true })] })
    const verdictOf = (verdict: CacheVerdict, of = blocks) =>
      explain(call(0, { blocks: of }), call(1, { blocks: of }), { verdict })
    expect(verdictOf(FOUND_NONE)).toMatchObject({ kind: 'provider', detail: expect.stringContaining('the API found') })
    expect(verdictOf({ ...FOUND_NONE, inconclusive: true })).toMatchObject({ kind: 'unknown' })
    expect(verdictOf({ type: 'messages', tokens: 1 })).toMatchObject({ kind: 'unknown' })
    expect(verdictOf(FOUND_NONE, blocksOf({ system: [block('s0', { redacted: true })] }))).toMatchObject({
      kind: 'unknown',
    })
  })
})
