import { createGlob } from '../../../pipeline/processors/glob.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { unsentSessions, withdrawSessions } from '../../../team/device/unsent-sessions.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { agrees } from '../../confirm.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { counted } from '../../table.ts'
import { ownSessions } from './own-sessions.ts'
import { print } from '../../print-all.ts'

interface WithdrawFlags extends JsonFlag {
  readonly yes?: boolean
}

/**
 * `aspy team withdraw`: deletes data from the team that the policy no longer sends: projects that are off, and excluded
 * sessions.
 */
export async function withdraw(settings: RunSettings, flags: WithdrawFlags): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const ids = createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
  const sessions = unsentSessions(settings.loaded.config.team, createGlob, ids, ownSessions(settings))
  const what = `in the team the data sent for ${counted(sessions.length, 'session')}`
  if (!(await agrees(flags.yes, `Delete ${what}?`, 'deleted', `add --yes to delete ${what}`))) return
  const events = await withdrawSessions(client, ids, sessions)
  const text = `Withdrawn: ${counted(events, 'event')} of sessions that the policy no longer sends.`
  print({ json: { sessions: sessions.length, events }, text: text }, flags.json)
}
