import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { commonFields, seeded, timeAt, usageFact, usageOf } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'

const RUNS = runs(6, 60)
const CALLS = 700
const MINUTE = 60_000
const WINDOW = 5 * 60 * MINUTE
const WEEK = 7 * 24 * 60 * MINUTE
/** USD per million tokens of input. */
const MODELS: Readonly<Record<string, number>> = { 'claude-opus-4-6': 5, 'claude-sonnet-4-5': 3, 'claude-haiku-4-5': 1 }
/** Relative to input: tokens read, written, sent, answered. */
const CLASSES = { cache_read_input_tokens: 0.1, cache_creation_input_tokens: 1.25, input_tokens: 1, output_tokens: 5 }

interface Truth {
  readonly session: string
  readonly at: number
  readonly model: string
  readonly units: number
}

/**
 * Calls of some sessions over two and a half windows, which the API weighs as nobody knows: by model and by kind of token.
 * Some reports have no limits. Returns what each call truly used.
 */
function simulate(seed: number) {
  const random = seeded(seed)
  const between = (low: number, high: number) => low + random() * (high - low)
  const weights = Object.fromEntries(Object.keys(MODELS).map((model) => [model, between(0.4, 1.6)]))
  const kinds = Object.fromEntries(Object.keys(CLASSES).map((name) => [name, between(0.3, 1.7)]))
  const sessions = Array.from({ length: 3 + Math.floor(random() * 3) }, (_, at) => ({
    name: `s${at}`,
    model: Object.keys(MODELS)[Math.floor(random() * 3)] ?? '',
    sizes: Object.fromEntries(Object.keys(CLASSES).map((name) => [name, between(200, 6000)])),
  }))
  const calls: (Truth & { readonly usage: ReturnType<typeof usageOf>; readonly n: number })[] = []
  let at = 0
  for (let n = 0; n < CALLS; n += 1) {
    // Work in bursts, with breaks.
    at += random() < 0.03 ? between(5, 25) * MINUTE : between(0.1, 1.2) * MINUTE
    const session = sessions[Math.floor(random() * sessions.length)]
    if (session === undefined) continue
    const usage = Object.fromEntries(
      Object.entries(session.sizes).map(([name, size]) => [
        name,
        Math.round(size * between(0.3, 2) * (name === 'cache_read_input_tokens' ? 12 : 1)),
      ]),
    )
    const price = (MODELS[session.model] ?? 0) * (weights[session.model] ?? 0)
    const units = Object.entries(CLASSES).reduce(
      (sum, [name, rate]) => sum + (usage[name] ?? 0) * rate * (kinds[name] ?? 0) * price,
      0,
    )
    calls.push({ session: session.name, at, model: session.model, units, usage: usageOf(usage), n })
  }
  return { calls, random, resolution: random() < 0.5 ? 0.01 : 0.001 }
}

const isOpus = ({ model }: Truth) => model.includes('opus')
const sum = (calls: readonly Truth[]) => calls.reduce((all, { units }) => all + units, 0)

/** Records a run; returns the share of each window's newest instance that was attributed to another session. */
function errorsOf(seed: number): Readonly<Record<string, number>> {
  const { calls, random, resolution } = simulate(seed)
  const last = calls.at(-1)?.at ?? 0
  const windowOf = (at: number) => Math.floor(at / WINDOW)
  // The fullest window ends at nine tenths of its limit.
  const most = Math.max(
    ...Array.from({ length: windowOf(last) + 1 }, (_, w) => sum(calls.filter(({ at }) => windowOf(at) === w))),
  )
  const scale = { '5h': 0.9 / most, '7d': 0.8 / sum(calls), '7d_opus': 0.8 / Math.max(1, sum(calls.filter(isOpus))) }
  const used = { '5h': 0, '7d': 0, '7d_opus': 0 }
  const shown = (value: number) => Math.floor(value / resolution + 1e-9) * resolution
  const drafts: AnyDraft[] = []
  let window = 0
  for (const call of calls) {
    if (windowOf(call.at) !== window) [window, used['5h']] = [windowOf(call.at), 0]
    used['5h'] += call.units * scale['5h']
    used['7d'] += call.units * scale['7d']
    if (isOpus(call)) used['7d_opus'] += call.units * scale['7d_opus']
    const limits = {
      'unified-5h-utilization': shown(used['5h']),
      'unified-5h-reset': Date.parse(timeAt((window + 1) * WINDOW)) / 1000,
      'unified-7d-utilization': shown(used['7d']),
      'unified-7d-reset': Date.parse(timeAt(WEEK)) / 1000,
      'unified-7d_opus-utilization': shown(used['7d_opus']),
      'unified-7d_opus-reset': Date.parse(timeAt(WEEK)) / 1000,
    }
    const request = { request_id: `req_${call.n}` }
    const [usage] = usageFact(call.session, `m${call.n}`, 'none', call.at, call.usage, call.model).reports
    if (usage === undefined) throw new Error('a usage has a report of the wire')
    const report: AnyDraft = {
      ...commonFields('wire', call.session, call.at - 1),
      ...request,
      kind: 'rate_limit',
      payload: { limits },
      keys: [`limits:${call.n}`],
      parents: [],
    }
    // A tenth of the answers has no limits.
    drafts.push(...(random() < 0.1 ? [] : [report]), { ...usage, ...request })
  }
  const { store, dbPath } = openTestStore()
  store.ingest.append(drafts)
  store.close()
  const { windows } = reading(dbPath, (reader) => readerHandlers['limits.now'](reader, { until: timeAt(last + 1) }))
  return Object.fromEntries(
    windows.map(({ window: name, by_session: found }) => {
      const own = calls.filter((call) =>
        name === '5h' ? windowOf(call.at) === window : name === '7d' ? true : isOpus(call),
      )
      const total = sum(own)
      const names = new Set([...own.map(({ session }) => session), ...found.map((row) => row.session_id)])
      const factor = scale[name as keyof typeof scale]
      const wrong = [...names].reduce((all, session) => {
        const truth = sum(own.filter((call) => call.session === session)) * factor
        return all + Math.abs(truth - (found.find((row) => row.session_id === session)?.used ?? 0))
      }, 0)
      // What the scale rounds away is nobody's.
      return [name, total * factor < 40 * resolution ? 0 : wrong / 2 / (total * factor)]
    }),
  )
}

test('less than 5 % is attributed to another session, whatever models and tokens weigh', () => {
  const errors = Array.from({ length: RUNS }, (_, at) => errorsOf(SEED + at))
  for (const name of ['5h', '7d', '7d_opus']) {
    const found = errors.map((row) => row[name] ?? Number.NaN).toSorted((one, other) => one - other)
    expect(found.at(-1), name).toBeLessThan(0.05)
  }
}, 600_000)
