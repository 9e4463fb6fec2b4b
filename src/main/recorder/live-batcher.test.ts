import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveBatch } from '../../shared/contract/live.ts'
import { createRedactor } from '../redaction/create-redactor.ts'
import { LiveBatcher } from './live-batcher.ts'

const origin = { session_id: 's', agent_id: null, exchange_id: 'e' }
let sent: LiveBatch[]
let batcher: LiveBatcher
beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  batcher = new LiveBatcher(createRedactor({ hashKey: Buffer.alloc(32), enabled: true }), (batch) => sent.push(batch))
})
afterEach(() => {
  vi.useRealTimers()
})

test('a thousand pieces become at most ten batches a second, and no character is missing', () => {
  for (let at = 0; at < 1000; at++) {
    batcher.deltas(origin, [{ index: 0, block: 'text', text: `${at} ` }])
    vi.advanceTimersByTime(1)
  }
  batcher.deltas(origin, [{ index: 0, block: 'text', text: '', done: true }])
  vi.advanceTimersByTime(200)
  expect(sent.length).toBeLessThanOrEqual(13)
  const text = sent.flatMap((batch) => batch.deltas.map((delta) => delta.text)).join('')
  expect(text).toBe(Array.from({ length: 1000 }, (_, at) => `${at} `).join(''))
  expect(sent.at(-1)?.deltas.at(-1)?.done).toBe(true)
})

test('a secret split across pieces and batches is never shown', () => {
  const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
  for (const letter of `key ${secret} end.`) {
    batcher.deltas(origin, [{ index: 0, block: 'thinking', text: letter }])
    vi.advanceTimersByTime(120)
  }
  batcher.close('e')
  vi.advanceTimersByTime(200)
  const text = sent.flatMap((batch) => batch.deltas.map((delta) => delta.text)).join('')
  expect(text).toMatch(/^key \[redacted:[^\]]+\] end\.$/)
})

test('blocks of two exchanges stay apart; a closed exchange ends its blocks', () => {
  batcher.deltas(origin, [{ index: 0, block: 'text', text: 'one' }])
  batcher.deltas({ ...origin, exchange_id: 'f' }, [{ index: 0, block: 'tool_input', tool_name: 'Bash', text: 'two' }])
  batcher.close('e')
  batcher.close('f')
  batcher.close('unknown')
  vi.advanceTimersByTime(200)
  const deltas = sent.flatMap((batch) => batch.deltas)
  expect(deltas.filter((delta) => delta.done)).toMatchObject([
    { exchange_id: 'e', block: 'text' },
    { exchange_id: 'f', block: 'tool_input', tool_name: 'Bash' },
  ])
})

const SECRET = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

/** The blocks' texts as a reader assembles them from the batches. */
function shown(
  blocks: readonly { readonly block: 'text' | 'thinking'; readonly text: string }[],
  size: number,
): string[] {
  sent = []
  for (const [index, { block, text }] of blocks.entries()) {
    for (let at = 0; at < text.length; at += size) {
      batcher.deltas(origin, [{ index, block, text: text.slice(at, at + size) }])
      vi.advanceTimersByTime(100)
    }
    batcher.deltas(origin, [{ index, block, text: '', done: true }])
  }
  batcher.close('e')
  vi.advanceTimersByTime(200)
  const deltas = sent.flatMap((batch) => batch.deltas)
  expect(deltas.filter((delta) => delta.done)).toHaveLength(blocks.length)
  return blocks.map((_, index) =>
    deltas
      .filter((delta) => delta.index === index)
      .map((delta) => delta.text)
      .join(''),
  )
}

test('a secret split across two blocks of one kind is shown in neither, wherever it is split', () => {
  for (let cut = 1; cut < SECRET.length; cut += 3) {
    const [first = '', second = ''] = shown(
      [
        { block: 'text', text: `key ${SECRET.slice(0, cut)}` },
        { block: 'text', text: `${SECRET.slice(cut)} end.` },
      ],
      1 + (cut % 9),
    )
    expect(first).toMatch(/^key \[redacted:anthropic-key:.{4}\]$/)
    expect(second).toMatch(/^(\[redacted:anthropic-key:.{4}\])? end\.$/)
  }
})

test('a secret may span three blocks, one of them empty; text that only looks like a secret is shown in the end', () => {
  const three = ['sk-ant-api03-', '', SECRET.slice(13)].map((text) => ({ block: 'thinking' as const, text }))
  expect(shown(three, 5).join('')).toMatch(/^(\[redacted:anthropic-key:.{4}\])+$/)
  const plain = [
    { block: 'text' as const, text: 'it begins with sk-ant-' },
    { block: 'text' as const, text: 'but is not a key' },
    { block: 'thinking' as const, text: 'sk-' },
  ]
  expect(shown(plain, 4)).toEqual(plain.map(({ text }) => text))
})

test('texts without secrets are shown completely, however they are split into blocks', () => {
  const block = fc.record({
    block: fc.constantFrom('text' as const, 'thinking' as const),
    text: fc.string({ maxLength: 30 }),
  })
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 12 }), (blocks, size) => {
      expect(shown(blocks, size)).toEqual(blocks.map(({ text }) => text))
    }),
    { numRuns: 200 },
  )
})
