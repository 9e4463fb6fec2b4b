import { history } from './history.ts'
import { useOperation } from './operation.ts'

/** Returns whether the settings ask for images. A team's history has none: transcripts stay on their machines. */
export function useShowsImages(): boolean {
  const { data } = useOperation('config.get', {}, { enabled: history === 'mine', freshMs: 60_000 })
  return data?.items.find(({ key }) => key === 'app.show_images')?.value === true
}
