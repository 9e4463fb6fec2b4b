import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../../shared/config.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import { readMembership } from '../../../team/device/membership-file.ts'
import { withTypedHere } from '../../../base/folder-of-run.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import {
  loweredSessions,
  loweredToMetadata,
  unsentSessions,
  withdrawSessions,
  type Lowered,
} from '../../../team/device/unsent-sessions.ts'
import { createKeyedIds, type KeyedIds } from '../../../team/protocol/keyed-ids.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { counted } from '../../table.ts'
import { accessLines, endAccess, type EndedAccess } from './end-access.ts'
import { askWithdrawal, type WithdrawalFlags } from './ask-withdrawal.ts'
import { ownSessions } from './own-sessions.ts'
import { putSetting } from '../../put-setting.ts'
import { print } from '../../print-all.ts'

interface PolicyFlags extends WithdrawalFlags, JsonFlag {
  readonly project?: string
  readonly name?: string
  readonly share?: boolean
}

type Team = Config['team']
type Policy = Team['policy']

/** `aspy team policy POLICY`: sets the policy. If it sends less than before, asks whether to withdraw the rest. */
export async function setPolicy(settings: RunSettings, policy: string, flags: PolicyFlags): Promise<void> {
  const before = settings.loaded.config.team
  const after = changed(before, policy as Policy, flags)
  const membership = readMembership(settings.dataDir)
  const sessions = membership === null ? [] : ownSessions(settings)
  const ids = createKeyedIds(Buffer.from(membership?.hash_key ?? '', 'base64'))
  const lowered = loweredSessions(before, after, createGlob, ids, sessions)
  if (lowered.metadata > 0 && flags.keep === true)
    throw new AspyError(
      'bad_input',
      'metadata replaces the texts that were sent: to keep them in the team and send no more, choose off',
    )
  const isWithdrawn =
    lowered.off > 0 && (await askWithdrawal(flags, `the data sent for ${counted(lowered.off, 'session')}`))
  if (flags.project === undefined) await putSetting(settings, 'team.policy', after.policy)
  else await putSetting(settings, 'team.projects', after.projects)
  // The server forgets how far this device had sent: an app starts over under the new policy, with metadata.
  const left =
    lowered.metadata > 0
      ? await withdrawTexts(settings, loweredToMetadata(before, after, createGlob, ids, sessions), ids)
      : null
  const withdrawn = isWithdrawn ? await withdraw(settings, after, ids) : 0
  const ended = await endAccess(settings, after)
  const answer = {
    policy,
    project: flags.project ?? null,
    lowered,
    withdrawn: isWithdrawn ? withdrawn : null,
    ...ended,
    texts_left: left,
  }
  print({ json: answer, text: textOf(answer) }, flags.json)
}

/** `aspy team share DIR`, and `aspy team unshare DIR`: lets other members read a project's sessions, or no longer. */
export async function setShared(settings: RunSettings, dir: string, shared: boolean, flags: JsonFlag): Promise<void> {
  const before = settings.loaded.config.team
  const project = resolve(dir)
  const policy = before.projects.find((rule) => createGlob([rule.project])(project))?.policy ?? before.policy
  if (shared && policy === 'off')
    throw new AspyError(
      'bad_input',
      `nothing of ${project} is sent: aspy team policy full --project ${project} --share`,
    )
  if (shared && !existsSync(project) && !isKnown(settings, project))
    throw new AspyError('bad_input', `there is no folder ${project}; give the project's folder, as sessions name it`)
  const after = changed(before, policy, { project, share: shared })
  await putSetting(settings, 'team.projects', after.projects)
  const answer = { project, policy, shared, ...(await endAccess(settings, after)) }
  const what = policy === 'full' ? 'with their texts' : 'without texts (policy metadata)'
  const text = shared
    ? `Other members may read the sessions of ${project}, ${what}${readMembership(settings.dataDir) === null ? ', once this device has joined a team' : ''}.`
    : [`Nobody but readers and admins may read the sessions of ${project}.`, ...accessLines(answer)].join('\n')
  print({ json: answer, text: text }, flags.json)
}

/** Returns whether a rule or a recorded session names a folder, which may be gone by now. */
const isKnown = (settings: RunSettings, project: string): boolean =>
  settings.loaded.config.team.projects.some((rule) => rule.project === project) ||
  ownSessions(settings).some((session) => createGlob([project])(session.project ?? ''))

/**
 * Returns the settings with the policy of all projects, or with a rule of one. The first match counts, so that a rule that
 * another one precedes for its project moves to the front, as a new one does.
 */
function changed(team: Team, policy: Policy, { project, name, share }: PolicyFlags): Team {
  if (project === undefined) {
    if (name !== undefined || share !== undefined)
      throw new AspyError('bad_input', '--name and --share need --project DIR')
    return { ...team, policy }
  }
  const directory = resolve(project)
  const known = team.projects.find((rule) => rule.project === directory)
  const isFirst = known !== undefined && team.projects.find(({ project: of }) => createGlob([of])(directory)) === known
  const rule = {
    ...(known ?? { project: directory }),
    policy,
    ...(name === undefined ? {} : { name }),
    ...(share === undefined ? {} : { shared: share }),
  }
  const projects = isFirst
    ? team.projects.map((one) => (one === known ? rule : one))
    : [rule, ...team.projects.filter((one) => one !== known)]
  return { ...team, projects }
}

/** Deletes the texts of sessions from the team at once. Returns why they are still there; null if they are not. */
async function withdrawTexts(settings: RunSettings, sessions: readonly string[], ids: KeyedIds) {
  try {
    await withdrawSessions(ownTeam(settings.dataDir).client, ids, sessions)
    return null
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    return error.message
  }
}

async function withdraw(settings: RunSettings, team: Team, ids: KeyedIds): Promise<number> {
  const { client } = ownTeam(settings.dataDir)
  return withdrawSessions(client, ids, unsentSessions(team, createGlob, ids, ownSessions(settings)))
}

function textOf(
  answer: {
    policy: string
    project: string | null
    lowered: Lowered
    withdrawn: number | null
    texts_left: string | null
  } & EndedAccess,
): string {
  const { policy, project, lowered, withdrawn, texts_left: left } = answer
  const lines = [
    `Policy of ${project ?? 'projects without a rule'}: ${policy}.`,
    ...(lowered.metadata > 0
      ? [
          left === null
            ? `The texts of ${counted(lowered.metadata, 'session')} left the team; metadata follows while Aspy runs.`
            : `The texts of ${counted(lowered.metadata, 'session')} stay in the team until Aspy runs: ${left}`,
        ]
      : []),
    ...(withdrawn === null ? [] : [`Withdrawn: ${counted(withdrawn, 'event')}.`]),
    ...accessLines(answer),
    ...(lowered.off > 0 && withdrawn === null
      ? [`Data already sent for ${counted(lowered.off, 'session')} stays in the team; aspy team withdraw deletes it.`]
      : []),
  ]
  return withTypedHere(lines.join('\n'))
}
