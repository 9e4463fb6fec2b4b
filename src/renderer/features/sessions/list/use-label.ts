import { useQueryClient } from '@tanstack/react-query'
import type { OperationInput } from '../../../../shared/contract/index.ts'
import { call } from '../../../lib/client.ts'
import { notify } from '../../../lib/notices.ts'
import { useAction } from '../../../lib/use-action.ts'

type Label = Omit<OperationInput<'sessions.label'>, 'session_id'>

/** Writes a session's star, pin or name, then refreshes the views that show it. */
export function useLabel(sessionId: string) {
  const queries = useQueryClient()
  return useAction({
    mutationFn: ({ label }: { label: Label; notice: string }) =>
      call('sessions.label', { session_id: sessionId, ...label }),
    onSuccess: async (_, { notice }) => {
      notify(notice)
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['sessions.get', { session_id: sessionId }] }),
        queries.invalidateQueries({ queryKey: ['sessions.list'] }),
      ])
    },
  })
}
