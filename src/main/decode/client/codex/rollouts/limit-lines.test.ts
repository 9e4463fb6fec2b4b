import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../draft.ts'
import { createRolloutDecoder } from './rollout-decoder.ts'

const THREAD = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
const TURN = '01a205b1-d652-7003-9371-95e24e872b03'

const line = (type: string, payload: object) => JSON.stringify({ timestamp: '2026-11-22T23:57:50.576Z', type, payload })
const meta = line('session_meta', { id: THREAD, cwd: '/work', cli_version: '0.169.0' })
const record = (id: string) =>
  line('token_usage_record', { turn_id: TURN, response_id: id, usage: { input_tokens: 10, output_tokens: 3 } })
const counted = (more: object) => line('event_msg', { type: 'token_count', ...more })
const limited = (used: number) =>
  counted({
    info: null,
    rate_limits: { limit_id: 'codex', primary: { used_percent: used, window_minutes: 300 }, secondary: null },
  })

/** Returns the used share of each limit, and whether its key names its response. */
function found(lines: readonly string[]): unknown[] {
  const decoder = createRolloutDecoder()
  const drafts: AnyDraft[] = [...lines.flatMap((each) => decoder.line(each)), ...decoder.end()]
  return drafts.flatMap((draft) =>
    draft.kind === 'rate_limit'
      ? [[draft.payload.limits['unified-5h_codex-utilization'], draft.keys[0]?.startsWith('limits-of:')]]
      : [],
  )
}

test('limits are those of the response whose usage was just named', () => {
  const id = 'resp_000000000000000000000001'
  expect(found([meta, record(id), limited(50), limited(50), record(id), limited(50)])).toEqual([
    [0.5, true],
    [0.5, true],
  ])
})

test('limits are new when they change, in files that name no response', () => {
  expect(found([meta, limited(50), limited(50), limited(75), counted({ rate_limits: 7 })])).toEqual([
    [0.5, false],
    [0.75, false],
  ])
})
