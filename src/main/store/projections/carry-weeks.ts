import { CARRY_SUMS } from '../schema/ledger-tables.ts'
import type { TableNames } from '../tables.ts'
import type { ProjectionContext } from './projection.ts'

/** A week in milliseconds. Weeks count from 1970-01-01, UTC. */
export const WEEK_MS = 604_800_000
/** The sums count in millionths of a token and in units of 1e-11 US dollars. */
export const TOKEN_PARTS = 1e6
export const USD_PARTS = 1e11

/** A table of sums: its keys after the week, each with its SQL value for a group `g`. */
interface WeekTable {
  readonly name: 'carry_weeks' | 'carry_week_files'
  readonly keys: { readonly [column: string]: string }
}
const BY_TOOL: WeekTable = {
  name: 'carry_weeks',
  keys: { kind: 'g.kind', tool: "coalesce(g.tool, '')", server: "coalesce(g.server, '')" },
}
const BY_FILE: WeekTable = {
  name: 'carry_week_files',
  keys: { name: "CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END" },
}
const WEEK_TABLES = [BY_TOOL, BY_FILE]

const SUMS = Object.keys(CARRY_SUMS)

/**
 * Adds groups of lines to the sums of their weeks, or subtracts them, except those that are left out. Each amount is
 * rounded before it is added, so that subtracting it leaves no remainder, and the sums do not depend on the order.
 */
function sumUp(t: TableNames, { name: table, keys }: WeekTable, sign: '+' | '-', where: string): string {
  const added = SUMS.map((name) => `${name} = ${name} ${sign} excluded.${name}`)
  const columns = ['week', ...Object.keys(keys)].join(', ')
  return `INSERT INTO ${t[table]} (${columns},
    ${SUMS.join(', ')})
  SELECT line.first_at / ${WEEK_MS}, ${Object.values(keys).join(', ')},
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM ${t.carry_groups} g JOIN ${t.carry_lines} line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND ${where}
    AND NOT EXISTS (SELECT 1 FROM ${t.carry_active} a WHERE a.line_id = g.event_id)
  ON CONFLICT (${columns}) DO UPDATE SET
    ${added.slice(0, 4).join(', ')},
    ${added.slice(4).join(',\n    ')}`
}

const emptied = (t: TableNames, { name }: WeekTable): string => `DELETE FROM ${t[name]} WHERE groups = 0`

/** The statements that add groups to both tables, or subtract them. */
const addTo = (t: TableNames, where: string) => WEEK_TABLES.map((table) => sumUp(t, table, '+', where))
const subtractFrom = (t: TableNames, where: string) =>
  WEEK_TABLES.flatMap((table) => [sumUp(t, table, '-', where), emptied(t, table)])

/** More lines than this are not left out of the sums. */
const MAX_ACTIVE = 100

/**
 * Keeps the sums of `carry_groups` by week. A line that changes is left out of them until many others have changed, since a
 * conversation changes with each request: an answer reads the sums, and the few lines in `carry_active` one by one.
 */
export class CarryWeeks {
  readonly #isActive
  readonly #activate
  readonly #count
  readonly #all
  readonly #settle
  readonly #add
  readonly #subtract
  readonly #changing = new Set<number>()

  constructor({ prepare, tables: t }: Pick<ProjectionContext, 'prepare' | 'tables'>) {
    this.#isActive = prepare<[number], number>(`SELECT 1 FROM ${t.carry_active} WHERE line_id = ?`).pluck()
    this.#activate = prepare<[number]>(`INSERT INTO ${t.carry_active} (line_id) VALUES (?)`)
    this.#count = prepare<[], number>(`SELECT count(*) FROM ${t.carry_active}`).pluck()
    this.#all = prepare<[], number>(`SELECT line_id FROM ${t.carry_active}`).pluck()
    this.#settle = prepare<[number]>(`DELETE FROM ${t.carry_active} WHERE line_id = ?`)
    this.#add = addTo(t, 'g.event_id = ?').map((sql) => prepare<[number]>(sql))
    this.#subtract = WEEK_TABLES.map((table) => ({
      run: prepare<[number]>(sumUp(t, table, '-', 'g.event_id = ?')),
      empty: prepare(emptied(t, table)),
    }))
  }

  /** Leaves a line out of the sums, since it is about to change. */
  begin(line: number): void {
    if (this.#changing.has(line)) return
    this.#changing.add(line)
    if (this.#isActive.get(line) === 1) return
    for (const { run, empty } of this.#subtract) if (run.run(line).changes > 0) empty.run()
    this.#activate.run(line)
  }

  /**
   * Ends a transaction, whose rows must be stored: if too many lines are left out, all lines that the transaction did
   * not change are added.
   */
  flush(): void {
    if (this.#changing.size > 0 && (this.#count.get() ?? 0) > MAX_ACTIVE)
      for (const line of this.#all.all()) {
        if (this.#changing.has(line)) continue
        this.#settle.run(line)
        for (const add of this.#add) add.run(line)
      }
    this.#changing.clear()
  }

  discard(): void {
    this.#changing.clear()
  }
}

/** The statements that fill the empty tables. */
export const fillCarryWeeks = (t: TableNames): string =>
  addTo(t, 'TRUE')
    .map((sql) => `${sql};`)
    .join('\n')

/** Returns the SQL that creates the triggers that follow deletions and redactions. */
export function defineCarryTriggers(t: TableNames, own: (name: string) => string): readonly string[] {
  const trigger = (name: string, when: string, ...body: readonly string[]) =>
    `CREATE TRIGGER ${own(name)} ${when}\nBEGIN\n  ${body.map((sql) => `${sql};`).join('\n  ')}\nEND`
  const ofGroup = (row: 'old' | 'new') => `g.event_id = ${row}.event_id AND g.number = ${row}.number`
  const names = ['tool', 'server', 'name']
  const isRenamed = names.map((name) => `new.${name} IS NOT old.${name}`).join(' OR ')
  const renamed = `UPDATE OF ${names.join(', ')} ON ${t.carry_groups} WHEN ${isRenamed}`
  return [
    trigger('carry_groups_bd', `BEFORE DELETE ON ${t.carry_groups}`, ...subtractFrom(t, ofGroup('old'))),
    trigger(
      'carry_lines_bd',
      `BEFORE DELETE ON ${t.carry_lines}`,
      ...subtractFrom(t, 'g.event_id = old.line_id'),
      `DELETE FROM ${t.carry_active} WHERE line_id = old.line_id`,
    ),
    trigger('carry_groups_bu', `BEFORE ${renamed}`, ...subtractFrom(t, ofGroup('old'))),
    trigger('carry_groups_au', `AFTER ${renamed}`, ...addTo(t, ofGroup('new'))),
  ]
}
