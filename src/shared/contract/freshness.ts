import type { OperationName, OperationOutput } from './index.ts'

/** Settings by which a view keeps an operation's answers current. */
export interface Freshness<Output = unknown> {
  /** Interval in ms at which the operation is called again while its answer is on screen; null: never. */
  readonly refetchMs?: number | null | ((answer: Output | undefined) => number | null)
  /** An answer younger than this is not refetched when another view needs it. */
  readonly freshMs?: number
  /** Time for which an answer is kept after no view shows it. */
  readonly keptMs?: number
  /** The previous answer stays on screen while the answer to another input is loading. */
  readonly keepsPrevious?: boolean
  /** True if the operation is called again when the window gets the focus. */
  readonly refetchesOnFocus?: true
  /** False: a failure is shown at once. */
  readonly retries?: false
}

const MINUTE_MS = 60_000

/** Refetch settings by operation. A view that needs others passes them itself. */
export const FRESHNESS: { readonly [Name in OperationName]?: Freshness<OperationOutput<Name>> } = {
  'budgets.forecast': { refetchMs: MINUTE_MS, keepsPrevious: true },
  // It is also fetched again when a budget reaches a mark.
  'budgets.status': { refetchMs: 10_000 },
  'cache.summary': { refetchMs: 10_000, keepsPrevious: true },
  'carry.list': { refetchMs: 10_000, keepsPrevious: true },
  'compactions.dropped': { keepsPrevious: true, retries: false },
  'costs.breakdown': { refetchMs: 10_000, keepsPrevious: true },
  'costs.series': { refetchMs: 10_000, keepsPrevious: true },
  'errors.list': { keepsPrevious: true },
  // What was recorded by an event stays, if the answer names one.
  'files.at': { freshMs: MINUTE_MS, retries: false },
  'health.get': { refetchMs: 2_000 },
  // A thumbnail that is scrolled out of sight is forgotten.
  'images.get': { freshMs: Number.POSITIVE_INFINITY, keptMs: MINUTE_MS },
  'limits.latest': { refetchMs: 30_000 },
  'limits.now': { refetchMs: MINUTE_MS },
  'recall.months': { keepsPrevious: true, retries: false },
  'recall.pack': { keepsPrevious: true, retries: false },
  'recall.search': { keepsPrevious: true, retries: false },
  receipt: { freshMs: 30_000, keepsPrevious: true },
  'requests.diff': { retries: false },
  // Refetched until a request has its response; after that it never changes.
  'requests.get': { refetchMs: (request) => (request?.response === null ? 2_000 : null) },
  'served.list': { refetchMs: MINUTE_MS, keepsPrevious: true },
  'sessions.deletions': { refetchMs: (pending) => ((pending?.items.length ?? 0) > 0 ? 1_000 : null) },
  // A session without an end may still change.
  'sessions.get': { refetchMs: (session) => (session?.ended_at === null ? 10_000 : null) },
  'sessions.page': { keepsPrevious: true },
  'sessions.resume_truth': { keepsPrevious: true, retries: false },
  'stats.slowest': { refetchMs: 30_000, keepsPrevious: true },
  'team.get': { freshMs: MINUTE_MS },
  'tools.list': { keepsPrevious: true },
  'tools.pace': { refetchMs: 30_000, keepsPrevious: true },
  'transcripts.find': { freshMs: MINUTE_MS },
  'transcripts.running': { refetchMs: 10_000, retries: false },
  // Another window may have started the import.
  'transcripts.status': { refetchMs: (status) => (status?.state === 'running' ? 500 : 5_000) },
}
