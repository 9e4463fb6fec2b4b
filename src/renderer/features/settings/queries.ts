import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { budgetsQuery } from '../../lib/budgets.ts'
import { call } from '../../lib/client.ts'
import { notify } from '../../lib/notices.ts'
import { followConfiguredTheme } from '../../lib/theme.ts'

export type Setting = OperationOutput<'config.get'>['items'][number]

/** Every setting with its value, origin and description. */
export const configQuery = queryOptions({
  queryKey: ['config.get'],
  queryFn: ({ signal }) => call('config.get', {}, signal),
})

/** Writes a setting to the config file; null resets it to its default. */
export function useSetSetting(key: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (value: unknown) => call('config.set', { key, value }),
    onSuccess(saved) {
      client.setQueryData(configQuery.queryKey, (before) =>
        before ? { items: before.items.map((item) => (item.key === key ? saved : item)) } : before,
      )
      if (key.startsWith('budgets.')) void client.invalidateQueries({ queryKey: budgetsQuery.queryKey })
      if (key === 'app.theme') followConfiguredTheme(saved.value)
      notify('next' in saved ? 'Saved. It applies at the next start.' : 'Saved')
    },
  })
}
