import { hostname } from 'node:os'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { createDataDir } from '../../../base/data-folder.ts'
import { joinTeam, teamAddress } from '../../../team/device/team-client.ts'
import { readMembership, writeMembership, type TeamMembership } from '../../../team/device/membership-file.ts'
import { canAsk, confirm } from '../../confirm.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { previewOf, previewText } from './preview.ts'
import { setTeamSetting } from './set-team-url.ts'
import { sayAside } from '../../wrap.ts'

interface JoinFlags {
  readonly name?: string
  readonly json?: boolean
}

/** `aspy team join URL CODE`: shows what will be sent, exchanges the code, and starts sending. */
export async function join(settings: RunSettings, url: string, code: string, flags: JoinFlags): Promise<void> {
  const address = teamAddress(url)
  const preview = await previewOf(settings)
  if (flags.json !== true) sayAside(previewText(preview))
  if (flags.json !== true && canAsk() && !(await confirm(`Send this to ${address}?`))) {
    sayAside('Nothing was sent. Change [team] in the config, then join again with the same code.')
    process.exitCode = 1
    return
  }
  const before = heldMembership(settings.dataDir)
  const membership = await joinTeam(address, code, flags.name ?? hostname())
  createDataDir(settings.dataDir)
  writeMembership(settings.dataDir, membership)
  await setTeamSetting(settings, 'url', membership.url)
  const { member, role, device_id, target_id } = membership
  const answer = { url: membership.url, member, role, device_id, target_id }
  const text =
    role === 'reader'
      ? `Joined as ${member} (reader). Read with --team, for example: aspy sessions --team`
      : `Joined as ${member} (${role}). A running Aspy sends from now on; see aspy team status.`
  process.stdout.write(`${flags.json === true ? JSON.stringify(answer) : text}\n`)
  if (before !== null && flags.json !== true)
    sayAside(
      `Before, this device was a device of ${before.member} at ${before.url}. What it sent then stays there as it is, and this device can withdraw it no more. To withdraw first, use aspy team leave --withdraw before joining.`,
    )
}

/** Returns the membership that a new one replaces; null also for a file that cannot be used, which joining mends. */
function heldMembership(dataDir: string): TeamMembership | null {
  try {
    return readMembership(dataDir)
  } catch (error) {
    if (error instanceof AspyError) return null
    throw error
  }
}
