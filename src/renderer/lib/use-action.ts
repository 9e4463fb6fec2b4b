import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { notify } from './notices.ts'

/** A mutation that says so if it fails. */
export function useAction<Data, Variables = void>(
  options: Omit<UseMutationOptions<Data, Error, Variables>, 'onError'>,
) {
  return useMutation({ ...options, onError: (error) => notify(error.message, 'warn') })
}
