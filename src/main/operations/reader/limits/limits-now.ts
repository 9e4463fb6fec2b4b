import { CheckedBands } from '../../../../shared/checked-bands.ts'
import { compareText } from '../../../../shared/compare-text.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { ReaderHandler } from '../../../dispatch/handlers.ts'
import {
  limitNames,
  limitReports,
  weighedCalls,
  type LimitReport,
  type WeighedCall,
} from '../../../store/read/limit-readings.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { pricedUsage } from '../receipt/sums.ts'
import { attribute } from './attribution.ts'
import { curveOf } from './curve.ts'
import { accountLabels, accountsOfCalls } from './accounts.ts'
import { checkForecasts, forecast, incrementsOf, isTelling } from './forecast.ts'
import {
  instancesOf,
  inUse,
  lengthOf,
  readingsByWindow,
  type Instance,
  type WindowReadings,
} from './window-readings.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

/** History that forecasts are checked against. */
const HISTORY_MS = 28 * DAY_MS
const SHARES_SHOWN = 50
/** Number of models with their own weights; the others share one set. */
const MODELS_APART = 3

type Call = WeighedCall & {
  readonly at: number
  readonly requestId: string | null
  readonly features: readonly number[]
}

/** Returns the used share of each limit, who used it, and the expected share at its reset. */
export const limitsNow: ReaderHandler<'limits.now'> = (reader, { since, until }) => {
  const now = until === undefined ? Date.now() : Date.parse(until)
  const end = new Date(now + 1).toISOString()
  const history = Math.min(now - HISTORY_MS, since === undefined ? now : Date.parse(since))
  const reports = limitReports(reader, new Date(history).toISOString(), end)
  const all = readingsByWindow(reports)
  const windows = (since === undefined ? inUse(all, now) : all).map((of) => ({
    of,
    instances: instancesOf(of.readings),
    from: since === undefined ? startOf(of) : Date.parse(since),
  }))
  const earliest = Math.min(now, ...windows.map(({ from }) => from))
  const calls = featuresOf(reader, weighedCalls(reader, new Date(earliest).toISOString(), end))
  const labelOf = accountLabels(
    windows.map(({ of }) => of.account),
    reader.accounts,
  )
  const counted = callsOf(
    windows.map(({ of }) => of),
    reports,
    calls,
  )
  return {
    at: reports.at(-1)?.timestamp ?? null,
    windows: windows
      .map(({ of, instances, from }) => ({
        ...labelOf(of.account),
        ...(of.account === null ? {} : { account_id: of.account }),
        ...describe(reader, of.window, instances, counted(of), from, now),
      }))
      .sort(
        (a, b) =>
          compareText(a.account ?? '', b.account ?? '') ||
          (lengthOf(a.window) ?? 0) - (lengthOf(b.window) ?? 0) ||
          compareText(a.window, b.window),
      ),
  }
}

/**
 * Returns which calls a window counts: those of its account. A call that names none counts if its client reported this
 * limit for a single account.
 */
function callsOf(windows: readonly WindowReadings[], reports: readonly LimitReport[], calls: readonly Call[]) {
  const accounts = accountsOfCalls(reports, calls)
  return ({ account, window, clients }: WindowReadings): readonly Call[] => {
    const isOnly = (client: string | null) =>
      clients.has(client) &&
      windows.filter((other) => other.window === window && other.clients.has(client)).length === 1
    return countedCalls(
      window,
      calls.filter((call) => {
        const own = accounts.get(call) ?? null
        return own === null ? isOnly(call.client) : own === account
      }),
    )
  }
}

/** The beginning of a window's newest instance. */
function startOf({ window, readings }: WindowReadings): number {
  const last = readings.at(-1)
  const length = lengthOf(window) ?? DAY_MS
  return (last?.resetsAt ?? (last?.at ?? 0) + length) - length
}

function describe(
  reader: Reader,
  window: string,
  instances: readonly Instance[],
  calls: readonly Call[],
  from: number,
  now: number,
): LimitWindow {
  const length = lengthOf(window)
  const newest = instances.at(-1)
  const last = newest?.readings.at(-1)
  const resetsAt = newest?.resetsAt ?? null
  const isOver = resetsAt !== null && resetsAt <= now
  const checked = length === null ? new CheckedBands() : checkForecasts(instances, length)
  const made =
    last === undefined || length === null || resetsAt === null || isOver
      ? null
      : forecast(incrementsOf(instances), { used: last.used, now, resetsAt, lengthMs: length }, checked.widen)
  const shown = instances.filter(({ readings }) => (readings.at(-1)?.at ?? 0) >= from)
  const own = countedCalls(window, calls)
  const known = instances.filter(({ readings }) => (readings.at(-1)?.at ?? 0) >= (own[0]?.at ?? from))
  const { shares, elsewhere } = attribute(known, own, known.length - shown.length)
  const attributed = [...shares.values()].reduce((sum, share) => sum + share, 0)
  const used = attributed + elsewhere
  return {
    window,
    // After its reset, a window is empty until the next call.
    used: isOver ? 0 : (last?.used ?? 0),
    read_at: last === undefined ? null : iso(last.at),
    resets_at: isOver ? null : iso(resetsAt),
    burn_per_hour: made?.perHour ?? null,
    forecast:
      made === null || !isTelling(made)
        ? null
        : {
            at_reset: made.value,
            low: made.low,
            high: made.high,
            confidence: 0.9,
            exhausted_at: iso(made.exhaustedAt),
            exhausted_earliest: iso(made.exhaustedEarliest),
          },
    forecast_checks: { checks: checked.checks, hits: checked.hits },
    curve: curveOf(
      shown.flatMap(({ readings }) => readings).filter(({ at }) => at >= from),
      length ?? 0,
    ),
    since: iso(from) ?? '',
    attributed,
    elsewhere,
    covered_share: used === 0 ? null : attributed / used,
    ...sharesBy(reader, shares),
    gaps: gapsOf(
      elsewhere,
      used,
      length,
      newest,
      own.filter(({ at }) => at >= from),
    ),
  }
}

