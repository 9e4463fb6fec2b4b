import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { reading } from '../../support/store/reading.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { commonFields, promptFact, timeAt, usageFact, usageOf } from '../../support/store/history.ts'

const MINUTE = 60_000
const RESET_MS = 5 * 60 * MINUTE

/** A call of a session and the report of limits that came with it. */
function call(session: string, n: number, used: number, outputTokens: number): AnyDraft[] {
  const request = { request_id: `req_${n}` }
  const usage = usageOf({ output_tokens: outputTokens })
  const [wire] = usageFact(session, `m${n}`, naturalKey.promptId(session), n * MINUTE, usage, 'claude-opus-5-5').reports
  if (!wire) throw new Error('a usage has a report of the wire')
  const limits = {
    'unified-status': 'allowed',
    'unified-5h-utilization': used,
    'unified-5h-reset': Date.parse(timeAt(RESET_MS)) / 1000,
    'unified-7d_opus-utilization': used / 10,
    'unified-7d_opus-reset': Date.parse(timeAt(RESET_MS * 10)) / 1000,
    'unified-broken-utilization': 'plenty',
  }
  return [
    {
      ...commonFields('wire', session, n * MINUTE - 1),
      ...request,
      kind: 'rate_limit',
      payload: { limits },
      keys: [`limits:${n}`],
      parents: [],
    },
    { ...wire, ...request },
  ]
}

test('limits are attributed to sessions and prompts, for windows of single models too', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append([
    ...promptFact('a', 'a', 'Write a novel', 0).reports,
    ...promptFact('b', 'b', 'Say hi', 0).reports,
  ])
  // Session a uses three times as much with each call.
  for (let n = 1; n <= 60; n += 1) {
    const used = Math.floor((n + 1) / 2) * 0.003 + Math.floor(n / 2) * 0.001
    store.ingest.append(call(n % 2 === 1 ? 'a' : 'b', n, used, n % 2 === 1 ? 3000 : 1000))
  }
  store.close()
  reading(dbPath, (reader) => {
    const { windows } = readerHandlers['limits.now'](reader, { until: timeAt(61 * MINUTE) })
    expect(windows.map(({ window }) => window)).toEqual(['5h', '7d_opus'])
    const [hours] = windows
    expect(hours?.used).toBeCloseTo(0.12, 9)
    expect(hours?.resets_at).toBe(timeAt(RESET_MS))
    const shares = Object.fromEntries(hours?.by_session.map(({ session_id: id, used }) => [id, used]) ?? [])
    expect(shares['a']).toBeCloseTo(0.09, 3)
    expect(shares['b']).toBeCloseTo(0.03, 3)
    expect(hours?.by_prompt[0]).toMatchObject({ session_id: 'a', turn_id: 1, prompt: 'Write a novel', calls: 30 })
    expect(hours?.elsewhere).toBeLessThan(0.003)
    // 0.12 in an hour, four hours to go.
    expect(hours?.forecast?.at_reset).toBeGreaterThan(0.5)
    expect(hours?.forecast?.at_reset).toBeLessThan(0.7)
    expect(hours?.curve.at(-1)).toEqual({ timestamp: timeAt(60 * MINUTE - 1), used: hours?.used })
    const steps = reader.all<{ limit_window: string; steps: number }>(
      'SELECT limit_window, count(step) AS steps FROM limit_steps GROUP BY limit_window ORDER BY limit_window',
    )
    expect(steps).toEqual([
      { limit_window: '5h', steps: 59 },
      { limit_window: '7d_opus', steps: 59 },
    ])
    // After the reset, nothing is used.
    const later = readerHandlers['limits.now'](reader, { until: timeAt(RESET_MS + MINUTE) }).windows[0]
    expect(later).toMatchObject({ used: 0, resets_at: null, forecast: null })
  })
})

test('a forecast whose band is wider than half of the limit is not told, but the rate is', () => {
  const { store, dbPath } = openTestStore()
  // All within one minute of the hour: what follows may be anything.
  for (let n = 1; n <= 60; n += 1) store.ingest.append(call('a', n, n < 30 ? 0.001 : 0.3, 1000))
  store.close()
  reading(dbPath, (reader) => {
    const [hours] = readerHandlers['limits.now'](reader, { until: timeAt(61 * MINUTE) }).windows
    expect(hours).toMatchObject({ used: 0.3, forecast: null })
    expect(hours?.burn_per_hour).toBeGreaterThan(0.2)
  })
})

test('an account without limits has no windows', () => {
  const { store, dbPath } = openTestStore()
  store.close()
  reading(dbPath, (reader) => {
    expect(readerHandlers['limits.now'](reader, {})).toEqual({ at: null, windows: [] })
  })
})
