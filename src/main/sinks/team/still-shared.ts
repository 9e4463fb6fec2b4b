import { projectsOfSessions, sessionsWithProject } from '../../store/read/changes.ts'
import type { Reader } from '../../store/read/reader.ts'
import type { SharedProject } from '../../team/protocol/batch.ts'
import type { KeyedIds } from '../../team/protocol/keyed-ids.ts'
import type { PolicyOf } from '../../team/protocol/team-policy.ts'

/** Returns the sessions of this device that other members can read more of than `[team]` shares. */
export function stillShared(reader: Reader, shared: readonly SharedProject[], ids: KeyedIds, policyOf: PolicyOf) {
  if (shared.length === 0) return []
  const onServer = Map.groupBy(shared, ({ session_key }) => session_key)
  const own = sessionsWithProject(reader)
    .map(({ id, project }) => ({ id, key: ids.id('session', id), project }))
    .filter(({ key }) => onServer.has(key))
  const named = projectsOfSessions(
    reader,
    own.map(({ id }) => id),
  ).map(({ id, project }) => ({ id, ...policyOf(id, project) }))
  const allowed = new Set(named.flatMap(({ id, name, shared: isShared }) => (isShared ? [`${id}\0${name}`] : [])))
  return own.filter(({ id, key }) => onServer.get(key)?.some(({ project }) => !allowed.has(`${id}\0${project}`)))
}
