import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { call } from '../../../lib/client.ts'
import { notifyFailure } from '../../../lib/notices.ts'

type Lists = InfiniteData<OperationOutput<'sessions.list'>>

/** Deletes sessions, with an undo for all of them. They leave the list at once, and come back if the app refuses. */
export function useDeleteSessions(onDeleted?: () => Promise<void>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (ids: readonly string[]) => call('sessions.delete_soon', { ids: [...ids] }),
    async onMutate(ids) {
      const lists = { queryKey: ['sessions.list', 'table'] }
      await queries.cancelQueries(lists)
      queries.setQueriesData<Lists>(lists, (list) => list && without(list, new Set(ids)))
    },
    async onSuccess(_, ids) {
      await onDeleted?.()
      const deleted = new Set<unknown>(ids)
      queries.removeQueries({ predicate: ({ queryKey: [name, id] }) => name === 'sessions.get' && deleted.has(id) })
    },
    onError: notifyFailure,
    onSettled: () => queries.invalidateQueries(),
  })
}

const without = (list: Lists, ids: ReadonlySet<string>): Lists => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) })),
})
