import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { call } from './client.ts'
import { notify } from './notices.ts'
import { useOperation } from './operation.ts'

export type ClaudeCodeState = NonNullable<OperationOutput<'claude_code.status'>['state']>

/** Returns how the client is set up, kept current, since other programs change it, too. */
export const useSetup = () => useOperation('claude_code.status', {}, { freshMs: 0, refetchesOnFocus: true })

/** Installs or updates the plugin; optionally turns on thinking summaries. */
export function useConnect() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: { readonly thinking: boolean }) => call('claude_code.set_up', input),
    onSuccess: () => notify('Done. Claude Code applies it at its next start. Claude asks before it searches.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['claude_code.status'] }),
  })
}

/** Puts the `aspy` command into a folder of the PATH, or removes it. */
export function useCommand() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (onPath: boolean) => call('claude_code.set_command', { on_path: onPath }),
    onSuccess: ({ done: [line] }) => notify(line ?? 'Nothing had to be changed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['claude_code.status'] }),
  })
}

/** Undoes what setup did. */
export function useDisconnect() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('claude_code.undo', {}),
    onSuccess: ({ done }) => {
      const left = done.filter((line) => line.startsWith('left as it is'))
      if (left.length === 0) notify('Disconnected; the setup was undone')
      else notify(`Disconnected, but ${left.join('; ')}`, 'warn')
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['claude_code.status'] }),
  })
}
