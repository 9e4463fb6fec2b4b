import { readMembership } from '../../../team/device/membership-file.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { withdrawSessions } from '../../../team/device/unsent-sessions.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { counted } from '../../table.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { ownSessions } from './own-sessions.ts'
import { accessLines, endAccess } from './end-access.ts'
import { askWithdrawal, type WithdrawalFlags } from './ask-withdrawal.ts'
import { putSetting } from '../../put-setting.ts'
import { print } from '../../print-all.ts'

/** `aspy team exclude ID`: never sends a session. In a team, asks whether to withdraw the data sent for it. */
export async function exclude(settings: RunSettings, given: string, flags: WithdrawalFlags & JsonFlag): Promise<void> {
  const { exclude: before } = settings.loaded.config.team
  const membership = readMembership(settings.dataDir)
  const ids = membership === null ? null : createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
  const sessions = ownSessions(settings).map(({ id }) => id)
  // The team's lists show sessions of the policy metadata by a keyed id.
  const sessionId = sessions.find((id) => id === given || ids?.id('session', id) === given) ?? given
  const isWithdrawn = membership !== null && (await askWithdrawal(flags, `the data sent for session ${sessionId}`))
  await putSetting(settings, 'team.exclude', [...new Set([...before, sessionId])])
  let withdrawn = 0
  if (isWithdrawn && ids !== null)
    withdrawn = await withdrawSessions(ownTeam(settings.dataDir).client, ids, [sessionId])
  const { team } = settings.loaded.config
  const ended = await endAccess(settings, { ...team, exclude: [...before, sessionId] })
  const text = [
    `Session ${sessionId} is not sent.`,
    ...(sessions.includes(sessionId) ? [] : ['It is not recorded here yet.']),
    ...(isWithdrawn ? [`Withdrawn: ${counted(withdrawn, 'event')}.`] : []),
    ...accessLines(ended),
  ].join(' ')
  print({ json: { session_id: sessionId, withdrawn }, text: text }, flags.json)
}
