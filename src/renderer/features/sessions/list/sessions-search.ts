import { Bot, CircleX, FoldVertical, Star } from 'lucide-react'
import type { OperationInput } from '../../../../shared/contract/index.ts'
import { requestsList } from '../../../../shared/contract/requests.ts'
import { sessionsList } from '../../../../shared/contract/sessions.ts'
import { clientLabel, modelName } from '../../../../shared/vendors.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { field } from '../../../lib/address.ts'
import { type Filtered, filters, valuesOf } from '../../../lib/filters.ts'
import { PROJECT } from '../../../lib/project-filter.ts'

/** The list names API errors and failed tools together, so it offers no sort by error events alone. */
const SORTS = sessionsList.input.shape.sort
  .unwrap()
  .options.filter((sort) => sort !== 'errors' && sort !== 'last_activity')
const SORT_NAMES: Readonly<Record<string, string>> = { active: 'duration', tools: 'tool calls' }

/** Filters of the list, in the order of their controls. */
export const SESSION_FILTERS = filters(sessionsList, [
  { field: 'starred', label: 'Starred', icon: Star },
  { field: 'failed', label: 'With failures', icon: CircleX, title: 'API errors or failed tool calls' },
  { field: 'agents', label: 'With agents', icon: Bot, title: 'With subagents' },
  { field: 'compacted', label: 'Compacted', icon: FoldVertical, title: 'Whose context was compacted' },
  PROJECT,
  {
    field: 'model',
    label: 'Model',
    all: 'All models',
    values: valuesOf('stats.summary', {}, ({ by_model }) => by_model.map(({ model }) => model)),
    name: modelName,
  },
  { field: 'branch', label: 'Branch', all: 'All branches', values: [] },
  {
    field: 'tag',
    label: 'Tag',
    all: 'All tags',
    values: valuesOf('sessions.tags', {}, ({ items }) => items.map((item) => item.tag)),
    least: 1,
  },
  {
    field: 'client',
    label: 'Client',
    all: 'All clients',
    values: valuesOf('stats.summary', {}, ({ by_client }) => by_client.map(({ client }) => client)),
    name: (client) => visibleText(clientLabel(client)),
  },
  {
    // Highest first. The default is the last activity, newest first.
    field: 'sort',
    label: 'Sort',
    all: 'By last activity',
    values: SORTS,
    name: (sort) => `By ${SORT_NAMES[sort] ?? sort}`,
  },
])

export type SessionSort = NonNullable<SessionsSearch['sort']>

/** Search parameters of Sessions. */
export interface SessionsSearch extends Filtered<typeof SESSION_FILTERS> {
  readonly q?: string | undefined
  /** Only sessions active in this span, in ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** When the session started. */
  readonly when?: SessionDays | undefined
}

export const SESSION_DAYS = ['today', 'yesterday', '7d', '30d', 'month'] as const
export type SessionDays = (typeof SESSION_DAYS)[number]

export function sessionsSearch(fields: Record<string, unknown>): SessionsSearch {
  return {
    ...SESSION_FILTERS.read(fields),
    q: field(fields, 'q'),
    from: moment(fields, 'from'),
    to: moment(fields, 'to'),
    when: SESSION_DAYS.find((days) => days === fields['when']),
  }
}

/** Returns the input of sessions.list for the filters, without when the sessions started. */
export function sessionsInput(search: SessionsSearch): OperationInput<'sessions.list'> {
  const { q, from, to } = search
  return { ...SESSION_FILTERS.of(search), limit: 100, query: q, active_since: from, active_before: to }
}

/** A moment in an address; undefined if it is invalid. */
function moment(fields: Record<string, unknown>, name: string): string | undefined {
  const text = field(fields, name)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text
}

/** Tabs as they appear in addresses. The window labels `lineage` as Trace and `numbers` as Usage. */
export const SESSION_TABS = ['transcript', 'timeline', 'lineage', 'requests', 'numbers', 'files'] as const
export type SessionTab = (typeof SESSION_TABS)[number]

/** Filters of a session's requests. */
export const REQUEST_FILTERS = filters(requestsList)

/** Search parameters of a session: the tab, the event to open at or the end, the words to mark, and whether details are open. */
export interface SessionSearch extends Filtered<typeof REQUEST_FILTERS> {
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
    ...REQUEST_FILTERS.read(fields),
    tab: tab === 'transcript' ? undefined : tab,
    event: field(fields, 'event'),
    at: fields['at'] === 'end' ? 'end' : undefined,
    find: field(fields, 'find'),
    details: fields['details'] === 'yes' ? 'yes' : undefined,
    turn: field(fields, 'turn'),
    root: field(fields, 'root'),
  }
}
