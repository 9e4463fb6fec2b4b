import { AspyError } from '../../../../shared/contract/errors.ts'
import { removeMembership } from '../../../team/device/membership-file.ts'
import { canAsk, confirm } from '../../confirm.ts'
import { counted } from '../../table.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { setTeamSetting } from './set-team-url.ts'

interface LeaveFlags {
  readonly json?: boolean
  readonly withdraw?: boolean
  readonly keep?: boolean
}

/** `aspy team leave`: stops sending, asks whether to withdraw what was sent, and revokes this device. */
export async function leave(settings: RunSettings, flags: LeaveFlags): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const isWithdrawn = await withdraws(flags)
  // First of all: nothing may be sent between the withdrawal and the end.
  await setTeamSetting(settings, 'url', null)
  const withdrawn = isWithdrawn ? await client.withdraw(null) : 0
  await client.leave().catch((error: unknown) => {
    // A device that was revoked already has left.
    if (!(error instanceof AspyError) || error.code !== 'unauthorized') throw error
  })
  removeMembership(settings.dataDir)
  const text = `Left ${membership.url}. ${isWithdrawn ? `Withdrawn: ${counted(withdrawn, 'event')}.` : 'What was sent stays there.'}`
  process.stdout.write(`${flags.json === true ? JSON.stringify({ url: membership.url, withdrawn }) : text}\n`)
}

async function withdraws({ withdraw, keep }: LeaveFlags): Promise<boolean> {
  if (withdraw === true && keep === true) throw new AspyError('bad_input', 'choose --withdraw or --keep')
  if (withdraw === true || keep === true) return withdraw === true
  if (!canAsk())
    throw new AspyError('bad_input', 'say what becomes of what was sent: --withdraw deletes it, --keep leaves it there')
  return confirm('Delete in the team what this device sent?')
}
