import type { Config } from '../../../shared/config.ts'
import type { KeyedIds } from '../protocol/keyed-ids.ts'
import { createPolicy } from '../protocol/team-policy.ts'
import type { TeamClient } from './team-client.ts'

/** Sessions in one request. */
const AT_ONCE = 1000

/** A session of this machine and its working directory. */
export interface OwnSession {
  readonly id: string
  readonly project: string | null
}

/** Returns the ids of the sessions that `[team]` does not send: those of projects that are off, and excluded ones. */
export function unsentSessions(
  settings: Config['team'],
  glob: Parameters<typeof createPolicy>[1],
  ids: KeyedIds,
  sessions: readonly OwnSession[],
): readonly string[] {
  const policyOf = createPolicy(settings, glob, ids)
  return sessions.filter(({ id, project }) => policyOf(id, project).policy === 'off').map(({ id }) => id)
}

/** Deletes this device's data of these sessions from the team. Returns the number of events. */
export async function withdrawSessions(
  client: TeamClient,
  ids: KeyedIds,
  sessions: readonly string[],
): Promise<number> {
  let events = 0
  for (let at = 0; at < sessions.length; at += AT_ONCE)
    events += await client.withdraw(sessions.slice(at, at + AT_ONCE).map((id) => ids.id('session', id)))
  return events
}

/** Sessions that a change of `[team]` withdraws from the team, by their new state. */
export interface Lowered {
  /** Sent before, no longer sent. */
  readonly off: number
  /** Sent with texts before, now without them. */
  readonly metadata: number
}

/** Returns the ids of the sessions that were sent with texts, and are sent without them after a change. */
export function loweredToMetadata(
  before: Config['team'],
  after: Config['team'],
  glob: Parameters<typeof createPolicy>[1],
  ids: KeyedIds,
  sessions: readonly OwnSession[],
): readonly string[] {
  const [was, is] = [createPolicy(before, glob, ids), createPolicy(after, glob, ids)]
  return sessions
    .filter(({ id, project }) => was(id, project).policy === 'full' && is(id, project).policy === 'metadata')
    .map(({ id }) => id)
}

/** Returns how many sessions a change of the settings lowers. */
export function loweredSessions(
  before: Config['team'],
  after: Config['team'],
  glob: Parameters<typeof createPolicy>[1],
  ids: KeyedIds,
  sessions: readonly OwnSession[],
): Lowered {
  const levelOf = (settings: Config['team']) => {
    const policyOf = createPolicy(settings, glob, ids)
    return ({ id, project }: OwnSession) => policyOf(id, project).policy
  }
  const [was, is] = [levelOf(before), levelOf(after)]
  return {
    off: sessions.filter((one) => was(one) !== 'off' && is(one) === 'off').length,
    metadata: loweredToMetadata(before, after, glob, ids, sessions).length,
  }
}
