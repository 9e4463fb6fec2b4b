import { useQueryClient } from '@tanstack/react-query'
import type { OperationInput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { call } from '../../lib/client.ts'
import { notify } from '../../lib/notices.ts'
import { useAction } from '../../lib/use-action.ts'

/** Saves a search under its query. */
export function useSaveSearch() {
  const queries = useQueryClient()
  return useAction({
    mutationFn: (search: OperationInput<'searches.save'>) => call('searches.save', search),
    onSuccess: (_, { name }) => {
      notify(`Saved the search “${firstCharacters(name, 60)}”. Find it on the start page of Recall.`)
      return queries.invalidateQueries({ queryKey: ['searches.list'] })
    },
  })
}
