import { useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
import { notify } from './notices.ts'
import { useAction } from './use-action.ts'

export type AdviceDecision = 'apply' | 'undo' | 'dismiss'

const DONE: Readonly<Record<AdviceDecision, string>> = {
  apply: 'Applied. Aspy now checks whether it helps. Undo is in Suggestions',
  undo: 'Undone',
  dismiss: 'Dismissed until there are twice as many cases',
}

/** Returns a mutation that carries out a decision about a suggestion, and says what came of it. */
export function useDecideAdvice(id: string) {
  const queries = useQueryClient()
  return useAction({
    mutationFn: (decision: AdviceDecision) => call(`advice.${decision}`, { id }),
    onSuccess: async ({ note }, decision) => {
      notify(note ?? DONE[decision])
      await queries.invalidateQueries({ queryKey: ['advice.list'] })
    },
  })
}
