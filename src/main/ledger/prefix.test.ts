import { describe, expect, test } from 'vitest'
import type { Json } from '../../shared/event.ts'
import type { ShapeBlock } from '../../shared/request-shape.ts'
import { explainDivergence, explainLife, explainReach } from './prefix.ts'
import type { RequestBlocks } from './request-blocks.ts'

const EPHEMERAL = { type: 'ephemeral' }
const block = (hash: string, more: Partial<ShapeBlock> = {}): ShapeBlock => ({ hash, kind: 'text', bytes: 10, ...more })

interface Given {
  readonly tools?: readonly ShapeBlock[]
  readonly system?: readonly ShapeBlock[]
  /** One message for each list of hashes, of the user and the model in turn. */
  readonly messages?: readonly (readonly string[])[]
  readonly marks?: { readonly [pointer: string]: Json }
  readonly parameters?: { readonly [name: string]: Json }
}

function request({ tools = [], system = [], messages = [], marks = {}, parameters = {} }: Given): RequestBlocks {
  const shown = messages.map((hashes, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    blocks: hashes.map((hash) => block(hash)),
  }))
  const shape = { marks, parameters } as unknown as RequestBlocks['shape']
  return { tools, system, messages: shown, shape }
}

const AT_ONCE = { compacted: false, resumed: null }

/** `count` blocks in one message, with a mark on the last. */
function long(count: number): RequestBlocks {
  const hashes = Array.from({ length: count }, (_, at) => `h${at}`)
  return request({ messages: [hashes], marks: { [`/messages/0/content/${count - 1}`]: EPHEMERAL } })
}

describe('the API looks for an entry in the twenty blocks before a mark', () => {
  test('an entry 19 blocks before the mark is found', () => {
    expect(explainReach(long(1), long(20))).toBeNull()
  })

  test('one 20 blocks before it is not', () => {
    expect(explainReach(long(1), long(21))).toEqual({
      kind: 'lookback_exceeded',
      where: '/messages/0/content/20',
      detail: 'the entry is 20 blocks before the next mark; the API looks at 20',
    })
  })

  test('the nearest mark after the entry counts, and one on the entry itself', () => {
    const hashes = Array.from({ length: 40 }, (_, at) => `h${at}`)
    const marks = { '/messages/0/content/10': EPHEMERAL, '/messages/0/content/39': EPHEMERAL }
    expect(explainReach(long(1), request({ messages: [hashes], marks }))).toBeNull()
    expect(explainReach(long(5), long(5))).toBeNull()
  })

  test('without a mark after it, the entry cannot be read', () => {
    expect(explainReach(long(5), long(3))).toEqual({
      kind: 'marks_changed',
      where: '/messages/0/content/2',
      detail: 'no mark after /messages/0/content/4',
    })
    expect(explainReach(long(5), request({ messages: [['h0']] }))).toMatchObject({ where: null })
    expect(explainReach(request({ messages: [['h0']] }), long(3))).toBeNull()
  })
})

