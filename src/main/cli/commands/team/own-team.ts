import { AspyError } from '../../../../shared/contract/errors.ts'
import { readMembership, type TeamMembership } from '../../../team/device/membership-file.ts'
import { createTeamClient, type TeamClient } from '../../../team/device/team-client.ts'

/** Returns the team that this device joined. Throws `not_found`. */
export function ownTeam(dataDir: string): { readonly membership: TeamMembership; readonly client: TeamClient } {
  const membership = readMembership(dataDir)
  if (membership === null) throw new AspyError('not_found', 'this device joined no team; run aspy team join URL CODE')
  return { membership, client: createTeamClient(membership) }
}
