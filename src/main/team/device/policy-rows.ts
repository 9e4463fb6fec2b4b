import type { Config } from '../../../shared/config.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { SharedProject } from '../protocol/batch.ts'
import type { KeyedIds } from '../protocol/keyed-ids.ts'
import { createPolicy } from '../protocol/team-policy.ts'
import type { OwnSession } from './unsent-sessions.ts'

/** Returns the policy of each project, most sessions first. `shared` is what the server lets others read, or why not known. */
export function policyRows(
  settings: Config['team'],
  glob: Parameters<typeof createPolicy>[1],
  ids: KeyedIds,
  sessions: readonly OwnSession[],
  shared: readonly SharedProject[] | string,
): OperationOutput<'team.policy'> {
  const policyOf = createPolicy(settings, glob, ids)
  const readNow = typeof shared === 'string' ? null : new Set(shared.map(({ session_key: key }) => key))
  const excluded = new Set(settings.exclude)
  const sent = sessions.filter(({ id }) => !excluded.has(id))
  const items = [...Map.groupBy(sent, ({ project }) => project)].map(([project, found]) => {
    const { policy, name, shared: isShared } = policyOf(null, project)
    const readers = policy === 'off' ? ('nobody' as const) : isShared ? ('members' as const) : ('admins' as const)
    const still = readers === 'members' ? [] : found.filter(({ id }) => readNow?.has(ids.id('session', id)) === true)
    return {
      project,
      policy,
      name,
      readers,
      sessions: found.length,
      still_read: readNow === null ? null : still.length,
    }
  })
  return {
    items: items.toSorted((a, b) => b.sessions - a.sessions),
    excluded: sessions.length - sent.length,
    problem: typeof shared === 'string' ? shared : null,
  }
}
