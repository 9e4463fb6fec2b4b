import type { EventKind } from '../../../shared/event.ts'
import { field } from '../../lib/address.ts'

/** Groups of kinds that can be shown or hidden together. */
export const KIND_GROUPS = {
  prompts: ['user_prompt'],
  thinking: ['thinking'],
  answers: ['assistant_text'],
  tools: ['tool_call', 'tool_result'],
  agents: ['agent_started', 'agent_ended'],
  errors: ['error', 'unknown', 'compaction', 'notification'],
  traffic: [
    'model_request',
    'model_response',
    'api_usage',
    'rate_limit',
    'session_started',
    'session_ended',
    'turn_ended',
    'task_update',
    'state_change',
  ],
} as const satisfies Record<string, readonly EventKind[]>
export type KindGroup = keyof typeof KIND_GROUPS

export const GROUP_NAMES = Object.keys(KIND_GROUPS) as readonly KindGroup[]
const PRESET: readonly KindGroup[] = GROUP_NAMES.filter((group) => group !== 'traffic')

/** What the address of Live says: one session or all, and the groups that are shown. */
export interface LiveSearch {
  readonly session?: string | undefined
  readonly show?: string | undefined
}

export function liveSearch(fields: Record<string, unknown>): LiveSearch {
  return { session: field(fields, 'session'), show: field(fields, 'show') }
}

/** The groups that an address shows; without a word about it, all but the traffic itself. */
export function shownGroups(show: string | undefined): readonly KindGroup[] {
  if (show === undefined) return PRESET
  const named = new Set(show.split(','))
  return GROUP_NAMES.filter((group) => named.has(group))
}

/** The address after one group was shown or hidden; undefined where it is the preset again. */
export function toggledGroup(show: string | undefined, group: KindGroup): string | undefined {
  const shown = shownGroups(show)
  const next = GROUP_NAMES.filter((name) => shown.includes(name) !== (name === group))
  const text = next.length === 0 ? 'none' : next.join(',')
  return text === PRESET.join(',') ? undefined : text
}

/** The kinds of the groups. */
export function kindsOf(groups: readonly KindGroup[]): ReadonlySet<EventKind> {
  return new Set(groups.flatMap((group): readonly EventKind[] => KIND_GROUPS[group]))
}
