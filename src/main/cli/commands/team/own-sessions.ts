import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createPricing } from '../../../store/pricing/pricing.ts'
import { createBudget } from '../../../store/read/budget.ts'
import { sessionsWithProject } from '../../../store/read/changes.ts'
import { createDatabaseFile } from '../../../store/read/database-file.ts'
import type { OwnSession } from '../../../team/device/unsent-sessions.ts'
import type { RunSettings } from '../../settings-of-run.ts'

/** Returns every session of this machine with its working directory; none before the first one is recorded. */
export function ownSessions({ dataDir, loaded }: RunSettings): readonly OwnSession[] {
  const path = resolve(dataDir, loaded.config.lifestats.db_path)
  if (!existsSync(path)) return []
  const file = createDatabaseFile(path, createBudget(new Int32Array(1)), createPricing())
  try {
    return sessionsWithProject(file.reader())
  } finally {
    file.close()
  }
}
