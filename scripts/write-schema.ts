/** Writes the baselines of the databases from the declared tables. Run it after changing one (`npm run schema`). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SESSION_FIGURES } from '../src/main/listings/session-figures.ts'
import { PROJECTIONS } from '../src/main/store/projections/all.ts'
import { createTable, createIndexes, type Table } from '../src/main/store/schema/define-table.ts'
import { VIEWS, type View } from '../src/main/store/schema/views.ts'
import { FULL_TEXT, tableNames, TABLES, tablesWithRole } from '../src/main/store/tables.ts'

/** The baselines, relative to the repository. */
export const BASELINE = 'src/main/store/database/migrations/100.sql'
export const TEAM_BASELINE = 'src/main/team/store/migrations/100.sql'

const HEAD = `-- The baseline: the whole schema of version 100. Databases of versions 1 to 72 are refused (../migrate.ts).
-- Written by \`npm run schema\` from the declarations in src/main/store/schema. Do not edit.`

const ROLES: readonly (readonly [role: Table['role'], heading: string])[] = [
  ['log', 'Log: what was recorded. The source of all projections.'],
  ['projection', 'Projections: derived from the log. A rebuild fills them again.'],
  ['people', 'People: what people made. No rebuild touches it.'],
  ['upkeep', "Upkeep: the store's own notes."],
]

/** Returns the text of the baseline. */
export function baseline(): string {
  const db = new Database(':memory:')
  try {
    for (const sql of statements()) db.exec(sql)
    const parts = ROLES.flatMap(([role, heading]) => [
      `-- ${heading}`,
      ...tablesWithRole(role).map((table) => withFollowers(db, table)),
    ])
    const views = Object.entries<View>(VIEWS).map(([name, view]) => withFollowers(db, { name, ...view }))
    return `${[HEAD, ...parts, '-- Views.', ...views].join('\n\n')}\n`
  } finally {
    db.close()
  }
}

function statements(): readonly string[] {
  const same = (name: string) => name
  return [
    ...Object.entries<Table>(TABLES).flatMap(([name, table]) => [
      createTable(name, table, same),
      ...createIndexes(name, table, same, same),
      ...(table.followedBy ?? []),
    ]),
    ...PROJECTIONS.flatMap(({ define }) => define?.(tableNames(), same) ?? []),
    ...Object.values<View>(VIEWS).flatMap(({ sql }) => sql ?? []),
  ]
}

/** Returns what creates a table or view, then its indexes, triggers and full text. */
function withFollowers(
  db: Database.Database,
  { name, fullText }: { readonly name: string; readonly fullText?: string },
): string {
  const stored = db
    .prepare<[string], string>(
      "SELECT sql || ';' FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type NOT IN ('table', 'view'), type, name",
    )
    .pluck()
  return [name, ...(fullText !== undefined && FULL_TEXT.has(fullText) ? [fullText] : [])]
    .flatMap((one) => stored.all(one))
    .join('\n')
}

/** Returns a team's baseline with the figures of sessions as they are declared. */
export function teamBaseline(text: string): string {
  const columns = Object.entries(SESSION_FIGURES).map(
    ([name, figure]) =>
      `  ${name.padEnd(15)} ${'of' in figure ? `${figure.type.padEnd(16)} NOT NULL DEFAULT 0` : figure.type},\n`,
  )
  return text.replace(/(?<=\n {2}-- Figures: [^\n]*\n)[^]*(?= {2}-- End of figures\.\n)/, columns.join(''))
}

if (import.meta.main) {
  const pathOf = (file: string) => join(import.meta.dirname, '..', file)
  writeFileSync(pathOf(BASELINE), baseline())
  writeFileSync(pathOf(TEAM_BASELINE), teamBaseline(readFileSync(pathOf(TEAM_BASELINE), 'utf8')))
}
