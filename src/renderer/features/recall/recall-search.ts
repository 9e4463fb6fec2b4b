import type { OperationInput } from '../../../shared/contract/index.ts'
import { memoriesList } from '../../../shared/contract/people.ts'
import { recallSearch } from '../../../shared/contract/recall.ts'
import { field, words } from '../../lib/address.ts'
import { type Filtered, filters } from '../../lib/filters.ts'
import { type Moving, sinceStartOf } from '../../lib/operation.ts'
import { isRange, type Range, RANGE_LABELS, RANGES, viewerZone } from '../../lib/time-range.ts'
import { PROJECT } from '../../lib/project-filter.ts'

export const HIT_KINDS = ['prompts', 'responses', 'thinking', 'tools'] as const
export type HitKind = (typeof HIT_KINDS)[number]
const PRESET: readonly HitKind[] = ['prompts', 'responses', 'thinking']

/** Filters of a search, besides the kinds and the time. */
export const RECALL_FILTERS = filters(recallSearch, [
  PROJECT,
  { field: 'order', label: 'Order', all: 'Best match first', name: () => 'Newest first', least: 1 },
])

/** Filters of memories. */
export const MEMORY_FILTERS = filters(memoriesList)

/** Days that the time filter offers beside ranges, as the search reads them in the viewer's zone. */
const DAYS = {
  today: { label: 'Today', span: { since: 'today' } },
  yesterday: { label: 'Yesterday', span: { since: 'yesterday', until: 'yesterday' } },
  week: { label: 'This week', span: { since: 'this week' } },
} as const
type When = Exclude<Range, 'all'> | keyof typeof DAYS

const isDay = (text: unknown): text is keyof typeof DAYS => typeof text === 'string' && Object.hasOwn(DAYS, text)

/** Returns the choice of time that a text names; undefined for all time. */
export const whenOf = (text: unknown): When | undefined =>
  isDay(text) || (isRange(text) && text !== 'all') ? text : undefined

/** Choices of time with their labels, for a select. */
export const WHENS: readonly (readonly [value: string, label: string])[] = [
  ['all', 'All time'],
  ...Object.entries(DAYS).map(([day, { label }]) => [day, label] as const),
  ...RANGES.filter((range) => range !== 'all').map((range) => [range, RANGE_LABELS[range]] as const),
]

/** Returns the bounds of a choice of time as moving fields. */
export const spanOf = (when: When | undefined): Moving<{ readonly since?: string; readonly until?: string }> =>
  isDay(when) ? { of: when, fields: () => DAYS[when].span } : sinceStartOf(when ?? 'all')

/** Search parameters of Recall. */
export interface RecallState extends Filtered<typeof RECALL_FILTERS> {
  readonly q?: string | undefined
  readonly kinds?: string | undefined
  readonly range?: When | undefined
  readonly tab?: 'prompts' | undefined
  /** Groups hits by session. */
  readonly group?: 'session' | undefined
}

export function recallSearchState(fields: Record<string, unknown>): RecallState {
  return {
    ...MEMORY_FILTERS.read(fields),
    ...RECALL_FILTERS.read(fields),
    q: field(fields, 'q'),
    kinds: field(fields, 'kinds'),
    range: whenOf(field(fields, 'range')),
    tab: fields['tab'] === 'prompts' ? 'prompts' : undefined,
    group: fields['group'] === 'session' ? 'session' : undefined,
  }
}

/** Returns the kinds to search. The default excludes tools. */
export function chosenKinds(kinds: string | undefined): readonly HitKind[] {
  const named = words(kinds, HIT_KINDS)
  return named.length === 0 ? PRESET : named
}

/** Returns the `kinds` parameter after toggling a kind. The last kind cannot be turned off. */
export function toggledKind(kinds: string | undefined, kind: HitKind): string | undefined {
  const chosen = chosenKinds(kinds)
  const next = HIT_KINDS.filter((name) => chosen.includes(name) !== (name === kind))
  if (next.length === 0) return kinds
  return next.join() === PRESET.join() ? undefined : next.join()
}

/**
 * Returns the input of recall.search for a state, without its range. The last word is a prefix while it is being typed.
 */
export function searchInput(state: RecallState): OperationInput<'recall.search'> {
  const kinds = chosenKinds(state.kinds)
  return {
    ...RECALL_FILTERS.of(state),
    query: state.q ?? '',
    tz: viewerZone(),
    limit: 50,
    prompts: kinds.includes('prompts'),
    responses: kinds.includes('responses'),
    thinking: kinds.includes('thinking'),
    tools: kinds.includes('tools'),
    prefix: /[\p{L}\p{N}_]$/u.test(state.q ?? ''),
    counts: false,
  }
}

/** Returns hits in display order: by rank, or grouped by session with sessions ordered by their best hit. */
export const arranged = <Hit extends { readonly session_id: string }>(
  hits: readonly Hit[],
  group: RecallState['group'],
): readonly Hit[] => (group === undefined ? hits : [...Map.groupBy(hits, (hit) => hit.session_id).values()].flat())
