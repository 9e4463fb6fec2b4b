import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'

/** Every setting with its value, where it comes from and what it does. */
export const configQuery = queryOptions({
  queryKey: ['config.get'],
  queryFn: ({ signal }) => call('config.get', {}, signal),
})
