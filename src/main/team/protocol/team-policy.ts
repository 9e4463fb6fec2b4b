import { basename } from 'node:path'
import type { Config } from '../../../shared/config.ts'
import type { KeyedIds } from './keyed-ids.ts'

/** The policy for a session, and its name in the team. */
export interface SessionPolicy {
  readonly policy: 'off' | 'metadata' | 'full'
  /** The project's name in the team. */
  readonly name: string
  readonly shared: boolean
}

/**
 * Returns the policy for a session in a working directory. A null session means any that is not left out, a null
 * project none.
 */
export type PolicyOf = (sessionId: string | null, project: string | null) => SessionPolicy

const LEFT_OUT: SessionPolicy = { policy: 'off', name: '', shared: false }

/**
 * Applies `[team]`, and is the only place that does: a session under `exclude` is never sent, and nobody else can read
 * it. For other sessions, the first of `projects` whose pattern matches decides, else `policy`. Without a confirmed
 * name, metadata has a keyed hash of the directory, and full events have its last part.
 */
export function createPolicy(
  { policy, projects, exclude }: Pick<Config['team'], 'policy' | 'projects' | 'exclude'>,
  glob: (patterns: readonly string[]) => (name: string) => boolean,
  ids: KeyedIds,
): PolicyOf {
  const rules = projects.map((rule) => ({ ...rule, matches: glob([rule.project]) }))
  const leftOut = new Set<string | null>(exclude)
  const known = new Map<string | null, SessionPolicy>()
  return (sessionId, project) => {
    if (leftOut.has(sessionId)) return LEFT_OUT
    const found = known.get(project)
    if (found !== undefined) return found
    const rule = project === null ? undefined : rules.find(({ matches }) => matches(project))
    const chosen = rule?.policy ?? policy
    const name = rule?.name ?? unnamed(project, chosen, ids)
    const made = { policy: chosen, name, shared: chosen !== 'off' && (rule?.shared ?? false) }
    if (known.size > 10_000) known.clear()
    known.set(project, made)
    return made
  }
}

function unnamed(project: string | null, policy: SessionPolicy['policy'], ids: KeyedIds): string {
  if (project === null) return ''
  return policy === 'full' ? basename(project) : `project-${ids.id('project', project).slice(0, 8)}`
}
