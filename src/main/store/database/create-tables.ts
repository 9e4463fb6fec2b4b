import type Database from 'better-sqlite3'
import { PROJECTIONS } from '../projections/all.ts'
import { createIndexes, createTable, type Table } from '../schema/define-table.ts'
import { VIEWS, type View } from '../schema/views.ts'
import { tableNames, TABLES } from '../tables.ts'

const same = (name: string): string => name

/** Creates the declared tables, indexes, triggers, views and full-text indexes in an empty database. */
export function createTables(db: Database.Database): void {
  const statements = [
    ...Object.entries<Table>(TABLES).flatMap(([name, table]) => [
      createTable(name, table, same),
      ...createIndexes(name, table, same, same),
      ...(table.followedBy ?? []),
    ]),
    ...PROJECTIONS.flatMap(({ define }) => define?.(tableNames(), same) ?? []),
    ...Object.values<View>(VIEWS).flatMap(({ sql }) => sql ?? []),
  ]
  for (const sql of statements) db.exec(sql)
}
