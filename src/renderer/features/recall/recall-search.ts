import type { OperationInput } from '../../../shared/contract/index.ts'
import { memoriesList } from '../../../shared/contract/people.ts'
import { recallSearch } from '../../../shared/contract/recall.ts'
import { field, words } from '../../lib/address.ts'
import { type Filtered, filters } from '../../lib/filters.ts'
import { isRange, type Range, viewerZone } from '../../lib/time-range.ts'
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

/** Search parameters of Recall. */
export interface RecallState extends Filtered<typeof RECALL_FILTERS> {
  readonly q?: string | undefined
  readonly kinds?: string | undefined
  readonly range?: Range | undefined
  readonly tab?: 'prompts' | undefined
  /** Groups hits by session. */
  readonly group?: 'session' | undefined
}

export function recallSearchState(fields: Record<string, unknown>): RecallState {
  const range = field(fields, 'range')
  return {
    ...MEMORY_FILTERS.read(fields),
    ...RECALL_FILTERS.read(fields),
    q: field(fields, 'q'),
    kinds: field(fields, 'kinds'),
    range: isRange(range) && range !== 'all' ? range : undefined,
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
export function arranged<Hit extends { readonly session_id: string }>(
  hits: readonly Hit[],
  group: RecallState['group'],
): readonly Hit[] {
  return group === undefined ? hits : [...Map.groupBy(hits, (hit) => hit.session_id).values()].flat()
}
