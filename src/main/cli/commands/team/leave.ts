import { AspyError } from '../../../../shared/contract/errors.ts'
import { removeMembership } from '../../../team/device/membership-file.ts'
import { counted } from '../../table.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { askWithdrawal, type WithdrawalFlags } from './ask-withdrawal.ts'
import { putSetting } from '../../put-setting.ts'
import { print } from '../../print-all.ts'

/** `aspy team leave`: stops sending, asks whether to withdraw what was sent, and revokes this device. */
export async function leave(settings: RunSettings, flags: WithdrawalFlags & JsonFlag): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const isWithdrawn = await askWithdrawal(flags, 'what this device sent')
  // First of all: nothing may be sent between the withdrawal and the end.
  await putSetting(settings, 'team.url', null)
  const withdrawn = isWithdrawn ? await client.withdraw(null) : 0
  await client.leave().catch((error: unknown) => {
    // A device that was revoked already has left.
    if (!(error instanceof AspyError) || error.code !== 'unauthorized') throw error
  })
  removeMembership(settings.dataDir)
  const text = `Left ${membership.url}. ${isWithdrawn ? `Withdrawn: ${counted(withdrawn, 'event')}.` : 'The data already sent stays there.'}`
  print({ json: { url: membership.url, withdrawn }, text: text }, flags.json)
}
