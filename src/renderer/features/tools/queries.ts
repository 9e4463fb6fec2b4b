import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { type Range, rangeStart, viewerZone } from '../../lib/time-range.ts'

const REFETCH_MS = 30_000

/** The time range and project that the view covers. */
export interface ToolScope {
  readonly range: Range
  readonly project: string | undefined
}

/** Totals by tool in a scope. */
export function toolTotalsQuery(scope: ToolScope) {
  return queryOptions({
    queryKey: ['stats.summary', 'tools', scope],
    refetchInterval: REFETCH_MS,
    queryFn: async ({ signal }) => {
      const summary = await call('stats.summary', inputOf(scope), signal)
      return [...summary.by_tool].sort((one, other) => other.calls - one.calls)
    },
    placeholderData: keepPreviousData,
  })
}

/** Duration, failures and rejections of each tool. */
export function paceQuery(scope: ToolScope) {
  return queryOptions({
    queryKey: ['tools.pace', scope],
    refetchInterval: REFETCH_MS,
    queryFn: async ({ signal }) => {
      const { items } = await call('tools.pace', inputOf(scope), signal)
      return new Map(items.map((item) => [item.tool, item]))
    },
    placeholderData: keepPreviousData,
  })
}

/** The longest calls. */
export function slowestQuery(scope: ToolScope) {
  return queryOptions({
    queryKey: ['stats.slowest', scope],
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => call('stats.slowest', { by: 'tool', limit: 12, ...inputOf(scope) }, signal),
    placeholderData: keepPreviousData,
  })
}

function inputOf({ range, project }: ToolScope): { since?: string; project?: string } {
  const since = rangeStart(range, Date.now(), viewerZone())
  return {
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(project === undefined ? {} : { project }),
  }
}

/** Calls, newest first, of one tool or all. */
export function callsQuery(scope: ToolScope, tool: string | undefined, failed: boolean) {
  return infiniteQueryOptions({
    queryKey: ['tools.list', scope, tool, failed],
    queryFn: ({ signal, pageParam }) =>
      call(
        'tools.list',
        {
          limit: 50,
          ...inputOf(scope),
          ...(tool === undefined ? {} : { tool_name: tool }),
          ...(failed ? { failed } : {}),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
