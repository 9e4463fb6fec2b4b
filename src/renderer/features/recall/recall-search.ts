import type { OperationInput } from '../../../shared/contract/index.ts'
import { field, words } from '../../lib/address.ts'
import { isRange, type Range, rangeStart } from '../../lib/time-range.ts'

export const HIT_KINDS = ['prompts', 'responses', 'thinking', 'tools'] as const
export type HitKind = (typeof HIT_KINDS)[number]
const PRESET: readonly HitKind[] = ['prompts', 'responses', 'thinking']

/** What the address of Recall says. */
export interface RecallState {
  readonly q?: string | undefined
  readonly kinds?: string | undefined
  readonly project?: string | undefined
  readonly range?: Range | undefined
  readonly order?: 'time' | undefined
  readonly tab?: 'prompts' | undefined
  /** Hits of one session stand together. */
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

/** The kinds of hits that are looked for; tools only when asked. */
export function chosenKinds(kinds: string | undefined): readonly HitKind[] {
  const named = words(kinds, HIT_KINDS)
  return named.length === 0 ? PRESET : named
}

/** The address after one kind was switched; the last one cannot be switched off. */
export function toggledKind(kinds: string | undefined, kind: HitKind): string | undefined {
  const chosen = chosenKinds(kinds)
  const next = HIT_KINDS.filter((name) => chosen.includes(name) !== (name === kind))
  if (next.length === 0) return kinds
  return next.join() === PRESET.join() ? undefined : next.join()
}

/** What to ask for a state; the last word counts as a beginning while it is typed. */
export function searchInput(state: RecallState, now: number, zone: string): OperationInput<'recall.search'> {
  const kinds = chosenKinds(state.kinds)
  const since = rangeStart(state.range ?? 'all', now, zone)
  return {
    query: state.q ?? '',
    limit: 50,
    prompts: kinds.includes('prompts'),
    responses: kinds.includes('responses'),
    thinking: kinds.includes('thinking'),
    tools: kinds.includes('tools'),
    order: state.order ?? 'relevance',
    prefix: /[\p{L}\p{N}_]$/u.test(state.q ?? ''),
    ...(state.project === undefined ? {} : { project: state.project }),
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
  }
}

/** Hits in the order in which they are shown: as they rank, or session by session, each where its best hit ranks. */
export function arranged<Hit extends { readonly session_id: string }>(
  hits: readonly Hit[],
  group: RecallState['group'],
): readonly Hit[] {
  return group === undefined ? hits : [...Map.groupBy(hits, (hit) => hit.session_id).values()].flat()
}
