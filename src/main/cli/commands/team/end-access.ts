import { existsSync } from 'node:fs'
import type { Config } from '../../../../shared/config.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import { stillShared } from '../../../sinks/team/still-shared.ts'
import { readMembership } from '../../../team/device/membership-file.ts'
import { createTeamClient } from '../../../team/device/team-client.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { createPolicy } from '../../../team/protocol/team-policy.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { hasRecorded, openDeviceFile } from './device-file.ts'
import { counted, plain } from '../../table.ts'

/** Sessions in one request. */
const AT_ONCE = 1000

/** Sessions that other members can no longer read, or why that is not known. */
export interface EndedAccess {
  readonly unshared: number
  readonly unshared_problem: string | null
}

/** Ends other members' access to what the settings do not share, at once and also if no app runs. */
export async function endAccess(settings: RunSettings, team: Config['team']): Promise<EndedAccess> {
  const membership = existsSync(settings.dataDir) ? readMembership(settings.dataDir) : null
  if (membership === null || !hasRecorded(settings)) return { unshared: 0, unshared_problem: null }
  const client = createTeamClient(membership)
  const ids = createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
  using file = openDeviceFile(settings)
  try {
    if (!(await client.target()).can_unshare)
      throw new AspyError('unsupported', "the team's server runs an older version")
    const policyOf = createPolicy(team, createGlob, ids)
    const still = stillShared(file.reader(), await client.shared(), ids, policyOf)
    for (let at = 0; at < still.length; at += AT_ONCE)
      await client.unshare(still.slice(at, at + AT_ONCE).map(({ key }) => key))
    return { unshared: still.length, unshared_problem: null }
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    return { unshared: 0, unshared_problem: error.message }
  }
}

/** Returns what to say about it; nothing if nothing ended. */
export function accessLines({ unshared, unshared_problem: problem }: EndedAccess): readonly string[] {
  if (problem !== null)
    return [`Other members may still read what was shared, until Aspy runs and the server answers: ${plain(problem)}`]
  return unshared === 0 ? [] : [`Other members can no longer read ${counted(unshared, 'session')}.`]
}
