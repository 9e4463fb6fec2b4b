import { AspyError } from '../../../shared/contract/errors.ts'
import { inThisZone } from '../../../shared/contract/in-this-zone.ts'
import { forgetTeamCursor } from './team-cursor.ts'
import { readMembership, type TeamMembership } from './membership-file.ts'
import { createTeamClient, type TeamClient } from './team-client.ts'

/** The team that a device joined, and its server. */
export interface OwnTeam {
  readonly membership: TeamMembership
  readonly client: TeamClient
}

/** Returns the team that this device joined. Throws `not_found`. */
export function ownTeam(dataDir: string): OwnTeam {
  const membership = readMembership(dataDir)
  if (membership === null) throw new AspyError('not_found', 'this device joined no team; run aspy team join URL CODE')
  const client = createTeamClient(membership)
  // Days in a question are of the device that asks, not of the server.
  const call: TeamClient['call'] = (name, input, signal) => client.call(name, inThisZone(name, input ?? {}), signal)
  // The server then waits for all of the log again, which the sender would not know before its next change.
  const withdrawing =
    <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      const gone = await ask(...given)
      forgetTeamCursor(dataDir)
      return gone
    }
  return {
    membership,
    client: { ...client, call, withdraw: withdrawing(client.withdraw), unshare: withdrawing(client.unshare) },
  }
}
