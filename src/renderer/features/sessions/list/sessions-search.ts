import { field } from '../../../lib/address.ts'

/** The columns that sessions can be sorted by, from the top; without one, the newest first. */
export const SESSION_SORTS = ['active', 'prompts', 'tools', 'errors', 'tokens', 'cost'] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

/** What the address of Sessions says. */
export interface SessionsSearch {
  readonly q?: string | undefined
  readonly project?: string | undefined
  readonly starred?: 'yes' | undefined
  readonly sort?: SessionSort | undefined
  /** When they started. */
  readonly when?: SessionDays | undefined
}

export const SESSION_DAYS = ['today', 'yesterday', '7d', '30d'] as const
export type SessionDays = (typeof SESSION_DAYS)[number]

export function sessionsSearch(fields: Record<string, unknown>): SessionsSearch {
  return {
    q: field(fields, 'q'),
    project: field(fields, 'project'),
    starred: fields['starred'] === 'yes' ? 'yes' : undefined,
    when: SESSION_DAYS.find((days) => days === fields['when']),
    sort: SESSION_SORTS.find((sort) => sort === fields['sort']),
  }
}

export const SESSION_TABS = ['transcript', 'timeline', 'lineage', 'requests', 'numbers'] as const
export type SessionTab = (typeof SESSION_TABS)[number]

/** What the address of one session says: what is shown of it, the event it opens at, and whether its details stand beside. */
export interface SessionSearch {
  readonly tab?: Exclude<SessionTab, 'transcript'> | undefined
  readonly event?: string | undefined
  readonly details?: 'yes' | undefined
  /** Of the timeline: the turn that is shown. */
  readonly turn?: string | undefined
  /** Of the lineage: the event that its tree begins at. */
  readonly root?: string | undefined
}

export function sessionSearch(fields: Record<string, unknown>): SessionSearch {
  const tab = SESSION_TABS.find((name) => name === fields['tab'])
  return {
    tab: tab === 'transcript' ? undefined : tab,
    event: field(fields, 'event'),
    details: fields['details'] === 'yes' ? 'yes' : undefined,
    turn: field(fields, 'turn'),
    root: field(fields, 'root'),
  }
}
