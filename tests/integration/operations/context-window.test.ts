import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { withWindows } from '../../../src/main/store/read/context-window.ts'
import { contextCurve } from '../../../src/main/store/read/session-usage.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'

const AT = '2025-12-01T10:00:00.000Z'

/** Fill of a window by each call of a session, in tokens. */
function fills(drafts: readonly AnyDraft[]) {
  const { store, dbPath } = openTestStore()
  store.ingest.append(drafts)
  return reading(dbPath, (reader) =>
    withWindows(reader, 's1', contextCurve(reader, 's1', 500)).map((point) => [
      point.context_tokens,
      point.context_window,
    ]),
  )
}

const usage = (model: string, input_tokens: number): AnyDraft =>
  draftOf(
    'api_usage',
    {
      message_id: `m-${model}-${input_tokens}`,
      model,
      usage: {
        input_tokens,
        output_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_creation_1h_input_tokens: 0,
        thinking_tokens: null,
        web_search_requests: 0,
        service_tier: null,
        speed: null,
        inference_geo: null,
      },
      request_kind: 'loop',
      basis: 'measured',
      ttft_ms: null,
    },
    { at: AT, session_id: 's1' },
  )

const request = (beta: string): AnyDraft =>
  draftOf(
    'model_request',
    {
      exchange_id: 'x1',
      request_kind: 'prompt',
      method: 'POST',
      path: '/v1/messages',
      model: 'claude-sonnet-4-5-20250929',
      headers: [['Anthropic-Beta', beta]],
      request: null,
      message_count: 1,
      body_bytes: 1,
    },
    { at: AT, session_id: 's1' },
  )

test('a session is measured by the window of its model', () => {
  expect(fills([usage('claude-haiku-4-5-20251001', 100_000), usage('claude-opus-5-5', 100_000)])).toEqual([
    [100_000, 200_000],
    [100_000, 1_000_000],
  ])
})

test('a request that asks for the long context has its window', () => {
  const call = usage('claude-sonnet-4-5-20250929', 150_000)
  expect(fills([request('claude-code-20250219, context-1m-2025-08-07'), call])).toEqual([[150_000, 1_000_000]])
  expect(fills([request('claude-code-20250219'), call])).toEqual([[150_000, 200_000]])
})

test('no session is fuller than full: a transcript, which names no beta, shows the window by its largest call', () => {
  const calls = [usage('claude-sonnet-4-5-20250929', 90_000), usage('claude-sonnet-4-5-20250929', 442_000)]
  expect(fills(calls)).toEqual([
    [90_000, 1_000_000],
    [442_000, 1_000_000],
  ])
})

test('the window of an unknown model is unknown', () => {
  expect(fills([usage('gpt-7', 90_000)])).toEqual([[90_000, null]])
})

const compaction = (trigger: 'auto' | 'manual'): AnyDraft =>
  draftOf(
    'compaction',
    { trigger, summary: 'Short.', tokens_before: 113_000, tokens_after: null },
    { at: AT, session_id: 's1' },
  )

test('a client that compacts on its own at a part of the window has a smaller one, which is not known', () => {
  const call = usage('claude-opus-5-5', 113_000)
  expect(fills([call, compaction('auto')])).toEqual([[113_000, null]])
  expect(fills([call, compaction('manual')])).toEqual([[113_000, 1_000_000]])
  expect(fills([usage('claude-haiku-4-5-20251001', 160_000), compaction('auto')])).toEqual([[160_000, 200_000]])
})
