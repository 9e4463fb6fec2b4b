import type { OperationInput } from '../../../shared/contract/index.ts'
import { field, words } from '../../lib/address.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

export const HIT_KINDS = ['prompts', 'responses', 'thinking', 'tools'] as const
export type HitKind = (typeof HIT_KINDS)[number]
const PRESET: readonly HitKind[] = ['prompts', 'responses', 'thinking']

/** Search parameters of Recall. */
export interface RecallState {
  readonly q?: string | undefined
  readonly kinds?: string | undefined
  readonly project?: string | undefined
  readonly range?: Range | undefined
  readonly order?: 'time' | undefined
  readonly tab?: 'prompts' | undefined
  /** Groups hits by session. */
  readonly group?: 'session' | undefined
}

export function recallSearchState(fields: Record<string, unknown>): RecallState {
  const range = field(fields, 'range')
  return {
    q: field(fields, 'q'),
    kinds: field(fields, 'kinds'),
    project: field(fields, 'project'),
    range: isRange(range) && range !== 'all' ? range : undefined,
    order: fields['order'] === 'time' ? 'time' : undefined,
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
    query: state.q ?? '',
    limit: 50,
    prompts: kinds.includes('prompts'),
    responses: kinds.includes('responses'),
    thinking: kinds.includes('thinking'),
    tools: kinds.includes('tools'),
    order: state.order ?? 'relevance',
    prefix: /[\p{L}\p{N}_]$/u.test(state.q ?? ''),
    counts: false,
    project: state.project,
  }
}

/** Returns hits in display order: by rank, or grouped by session with sessions ordered by their best hit. */
export function arranged<Hit extends { readonly session_id: string }>(
  hits: readonly Hit[],
  group: RecallState['group'],
): readonly Hit[] {
  return group === undefined ? hits : [...Map.groupBy(hits, (hit) => hit.session_id).values()].flat()
}
