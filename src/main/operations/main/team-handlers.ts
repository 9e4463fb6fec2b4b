import type { Config } from '../../../shared/config.ts'
import { AspyError, toErrorAnswer } from '../../../shared/contract/errors.ts'
import { findOperation } from '../../../shared/contract/index.ts'
import type { MainHandlers } from '../../dispatch/handlers.ts'
import { createGlob } from '../../pipeline/processors/glob.ts'
import { readMembership } from '../../team/device/membership-file.ts'
import { ownTeam, type OwnTeam } from '../../team/device/own-team.ts'
import { policyRows } from '../../team/device/policy-rows.ts'
import { unsentSessions, withdrawSessions, type OwnSession } from '../../team/device/unsent-sessions.ts'
import { createKeyedIds } from '../../team/protocol/keyed-ids.ts'

export interface TeamHandlerParts {
  readonly dataDir: string
  readonly settings: () => Config['team']
  /** Every session on this machine with its working directory. */
  readonly sessions: () => Promise<readonly OwnSession[]>
}

type TeamHandlers = Pick<MainHandlers, 'team.get' | 'team.policy' | 'team.read' | 'team.unsent' | 'team.withdraw'>

/** Handlers of the team that this machine joined. They read `team.json` each time: the command line may have joined meanwhile. */
export function createTeamHandlers({ dataDir, settings, sessions }: TeamHandlerParts): TeamHandlers {
  let last: OwnTeam | null = null

  /** Keeps the client, and with it its session, while the membership stays the same. */
  function team(): OwnTeam {
    const found = ownTeam(dataDir)
    if (last?.membership.device_token !== found.membership.device_token) last = found
    return last
  }

  async function unsent(): Promise<{ readonly ids: readonly string[]; readonly team: OwnTeam }> {
    const own = team()
    const ids = createKeyedIds(Buffer.from(own.membership.hash_key, 'base64'))
    return { ids: unsentSessions(settings(), createGlob, ids, await sessions()), team: own }
  }

  return {
    'team.get'() {
      const membership = readMembership(dataDir)
      if (membership === null) return { team: null, is_server: false }
      const { url, member, role } = membership
      return { team: { url, member, role }, is_server: false }
    },
    async 'team.policy'() {
      const own = team()
      const ids = createKeyedIds(Buffer.from(own.membership.hash_key, 'base64'))
      const known = await sessions()
      const shared = await own.client.shared().catch((error: unknown) => toErrorAnswer(error).message)
      return policyRows(settings(), createGlob, ids, known, shared)
    },
    async 'team.read'({ operation: name, input }, { signal }) {
      const operation = findOperation(name)
      if (operation === undefined) throw new AspyError('not_found', `there is no operation ${name}`)
      if (operation.writes)
        throw new AspyError('forbidden', "a team's history is read-only; change it on the laptop that recorded it")
      if (operation.answer === 'stream') throw new AspyError('unsupported', "a team's history is not streamed")
      const bytes = await team().client.call(name, input, signal)
      return JSON.parse(new TextDecoder().decode(bytes)) as unknown
    },
    async 'team.unsent'() {
      if (readMembership(dataDir) === null) return { sessions: 0 }
      return { sessions: (await unsent()).ids.length }
    },
    async 'team.withdraw'() {
      const { ids, team: own } = await unsent()
      const keyed = createKeyedIds(Buffer.from(own.membership.hash_key, 'base64'))
      return { sessions: ids.length, events: await withdrawSessions(own.client, keyed, ids) }
    },
  }
}
