import { resolve } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import { createPricing } from '../../../store/pricing/pricing.ts'
import { createBudget } from '../../../store/read/budget.ts'
import { sessionsWithProject } from '../../../store/read/changes.ts'
import { createDatabaseFile } from '../../../store/read/database-file.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { unsentSessions, withdrawSessions } from '../../../team/device/unsent-sessions.ts'
import { canAsk, confirm } from '../../confirm.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { counted } from '../../table.ts'
import { ownTeam } from '../../../team/device/own-team.ts'

interface WithdrawFlags {
  readonly json?: boolean
  readonly yes?: boolean
}

/** `aspy team withdraw`: deletes in the team what the policy no longer sends: projects that are off, and excluded sessions. */
export async function withdraw(settings: RunSettings, flags: WithdrawFlags): Promise<void> {
  const { membership, client } = ownTeam(settings.dataDir)
  const ids = createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
  const sessions = sessionsNotSent(settings, ids)
  if (flags.yes !== true && !canAsk())
    throw new AspyError(
      'bad_input',
      `add --yes to delete in the team what was sent of ${counted(sessions.length, 'session')}`,
    )
  if (
    flags.yes !== true &&
    !(await confirm(`Delete in the team what was sent of ${counted(sessions.length, 'session')}?`))
  ) {
    console.error('Nothing was deleted.')
    process.exitCode = 1
    return
  }
  const events = await withdrawSessions(client, ids, sessions)
  const text = `Withdrawn: ${counted(events, 'event')} of sessions that the policy no longer sends.`
  process.stdout.write(`${flags.json === true ? JSON.stringify({ sessions: sessions.length, events }) : text}\n`)
}

/** Returns the ids of the sessions that `[team]` does not send. */
function sessionsNotSent({ dataDir, loaded }: RunSettings, ids: ReturnType<typeof createKeyedIds>): readonly string[] {
  const { team, lifestats } = loaded.config
  const file = createDatabaseFile(resolve(dataDir, lifestats.db_path), createBudget(new Int32Array(1)), createPricing())
  try {
    return unsentSessions(team, createGlob, ids, sessionsWithProject(file.reader()))
  } finally {
    file.close()
  }
}
