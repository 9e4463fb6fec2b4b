import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { counted } from '../../table.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { ownTeam } from '../../../team/device/own-team.ts'
import { setTeamSetting } from './set-team-url.ts'

interface ExcludeFlags {
  readonly json?: boolean
  readonly withdraw?: boolean
}

/** `aspy team exclude ID`: never sends a session, and with `--withdraw` deletes what was sent of it. */
export async function exclude(settings: RunSettings, sessionId: string, flags: ExcludeFlags): Promise<void> {
  const { exclude: before } = settings.loaded.config.team
  await setTeamSetting(settings, 'exclude', [...new Set([...before, sessionId])])
  let withdrawn = 0
  if (flags.withdraw === true) {
    const { membership, client } = ownTeam(settings.dataDir)
    const ids = createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
    withdrawn = await client.withdraw([ids.id('session', sessionId)])
  }
  const text = `Session ${sessionId} is not sent.${flags.withdraw === true ? ` Withdrawn: ${counted(withdrawn, 'event')}.` : ''}`
  process.stdout.write(`${flags.json === true ? JSON.stringify({ session_id: sessionId, withdrawn }) : text}\n`)
}
