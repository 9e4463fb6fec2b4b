import { hostname } from 'node:os'
import { createDataDir } from '../../../base/data-folder.ts'
import { joinTeam, teamAddress } from '../../../team/device/team-client.ts'
import { writeMembership } from '../../../team/device/membership-file.ts'
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
}
