import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { CCUSAGE_VERSIONS, countWithCcusage, fetchCcusage, type CcusageVersion } from '../support/ccusage/ccusage.ts'

const LOOK_EVERY_MS = 20

/**
 * Returns the time from now until the figures of this many files, written to since then, can be read; null if that does
 * not happen before the signal.
 */
export async function timeUntilFigures(
  databasePath: string,
  { files, sinceMs }: { readonly files: number; readonly sinceMs: number },
  signal: AbortSignal,
): Promise<number | null> {
  const start = performance.now()
  const db = new Database(databasePath, { readonly: true })
  const count = db
    .prepare<[number], number>('SELECT count(*) FROM preview_files WHERE whole = 1 AND mtime_ms >= ?')
    .pluck()
  try {
    while (!signal.aborted) {
      if ((count.get(sinceMs) ?? 0) >= files) return performance.now() - start
      await pause(LOOK_EVERY_MS)
    }
    return null
  } finally {
    db.close()
  }
}

/** Speed of ccusage on the same transcripts, with its counts. */
export interface TimedCcusage {
  readonly seconds: number
  readonly mb_per_s: number
  readonly tokens: number
  readonly cost_usd: number
}

/** Runs each version of ccusage over a Claude folder with this many bytes of transcripts. */
export async function timeCcusage(claude: string, bytes: number): Promise<Record<string, TimedCcusage>> {
  const timed: Partial<Record<CcusageVersion, TimedCcusage>> = {}
  for (const version of CCUSAGE_VERSIONS) {
    await fetchCcusage(version)
    const start = performance.now()
    const counted = [...(await countWithCcusage(version, claude)).values()]
    const ms = performance.now() - start
    const sum = (of: 'tokens' | 'cost') => counted.reduce((total, model) => total + model[of], 0)
    timed[version] = {
      seconds: Math.round(ms / 100) / 10,
      mb_per_s: Math.round(bytes / 100 / ms) / 10,
      tokens: sum('tokens'),
      cost_usd: Math.round(sum('cost') * 100) / 100,
    }
  }
  return timed
}
