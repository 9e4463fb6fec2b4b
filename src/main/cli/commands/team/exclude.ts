import { readMembership } from '../../../team/device/membership-file.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { withdrawSessions } from '../../../team/device/unsent-sessions.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { counted } from '../../table.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { askWithdrawal, type WithdrawalFlags } from './ask-withdrawal.ts'
import { setTeamSetting } from './set-team-url.ts'

interface ExcludeFlags extends WithdrawalFlags {
  readonly json?: boolean
}

/** `aspy team exclude ID`: never sends a session. Once this device has joined, asks whether to withdraw what was sent of it. */
export async function exclude(settings: RunSettings, sessionId: string, flags: ExcludeFlags): Promise<void> {
  const { exclude: before } = settings.loaded.config.team
  const hasJoined = readMembership(settings.dataDir) !== null
  const isWithdrawn = hasJoined && (await askWithdrawal(flags, `what was sent of session ${sessionId}`))
  await setTeamSetting(settings, 'exclude', [...new Set([...before, sessionId])])
  let withdrawn = 0
  if (isWithdrawn) {
    const { membership, client } = ownTeam(settings.dataDir)
    withdrawn = await withdrawSessions(client, createKeyedIds(Buffer.from(membership.hash_key, 'base64')), [sessionId])
  }
  const text = `Session ${sessionId} is not sent.${isWithdrawn ? ` Withdrawn: ${counted(withdrawn, 'event')}.` : ''}`
  process.stdout.write(`${flags.json === true ? JSON.stringify({ session_id: sessionId, withdrawn }) : text}\n`)
}
