import type { EventKind } from '../../../shared/event.ts'
import { field } from '../../lib/address.ts'

/** Event kinds that are shown and hidden together. */
export const KIND_GROUPS = {
  prompts: ['user_prompt'],
  thinking: ['thinking'],
  answers: ['assistant_text'],
  tools: ['tool_call', 'tool_result', 'file_seen'],
  agents: ['agent_started', 'agent_ended'],
  errors: ['error', 'guard_action', 'unknown', 'compaction', 'notification'],
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

/** Search parameters of Live: one session or all, the groups to show, and words to search for. */
export interface LiveSearch {
  readonly session?: string | undefined
  readonly show?: string | undefined
  /** Words to search the stream for. */
  readonly q?: string | undefined
}

export const liveSearch = (fields: Record<string, unknown>): LiveSearch => ({
  session: field(fields, 'session'),
  show: field(fields, 'show'),
  q: field(fields, 'q'),
})

/** Returns the groups that an address shows. The default is all except traffic. */
export function shownGroups(show: string | undefined): readonly KindGroup[] {
  if (show === undefined) return PRESET
  const named = new Set(show.split(','))
  return GROUP_NAMES.filter((group) => named.has(group))
}

/** Returns the `show` parameter after toggling a group, or undefined for the default. */
export function toggledGroup(show: string | undefined, group: KindGroup): string | undefined {
  const shown = shownGroups(show)
  const next = GROUP_NAMES.filter((name) => shown.includes(name) !== (name === group))
  const text = next.length === 0 ? 'none' : next.join(',')
  return text === PRESET.join(',') ? undefined : text
}

/** Returns the event kinds of groups. */
export const kindsOf = (groups: readonly KindGroup[]): ReadonlySet<EventKind> =>
  new Set(groups.flatMap((group): readonly EventKind[] => KIND_GROUPS[group]))
