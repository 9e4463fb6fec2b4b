import { useOperation } from './operation.ts'

const projectsOf = ({ items }: { readonly items: readonly { readonly project: string | null }[] }) =>
  [...new Set(items.flatMap(({ project }) => project ?? []))].sort()

/** Returns the projects of the newest sessions, for filters. */
export function useProjects(): readonly string[] {
  const { data = [] } = useOperation('sessions.list', { limit: 200 }, { freshMs: 60_000, select: projectsOf })
  return data
}
