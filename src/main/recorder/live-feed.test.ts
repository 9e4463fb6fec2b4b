import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveBatch } from '../../shared/contract/live.ts'
import { createRedactor } from '../redaction/create-redactor.ts'
import { createLiveFeed } from './live-feed.ts'
import type { LiveFeed } from './live-feed.ts'

const origin = { session_id: 's', agent_id: null, exchange_id: 'e' }
let sent: LiveBatch[]
let feed: LiveFeed
beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  feed = createLiveFeed(createRedactor({ hashKey: Buffer.alloc(32), enabled: true }), (batch) => sent.push(batch))
})
afterEach(() => {
  vi.useRealTimers()
})

test('a thousand pieces become at most ten batches a second, and no character is missing', () => {
  for (let at = 0; at < 1000; at++) {
    feed.deltas(origin, [{ index: 0, block: 'text', text: `${at} ` }])
    vi.advanceTimersByTime(1)
  }
  feed.deltas(origin, [{ index: 0, block: 'text', text: '', done: true }])
  vi.advanceTimersByTime(200)
  expect(sent.length).toBeLessThanOrEqual(13)
  const text = sent.flatMap((batch) => batch.deltas.map((delta) => delta.text)).join('')
  expect(text).toBe(Array.from({ length: 1000 }, (_, at) => `${at} `).join(''))
  expect(sent.at(-1)?.deltas.at(-1)?.done).toBe(true)
})

test('a secret cut over pieces and batches is never shown', () => {
  const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
  for (const letter of `key ${secret} end.`) {
    feed.deltas(origin, [{ index: 0, block: 'thinking', text: letter }])
    vi.advanceTimersByTime(120)
  }
  feed.close('e')
  vi.advanceTimersByTime(200)
  const text = sent.flatMap((batch) => batch.deltas.map((delta) => delta.text)).join('')
  expect(text).toMatch(/^key \[redacted:[^\]]+\] end\.$/)
})

test('blocks of two exchanges stay apart; a closed exchange ends its blocks', () => {
  feed.deltas(origin, [{ index: 0, block: 'text', text: 'one' }])
  feed.deltas({ ...origin, exchange_id: 'f' }, [{ index: 0, block: 'tool_input', tool_name: 'Bash', text: 'two' }])
  feed.close('e')
  feed.close('f')
  feed.close('unknown')
  vi.advanceTimersByTime(200)
  const deltas = sent.flatMap((batch) => batch.deltas)
  expect(deltas.filter((delta) => delta.done)).toMatchObject([
    { exchange_id: 'e', block: 'text' },
    { exchange_id: 'f', block: 'tool_input', tool_name: 'Bash' },
  ])
})
