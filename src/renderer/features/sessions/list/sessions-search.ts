import type { OperationInput } from '../../../../shared/contract/index.ts'
import { field } from '../../../lib/address.ts'

/** Sort columns, highest first. The default is the last activity, newest first. */
export const SESSION_SORTS = ['started', 'active', 'prompts', 'tools', 'errors', 'failures', 'tokens', 'cost'] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

/** Search parameters of Sessions. */
export interface SessionsSearch {
  readonly q?: string | undefined
  readonly project?: string | undefined
  readonly starred?: 'yes' | undefined
  readonly failed?: 'yes' | undefined
  readonly client?: string | undefined
  readonly model?: string | undefined
  readonly branch?: string | undefined
  /** Only sessions that a person tagged so. */
  readonly tag?: string | undefined
  /** Only sessions with subagents. */
  readonly agents?: 'yes' | undefined
  /** Only sessions active in this span, in ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly sort?: SessionSort | undefined
  /** When the session started. */
  readonly when?: SessionDays | undefined
}

export const SESSION_DAYS = ['today', 'yesterday', '7d', '30d', 'month'] as const
export type SessionDays = (typeof SESSION_DAYS)[number]

export function sessionsSearch(fields: Record<string, unknown>): SessionsSearch {
  return {
    q: field(fields, 'q'),
    project: field(fields, 'project'),
    starred: fields['starred'] === 'yes' ? 'yes' : undefined,
    failed: fields['failed'] === 'yes' ? 'yes' : undefined,
    client: field(fields, 'client'),
    model: field(fields, 'model'),
    branch: field(fields, 'branch'),
    tag: field(fields, 'tag'),
    agents: fields['agents'] === 'yes' ? 'yes' : undefined,
    from: moment(fields, 'from'),
    to: moment(fields, 'to'),
    when: SESSION_DAYS.find((days) => days === fields['when']),
    sort: SESSION_SORTS.find((sort) => sort === fields['sort']),
  }
}

/** Returns the input of sessions.list for the filters, without when the sessions started. */
export function sessionsInput(search: SessionsSearch): OperationInput<'sessions.list'> {
  const { q, project, starred, failed, client, model, branch, tag, agents, from, to, sort } = search
  return {
    limit: 100,
    query: q,
    project,
    starred: starred && true,
    failed: failed && true,
    client,
    model,
    branch,
    tag,
    agents: agents && true,
    active_since: from,
    active_before: to,
    sort: sort ?? 'last_activity',
  }
}

/** A moment of an address; undefined if it is none. */
function moment(fields: Record<string, unknown>, name: string): string | undefined {
  const text = field(fields, name)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text
}

/** Tabs as they appear in addresses. The window labels `lineage` as Trace and `numbers` as Usage. */
export const SESSION_TABS = ['transcript', 'timeline', 'lineage', 'requests', 'numbers', 'files'] as const
export type SessionTab = (typeof SESSION_TABS)[number]

/** Search parameters of a session: the tab, the event to open at or the end, the words to mark, and whether details are open. */
export interface SessionSearch {
  readonly tab?: Exclude<SessionTab, 'transcript'> | undefined
  readonly event?: string | undefined
  readonly at?: 'end' | undefined
  readonly find?: string | undefined
  readonly details?: 'yes' | undefined
  /** Timeline: the turn to show. */
  readonly turn?: string | undefined
  /** Trace: the root of the tree. */
  readonly root?: string | undefined
}

export function sessionSearch(fields: Record<string, unknown>): SessionSearch {
  const tab = SESSION_TABS.find((name) => name === fields['tab'])
  return {
    tab: tab === 'transcript' ? undefined : tab,
    event: field(fields, 'event'),
    at: fields['at'] === 'end' ? 'end' : undefined,
    find: field(fields, 'find'),
    details: fields['details'] === 'yes' ? 'yes' : undefined,
    turn: field(fields, 'turn'),
    root: field(fields, 'root'),
  }
}
