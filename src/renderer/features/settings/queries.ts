import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { call } from '../../lib/client.ts'
import { notify } from '../../lib/notices.ts'
import { operationQuery } from '../../lib/operation.ts'
import { followConfiguredTheme } from '../../lib/theme.ts'

export type Setting = OperationOutput<'config.get'>['items'][number]

/** Returns how many sessions the team's policy does not send; 0 if a setting is not about the team. */
async function unsentSessions(key: string): Promise<number> {
  return key.startsWith('team.') ? (await call('team.unsent', {})).sessions : 0
}

/**
 * Writes a setting to the config file; null resets it to its default. Also returns how many sessions are no longer sent
 * to the team, to ask whether to withdraw them.
 */
export function useSetSetting(key: string) {
  const client = useQueryClient()
  return useMutation({
    async mutationFn(value: unknown) {
      const before = await unsentSessions(key)
      const saved = await call('config.set', { key, value })
      return { saved, withdrawable: Math.max(0, (await unsentSessions(key)) - before) }
    },
    onSuccess({ saved }) {
      client.setQueryData(operationQuery('config.get', {}).queryKey, (before) =>
        before ? { items: before.items.map((item) => (item.key === key ? saved : item)) } : before,
      )
      if (key.startsWith('budgets.')) void client.invalidateQueries({ queryKey: ['budgets.status'] })
      if (key.startsWith('guard.')) void client.invalidateQueries({ queryKey: ['guard.get'] })
      if (key === 'app.theme') followConfiguredTheme(saved.value)
      notify('next' in saved ? 'Saved. It applies at the next start.' : 'Saved')
    },
  })
}
