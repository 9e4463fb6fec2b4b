import { changeSchema } from '../../../team/store/init.ts'
import type { JsonFlag } from '../../flags.ts'
import { print } from '../../print-all.ts'
import { withDatabase } from './team-database.ts'

export interface SchemaFlags extends JsonFlag {
  readonly database?: string
  readonly dryRun?: boolean
  readonly serverRole?: string
}

/** `aspy team init` and `aspy team upgrade`: changes the tables, in one transaction. Nothing else does. */
export async function changeTeamSchema(mode: 'init' | 'upgrade', flags: SchemaFlags): Promise<void> {
  const { database, json = false, dryRun = false, serverRole } = flags
  const { sql: statements, ...change } = await withDatabase(database, (sql) =>
    changeSchema(sql, mode, { dryRun, serverRole }),
  )
  const answer = { ...change, dry_run: dryRun, ...(dryRun ? { sql: statements } : {}) }
  const what =
    change.from === change.to
      ? `The team store already has version ${change.to}`
      : `The team store ${dryRun ? 'would have' : 'has'} version ${change.to}`
  const lines = [
    ...(dryRun && statements !== '' ? [statements] : []),
    `${what}; partitions ${dryRun ? 'to add' : 'added'}: ${change.partitions}.`,
    ...(dryRun ? ['Nothing was changed.'] : []),
  ]
  print({ json: answer, text: lines.join('\n') }, json)
}
