import { hostname } from 'node:os'
import type { Config } from '../../../../shared/config.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { withTypedHere } from '../../../base/folder-of-run.ts'
import { createDataDir } from '../../../base/data-folder.ts'
import { forgetTeamCursor } from '../../../team/device/team-cursor.ts'
import { createTeamClient, joinTeam, teamAddress } from '../../../team/device/team-client.ts'
import { usableMembership, writeMembership, type TeamMembership } from '../../../team/device/membership-file.ts'
import { canAsk, confirm } from '../../confirm.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { endAccess, type EndedAccess } from './end-access.ts'
import { previewOf, previewText } from './preview.ts'
import { assertSettable, putSetting } from '../../put-setting.ts'
import { counted, plain } from '../../table.ts'
import { sayAside } from '../../wrap.ts'
import { print } from '../../print-all.ts'

interface JoinFlags extends JsonFlag {
  readonly name?: string
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
  // The code works once.
  await assertSettable(settings, 'team.url', address)
  // What joining replaces, or mends.
  const before = usableMembership(settings.dataDir)
  const membership = await joinTeam(address, code, flags.name ?? hostname())
  const replaced = before === null ? null : await endMembership(settings, before, membership)
  createDataDir(settings.dataDir)
  writeMembership(settings.dataDir, membership)
  // A running app asks the server for its position, is refused as the device that it was, and reads the membership.
  forgetTeamCursor(settings.dataDir)
  await putSetting(settings, 'team.url', membership.url)
  const { member, role, device_id, target_id } = membership
  const answer = { url: membership.url, member, role, device_id, target_id, ...(replaced && { replaced }) }
  const text =
    role === 'reader'
      ? `Joined as ${member} (reader). Read with --team, for example: ${withTypedHere('aspy sessions --team')}`
      : `Joined as ${member} (${role}). A running Aspy sends from now on; see ${withTypedHere('aspy team status')}.`
  print({ json: answer, text }, flags.json)
  if (replaced !== null && flags.json !== true) sayAside(replacedText(replaced))
}

/** A membership that ended with the next one: who the device was, and what others can no longer read. */
interface Replaced extends EndedAccess, Pick<TeamMembership, 'url' | 'member'> {}

/** Ends what a device shared as somebody else or in another team, which no later command could reach, and its token. */
async function endMembership(settings: RunSettings, before: TeamMembership, now: TeamMembership): Promise<Replaced> {
  const { url, member } = before
  const isSame = before.target_id === now.target_id && member === now.member
  const nothing: Config['team'] = { ...settings.loaded.config.team, policy: 'off', projects: [] }
  const ended = isSame ? { unshared: 0, unshared_problem: null } : await endAccess(settings, nothing)
  try {
    await createTeamClient(before).leave()
    return { url, member, ...ended }
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    // A device that was revoked already has left.
    const problem = error.code === 'unauthorized' ? null : error.message
    return { url, member, ...ended, unshared_problem: ended.unshared_problem ?? problem }
  }
}

function replacedText({ url, member, unshared, unshared_problem: problem }: Replaced): string {
  const access =
    problem === null
      ? `Other members there can no longer read ${counted(unshared, 'session')}.`
      : `Other members there may still read what it shared, and its administrator has to revoke it: ${plain(problem)}.`
  return `Before, this device was a device of ${member} at ${url}. ${problem === null && unshared === 0 ? '' : `${access} `}What it sent then stays there, and this device can withdraw it no more. To withdraw first, use aspy team leave --withdraw before joining.`
}
