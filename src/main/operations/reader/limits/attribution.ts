import { explained, fitWeights, type Rise } from './fit-weights.ts'
import type { Instance, Reading } from './window-readings.ts'

/** A call as the limits weigh it. */
export interface Weighable {
  /** When its usage was final, in ms since 1970. */
  readonly at: number
  readonly requestId: string | null
  /**
   * Non-negative amounts that may weigh differently, such as the cost of its output. All calls have the same number.
   */
  readonly features: readonly number[]
}

interface Segment<Call> {
  readonly step: number
  readonly calls: readonly Call[]
  /** The first rise of an instance: other calls may have come before the first reading. */
  readonly isFirst: boolean
  readonly isShown: boolean
}

/** Mean squared errors that differ by less are equal but for rounding. */
const ROUNDING = 1e-9
/** A rise beyond this multiple of our calls' share has another cause. */
const FOREIGN = 3

/**
 * Attributes each rise of a window to the calls since the rise before, by weights fitted to all rises. A report may or
 * may not include its own call: the interpretation that fits better is used. Only rises of the instances from `shown`
 * on are attributed.
 */
export function attribute<Call extends Weighable>(instances: readonly Instance[], calls: readonly Call[], shown = 0) {
  const fits = [true, false].map((includesOwn) => {
    const segments = instances.flatMap((instance, at) =>
      segmentsOf(instance, instances[at - 1], calls, includesOwn).map((segment) => ({
        ...segment,
        isShown: at >= shown,
      })),
    )
    return fitSegments(segments, calls[0]?.features.length ?? 0)
  })
  const [own, later] = fits
  const best = own !== undefined && later !== undefined && later.error < own.error - ROUNDING ? later : own
  const shares = new Map<Call, number>()
  if (best === undefined) return { shares, elsewhere: 0 }
  let elsewhere = 0
  let open: Shared<Call> = NOTHING_SHARED
  const close = () => {
    share(shares, open, best.weights)
    open = NOTHING_SHARED
  }
  for (const { step, calls: causes, isFirst } of best.segments.filter(({ isShown }) => isShown)) {
    if (isFirst) close()
    const total = causes.reduce((sum, { features }) => sum + explained(features, best.weights), 0)
    const isForeign = isFirst || step > FOREIGN * total + 2 * best.resolution
    const ours = causes.length === 0 ? 0 : isForeign ? Math.min(step, total) : step
    elsewhere += step - ours
    open = { used: open.used + ours, calls: [...open.calls, ...causes] }
    if (open.used >= SHARED_STEPS * best.resolution) close()
  }
  close()
  return { shares, elsewhere }
}

interface Shared<Call> {
  readonly used: number
  readonly calls: readonly Call[]
}

const NOTHING_SHARED = { used: 0, calls: [] }
/**
 * Rises are shared among their calls in groups of several steps of the scale. A single step would be attributed to the
 * call that completed it, however little that used.
 */
const SHARED_STEPS = 20

function share<Call extends Weighable>(shares: Map<Call, number>, open: Shared<Call>, weights: readonly number[]) {
  const own = open.calls.map(({ features }) => explained(features, weights))
  const total = own.reduce((sum, weight) => sum + weight, 0)
  open.calls.forEach((call, at) => {
    const part = total > 0 ? ((own[at] ?? 0) / total) * open.used : open.used / open.calls.length
    shares.set(call, (shares.get(call) ?? 0) + part)
  })
}

function fitSegments<Call extends Weighable>(segments: readonly Segment<Call>[], features: number) {
  const steps = segments.map(({ step }) => step).filter((step) => step > 1e-12)
  const resolution = steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY)
  const known = Number.isFinite(resolution) ? resolution : 0
  let rises: Rise[] = segments
    .filter(({ calls, isFirst }) => calls.length > 0 && !isFirst)
    .map(({ step, calls }) => ({
      step,
      features: Array.from({ length: features }, (_, i) =>
        calls.reduce((sum, call) => sum + (call.features[i] ?? 0), 0),
      ),
    }))
  let fit = fitWeights(rises, features, known)
  for (let round = 0; round < 2; round += 1) {
    const { of: weights } = fit
    const kept = rises.filter((rise) => rise.step <= FOREIGN * explained(rise.features, weights) + 2 * known)
    if (kept.length === rises.length || kept.length < 3) break
    rises = kept
    fit = fitWeights(rises, features, known)
  }
  return { segments, weights: fit.of, error: fit.error, resolution: known }
}

/** Splits an instance at its rises. Each call belongs to the rise at, or next after, the reading that includes it. */
function segmentsOf<Call extends Weighable>(
  { readings }: Instance,
  before: Instance | undefined,
  calls: readonly Call[],
  includesOwn: boolean,
): Omit<Segment<Call>, 'isShown'>[] {
  const place = includesOwn ? new Map(readings.map(({ requestId }, at) => [requestId, at])) : new Map()
  const start = before?.readings.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  const end = readings.at(-1)?.at ?? start
  const byReading: Call[][] = readings.map(() => [])
  for (const call of calls) {
    const own: unknown = call.requestId === null ? undefined : place.get(call.requestId)
    if (typeof own === 'number') byReading[own]?.push(call)
    else if (call.at > start && call.at <= end && !(includesOwn && hasOwn(call, before)))
      byReading[firstAfter(readings, call.at)]?.push(call)
  }
  const segments: Omit<Segment<Call>, 'isShown'>[] = []
  let used = 0
  let causes: Call[] = []
  readings.forEach((reading, at) => {
    causes.push(...(byReading[at] ?? []))
    if (reading.used <= used) return
    segments.push({ step: reading.used - used, calls: causes, isFirst: segments.length === 0 })
    used = reading.used
    causes = []
  })
  return segments
}

const hasOwn = (call: Weighable, instance: Instance | undefined): boolean =>
  call.requestId !== null && instance?.readings.at(-1)?.requestId === call.requestId

/** Returns the index of the first reading at or after a time. */
function firstAfter(readings: readonly Reading[], at: number): number {
  let [low, high] = [0, readings.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((readings[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
