import { basename } from 'node:path'
import type { Config } from '../../../shared/config.ts'
import type { KeyedIds } from './keyed-ids.ts'

/** What a project's sessions send, and under which name. */
export interface ProjectPolicy {
  readonly policy: 'off' | 'metadata' | 'full'
  /** The project's name in the team. */
  readonly name: string
  readonly shared: boolean
}

/** Returns the policy of a working directory. null: events without a project. */
export type PolicyOf = (project: string | null) => ProjectPolicy

/**
 * Applies `[team]`: the first of `projects` whose pattern matches decides, else `policy`. Without a confirmed name,
 * metadata carries a keyed hash of the directory, and full events its last part.
 */
export function createPolicy(
  { policy, projects }: Pick<Config['team'], 'policy' | 'projects'>,
  glob: (patterns: readonly string[]) => (name: string) => boolean,
  ids: KeyedIds,
): PolicyOf {
  const rules = projects.map((rule) => ({ ...rule, matches: glob([rule.project]) }))
  const known = new Map<string | null, ProjectPolicy>()
  return (project) => {
    const found = known.get(project)
    if (found !== undefined) return found
    const rule = project === null ? undefined : rules.find(({ matches }) => matches(project))
    const chosen = rule?.policy ?? policy
    const name = rule?.name ?? unnamed(project, chosen, ids)
    const made = { policy: chosen, name, shared: rule?.shared ?? false }
    if (known.size > 10_000) known.clear()
    known.set(project, made)
    return made
  }
}

function unnamed(project: string | null, policy: ProjectPolicy['policy'], ids: KeyedIds): string {
  if (project === null) return ''
  return policy === 'full' ? basename(project) : `project-${ids.id('project', project).slice(0, 8)}`
}