describe('the first difference within what was cached explains a miss', () => {
  const marks = { '/system/1': EPHEMERAL, '/messages/2/content/0': EPHEMERAL }
  const before = {
    tools: [block('t0', { kind: 'tool', tool: 'Read' })],
    system: [block('s0'), block('s1')],
    messages: [['u0'], ['a0'], ['u1']],
    marks,
  }

  test('a changed tool, before anything else', () => {
    const tools = [block('t1', { kind: 'tool', tool: 'Read' })]
    const now = request({ ...before, tools, system: [block('s9'), block('s1')] })
    expect(explainDivergence(request(before), now, AT_ONCE)).toMatchObject({ kind: 'tools_changed', where: 'tools[0]' })
  })

  test('a changed block of the system prompt, or of a message', () => {
    const system = request({ ...before, system: [block('s0'), block('s9')] })
    expect(explainDivergence(request(before), system, AT_ONCE)).toEqual({
      kind: 'system_changed',
      where: 'system[1]',
      detail: 'changed: text, 10 bytes → text, 10 bytes',
    })
    const message = request({ ...before, messages: [['u0'], ['a9'], ['u1']] })
    expect(explainDivergence(request(before), message, AT_ONCE)).toMatchObject({
      kind: 'messages_changed',
      where: 'messages[1].content[0]',
    })
  })

  test('a block that moved, was added or was removed is called so', () => {
    const detail = (messages: readonly (readonly string[])[]) =>
      explainDivergence(request(before), request({ ...before, messages }), AT_ONCE)?.detail
    expect(detail([['u1'], ['a0'], ['u0']])).toBe('moved: text, 10 bytes')
    expect(detail([['new'], ['a0'], ['u0'], ['u1']])).toBe('moved: text, 10 bytes')
    expect(detail([['a0'], ['u1']])).toMatch(/^removed: text, 10 bytes$/)
    const whole = request(before)
    const shorter = { ...whole, messages: whole.messages.toSpliced(1, 1) }
    expect(explainDivergence(whole, shorter, AT_ONCE)).toMatchObject({
      where: 'messages[1].content[0]',
      detail: 'removed: message of role assistant',
    })
  })

  test('a message of the other role, or with blocks in place of a string, is called so', () => {
    const now = request(before)
    const changed = (fields: object) => ({
      ...now,
      messages: now.messages.map((message, at) => (at === 1 ? { ...message, ...fields } : message)),
    })
    const detail = (one: RequestBlocks, other: RequestBlocks) => explainDivergence(one, other, AT_ONCE)?.detail
    expect(detail(now, changed({ role: 'user' }))).toBe('role assistant → user')
    expect(detail(changed({ plain: true }), now)).toBe('string → blocks')
    expect(detail(now, changed({ plain: true }))).toBe('blocks → string')
  })

  test('a compaction or a resume in between is named instead of the difference', () => {
    const now = request({ ...before, messages: [['u0'], ['a9'], ['u1']] })
    expect(explainDivergence(request(before), now, { compacted: true, resumed: null })).toEqual({
      kind: 'compaction',
      where: 'messages[1].content[0]',
      detail: null,
    })
    expect(explainDivergence(request(before), now, { compacted: false, resumed: 'fork' })).toEqual({
      kind: 'resumed',
      where: 'messages[1].content[0]',
      detail: 'fork: changed: text, 10 bytes → text, 10 bytes',
    })
  })

  test('the marked block itself belongs to the prefix', () => {
    const now = request({ ...before, messages: [['u0'], ['a0'], ['u9']] })
    expect(explainDivergence(request(before), now, AT_ONCE)).toMatchObject({
      kind: 'messages_changed',
      where: 'messages[2].content[0]',
    })
  })

  test('a difference after the last mark explains nothing', () => {
    const longer = { ...before, messages: [...before.messages, ['a1']] }
    const now = request({ ...longer, messages: [['u0'], ['a0'], ['u1'], ['a9']] })
    expect(explainDivergence(request(longer), now, AT_ONCE)).toBeNull()
  })

  test('a parameter of the cache key explains it, whatever the blocks', () => {
    const from = request({ ...before, parameters: { thinking: 1, effort: 'low' } })
    const now = request({ ...before, parameters: { thinking: 1, effort: 'high' } })
    expect(explainDivergence(from, now, AT_ONCE)).toEqual({
      kind: 'parameters_changed',
      where: 'effort',
      detail: '"low" → "high"',
    })
  })

  test('so does a mark for others, but none that came or went while another finds the entry', () => {
    const change = (changed: { readonly [pointer: string]: Json }) =>
      explainDivergence(request(before), request({ ...before, marks: changed }), AT_ONCE)
    expect(change({ ...marks, '/system/1': { type: 'ephemeral', scope: 'global' } })).toMatchObject({
      kind: 'marks_changed',
      where: '/system/1',
      detail: '{"type":"ephemeral"} → {"scope":"global","type":"ephemeral"}',
    })
    expect(change({ ...marks, '/system/1': { type: 'ephemeral', ttl: '1h' } })).toBeNull()
    expect(change({ ...marks, '/system/0': EPHEMERAL })).toBeNull()
    expect(change({ '/messages/2/content/0': EPHEMERAL })).toBeNull()
    expect(change(marks)).toBeNull()
  })

  test('another life of a mark is an explanation of its own', () => {
    const life = (changed: { readonly [pointer: string]: Json }) =>
      explainLife(request(before), request({ ...before, marks: { ...marks, ...changed } }))
    const hour = { type: 'ephemeral', ttl: '1h' }
    expect(life({ '/system/1': hour })).toEqual({ kind: 'marks_changed', where: '/system/1', detail: '5m → 1h' })
    expect(life({ '/messages/2/content/0': hour })).toMatchObject({ where: '/messages/2/content/0' })
    expect(life({ '/system/1': { type: 'ephemeral', ttl: '5m' } })).toBeNull()
  })
})
