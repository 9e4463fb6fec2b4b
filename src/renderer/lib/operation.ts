import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Freshness, FRESHNESS } from '../../shared/contract/freshness.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { call, defined } from './client.ts'
import { type Range, rangeStart, viewerZone } from './time-range.ts'

/** Fields of an input that depend on when the operation is called, such as the start of the last 24 hours. */
export interface Moving<Input> {
  /** The key of the fields in the cache. */
  readonly of: unknown
  readonly fields: () => Partial<Input>
}

/** Options of a view besides the input. */
export interface Wishes<Name extends OperationName, Data = OperationOutput<Name>> extends Freshness<
  OperationOutput<Name>
> {
  readonly enabled?: boolean
  readonly moving?: Moving<OperationInput<Name>>
  readonly select?: (answer: OperationOutput<Name>) => Data
}

/** Returns the `since` of a range as a moving field. */
export function sinceStartOf(range: Range): Moving<{ readonly since?: string }> {
  return {
    of: range,
    fields() {
      const since = rangeStart(range, Date.now(), viewerZone())
      return since === null ? {} : { since: new Date(since).toISOString() }
    },
  }
}

/** Returns the span as long as a range, right before it, as moving fields. */
export function spanBefore(range: Range): Moving<{ readonly since?: string; readonly until?: string }> {
  return {
    of: `before ${range}`,
    fields() {
      const now = Date.now()
      const start = rangeStart(range, now, viewerZone())
      if (start === null) return {}
      return { since: new Date(2 * start - now).toISOString(), until: new Date(start - 1).toISOString() }
    },
  }
}

/** Returns the query options that keep an operation's answers current. The view's own options take precedence. */
export function currency<Name extends OperationName>(name: Name, wishes: Freshness<OperationOutput<Name>> = {}) {
  const known: Freshness<OperationOutput<Name>> = FRESHNESS[name] ?? {}
  const { refetchMs, freshMs, keptMs, keepsPrevious, refetchesOnFocus, retries } = { ...known, ...wishes }
  return defined({
    refetchInterval:
      typeof refetchMs === 'function'
        ? ({ state }: { readonly state: { readonly data: unknown } }) =>
            refetchMs(state.data as OperationOutput<Name> | undefined) ?? false
        : (refetchMs ?? undefined),
    staleTime: freshMs,
    gcTime: keptMs,
    placeholderData: keepsPrevious === true ? keepPreviousData : undefined,
    refetchOnWindowFocus: refetchesOnFocus,
    retry: retries,
  })
}

const merged = <Input>(input: Input, moving: Moving<Input> | undefined): Input => ({ ...input, ...moving?.fields() })

/** Returns the query of an operation: its name and input are its key. */
export function operationQuery<Name extends OperationName, Data = OperationOutput<Name>>(
  name: Name,
  input: OperationInput<Name>,
  { enabled = true, moving, select, ...wishes }: Wishes<Name, Data> = {},
) {
  return queryOptions({
    queryKey: [name, input, ...(moving === undefined ? [] : [moving.of])] as readonly unknown[],
    queryFn: ({ signal }) => call(name, merged(input, moving), signal),
    enabled,
    ...defined({ select }),
    ...currency(name, wishes),
  })
}

/** Calls an operation while the component is on screen. */
export function useOperation<Name extends OperationName, Data = OperationOutput<Name>>(
  name: Name,
  input: OperationInput<Name>,
  wishes: Wishes<Name, Data> = {},
) {
  return useQuery(operationQuery(name, input, wishes))
}

/** Operations that list items page by page. */
type PagedName = {
  [Name in OperationName]: OperationOutput<Name> extends { readonly items: readonly unknown[]; readonly next: unknown }
    ? OperationInput<Name> extends { readonly cursor?: string | undefined }
      ? Name
      : never
    : never
}[OperationName]

type ItemOf<Name extends PagedName> =
  OperationOutput<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never
type PageOf<Name extends PagedName> = OperationOutput<Name> & {
  readonly items: readonly ItemOf<Name>[]
  readonly next: string | null
}

async function callPage<Name extends PagedName>(
  name: Name,
  input: OperationInput<Name>,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<PageOf<Name>> {
  // The compiler does not know that each of these operations has a cursor and items.
  const placed = { ...(input as object), cursor: cursor ?? undefined } as OperationInput<Name>
  return (await call(name, placed, signal)) as PageOf<Name>
}

/** Options of a paged view besides the input. */
interface PagesWishes<Name extends PagedName> {
  /** Interval for refetching the first page, in ms. A list of several pages is not refetched. */
  readonly refetchMs?: number | null
  readonly keepsPrevious?: boolean
  readonly enabled?: boolean
  readonly moving?: Moving<OperationInput<Name>>
}

/** Reads the pages of a list on demand. `items` has the loaded ones. */
export function useOperationPages<Name extends PagedName>(
  name: Name,
  input: OperationInput<Name>,
  { enabled = true, moving, refetchMs = null, ...wishes }: PagesWishes<Name> = {},
) {
  const query = useInfiniteQuery({
    queryKey: [name, 'pages', input, ...(moving === undefined ? [] : [moving.of])],
    queryFn: ({ signal, pageParam }) => callPage(name, merged(input, moving), pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled,
    ...currency(name, wishes),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : (refetchMs ?? false)),
  })
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  return { ...query, items }
}

/** Calls a list page by page, until its end or until there are `most` items. */
export async function callPages<Name extends PagedName>(
  name: Name,
  input: OperationInput<Name>,
  { most = Number.POSITIVE_INFINITY, signal }: { readonly most?: number; readonly signal?: AbortSignal } = {},
): Promise<{
  readonly pages: readonly PageOf<Name>[]
  readonly items: readonly ItemOf<Name>[]
  readonly isWhole: boolean
}> {
  const pages: PageOf<Name>[] = []
  const items: ItemOf<Name>[] = []
  let next: string | null = null
  do {
    const page: PageOf<Name> = await callPage(name, input, next, signal)
    pages.push(page)
    items.push(...page.items)
    next = page.next
  } while (next !== null && items.length < most)
  return { pages, items, isWhole: next === null }
}
