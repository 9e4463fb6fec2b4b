import { countChanges } from '../../../store/read/changes.ts'
import { logName } from '../../../store/read/outbox.ts'
import { withTypedHere } from '../../../base/folder-of-run.ts'
import { findApp } from '../../wake-app.ts'
import { overHttp } from '../../client.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { counted, plain, when } from '../../table.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { print } from '../../print-all.ts'
import { openDeviceFile } from './device-file.ts'

/** Maximum number of changes counted. */
const MAX_COUNTED = 1_000_000

/** `aspy team status`: the team, this device, and the part of its history that the server has. */
export async function status(settings: RunSettings, { json: asJson = false }: JsonFlag): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const { config } = settings.loaded
  using file = openDeviceFile(settings)
  const target = await client.target()
  const reader = file.reader()
  const shared = new Set((target.can_unshare ? await client.shared() : []).map(({ session_key: key }) => key))
  const taken = target.positions.find(({ log }) => log === logName(reader))
  const waiting = countChanges(reader, taken?.position ?? 0, MAX_COUNTED)
  const { isRunning, problem } = await sending(settings.dataDir)
  const answer = {
    url: membership.url,
    member: target.member,
    role: target.role,
    device_id: membership.device_id,
    policy: config.team.policy,
    sends: config.team.url === membership.url && target.role !== 'reader',
    same_store: target.target_id === membership.target_id,
    position: taken?.position ?? 0,
    waiting,
    /** What other members can read now; null: the server is too old to say it. */
    shared_sessions: target.can_unshare ? shared.size : null,
    is_running: isRunning,
    problem,
    devices: target.devices,
  }
  const lines = [
    `Team       ${answer.url}`,
    `Member     ${plain(answer.member)} (${answer.role})`,
    `Policy     ${[answer.policy, ...config.team.projects.map((each) => `${each.policy} for ${each.project}`)].join(', ')}`,
    `Waiting    ${counted(waiting, 'change')}`,
    ...(target.can_unshare ? [`Shared     other members can read ${counted(shared.size, 'session')}`] : []),
    ...(answer.sends ? [] : ['Sending    off: url under [team] is empty or differs']),
    ...(answer.sends && !isRunning && waiting > 0 ? ['Sending    when the app runs; start it with aspy'] : []),
    ...(problem === null ? [] : [`Problem    ${plain(problem)}`]),
    ...(answer.same_store ? [] : ['Problem    the server has another store now; run aspy team join again']),
    ...target.devices.map(
      ({ id, name, last_seen_at }) =>
        `Device     ${plain(name)}  ${last_seen_at === null ? '-' : when(last_seen_at)}${id === membership.device_id ? '  (this one)' : ''}`,
    ),
  ]
  print({ json: answer, text: withTypedHere(lines.join('\n')) }, asJson)
}

/** Returns whether the app, which does the sending, is running, and what keeps it from sending. */
async function sending(dataDir: string): Promise<{ readonly isRunning: boolean; readonly problem: string | null }> {
  const app = await findApp(dataDir)
  if (app === null) return { isRunning: false, problem: null }
  const client = overHttp(app, dataDir)
  try {
    const { sinks } = await client.call('health.get', {})
    return { isRunning: true, problem: sinks.find(({ name }) => name === 'team')?.problem ?? null }
  } finally {
    await client.close()
  }
}

/** `aspy team open`: prints the link of the team's window, which signs in for 15 minutes. */
export async function openTeam(settings: RunSettings, { json: asJson = false }: JsonFlag): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const url = `${membership.url}/sessions#key=${await client.session()}`
  print({ json: { url }, text: url }, asJson)
}
