import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { history } from './history.ts'

/** Every setting with its value, origin and description. */
export const configQuery = queryOptions({
  queryKey: ['config.get'],
  queryFn: ({ signal }) => call('config.get', {}, signal),
})

/** Returns whether the settings ask for images. A team's history has none: transcripts stay on their machines. */
export function useShowsImages(): boolean {
  const { data } = useQuery({
    ...configQuery,
    enabled: history === 'mine',
    staleTime: 60_000,
    select: ({ items }) => items.find(({ key }) => key === 'app.show_images')?.value === true,
  })
  return data ?? false
}