/** Returns the calls that a window counts: those of a model, if its name ends in one (`7d_opus`). */
function countedCalls(window: string, calls: readonly Call[]): readonly Call[] {
  const [, name] = /_([a-z]{3,})$/.exec(window) ?? []
  const ofModel = name === undefined ? [] : calls.filter(({ model }) => model.includes(name))
  return ofModel.length > 0 ? ofModel : calls
}

/**
 * Splits each call's cost into amounts that may weigh differently: by kind of token, and separately for the most
 * expensive models.
 */
function featuresOf(reader: Reader, calls: readonly WeighedCall[]): Call[] {
  const byModel = new Map<string, number>()
  for (const { model, cost_usd: cost } of calls) byModel.set(model, (byModel.get(model) ?? 0) + (cost ?? 0))
  const models = [...byModel].sort((a, b) => b[1] - a[1]).map(([model]) => model)
  const groups = Math.min(models.length, MODELS_APART + 1)
  const groupOf = new Map(models.map((model, at) => [model, Math.min(at, MODELS_APART)]))
  return calls.map((call) => {
    const parts = reader.pricing.parts(call.model, pricedUsage(call), call.timestamp)
    // A model without a price is weighted by common prices.
    const amounts = parts
      ? [parts.input, parts.cache_read, parts.cache_write_5m + parts.cache_write_1h, parts.output]
      : [
          call.input_tokens * 3e-6,
          call.cache_read_tokens * 3e-7,
          call.cache_write_tokens * 3.75e-6,
          call.output_tokens * 1.5e-5,
        ]
    const features = Array.from({ length: groups * amounts.length }, () => 0)
    const offset = (groupOf.get(call.model) ?? 0) * amounts.length
    amounts.forEach((amount, at) => (features[offset + at] = amount))
    return { ...call, at: Date.parse(call.timestamp), requestId: call.request_id, features }
  })
}

function sharesBy(reader: Reader, shares: ReadonlyMap<Call, number>) {
  const prompts = top(shares, ({ session_id, turn_id }) => ({ session_id, turn_id }))
  const sessions = top(shares, ({ session_id }) => ({ session_id }))
  const names = limitNames(reader, [...prompts, ...sessions.map(({ session_id }) => ({ session_id, turn_id: 0 }))])
  const nameOf = new Map(names.map((name) => [`${name.session_id}\n${name.turn_id}`, name]))
  return {
    by_session: sessions.map((row) => ({ ...row, title: nameOf.get(`${row.session_id}\n0`)?.title ?? null })),
    by_agent: top(shares, ({ session_id, agent_id }) => ({ session_id, agent_id })),
    by_prompt: prompts.map((row) => ({
      ...row,
      prompt: nameOf.get(`${row.session_id}\n${row.turn_id}`)?.prompt ?? null,
    })),
  }
}

/** Sums shares by group, largest first. */
function top<Group extends object>(shares: ReadonlyMap<Call, number>, groupOf: (call: Call) => Group) {
  const groups = new Map<string, Group & { used: number; calls: number; cost_usd: number }>()
  for (const [call, share] of shares) {
    const group = groupOf(call)
    const key = JSON.stringify(group)
    const sum = groups.get(key) ?? { ...group, used: 0, calls: 0, cost_usd: 0 }
    sum.used += share
    sum.calls += 1
    sum.cost_usd += call.cost_usd ?? 0
    groups.set(key, sum)
  }
  return [...groups.values()].sort((a, b) => b.used - a.used).slice(0, SHARES_SHOWN)
}

function gapsOf(
  elsewhere: number,
  used: number,
  length: number | null,
  newest: Instance | undefined,
  calls: readonly Call[],
): string[] {
  const unpriced = calls.filter(({ cost_usd: cost }) => cost === null).length
  return [
    ...(elsewhere > 0.005 && elsewhere > used * 0.02
      ? [
          'Part of the limit was used by requests that are not recorded here: another machine, or traffic past the proxy.',
        ]
      : []),
    ...(length === null ? ['The length of this window is not known from its name, so there is no forecast.'] : []),
    ...(newest?.resetsAt === null ? ['The API reported no reset time, so there is no forecast.'] : []),
    ...(unpriced > 0 ? [`${unpriced} requests without a price are weighed by their tokens.`] : []),
  ]
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
